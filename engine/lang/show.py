"""A typed expression as text again, with parameters as names or as the values in force."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from .typed import (
    AggregateRef,
    Arithmetic,
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    CountCompare,
    Exists,
    Function,
    In,
    IsNull,
    Junction,
    Not,
    Shift,
    Typed,
)

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
    return _show(node, naming, inside=False)


def _show(node: Typed, naming: Naming, inside: bool = True) -> str:
    def sub(n: Typed) -> str:
        return _show(n, naming)

    if isinstance(node, Constant):
        return naming(node)
    if isinstance(node, ColumnRef):
        return node.name
    if isinstance(node, Coerce):
        return sub(node.value)
    if isinstance(node, (Compare, CountCompare)):
        left, right = (node.left, node.right) if isinstance(node, Compare) else (node.count, node.right)
        return f"{sub(left)} {node.op} {sub(right)}"
    if isinstance(node, In):
        return f"{sub(node.value)} in ({', '.join(sub(m) for m in node.members)})"
    if isinstance(node, IsNull):
        return f"{sub(node.value)} is null"
    if isinstance(node, Not):
        return _negated(node, naming)
    if isinstance(node, Junction):
        text = _between(node, naming) or f" {node.op} ".join(sub(i) for i in node.items)
        return f"({text})" if inside else text
    if isinstance(node, Arithmetic):
        text = f"{sub(node.left)} {node.op} {sub(node.right)}"
        return f"({text})" if inside else text
    if isinstance(node, Shift):
        return f"{sub(node.value)} {'+' if node.sign > 0 else '-'} interval ({sub(node.amount)}) {node.step}"
    if isinstance(node, Function):
        return f"{node.name}({', '.join(_show(a, naming, inside=False) for a in node.args)})"
    if isinstance(node, Exists):
        return _exists(node, naming)
    if isinstance(node, AggregateRef):
        return node.text
    return "?"


def _negated(node: Not, naming: Naming) -> str:
    if isinstance(node.value, IsNull):
        return f"{_show(node.value.value, naming)} is not null"
    inner = _show(node.value, naming)
    bare = isinstance(node.value, (ColumnRef, Constant, Function, Exists, AggregateRef))
    return f"not {inner}" if bare or inner.startswith("(") else f"not ({inner})"


def _between(node: Junction, naming: Naming) -> str | None:
    """`x >= a and x <= b` that were written as one `between`."""
    if len(node.items) != 2 or node.op != "and":
        return None
    low, high = node.items
    if not (isinstance(low, Compare) and isinstance(high, Compare)) or (low.op, high.op) != (">=", "<="):
        return None
    if (low.start, low.end) != (high.start, high.end):
        return None
    return f"{_show(low.left, naming)} between {_show(low.right, naming)} and {_show(high.right, naming)}"


def _exists(node: Exists, naming: Naming) -> str:
    if node.condition is None:
        return f"exists (from {node.relation})"
    return f"exists (from {node.relation} where {_related(node.condition, naming)})"


def _related(condition: Typed, naming: Naming) -> str:
    """Inside an `exists` the judged row's columns are written with `judged.`."""

    def sub(node: Typed) -> str:
        return _show(_Marked.mark(node), naming)

    return sub(condition).removeprefix("(").removesuffix(")") if isinstance(condition, Junction) else sub(condition)


class _Marked:
    """Renames judged columns to `judged.name` in a copy of the tree."""

    @staticmethod
    def mark(node: Typed) -> Typed:
        from dataclasses import fields, replace

        if isinstance(node, ColumnRef):
            return node if node.side == "related" else replace(node, name=f"judged.{node.name}")
        changed: dict[str, object] = {}
        for f in fields(node):
            value = getattr(node, f.name)
            if isinstance(value, Typed):
                changed[f.name] = _Marked.mark(value)
            elif isinstance(value, tuple) and value and all(isinstance(v, Typed) for v in value):
                changed[f.name] = tuple(_Marked.mark(v) for v in value)
        return replace(node, **changed) if changed else node  # type: ignore[arg-type]  # the fields keep their types
