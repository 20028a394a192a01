"""`fiel evaluate`: what is compared, what is refused, and what is said where there is nothing to compare."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

from .conftest import ROOT, Cli
from .letters import DOCUMENTS, lay, lay_pack, lay_run, slip

SCHEMA = json.loads((ROOT / "engine" / "schemas" / "evaluation.schema.json").read_text(encoding="utf-8"))
LETTERS = [{"document": name} for name in DOCUMENTS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lay_pack(tmp_path)
    return tmp_path


class Asked:
    """`fiel evaluate letters` in a folder, with one thing changed."""

    def __init__(self, cli: Cli, folder: Path) -> None:
        self.cli, self.folder = cli, folder

    def __call__(self, a: Path, *more: object, annotated: Path | None = None) -> CompletedProcess[str]:
        truth = annotated or self.folder / "truth.json"
        few = () if "--samples" in more else ("--samples", "100")
        words = [str(one) for one in ("--annotated", truth, "--facts", a, *more, *few)]
        return self.cli("evaluate", "letters", *words, cwd=self.folder)

    def json(self, a: Path, *more: object, annotated: Path | None = None) -> Any:
        return self.forms(a, *more, annotated=annotated)[1]

    def forms(self, a: Path, *more: object, annotated: Path | None = None) -> tuple[str, Any, str]:
        """The text, the JSON, which is held against its schema, and the page, of one evaluation."""
        out = [self.folder / f"out.{name}" for name in ("text", "json", "html")]
        done = self(a, *more, *(w for one in out for w in ("--out", f"{one.suffix[1:]}={one}")), annotated=annotated)
        assert done.stderr == ""
        text, written, page = (one.read_text("utf-8") for one in out)
        assert done.stdout == text
        found = json.loads(written)
        jsonschema.validate(found, SCHEMA)
        assert done.returncode == (3 if found["without_evidence"] else 0)
        return text, found, page


@pytest.fixture
def asked(cli: Cli, folder: Path) -> Asked:
    lay(folder / "truth.json", slip=[slip(name, 3, 8) for name in DOCUMENTS], letter=LETTERS)
    return Asked(cli, folder)


def refused(done: CompletedProcess[str], code: str, *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{code}: " in done.stderr
    for word in words:
        assert word in done.stderr


def relation(found: Any, name: str = "slip") -> Any:
    [one] = [one for one in found["relations"] if one["relation"] == name]
    return one


# -- who looked ------------------------------------------------------------------------------------------------


def test_a_document_in_which_a_run_found_none_is_compared_and_one_that_it_never_saw_is_listed(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": [slip("ash", 3, 8)]}, ["ash", "birch"])
    text, everything, _ = asked.forms(run)
    found = relation(everything)
    assert found["documents"] == ["ash", "birch"]
    assert found["documents_not_compared"] == {"a": ["cedar", "elm", "fir", "oak"]}
    assert [(one["found"], one["missed"], one["invented"]) for one in found["runs"]] == [(1, 1, 0)]
    assert "not compared: cedar, elm, fir, oak: not looked at in the facts of run A" in text


def test_without_a_record_of_a_run_a_document_without_rows_is_not_taken_for_one_without_slips(asked: Asked) -> None:
    rows = [slip("ash", 3, 8)]
    plain = lay(asked.folder / "plain.json", slip=rows, letter=LETTERS)
    assert relation(asked.json(plain))["documents"] == ["ash"]
    found = relation(asked.json(plain, "--covered-by", "letter"))
    assert found["documents"] == list(DOCUMENTS)
    assert found["runs"][0]["missed"] == 5
    bare = lay(asked.folder / "bare.json", slip=rows)
    refused(asked(bare, "--covered-by", "letter"), "evaluation-coverage", "they bring no `letter`")


def test_looked_and_found_none_on_both_sides_is_none_and_not_one(asked: Asked) -> None:
    truth = lay_run(asked.folder / "people", {"slip": []}, DOCUMENTS, "human")
    run = lay_run(asked.folder / "run", {"slip": []}, DOCUMENTS)
    text, found, _ = asked.forms(run, "--relation", "slip", annotated=truth)
    [one] = relation(found)["runs"]
    assert (one["found"], one["missed"], one["invented"]) == (0, 0, 0)
    assert [one[name]["value"] for name in ("precision", "recall", "f1")] == [None] * 3
    assert re.search(r"run A +0 +0 +0 +none +none +none\n", text)


def test_what_nobody_looked_for_is_no_evidence_and_no_figure(asked: Asked) -> None:
    run = lay(asked.folder / "run.json", letter=LETTERS, topic=[])
    text, found, _ = asked.forms(run)
    assert "NO EVIDENCE  slip  nobody looked: the facts of run A bring none" in text
    assert "not compared: topic: it is not annotated" in text
    assert "F1" not in text
    assert relation(found)["runs"] == []
    assert found["without_evidence"]


def test_without_a_document_on_both_sides_there_is_no_evidence(asked: Asked) -> None:
    run = lay(asked.folder / "other.json", slip=[slip("yew", 3, 8)])
    done = asked(run)
    assert done.returncode == 3
    assert "NO EVIDENCE  slip  no document was looked at on every side" in done.stdout


def test_where_nothing_can_be_compared_that_is_what_is_said(asked: Asked) -> None:
    only = lay(asked.folder / "only.json", letter=LETTERS)
    text, found, page = asked.forms(only, annotated=only)
    assert found["without_evidence"]
    assert "NO EVIDENCE  nothing was compared" in text
    assert "No relation was compared" in page


def test_the_same_rows_on_every_side_are_context_unless_they_are_named(asked: Asked) -> None:
    truth = asked.folder / "truth.json"
    done = asked(truth)
    assert done.returncode == 3
    assert "not compared: slip: the very same rows are given on every side" in done.stdout
    named = asked(truth, "--relation", "slip")
    assert named.returncode == 0
    assert "note: `slip` in the facts of run A is the annotation itself, byte for byte" in named.stdout


# -- lies and slips --------------------------------------------------------------------------------------------


def test_runs_about_two_texts_of_one_name_are_not_compared(asked: Asked) -> None:
    truth = lay_run(asked.folder / "people", {"slip": []}, {"ash": "1" * 64, "oak": "2" * 64}, "human")
    run = lay_run(asked.folder / "run", {"slip": []}, {"ash": "1" * 64, "oak": "3" * 64})
    refused(asked(run, annotated=truth), "evaluation-other-text", "`oak`")


def test_a_run_with_rows_about_what_it_did_not_look_at_is_refused(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": [slip("oak", 1, 2)]}, ["ash"])
    refused(asked(run), "evaluation-coverage", "rows about `oak`")


def test_two_runs_about_one_document_are_not_added_up(asked: Asked) -> None:
    both = lay(asked.folder / "both.json", slip=[slip("ash", 1, 2), slip("ash", 1, 2, run="r2")])
    refused(asked(both), "evaluation-two-runs", "`r1`, `r2`", "--facts-b")
    one = lay_run(asked.folder / "one", {"slip": [slip("ash", 1, 2)]}, ["ash"])
    other = lay_run(asked.folder / "other", {"slip": []}, ["ash"])
    refused(asked(one, "--facts", other), "evaluation-two-runs", "`ash`")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"start_at": None, "end_at": 3}, "`start_at` is null"),
        ({"start_at": 3, "end_at": None}, "`end_at` is null"),
        ({"start_at": 4, "end_at": 3}, "from 4 to 3"),
        ({"start_at": -1, "end_at": 3}, "from -1 to 3"),
    ],
)
def test_a_row_without_a_place_is_refused_not_passed_over(asked: Asked, row: dict[str, object], said: str) -> None:
    good = {"document": "ash", "id": "1", "start_at": 0, "end_at": 1}
    truth = lay(asked.folder / "t.json", range=[good])
    run = lay(asked.folder / "r.json", range=[good, {**good, **row, "id": "2"}])
    refused(asked(run, annotated=truth), "evaluation-row", said, "the facts of run A")


def test_many_bad_rows_are_counted(asked: Asked) -> None:
    bad = [{"document": "ash", "id": str(n), "start_at": None, "end_at": n} for n in range(30)]
    run = lay(asked.folder / "r.json", range=bad)
    done = asked(run, "--relation", "range", annotated=run)
    refused(done, "evaluation-row", "and 10 more rows like these")


def test_a_record_that_does_not_say_what_it_looked_at_is_refused(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": [slip("ash", 3, 8)]}, ["ash"])
    record = json.loads((run / "run.json").read_text("utf-8"))
    for coverage in ("ash", [{"document": "ash", "sha256": 1}]):
        (run / "run.json").write_text(json.dumps({**record, "coverage": coverage}), "utf-8")
        refused(asked(run), "evaluation-coverage", "run.json")
    (run / "run.json").write_text(json.dumps({k: v for k, v in record.items() if k != "coverage"}), "utf-8")
    assert relation(asked.json(run))["documents"] == ["ash"]


def test_facts_that_were_changed_after_the_run_are_refused(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": [slip("ash", 3, 8)]}, ["ash"])
    (run / "facts" / "slip.jsonl").write_text(json.dumps(slip("ash", 3, 9)) + "\n", "utf-8")
    refused(asked(run), "fact-run-mismatch")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--relation", "slop"], "did you mean `slip`?"),
        (["--relation", "loose"], "`loose` cannot be compared: it has no column `document`"),
        (["--relation", "letter"], "`letter` cannot be compared: a row of it is a document and nothing else"),
        (["--same", "knd"], "did you mean `kind`?"),
        (["--covered-by", "leter"], "did you mean `letter`?"),
        (["--covered-by", "loose"], "`loose` has no column `document`"),
        (["--document", "letter"], "NO"),
        (["--score", "grad.points"], "did you mean `grade`?"),
        (["--score", "grade.pints"], "did you mean `points`?"),
        (["--score", "grade"], "is no column of `grade`"),
        (["--score", "slip.kind"], "`slip.kind` is text, and no number"),
        (["--score", "grade.points=given.euros"], "`grade.points` is in point, and `given.euros` in EUR"),
        (["--score", "slip.start_at"], "a document of `slip` has two rows: ash"),
        (["--out", "html=first.json"], "is a file of the facts"),
        (["--out", "pdf=x.pdf"], "`pdf` is no format"),
        (["--facts-b", "-"], "standard input is of one side only"),
        (["--samples", "99"], "`99` is no whole number from 100 to 100000"),
        (["--same", "kind,kind"], "each once"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_nearest_name(asked: Asked, options: list[str], said: str) -> None:
    lay(asked.folder / "first.json", slip=[slip("ash", 3, 8), slip("ash", 20, 28)], letter=LETTERS)
    done = asked(asked.folder / "first.json", *options)
    if said == "NO":
        assert done.returncode == 3
        assert "not compared: slip: it has no column `letter`" in done.stdout
        return
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_sides_that_are_not_given_are_asked_for(cli: Cli, folder: Path) -> None:
    for words, said in ((["--facts", "x"], "`--annotated` is missing"), (["--annotated", "x"], "`--facts` is missing")):
        done = cli("evaluate", "letters", *words, cwd=folder)
        refused(done, "usage", said)


# -- figures ---------------------------------------------------------------------------------------------------


def test_columns_that_have_to_agree_are_told_apart_by_their_values(asked: Asked) -> None:
    rows = [slip("ash", 3, 8, "tone"), slip("birch", 3, 8), slip("oak", 4, 9)]
    run = lay_run(asked.folder / "run", {"slip": rows}, DOCUMENTS)
    [one] = relation(asked.json(run))["runs"]
    assert (one["found"], one["missed"], one["invented"]) == (2, 4, 1)
    assert one["agreement"] == [{"column": "kind", "agree": 1, "of": 2, "unknown": 0}]
    [strict] = relation(asked.json(run, "--same", "kind", "--match", "overlap"))["runs"]
    assert (strict["found"], strict["missed"], strict["invented"]) == (2, 4, 1)
    values = {one["value"]: (one["found"], one["missed"], one["invented"]) for one in strict["by_value"]["kind"]}
    assert values == {"spelling": (2, 4, 0), "tone": (0, 0, 1)}


def test_rows_without_a_span_are_compared_by_their_key(asked: Asked) -> None:
    def topics(run: str, **some: str) -> list[dict[str, object]]:
        return [{"document": name, "topic": topic, "run_id": run} for name, topic in some.items()]

    truth = lay(asked.folder / "t.json", topic=topics("people", ash="rent", oak="rent"))
    run = lay(asked.folder / "r.json", topic=topics("r1", ash="rent", oak="noise"))
    found = relation(asked.json(run, annotated=truth), "topic")
    assert (found["columns"], found["spans"]) == (["topic"], False)
    assert [(one["found"], one["missed"], one["invented"]) for one in found["runs"]] == [(1, 1, 1)]


def test_numbers_of_a_view_are_those_that_a_judge_has_of_either_side(asked: Asked) -> None:
    rows = [slip("ash", 1, 2), slip("ash", 3, 8), slip("oak", 3, 8)]
    run = lay(asked.folder / "run.json", slip=rows, letter=[{"document": name} for name in ("ash", "oak", "yew")])
    [score] = asked.json(run, "--score", "grade.points")["scores"]
    found = [(one["document"], one["annotated"]["decimal"], one["runs"][0]["decimal"]) for one in score["documents"]]
    assert found == [("ash", "8.500000", "7.000000"), ("oak", "8.500000", "8.500000")]
    assert [one["document"] for one in score["missing"]] == ["birch", "cedar", "elm", "fir", "yew"]
    assert score["mean_difference"][0]["value"] == {"numerator": -3, "denominator": 4, "decimal": "-0.750000"}
    assert score["mean_distance"][0] == {
        "interval": None,
        "value": {"numerator": 3, "denominator": 4, "decimal": "0.750000"},
    }


def test_points_that_a_person_gave_are_compared_with_those_of_a_view(asked: Asked) -> None:
    points = {"ash": 9, "oak": None}
    given = [{"document": name, "points": value, "euros": None} for name, value in points.items()]
    truth = lay(asked.folder / "given.json", given=given)
    run = lay(asked.folder / "run.json", slip=[slip("ash", 1, 2)], letter=LETTERS)
    text, found, _ = asked.forms(run, "--score", "grade.points=given.points", annotated=truth)
    [score] = found["scores"]
    assert [one["document"] for one in score["documents"]] == ["ash"]
    assert {"document": "oak", "sides": ["annotated"]} in score["missing"]
    assert "oak: missing in the annotated facts, and not counted" in text
    assert "ash: annotated 9.000; run A 8.500 (-0.500)" in text


def test_a_number_of_what_nobody_looked_for_is_no_evidence(asked: Asked) -> None:
    run = lay(asked.folder / "run.json", slip=[slip("ash", 3, 8)])
    done = asked(run, "--score", "grade.points")
    assert done.returncode == 3
    assert "NO EVIDENCE  grade.points  nobody looked: the facts of run A do not give it" in done.stdout


def test_two_runs_are_compared_over_the_documents_that_both_looked_at(asked: Asked) -> None:
    good = lay_run(asked.folder / "good", {"slip": [slip(name, 3, 8) for name in DOCUMENTS]}, DOCUMENTS)
    poor = lay_run(asked.folder / "poor", {"slip": [slip(name, 9, 12) for name in DOCUMENTS]}, DOCUMENTS)
    said, everything, _ = asked.forms(good, "--facts-b", poor)
    found = relation(everything)
    assert [one["found"] for one in found["runs"]] == [6, 0]
    assert found["paired"]["p"] == {"numerator": 1, "denominator": 32, "decimal": "0.031250"}
    assert found["paired"]["told_from_noise"]
    assert "can be told from noise over 6 documents, 6 of which differ (p = 1/32 = 0.0313, all 64 ways" in said
    assert "level 1/20, a convention" in said
    four = lay_run(asked.folder / "four", {"slip": [slip("ash", 9, 12)]}, DOCUMENTS[:4])
    said = asked(good, "--facts-b", four).stdout
    assert "cannot be told from noise over 4 documents" in said
    assert "so few that differ can give no p below 1/8" in said
    assert "to 1.000)" not in said  # no interval over four


def test_the_same_facts_give_the_same_bytes_in_whatever_order(asked: Asked, cli_process: Cli) -> None:
    rows = [slip(name, start, start + 4) for at, name in enumerate(DOCUMENTS) for start in range(2, 4 + 9 * at, 3)]
    first = lay_run(asked.folder / "run", {"slip": rows}, DOCUMENTS)
    few = ("--samples", "100", "--match", "overlap", "--format", "json")
    words = ["evaluate", "letters", "--annotated", "truth.json", *few, "--facts"]
    before = cli_process(*words, first, cwd=asked.folder, PYTHONHASHSEED="1").stdout
    lay_run(asked.folder / "again", {"slip": rows[::-1]}, DOCUMENTS[::-1])
    after = asked.cli(*words, "again", cwd=asked.folder).stdout
    one, other = json.loads(before), json.loads(after)
    assert one.pop("facts") != other.pop("facts")
    assert one == other
    assert json.loads(asked(Path("run"), *few, annotated=Path("truth.json")).stdout)["relations"] == one["relations"]
    assert asked.json(first, "--match", "overlap", "--seed", "3")["relations"] != one["relations"]


# -- what is said ----------------------------------------------------------------------------------------------


def test_every_form_says_that_a_run_is_constructed_and_what_the_figures_do_not_say(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": [slip("ash", 3, 8)]}, ["ash"], "constructed")
    truth = lay_run(asked.folder / "people", {"slip": [slip("ash", 4, 8)]}, ["ash"], "observed")
    run_said = "in the facts of run A the rows of `slip` are of constructed runs: their rows were written by hand"
    truth_said = "in the annotated facts the rows of `slip` are of a sensor: no person annotated them"
    text, found, page = asked.forms(run, annotated=truth)
    assert any(one.startswith(run_said) for one in found["notes"])
    assert truth_said in found["notes"]
    for printed in (text, page):
        assert run_said in printed
        assert truth_said in printed
        assert "how far two of them would agree is unknown" in printed
    plain, found, page = asked.forms(run)
    assert "not said: who annotated `slip`: no run records it" in plain
    assert "who annotated `slip`: no run records it" in found["not_said"]
    assert "Who annotated `slip`" in page


class Tags(HTMLParser):
    """The names of all elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(name for name, _ in attrs)}


def test_a_page_shows_hostile_texts_as_texts_and_has_no_script(asked: Asked) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[2J"
    rows = [{**slip(evil, 3, 8), "quote": evil}]
    truth = lay_run(asked.folder / "people", {"slip": rows, "letter": [{"document": evil}]}, [evil], "human")
    run = lay_run(
        asked.folder / "run", {"slip": [*rows, {**rows[0], "start_at": 4}], "letter": [{"document": evil}]}, [evil]
    )
    text, _, page = asked.forms(run, "--score", "grade.points", annotated=truth)
    tags = Tags(page).found
    assert not tags & {"script", "img", "onerror", "style=", "src"}
    assert "svg" in tags
    for printed in (page, text):
        assert "\u202e" not in printed
        assert "\x1b" not in printed
    assert "&lt;script&gt;alert(1)" in page
    assert "Content-Security-Policy" in page


def test_lists_are_cut_and_what_is_left_is_counted(asked: Asked) -> None:
    run = lay_run(asked.folder / "run", {"slip": []}, DOCUMENTS)
    text, found, page = asked.forms(run, "--listed", "2")
    assert "and 4 more (see --listed)" in text
    assert "and 4 more<" in page
    assert len(relation(found)["runs"][0]["missed_rows"]) == 6


def test_a_sample_run_of_the_shipped_pack_against_itself_is_perfect_and_said_to_be_the_same(cli: Cli) -> None:
    run = "facts/cefr/runs/b1"
    done = cli("evaluate", "cefr", "--annotated", run, "--facts", run, "--relation", "error", "--same", "category")
    assert done.returncode == 0
    assert re.search(r"run A +10 +0 +0 +1.000 +1.000 +1.000\n", done.stdout)
    assert "is the annotation itself, byte for byte" in done.stdout
    assert "constructed runs" in done.stdout
    assert "missed by" not in done.stdout
