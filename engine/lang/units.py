"""Units of numbers (`docs/semantics.md`, section 1): part of the type, checked before anything runs.

A unit here is a name, `none`, or ANY_UNIT for the literals 0 and 1. Each function gives the unit of the result, or None
where the units do not go together.
"""

from __future__ import annotations

from ..model import UNIT_NONE
from .typed import ANY_UNIT

RATIOS = frozenset({"share", "probability"})


def _counts_as_none(unit: str) -> bool:
    return unit in RATIOS or unit in (UNIT_NONE, ANY_UNIT)


def of_sum(a: str, b: str) -> str | None:
    """For `+ -`, comparisons, `between`, `in` and `coalesce`: equal units; a ratio goes with `none`."""
    if a == b or b == ANY_UNIT:
        return a
    if a == ANY_UNIT:
        return b
    if UNIT_NONE in (a, b) and (a in RATIOS or b in RATIOS):
        return UNIT_NONE
    return None


def of_product(a: str, b: str) -> str | None:
    """For `*`: one side counts as `none`; the other's unit is kept."""
    if a == ANY_UNIT:
        return b
    if b in (ANY_UNIT, UNIT_NONE):
        return a
    if a == UNIT_NONE:
        return b
    if a in RATIOS and b in RATIOS:
        return a if a == b else UNIT_NONE
    if b in RATIOS:
        return a
    if a in RATIOS:
        return b
    return None


def of_quotient(a: str, b: str) -> str | None:
    """For `/`: equal units give `none`; else what is below counts as `none`, and the other's unit is kept."""
    if a == b or a == ANY_UNIT or b == ANY_UNIT:
        return a if b == ANY_UNIT and a != ANY_UNIT else UNIT_NONE
    return a if _counts_as_none(b) else None
