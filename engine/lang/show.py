"""A typed expression as text again, with parameters as names or as the values in force."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from ..errors import InternalError
from .typed import (
    AggregateRef,
    Arithmetic,
    Coerce,
    ColumnRef,
    Compare,
    Conflict,
    Constant,
    CountCompare,
    Exists,
    Function,
    In,
    IsNull,
    Junction,
    LookUp,
    Not,
    Shift,
    Typed,
)

_MOST_MEMBERS = 12
"""Members of a list that are written out."""

Naming = Callable[[Constant], str]
"""How a constant is written."""


def by_name(constant: Constant) -> str:
    """A parameter by its name, a literal as written."""
    return constant.name or value_text(constant.options[0].value, constant.type.kind)


def value_text(value: object, kind: str) -> str:
    """A value as an expression writes it: texts and levels in single quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if kind in ("text", "levels"):
        return "'" + str(value).replace("'", "''") + "'"
    return str(value)


def show(node: Typed, naming: Naming = by_name) -> str:
    """The expression on one line."""
    return _Writer(naming).bare(node)


class _Writer:
    """Writes nodes; a junction or an operation inside another is put in parentheses."""

    def __init__(self, naming: Naming, in_exists: bool = False) -> None:
        self.naming = naming
        self.in_exists = in_exists

    def bare(self, node: Typed) -> str:
        """The node where nothing around it could be taken for a part of it."""
        if isinstance(node, Junction):
            return self._between(node) or f" {node.op} ".join(self.inside(i) for i in node.items)
        if isinstance(node, Arithmetic):
            return f"{self.inside(node.left)} {node.op} {self.inside(node.right)}"
        return self.inside(node)

    def inside(self, node: Typed) -> str:
        if isinstance(node, (Junction, Arithmetic)):
            between = self._between(node) if isinstance(node, Junction) else None
            return between or f"({self.bare(node)})"
        if isinstance(node, Constant):
            return self.naming(node)
        if isinstance(node, ColumnRef):
            return f"judged.{node.name}" if self.in_exists and node.side != "related" else node.name
        if isinstance(node, Coerce):
            return self.inside(node.value)
        if isinstance(node, Compare):
            return f"{self.bare(node.left)} {node.op} {self.bare(node.right)}"
        if isinstance(node, CountCompare):
            return f"{self.bare(node.count)} {node.op} {self.bare(node.right)}"
        if isinstance(node, In):
            return f"{self.inside(node.value)} in {self._members(node.members)}"
        if isinstance(node, IsNull):
            return f"{self.inside(node.value)} is null"
        if isinstance(node, Not):
            return self._negated(node)
        return self._call(node)

    def _members(self, members: tuple[Typed, ...]) -> str:
        listed = [self.bare(m) for m in members[:_MOST_MEMBERS]]
        if len(listed) > 1 and len(set(listed)) == 1:
            return listed[0]  # the members of a list parameter, by its name
        left = len(members) - _MOST_MEMBERS
        return f"({', '.join(listed)}, … and {left} more)" if left > 0 else f"({', '.join(listed)})"

    def _call(self, node: Typed) -> str:
        if isinstance(node, Shift):
            sign = "+" if node.sign > 0 else "-"
            return f"{self.inside(node.value)} {sign} interval ({self.bare(node.amount)}) {node.step}"
        if isinstance(node, Function):
            return f"{node.name}({', '.join(self.bare(a) for a in node.args)})"
        if isinstance(node, AggregateRef):
            return node.text
        if isinstance(node, Exists):
            if node.condition is None:
                return f"exists (from {node.relation})"
            return f"exists (from {node.relation} where {_Writer(self.naming, True).bare(node.condition)})"
        if isinstance(node, LookUp):
            keys = ", ".join(f"{key} = {c.name}" for key, c in zip(node.cells[0].keys, node.keys, strict=True))
            columns = " or ".join(f"{one.column} of {one.reference}" for one in node.cells)
            return f"{node.shown.name} same as {columns} where {keys}"
        if isinstance(node, Conflict) and isinstance(node.value, LookUp):
            return f"{' and '.join(one.reference for one in node.value.cells)} disagree on {node.value.shown.name}"
        raise InternalError(f"cannot write {type(node).__name__}")

    def _negated(self, node: Not) -> str:
        if isinstance(node.value, IsNull):
            return f"{self.inside(node.value.value)} is not null"
        inner = self.inside(node.value)
        if isinstance(node.value, (ColumnRef, Constant, Function, Exists, AggregateRef)):
            return f"not {inner}"
        wrapped = isinstance(node.value, Junction) and self._between(node.value) is None
        return f"not {inner}" if wrapped else f"not ({inner})"

    def _between(self, node: Junction) -> str | None:
        """`x >= a and x <= b` that were written as one `between`."""
        if len(node.items) != 2 or node.op != "and":
            return None
        low, high = node.items
        if not (isinstance(low, Compare) and isinstance(high, Compare)) or (low.op, high.op) != (">=", "<="):
            return None
        if (low.start, low.end) != (high.start, high.end):
            return None
        return f"{self.inside(low.left)} between {self.inside(low.right)} and {self.inside(high.right)}"
