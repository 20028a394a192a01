"""One file of a pack: its text, its tree, and the way from a node to its place and its line."""

from __future__ import annotations

from functools import cached_property

from ..errors import Place, Problem
from ..frozen import dataclass, field
from ..model import Cell, Expression
from .locate import spots_of
from .nodes import Node, Scalar


@dataclass
class Source:
    """One file that was read: its name as the user would type it, its text, and the tree (None if there is none)."""

    file: str
    text: str
    root: Node | None = None
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def lines(self) -> list[str]:
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    def line_text(self, line: int) -> str:
        """The text of a line, counted from 1; empty beyond the end of the file."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def place(self, node: Node) -> Place:
        """Where a node stands, as far as its first line goes."""
        end = node.end_column if node.end_line == node.line else len(self.line_text(node.line).rstrip()) + 1
        return self.clipped(node.line, node.column, max(1, end - node.column))

    def clipped(self, line: int, column: int, length: int = 1) -> Place:
        """A place; one that a parser gives beyond the end of the file is the end of the last line with text."""
        if line > len(self.lines) or (line == len(self.lines) and not self.lines[-1].strip()):
            line = max((n for n, text in enumerate(self.lines, 1) if text.strip()), default=1)
            column, length = len(self.line_text(line)) + 1, 1
        return Place(self.file, line, column, length)

    def problem(
        self, code: str, message: str, at: Node | Place, help: str | None = None, note: bool = False
    ) -> Problem:
        place = at if isinstance(at, Place) else self.place(at)
        return Problem(
            code, message, place, None, self.line_text(place.line), help, severity="note" if note else "error"
        )

    def withdraw(self, code: str, at: Node) -> bool:
        """Take back a problem of this place that another one explains better. Whether there was one."""
        place = self.place(at)
        kept = [problem for problem in self.problems if problem.code != code or problem.place != place]
        found = len(kept) < len(self.problems)
        self.problems[:] = kept
        return found

    def expression(self, scalar: Scalar) -> Expression:
        """The expression in a scalar. The way back from an offset to the file is worked out when it is asked for."""
        spots: list[tuple[int, int]] = []

        def locate(offset: int) -> tuple[int, int]:
            if not spots:
                spots.extend(spots_of(self.lines, scalar))
            return spots[min(max(offset, 0), len(spots) - 1)]

        return Expression(scalar.text, self.file, locate, self.line_text)

    def cell(self, key: Scalar, scalar: Scalar) -> Cell:
        text = None if scalar.is_null else scalar.text
        return Cell(text, scalar.quoted, self.place(scalar), self.place(key))
