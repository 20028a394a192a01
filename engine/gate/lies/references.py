"""Lies told in a reference file: only cells that are shown are changed, each the only one with its key."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO

from ...lang.typed import look_ups_in
from ...references import Lookup
from .lie import Ground, Lie, ReferenceChange
from .pages import marks_of
from .words import look_alikes, neighbours, turned


@dataclass(frozen=True, order=True)
class ShownCell:
    """A cell of a reference that a page or a row of facts shows: the line of its file, and the column."""

    reference: str
    line: int
    column: str
    value: str


def shown_cells(ground: Ground) -> list[ShownCell]:
    """The cells that are shown, sorted, of delimited files, each the only one with its key in any reference asked."""
    found: set[ShownCell] = set()
    for mark in marks_of(ground):
        lookup = ground.lookups.get(mark.reference)
        if lookup is not None and mark.key is not None and mark.column and not mark.is_quote:
            found |= _cell(lookup, dict(mark.key), mark.column)
    for fact in ground.facts:
        for node in look_ups_in(fact.checked.must) if fact.official else ():
            values = [fact.columns[one.name] for one in node.keys]
            for cells in node.cells:
                lookup = ground.lookups.get(cells.reference)
                if lookup is not None and (
                    cell := _cell(lookup, dict(zip(cells.keys, values, strict=True)), cells.column)
                ):
                    found |= cell
                    break
    return sorted(one for one in found if ground.lookups[one.reference].table.reference.format in ("csv", "tsv"))


def _cell(lookup: Lookup, key: Mapping[str, str | None], column: str) -> set[ShownCell]:
    answer = lookup.look(key, column)
    if answer.kind != "found" or answer.value is None or answer.line is None or len(answer.cells) > 1:
        return set()
    return {ShownCell(lookup.table.reference.name, answer.line, column, answer.value)}


class _File:
    """A delimited file whose records are lines. `edited` gives its bytes with one line changed."""

    def __init__(self, ground: Ground, name: str) -> None:
        self.path, data = ground.references[name]
        self.reference = ground.lookups[name].table.reference
        self.text = data.decode("utf-8-sig")
        self.end = "\r\n" if "\r\n" in self.text else "\n"
        self.lines = self.text.split(self.end)
        self.delimiter = "\t" if self.reference.format == "tsv" else ","
        self.header = self._fields(1)

    def _fields(self, line: int) -> list[str]:
        return next(csv.reader([self.lines[line - 1]], delimiter=self.delimiter))

    def is_line(self, cell: ShownCell) -> bool:
        """Whether the record stands on one line, as it is told here."""
        return cell.line <= len(self.lines) and len(self._fields(cell.line)) == len(self.header)

    def with_field(self, line: int, column: str, value: str) -> list[str]:
        """The fields of a line with one changed."""
        fields = self._fields(line)
        fields[self.header.index(self.reference.headings[column])] = value
        return fields

    def edited(self, line: int, *records: list[str]) -> bytes:
        """The file with these records in place of a line."""
        written = []
        for record in records:
            out = StringIO()
            csv.writer(out, delimiter=self.delimiter, lineterminator="").writerow(record)
            written.append(out.getvalue())
        return self.end.join([*self.lines[: line - 1], *written, *self.lines[line:]]).encode("utf-8")

    def fields(self, line: int) -> list[str]:
        return self._fields(line)


def _files(ground: Ground) -> dict[str, _File]:
    return {name: _File(ground, name) for name in sorted({cell.reference for cell in shown_cells(ground)})}


def _cells(ground: Ground) -> Iterator[tuple[ShownCell, _File]]:
    files = _files(ground)
    for cell in shown_cells(ground):
        if files[cell.reference].is_line(cell):
            yield cell, files[cell.reference]


def _told(kind: str, cell: ShownCell, file: _File, data: bytes, was: str, now: str, pinned: bool) -> Lie:
    return Lie(kind, f"{file.path}:{cell.line}", was, now, reference=ReferenceChange(cell.reference, data, pinned))


def cell_edited(ground: Ground) -> Iterator[Lie]:
    """With the hash of the new file in `references.yaml`: it looks as if the publisher had said so."""
    for cell, file in _cells(ground):
        for other in _other_values(cell, file):
            data = file.edited(cell.line, file.with_field(cell.line, cell.column, other))
            yield _told("reference-edited-and-pinned", cell, file, data, cell.value, other, pinned=True)


def cell_edited_unpinned(ground: Ground) -> Iterator[Lie]:
    for cell, file in _cells(ground):
        for other in _other_values(cell, file):
            data = file.edited(cell.line, file.with_field(cell.line, cell.column, other))
            yield _told("reference-edited", cell, file, data, cell.value, other, pinned=False)


def _other_values(cell: ShownCell, file: _File) -> Iterator[str]:
    levels = file.reference.columns[cell.column].type.levels
    if levels:
        yield from (level for level in levels if level != cell.value)
    else:
        yield from neighbours(cell.value, file.reference, cell.column) or [turned(cell.value)]


def row_dropped(ground: Ground) -> Iterator[Lie]:
    for cell, file in _cells(ground):
        yield _told("reference-row-dropped", cell, file, file.edited(cell.line), "a row", "no row", pinned=True)


def key_nulled(ground: Ground) -> Iterator[Lie]:
    for cell, file in _cells(ground):
        for name in file.reference.key:
            data = file.edited(cell.line, file.with_field(cell.line, name, ""))
            yield _told("reference-key-nulled", cell, file, data, name, "nothing", pinned=True)


def key_look_alike(ground: Ground) -> Iterator[Lie]:
    for cell, file in _cells(ground):
        for name in file.reference.key:
            at = file.header.index(file.reference.headings[name])
            value = file.fields(cell.line)[at]
            for other in list(look_alikes(value))[:2] if "/" not in value else ():
                data = file.edited(cell.line, file.with_field(cell.line, name, other))
                yield _told(
                    "reference-key-look-alike", cell, file, data, f"{name} {value}", f"{name} {other}", pinned=True
                )


def row_doubled(ground: Ground) -> Iterator[Lie]:
    """A second row with the key and another value: which of the two is official is no longer known."""
    for cell, file in _cells(ground):
        for other in list(_other_values(cell, file))[:2]:
            records = [file.fields(cell.line), file.with_field(cell.line, cell.column, other)]
            data = file.edited(cell.line, *records)
            yield _told("reference-row-doubled", cell, file, data, cell.value, f"{cell.value} and {other}", pinned=True)
