"""What only views may call, and what they may do with units: the language of expressions has none of it."""

from __future__ import annotations

from ..frozen import replace
from ..model import ValueType
from . import numbers, quotients, tree, units
from .typed import INT, TEXT, Constant, Function, Typed
from .types import Checker

OF_TWO = "a unit of two"
"""The unit of a product or quotient of two units, until the view declares it. No author can write it: it has blanks."""


class CallsOfViews(Checker):
    """The calls of views."""

    def unit_of_two(self, op: str) -> str | None:
        return OF_TWO if op in ("*", "/") else None

    def call(self, node: tree.Call, args: tuple[Typed, ...]) -> Typed:
        if node.name not in ("substr", "quotient"):
            return super().call(node, args)
        if self.UNKNOWN in args:
            return self.UNKNOWN
        if node.name == "quotient":
            return self._quotient(node, args)
        whole = tuple(_as_int(arg) for arg in args[1:])
        if len(args) != 3 or args[0].type != TEXT or any(arg.type != INT for arg in whole):
            return self.problem(node, "wrong-arguments", "`substr` takes (text, int, int)", "`substr(t, start, n)`")
        return Function(TEXT, None, True, node.start, node.end, "substr", (args[0], *whole))

    def _quotient(self, node: tree.Call, args: tuple[Typed, ...]) -> Typed:
        exact = len(args) == 3 and all(a.type.kind in ("int", "decimal") for a in args[:2])
        places = quotients.places_of(args[2]) if exact else None
        if places is None:
            message = "`quotient` takes two exact numbers, and how many places (0 to 9, a parameter) the result has"
            return self.problem(node, "wrong-arguments", message, "`quotient(a, b, places)`; a float is never exact")
        sides = quotients.aligned(args[:2], places)
        if isinstance(sides, int):
            return self.too_wide(node, sides)
        unit = units.of_quotient(args[0].unit or "none", args[1].unit or "none") or OF_TWO
        kind = ValueType("decimal", quotients.DIGITS, places)
        return Function(kind, unit, True, node.start, node.end, "quotient", sides)


def _as_int(value: Typed) -> Typed:
    return replace(value, type=INT) if isinstance(value, Constant) and value.whole and not value.dated else value


def fitted(value_type: ValueType, target: ValueType) -> bool:
    """Whether a declared type can be asked of a value: both are exact numbers whose common form has a place."""
    if "float" in (value_type.kind, target.kind) or not (value_type.is_number and target.is_number):
        return value_type == target
    common = numbers.smallest((numbers.as_decimal(value_type), numbers.as_decimal(target)))
    return common.digits <= numbers.MAX_DIGITS
