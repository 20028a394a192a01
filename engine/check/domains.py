"""What values a condition can tell apart: for each name in it, a few values that stand for all others.

Between two constants that a column is compared with, all values behave alike, so the constants, the bounds of the
column and a value of each gap between them stand for every row there can be. What is not followed (`exists`, and all of
arithmetic and functions but their bounds) may have any value: so more is thought possible than is, never less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from ..frozen import dataclass
from ..lang.numbers import INT_RANGE
from ..lang.typed import (
    Arithmetic,
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    Function,
    In,
    Junction,
    Not,
    Typed,
    signature,
    walk,
)
from ..model import JUDGED_ON, Column, Relation, ValueType

Key = tuple[object, ...]
Value = Fraction | str | bool | None
"""Numbers, days (their ordinal), instants (microseconds) and levels (their rank) are fractions."""

_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_LAST_MICROSECOND = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) + 86_400_000_000 - 1
_LARGEST_DOUBLE = Fraction(1.7976931348623157e308)
_RANGES = {"year": (1, 9999), "month": (1, 12), "day": (1, 31)}


@dataclass(frozen=True)
class Variable:
    """Something whose value differs from row to row. `closed` are its values where they are listed."""

    key: Key
    type: ValueType
    nullable: bool
    low: Fraction | None = None
    high: Fraction | None = None
    closed: tuple[Value, ...] | None = None

    @property
    def grid(self) -> tuple[str, int]:
        """Variables are compared only if their values lie on the same grid."""
        return self.type.kind, self.type.places


@dataclass(frozen=True)
class World:
    """The judged relation and the day that picks dated values: what variables are made from."""

    relation: Relation
    as_of: str | None

    def variable(self, node: Typed) -> Variable:
        """The variable of a value that is no constant."""
        inner = node
        while isinstance(inner, Coerce) and inner.type.kind == "decimal":
            inner = inner.value
        if isinstance(inner, ColumnRef):
            return of_column(self.relation.columns[inner.name])
        low, high = self._interval(inner) or _type_range(inner.type)
        return Variable(("value", signature(inner)), inner.type, inner.nullable, low, high)

    def _interval(self, node: Typed) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest number that a value can be, as far as its parts bound it; None if nothing does."""
        while isinstance(node, Coerce) and node.type.kind == "decimal":
            node = node.value
        constant = folded(node)
        if constant is not None:
            values = constant_values(node)
            numbers = [v for v in values if isinstance(v, Fraction)]
            return (min(numbers), max(numbers)) if numbers and len(numbers) == len(values) else None
        if isinstance(node, ColumnRef):
            column = of_column(self.relation.columns[node.name])
            return (column.low, column.high) if column.low is not None and column.high is not None else None
        if isinstance(node, Function) and node.name in _RANGES:
            return Fraction(_RANGES[node.name][0]), Fraction(_RANGES[node.name][1])
        if isinstance(node, Function) and node.name == "length" and isinstance(node.args[0], ColumnRef):
            closed = self.relation.columns[node.args[0].name].one_of
            lengths = [Fraction(len(text)) for text in closed or ()]
            return (min(lengths), max(lengths)) if lengths else (Fraction(0), Fraction(INT_RANGE[1]))
        if isinstance(node, Function) and node.name == "length":
            return Fraction(0), Fraction(INT_RANGE[1])
        within = self._computed(node)
        own = _type_range(node.type)
        if within is None or own[0] is None or own[1] is None:
            return None
        # An int that leaves its range is null, so what is left lies within.
        least, most = max(within[0], own[0]), min(within[1], own[1])
        return (least, most) if least <= most else None

    def _computed(self, node: Typed) -> tuple[Fraction, Fraction] | None:
        if isinstance(node, Function) and node.name == "abs" and node.type.kind != "float":
            inner = self._interval(node.args[0]) or _type_range(node.type)
            assert inner[0] is not None
            assert inner[1] is not None
            least = Fraction(0) if inner[0] <= 0 <= inner[1] else min(abs(inner[0]), abs(inner[1]))
            return least, max(abs(inner[0]), abs(inner[1]))
        if not isinstance(node, Arithmetic) or node.op == "/" or node.type.kind not in ("int", "decimal"):
            return None
        left, right = self._interval(node.left), self._interval(node.right)
        if left is None or right is None:
            return None
        if node.op == "+":
            return left[0] + right[0], left[1] + right[1]
        if node.op == "-":
            return left[0] - right[1], left[1] - right[0]
        corners = [a * b for a in left for b in right]
        return min(corners), max(corners)

    def day(self) -> Variable | None:
        """The day that picks values in force; None where nothing is dated."""
        if self.as_of is None:
            return None
        if self.as_of == JUDGED_ON:
            low, high = _type_range(ValueType("date"))
            return Variable((JUDGED_ON,), ValueType("date"), False, low, high)
        column = self.relation.columns.get(self.as_of)
        return of_column(column) if column is not None else None


def of_column(column: Column) -> Variable:
    low, high = _type_range(column.type)
    ends = [(column.low, min, low), (column.high, max, high)]
    bounds: list[Fraction | None] = []
    for given, outer, own in ends:
        if given is None:
            bounds.append(own)
        elif column.type.kind == "float":
            bounds.append(outer(Fraction(given), _nearest_double(given)))
        else:
            bounds.append(Fraction(given))
    closed: tuple[Value, ...] | None = None
    if column.one_of is not None:
        closed = tuple(Fraction(v) if column.type.kind == "int" else v for v in column.one_of)
    return Variable(("column", column.name), column.type, not column.required, bounds[0], bounds[1], closed)


def _type_range(t: ValueType) -> tuple[Fraction | None, Fraction | None]:
    if t.kind == "int":
        return Fraction(INT_RANGE[0]), Fraction(INT_RANGE[1])
    if t.kind == "decimal":
        most = Fraction(10**t.digits - 1, 10**t.places)
        return -most, most
    if t.kind == "float":
        return -_LARGEST_DOUBLE, _LARGEST_DOUBLE
    if t.kind == "date":
        return Fraction(1), Fraction(date.max.toordinal())
    return (Fraction(0), Fraction(_LAST_MICROSECOND)) if t.kind == "instant" else (None, None)


# -- constants -----------------------------------------------------------------------------------------------


def as_value(value: object, t: ValueType) -> Value:
    """A value of a constant as it is compared."""
    if isinstance(value, Decimal):
        return _nearest_double(value) if t.kind == "float" else Fraction(value)
    if isinstance(value, datetime):
        return Fraction((value.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1))
    if isinstance(value, date):
        return Fraction(value.toordinal())
    if t.kind == "levels":
        return Fraction(t.levels.index(str(value)))
    return value if isinstance(value, bool) else str(value)


def _nearest_double(value: Decimal) -> Fraction:
    """Beyond the largest double the number itself, which no column reaches."""
    double = float(value)
    return Fraction(double) if math.isfinite(double) else Fraction(value)


def folded(node: Typed) -> Constant | Fraction | None:
    """A constant, or the number that exact arithmetic over undated ones gives; None for anything else."""
    if isinstance(node, Constant):
        return node
    if isinstance(node, Coerce) and node.type.kind == "decimal":
        return folded(node.value)
    if not isinstance(node, Arithmetic) or node.type.kind not in ("int", "decimal") or node.op == "/":
        return None
    sides: list[Fraction] = []
    for part in (node.left, node.right):
        found = folded(part)
        if isinstance(found, Constant):
            value = as_value(found.options[0].value, found.type) if not found.dated else None
            found = value if isinstance(value, Fraction) else None
        if found is None:
            return None
        sides.append(found)
    left, right = sides
    result = {"+": left + right, "-": left - right, "*": left * right}[node.op]
    return result if node.type.kind == "decimal" or INT_RANGE[0] <= result <= INT_RANGE[1] else None


def constant_values(node: Typed) -> list[Value]:
    """The values of a constant, or the one that folding gives; none for anything else."""
    constant = folded(node)
    if isinstance(constant, Fraction):
        return [constant]
    return [as_value(o.value, constant.type) for o in constant.options] if constant is not None else []


def constants_in(node: Typed) -> Iterator[Constant]:
    return (n for n in walk(node) if isinstance(n, Constant))


def days_in(nodes: Iterable[Typed]) -> list[Value]:
    """The days on which dated values begin or end."""
    found: list[Value] = []
    for node in nodes:
        for constant in constants_in(node):
            for option in constant.options if constant.dated else ():
                found += [Fraction(day.toordinal()) for day in (option.start, option.until) if day is not None]
    return found


# -- values that stand for all -------------------------------------------------------------------------------


def comparisons_in(nodes: Iterable[Typed]) -> Iterator[Compare | In]:
    """The comparisons that a condition is made of; what stands inside an `exists` is another row's."""
    for node in nodes:
        if isinstance(node, (Junction, Not)):
            yield from comparisons_in(node.children())
        elif isinstance(node, (Compare, In)):
            yield node


def representatives(variable: Variable, constants: Sequence[Value], among: int) -> list[Value]:
    """Values that stand for all of a variable, if it and its like (`among` in all) are compared with the constants."""
    kind = variable.type.kind
    if kind == "bool":
        found: set[Value] = {True, False}
    elif kind == "levels":
        found = {Fraction(rank) for rank in range(len(variable.type.levels))}
    elif variable.closed is not None:
        found = set(variable.closed)
    elif kind == "text":
        # The least text above another is that text with one more U+0000.
        found = {text + "\0" * n for text in ["", *map(str, constants)] for n in range(among + 1)}
    else:
        found = set(_numbers(variable, [c for c in constants if isinstance(c, Fraction)], among))
    listed = sorted(found, key=lambda v: (isinstance(v, str), v))
    return [None, *listed] if variable.nullable else list(listed)


def _numbers(variable: Variable, constants: Sequence[Fraction], among: int) -> Iterator[Fraction]:
    low, high = variable.low, variable.high
    assert low is not None
    assert high is not None
    cuts = sorted({low, high, *constants})
    if variable.type.kind == "float":
        for one, other in zip(cuts, [*cuts[1:], cuts[-1]], strict=True):
            inside = (one + (other - one) * n / (among + 1) for n in range(among + 1))
            yield from (v for v in inside if low <= v <= high)
        return
    step = 10**variable.type.places
    for cut in cuts:
        for base in (math.floor(cut * step), math.ceil(cut * step)):
            for n in range(-among, among + 1):
                value = Fraction(base + n, step)
                if low <= value <= high:
                    yield value
