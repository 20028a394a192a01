"""Types of values: constants, what may stand beside what, operations, functions and aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from ..errors import Problem, did_you_mean
from ..model import Column, Expression, Parameter, ValueType
from . import numbers, tree, units
from .lex import expression_problem
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
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    CountCompare,
    Function,
    In,
    Junction,
    Option,
    Shift,
    Typed,
    walk,
)

_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SIGNATURES: dict[str, tuple[tuple[ValueType, ...], ValueType]] = {
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


class ValueRules:
    """The rules for values. Each method gives a typed node, or reports a problem and gives UNKNOWN."""

    UNKNOWN: Final = Typed(BOOL, None, True, 0, 0)
    """Stands for a part with a problem: whatever contains it says nothing more about it."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.problems: list[Problem] = []

    # -- words for messages ------------------------------------------------------------------------------------

    def problem(self, node: tree.Node, code: str, message: str, help: str | None = None) -> Typed:
        self.problems.append(expression_problem(self.expression, node.start, node.end, code, message, help))
        return self.UNKNOWN

    def text(self, node: tree.Node | Typed) -> str:
        """The author's words, on one line."""
        return " ".join(self.expression.text[node.start : node.end].split())

    def describe(self, value: Typed) -> str:
        unit = value.unit if value.unit not in (None, ANY_UNIT) else None
        kind = "a number" if isinstance(value, Constant) and value.type.is_number else str(value.type)
        return f"{kind} ({unit})" if unit and unit != "none" else kind

    def suggest(self, name: str, legal: Sequence[str], columns: Mapping[str, Column]) -> str:
        """The nearest name, with its type and unit if it is a column."""
        found = did_you_mean(name, legal, "columns and parameters")
        near = found.removeprefix("did you mean `").removesuffix("`?")
        column = columns.get(near)
        if column is not None:
            unit = f", {column.unit}" if column.unit and column.unit != "none" else ""
            return f"did you mean `{near}` ({column.type}{unit})?"
        return found

    # -- constants ---------------------------------------------------------------------------------------------

    def literal(self, node: tree.Node) -> Typed:
        span = (node.start, node.end)
        if isinstance(node, tree.TruthLiteral):
            return Constant(BOOL, None, False, *span, None, (Option(node.value),))
        if isinstance(node, tree.TextLiteral):
            return Constant(TEXT, None, False, *span, None, (Option(node.value),))
        if isinstance(node, tree.NumberLiteral):
            if node.digits.lstrip("-") not in ("0", "1"):
                help_text = (
                    f"give it a name and an origin: `params: {{limit: {{value: {node.digits}, unit: …, origin: …}}}}`"
                )
                return self.problem(node, "bare-number", f"`{node.digits}` has no origin", help_text)
            value = Decimal(node.digits)
            kind = numbers.type_of_digits(abs(value))
            return Constant(kind, ANY_UNIT, False, *span, None, (Option(value),), whole=True)
        message = "`null` stands only behind `is` and `is not`"
        return self.problem(node, "not-a-value", message, "write `x is null`")

    def constant_of(self, parameter: Parameter, node: tree.Node, which: slice = slice(None)) -> Typed:
        """A parameter as a constant: all its dated values, or the one member that `which` picks from a list."""
        values = parameter.values[which]
        options = tuple(Option(v.value, v.start, v.until) for v in values)
        kind, whole = self._kind_of(parameter)
        return Constant(
            kind,
            parameter.unit if kind.is_number else None,
            parameter.dated,
            node.start,
            node.end,
            parameter.name,
            options,
            parameter.dated,
            whole,
            parameter.kind in ("int", "float"),
        )

    def _kind_of(self, parameter: Parameter) -> tuple[ValueType, bool]:
        if parameter.kind != "number":
            return ValueType(parameter.kind), parameter.kind == "int"
        found = [v.value for v in parameter.values if isinstance(v.value, Decimal)]
        return numbers.smallest(numbers.type_of_digits(v) for v in found), all(numbers.is_whole(v) for v in found)

    def members_of(self, parameter: Parameter, node: tree.Node) -> tuple[Typed, ...]:
        return tuple(self.constant_of(parameter, node, slice(i, i + 1)) for i in range(len(parameter.values)))

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
                return self.problem(node, "unknown-level", message, f"levels: {', '.join(column.type.levels)}")
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
            a, b = (_trimmed(x) for x in (a, b))
            common = numbers.smallest((a.type, b.type))
            if common.digits > numbers.MAX_DIGITS:
                return self._too_wide(node, common.digits)
            a, b = to_decimal(a, common), to_decimal(b, common)
        return Compare(BOOL, None, a.nullable or b.nullable, node.start, node.end, op, a, b)

    def _count_comparison(
        self, op: str, left: Typed, right: Typed, a: Typed, b: Typed, node: tree.Node
    ) -> Typed | None:
        """The comparison by bounds, where a count is one whole side and no aggregate is on the other."""
        for count, other, used in ((left, b, op), (right, a, _FLIPPED[op])):
            if isinstance(count, AggregateRef) and count.is_count:
                if not any(isinstance(n, AggregateRef) for n in walk(other)):
                    other = _trimmed(other)
                    if other.type.kind == "decimal":
                        common = numbers.smallest((numbers.as_decimal(INT), other.type))
                        if common.digits > numbers.MAX_DIGITS:
                            return self._too_wide(node, common.digits)
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
            message = f"{self.text(literal)} is a threshold without an origin"
            self.problem(
                tree.Node(literal.start, literal.end), "bare-constant", message, "give it a name under `params`"
            )
        else:
            return False
        return True

    def _units_differ(self, a: Typed, b: Typed, node: tree.Node) -> bool:
        if a.unit is None or b.unit is None or units.of_sum(a.unit, b.unit) is not None:
            return False
        message = f"`{self.text(a)}` is in {a.unit} and `{self.text(b)}` in {b.unit}"
        self.problem(node, "unit-mismatch", message, "compare numbers of one unit; a view can convert")
        return True

    def _mismatch(self, a: Typed, b: Typed, node: tree.Node) -> Typed:
        sides = " and ".join(f"`{self.text(x)}` is {self.describe(x)}" for x in (a, b))
        message = f"{sides}: they do not go together"
        help_text = None
        if {a.type.kind, b.type.kind} == {"text", "levels"}:
            help_text = "declare both columns with the same levels"
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

    def membership(self, value: Typed, members: tuple[Typed, ...], node: tree.Node) -> Typed:
        pairs = [self.comparison("=", value, member, node) for member in members]
        if self.UNKNOWN in pairs:
            return self.UNKNOWN
        compares = [p for p in pairs if isinstance(p, Compare)]
        nullable = any(p.nullable for p in pairs)
        if len(compares) == len(pairs) and all(p.left == compares[0].left for p in compares):
            right = tuple(p.right for p in compares)
            return In(BOOL, None, nullable, node.start, node.end, compares[0].left, right)
        return Junction(BOOL, None, nullable, node.start, node.end, "or", tuple(pairs))

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
        unit = rule(left.unit or "none", right.unit or "none")
        if unit is None:
            message = f"`{self.text(left)}` is in {left.unit} and `{self.text(right)}` in {right.unit}"
            return self.problem(
                node, "unit-mismatch", message, f"`{node.op}` of these belongs into a view, with a unit"
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
            return self._too_wide(node, result.digits, limit)
        return Arithmetic(result, unit, a.nullable or b.nullable, *span, a, b)

    def _too_wide(self, node: tree.Node, digits: int, limit: int = numbers.MAX_DIGITS) -> Typed:
        message = f"`{self.text(node)}` needs {digits} digits, at most {limit} are exact"
        return self.problem(node, "decimal-too-wide", message, "declare the columns with fewer `digits`")

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
        if amount.type != INT or not isinstance(amount, (Constant, ColumnRef)):
            message = f"`{self.text(amount)}` is no whole number of {node.unit}s"
            help_text = f"write 0, 1, a parameter or an int column with `unit: {node.unit}`"
            return self.problem(node, "wrong-arguments", message, help_text)
        if amount.unit not in (node.unit, ANY_UNIT):
            message = f"`{self.text(amount)}` is in {amount.unit}, and the interval in {node.unit}"
            return self.problem(node, "unit-mismatch", message, f"give it `unit: {node.unit}`")
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
            return self._too_wide(node, made[0].type.digits)
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
            self._too_wide(node, kind.digits, _MAX_SUMMED_DIGITS)
            return None
        return FLOAT if node.name == "avg" else sum_type(kind)


def sum_type(t: ValueType) -> ValueType:
    """The decimal that a sum of values of this type has."""
    if t.kind == "int":
        return ValueType("decimal", 30, 0)
    if t.kind == "float":
        return ValueType("decimal", 37, 12)
    return ValueType("decimal", t.digits + 11, t.places)


def to_float(value: Typed) -> Typed:
    """The value as a double: a constant becomes the nearest one, anything else is converted."""
    if value.type == FLOAT:
        return value
    if isinstance(value, Constant):
        return replace(value, type=FLOAT)
    return Coerce(FLOAT, value.unit, value.nullable, value.start, value.end, value)


def to_decimal(value: Typed, wanted: ValueType) -> Typed:
    """The value as a decimal of these digits, which hold it."""
    if value.type == wanted:
        return value
    if isinstance(value, Constant):
        return replace(value, type=wanted)
    return Coerce(wanted, value.unit, value.nullable, value.start, value.end, value)


def _trimmed(value: Typed) -> Typed:
    """A decimal constant without zeros at the end, so that it does not ask for places that say nothing."""
    if not isinstance(value, Constant) or value.type.kind != "decimal":
        return value
    found = [numbers.trimmed(o.value) for o in value.options if isinstance(o.value, Decimal)]
    return replace(value, type=numbers.smallest(numbers.type_of_digits(v) for v in found))


def _free_text(value: Typed) -> bool:
    return isinstance(value, Constant) and value.type == TEXT


def _is_literal(value: Typed) -> bool:
    return isinstance(value, Constant) and value.name is None
