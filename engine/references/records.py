"""From the bytes of a reference to records: the line on which each begins, and the raw cell of every column used.

CSV and TSV are read by the standard library's strict reader, JSON as a list of flat objects. Publishers' files have
blanks, empty lines and columns that nobody asked for; those are taken as they are. What would make a cell ambiguous
(a repeated heading, a ragged row, a repeated key of JSON) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from ..errors import did_you_mean
from ..facts.bad_values import shown
from ..facts.values import FloatText, IntText, NotANumber
from ..model import Reference
from .prepare import Cells

Record = tuple[int, Cells]
_WHITE = re.compile(r"[ \t\r\n]*")


class Unreadable(Exception):
    """The bytes are not what the declaration says. `line` (of XLSX: row) is from 1, None for the whole file."""

    def __init__(self, message: str, line: int | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.help = message, line, help


def records(data: bytes, reference: Reference) -> Iterator[Record]:
    """The records of a reference in the order of its file. Raises `Unreadable`."""
    if reference.format == "xlsx":
        from .xlsx import xlsx_records

        return xlsx_records(data, reference)
    if reference.format == "json":
        return _json_records(text_of(data), reference)
    return _csv_records(text_of(data), reference, "\t" if reference.format == "tsv" else ",")


def headings(data: bytes, format: str) -> Sequence[str]:
    """The first line of a table, or the names in the first object of a list. Raises `Unreadable`."""
    if format == "xlsx":
        from .xlsx import xlsx_headings

        return xlsx_headings(data)
    if format == "json":
        _, record = next(_json_objects(text_of(data)), (0, None))
        return list(record) if isinstance(record, dict) else []
    _, header = next(csv_rows(text_of(data), "\t" if format == "tsv" else ","), (1, []))
    return header


def text_of(data: bytes) -> str:
    """UTF-8 with or without a byte order mark. Raises `Unreadable` for anything else, and for a NUL."""
    at = data.find(b"\0")
    if at >= 0:
        help = "save the file as UTF-8; a file with NULs may be UTF-16, or no text at all"
        raise Unreadable("a NUL, which no text file holds", data.count(b"\n", 0, at) + 1, help)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"the byte {data[error.start]:#04x} is no UTF-8"
        raise Unreadable(message, line, "save the file as UTF-8, and pin that file") from None


def columns_at(header: Sequence[str], reference: Reference) -> dict[str, int]:
    """Where each column stands among the headings. Raises `Unreadable` if one is missing or stands twice."""
    at = {}
    for name, heading in reference.headings.items():
        if heading not in header:
            help = did_you_mean(heading, [one for one in header if one], "headings")
            raise Unreadable(f"there is no heading {shown(heading)} for the column `{name}`", 1, help)
        if header.count(heading) > 1:
            message = f"the heading {shown(heading)} stands {header.count(heading)} times"
            raise Unreadable(message, 1, "nobody can say which of them is meant; rename one, and pin that file")
        at[name] = header.index(heading)
    return at


def _csv_records(text: str, reference: Reference, delimiter: str) -> Iterator[Record]:
    rows = csv_rows(text, delimiter)
    _, header = next(rows, (1, []))
    if not header:
        raise Unreadable("the file is empty, and headings were expected", 1)
    at = columns_at(header, reference)
    for line, fields in rows:
        if len(fields) != len(header):
            message = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}, and there are {len(header)} headings"
            raise Unreadable(message, line, "put a text that holds the separator in quotes")
        yield line, {name: fields[place] or None for name, place in at.items()}


def csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row but empty lines, with the line on which it begins."""
    import csv

    reader = csv.reader(StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Unreadable(f"no {_named(delimiter)}: {_reason(str(error))}", line) from None
        if fields:
            yield line, fields


def _named(delimiter: str) -> str:
    return "TSV" if delimiter == "\t" else "CSV"


def _reason(said: str) -> str:
    """The words of the standard library for what people know by other names."""
    if "new-line character" in said:
        return "a bare carriage return stands outside quotes"
    if "unexpected end of data" in said:
        return "the file ends inside a quoted field"
    if "field larger" in said:
        import csv

        return f"a field is longer than {csv.field_size_limit()} characters"
    return said.replace("'", "`")


def _json_records(text: str, reference: Reference) -> Iterator[Record]:
    """The objects of a list, each with the line of its brace."""
    line = at = 0
    seen = 0
    for start, record in _json_objects(text):
        line, at = line + text.count("\n", at, start), start
        seen += 1
        if not isinstance(record, dict):
            raise Unreadable("an entry of the list is no object", line + 1, "each row is an object: heading to value")
        yield line + 1, _json_cells(record, line + 1, reference)
    if not seen:
        raise Unreadable("the list is empty, and rows were expected", 1)


def _json_cells(record: Mapping[str, object], line: int, reference: Reference) -> Cells:
    for name, heading in reference.headings.items():
        if heading not in record:
            help = did_you_mean(heading, record, "headings") + "; what is empty is written `null`"
            raise Unreadable(f"there is no {shown(heading)} for the column `{name}`", line, help)
    cells = {name: record[heading] for name, heading in reference.headings.items()}
    return {name: None if cell == "" else cell for name, cell in cells.items()}


def _json_objects(text: str) -> Iterator[tuple[int, object]]:
    """Each entry of the list that a document is, and where it begins."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_once, parse_int=IntText, parse_float=FloatText, parse_constant=NotANumber
    )
    at = _after(text, 0)
    if text[at : at + 1] != "[":
        raise Unreadable("a list of objects was expected", 1, 'write `[{"heading": "value", …}, …]`')
    at = _after(text, at + 1)
    while text[at : at + 1] != "]" or _before(text, at) == ",":
        start = at
        value, at = _decoded(decoder, text, start)
        yield start, value
        at = _after(text, at)
        if text[at : at + 1] == ",":
            at = _after(text, at + 1)
        elif text[at : at + 1] != "]":
            raise Unreadable("no JSON: `,` or `]` was expected after a row", _line(text, at))
    if _after(text, at + 1) < len(text):
        raise Unreadable("no JSON: something stands after the list", _line(text, _after(text, at + 1)))


def _decoded(decoder: json.JSONDecoder, text: str, start: int) -> tuple[object, int]:
    try:
        return decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise Unreadable(f"no JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno) from None
    except Unreadable as error:
        raise Unreadable(error.message, _line(text, start), error.help) from None
    except RecursionError:
        raise Unreadable("the value is nested too deeply", _line(text, start), "a row is flat") from None


def _once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise Unreadable(f"{shown(key)} stands twice in one object", help="keep one of the two, and pin that file")
        found[key] = value
    return found


def _after(text: str, at: int) -> int:
    """The first place from `at` on that is no white space."""
    found = _WHITE.match(text, at)
    assert found is not None
    return found.end()


def _before(text: str, at: int) -> str:
    """The last character before `at` that is no white space."""
    return text[:at].rstrip()[-1:] if at else ""


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
