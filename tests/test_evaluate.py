"""`fiel evaluate`: what is compared, what is refused, and what is said where there is nothing to compare."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from .conftest import Cli
from .evaluate_runs import LETTERS, Asked, asked, folder, relation
from .letters import DOCUMENTS, lay, lay_run, slip

__all__ = ["asked", "folder"]


def refused(done: CompletedProcess[str], code: str, *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{code}: " in done.stderr
    for word in words:
        assert word in done.stderr


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
        (["--score", "grade"], "names no column"),
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
