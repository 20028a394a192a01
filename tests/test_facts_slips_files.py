"""Slips in CSV, in names of files, and in the folder of a run."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from engine.errors import Problem
from engine.facts import load, relations_in, undeclared_relations
from engine.limits import Limits
from engine.model import Column, ValueType
from tests.facts_samples import codes, only, refused, rows_of, small, write

from .facts_slips import LINE, ROW, SHAPES, THING, here, told

__all__ = ["here"]

# --- CSV -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message", "help"),
    [
        (
            "id, n, t\na, 1, b\n",
            "names of the header have blanks around them: ` n`, ` t`",
            "blanks after the separator; take them away, in the rows too",
        ),
        (
            "id,n,t\na, 1,b\nb,2 ,b\nc, x,b\n",
            "blanks around the value ` 1`, and 2 more of the column",
            "blanks after the separator; take them away: in CSV they belong to the value",
        ),
        (
            'id,n,t\na,1, "b"\nb,2, "c"\n',
            "a quote stands in field 3, which does not begin with one",
            "blanks beside the separator; take them away",
        ),
        (
            "a,1,x\nb,2,y\n",
            "the first line names no declared column: `a`, `1`, `x`",
            "the first line must name the columns: `id`, `n`, `t`",
        ),
        (
            "a,1,1\n",
            "the first line names no declared column: `a`, `1`, `1`",
            "the first line must name the columns: `id`, `n`, `t`",
        ),
        (
            "id;n;t\na;1;b\n",
            "the header is not separated by `,`: `id;n;t`",
            "another character seems to separate: give `--csv-delimiter ';'`",
        ),
        (
            "id;n, in mm;t\n",
            "the header is not separated by `,`: `id;n, in mm;t`",
            "another character seems to separate: give `--csv-delimiter ';'`",
        ),
        (
            "id\tn\tt\n",
            "the header is not separated by `,`: `id\\tn\\tt`",
            "another character seems to separate: give `--csv-delimiter tab`",
        ),
    ],
)
def test_a_csv_slip_is_one_problem(content: str, message: str, help: str) -> None:
    assert told("thing.csv", content) == (message, help)


def test_another_delimiter_is_seen_where_one_column_is_declared() -> None:
    _, help = told("thing.csv", "id|n\na|1\n", small())
    assert help == "another character seems to separate: give `--csv-delimiter '|'`"


def test_a_comma_is_seen_where_another_delimiter_was_given() -> None:
    problem = only(refused(write(Path("thing.csv"), "id,n,t\n"), relations=THING, csv_delimiter=";"))
    assert problem.help == "another character seems to separate: give `--csv-delimiter ','`"


@pytest.mark.parametrize("delimiter", ["tab", "TAB", "\\t", "\t"])
def test_a_tab_can_be_written_as_a_word(delimiter: str) -> None:
    with load([write(Path("thing.csv"), "id\tn\tt\na\t1\tb\n")], THING, csv_delimiter=delimiter) as base:
        assert rows_of(base, "thing") == [("a", 1, "b")]


def test_blanks_in_a_free_text_are_the_authors() -> None:
    with load([write(Path("thing.csv"), "id,n,t\na,1, b \n")], THING) as base:
        assert rows_of(base, "thing") == [("a", 1, " b ")]


def test_names_that_differ_by_capitals_and_blanks_are_offered() -> None:
    relations = small(Column("flight_date", ValueType("text"), may_be_absent=True))
    assert told("thing.csv", "id,Flight Date\n", relations)[1] == "did you mean `flight_date`?"


# --- names of files --------------------------------------------------------------------------------------------------


def test_a_file_name_is_offered_only_if_it_is_very_like() -> None:
    for name in ("o.json", "crates.json", "data.csv"):
        write(Path(name), "{}")
    write(Path("crate.txt"), "")
    in_folder = "in the folder: `crates.json`, `data.csv`, `o.json`"
    for wrong, help in (
        ("nix.json", in_folder),
        ("x.json", in_folder),
        ("crate.json", "did you mean `crates.json`?"),
        ("crates.jsonl", "did you mean `crates.json`?"),
        ("dta.csv", "did you mean `data.csv`?"),
        ("x*.json", None),
        ("crate*.parquet", None),
    ):
        assert only(refused(wrong)).help == help


def test_the_name_of_a_file_that_names_no_declared_relation_can_be_given() -> None:
    write(Path("s/x.csv"), "id,n,t\n")
    problem = only(refused("s/x.csv", relations=THING))
    assert problem.where == "s/x.csv"
    assert problem.help == "declared: `thing`; name the relation of the file: `--facts thing=s/x.csv`"
    two = THING | small(name="other")
    assert str(only(refused("s/x.csv", relations=two)).help).endswith("`--facts RELATION=s/x.csv`")


def test_undeclared_relations_name_their_files() -> None:
    write(Path("s/x.csv"), "id,n,t\n")
    write(Path("thngs.jsonl"), LINE)
    write(Path("a.json"), {"other": [ROW], "thing": []})
    survey = relations_in(["s", "thngs.jsonl", "a.json"])
    assert [(p.code, p.where, p.help) for p in undeclared_relations(survey, ["thing"])] == [
        ("undeclared-relation", "a.json", "declared: `thing`"),
        ("undeclared-relation", "s/x.csv", "declared: `thing`; name the relation of the file: `--facts thing=s/x.csv`"),
        (
            "undeclared-relation",
            "thngs.jsonl",
            "did you mean `thing`? name the relation of the file: `--facts thing=thngs.jsonl`",
        ),
    ]
    assert undeclared_relations(survey, ["thing", "other", "x", "thngs"]) == []


# --- the folder `facts` of a run -------------------------------------------------------------------------------------


def a_run(content: str = LINE) -> None:
    write(Path("out/facts/thing.jsonl"), content)
    write(Path("out/facts/other.jsonl"), '{"id": "x"}')
    entry = {"sha256": hashlib.sha256(LINE.encode()).hexdigest(), "rows": 1}
    other = {"sha256": hashlib.sha256(b'{"id": "x"}').hexdigest(), "rows": 1}
    write(Path("out/run.json"), {"format": 1, "status": "complete", "facts": {"thing": entry, "other": other}})


BOTH = THING | small(name="other")
ROADS = ["out", "out/facts", "out/facts/", "out/facts/thing.jsonl", "out/facts/th*.jsonl", "out/../out/facts", "linked"]


@pytest.mark.parametrize("road", ROADS)
def test_facts_of_a_run_are_checked_on_whatever_road_they_come(road: str) -> None:
    a_run()
    Path("linked").symlink_to("out/facts")
    digest = hashlib.sha256(Path("out/run.json").read_bytes()).hexdigest()
    with load([road], BOTH) as base:
        assert {one.run for one in base.files} == {digest}
    a_run(LINE.replace('"a"', '"b"'))
    assert codes(refused(road, relations=BOTH)) == ["fact-run-mismatch"]


def test_facts_of_a_run_are_checked_from_within(monkeypatch: pytest.MonkeyPatch) -> None:
    a_run(LINE.replace('"a"', '"b"'))
    monkeypatch.chdir("out/facts")
    for road in (".", "thing.jsonl", "../facts"):
        assert codes(refused(road, relations=BOTH)) == ["fact-run-mismatch"]


def test_a_run_that_did_not_finish_gives_no_file() -> None:
    a_run()
    write(Path("out/run.json"), {"format": 1, "status": "incomplete", "facts": {}})
    for road in ROADS[:5]:
        assert codes(refused(road, relations=BOTH)) == ["fact-run-incomplete"]


def test_a_file_that_a_run_does_not_record_is_none_of_its_facts() -> None:
    a_run()
    write(Path("out/facts/more.jsonl"), LINE)
    assert codes(refused("out/facts/more.jsonl", relations=BOTH)) == ["fact-run-mismatch"]
    assert codes(refused("thing=out/facts/other.jsonl", relations=BOTH)) == ["fact-relation-name"]


def test_a_folder_facts_without_a_record_is_a_folder() -> None:
    write(Path("facts/thing.jsonl"), LINE)
    with load(["facts"], BOTH, limits=Limits()) as base:
        assert [one.run for one in base.files] == [None]


def test_no_help_is_longer_than_a_screen_line_or_four() -> None:
    problems: list[Problem] = []
    for content, _, _ in SHAPES:
        problems += refused(write(Path("a.json"), content), relations=THING)
    assert all(len(p.message) < 200 and len(p.help or "") < 400 for p in problems)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_csv_file_that_was_cut_within_its_last_line_is_refused(cut: int) -> None:
    problem = only(refused(write(Path("thing.csv"), "id,n,t\na,10,x\nb,31,yz\n"[:-cut]), relations=THING))
    assert problem.code == "fact-csv"
    assert "the last line has no line end" in problem.message


def test_a_huge_limit_asks_for_no_memory() -> None:
    path = write(Path("f.json"), {"thing": [ROW]})
    with load([str(path)], THING, limits=Limits(json_bytes=2**40)) as base:
        assert base.rows == {"thing": 1}
