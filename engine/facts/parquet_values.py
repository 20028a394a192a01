"""The values of a Parquet column: how they are read, and which of them its declaration refuses, both as SQL."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from ..frozen import dataclass
from ..limits import Limits
from ..model import Column, ValueType
from .bad_values import BadValue, not_listed, null_value, out_of_bounds, shown, value_problem
from .sql import listed, literal, name, sql_type


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on a raw column that only wrong values meet. `shown` is SQL for the text that goes to `problem`."""

    condition: str
    shown: str
    problem: Callable[[str], BadValue]


def projection(column: Column, found: str | None) -> str:
    """The column as declared, from a file where it has the DuckDB type `found`, or is not there.

    No function stands around a column that has the declared type already, so that filters reach the file.
    """
    kind, raw, declared = column.type, name(column.name), sql_type(column.type)
    if found is None:
        return f"NULL::{declared}"
    if kind.kind == "levels":
        ranks = " ".join(f"WHEN {literal(level)} THEN {rank}" for rank, level in enumerate(kind.levels, start=1))
        return f"(CASE {raw} {ranks} END)::{declared}"
    if kind.kind == "instant":
        return f"make_timestamp(epoch_us({raw}))"
    return raw if found == declared else f"{raw}::{declared}"


def checks(column: Column, limits: Limits) -> list[Check]:
    """What is counted in the one scan. All are false for null, but the first."""
    raw = name(column.name)
    text = f"left({raw}::VARCHAR, 100)"
    made = [Check(f"{raw} IS NULL", "''", lambda _: null_value(column))] if column.required else []
    kind = column.type.kind
    if kind == "text":
        made.append(Check(f"length({raw}) > {limits.text_length}", f"length({raw})", _too_long(limits.text_length)))
    if kind == "levels":
        made.append(
            Check(f"{raw} NOT IN ({listed(column.type.levels)})", text, lambda v: not_listed(v, column.type.levels))
        )
    elif column.one_of is not None:
        members = listed(column.one_of) if kind == "text" else ", ".join(str(int(one)) for one in column.one_of)
        made.append(Check(f"{raw} NOT IN ({members})", text, lambda v: not_listed(v, column.one_of or ())))
    if kind == "float":
        made.append(Check(f"NOT isfinite({raw})", text, _not_finite))
    if kind == "date":
        made.append(Check(f"({raw} < DATE '0001-01-01' OR {raw} > DATE '9999-12-31')", text, _outside_calendar))
    if kind == "instant":
        made.append(Check(_outside_years(raw), text, _outside_calendar))
    if column.type.is_number:
        outside = _outside(column)
        if outside:
            made.append(Check(outside, text, lambda v: out_of_bounds(v, column)))
    return made


def _outside_years(raw: str) -> str:
    first, last = "'0001-01-01 00:00:00+00'::TIMESTAMPTZ", "'9999-12-31 23:59:59.999999+00'::TIMESTAMPTZ"
    return f"({raw} < {first} OR {raw} > {last})"


def _outside(column: Column) -> str | None:
    """The condition for `min` and `max`. Bounds are brought to the column's own type first, so comparing is exact."""
    raw = name(column.name)
    if column.type.kind == "float":
        low = f"{raw} < {float(column.low)!r}::DOUBLE" if column.low is not None else ""
        high = f"{raw} > {float(column.high)!r}::DOUBLE" if column.high is not None else ""
        return f"(isfinite({raw}) AND ({' OR '.join(filter(None, (low, high)))}))" if low or high else None
    least, most = _range(column.type)
    parts = []
    if column.low is not None:
        low_bound = _to_places(column.low, column.type.places, ROUND_CEILING)
        parts.append("true" if low_bound > most else f"{raw} < {low_bound:f}" if low_bound > least else "false")
    if column.high is not None:
        high_bound = _to_places(column.high, column.type.places, ROUND_FLOOR)
        parts.append("true" if high_bound < least else f"{raw} > {high_bound:f}" if high_bound < most else "false")
    return f"({raw} IS NOT NULL AND ({' OR '.join(parts)}))" if parts else None


def _range(kind: ValueType) -> tuple[Decimal, Decimal]:
    if kind.kind == "int":
        return Decimal(-(2**63)), Decimal(2**63 - 1)
    most = Decimal((0, (9,) * kind.digits, -kind.places))
    return -most, most


def _to_places(bound: Decimal, places: int, rounding: str) -> Decimal:
    """A bound with at most `places` decimals, on the side where the same values are within."""
    scaled = bound.scaleb(places, Context(prec=1000))
    whole = math.ceil(scaled) if rounding == ROUND_CEILING else math.floor(scaled)
    return Decimal(whole).scaleb(-places, Context(prec=1000))


def _too_long(limit: int) -> Callable[[str], BadValue]:
    def problem(length: str) -> BadValue:
        return value_problem(
            "fact-limit",
            f"a text of {length} characters, more than the limit `text_length` of {limit}",
            "shorten it, or raise the limit with `--limit text_length=…`",
        )

    return problem


def _not_finite(text: str) -> BadValue:
    return value_problem("fact-range", f"{shown(text)} is no finite number", "write null for what is not known")


def _outside_calendar(text: str) -> BadValue:
    return value_problem(
        "fact-range", f"{shown(text)} is outside the years 1 to 9999", "write null for what is not known"
    )
