"""Taking values out of a tree whose shape was checked: what is bad was reported there and reads as nothing here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from ..errors import Place, Problem
from ..names import RESERVED
from .nodes import Items, Node, Scalar, Table
from .shape import Shape
from .source import Source
from .words import shown

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class Reader:
    """One file, its shape, and the problems that were found in it since."""

    def __init__(self, source: Source, shape: Shape) -> None:
        self.source = source
        self.shape = shape
        self.problems: list[Problem] = []

    def add_problem(
        self, code: str, message: str, at: Node | Place, help: str | None = None, note: bool = False
    ) -> None:
        self.problems.append(self.source.problem(code, message, at, help, note))

    def good(self, node: Node | None) -> bool:
        return self.shape.good(node)

    def root(self) -> Table | None:
        return self.source.root if isinstance(self.source.root, Table) and self.good(self.source.root) else None

    def scalar(self, table: Table, key: str) -> Scalar | None:
        node = table.values.get(key)
        return node if isinstance(node, Scalar) and self.good(node) else None

    def table(self, table: Table, key: str) -> Table | None:
        node = table.values.get(key)
        return node if isinstance(node, Table) and self.good(node) else None

    def items(self, table: Table, key: str) -> Items | None:
        node = table.values.get(key)
        return node if isinstance(node, Items) and self.good(node) else None

    def text(self, table: Table, key: str) -> str | None:
        node = self.scalar(table, key)
        return None if node is None else node.text

    def flag(self, table: Table, key: str) -> bool:
        return (self.text(table, key) or "").lower() == "true"

    def texts(self, table: Table, key: str) -> tuple[str, ...] | None:
        """The texts of a list; None if it is missing or one of them is bad."""
        node = self.items(table, key)
        if node is None or not all(isinstance(item, Scalar) and self.good(item) for item in node.items):
            return None
        return tuple(item.text for item in node.items if isinstance(item, Scalar))

    def entries(self, table: Table) -> Iterator[tuple[str, Scalar, Table | None]]:
        """Name, key and (where it is one and good) mapping of each entry of a mapping of names."""
        for name, key in table.keys.items():
            yield name, key, self.table(table, name)

    def day(self, table: Table, key: str) -> date | None:
        node = self.scalar(table, key)
        return None if node is None else self.day_of(node)

    def day_of(self, node: Scalar) -> date | None:
        """The date in a scalar of the form `YYYY-MM-DD`; a day that no calendar has is a problem."""
        try:
            if not _DAY.fullmatch(node.text):
                raise ValueError  # `fromisoformat` also takes `20240131` and weeks
            return date.fromisoformat(node.text)
        except ValueError:
            self.add_problem(
                "no-such-day", f"there is no day {shown(node.text)}", node, "a day is written `YYYY-MM-DD`"
            )
            return None

    def number(self, table: Table, key: str) -> Decimal | None:
        node = self.scalar(table, key)
        if node is None:
            return None
        if not _NUMBER.fullmatch(node.text):
            help = "write its digits, with a point and without exponent"
            self.add_problem("wrong-number", f"expected a number in digits, not {shown(node.text)}", node, help)
            return None
        return Decimal(node.text)

    def check_name(self, key: Scalar) -> bool:
        """Whether a key may be a name; a word of the language may not, since no expression could use it."""
        if key.text in RESERVED:
            message = f"`{key.text}` is a word of the language and cannot be a name"
            self.add_problem("reserved-name", message, key, f"another name, for example `{key.text}_`")
        return key.text not in RESERVED
