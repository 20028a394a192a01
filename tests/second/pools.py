"""Columns and small pools of values that collide, so that comparisons sit at their boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from .values import BOOL, DATE, FLOAT, HIGHEST, INSTANT, INT, LOWEST, TEXT, Type, Value

LEVELS = Type("levels", levels=("low", "mid", "high", "B10", "B9"))
WORDS = (
    "a", "b", "A", "", "ab", "\u00e9", "e\u0301", "\U0001f600", "\uffff", "\ue000", "it's", "%", "a_", "\\",
    " a", "\u00df", "a\u0000", "\u212a", "\u0130", "\U0001f1ea\U0001f1f8", "i\u0307",
)  # fmt: skip
SMALL = (0, 1, 2, 3, -1, 7)
LARGE = (0, 1, HIGHEST, LOWEST, HIGHEST - 1, LOWEST + 1, 3037000500, -1, 2**62, 2**53 + 1)
CENTS = tuple(Fraction(each) for each in ("0.00", "0.10", "0.20", "0.30", "1.00", "-0.30", "2.50", "999.99"))
WIDE = tuple(Fraction(each) for each in (0, 1, 10**38 - 1, 1 - 10**38, 10**37, 10**38 - 2, -1))
FINE = tuple(
    Fraction(each, 10**10)
    for each in (
        0, 1, -1, 10**10, 10**38 - 1, 3 * 10**9, 1234567890123456789 * 10**10 + 123456789, 7,
        # Dividing the nearest double of these by 10^10 gives another double than the nearest one of the quotient.
        32499616396817156537457292328299486795, 90398234004464646472528991422935515779,
    )
)  # fmt: skip
POINTS = (0.0, 0.1, 0.2, 0.30000000000000004, 0.3, 1.0, -0.3, 0.5, 2.5, 1e-13, 5e-13, -0.0)
FLOWS = (
    1e14, 99999999999999.98, -99999999999999.98, 1.0, 0.5, -1e14, 1e308, 5e-324, 1.7976931348623157e308, -1e308,
    12345678.123456789, 1.5e-12, 2.5e-12, -2.5e-12, 99999999999999.5,
)  # fmt: skip
BROADLY = (float(2**53), float(2**63), -float(2**63), 3037000500.0, 0.5, 0.0, 9223372036854774784.0)
LENGTHS = (
    1234567890123456789.0, 0.3, 1e28, 3.2499616396817153e27, 3.249961639681716e27, 0.0, 7e-10, 9.039823400464648e27,
)  # fmt: skip
PARTS = tuple(Fraction(each, 100) for each in (0, 50, 100, 2, 33))
CHANCES = (0.0, 0.5, 0.4, 0.6, 1.0, 0.02)
DAYS = tuple(
    date.fromisoformat(each)
    for each in (
        "2024-06-30", "2024-07-01", "2024-07-02", "2024-01-31", "2024-02-29", "2023-02-28", "2024-12-31", "0001-01-01",
        "9999-12-31", "2024-03-31", "2024-02-01",
    )
)  # fmt: skip
MOMENTS = tuple(
    datetime.fromisoformat(each)
    for each in (
        "2024-06-30T23:59:59.999999", "2024-07-01T00:00:00", "2024-07-01T00:00:00.1", "0001-01-01T00:00:00",
        "9999-12-31T23:59:59.999999", "2024-02-29T12:30:00",
    )
)  # fmt: skip
STEPS = (0, 1, 2, -1, 12, 31, 3700000, HIGHEST, LOWEST)


@dataclass(frozen=True)
class Column:
    name: str
    type: Type
    unit: str | None
    pool: tuple[Value, ...]
    required: bool = False


def _columns(*entries: tuple[str, Type, str | None, tuple[Value, ...]]) -> dict[str, Column]:
    return {name: Column(name, kind, unit, pool) for name, kind, unit, pool in entries}


CENT, PART = Type("decimal", 5, 2), Type("decimal", 3, 2)
BROAD, NARROW = Type("decimal", 38, 0), Type("decimal", 38, 10)
CATALOGUE: Mapping[str, Column] = _columns(
    ("word_a", TEXT, None, WORDS), ("word_b", TEXT, None, WORDS), ("mark_a", LEVELS, None, LEVELS.levels),
    ("mark_b", LEVELS, None, LEVELS.levels), ("units_a", INT, "none", SMALL), ("units_b", INT, "none", SMALL),
    ("huge_a", INT, "m", LARGE), ("huge_b", INT, "m", LARGE), ("huge_f", FLOAT, "m", BROADLY),
    ("fine_f", FLOAT, "km", LENGTHS), ("cost_a", CENT, "kg", CENTS),
    ("cost_b", CENT, "kg", CENTS), ("wide_a", BROAD, "km", WIDE), ("wide_b", BROAD, "km", WIDE),
    ("fine_a", NARROW, "km", FINE),
    ("score_a", FLOAT, "point", POINTS), ("score_b", FLOAT, "point", POINTS), ("flow_a", FLOAT, "litre", FLOWS),
    ("flow_b", FLOAT, "litre", FLOWS), ("piece_a", PART, "share", PARTS), ("odds_a", FLOAT, "probability", CHANCES),
    ("weight_f", FLOAT, "kg", (0.0, 0.1, 0.3, 1.0, -0.3)), ("weight_i", INT, "kg", SMALL),
    ("flag_a", BOOL, None, (True, False)), ("flag_b", BOOL, None, (True, False)), ("begun_a", DATE, None, DAYS),
    ("begun_b", DATE, None, DAYS), ("seen_a", INSTANT, None, MOMENTS), ("seen_b", INSTANT, None, MOMENTS),
    ("wait_d", INT, "day", STEPS), ("wait_m", INT, "month", STEPS),
)  # fmt: skip

# Columns that a group may have in `per`: no floats, and required unless the policy says `is not null`.
GROUPING: Mapping[str, Column] = _columns(
    ("team_t", TEXT, None, WORDS), ("team_l", LEVELS, None, LEVELS.levels), ("team_i", INT, "none", SMALL),
    ("team_d", DATE, None, DAYS), ("team_b", BOOL, None, (True, False)), ("team_c", CENT, "kg", CENTS),
    ("team_m", INSTANT, None, MOMENTS),
)  # fmt: skip

# Keys: enough values for the rows of a relation, and together every type that has an order.
KEYS: tuple[tuple[Column, ...], ...] = (
    (Column("id_t", TEXT, None, WORDS, True),),
    (Column("id_i", INT, "none", (*SMALL, HIGHEST, LOWEST, 2**53, 2**53 - 1, -(2**53)), True),),
    (Column("id_l", LEVELS, None, LEVELS.levels, True), Column("id_b", BOOL, None, (True, False), True)),
    (Column("id_d", DATE, None, DAYS, True),),
    (Column("id_c", NARROW, "km", FINE, True), Column("id_m", INSTANT, None, MOMENTS, True)),
)
