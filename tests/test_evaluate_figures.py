"""Figures of an evaluation, and how they are said."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from .conftest import Cli
from .evaluate_runs import LETTERS, Asked, asked, folder, relation
from .letters import DOCUMENTS, lay, lay_run, slip

__all__ = ["asked", "folder"]


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
