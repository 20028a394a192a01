"""What a condition may be for a group without rows.

`must: count(*) >= least` is false of a group without rows, but without `each_of` nothing brings that group up, and
nobody would hear of it. `can_fail_when_empty` finds such conditions: what follows from the emptiness is computed
(counts are 0, `any` is false, `all` is true, the other aggregates are null), and all else is taken either way.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from ..lang.typed import (
    AggregateRef,
    Arithmetic,
    Coerce,
    Compare,
    Constant,
    CountCompare,
    Function,
    In,
    IsNull,
    Junction,
    Not,
    Typed,
    walk,
)

Truth = bool | None
_EITHER: frozenset[Truth] = frozenset({True, False, None})
_OPERATORS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def can_fail_when_empty(must: Typed) -> bool:
    """True if the condition can be false of a group without rows."""
    return False in _truths(must)


def _truths(node: Typed) -> frozenset[Truth]:
    if isinstance(node, Junction):
        # Pair by pair: three truths at most at a time, where all combinations of many items would never end.
        join = _and if node.op == "and" else _or
        found = _truths(node.items[0])
        for item in node.items[1:]:
            found = frozenset(join((a, b)) for a in found for b in _truths(item))
        return found
    if isinstance(node, Not):
        return frozenset(None if t is None else not t for t in _truths(node.value))
    if isinstance(node, AggregateRef) and node.name in ("any", "all"):
        return frozenset({node.name == "all"})
    if isinstance(node, Function) and node.name == "coalesce":
        return _truths(next((a for a in node.args if not _is_null(a)), node.args[0]))
    if _is_null(node):
        return frozenset({None})
    if isinstance(node, Constant):
        return frozenset({bool(o.value) for o in node.options} | ({None} if node.dated else set()))
    if isinstance(node, CountCompare):
        return _count_truths(node)
    if isinstance(node, IsNull):
        return frozenset({True}) if _is_null(node.value) else _EITHER - {None}
    if isinstance(node, Compare):
        sides = _number(node.left), _number(node.right)
        if isinstance(sides[0], Fraction) and isinstance(sides[1], Fraction):
            return frozenset({_OPERATORS[node.op](sides[0], sides[1])})
        if None in sides:
            return frozenset({None})
    if isinstance(node, (Compare, In)) and any(_is_null(c) for c in node.children()[:2]):
        return frozenset({None}) if isinstance(node, Compare) or _is_null(node.value) else _EITHER
    return _EITHER


def _count_truths(node: CountCompare) -> frozenset[Truth]:
    if not isinstance(node.right, Constant):
        right = _number(node.right)
        if isinstance(right, Fraction):
            return frozenset({_OPERATORS[node.op](Fraction(0), right)})
        return frozenset({None}) if right is None else _EITHER
    found: set[Truth] = {None} if node.right.dated else set()
    for option in node.right.options:
        if not isinstance(option.value, Decimal):
            return _EITHER
        found.add(_OPERATORS[node.op](Fraction(0), Fraction(option.value)))
    return frozenset(found)


def _number(node: Typed) -> Fraction | str | None:
    """The number that a value is over no rows; None if it is null; `any` if it does not follow from the emptiness."""
    if isinstance(node, AggregateRef):
        return Fraction(0) if node.is_count else None if _is_null(node) else "any"
    if isinstance(node, Constant):
        value = node.options[0].value
        return Fraction(value) if isinstance(value, Decimal) and not node.dated else "any"
    if isinstance(node, Coerce):
        return _number(node.value)
    if isinstance(node, Function) and node.name == "coalesce":
        return next((n for n in (_number(a) for a in node.args) if n is not None), None)
    if not isinstance(node, Arithmetic):
        return "any"
    left, right = _number(node.left), _number(node.right)
    if left is None or right is None:
        return None
    if isinstance(left, str) or isinstance(right, str):
        return "any"
    if node.op == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[node.op]


def _is_null(node: Typed) -> bool:
    """True if the value is certainly null over no rows: an aggregate other than a count is, and what is made of it."""
    if isinstance(node, AggregateRef):
        return not node.is_count and node.name not in ("any", "all")
    if isinstance(node, Function) and node.name == "coalesce":
        return all(_is_null(a) for a in node.args)
    if isinstance(node, (Compare, Junction, Not, IsNull, In)):
        return False
    if isinstance(node, Coerce) or any(isinstance(n, AggregateRef) for n in walk(node)):
        return any(_is_null(c) for c in node.children())
    return False


def _and(values: tuple[Truth, ...]) -> Truth:
    if False in values:
        return False
    return None if None in values else True


def _or(values: tuple[Truth, ...]) -> Truth:
    if True in values:
        return True
    return None if None in values else False
