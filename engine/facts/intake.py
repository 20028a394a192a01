"""Raw rows of one relation in one file -> typed columns, with a problem for each value that does not fit."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Sequence

from ..limits import Limits
from ..model import Column, Relation
from .bad_values import BadValue, near_column, null_value, shown
from .bulk import json_bulk
from .bytes_in import Stop, limit_problem
from .chunk import Chunk
from .findings import Findings, Spot
from .json_text import depth
from .literals import Converter
from .missing import report_missing
from .values import Blanks, csv_converter, json_converter

_MOST_UNKNOWN = 10_000
"""Unknown column names in one file that are kept in mind."""


class Lines:
    """The line on which each row of a file begins, as runs of consecutive ones where there are such."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._lines: list[Sequence[int]] = []

    def extend(self, first_row: int, lines: Sequence[int]) -> None:
        """Adds the lines of rows from `first_row`, which follow those known already."""
        if not len(lines):
            return
        if lines[-1] - lines[0] != len(lines) - 1:
            self._first.append(first_row)
            self._lines.append(array("Q", lines))
            return
        last = self._lines[-1] if self._lines else None
        if isinstance(last, range) and last.stop == lines[0]:
            self._lines[-1] = range(last.start, lines[-1] + 1)
        else:
            self._first.append(first_row)
            self._lines.append(range(lines[0], lines[-1] + 1))

    def of(self, row: int) -> int | None:
        """The line of a row, both from 1."""
        at = bisect_right(self._first, row) - 1
        return self._lines[at][row - self._first[at]] if at >= 0 else None


class Intake:
    """Converts the chunks of one relation in one file. `finish` must follow the last of them."""

    def __init__(self, relation: Relation, file: str, kind: str, limits: Limits, findings: Findings) -> None:
        self.relation, self.file, self.kind = relation, file, kind
        self.limits, self.findings = limits, findings
        self.rows = self._good_rows = 0
        self.lines = Lines()
        make = csv_converter if kind == "csv" else json_converter
        self._columns: list[tuple[int, Column, Converter]] = [
            (rank, column, make(column, limits)) for rank, column in enumerate(relation.columns.values(), start=1)
        ]
        self._bulk = {c.name: json_bulk(c, limits) for c in relation.columns.values()} if kind != "csv" else {}
        self._names: set[str] = set()
        self._header = False
        self._unknown = 0
        self._absent: dict[str, list[Spot]] = {}
        self._absent_more: dict[str, int] = {}
        self._blanks: dict[str, tuple[str, Spot, int]] = {}

    def take(self, chunk: Chunk) -> dict[str, list[object]]:
        """The typed values of a chunk, by declared column. A value with a problem is None."""
        names = set(chunk.header) if chunk.header is not None else set().union(*chunk.rows)
        self._header = chunk.header is not None
        if not names <= self.relation.columns.keys() | self._names:
            self._refuse_unknown(names - self.relation.columns.keys() - self._names, chunk)
        typed: dict[str, list[object]] = {}
        for rank, column, convert in self._columns:
            name = column.name
            raw = [row.get(name) for row in chunk.rows]
            if name in names and name in self._absent:
                self._report_absent(column)
            if name not in names and name not in self._names:
                if column.required:
                    self._note_absent(column, rank, chunk)
                typed[name] = raw
            elif chunk.broken:
                typed[name] = self._one_by_one(rank, column, convert, raw, chunk)
            else:
                quick = self._bulk[name](raw) if self._bulk else None
                typed[name] = self._one_by_one(rank, column, convert, raw, chunk) if quick is None else quick
        self._names |= names
        self.rows += len(chunk.rows)
        self._good_rows += len(chunk.rows) - len(chunk.broken)
        self.lines.extend(chunk.first_row, chunk.lines)
        return typed

    def takes_plainly(self, names: Collection[str]) -> bool:
        """Whether rows with exactly these columns need nothing but typed values."""
        columns = self.relation.columns
        known = all(name in columns for name in names)
        return known and not self._absent and all(one in names for one in columns if columns[one].required)

    def took(self, names: Collection[str], first_row: int, count: int) -> None:
        """Notes rows that were stored without `take`: each a line, with columns of these names."""
        self._names |= set(names)
        self.rows += count
        self._good_rows += count
        self.lines.extend(first_row, range(first_row, first_row + count))

    def finish(self, complete: bool) -> None:
        """Adds what can only be said at the end: the columns that no row of the file has, unless they may be absent.

        Nothing is said of a file that was not read to its end, nor of one whose columns are all unknown: that was said.
        """
        self._tell_blanks()
        none_known = bool(self._names) and not self._names & self.relation.columns.keys()
        if not complete or none_known or not (self._good_rows or self._header):
            return
        spot = Spot(self.file, line=1 if self._header else None)
        report_missing(self.relation, self._names, spot, self.findings, "an empty field" if self._header else "`null`")

    def _tell_blanks(self) -> None:
        """One problem for the values of a column that are refused and have blanks around them."""
        for value, spot, count in self._blanks.values():
            more = f", and {count - 1} more of the column" if count > 1 else ""
            self.findings.fact_problem(
                "fact-csv",
                spot,
                f"blanks around the value {shown(value)}{more}",
                "blanks after the separator; take them away: in CSV they belong to the value",
            )

    def _refuse_unknown(self, unknown: set[str], chunk: Chunk) -> None:
        """One problem for each unknown name, at the first row that has it.

        A file may bring any number of such names; those past the limit are counted only, and too many end the reading.
        """
        self._unknown += len(unknown)
        self.findings.count += max(0, len(unknown) - self.limits.problems)
        for name in sorted(unknown)[: self.limits.problems]:
            if chunk.header is not None:
                spot = Spot(self.file, 0, 1)
            else:
                index = next(i for i, row in enumerate(chunk.rows) if name in row)
                spot = Spot(self.file, chunk.first_row + index, chunk.lines[index])
            help = near_column(name, self.relation.columns)
            message = f"{shown(name)} is no column of {shown(self.relation.name)}"
            self.findings.fact_problem("fact-unknown-column", spot, message, help)
        if self._unknown > _MOST_UNKNOWN:
            raise Stop

    def _one_by_one(
        self, rank: int, column: Column, convert: Converter, raw: Sequence[object], chunk: Chunk
    ) -> list[object]:
        typed: list[object] = []
        for index, value in enumerate(raw):
            result: object = None
            if index not in chunk.broken:
                try:
                    result = convert(value)
                except Blanks:
                    first = (
                        str(value),
                        Spot(self.file, chunk.first_row + index, chunk.lines[index], column.name, rank),
                        0,
                    )
                    text, spot, count = self._blanks.get(column.name, first)
                    self._blanks[column.name] = (text, spot, count + 1)
                except BadValue as error:
                    spot = Spot(self.file, chunk.first_row + index, chunk.lines[index], column.name, rank)
                    if isinstance(value, (dict, list)) and chunk.depth + depth(value) > self.limits.nesting:
                        limit_problem(
                            self.findings, spot, "nesting", self.limits.nesting, "the row nests too many levels"
                        )
                    else:
                        self.findings.fact_problem(error.code, spot, str(error), error.help)
            typed.append(result)
        return typed

    def _note_absent(self, column: Column, rank: int, chunk: Chunk) -> None:
        """Remembers rows without a required column until it is known whether any row of the file has it."""
        spots = self._absent.setdefault(column.name, [])
        for index, line in enumerate(chunk.lines):
            if index in chunk.broken:
                continue
            if len(spots) < self.limits.problems:
                spots.append(Spot(self.file, chunk.first_row + index, line, column.name, rank))
            else:
                self._absent_more[column.name] = self._absent_more.get(column.name, 0) + 1

    def _report_absent(self, column: Column) -> None:
        bad = null_value(column)
        for spot in self._absent.pop(column.name):
            self.findings.fact_problem(bad.code, spot, str(bad), bad.help)
        self.findings.count += self._absent_more.pop(column.name, 0)
