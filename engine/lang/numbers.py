"""The types of numbers: digits of constants, and what the operations on decimals give."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from ..model import ValueType

MAX_DIGITS = 38
MAX_PRODUCT_DIGITS = 37
INT_RANGE = (-(2**63), 2**63 - 1)


def type_of_digits(value: Decimal) -> ValueType:
    """The decimal type of a number's own digits: `0.40` is decimal(2,2), `120` decimal(3,0), `0` decimal(1,0)."""
    _, digits, exponent = value.as_tuple()
    places = max(-int(exponent), 0)
    whole = max(len(digits) + int(exponent), 0) if any(digits[: len(digits) + int(exponent)]) else 0
    return ValueType("decimal", max(whole + places, 1), places)


def smallest(types: Iterable[ValueType]) -> ValueType:
    """The smallest decimal type that holds all of these; its digits may exceed 38."""
    listed = list(types)
    places = max(t.places for t in listed)
    return ValueType("decimal", max(t.digits - t.places for t in listed) + places, places)


def as_decimal(t: ValueType) -> ValueType:
    """An int as the decimal that it is beside a decimal."""
    return ValueType("decimal", 19, 0) if t.kind == "int" else t


def of_operation(op: str, a: ValueType, b: ValueType) -> ValueType:
    """The type of `a op b` for decimals, `+ -` or `*`; its digits may exceed the limit."""
    if op == "*":
        return ValueType("decimal", a.digits + b.digits, a.places + b.places)
    places = max(a.places, b.places)
    return ValueType("decimal", max(a.digits - a.places, b.digits - b.places) + 1 + places, places)


def trimmed(value: Decimal) -> Decimal:
    """The same number without zeros at the end of its places, for comparisons, where they mean nothing.

    (`Decimal.normalize` would round to the context's 28 digits.)
    """
    sign, digits, exponent = value.as_tuple()
    places, kept = max(-int(exponent), 0), list(digits)
    while places and kept[-1] == 0:
        kept.pop()
        places -= 1
        kept = kept or [0]
    return Decimal((sign, tuple(kept), -places)) if int(exponent) < 0 else value


def is_whole(value: Decimal) -> bool:
    """Written without a point."""
    return int(value.as_tuple().exponent) >= 0


def fits_int(value: Decimal) -> bool:
    return INT_RANGE[0] <= value <= INT_RANGE[1]
