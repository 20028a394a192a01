"""`quotient(a, b, places)` of views: exact numbers divided, and rounded once, in the open.

`/` is a division of doubles, whose result is nearly what is meant. A mark or a rate that is compared with a limit is
to be exact: here it is the decimal of so many places that is nearest to the true quotient, halves away from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ..model import ValueType
from . import numbers
from .constants import to_decimal
from .typed import Constant, Typed

DIGITS = 18
"""Of the result; a quotient that needs more is null."""
MOST_PLACES = 9
_MAX_WORK = 36
"""Digits that both sides may have at once, scaled up, so that 128 bits hold the doubled numerator."""


def places_of(value: Typed) -> int | None:
    """The number of places that a constant says; None if it says none from 0 to 9."""
    if not isinstance(value, Constant) or not value.whole or len(value.options) != 1:
        return None
    number = value.options[0].value
    return int(number) if isinstance(number, Decimal) and 0 <= number <= MOST_PLACES else None


def aligned(sides: Sequence[Typed], places: int) -> tuple[Typed, ...] | int:
    """Both sides as decimals of equal places; or how many digits they would need, if those are too many."""
    types = [numbers.as_decimal(side.type) for side in sides]
    scale = max(t.places for t in types)
    wanted = [ValueType("decimal", t.digits - t.places + scale, scale) for t in types]
    needed = max(wanted[0].digits + places, wanted[1].digits)
    if needed > _MAX_WORK:
        return needed
    return tuple(to_decimal(side, t) for side, t in zip(sides, wanted, strict=True))


def sql(above: str, below: str, places: int) -> str:
    """DuckDB's spelling, for two decimals of equal places: their digits are divided as 128-bit whole numbers."""
    digits = "CAST(replace(CAST({} AS VARCHAR), '.', '') AS HUGEINT)"
    pair = f"{{'a': {digits.format(above)} * CAST('1{'0' * places}' AS HUGEINT), 'b': {digits.format(below)}}}"
    whole = "(abs(p_.a) * 2 + abs(p_.b)) // (abs(p_.b) * 2)"
    signed = f"CASE WHEN (p_.a < 0) = (p_.b < 0) THEN {whole} ELSE -({whole}) END"
    least = "0." + "0" * (places - 1) + "1" if places else "1"
    unit = f"CAST('{least}' AS DECIMAL({places + 1},{places}))"
    target = f"DECIMAL({DIGITS},{places})"
    scaled = f"CAST(CAST({signed} AS DECIMAL({DIGITS},0)) * {unit} AS {target})"
    kept = f"CASE WHEN {whole} < CAST('1{'0' * DIGITS}' AS HUGEINT) THEN {scaled} END"
    given = f"CASE WHEN ({above}) IS NULL OR ({below}) IS NULL OR ({below}) = 0 THEN NULL ELSE {pair} END"
    return f"list_transform([{given}], lambda p_: CASE WHEN p_ IS NOT NULL THEN {kept} END)[1]"
