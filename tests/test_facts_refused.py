"""JSON, JSON Lines and CSV that are refused: with file, line, row and column, all at once, and nothing judged."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

from engine.facts import load
from engine.limits import Limits
from engine.model import Column, ValueType
from tests.facts_samples import FLIGHT, RELATIONS, ROW, SMALL_LIMITS, codes, only, refused, rows_of, small, write

THING = small(Column("n", ValueType("int"), unit="none"), Column("t", ValueType("text")))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


JSON_REFUSED: list[tuple[str | bytes, str, str]] = [
    ("", "fact-json", "a.json:1:1"),
    ("  \n ", "fact-json", "a.json:2:2"),
    ("[]", "fact-json", "a.json:1:1"),
    ("null", "fact-json", "a.json:1:1"),
    ("{}", "fact-json", "a.json:1:2"),
    ('{"thing": {}}', "fact-json", "a.json:1:11"),
    ('{"thing": null}', "fact-json", "a.json:1:11"),
    ('{"thing": [1]}', "fact-json", "a.json:1, row 1"),
    ('{"thing": [[]]}', "fact-json", "a.json:1, row 1"),
    ('{"thing": [null]}', "fact-json", "a.json:1, row 1"),
    ('{"thing": []} x', "fact-json", "a.json:1:15"),
    ('{"thing": []}{}', "fact-json", "a.json:1:14"),
    ('{"thing": [],}', "fact-json", "a.json:1:14"),
    ('{"thing": [{"id": "a", "n": 1, "t": "b"},]}', "fact-json", "a.json:1:42, row 2"),
    ('{"thing": [{"id": "a", "n": 1, "t": "b",}]}', "fact-json", "a.json:1:41, row 1"),
    ('{"thing": [\n{"id": "a", "n": 1, "t": "b"}\n{', "fact-json", "a.json:3:1, row 1"),
    ('{"thing": [{"id": "a", "n": 1, "t": "b"}', "fact-json", "a.json:1:41, row 1"),
    ('{"thing": [{"id": "a', "fact-json", "a.json:1:19, row 1"),
    ('{"thing": [{"id": "a", "n": 01, "t": ""}]}', "fact-json", "a.json:1:30, row 1"),
    ('{"thing": [{"id": "a", "n": +1, "t": ""}]}', "fact-json", "a.json:1:29, row 1"),
    ('{"thing": [{"id": "a", "n": .1, "t": ""}]}', "fact-json", "a.json:1:29, row 1"),
    ("{'thing': []}", "fact-json", "a.json:1:2"),
    ("{thing: []}", "fact-json", "a.json:1:2"),
    ('{"thing": [] // no\n}', "fact-json", "a.json:1:14"),
    ('{"thing": [{"id": "a\nb", "n": 1, "t": ""}]}', "fact-json", "a.json:1:21, row 1"),
    ('{"thing": [{"id": "\\x", "n": 1, "t": ""}]}', "fact-json", "a.json:1:20, row 1"),
    ('{"thing": [{"id": \0"a"}]}', "fact-json", "a.json:1:19, row 1"),
    ('{"thing": [{"id": "a\0", "n": 1, "t": ""}]}', "fact-json", "a.json:1:21, row 1"),
    ('{"thing": [], "thing": []}', "fact-repeated-entry", "a.json:1"),
    ('{"thing": [{"id": "a", "n": 1, "n": 1, "t": ""}]}', "fact-repeated-entry", "a.json:1, row 1"),
    ('{"thing": [\n\n{"id": "a", "n": NaN, "t": ""}]}', "fact-type", "a.json:3, row 1, column n"),
    ('{"thing": [{"id": "a", "n": [1], "t": ""}]}', "fact-type", "a.json:1, row 1, column n"),
    ('{"thing": [{"id": "a", "n": {"n": 1, "n": 2}, "t": ""}]}', "fact-type", "a.json:1, row 1, column n"),
    ('{"thing": [{"id": "a", "n": 1, "t": "", "u": 2}]}', "fact-unknown-column", "a.json:1, row 1"),
    ('{"thing": [{"id": "a", "n": 1, "t": "", "N": 2}]}', "fact-unknown-column", "a.json:1, row 1"),
    ('{"thing": [{"id": "a", "n": 1}]}', "fact-missing-column", "a.json"),
    ('{"thing": [{"n": 1, "t": ""}, {"id": "a"}]}', "fact-missing-value", "a.json:1, row 1, column id"),
    ('{"thing": [{"id": null, "n": 1, "t": ""}]}', "fact-missing-value", "a.json:1, row 1, column id"),
    (
        '{"thing": [{"id": "a", "n": 1, "t": ""},\n {"id": "a", "n": 1, "t": ""}]}',
        "fact-repeated-key",
        "a.json:2, row 2",
    ),
    ('{"thin": []}', "fact-unknown-relation", "a.json"),
    (b'{"thing": [\n{"id": "a\xff"}]}', "fact-encoding", "a.json:2"),
    (b'{"thing": [{"id": "\xed\xa0\x80"}]}', "fact-encoding", "a.json:1"),
    ('{"thing": []}'.encode("utf-16"), "fact-encoding", "a.json"),
    ('{"thing": []}'.encode("utf-16-le"), "fact-encoding", "a.json"),
    ('{"thing": []}'.encode("utf-16-be"), "fact-encoding", "a.json"),
    ('{"thing": []}'.encode("utf-32"), "fact-encoding", "a.json"),
]


@pytest.mark.parametrize(("content", "code", "where"), JSON_REFUSED, ids=lambda v: str(v)[:50])
def test_a_json_document_that_is_wrong_is_refused_where_it_is_wrong(
    content: str | bytes, code: str, where: str
) -> None:
    write(Path("a.json"), content)
    problem = only(refused("a.json", relations=THING))
    assert (problem.code, problem.where) == (code, where)


GOOD_LINE = '{"id": "a", "n": 1, "t": ""}\n'
LINES_REFUSED: list[tuple[str | bytes, str, str]] = [
    ("\n", "fact-json", "thing.jsonl:1, row 1"),
    (GOOD_LINE + "\n", "fact-json", "thing.jsonl:2, row 2"),
    (GOOD_LINE + "\n" + GOOD_LINE.replace("a", "b"), "fact-json", "thing.jsonl:2, row 2"),
    (GOOD_LINE + "  ", "fact-json", "thing.jsonl:2, row 2"),
    (GOOD_LINE + "\r\n", "fact-json", "thing.jsonl:2, row 2"),
    ("[1]\n" + GOOD_LINE, "fact-json", "thing.jsonl:1, row 1"),
    ("[" + GOOD_LINE.strip() + "]\n" + GOOD_LINE, "fact-json", "thing.jsonl:1, row 1"),
    ("null\n" + GOOD_LINE, "fact-json", "thing.jsonl:1, row 1"),
    (GOOD_LINE.strip() + "{}\n", "fact-json", "thing.jsonl:1:29, row 1"),
    (GOOD_LINE.strip() + "," + GOOD_LINE, "fact-json", "thing.jsonl:1:29, row 1"),
    (GOOD_LINE + '{"id": "b"', "fact-json", "thing.jsonl:2:11, row 2"),
    ('{"id": "b",\n"n": 1}\n', "fact-json", "thing.jsonl:1:13, row 1"),
    (GOOD_LINE + '{"id": "b", "id": "c"}', "fact-repeated-entry", "thing.jsonl:2, row 2"),
    (GOOD_LINE + '{"id": "b", "n": true}', "fact-type", "thing.jsonl:2, row 2, column n"),
    (GOOD_LINE + GOOD_LINE, "fact-repeated-key", "thing.jsonl:2, row 2"),
    (GOOD_LINE.encode() + b'{"id": "\xc3"}\n', "fact-encoding", "thing.jsonl:2"),
    (GOOD_LINE.encode("utf-16"), "fact-encoding", "thing.jsonl"),
    (GOOD_LINE + "[" * 100_000 + "\n", "fact-limit", "thing.jsonl:2:1, row 2"),
    (GOOD_LINE + '{"id":' * 100_000 + "\n", "fact-limit", "thing.jsonl:2:1, row 2"),
    (GOOD_LINE + '{"id": ' + "[" * 20 + "]" * 20 + "}\n", "fact-limit", "thing.jsonl:2, row 2, column id"),
]


@pytest.mark.parametrize(("content", "code", "where"), LINES_REFUSED, ids=lambda v: str(v)[:50])
def test_a_line_that_is_wrong_is_refused_where_it_is_wrong(content: str | bytes, code: str, where: str) -> None:
    write(Path("thing.jsonl"), content)
    problems = refused("thing.jsonl", relations=THING)
    assert (problems[0].code, problems[0].where) == (code, where)


CSV_REFUSED: list[tuple[str | bytes, str, str]] = [
    ("", "fact-csv", "thing.csv"),
    ("\n", "fact-csv", "thing.csv:1"),
    ("id,n\n", "fact-missing-column", "thing.csv:1"),
    ("id,n,t,n\n", "fact-repeated-entry", "thing.csv:1"),
    ("id,,t\n", "fact-csv", "thing.csv:1"),
    ("id,n,t,x\n", "fact-unknown-column", "thing.csv:1"),
    ("id, n,t\n", "fact-csv", "thing.csv:1"),
    ("id,n,t\na,1\n", "fact-csv", "thing.csv:2, row 1"),
    ("id,n,t\na,1,b,c\n", "fact-csv", "thing.csv:2, row 1"),
    ("id,n,t\na,1,b\n\n", "fact-csv", "thing.csv:3, row 2"),
    ("id,n,t\na,1,b\n\nb,1,c\n", "fact-csv", "thing.csv:3, row 2"),
    ('id,n,t\na,1,b"c\n', "fact-csv", "thing.csv:2, row 1"),
    ('id,n,t\na,1,"b"c\n', "fact-csv", "thing.csv:2, row 1"),
    ('id,n,t\na,1, "b"\n', "fact-csv", "thing.csv:2, row 1"),
    ('id,n,t\na,1,"b\n', "fact-csv", "thing.csv:2, row 1"),
    ('id,n,t\na,1,"b""\nx,1,y\n', "fact-csv", "thing.csv:2, row 1"),
    ("id,n,t\na,1,b\rc,1,d\n", "fact-csv", "thing.csv:2, row 1"),
    ("id,n,t\ra,1,b\r", "fact-csv", "thing.csv:1"),
    ("id,n,t\na,1,b\0\n", "fact-csv", "thing.csv:2, row 1"),
    ('id,n,t\na,1,"b\0"\n', "fact-csv", "thing.csv:2, row 1"),
    ("id,n,t\na,one,b\n", "fact-type", "thing.csv:2, row 1, column n"),
    ('id,n,t\na,"",b\n', "fact-type", "thing.csv:2, row 1, column n"),
    ("id,n,t\n,1,b\n", "fact-missing-value", "thing.csv:2, row 1, column id"),
    ('id,n,t\n"a\nb",1,c\n"a\nb",2,c\n', "fact-repeated-key", "thing.csv:4, row 2"),
    (b"id,n,t\na,1,\xff\n", "fact-encoding", "thing.csv:2"),
    ("id,n,t\n".encode("utf-16"), "fact-encoding", "thing.csv"),
]


@pytest.mark.parametrize(("content", "code", "where"), CSV_REFUSED, ids=lambda v: str(v)[:50])
def test_csv_that_is_wrong_is_refused_where_it_is_wrong(content: str | bytes, code: str, where: str) -> None:
    write(Path("thing.csv"), content)
    problems = refused("thing.csv", relations=THING)
    assert (problems[0].code, problems[0].where) == (code, where)


def test_a_stray_quote_does_not_hide_the_problems_after_it() -> None:
    write(Path("thing.csv"), 'id,n,t\na,1,b"\nb,one,c\nc,1,d\n')
    assert [p.where for p in refused("thing.csv", relations=THING)] == [
        "thing.csv:2, row 1",
        "thing.csv:3, row 2, column n",
    ]


def test_another_delimiter_is_suggested_and_taken() -> None:
    write(Path("thing.csv"), "id;n;t\na;1;b,c\n")
    assert "--csv-delimiter" in str(refused("thing.csv", relations=THING)[0].help)
    with load(["thing.csv"], THING, csv_delimiter=";") as base:
        assert rows_of(base, "thing") == [("a", 1, "b,c")]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", "\0"])
def test_what_separates_no_fields_is_no_delimiter(delimiter: str) -> None:
    write(Path("thing.csv"), "id,n,t\n")
    assert codes(refused("thing.csv", relations=THING, csv_delimiter=delimiter)) == ["csv-delimiter"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "]", "\\", "^", "-", "é", "."])
def test_any_other_sign_separates_fields(delimiter: str) -> None:
    write(
        Path("thing.csv"),
        delimiter.join(("id", "n", "t")) + "\n" + delimiter.join(("a", "1", f'"x{delimiter}""y"')) + "\n",
    )
    with load(["thing.csv"], THING, csv_delimiter=delimiter) as base:
        assert rows_of(base, "thing") == [("a", 1, f'x{delimiter}"y')]


def test_a_quoted_empty_field_is_text_and_an_unquoted_one_is_null() -> None:
    write(Path("thing.csv"), 'id,n,t\r\na,,""\r\nb,1,\r\n"",2,"two\r\nlines"\r\n')
    with load(["thing.csv"], THING) as base:
        assert rows_of(base, "thing") == [("", 2, "two\r\nlines"), ("a", None, ""), ("b", 1, None)]


def test_a_byte_order_mark_is_no_part_of_the_facts() -> None:
    mark = b"\xef\xbb\xbf"
    write(Path("d/a.json"), mark + b'{"thing": [{"id": "a", "n": 1, "t": null}]}')
    write(Path("e/thing.jsonl"), mark + b'{"id": "b", "n": 1, "t": null}')
    write(Path("f/thing.csv"), mark + b"id,n,t\nc,1,\n")
    with load(["d", "e", "f"], THING) as base:
        assert [row[0] for row in rows_of(base, "thing")] == ["a", "b", "c"]


def test_a_column_of_which_no_row_knows_a_value_is_there() -> None:
    write(Path("a.json"), {"thing": [{"id": "a", "n": None, "t": None}]})
    with load(["a.json"], THING) as base:
        assert rows_of(base, "thing") == [("a", None, None)]


def test_an_entry_that_some_rows_have_is_null_in_the_others() -> None:
    write(Path("a.json"), {"thing": [{"id": "a", "n": 1}, {"id": "b", "t": "x"}]})
    with load(["a.json"], THING) as base:
        assert rows_of(base, "thing") == [("a", 1, None), ("b", None, "x")]


def test_a_column_that_may_be_absent_is_null_where_no_row_has_it() -> None:
    write(Path("a.json"), {"flight": [dict(ROW)]})
    with load(["a.json"], RELATIONS) as base:
        assert rows_of(base)[0][-1] is None


def test_a_misspelt_column_is_one_problem_and_the_missing_one_another_however_many_rows_there_are() -> None:
    rows = [{**ROW, "flight": f"f{i}", "mas": 1} for i in range(50)]
    for row in rows:
        del row["mass"]
    write(Path("a.json"), {"flight": rows})
    problems = refused("a.json")
    assert codes(problems) == ["fact-missing-column", "fact-unknown-column"]
    assert problems[1].help == "did you mean `mass`?"


def test_a_required_column_that_comes_late_is_missed_in_the_rows_before() -> None:
    lines = [json.dumps({"n": 1, "t": ""})] * 10_001 + [json.dumps({"id": "a"})]
    write(Path("thing.jsonl"), "\n".join(lines))
    problems = refused("thing.jsonl", relations=THING, limits=Limits(problems=3))
    assert [(p.code, p.where) for p in problems[:3]] == [
        ("fact-missing-value", f"thing.jsonl:{n}, row {n}, column id") for n in (1, 2, 3)
    ]
    assert problems[3].message == "and 9998 more problems of the facts"


def test_every_problem_of_every_file_is_listed_in_order() -> None:
    bad: dict[str, Any] = {**ROW, "category": "opn", "seats": "1", "claim": "C2", "extra": 1}
    write(Path("b.json"), {"flight": [dict(ROW), bad]})
    write(Path("a.json"), {"flight": [{**ROW, "flight": "f0", "height": 5000}]})
    problems = refused("b.json", "a.json")
    assert [(p.where, p.code) for p in problems] == [
        ("a.json:1, row 1, column height", "fact-range"),
        ("b.json:1, row 2", "fact-repeated-key"),
        ("b.json:1, row 2", "fact-unknown-column"),
        ("b.json:1, row 2, column category", "fact-not-listed"),
        ("b.json:1, row 2, column claim", "fact-not-listed"),
        ("b.json:1, row 2, column seats", "fact-type"),
    ]
    assert problems == refused("a.json", "b.json")


def test_problems_past_the_limit_are_counted() -> None:
    write(Path("a.json"), {"flight": [{**ROW, "flight": f"f{i}", "seats": "x"} for i in range(25_000)]})
    problems = refused("a.json", limits=Limits(problems=3))
    assert [p.where for p in problems[:3]] == [f"a.json:1, row {n}, column seats" for n in (1, 2, 3)]
    assert problems[3].code == "fact-more"
    assert problems[3].message == "and 24997 more problems of the facts"


def test_a_row_that_is_no_row_does_not_shift_the_rows_after_it() -> None:
    lines = [GOOD_LINE, "nonsense\n", GOOD_LINE.replace('"a"', '"b"'), GOOD_LINE]
    write(Path("thing.jsonl"), "".join(lines))
    problems = refused("thing.jsonl", relations=THING)
    assert [(p.code, p.where) for p in problems] == [
        ("fact-json", "thing.jsonl:2:1, row 2"),
        ("fact-repeated-key", "thing.jsonl:4, row 4"),
    ]
    assert "thing.jsonl:1, row 1" in problems[1].message


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "content", "limit"),
    [
        ("a.json", '{"thing": [' + " " * 2000 + "]}", "json_bytes"),
        ("a.json", '{"thing": [{"id": "' + "x" * 400 + '", "n": 1, "t": ""}]}', "line_bytes"),
        ("thing.jsonl", GOOD_LINE + '{"id": "' + "x" * 400 + '"}\n', "line_bytes"),
        ("thing.jsonl", "".join(GOOD_LINE.replace("a", f"a{i}") for i in range(200)), "file_bytes"),
        ("thing.jsonl", "".join(GOOD_LINE.replace("a", f"a{i}") for i in range(6)), "rows"),
        ("thing.csv", "id,n,t\n" + "".join(f"a{i},1,b\n" for i in range(6)), "rows"),
        ("thing.csv", "id,n,t\na,1," + "x" * 400 + "\n", "line_bytes"),
        ("thing.csv", 'id,n,t\na,1,"' + "x\n" * 200 + '"\n', "line_bytes"),
        ("thing.csv", "id,n,t\n" + "a,1,b\n" * 1000, "file_bytes"),
        ("thing.jsonl", '{"id": "' + "x" * 60 + '", "n": 1, "t": ""}', "text_length"),
        ("thing.csv", f"id,n,t\n{'x' * 60},1,\n", "text_length"),
        ("a.json", '{"thing": [[[[[]]]]]}', "nesting"),
        ("a.json", '{"thing": [{"id": [[[]]], "n": 1, "t": ""}]}', "nesting"),
        ("thing.jsonl", '{"id": "a", "n": [[[[[]]]]], "t": ""}', "nesting"),
    ],
)
def test_a_limit_that_is_hit_is_named(file: str, content: str, limit: str) -> None:
    write(Path(file), content)
    problems = refused(file, relations=THING, limits=SMALL_LIMITS)
    assert f"`{limit}`" in problems[0].message
    assert f"--limit {limit}=" in str(problems[0].help)
    assert problems[0].code == "fact-limit"


class Endless(io.RawIOBase):
    """A stream that would give one line for ever, and counts what was taken of it."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.taken += len(buffer)
        buffer[:] = b"x" * len(buffer)
        return len(buffer)


@pytest.mark.parametrize("argument", ["thing=-", "-"])
def test_a_line_without_end_is_refused_without_being_read(argument: str) -> None:
    endless = Endless()
    limits = Limits(line_bytes=1_000_000, json_bytes=1_000_000)
    problems = refused(argument, relations=THING, limits=limits, stdin=io.BufferedReader(endless))
    assert codes(problems) == ["fact-limit"]
    assert endless.taken < 4_000_000


def test_a_file_of_many_unknown_names_is_refused_soon() -> None:
    write(Path("thing.jsonl"), "".join(json.dumps({f"c{i}_{j}": 1 for j in range(3000)}) + "\n" for i in range(30)))
    write(Path("d/thing.csv"), "id," + ",".join(f"c{i}" for i in range(100_000)) + "\n")
    start = time.perf_counter()
    assert "fact-unknown-column" in codes(refused("thing.jsonl", relations=THING))
    assert "fact-unknown-column" in codes(refused("d/thing.csv", relations=THING))
    assert time.perf_counter() - start < 20


def test_messages_are_one_short_line_whatever_the_facts_hold() -> None:
    ugly = "\x1b[31m\r\n" + "x" * 5000 + "`\u202e"
    write(Path("a.json"), {"flight": [{**ROW, "category": ugly, ugly: 1, "seats": ugly}], ugly: []})
    write(Path("flight.csv"), f'"{ugly}"\n')
    for problem in refused("a.json") + refused("flight.csv"):
        for text in (problem.message, problem.help or "", problem.where or ""):
            assert text.isprintable()
            assert len(text) < 500


def test_progress_is_told_in_bytes() -> None:
    told: list[tuple[str, int, int]] = []
    path = write(Path("a.json"), {"flight": [dict(ROW)]})
    with load([path], RELATIONS, progress=lambda *args: told.append(args)):
        pass
    size = Path(path).stat().st_size
    assert told[-1] == ("a.json", size, size)


def test_the_relation_of_these_tests_has_every_type() -> None:
    assert {column.type.kind for column in FLIGHT.columns.values()} == {
        "text", "int", "decimal", "float", "bool", "date", "instant", "levels",
    }  # fmt: skip
