"""What a newcomer gets wrong, and the help: one problem that says what was meant."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path

import pytest

from engine.errors import Place, Problem
from engine.facts import load, relations_in, undeclared_relations
from engine.facts.bad_values import BadValue
from engine.facts.json_text import decode
from engine.facts.values import from_csv, from_json
from engine.limits import Limits
from engine.model import Column, Relation, ValueType
from tests.facts_samples import LEVELS, codes, only, refused, rows_of, small, write

THING = small(Column("n", ValueType("int"), unit="none"), Column("t", ValueType("text")))
ROW = {"id": "a", "n": 1, "t": ""}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(file: str, content: object, relations: dict[str, Relation] = THING) -> tuple[str, str | None]:
    """The message and the help of the one problem of a file."""
    problem = only(refused(write(Path(file), content), relations=relations))
    return problem.message, problem.help


# --- missing columns -------------------------------------------------------------------------------------------------


def declared(name: str, line: int, required: bool = False) -> Column:
    return Column(name, ValueType("text"), required, place=Place("p/relations.yaml", line, 3))


CRATE = small(*(declared(name, line) for name, line in (("a", 8), ("b", 9), ("c", 12))), name="crate")


def test_all_missing_columns_of_a_file_are_one_problem_that_names_their_declarations() -> None:
    help = "give them ({} is unknown), or write `may_be_absent: true` for them in p/relations.yaml:8, 9 and 12"
    message = "the file has no column `a`, `b` and `c` of `crate`"
    assert told("x.json", {"crate": [{"id": "1"}, {"id": "2"}]}, CRATE) == (message, help.format("`null`"))
    assert told("crate.csv", "id\n1\n", CRATE) == (message, help.format("an empty field"))


def test_one_missing_column_is_spoken_of_as_one() -> None:
    assert told("crate.jsonl", '{"id": "1", "a": null, "b": null}', CRATE) == (
        "the file has no column `c` of `crate`",
        "give it (`null` is unknown), or write `may_be_absent: true` for it in p/relations.yaml:12",
    )


def test_a_required_column_is_not_told_to_be_absent() -> None:
    relations = small(declared("a", 8, required=True), declared("b", 9))
    _, help = told("thing.csv", "id\n1\n", relations)
    assert help == (
        "give them (an empty field is unknown; `a`: required), "
        "or write `may_be_absent: true` for the others in p/relations.yaml:9"
    )
    assert told("thing.csv", "id,b\n1,\n", relations) == ("the file has no column `a` of `thing`", "give it: required")


def test_a_misspelt_name_is_set_against_the_missing_one() -> None:
    problems = refused(write(Path("a.json"), {"thing": [{"id": "a", "n": 1, "T ": ""}]}), relations=THING)
    assert codes(problems) == ["fact-missing-column", "fact-unknown-column"]
    assert str(problems[0].help).endswith("; is `T ` meant for `t`?")
    assert problems[1].help == "did you mean `t`?"


def test_many_missing_columns_are_counted_not_listed() -> None:
    relations = small(*(declared(f"c{n}", n + 10) for n in range(40)))
    message, help = told("thing.csv", "id\n", relations)
    assert message.endswith("`c11` and 28 more of `thing`")
    assert help is not None
    assert help.endswith(":10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 28 more")


# --- the form of JSON ------------------------------------------------------------------------------------------------

LINE = json.dumps(ROW)
VERDICT = '{"as_of": null, "format": 1, "policies": [], "verdict": "pass"}'
SHAPES = [
    ('{"thing": {"id": "a"}}', "`thing` holds an object, not a list of rows", 'write `{"thing": [{…}]}`'),
    ('{"thing": "c1", "n": 1}', "this looks like a row alone", 'write `{"thing": [{…}]}`, if `thing` is its relation'),
    (f"{LINE}\n{LINE}\n", "one row follows the other, which is JSON Lines", "rename it to `.jsonl`"),
    ('{"data": {"thing": []}}', "`data` stands around the relations", 'write `{"thing": [rows]}` without it'),
    (VERDICT, "this is a verdict of Fiel, not facts", "name the facts that it judged"),
    (
        '{"facts": {"thing": {"rows": 1}}, "status": "complete"}',
        "this is the record of a sensor's run, not facts",
        "name the folder that holds it",
    ),
    (f"[{LINE}]", "a list, and an object was expected", 'write `{"relation": [rows]}`, with its name'),
    (f'{{"thing": [{LINE},]}}', "no JSON: a comma before `]`", "take it out"),
    ('{"thing": [{"id": "a", }]}', "no JSON: a comma before `}`", "take it out"),
    (f'{{"thing": [{LINE}],\n}}', "no JSON: a comma before `}`", "take it out"),
    ("{'thing': []}", "no JSON: a single quote", "JSON wants double quotes"),
    ("{\"thing\": [{'id': 'a'}]}", "no JSON: a single quote", "JSON wants double quotes"),
    ('{"thing": [{"id": \'a\'}]}', "no JSON: a single quote", "JSON wants double quotes"),
    ('{"thing": [{"id": “a”}]}', "no JSON: the quote U+201C", 'JSON wants double quotes, straight ones: `"`'),
    ('{"thing": [{"id": None}]}', "no JSON: `None` is no word of JSON", "write `null`"),
    ('{"thing": [{"id": a}]}', "no JSON: the text `a` without quotes", "JSON wants texts in double quotes"),
    (
        '{"thing": [{id: "a"}]}',
        "no JSON: the name `id` without quotes",
        'write `"id"`: JSON wants names in double quotes',
    ),
    ('{"thing": [] // none\n}', "no JSON: a comment", "JSON has none; take it out"),
    ('{"thing": [{"n": 1} {"n": 2}]}', "no JSON: no comma before `{`", "put a comma between two entries"),
    ('{"thing": [{"n": .5}]}', "no JSON: a number that begins with `.`", "write a digit first, as in `0.5`"),
    (
        '{"thing": [{"n": 05}]}',
        "no JSON: a number with a leading zero",
        "take the zero away, or put a text in quotes",
    ),
    (
        '{"thing": [{"id": "a "b" c"}]}',
        "no JSON: a text goes on after its closing quote",
        'write a quote inside a text as `\\"`',
    ),
]


@pytest.mark.parametrize(("content", "message", "help"), SHAPES, ids=lambda v: str(v)[:40])
def test_json_of_another_form_is_told_what_it_is(content: str, message: str, help: str) -> None:
    problems = refused(write(Path("a.json"), content), relations=THING)
    assert (problems[0].message, problems[0].help) == (message, help)
    assert set(codes(problems)) == {"fact-json"}


@pytest.mark.parametrize(
    "content",
    [f'{{"thing": [{LINE}]}}\n', f'{{\n"thing": [\n{LINE}\n]}}\n', f"[{LINE},\n{LINE}]\n", f"[\n{LINE}\n]\n"],
)
def test_a_document_that_is_named_as_lines_is_one_problem(content: str) -> None:
    message, help = told("thing.jsonl", content)
    assert message == "a document, and JSON Lines has one whole row on each line"
    assert help == 'a document `{"relation": [rows]}` is a `.json` file: rename it'


def test_what_is_cut_off_is_no_slip() -> None:
    for text in ('{"thing": [{"n": tr', '{"thing": [{"id": "a"', '{"thing": ['):
        for problem in refused(write(Path("a.json"), text), relations=THING):
            assert problem.help is None or "quotes" not in problem.help


# --- values ----------------------------------------------------------------------------------------------------------

MM = Column("c", ValueType("int"), unit="mm")
FLOAT = Column("c", ValueType("float"), unit="%", low=Decimal(0))
BOOL = Column("c", ValueType("bool"))
DATE = Column("c", ValueType("date"))
INSTANT = Column("c", ValueType("instant"))
TEXT = Column("c", ValueType("text"))
KIND = Column("c", ValueType("text"), one_of=("open", "specific"))
LEVEL = Column("c", ValueType("levels", levels=LEVELS))
VALUES: list[tuple[Column, str, str]] = [
    (MM, "71 mm", "write 71; the unit is declared: mm"),
    (MM, "71mm", "write 71; the unit is declared: mm"),
    (MM, "71.0 mm", "write 71; the unit is declared: mm"),
    (MM, "7.1 cm", "write the number alone, in the declared unit: mm"),
    (FLOAT, "5%", "write 5; the unit is declared: %"),
    (FLOAT, ".5", "write 0.5"),
    (FLOAT, "1,5", "decimals follow a point, and nothing separates thousands"),
    (FLOAT, "1 000", "nothing separates thousands"),
    (MM, "+5", "write 5"),
    (MM, "10.0", "write 10"),
    (BOOL, "yes", "write `true`"),
    (BOOL, "TRUE", "write `true`"),
    (BOOL, "True", "write `true`"),
    (BOOL, "1", "write `true`"),
    (BOOL, "No", "write `false`"),
    (BOOL, "0", "write `false`"),
    (DATE, "1.1.2026", "a date is written YYYY-MM-DD: 2026-01-01"),
    (DATE, "2026/1/31", "a date is written YYYY-MM-DD: 2026-01-31"),
    (DATE, "01/02/2026", "a date is written `YYYY-MM-DD`"),  # whose day and month nobody knows
    (DATE, "31.2.2026", "a date is written `YYYY-MM-DD`"),
    (DATE, "2026-01-01T10:00:00Z", "write the day alone, YYYY-MM-DD: 2026-01-01"),
    (INSTANT, "2026-01-01 10:00", "say of which zone: 2026-01-01T10:00:00Z in UTC, or with `±HH:MM`"),
    (INSTANT, "2026-01-01 10:00:00+01:00", "write 2026-01-01T10:00:00+01:00"),
    (KIND, "Open", "did you mean `open`?"),
    (LEVEL, "b1", "did you mean `B1`?"),
]


@pytest.mark.parametrize(("column", "text", "help"), VALUES, ids=str)
def test_a_value_that_is_nearly_right_is_told_how_to_be_written(column: Column, text: str, help: str) -> None:
    with pytest.raises(BadValue) as error:
        from_csv(text, False, column)
    assert error.value.help == help
    with pytest.raises(BadValue) as error:
        from_json(text, column)
    assert error.value.help == help


@pytest.mark.parametrize("text", ["NA", "-", "n/a", "N/A", "null", "None", "NaN", "?", "–"])
@pytest.mark.parametrize("column", [MM, FLOAT, BOOL, DATE, INSTANT, KIND, LEVEL], ids=lambda c: c.type.kind)
def test_a_word_for_unknown_is_told_how_unknown_is_written(column: Column, text: str) -> None:
    with pytest.raises(BadValue) as error:
        from_csv(text, False, column)
    assert error.value.help == "leave the field empty for what is unknown"
    with pytest.raises(BadValue) as error:
        from_json(text, column)
    assert error.value.help == "write `null` for what is unknown"


def test_a_required_column_is_not_told_to_be_left_empty() -> None:
    with pytest.raises(BadValue) as error:
        from_csv("NA", False, Column("c", ValueType("int"), required=True))
    assert error.value.help == "give it a value: the column is required"


@pytest.mark.parametrize(
    ("column", "text", "help"),
    [
        (TEXT, "12", 'put it in quotes: `"12"`'),
        (TEXT, "1.50", 'put it in quotes: `"1.50"`'),
        (TEXT, "true", 'put it in quotes: `"true"`'),
        (BOOL, "1", "write `true`"),
        (BOOL, "0", "write `false`"),
        (BOOL, '"true"', "take the quotes away"),
        (MM, '"12"', "take the quotes away"),
        (MM, "12.0", "write 12"),
        (MM, "12.5", "an int is written without point and exponent"),
        (DATE, "20260101", 'write a date, `"YYYY-MM-DD"`'),
        (MM, "[1]", "a row is flat: a list or an object is better a relation of its own"),
    ],
)
def test_a_json_value_of_another_kind_is_told_how_to_be_written(column: Column, text: str, help: str) -> None:
    with pytest.raises(BadValue) as error:
        from_json(decode(text)[0], column)
    assert error.value.help == help


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
