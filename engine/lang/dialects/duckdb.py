"""DuckDB's spelling of the portable core: each method is one operation of `docs/semantics.md`, with its null rules.

Values reach SQL only as typed literals made here. Patterns that could overflow, err or give a non-finite double are
written so that they give null; none evaluates an operand more often than a fixed number of times.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from ...errors import InternalError
from ...model import ParameterValue, ValueType

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_INLINE = 160
"""Up to so many characters an operand is repeated in a CASE; a longer one goes through a list of one."""
_MAX_DAYS = 4_000_000
_MAX_MONTHS = 120_000
FIRST_DAY = "DATE '0001-01-01'"
LAST_DAY = "DATE '9999-12-31'"

NULL_BOOL = "CAST(NULL AS BOOLEAN)"


def quote(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: str) -> str:
    """A text as a literal. U+0000 cannot stand in SQL text, so it is joined in."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"


def type_name(t: ValueType) -> str:
    """The column type. Levels are their ranks, 1 for the lowest; instants are UTC without a zone."""
    if t.kind == "decimal":
        return f"DECIMAL({t.digits},{t.places})"
    if t.kind == "levels":
        return "UTINYINT" if len(t.levels) < 2**8 else "USMALLINT" if len(t.levels) < 2**16 else "UINTEGER"
    return {
        "text": "VARCHAR",
        "int": "BIGINT",
        "float": "DOUBLE",
        "bool": "BOOLEAN",
        "date": "DATE",
        "instant": "TIMESTAMP",
    }[t.kind]


def least_distinct(x: str, taking_part: str) -> str:
    """A lower bound of how many values there are, for any type but floats: values fall into 62 boxes by their hash.

    A box that is not empty holds one value at least. It costs a third of an exact count of many groups.
    """
    box = f"CAST(1 AS BIGINT) << CAST(hash({x}) % 62 AS BIGINT)"
    return f"CAST(coalesce(bit_count(bit_or({box}) FILTER (({taking_part}) AND {x} IS NOT NULL)), 0) AS BIGINT)"


def literal(value: ParameterValue, t: ValueType) -> str:
    """A constant as a typed literal. Floats are the nearest double of the number's digits."""
    if t.kind == "bool":
        return "TRUE" if value else "FALSE"
    if t.kind == "text":
        return text_literal(str(value))
    if t.kind == "levels":
        return f"CAST({t.levels.index(str(value)) + 1} AS {type_name(t)})"
    if t.kind == "float" and isinstance(value, Decimal):
        return f"CAST('{float(value) + 0.0!r}' AS DOUBLE)"
    if t.kind in ("int", "decimal") and isinstance(value, Decimal):
        return f"CAST('{value:f}' AS {type_name(t)})"
    if t.kind == "instant" and isinstance(value, datetime):
        return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(' ', 'microseconds')}'"
    if t.kind == "date" and isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    raise InternalError(f"no literal of {t} for {value!r}")


def day_literal(day: date) -> str:
    return f"DATE '{day.isoformat()}'"


def keep_if(value: str, condition: Callable[[str], str]) -> str:
    """The value where the condition on it is true, else null."""
    if len(value) <= _INLINE:
        return f"CASE WHEN {condition(value)} THEN {value} END"
    return f"list_filter([{value}], lambda v_: {condition('v_')})[1]"


def finite(value: str) -> str:
    return keep_if(value, lambda v: f"isfinite({v})")


def coerce(value: str, source: ValueType, target: ValueType) -> str:
    """A number as a wider decimal or as the nearest double. Doubles of long decimals go by their digits: exact."""
    if target.kind == "float":
        if source.kind == "decimal" and source.digits > 15:
            return f"CAST(CAST({value} AS VARCHAR) AS DOUBLE)"
        return f"CAST({value} AS DOUBLE)"
    return f"CAST({value} AS {type_name(target)})"


def int_operation(op: str, left: str, right: str) -> str:
    """int op int, null outside 64 bits. The operands cannot overflow 128 bits."""
    return f"TRY_CAST(CAST({left} AS HUGEINT) {op} CAST({right} AS HUGEINT) AS BIGINT)"


def decimal_operation(op: str, left: str, right: str, lt: ValueType, rt: ValueType, result: ValueType) -> str:
    """decimal op decimal, exact: the result type was checked to hold every value."""
    if op == "*":
        a, b = f"CAST({left} AS DECIMAL(38,{lt.places}))", f"CAST({right} AS DECIMAL(38,{rt.places}))"
    else:
        a, b = f"CAST({left} AS {type_name(result)})", f"CAST({right} AS {type_name(result)})"
    return f"CAST({a} {op} {b} AS {type_name(result)})"


def float_operation(op: str, left: str, right: str) -> str:
    """double op double, as the machine gives it: the caller makes what is not finite null."""
    return f"({left} / nullif({right}, CAST(0 AS DOUBLE)))" if op == "/" else f"({left} {op} {right})"


def shift(value: str, amount: str, sign: int, step: str) -> str:
    """date ± days or months; null outside years 1 to 9999. Months clamp to the last day of the month."""
    bound = _MAX_DAYS if step == "day" else _MAX_MONTHS
    steps = f"{'-' if sign < 0 else ''}TRY_CAST({amount} AS INTEGER)"
    moved = f"{value} + ({steps})" if step == "day" else f"CAST({value} + to_months({steps}) AS DATE)"
    safe = f"CASE WHEN {amount} BETWEEN -{bound} AND {bound} THEN {moved} END"
    return keep_if(f"({safe})", lambda v: f"{v} BETWEEN {FIRST_DAY} AND {LAST_DAY}")


def function(name: str, args: list[str], t: ValueType) -> str:
    """A function of the language over non-aggregate arguments; null if one is null, but for coalesce."""
    if name == "abs" and t.kind == "int":
        return f"TRY_CAST(abs(CAST({args[0]} AS HUGEINT)) AS BIGINT)"
    if name == "abs":
        return f"abs({args[0]})" if t.kind == "float" else f"CAST(abs({args[0]}) AS {type_name(t)})"
    if name == "lower":
        return f"translate({args[0]}, '{_UPPER}', '{_UPPER.lower()}')"
    if name == "upper":
        return f"translate({args[0]}, '{_UPPER.lower()}', '{_UPPER}')"
    if name == "days_between":
        return f"date_diff('day', {args[0]}, {args[1]})"
    if name == "utc_day":
        return f"CAST({args[0]} AS DATE)"
    if name in ("year", "month", "day"):
        return f"CAST({name}({args[0]}) AS BIGINT)"
    return f"{name}({', '.join(args)})"


def summed(argument: str, source: ValueType) -> str:
    """What is added up for one row of a sum: exact in any order."""
    if source.kind == "float":
        return f"CAST(round({argument} * CAST('1e12' AS DOUBLE)) AS HUGEINT)"
    return f"CAST({argument} AS DECIMAL(19,0))" if source.kind == "int" else argument


def summable(argument: str, source: ValueType) -> str | None:
    """The condition on one value under which its sum is exact; None if there is none."""
    return f"abs({argument}) < CAST('1e14' AS DOUBLE)" if source.kind == "float" else None


def sum_result(total: str, source: ValueType, target: ValueType) -> str:
    if source.kind == "float":
        scaled = f"CAST({total} AS DECIMAL(38,0)) * CAST('0.000000000001' AS DECIMAL(38,12))"
        return f"CAST({scaled} AS {type_name(target)})"
    return f"CAST({total} AS {type_name(target)})"
