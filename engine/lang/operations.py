"""Operations, functions and aggregates: what they take and what type they give."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ..frozen import replace
from ..model import ValueType
from . import numbers, tree, units
from .comparisons import ComparisonRules
from .constants import to_decimal, to_float
from .typed import (
    ANY_UNIT,
    BOOL,
    DATE,
    FLOAT,
    INSTANT,
    INT,
    TEXT,
    AggregateRef,
    Arithmetic,
    ColumnRef,
    Constant,
    Function,
    Shift,
    Typed,
)

_SIGNATURES: Mapping[str, tuple[tuple[ValueType, ...], ValueType]] = {
    "length": ((TEXT,), INT),
    "lower": ((TEXT,), TEXT),
    "upper": ((TEXT,), TEXT),
    "starts_with": ((TEXT, TEXT), BOOL),
    "ends_with": ((TEXT, TEXT), BOOL),
    "contains": ((TEXT, TEXT), BOOL),
    "year": ((DATE,), INT),
    "month": ((DATE,), INT),
    "day": ((DATE,), INT),
    "utc_day": ((INSTANT,), DATE),
    "days_between": ((DATE, DATE), INT),
}
_UNITS_OF_FUNCTIONS = {"length": "none", "year": "none", "month": "none", "day": "none", "days_between": "day"}
_MAX_SUMMED_DIGITS = 27


class OperationRules(ComparisonRules):
    """The rules for values that are made of values."""

    def unit_of_two(self, op: str) -> str | None:
        """The unit of a product or quotient of two units. None: that is refused, but in views, which override this."""
        return None

    # -- operations --------------------------------------------------------------------------------------------

    def arithmetic(self, node: tree.Arithmetic, left: Typed, right: Typed) -> Typed:
        if left is self.UNKNOWN or right is self.UNKNOWN:
            return self.UNKNOWN
        for side in (left, right):
            if not side.type.is_number:
                help_text = (
                    "for days, write `+ interval (n) day` or `days_between(a, b)`"
                    if side.type.kind
                    in (
                        "date",
                        "instant",
                    )
                    else None
                )
                message = f"`{self.text(side)}` is {self.describe(side)}, and `{node.op}` works on numbers"
                return self.problem(node, "type-mismatch", message, help_text)
        rule = {"*": units.of_product, "/": units.of_quotient}.get(node.op, units.of_sum)
        unit = rule(left.unit or "none", right.unit or "none") or self.unit_of_two(node.op)
        if unit is None:
            message = f"`{self.text(left)}` is in {left.unit} and `{self.text(right)}` in {right.unit}"
            return self.problem(
                node,
                "unit-mismatch",
                message,
                self.units_help(left, right)
                if node.op in ("+", "-")
                else f"let the facts bring the result of `{node.op}`, with a unit of its own",
            )
        span = (node.start, node.end, node.op)
        if node.op == "/":
            return Arithmetic(FLOAT, unit, True, *span, to_float(left), to_float(right))
        pair = self.beside(left, right)
        assert pair is not None
        a, b = pair
        if a.type.kind != "decimal":
            return Arithmetic(a.type, unit, True, *span, a, b)
        result = numbers.of_operation(node.op, a.type, b.type)
        limit = numbers.MAX_PRODUCT_DIGITS if node.op == "*" else numbers.MAX_DIGITS
        if result.digits > limit:
            return self.too_wide(node, result.digits, limit)
        return Arithmetic(result, unit, a.nullable or b.nullable, *span, a, b)

    def shift(self, node: tree.Shift, value: Typed, amount: Typed) -> Typed:
        if value is self.UNKNOWN or amount is self.UNKNOWN:
            return self.UNKNOWN
        if value.type != DATE:
            message = f"`{self.text(value)}` is {self.describe(value)}, and an interval is added to a date"
            help_text = "write `utc_day(…)` around the instant" if value.type == INSTANT else None
            return self.problem(node, "type-mismatch", message, help_text)
        if isinstance(amount, Constant) and amount.whole and amount.type.kind in ("decimal", "int"):
            if all(numbers.fits_int(o.value) for o in amount.options if isinstance(o.value, Decimal)):
                amount = replace(amount, type=INT)
        negative = isinstance(amount, Constant) and amount.name is None and amount.options[0].value == -1
        if amount.type != INT or negative or not isinstance(amount, (Constant, ColumnRef)):
            message = f"`{self.text(amount)}` is no whole number of {node.unit}s"
            help_text = f"write 0, 1, a parameter or an int column with `unit: {node.unit}`"
            return self.problem(node, "wrong-arguments", message, help_text)
        if amount.unit not in (node.unit, ANY_UNIT):
            message = f"`{self.text(amount)}` is in {amount.unit}, and the interval in {node.unit}"
            return self.problem(node, "unit-mismatch", message, self.in_unit(amount, node.unit))
        return Shift(DATE, None, True, node.start, node.end, value, node.sign, amount, node.unit)

    # -- functions ---------------------------------------------------------------------------------------------

    def call(self, node: tree.Call, args: tuple[Typed, ...]) -> Typed:
        if self.UNKNOWN in args:
            return self.UNKNOWN
        if node.name == "coalesce":
            return self._coalesce(node, args)
        if node.name == "abs":
            if len(args) != 1 or not args[0].type.is_number:
                return self.problem(node, "wrong-arguments", "`abs` takes one number")
            nullable = args[0].nullable or args[0].type == INT
            return Function(args[0].type, args[0].unit, nullable, node.start, node.end, "abs", args)
        wanted, result = _SIGNATURES[node.name]
        if tuple(a.type for a in args) != wanted:
            got = ", ".join(str(a.type) for a in args) or "nothing"
            message = f"`{node.name}` takes ({', '.join(map(str, wanted))}), and here is ({got})"
            return self.problem(node, "wrong-arguments", message)
        if node.name in ("starts_with", "ends_with", "contains") and not isinstance(args[1], Constant):
            message = f"`{node.name}` looks for a literal or a parameter, and `{self.text(args[1])}` is neither"
            return self.problem(node, "wrong-arguments", message)
        unit = _UNITS_OF_FUNCTIONS.get(node.name)
        return Function(result, unit, any(a.nullable for a in args), node.start, node.end, node.name, args)

    def _coalesce(self, node: tree.Call, args: tuple[Typed, ...]) -> Typed:
        if len(args) < 2:
            return self.problem(node, "wrong-arguments", "`coalesce` takes two or more values")
        made = self._one_type(args)
        if made is None or self.UNKNOWN in made:
            kinds = ", ".join(f"`{self.text(a)}` {self.describe(a)}" for a in args)
            return self.problem(node, "type-mismatch", f"`coalesce` takes values of one type: {kinds}")
        unit = made[0].unit
        for other in made[1:]:
            unit = units.of_sum(unit, other.unit) if unit and other.unit else unit
            if unit is None and made[0].unit is not None:
                return self.problem(node, "unit-mismatch", "`coalesce` takes values of one unit")
        if made[0].type.digits > numbers.MAX_DIGITS:
            return self.too_wide(node, made[0].type.digits)
        nullable = all(a.nullable for a in made)
        return Function(made[0].type, unit, nullable, node.start, node.end, "coalesce", made)

    def _one_type(self, args: tuple[Typed, ...]) -> tuple[Typed, ...] | None:
        free = [isinstance(a, Constant) and not a.fixed for a in args]
        bound = {a.type.kind for a, is_free in zip(args, free, strict=True) if not is_free}
        if all(a.type.is_number for a in args):
            if len(bound) > 1:
                return None
            if bound == {"float"}:
                return tuple(to_float(a) for a in args)
            if bound == {"int"}:
                pairs = [self.beside(next(a for a in args if a.type == INT), a) for a in args]
                made = tuple(p[1] for p in pairs if p)
                return made if all(m.type == INT for m in made) else None
            common = numbers.smallest(a.type for a in args)
            return tuple(to_decimal(a, common) for a in args)
        lead = next((a for a in args if a.type.kind == "levels"), args[0])
        found = [self.beside(lead, a) for a in args]
        return tuple(p[1] for p in found if p) if all(found) else None

    # -- aggregates --------------------------------------------------------------------------------------------

    def aggregate(self, node: tree.Aggregate, argument: Typed | None, condition: Typed | None) -> Typed:
        kind: ValueType | None = INT
        unit: str | None = "none"
        if node.name in ("any", "all"):
            kind, unit = BOOL, None
        elif argument is not None and node.distinct:
            if argument.type == FLOAT:
                message = "floats are not counted apart: nearly equal is not equal"
                return self.problem(node, "float-equality", message, "declare the column as decimal")
        elif argument is not None and node.name in ("sum", "avg"):
            kind, unit = self._type_of_sum(node, argument), argument.unit
        elif argument is not None and node.name in ("min", "max"):
            kind, unit = argument.type, argument.unit
        if kind is None:
            return self.UNKNOWN
        span = (node.start, node.end)
        text = self.text(node)
        return AggregateRef(kind, unit, True, *span, node.name, argument, node.distinct, condition, text)

    def _type_of_sum(self, node: tree.Aggregate, argument: Typed) -> ValueType | None:
        if not argument.type.is_number:
            message = f"`{node.name}` takes a number, and `{self.text(argument)}` is {self.describe(argument)}"
            self.problem(node, "wrong-arguments", message)
            return None
        kind = argument.type
        if kind.kind == "decimal" and kind.digits > _MAX_SUMMED_DIGITS:
            self.too_wide(node, kind.digits, _MAX_SUMMED_DIGITS)
            return None
        return FLOAT if node.name == "avg" else sum_type(kind)


def sum_type(t: ValueType) -> ValueType:
    """The decimal that a sum of values of this type has."""
    if t.kind == "int":
        return ValueType("decimal", 30, 0)
    if t.kind == "float":
        return ValueType("decimal", 37, 12)
    return ValueType("decimal", t.digits + 11, t.places)
