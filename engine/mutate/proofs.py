"""Mutants that mean the same as their policy: proved by trying every kind of row that a comparison can tell apart.

A column that is only compared with constants has finitely many kinds of value: each constant, each stretch between two
of them, null. Every other condition (an `exists`, an aggregate, arithmetic) is taken for a truth value of its own that
may be anything: more than can really happen, so what agrees on all of them agrees on every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise, product
from typing import Any

from ..checked import CheckedPolicy
from ..frozen import dataclass, field
from ..lang.typed import (
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    Function,
    In,
    IsNull,
    Junction,
    Not,
    Typed,
    signature,
)
from ..model import JUDGED_ON, Column
from .values import EXACT

MOST_ROWS = 20_000
"""Kinds of row that are tried; a pair that has more stays unproved."""

Truth = bool | None
_MISSING = object()


def same_meaning(policy: CheckedPolicy, mutant: CheckedPolicy) -> bool:
    """True if both are proved to have the same outcome on every row. False says nothing."""
    if _frame(policy) != _frame(mutant):
        return False
    if policy.policy.per and signature(policy.where) != signature(mutant.where):
        return False
    try:
        with localcontext(EXACT):
            space = _Space(policy, mutant)
    except _Unprovable:
        return False
    return all(_outcome(policy, space, row) == _outcome(mutant, space, row) for row in space.rows())


def _frame(checked: CheckedPolicy) -> object:
    policy, allow = checked.policy, checked.allow
    tolerance = (*((v.value, v.start, v.until) for v in allow.values), allow.unit) if allow is not None else ()
    return policy.per, policy.each_of, policy.as_of, policy.if_none, tolerance


def _outcome(checked: CheckedPolicy, space: _Space, row: Mapping[object, Any]) -> object:
    if checked.where is not None and not checked.policy.per:
        scope = space.truth(checked.where, row)
        if scope is not True:
            return "out" if scope is False else "unknown scope"
    review = space.truth(checked.review_if, row) if checked.review_if is not None else False
    if review is not False:
        return "review" if review else "unknown"
    must = space.truth(checked.must, row)
    return "unknown" if must is None else must


class _Unprovable(Exception):
    """There are too many kinds of row."""


@dataclass
class _Space:
    """All the kinds of row that two policies can tell apart."""

    policy: CheckedPolicy
    mutant: CheckedPolicy
    constants: dict[str, set[Any]] = field(default_factory=dict)
    opaque: dict[object, bool] = field(default_factory=dict)
    """Conditions that are not looked into, by signature, and whether they may be unknown."""

    def __post_init__(self) -> None:
        for one in (self.policy, self.mutant):
            for node in (None if one.policy.per else one.where, one.must, one.review_if):
                if node is not None:
                    self._note(node)
        self.axes: dict[object, Sequence[Any]] = {}
        total = 1
        for name, constants in self.constants.items():
            self.axes[name] = list(kinds_of(self.policy.relation.columns[name], constants))
            total *= len(self.axes[name])
        for key, nullable in self.opaque.items():
            self.axes[key] = (True, False, None) if nullable else (True, False)
            total *= len(self.axes[key])
        if total > MOST_ROWS:
            raise _Unprovable

    def rows(self) -> Iterator[dict[object, Any]]:
        keys = list(self.axes)
        for values in product(*self.axes.values()):
            yield dict(zip(keys, values, strict=True))

    # -- what is looked into -----------------------------------------------------------------------------------

    def _note(self, node: Typed) -> None:
        if isinstance(node, (Junction, Not)):
            for child in node.children():
                self._note(child)
        elif not self._transparent(node):
            self.opaque[signature(node)] = self.opaque.get(signature(node), False) or node.nullable
        else:
            self._columns(node)

    def _transparent(self, node: Typed) -> bool:
        """True if the value follows from single columns and constants."""
        if isinstance(node, ColumnRef):
            return node.side in ("row", "group")
        if isinstance(node, Constant):
            as_of = self.policy.policy.as_of
            return not node.dated or (as_of is not None and as_of != JUDGED_ON)
        if isinstance(node, Compare):
            sides = (node.left, node.right)
            return all(self._transparent(s) for s in sides) and any(_is_constant(s) for s in sides)
        if isinstance(node, In):
            return self._transparent(node.value) and all(_is_constant(m) and self._transparent(m) for m in node.members)
        if isinstance(node, IsNull):
            return self._transparent(node.value)
        if isinstance(node, Coerce):
            return self._transparent(node.value)
        if isinstance(node, Function) and node.name == "coalesce":
            return self._transparent(node.args[0]) and all(_is_constant(a) for a in node.args[1:])
        return False

    def _columns(self, node: Typed) -> None:
        """Takes note of the constants that each column meets."""
        names = [n.name for n in _leaves(node) if isinstance(n, ColumnRef)]
        found: set[Any] = set()
        for leaf in _leaves(node):
            if isinstance(leaf, Constant):
                found |= {o.value for o in leaf.options}
                if leaf.dated:
                    days = {d for o in leaf.options for d in (o.start, o.until) if d is not None}
                    self.constants.setdefault(self.policy.policy.as_of or "", set()).update(days)
        for name in names:
            self.constants.setdefault(name, set()).update(found)

    # -- truth -------------------------------------------------------------------------------------------------

    def truth(self, node: Typed, row: Mapping[object, Any]) -> Truth:
        if isinstance(node, Not):
            inner = self.truth(node.value, row)
            return None if inner is None else not inner
        if isinstance(node, Junction):
            return _joined(node.op, [self.truth(item, row) for item in node.items])
        opaque = row.get(signature(node), _MISSING) if self.opaque else _MISSING
        if opaque is not _MISSING:
            return opaque  # type: ignore[return-value]
        return self._value(node, row)  # type: ignore[no-any-return]

    def _value(self, node: Typed, row: Mapping[object, Any]) -> Any:
        if isinstance(node, ColumnRef):
            return _comparable(row[node.name], node)
        if isinstance(node, Constant):
            return _comparable(self._constant(node, row), node)
        if isinstance(node, Coerce):
            value = self._value(node.value, row)
            return float(value) if value is not None and node.type.kind == "float" else value
        if isinstance(node, IsNull):
            return self._value(node.value, row) is None
        if isinstance(node, Function):
            return next((v for v in (self._value(a, row) for a in node.args) if v is not None), None)
        if isinstance(node, In):
            value = self._value(node.value, row)
            equal = [_compared("=", value, self._value(m, row)) for m in node.members]
            return _joined("or", equal)
        assert isinstance(node, Compare)
        return _compared(node.op, self._value(node.left, row), self._value(node.right, row))

    def _constant(self, node: Constant, row: Mapping[object, Any]) -> Any:
        if not node.dated:
            return node.options[0].value
        day = row.get(self.policy.policy.as_of or "")
        if day is None:
            return None
        for option in reversed(node.options):
            if option.start is not None and option.start <= day:
                return option.value if option.until is None or day < option.until else None
        return None


def _is_constant(node: Typed) -> bool:
    return isinstance(node.value, Constant) if isinstance(node, Coerce) else isinstance(node, Constant)


def _leaves(node: Typed) -> Iterator[Typed]:
    children = node.children()
    if not children:
        yield node
    for child in children:
        yield from _leaves(child)


def _comparable(value: Any, node: Typed) -> Any:
    """A value in the order of its type: levels by rank, floats as doubles."""
    if value is None:
        return None
    if node.type.kind == "levels":
        return node.type.levels.index(value)
    return float(value) if node.type.kind == "float" else value


def _compared(op: str, left: Any, right: Any) -> Truth:
    if left is None or right is None:
        return None
    if op in ("=", "!="):
        return bool((left == right) == (op == "="))
    if op.startswith("<"):
        return bool(left <= right if op == "<=" else left < right)
    return bool(left >= right if op == ">=" else left > right)


def _joined(op: str, truths: Sequence[Truth]) -> Truth:
    decisive = op == "or"
    if any(t is decisive for t in truths):
        return decisive
    return None if any(t is None for t in truths) else not decisive


# -- kinds of value --------------------------------------------------------------------------------------------


def kinds_of(column: Column, constants: set[Any]) -> Iterator[Any]:
    """One value for each kind that comparisons with the constants can tell apart; null if it may be unknown."""
    if not column.required:
        yield None
    kind = column.type.kind
    if kind == "bool":
        yield from (True, False)
    elif kind == "levels":
        yield from column.type.levels
    elif kind == "text":
        yield from column.one_of or _texts({c for c in constants if isinstance(c, str)})
    elif kind in ("int", "decimal", "float"):
        yield from _numbers(column, sorted(c for c in constants if isinstance(c, Decimal)))
    elif kind == "date":
        yield from _moments(sorted(c for c in constants if type(c) is date), timedelta(days=1), date(2000, 1, 1))
    else:
        moments = sorted(c for c in constants if isinstance(c, datetime))
        yield from _moments(moments, timedelta(microseconds=1), None)


def _texts(constants: set[str]) -> Iterator[str]:
    """Each text, and one just before and after each in order of code points."""
    ordered = sorted(constants)
    yield from ordered
    yield from (t + "\0" for t in ordered)
    if "" not in constants:
        yield ""


def _numbers(column: Column, constants: Sequence[Decimal]) -> Iterator[Decimal]:
    low, high = column.low, column.high
    edges = sorted({*constants, *(b for b in (low, high) if b is not None)}) or [Decimal(0)]
    found: list[Decimal] = []
    if column.type.kind == "float":
        found = [edges[0] - 1, edges[-1] + 1, *edges, *((a + b) / 2 for a, b in pairwise(edges))]
    else:
        step = Decimal(1).scaleb(-column.type.places if column.type.kind == "decimal" else 0)
        for edge in edges:
            under = (edge / step).to_integral_value(ROUND_FLOOR) * step
            # The edge itself or the last value before it, the first after it, and one before both.
            found += [under, under + step, under - step]
    for number in dict.fromkeys(found):
        if (low is None or low <= number) and (high is None or number <= high):
            yield number


def _moments(constants: Sequence[Any], step: timedelta, default: Any) -> Iterator[Any]:
    if not constants and default is not None:
        yield default
    for moment in constants:
        yield moment
        for moved in (-step, step):
            try:
                yield moment + moved
            except OverflowError:
                continue
