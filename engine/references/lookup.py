"""Looking a key up in a reference: what its rows say, or why they say nothing that could be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..canonical import shown
from ..frozen import dataclass
from ..verdict import value_of
from .table import ReferenceTable


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reference says of a key.

    `kind` is `found`, `not_in_reference`, `ambiguous_key` (rows with different values) or `incomplete_key` (a part of
    the key is null). Only with `found` are `value` (None: the cell is empty) and `line`, of the first row, set. `cells`
    are (line, value as text) of every row with the key, in the order of the file.
    """

    kind: str
    value: str | None = None
    line: int | None = None
    cells: tuple[tuple[int, str | None], ...] = ()


class Lookup:
    """Answers for one reference. The index is made when the first question comes, a dictionary of its keys."""

    def __init__(self, table: ReferenceTable) -> None:
        self.table = table
        self._rows: dict[tuple[str, ...], list[int]] | None = None
        self._at: dict[int, list[int]] | None = None
        self._values: dict[str, tuple[str, ...]] = {}

    def look(self, key: Mapping[str, str | None], column: str) -> Answer:
        """What the reference says of a key: its columns with texts as shown. A key that lacks a column is incomplete.

        Rows that agree are one answer; rows that differ, a null among them too, are ambiguous.
        """
        wanted = [key.get(name) for name in self.table.reference.key]
        complete = tuple(part for part in wanted if part is not None)
        if len(complete) < len(wanted):
            return Answer("incomplete_key")
        rows = self.rows.get(complete)
        if rows is None:
            return Answer("not_in_reference")
        cells = tuple((self.table.lines[row], self.shown(column, row)) for row in rows)
        if len({value for _, value in cells}) > 1:
            return Answer("ambiguous_key", cells=cells)
        line, value = cells[0]
        return Answer("found", value, line, cells)

    @property
    def rows(self) -> Mapping[tuple[str, ...], list[int]]:
        """The rows of each key, as texts as shown. A row without a part of its key is under none."""
        if self._rows is None:
            found: dict[tuple[str, ...], list[int]] = {}
            for row, parts in enumerate(zip(*(self._texts(name) for name in self.table.reference.key), strict=True)):
                if None not in parts:
                    found.setdefault(parts, []).append(row)
            self._rows = found
        return self._rows

    def at_line(self, line: int) -> Sequence[int]:
        """The rows that stand at a line of the file."""
        if self._at is None:
            self._at = {}
            for row, number in enumerate(self.table.lines):
                self._at.setdefault(number, []).append(row)
        return self._at.get(line, ())

    def values(self, column: str) -> tuple[str, ...]:
        """The different texts of a column, sorted, without empty ones."""
        if column not in self._values:
            self._values[column] = tuple(sorted({text for text in self._texts(column) if text}))
        return self._values[column]

    def _texts(self, column: str) -> Sequence[Any]:
        """A column as a reader sees it. Texts are kept as they are shown."""
        if self.table.reference.columns[column].type.kind == "text":
            return self.table.columns[column]
        return [self.shown(column, row) for row in range(len(self.table.lines))]

    def shown(self, column: str, row: int) -> str | None:
        """A cell as a reader sees it; None for an empty one."""
        raw = self.table.columns[column][row]
        return None if raw is None else shown(value_of(raw, self.table.reference.columns[column].type))
