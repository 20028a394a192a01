"""A table while it is read: which cells stand in a row, and under which column header and caption each stands."""

from __future__ import annotations

from ...frozen import dataclass, field
from .attributes import Attributes
from .passage import Passage

_WIDEST = 1000


@dataclass
class _Cell:
    passage: Passage
    columns: range
    is_header: bool
    rows_left: int


@dataclass
class Table:
    """`block` is the number that one remark before the table excuses."""

    block: int | None = None
    caption: Passage | None = None
    _headers: dict[int, list[Passage]] = field(default_factory=dict)
    _first: dict[int, list[Passage]] = field(default_factory=dict)
    _cells: list[_Cell] = field(default_factory=list)
    _spanning: list[_Cell] = field(default_factory=list)
    _part: str = ""
    _rows: int = 0
    _group: Passage | None = None
    _all: list[Passage] = field(default_factory=list)

    def row(self, part: str) -> None:
        """A row begins; `part` is thead, tfoot or nothing."""
        self.end_row()
        self._part = part

    def cell(self, passage: Passage, tag: str, attributes: Attributes) -> None:
        spans = {name: int(text) for name, text in attributes if text and text.isascii() and text.isdecimal()}
        taken = {column for cell in self._cells + self._spanning for column in cell.columns}
        first = next(column for column in range(len(taken) + 1) if column not in taken)
        wide = min(max(spans.get("colspan", 1), 1), _WIDEST)
        tall = min(max(spans.get("rowspan", 1), 1), _WIDEST)
        self._cells.append(_Cell(passage, range(first, first + wide), tag == "th", tall - 1))

    def end_row(self) -> None:
        """Now it is known what stands beside what."""
        if not self._cells:
            return
        row = self._cells + self._spanning
        # The first row heads a table that marks no headers; a cell over the whole width heads the rows below it.
        is_first = self._rows == 0 and len(self._cells) > 1
        is_head = self._part == "thead" or all(cell.is_header for cell in self._cells)
        is_group = len(row) == 1 and len(row[0].columns) > 1 and not self._part
        for cell in self._cells:
            beside = [other.passage for other in row if other is not cell]
            beside += [header for column in cell.columns for header in self._headers.get(column, ())]
            if self.caption is not None:
                beside.append(self.caption)
            cell.passage.context += [one for one in dict.fromkeys(beside) if one is not cell.passage]
            cell.passage.wider += [first for column in cell.columns for first in self._first.get(column, ())]
            cell.passage.wider += [self._group] if self._group is not None else []
        if self._part == "tfoot":
            for passage in self._all:
                passage.wider += [cell.passage for cell in self._cells]
        self._all += [cell.passage for cell in self._cells]
        if is_group:
            self._group = row[0].passage
        elif is_head or is_first:
            under = self._headers if is_head else self._first
            for cell in self._cells:
                for column in cell.columns:
                    under.setdefault(column, []).append(cell.passage)
        self._rows += 1
        for cell in self._spanning:
            cell.rows_left -= 1
        self._spanning = [cell for cell in row if cell.rows_left > 0]
        self._cells = []
