"""References: found by name, used only with the pinned hash, read to the letter, prepared as declared, looked up."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from engine.errors import UsageError
from engine.model import ValueType
from engine.references import Lookup, open_references, reference_folders
from engine.references.records import Unreadable

from .reference_reading import TEXT, read, refusal
from .references import LEVELS, fixture_vocabulary, put

WORDS: Mapping[str, tuple[str, ValueType]] = {"word": ("word", TEXT), "level": ("level", LEVELS)}


# ---- finding


def test_the_first_file_with_the_pinned_hash_is_used(tmp_path: Path) -> None:
    one, data = fixture_vocabulary()
    wrong = put(tmp_path / "wrong", one.file, data + b"more,noun,A1,,,\r\n")
    right = put(tmp_path / "right", one.file, data)
    shelf = open_references([one], [tmp_path / "none", wrong, right])
    assert shelf.problems == {}
    assert shelf.tables[one.name].path == str(right / one.file)


def test_a_file_with_another_hash_is_named_with_both_hashes(tmp_path: Path) -> None:
    one, data = fixture_vocabulary()
    flipped = data.replace(b"blimmer,noun,A1", b"blimmer,noun,A2")
    shelf = open_references([one], [put(tmp_path / "x", one.file, flipped)])
    problem = shelf.problems[one.name]
    assert (problem.code, shelf.tables) == ("reference-changed", {})
    assert one.sha256 in problem.message
    assert str(tmp_path / "x" / one.file) in problem.message
    assert "fiel reference" in (problem.help or "")


def test_what_is_nowhere_is_missing_and_every_folder_is_named(tmp_path: Path) -> None:
    one, _ = fixture_vocabulary()
    shelf = open_references([one], [tmp_path / "a", tmp_path / "b"])
    problem = shelf.problems[one.name]
    assert problem.code == "reference-missing"
    assert all(str(tmp_path / name) in (problem.help or "") for name in "ab")


@pytest.mark.parametrize("what", ["folder", "pipe", "dangling", "too large", "unreadable"])
def test_what_is_no_file_of_a_decent_size_is_never_opened(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, data = fixture_vocabulary()
    path = tmp_path / one.file
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "dangling":
        path.symlink_to(tmp_path / "nothing")
    elif what == "too large":
        monkeypatch.setattr("engine.references.shelf.MAX_BYTES", 10)
        path.write_bytes(data)
    else:
        path.write_bytes(data)
        monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    problem = open_references([one], [tmp_path]).problems[one.name]
    assert problem.code == "reference-unreadable"
    assert str(path) in (problem.where or "")


def test_every_reference_is_on_the_shelf_in_the_order_of_names(tmp_path: Path) -> None:
    one, data = fixture_vocabulary()
    put(tmp_path, one.file, data)
    several = [replace(one, name=name) for name in ("c", "a", "b")] + [replace(one, name="d", file="other.csv")]
    shelf = open_references(several, [tmp_path])
    assert list(shelf.tables) == ["a", "b", "c"]
    assert list(shelf.problems) == ["d"]


def test_folders_are_those_given_then_those_of_the_variable_then_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("FIEL_REFERENCES", os.pathsep.join(["one", "", "two", "one"]))
    own = tmp_path / "data" / "fiel" / "references"
    assert reference_folders([tmp_path]) == (tmp_path, Path("one"), Path("two"), own)
    monkeypatch.delenv("FIEL_REFERENCES")
    assert reference_folders() == (own,)
    with pytest.raises(UsageError) as caught:
        reference_folders([tmp_path / "no"])
    assert caught.value.problems[0].code == "references-folder"


# ---- reading


def test_a_csv_is_read_with_the_line_on_which_each_record_begins() -> None:
    data = b'word,level,x\r\none,A1,\r\n"two\r\nlines",B1,\r\n\r\nthree,,\r\n'
    table = read(data)
    assert table.lines == (2, 3, 6)
    assert table.columns == {"word": ("one", "two\r\nlines", "three"), "level": (1, 3, None)}


def test_a_byte_order_mark_and_any_line_end_make_no_difference() -> None:
    plain = read(b"word,level\none,A1\n")
    for data in (b"\xef\xbb\xbfword,level\none,A1\n", b"word,level\r\none,A1", b"word,level\none,A1\n\n\n"):
        assert read(data).columns == plain.columns


def test_a_tsv_is_separated_by_tabs() -> None:
    table = read(b"word\tlevel\none, two\tA2\n", format="tsv")
    assert table.columns == {"word": ("one, two",), "level": (2,)}


@pytest.mark.parametrize(
    ("data", "says", "line"),
    [
        (b"", "the file is empty", 1),
        (b"\xef\xbb\xbf", "the file is empty", 1),
        (b"word,level\n", "there are headings and no rows", 1),
        (b"word,levl\none,A1\n", "there is no heading `level`", 1),
        (b"Word,level\none,A1\n", "there is no heading `word`", 1),
        (b"word,level,level\none,A1,A2\n", "the heading `level` stands 2 times", 1),
        (b"word,level\none,A1\ntwo\n", "1 field, and there are 2 headings", 3),
        (b"word,level\none,A1,\n", "3 fields, and there are 2 headings", 2),
        (b"word,level\none,A1\ntwo,B3\n", "column `level`: `B3` is not among the declared values", 3),
        (b"word,level\none, A1\n", "column `level`: ` A1` is not among the declared values", 2),
        (b'word,level\n"one,A1\ntwo,A2\n', "the file ends inside a quoted field", 2),
        (b'word,level\n"one"x,A1\n', "no CSV", 2),
        (b"word,level\none\rtwo,A1\n", "a bare carriage return", 2),
        (b"word,level\none,A1\ntw\0o,A1\n", "a NUL", 3),
        (b"word,level\none,A1\n\nt\xe9,A1\n", "the byte 0xe9 is no UTF-8", 4),
        ("word,level\none,A1\n".encode("utf-16"), "a NUL", 1),
        (b"word,level\n" + b"x" * 200_000 + b",A1\n", "a field is longer than", 2),
    ],
)
def test_what_would_make_a_cell_uncertain_is_refused_with_its_line(data: bytes, says: str, line: int) -> None:
    message, found = refusal(data)
    assert says in message
    assert found == line


def test_numbers_days_and_truth_values_are_read_as_facts_are() -> None:
    columns = {
        "word": ("w", TEXT),
        "n": ("n", ValueType("int")),
        "d": ("d", ValueType("decimal", 5, 2)),
        "day": ("day", ValueType("date")),
        "ok": ("ok", ValueType("bool")),
    }
    table = read(b"w,n,d,day,ok\na,7,1.5,2026-01-31,true\nb,,,,\n", columns=columns)
    assert {name: values[0] for name, values in table.columns.items()} == {
        "word": "a", "n": 7, "d": "1.50", "day": "2026-01-31", "ok": True,
    }  # fmt: skip
    assert {values[1] for name, values in table.columns.items() if name != "word"} == {None}
    assert Lookup(table).look({"word": "a"}, "d").value == "1.50"
    assert Lookup(table).look({"word": "a"}, "ok").value == "true"


def test_json_is_a_list_of_objects_with_the_line_of_each() -> None:
    data = b'[\n {"word": "one", "level": "A1", "more": [1, {"x": 2}]},\n\n {"level": null,\n  "word": "two"}\n]\n'
    table = read(data, format="json")
    assert (table.lines, table.columns) == ((2, 4), {"word": ("one", "two"), "level": (1, None)})


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ('{"word": "one"}', "a list of objects was expected", 1),
        ("[]", "the list is empty", 1),
        ('[{"word": "one", "level": "A1"}', "`,` or `]` was expected", 1),
        ('[{"word": "one", "level": "A1"},]', "no JSON", 1),
        ('[{"word": "one", "level": "A1"}] x', "something stands after the list", 1),
        ('[\n{"word": "one", "word": "two", "level": "A1"}]', "`word` stands twice", 2),
        ('[\n{"word": "a", "level": "A1"},\n{"word": "one"}]', "there is no `level`", 3),
        ('[\n{"word": 1, "level": "A1"}]', "column `word`: the number `1`", 2),
        ('[\n\n["one", "A1"]]', "an entry of the list is no object", 3),
        ('[\n{"word": "one", "level": "A1", "x": ' + "[" * 100_000 + "}", "nested too deeply", 2),
        ('[{"word": "\\ud800", "level": "A1"}]', "a lone surrogate", 1),
    ],
)
def test_json_that_is_uncertain_is_refused_with_its_line(text: str, says: str, line: int) -> None:
    message, found = refusal(text.encode(), format="json")
    assert says in message
    assert found == line


def sheet(*rows: tuple[object, ...], more: str | None = None) -> bytes:
    book = Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(list(row))
    if more:
        book.create_sheet(more).append(["word", "level"])
        book[more].append(["other", "C2"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_sheet_is_read_with_the_number_of_each_row() -> None:
    data = sheet(("word", "level", None, "n"), ("one", "A1", "x", 3), (), ("two", None, None, 4.5))
    columns = {**WORDS, "n": ("n", ValueType("decimal", 5, 1))}
    table = read(data, columns=columns, format="xlsx")
    assert table.lines == (2, 4)
    assert table.columns == {"word": ("one", "two"), "level": (1, None), "n": ("3.0", "4.5")}


def test_a_sheet_is_read_to_its_end_whatever_it_says_of_its_size() -> None:
    def shrunk(part: bytes) -> bytes:
        return part.replace(b'ref="A1:B4"', b'ref="A1:B2"')

    data = sheet(("word", "level"), ("one", "A1"), ("two", "A2"), ("three", "B1"))
    lying = changed_parts(data, "xl/worksheets/sheet1.xml", shrunk)
    assert lying != data
    assert read(lying, format="xlsx").columns["word"] == ("one", "two", "three")


def test_a_day_of_a_sheet_is_read_where_a_date_is_declared() -> None:
    data = sheet(("word", "day"), ("one", date(2026, 1, 31)), ("two", datetime(2026, 1, 31, 12)))
    columns = {"word": ("word", TEXT), "day": ("day", ValueType("date"))}
    message, row = refusal(data, columns=columns, format="xlsx")
    assert (message[:17], row) == ("a day with a time", 3)
    good = sheet(("word", "day"), ("one", date(2026, 1, 31)))
    assert read(good, columns=columns, format="xlsx").columns["day"] == ("2026-01-31",)


def test_a_sheet_is_named_where_there_are_several() -> None:
    data = sheet(("word", "level"), ("one", "A1"), more="C levels")
    assert "the file has 2 sheets" in refusal(data, format="xlsx")[0]
    assert "there is no sheet `C level`" in refusal(data, format="xlsx", sheet="C level")[0]
    assert read(data, format="xlsx", sheet="C levels").columns["word"] == ("other",)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("=1+1", "a formula"),
        ("#N/A", "an error"),
        (5, "column `word`: the number `5`"),
        (True, "column `word`: `true`, a bool"),
        (date(2026, 1, 1), "a day or a time"),
    ],
)
def test_a_cell_of_a_sheet_that_is_no_plain_text_is_no_text(value: object, says: str) -> None:
    message, row = refusal(sheet(("word", "level"), ("one", "A1"), (value, "A1")), format="xlsx")
    assert says in message
    assert row == 3


def changed_parts(data: bytes, name: str, change: Any) -> bytes:
    """A ZIP with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for part in before.infolist():
            content = before.read(part)
            after.writestr(part.filename, change(content) if part.filename == name else content)
    return out.getvalue()


def test_a_sheet_that_grows_when_it_is_unpacked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.references.xlsx.UNPACKED_BYTES", 1_000_000)
    bomb = changed_parts(sheet(("word", "level"), ("one", "A1")), "xl/theme/theme1.xml", lambda _: b" " * 2_000_000)
    assert len(bomb) < 50_000
    assert "more than the limit" in refusal(bomb, format="xlsx")[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_sheet_with_entities_is_refused(encoding: str) -> None:
    def with_type(part: bytes) -> bytes:
        text = part.decode("utf-8").split("?>", 1)[-1]
        head = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY a "A1">]>'
        return (head + text).encode(encoding)

    data = changed_parts(sheet(("word", "level"), ("one", "A1")), "xl/worksheets/sheet1.xml", with_type)
    assert "has a document type" in refusal(data, format="xlsx")[0]


SHEET = sheet(("word", "level"), ("one", "A1"))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["csv", "tsv", "json", "xlsx"]), st.data())
def test_no_bytes_whatever_end_in_anything_but_a_table_or_a_refusal(format: str, data: st.DataObject) -> None:
    good = {
        "csv": b"word,level\none,A1\ntwo,B1\n",
        "tsv": b"word\tlevel\none\tA1\n",
        "json": b'[{"word": "one", "level": "A1"}]',
        "xlsx": SHEET,
    }[format]
    at = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(at, min(len(good), at + 40)))
    broken = good[:at] + data.draw(st.binary(max_size=8)) + good[end:]
    try:
        table = read(broken, format=format)
    except Unreadable:
        return
    assert len(table.lines) == len(table.columns["word"]) > 0
