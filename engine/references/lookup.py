"""The cells of a key in a reference, as texts that are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..canonical import shown
from ..model import Column
from ..verdict import value_of
from .table import ReferenceTable

Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """`kind`: found, not_in_reference, ambiguous_key, incomplete_key.

    `value` and `line` (of its first row) are set if it was found; `cells` are the (line, value) of every row with the
    key, in the order of the file.
    """

    kind: str
    value: str | None = None
    line: int | None = None
    cells: tuple[tuple[int, str | None], ...] = ()


class Lookup:
    """A reference by its key. Values are compared as they are shown: text as it is, levels by name."""

    def __init__(self, table: ReferenceTable) -> None:
        self.table = table
        self.reference = table.reference

    @cached_property
    def _rows(self) -> dict[Key, list[int]]:
        key = [self._shown(name) for name in self.reference.key]
        found: dict[Key, list[int]] = {}
        for number, values in enumerate(zip(*key, strict=True)):
            if None not in values:
                found.setdefault(values, []).append(number)
        return found

    @cached_property
    def _texts(self) -> dict[str, tuple[str | None, ...]]:
        return {}

    def _shown(self, name: str) -> tuple[str | None, ...]:
        if name not in self._texts:
            column = self.reference.columns[name]
            self._texts[name] = tuple(_text(value, column) for value in self.table.columns[name])
        return self._texts[name]

    def look(self, key: Mapping[str, str | None], column: str) -> Answer:
        """What the reference holds in a column for a key. `key` names every key column and no other; else KeyError."""
        if set(key) != set(self.reference.key):
            raise KeyError(f"the key of {self.reference.name} is {', '.join(self.reference.key)}")
        values = tuple(key[name] for name in self.reference.key)
        if any(not value for value in values):
            return Answer("incomplete_key")
        rows = self._rows.get(values, [])
        if not rows:
            return Answer("not_in_reference")
        texts = self._shown(column)
        cells = tuple(dict.fromkeys((self.table.lines[n], texts[n]) for n in rows))
        if len({value for _, value in cells}) > 1:
            return Answer("ambiguous_key", cells=cells)
        return Answer("found", cells[0][1], cells[0][0], cells)


def _text(value: object, column: Column) -> str | None:
    return None if value is None else shown(value_of(value, column.type))
