"""What may stand beside what: values brought to one type, and comparisons between them."""

from __future__ import annotations

from decimal import Decimal

from ..errors import Place, did_you_mean
from ..frozen import replace
from . import numbers, tree, units
from .constants import ConstantRules, to_decimal, to_float, trimmed
from .typed import (
    BOOL,
    INT,
    TEXT,
    AggregateRef,
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    CountCompare,
    In,
    Junction,
    Typed,
    walk,
)

_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class ComparisonRules(ConstantRules):
    """The rules for comparisons, `between` and `in`."""

    # -- side by side ------------------------------------------------------------------------------------------

    def beside(self, a: Typed, b: Typed) -> tuple[Typed, Typed] | None:
        """Both values brought to one kind; None if they do not go together. Decimals keep their digits."""
        if a.type.is_number and b.type.is_number:
            if "float" in (a.type.kind, b.type.kind):
                return to_float(a), to_float(b)
            if a.type.kind == b.type.kind:
                return a, b
            if a.type.kind == "int":
                return self._int_beside_decimal(a, b)
            right, left = self._int_beside_decimal(b, a)
            return left, right
        if a.type.kind == "levels" and _free_text(b):
            return a, self._as_level(b, a)
        if b.type.kind == "levels" and _free_text(a):
            return self._as_level(a, b), b
        return (a, b) if a.type == b.type else None

    def _int_beside_decimal(self, whole: Typed, other: Typed) -> tuple[Typed, Typed]:
        if isinstance(other, Constant) and not other.fixed and other.whole:
            if all(numbers.fits_int(o.value) for o in other.options if isinstance(o.value, Decimal)):
                return whole, replace(other, type=INT)
        return to_decimal(whole, numbers.as_decimal(whole.type)), other

    def _as_level(self, text: Typed, column: Typed) -> Typed:
        assert isinstance(text, Constant)
        for option in text.options:
            if option.value not in column.type.levels:
                message = f"`{option.value}` is no level of `{self.text(column)}`"
                node = tree.Node(text.start, text.end)
                return self.problem(node, "unknown-level", message, column.type.in_order)
        return replace(text, type=column.type)

    # -- comparisons -------------------------------------------------------------------------------------------

    def comparison(self, op: str, left: Typed, right: Typed, node: tree.Node) -> Typed:
        if left is self.UNKNOWN or right is self.UNKNOWN:
            return self.UNKNOWN
        if isinstance(left, ColumnRef) and isinstance(right, ColumnRef):
            if (left.name, left.side) == (right.name, right.side):
                message = f"`{left.name}` is compared with itself, which says nothing"
                return self.problem(node, "self-comparison", message, "compare it with a parameter or another column")
        pair = self.beside(left, right)
        if pair is None:
            return self._mismatch(left, right, node)
        a, b = pair
        if a is self.UNKNOWN or b is self.UNKNOWN:
            return self.UNKNOWN
        self._closed_values(a, b)
        self._closed_values(b, a)
        refused = self._refused_comparison(op, a, b, node) or self._units_differ(a, b, node)
        if refused:
            return self.UNKNOWN
        return self._count_comparison(op, left, right, a, b, node) or self._plain_comparison(op, a, b, node)

    def _plain_comparison(self, op: str, a: Typed, b: Typed, node: tree.Node) -> Typed:
        if a.type.kind == "decimal":
            a, b = (trimmed(x) for x in (a, b))
            common = numbers.smallest((a.type, b.type))
            if common.digits > numbers.MAX_DIGITS:
                return self.too_wide(node, common.digits)
            a, b = to_decimal(a, common), to_decimal(b, common)
        return Compare(BOOL, None, a.nullable or b.nullable, node.start, node.end, op, a, b)

    def _count_comparison(
        self, op: str, left: Typed, right: Typed, a: Typed, b: Typed, node: tree.Node
    ) -> Typed | None:
        """The comparison by bounds, where a count is one whole side and no aggregate is on the other."""
        for count, other, used in ((left, b, op), (right, a, _FLIPPED[op])):
            if isinstance(count, AggregateRef) and count.is_count:
                if not any(isinstance(n, AggregateRef) for n in walk(other)):
                    other = trimmed(other)
                    if other.type.kind == "decimal":
                        common = numbers.smallest((numbers.as_decimal(INT), other.type))
                        if common.digits > numbers.MAX_DIGITS:
                            return self.too_wide(node, common.digits)
                    return CountCompare(BOOL, None, True, node.start, node.end, used, count, other)
        return None

    def _refused_comparison(self, op: str, a: Typed, b: Typed, node: tree.Node) -> bool:
        kind = a.type.kind
        if kind == "float" and op in ("=", "!="):
            message = "floats are not compared with `=`: nearly equal is not equal"
            self.problem(
                node, "float-equality", message, "use `between low and high`, or declare the column as decimal"
            )
        elif kind == "bool" and op != "=":
            self.problem(
                node, "type-mismatch", f"truth values are not compared with `{op}`", "write `x`, `not x`, `x = y`"
            )
        elif kind in ("text", "levels") and op not in ("=", "!=") and any(_is_literal(x) for x in (a, b)):
            literal = a if _is_literal(a) else b
            self.bare_threshold(tree.Node(literal.start, literal.end), self._written(literal), a, b, op)
        else:
            return False
        return True

    def _written(self, literal: Typed) -> str:
        value = literal.options[0].value if isinstance(literal, Constant) else ""
        return str(value)

    def bare_threshold(self, at: tree.Node, text: str, a: Typed, b: Typed, op: str) -> Typed:
        """A text or a level that bounds a column and has no name. `at` is where it stands, as `a` or as `b`."""
        column = b if (a.start, a.end) == (at.start, at.end) else a
        op = op if column is a else _FLIPPED[op]
        name = column.name if isinstance(column, ColumnRef) else "value"
        help_text = self.named_threshold(text, name, op)
        if column.type.levels:
            help_text += f"; {column.type.in_order}"
        return self.problem(at, "bare-constant", f"{self.text(at)} is a threshold without an origin", help_text)

    def _units_differ(self, a: Typed, b: Typed, node: tree.Node) -> bool:
        if a.unit is None or b.unit is None or units.of_sum(a.unit, b.unit) is not None:
            return False
        message = f"`{self.text(a)}` is in {a.unit} and `{self.text(b)}` in {b.unit}"
        self.problem(node, "unit-mismatch", message, self.units_help(a, b))
        return True

    def units_help(self, a: Typed, b: Typed) -> str:
        """Both mendings of units that differ: that of the one side and that of the other, each with its place."""
        sides = sorted(((a, b), (b, a)), key=lambda pair: not isinstance(pair[0], Constant))
        ways = [way for one, other in sides if (way := self.in_unit(one, str(other.unit))) is not None]
        return "; or ".join(ways) or f"let the facts bring both in {a.unit} or both in {b.unit}"

    def in_unit(self, value: Typed, unit: str) -> str | None:
        """How a parameter or a column is given in another unit; None for what is made of several."""
        if isinstance(value, Coerce):
            value = value.value
        if isinstance(value, Constant) and value.name is not None:
            return f"give the parameter `{value.name}` in {unit} (`unit: {unit}`)"
        if isinstance(value, ColumnRef):
            place = self.place_of(value)
            where = f" at {place}" if place is not None else ""
            return f"let the facts bring `{value.name}` in {unit} (`unit: {unit}`{where})"
        return None

    def _mismatch(self, a: Typed, b: Typed, node: tree.Node) -> Typed:
        sides = " and ".join(f"`{self.text(x)}` is {self.describe(x)}" for x in (a, b))
        message = f"{sides}: they do not go together"
        help_text = None
        if {a.type.kind, b.type.kind} == {"text", "levels"}:
            help_text = "declare both columns with the same levels"
        elif "bool" in (a.type.kind, b.type.kind):
            truth = a if a.type.kind == "bool" else b
            help_text = f"write `{self.text(truth)}` or `not {self.text(truth)}`"
        elif {a.type.kind, b.type.kind} in ({"text", "date"}, {"text", "instant"}):
            help_text = "a day is a parameter, written `value: 2026-01-31` without quotes"
        elif "text" in (a.type.kind, b.type.kind):
            help_text = "a number is written without quotes, as a parameter; a text in single quotes"
        elif {a.type.kind, b.type.kind} == {"date", "instant"}:
            help_text = "write `utc_day(…)` around the instant"
        return self.problem(node, "type-mismatch", message, help_text)

    def _closed_values(self, column: Typed, constant: Typed) -> None:
        """A text or int that a closed set does not hold can never match."""
        if not isinstance(constant, Constant) or not isinstance(column, ColumnRef) or constant.dated:
            return
        legal = self.one_of(column)
        for option in constant.options if legal else ():
            if str(option.value) not in legal:
                message = f"`{option.value}` is no value of `{column.name}`"
                node = tree.Node(constant.start, constant.end)
                self.problem(node, "not-one-of", message, did_you_mean(str(option.value), legal, "values"))

    def one_of(self, column: ColumnRef) -> tuple[str, ...]:
        """The closed set of a column, empty if it is open. The checker, which knows the relations, overrides this."""
        return ()

    def place_of(self, column: ColumnRef) -> Place | None:
        """Where a column is declared. The checker, which knows the relations, overrides this."""
        return None

    def membership(self, value: Typed, members: tuple[Typed, ...], node: tree.Node) -> Typed:
        pairs = [self.comparison("=", value, member, node) for member in members]
        if any(p is self.UNKNOWN for p in pairs):
            return self.UNKNOWN
        compares = [p for p in pairs if isinstance(p, Compare)]
        nullable = any(p.nullable for p in pairs)
        if len(compares) == len(pairs) and all(p.left == compares[0].left for p in compares):
            right = tuple(p.right for p in compares)
            return In(BOOL, None, nullable, node.start, node.end, compares[0].left, right)
        return Junction(BOOL, None, nullable, node.start, node.end, "or", tuple(pairs))


def _free_text(value: Typed) -> bool:
    return isinstance(value, Constant) and value.type == TEXT


def _is_literal(value: Typed) -> bool:
    return isinstance(value, Constant) and value.name is None
