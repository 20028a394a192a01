"""CSV as RFC 4180 has it, read as a stream. A quoted field and an unquoted one are told apart: `""` is no null.

Own reader, because the libraries at hand repair what they should refuse (ragged rows, stray quotes, a bare carriage
return) or forget which fields were quoted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..frozen import dataclass
from ..limits import Limits
from .bytes_in import HashedBytes, Stop, limit_problem, read_lines
from .chunk import CHUNK, Chunk
from .csv_header import check_header
from .findings import Findings, Spot

Fields = list[str | None]
"""The fields of a record. None is an empty field without quotes."""


class _Refused(Exception):
    """A record that is no CSV. `blanks` if the reason is that blanks stand before a quote."""

    def __init__(self, message: str, blanks: bool = False) -> None:
        super().__init__(message)
        self.blanks = blanks


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The patterns of fields for one delimiter. Possessive, so that no text makes them slow."""

    delimiter: str
    field: re.Pattern[str]
    open_record: re.Pattern[str]

    @classmethod
    def of(cls, delimiter: str) -> _Grammar:
        sign = re.escape(delimiter)
        quoted, plain = r'"(?:[^"]++|"")*+"', rf'[^"{sign}\r\n]*+'
        return cls(
            delimiter,
            re.compile(rf'"((?:[^"]++|"")*+)"|({plain})'),
            re.compile(rf'(?:(?:{quoted}|{plain}){sign})*+"(?:[^"]++|"")*+\Z'),
        )

    def fields(self, record: str) -> Fields:
        """The fields of a record without its line end. Raises `_Refused`."""
        if '"' not in record:
            if "\r" in record:
                raise _Refused("a bare carriage return stands outside quotes")
            return [field or None for field in record.split(self.delimiter)]
        fields: Fields = []
        at = 0
        while True:
            found = self.field.match(record, at)
            assert found is not None
            quoted, plain = found.groups()
            fields.append(quoted.replace('""', '"') if quoted is not None else plain or None)
            at = found.end()
            if at == len(record):
                return fields
            if record[at] != self.delimiter:
                blanks = (plain or " ").isspace() and (record[at] == '"' or record[at].isspace())
                raise _Refused(self._what_is_wrong(record[at], quoted is not None, len(fields)), blanks)
            at += 1

    @staticmethod
    def _what_is_wrong(sign: str, quoted: bool, number: int) -> str:
        if quoted:
            return f"field {number} goes on after its closing quote"
        if sign == '"':
            return f"a quote stands in field {number}, which does not begin with one"
        return "a bare carriage return stands outside quotes"


def read_csv(
    stream: HashedBytes,
    relation: str,
    file: str,
    limits: Limits,
    findings: Findings,
    delimiter: str = ",",
    columns: Collection[str] = (),
) -> Iterator[Chunk]:
    """The rows of a CSV stream, in chunks, one at least. Raises `Stop` when the file cannot be read on.

    `columns` are the declared ones, to tell a header from values.
    """
    records = _records(stream, file, limits, findings, _Grammar.of(delimiter))
    header = _header(next(records, None), file, columns, delimiter, findings)
    rows: list[dict[str, object]] = []
    lines: list[int] = []
    broken: set[int] = set()
    first = 1
    try:
        for line, fields in records:
            if fields is not None and len(fields) != len(header):
                spot = Spot(file, first + len(rows), line)
                findings.fact_problem(
                    "fact-csv",
                    spot,
                    f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}, and the header has {len(header)}",
                    f"put a text that holds `{delimiter}` in quotes",
                )
                fields = None
            if fields is None:
                broken.add(len(rows))
            rows.append(dict(zip(header, fields, strict=True)) if fields is not None else {})
            lines.append(line)
            if len(rows) == CHUNK:
                yield Chunk(relation, first, lines, rows, frozenset(broken), header)
                first, rows, lines, broken = first + len(rows), [], [], set()
    except Stop:
        yield Chunk(relation, first, lines, rows, frozenset(broken), header)
        raise
    yield Chunk(relation, first, lines, rows, frozenset(broken), header)


def _header(
    record: tuple[int, Fields | None] | None, file: str, columns: Collection[str], delimiter: str, findings: Findings
) -> tuple[str, ...]:
    """The names of the first record, each once. Raises `Stop`."""
    if record is None:
        help = "the first line must name the columns"
        findings.fact_problem("fact-csv", Spot(file), "the file is empty, and a header was expected", help)
        raise Stop
    line, fields = record
    if fields is None:
        raise Stop
    names = tuple(name or "" for name in fields)
    check_header(names, Spot(file, 0, line), columns, delimiter, findings)
    return names


def _records(
    stream: HashedBytes, file: str, limits: Limits, findings: Findings, grammar: _Grammar
) -> Iterator[tuple[int, Fields | None]]:
    """(line on which it begins, fields) of each record; None for one that is refused, its problem added.

    A record goes on while its quotes are odd in number. A line that cannot begin such a record is refused at once,
    so that a stray quote does not swallow the rest of the file.
    """
    begun: list[str] = []
    told: list[Spot] = []
    start = row = size = 0
    for number, text in read_lines(stream, file, findings, limits.file_bytes, limits.line_bytes):
        if not begun:
            start, size = number, 0
            if text is not None and text.count('"') % 2 and grammar.open_record.match(text):
                begun = [text]
                continue
        elif text is not None:
            begun.append(text)
            size += len(text)
            if size > limits.line_bytes:
                limit_problem(
                    findings,
                    Spot(file, row, start),
                    "line_bytes",
                    limits.line_bytes,
                    "a quoted field makes the record too long",
                )
                raise Stop
            if text.count('"') % 2 == 0:
                continue
            text = "".join(begun)
        begun = []
        if text is not None and not text.endswith("\n"):
            # A value that was cut is another value: `31` without its last digit passes where it failed.
            message = "the last line has no line end: the file may have been cut off"
            findings.fact_problem(
                "fact-csv", Spot(file, row, start), message, "if it is whole, end it with a line feed"
            )
            text = None
        yield start, _fields(text, Spot(file, row, start), findings, grammar, told) if text is not None else None
        row += 1
    if begun:
        findings.fact_problem(
            "fact-csv",
            Spot(file, row, start),
            "the file ends inside a quoted field",
            "close the quote; one that belongs to the text is written twice",
        )
        yield start, None


def _fields(text: str, spot: Spot, findings: Findings, grammar: _Grammar, told: list[Spot]) -> Fields | None:
    record = text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
    if not record:
        findings.fact_problem("fact-csv", spot, "an empty line, and each line holds one row", "take the line out")
    elif "\0" in record:
        findings.fact_problem(
            "fact-csv", spot, "a NUL, which CSV does not hold", "use JSON for a text with U+0000 in it"
        )
    else:
        try:
            return grammar.fields(record)
        except _Refused as refused:
            help = "put the field in quotes, and write a quote inside it twice"
            if refused.blanks:
                if told:  # one slip of a writer, made in every row
                    return None
                told.append(spot)
                help = "blanks beside the separator; take them away"
            findings.fact_problem("fact-csv", spot, str(refused), help)
    return None
