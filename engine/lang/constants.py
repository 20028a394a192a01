"""Constants: literals and parameters as typed nodes, and the conversions that bring a number to another type."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from ..errors import Problem, did_you_mean
from ..frozen import replace
from ..model import Column, Expression, Parameter, ValueType
from . import numbers, tree
from .lex import expression_problem
from .typed import ANY_UNIT, BOOL, FLOAT, TEXT, Coerce, Constant, Option, Typed

_NO_TEXTS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
"""Words that are a text in YAML, or read as one, only in quotes."""


class ConstantRules:
    """The rules for constants, and how problems are reported: each method gives a typed node, or UNKNOWN."""

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
        kind = f"a level ({value.type.in_order})" if value.type.levels else kind
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

    def named_threshold(self, text: str, column: str, op: str) -> str:
        """Help for a text that bounds a column: the parameter to write in its place. `op` stands behind the column."""
        name = f"{'least' if op in ('>', '>=') else 'most'}_{column}"[:63]
        plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*", text) and text.lower() not in _NO_TEXTS
        value = text if plain else json.dumps(text, ensure_ascii=False)
        entry = f"params: {{{name}: {{value: {value}, origin: convention, because: …}}}}"
        return f"write `{name}` here, and declare it: `{entry}`"

    def too_wide(self, node: tree.Node, digits: int, limit: int = numbers.MAX_DIGITS) -> Typed:
        message = f"`{self.text(node)}` needs {digits} digits, at most {limit} are exact"
        return self.problem(
            node, "decimal-too-wide", message, "declare the columns, or write the parameter, with fewer digits"
        )

    # -- constants ---------------------------------------------------------------------------------------------

    def literal(self, node: tree.Node) -> Typed:
        span = (node.start, node.end)
        if isinstance(node, tree.TruthLiteral):
            return Constant(BOOL, None, False, *span, None, (Option(node.value),))
        if isinstance(node, tree.TextLiteral):
            return Constant(TEXT, None, False, *span, None, (Option(node.value),))
        if isinstance(node, tree.NumberLiteral):
            if node.digits.lstrip("-") not in ("0", "1"):
                entry = f"threshold: {{value: {node.digits}, unit: …, origin: convention, because: …}}"
                help_text = f"add `{entry}` under `params`, and write `threshold` here (or a better name)"
                return self.problem(node, "bare-number", f"`{node.digits}` has no origin", help_text)
            value = Decimal(node.digits)
            kind = numbers.type_of_digits(abs(value))
            return Constant(kind, ANY_UNIT, False, *span, None, (Option(value),), whole=True)
        message = "`null` stands only behind `is` and `is not`"
        return self.problem(node, "not-a-value", message, "write `x is null`")

    def constant_of(self, parameter: Parameter, node: tree.Node) -> Typed:
        """A parameter as a constant, with all its dated values."""
        options = tuple(Option(v.value, v.start, v.until) for v in parameter.values)
        return self._constant(parameter, node, options, self._kind_of(parameter))

    def members_of(self, parameter: Parameter, node: tree.Node) -> tuple[Typed, ...]:
        """The members of a list parameter, each a constant of the type that holds all of them."""
        kind = self._kind_of(parameter)
        return tuple(self._constant(parameter, node, (Option(v.value),), kind) for v in parameter.values)

    def _constant(
        self, parameter: Parameter, node: tree.Node, options: tuple[Option, ...], typing: tuple[ValueType, bool]
    ) -> Constant:
        kind, whole = typing
        unit = parameter.unit if kind.is_number else None
        own_type = parameter.kind in ("int", "float")
        span = (node.start, node.end)
        return Constant(kind, unit, parameter.dated, *span, parameter.name, options, parameter.dated, whole, own_type)

    def _kind_of(self, parameter: Parameter) -> tuple[ValueType, bool]:
        if parameter.kind != "number":
            return ValueType(parameter.kind), parameter.kind == "int"
        found = [v.value for v in parameter.values if isinstance(v.value, Decimal)]
        return numbers.smallest(numbers.type_of_digits(v) for v in found), all(numbers.is_whole(v) for v in found)


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


def trimmed(value: Typed) -> Typed:
    """A decimal constant without zeros at the end, so that it does not ask for places that say nothing."""
    if not isinstance(value, Constant) or value.type.kind != "decimal":
        return value
    found = [numbers.trimmed(o.value) for o in value.options if isinstance(o.value, Decimal)]
    return replace(value, type=numbers.smallest(numbers.type_of_digits(v) for v in found))
