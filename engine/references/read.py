"""From the bytes of a reference file to typed rows, each with its line. Nothing is guessed, nothing is skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from ..facts.bad_values import BadValue
from ..facts.values import csv_converter, json_converter
from ..limits import Limits
from ..model import Reference
from .prepare import STEPS
from .table import ReferenceTable

Record = tuple[int, Mapping[str, object]]
"""The line on which a record begins, and its cells by heading: text, or None for an empty one."""

MOST_ROWS = 2_000_000
MOST_CELL = 100_000
"""Code points in one cell."""


class Unreadable(Exception):
    """The file is not what its entry says. `where` is file and line."""

    def __init__(self, message: str, where: str, help: str | None = None) -> None:
        super().__init__(message)
        self.where, self.help = where, help


def read_table(reference: Reference, path: str, data: bytes) -> ReferenceTable:
    """The rows of a file, prepared. Raises Unreadable with the line."""
    readers = {"csv": _delimited(","), "tsv": _delimited("\t"), "xlsx": _sheet, "json": _json}
    lines: list[int] = []
    columns: dict[str, list[object]] = {name: [] for name in reference.columns}
    convert = {name: _converter(reference, name) for name in reference.columns}
    steps: dict[str, list[str]] = {}
    for step in reference.prepare:
        steps.setdefault(step.column, []).append(step.name)
    for line, cells in readers[reference.format](reference, path, data):
        if len(lines) >= MOST_ROWS:
            raise Unreadable(f"more than {MOST_ROWS:,} rows, which no reference may have", f"{path}:{line}")
        found: dict[str, list[object]] = {}
        for name, heading in reference.headings.items():
            try:
                value = convert[name](cells[heading])
            except BadValue as error:
                raise Unreadable(f"`{heading}`: {error}", f"{path}:{line}", error.help) from None
            found[name] = _prepared(value, steps.get(name, ()))
        for values in product(*found.values()):
            lines.append(line)
            for name, one in zip(found, values, strict=True):
                columns[name].append(one)
    if not lines:
        raise Unreadable("the file has no row", path, "is it the right file?")
    return ReferenceTable(reference, path, tuple(lines), {name: tuple(values) for name, values in columns.items()})


def _converter(reference: Reference, name: str) -> Callable[[object], object]:
    """From a cell to a value as facts are stored; an empty cell is null whatever the type."""
    column = reference.columns[name]
    limits = Limits(text_length=MOST_CELL)
    if column.type.kind == "text":
        text = json_converter(column, limits)
        return lambda cell: text(cell) if cell else None
    typed = csv_converter(column, limits)
    return lambda cell: typed(cell) if cell else None


def _prepared(value: object, steps: Sequence[str]) -> list[object]:
    """The values that a cell stands for: one, unless a step splits it. What a step empties is null."""
    if not isinstance(value, str):
        return [value]
    texts = [value]
    for step in steps:
        texts = list(dict.fromkeys(made for text in texts for made in STEPS[step](text)))
    return [text or None for text in texts]


# -- formats ---------------------------------------------------------------------------------------------------


def _text_of(path: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Unreadable("the file is no UTF-8", f"{path}:{line}", "save it as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise Unreadable("the file holds a NUL character", f"{path}:{line}", "is it the right file?")
    return text


def _headings(reference: Reference, header: Sequence[str], where: str) -> dict[str, int]:
    """The place of each heading that is used. It is there, and once."""
    places = {}
    for name, heading in reference.headings.items():
        if header.count(heading) != 1:
            much = "is not there" if heading not in header else "stands there more than once"
            listed = ", ".join(f"`{one}`" for one in header[:20])
            raise Unreadable(f"the heading `{heading}` of the column `{name}` {much}", where, f"headings: {listed}")
        places[heading] = header.index(heading)
    return places


def _delimited(delimiter: str) -> Callable[[Reference, str, bytes], Iterator[Record]]:
    def read(reference: Reference, path: str, data: bytes) -> Iterator[Record]:
        import csv
        from io import StringIO

        text = _text_of(path, data)
        reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
        places: dict[str, int] = {}
        width, begins = 0, 1
        try:
            for number, fields in enumerate(reader):
                line, begins = begins, reader.line_num + 1
                if number == 0:
                    width, places = len(fields), _headings(reference, fields, f"{path}:1")
                elif fields and len(fields) != width:
                    message = f"{len(fields)} fields, where the header has {width}"
                    raise Unreadable(message, f"{path}:{line}", "a field with the delimiter in it needs quotes")
                elif fields:
                    yield line, {heading: fields[at] for heading, at in places.items()}
        except csv.Error as error:
            raise Unreadable(f"this is no {reference.format.upper()}: {error}", f"{path}:{begins}") from None

    return read


def _sheet(reference: Reference, path: str, data: bytes) -> Iterator[Record]:
    from .sheets import rows_of_sheet

    rows = rows_of_sheet(reference, path, data)
    header = next(rows, None)
    if header is None:
        raise Unreadable("the sheet is empty", path, "is it the right file?")
    places = _headings(reference, header[1], f"{path}, row {header[0]}")
    for number, fields in rows:
        if any(fields):
            yield number, {heading: fields[at] if at < len(fields) else "" for heading, at in places.items()}


def _json(reference: Reference, path: str, data: bytes) -> Iterator[Record]:
    from .objects import rows_of_json

    yield from rows_of_json(_text_of(path, data), path, tuple(reference.headings.values()))
