"""JSON and JSON Lines, a row at a time, so that every error has its row and line."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator

from ..frozen import replace
from ..limits import Limits
from .bad_values import shown
from .bytes_in import HashedBytes, Stop, limit_problem, lines_of, read_blocks, read_text
from .chunk import CHUNK, Chunk
from .findings import Findings, Spot
from .json_slips import SPREAD, expected_sign, is_document, wrong_shape
from .json_text import SPACE, Malformed, RepeatedEntry, decode, depth, scan

# --- JSON Lines ------------------------------------------------------------------------------------------------------


def read_json_lines(
    stream: HashedBytes,
    relation: str,
    file: str,
    limits: Limits,
    findings: Findings,
    take: Callable[[int, bytes], int] | None = None,
) -> Iterator[Chunk]:
    """The rows of a JSON Lines stream, in chunks, one at least. Each line holds one object. Raises `Stop`.

    `take(first line, block)` may store the rows of a block of lines at once, and gives their number, or 0; then the
    chunk is an empty one.
    """
    first = 1
    for first, block in read_blocks(stream, file, findings, limits.file_bytes, limits.line_bytes):
        count = take(first, block) if take is not None else 0
        if count:
            yield Chunk(relation, first + count, range(0), [])
        else:
            yield from _rows_of_lines(first, block, relation, file, limits, findings)
    if first == 1:
        yield Chunk(relation, 1, range(1, 1), [], depth=1)


def _rows_of_lines(
    first: int, block: bytes, relation: str, file: str, limits: Limits, findings: Findings
) -> Iterator[Chunk]:
    rows: list[dict[str, object]] = []
    broken: set[int] = set()
    try:
        for number, text in lines_of(first, block, file, findings, limits.line_bytes):
            row = None if text is None else row_of_line(text, Spot(file, number, number), limits, findings)
            if row is None:
                broken.add(len(rows))
                row = {}
            rows.append(row)
            if len(rows) == CHUNK:
                yield Chunk(relation, first, range(first, number + 1), rows, frozenset(broken), depth=1)
                rows, broken, first = [], set(), number + 1
    except Stop:
        # What was read so far still has its problems listed with the rest.
        yield Chunk(relation, first, range(first, first + len(rows)), rows, frozenset(broken), depth=1)
        raise
    if rows:
        yield Chunk(relation, first, range(first, first + len(rows)), rows, frozenset(broken), depth=1)


def row_of_line(text: str, spot: Spot, limits: Limits, findings: Findings) -> dict[str, object] | None:
    """The row of a line, or None and a problem. Raises `Stop` if the line begins a JSON document."""
    row: dict[str, object] | None
    try:
        row, end = scan(text, 0)
        if type(row) is not dict or text[end:] not in ("\n", "", "\r\n"):
            row = _line(text, spot, limits, findings)
    except (StopIteration, ValueError, RecursionError):
        row = _line(text, spot, limits, findings)
    if spot.line == 1 and row and is_document(row):
        _document_problem(replace(spot, row=0), findings)
    return row


def _line(text: str, spot: Spot, limits: Limits, findings: Findings) -> dict[str, object] | None:
    """The row of a line that is not plainly one: with spaces around it, or wrong."""
    start = _end_of_space(text, 0)
    if start == len(text):
        findings.fact_problem("fact-json", spot, "an empty line, and each line holds one row", "take the line out")
        return None
    try:
        row, end = decode(text, start)
    except Malformed as error:
        if spot.line == 1 and text.endswith("\n") and SPREAD.fullmatch(text):
            _document_problem(spot, findings)
        _malformed(error, replace(spot, at=error.offset + 1), findings, limits)
        return None
    rest = _end_of_space(text, end)
    if rest != len(text):
        extra = shown(text[rest : rest + 20].rstrip())
        findings.fact_problem(
            "fact-json", replace(spot, at=rest + 1), f"{extra} follows the row", "put one object on each line"
        )
        return None
    return _row(row, spot, limits, findings, depth_above=0)


def _document_problem(spot: Spot, findings: Findings) -> None:
    """Adds the problem of a JSON document that has the name of JSON Lines. Raises `Stop`: no line of it is a row."""
    help = 'a document `{"relation": [rows]}` is a `.json` file: rename it'
    if spot.file == "-":
        help = 'a document `{"relation": [rows]}` goes in by `--facts -`'
    findings.fact_problem("fact-json", spot, "a document, and JSON Lines has one whole row on each line", help)
    raise Stop


def _row(value: object, spot: Spot, limits: Limits, findings: Findings, depth_above: int) -> dict[str, object] | None:
    """The value if it is an object fit to be a row, else None and a problem."""
    if depth_above + depth(value) > limits.nesting:
        limit_problem(findings, spot, "nesting", limits.nesting, "the row nests too many levels")
    elif isinstance(value, RepeatedEntry):
        findings.fact_problem(
            "fact-repeated-entry", spot, f"{shown(value.entry)} is written twice in one object", "keep one of the two"
        )
    elif not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "no object"
        findings.fact_problem("fact-json", spot, f"a row is {kind}", 'a row is written `{"column": value, …}`')
    else:
        return value
    return None


def _malformed(error: Malformed, spot: Spot, findings: Findings, limits: Limits) -> None:
    if error.nested:
        limit_problem(findings, spot, "nesting", limits.nesting, "the text nests too many levels")
    else:
        findings.fact_problem("fact-json", spot, f"no JSON: {error.message}", error.help)


def _end_of_space(text: str, offset: int) -> int:
    found = SPACE.match(text, offset)
    return found.end() if found else offset


# --- JSON ------------------------------------------------------------------------------------------------------------


class _Document:
    """A cursor over `{"relation": [row, …], …}`. Every problem it adds is the last: there is no way on after one."""

    def __init__(self, text: str, file: str, limits: Limits, findings: Findings) -> None:
        self.text, self.file, self.limits, self.findings = text, file, limits, findings
        self.at = 0
        self._line_ends: array[int] | None = None

    def line(self, offset: int) -> int:
        """The line of an offset, from 1. The index of the lines is made when first asked for."""
        if self._line_ends is None:
            self._line_ends = array("Q", (found.start() for found in re.finditer("\n", self.text)))
        return bisect_right(self._line_ends, offset - 1) + 1

    def stop(self, message: str, help: str | None = None, row: int = 0) -> Stop:
        """The exception to raise after adding a problem at the cursor."""
        line_start = self.text.rfind("\n", 0, self.at) + 1
        spot = Spot(self.file, row, self.line(self.at), at=self.at - line_start + 1)
        self.findings.fact_problem("fact-json", spot, message, help)
        return Stop()

    def next(self) -> str:
        """The next character that is no space, or "" at the end."""
        self.at = _end_of_space(self.text, self.at)
        return self.text[self.at : self.at + 1]

    def expect(self, sign: str, what: str, help: str | None = None, row: int = 0) -> None:
        """Moves over one character, or raises `Stop`."""
        found = self.next()
        if found != sign:
            known = expected_sign(self.text, self.at, sign)
            if known is not None:
                raise self.stop(f"no JSON: {known[0]}", known[1], row)
            got = f"{shown(self.text[self.at : self.at + 20])} stands" if found else "the file ends"
            raise self.stop(f"{what} was expected, and {got}", help, row)
        self.at += 1

    def value(self, row: int = 0) -> object:
        """The value at the cursor, or `Stop`."""
        try:
            value, end = decode(self.text, self.at)
        except Malformed as error:
            self.at = error.offset
            if error.nested:
                spot = Spot(self.file, row, self.line(self.at))
                limit_problem(self.findings, spot, "nesting", self.limits.nesting, "the text nests too many levels")
                raise Stop from None
            raise self.stop(f"no JSON: {error.message}", error.help, row) from None
        self.at = end
        return value

    def refuse_shape(self, relation: str) -> None:
        """Raises `Stop` where the list of rows of a relation was expected and something else stands."""
        try:
            whole, end = decode(self.text, _end_of_space(self.text, 0))
        except Malformed:
            known = None
        else:
            known = wrong_shape(whole, self.text.startswith("{", _end_of_space(self.text, end)), relation, self.file)
        if known is not None:
            raise self.stop(*known)
        self.expect("[", f"a list of rows for {shown(relation)}", "a relation without rows is written `[]`")


def read_json(stream: HashedBytes, file: str, limits: Limits, findings: Findings) -> Iterator[Chunk]:
    """The rows of a JSON document, in chunks; a relation without rows gives one empty chunk. Raises `Stop`."""
    text = read_text(stream, file, findings, ("json_bytes", limits.json_bytes))
    document = _Document(text, file, limits, findings)
    shape = 'a file of facts is written `{"relation": [rows]}`'
    if not document.next():
        raise document.stop("the file is empty", shape)
    if document.next() == "[":
        raise document.stop("a list, and an object was expected", 'write `{"relation": [rows]}`, with its name')
    document.expect("{", "an object", shape)
    seen: set[str] = set()
    while True:
        if document.next() == "}" and not seen:
            raise document.stop(
                "the file names no relation", f'{shape}; nobody having looked and `"relation": []` differ'
            )
        if document.next() != '"':
            document.expect('"', "the name of a relation in double quotes")
        name = document.value()
        assert isinstance(name, str)
        if name in seen:
            spot = Spot(file, 0, document.line(document.at))
            findings.fact_problem(
                "fact-repeated-entry", spot, f"the relation {shown(name)} is written twice", "put its rows in one list"
            )
            raise Stop
        seen.add(name)
        document.expect(":", "`:`")
        yield from _rows_of(document, name)
        if document.next() != ",":
            break
        document.at += 1
    document.expect("}", "`,` or `}`")
    if document.next():
        help = "one object holds all relations, each with the list of its rows"
        raise document.stop(f"{shown(text[document.at : document.at + 20])} follows the end of the facts", help)


def _rows_of(document: _Document, relation: str) -> Iterator[Chunk]:
    """The list of rows at the cursor, in chunks. One chunk at least, so that an empty relation is seen."""
    if document.next() != "[":
        document.refuse_shape(relation)
    document.at += 1
    rows: list[dict[str, object]] = []
    offsets: list[int] = []
    broken: set[int] = set()
    first = 1

    def chunk() -> Chunk:
        return Chunk(relation, first, array("Q", map(document.line, offsets)), rows, frozenset(broken), depth=3)

    try:
        more = document.next() != "]"
        while more:
            document.next()
            start, row_number = document.at, first + len(rows)
            value = document.value(row_number)
            if type(value) is not dict or document.at - start > document.limits.line_bytes:
                value = _row_of_document(document, value, start, row_number)
            offsets.append(start)
            if value is None:
                broken.add(len(rows))
            rows.append(value or {})
            if len(rows) == CHUNK:
                yield chunk()
                first, rows, offsets, broken = first + len(rows), [], [], set()
            more = document.next() == ","
            document.at += more
        document.expect("]", "`,` or `]`", row=first + len(rows) - 1)
    except Stop:
        yield chunk()
        raise
    yield chunk()


def _row_of_document(document: _Document, value: object, start: int, row: int) -> dict[str, object] | None:
    spot = Spot(document.file, row, document.line(start))
    if document.at - start > document.limits.line_bytes:
        limit_problem(document.findings, spot, "line_bytes", document.limits.line_bytes, "the row has too many bytes")
        return None
    return _row(value, spot, document.limits, document.findings, depth_above=2)


_NAME = re.compile(r'[ \t\n\r]*[{,][ \t\n\r]*"([a-z][a-z0-9_]{0,62})"[ \t\n\r]*:[ \t\n\r]*\[')
_ROWS = re.compile(r'(?:[^"\]]++|"(?:[^"\\]++|\\.)*+")*+\]')


def relation_names(text: str) -> Iterator[str]:
    """The relations that a document seems to bring, found without reading its rows; stops where it is not plain JSON.

    Only good for choosing packs: the reader says what is wrong.
    """
    at = 0
    while found := _NAME.match(text, at):
        yield found.group(1)
        rows = _ROWS.match(text, found.end())
        if rows is None:
            return
        at = rows.end()
