"""Which values of a view may be null, looked at more closely than an expression needs it.

A view that keeps only what is true would drop what is unknown in silence, so here it is asked what makes a condition
unknown, and what the author has shown not to be null.
"""

from __future__ import annotations

from .query_tree import Choice, ExistsSelect, InSelect
from .typed import (
    AggregateRef,
    Arithmetic,
    ColumnRef,
    Constant,
    Function,
    IsNull,
    Not,
    Shift,
    Typed,
    conjuncts_of,
    signature,
    walk,
)

Shown = frozenset[object]
"""Signatures of values that are not null, since a conjunct `… is not null` stands beside."""


def shown_by(*conditions: Typed | None) -> Shown:
    """What conjuncts `x is not null` of these conditions show."""
    found = set()
    for condition in conditions:
        for item in conjuncts_of(condition) if condition is not None else ():
            if isinstance(item, Not) and isinstance(item.value, IsNull):
                found.add(place_of(item.value.value))
    return frozenset(found)


def place_of(node: Typed) -> object:
    """A value by what it means; a column also by where it is of."""
    return (signature(node), node.side if isinstance(node, ColumnRef) else "")


def may_be_null(node: Typed, shown: Shown = frozenset()) -> bool:
    """Whether some row may give null. An int that overflows, what is divided by zero, … are null."""
    if place_of(node) in shown or isinstance(node, (IsNull, ExistsSelect)):
        return False
    if isinstance(node, ColumnRef):
        return node.nullable
    if isinstance(node, Constant):
        return node.dated
    if isinstance(node, AggregateRef):
        return _aggregate(node, shown)
    below = any(may_be_null(child, shown) for child in node.children())
    if isinstance(node, Choice):
        values = [value for _, value in node.branches] + ([node.otherwise] if node.otherwise is not None else [])
        return node.otherwise is None or any(may_be_null(value, shown) for value in values)
    if isinstance(node, Arithmetic):
        return below or node.type.kind != "decimal"
    if isinstance(node, Shift):
        return True
    if isinstance(node, Function):
        if node.name == "coalesce":
            return all(may_be_null(arg, shown) for arg in node.args)
        return below or node.name in ("substr", "quotient") or (node.name == "abs" and node.type.kind == "int")
    if isinstance(node, InSelect):
        return below or may_be_null(node.member, shown)
    return below


def _aggregate(node: AggregateRef, shown: Shown) -> bool:
    """A group has a row, so only a filter makes it empty."""
    if any(may_be_null(child, shown) for child in node.children()):
        return True
    if node.is_count or node.name in ("any", "all"):
        return False
    is_float = node.argument is not None and node.argument.type.kind == "float"
    return node.filter is not None or (is_float and node.name in ("sum", "avg"))


def causes(node: Typed, shown: Shown) -> list[ColumnRef]:
    """The columns that make a value null, by mention; all of its columns if none of them is null itself."""
    named = [n for n in walk(node) if isinstance(n, ColumnRef)]
    named += [n.member for n in walk(node) if isinstance(n, InSelect) and isinstance(n.member, ColumnRef)]
    named.sort(key=lambda n: n.start)
    return [n for n in named if may_be_null(n, shown)] or named
