"""Text of a literal -> typed value of a column, with the bounds of the column.

Anybody may have written a literal, so every number is bounded by its digits before Python computes with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from ..limits import Limits
from ..model import Column
from .bad_values import no_number, not_listed, out_of_bounds, shown, value_problem

Converter = Callable[[object], object]
"""Raw value -> typed value, or `BadValue`. None stands for null on both sides."""

INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def literal_reader(column: Column, limits: Limits) -> Converter:
    """Text of a literal (or a bool) -> value, with the bounds of the column. The inner functions are the hot path."""
    kind = column.type.kind
    if kind == "text":
        return _text(column, limits)
    if kind == "int":
        return _int(column)
    if kind == "decimal":
        return _decimal(column)
    if kind == "float":
        return _float(column)
    if kind == "levels":
        return _levels(column.type.levels)
    if kind == "date":
        return lru_cache(maxsize=4096)(read_date)
    if kind == "instant":
        return read_instant
    return lambda value: value


def _text(column: Column, limits: Limits) -> Converter:
    longest = limits.text_length
    allowed = frozenset(column.one_of) if column.one_of is not None else None

    def text(value: object) -> object:
        assert isinstance(value, str)
        if allowed is not None and value not in allowed:
            raise not_listed(value, column.one_of or ())
        if len(value) > longest:
            raise value_problem(
                "fact-limit",
                f"a text of {len(value)} characters, more than the limit `text_length` of {longest}",
                "shorten it, or raise the limit with `--limit text_length=…`",
            )
        if not value.isascii():
            surrogate = _SURROGATE.search(value)
            if surrogate:
                raise value_problem(
                    "fact-text",
                    f"a lone surrogate, U+{ord(surrogate.group()):04X}, at character {surrogate.start() + 1}: no text",
                    "write the character itself, or both halves of the pair",
                )
        return value

    return text


_SURROGATE = re.compile("[\ud800-\udfff]")


def _int(column: Column) -> Converter:
    low = _INT_MIN if column.low is None else max(_INT_MIN, math.ceil(column.low))
    high = _INT_MAX if column.high is None else min(_INT_MAX, math.floor(column.high))
    listed = frozenset(int(v) for v in column.one_of) if column.one_of is not None else None

    def integer(value: object) -> object:
        assert isinstance(value, str)
        if INT.fullmatch(value) is None:
            raise no_number(value, column.type)
        if len(value) > 20 or not _INT_MIN <= (number := int(value)) <= _INT_MAX:
            raise value_problem("fact-range", f"{shown(value)} is outside 64 bits", "an int is from -2^63 to 2^63 - 1")
        if not low <= number <= high:
            raise out_of_bounds(value, column)
        if listed is not None and number not in listed:
            raise not_listed(value, column.one_of or ())
        return number

    return integer


def _decimal(column: Column) -> Converter:
    digits, places = column.type.digits, column.type.places
    low, high = column.low, column.high

    def decimal(value: object) -> object:
        assert isinstance(value, str)
        number = read_decimal(value, digits, places)
        if number is None:
            raise no_number(value, column.type)
        if (low is not None and Decimal(number) < low) or (high is not None and Decimal(number) > high):
            raise out_of_bounds(value, column)
        return number

    return decimal


def read_decimal(text: str, digits: int, places: int) -> str | None:
    """The digits of a number literal with exactly `places` decimals, or None if it is no number.

    Raises `BadValue` if the value does not fit decimal(digits, places); it is never rounded.
    """
    parts = NUMBER.fullmatch(text)
    if parts is None:
        return None
    sign, whole, fraction, exponent = parts.groups("")
    significant = (whole + fraction).lstrip("0")
    if not significant:
        return "0." + "0" * places if places else "0"
    shift_text = exponent.lstrip("+-").lstrip("0")
    shift = (int(shift_text or "0") if len(shift_text) < 8 else 10**8) * (-1 if exponent.startswith("-") else 1)
    shift -= len(fraction)
    kept = significant.rstrip("0")
    shift += len(significant) - len(kept)
    # The value is kept · 10^shift, kept ending in no zero. Only now is it known to be small enough to write out.
    if -shift > places:
        raise value_problem(
            "fact-range",
            f"{shown(text)} has more than {places} decimals, and a decimal is never rounded",
            "give the column more `places`, or write the number with fewer",
        )
    if len(kept) + shift > digits - places:
        raise value_problem(
            "fact-range",
            f"{shown(text)} has more than {digits - places} digits before the point",
            "give the column more `digits`",
        )
    scaled = kept + "0" * (shift + places)
    if not places:
        return sign + scaled
    padded = scaled.rjust(places + 1, "0")
    return f"{sign}{padded[:-places]}.{padded[-places:]}"


def _float(column: Column) -> Converter:
    low = -math.inf if column.low is None else float(column.low)
    high = math.inf if column.high is None else float(column.high)

    def double(value: object) -> object:
        assert isinstance(value, str)
        if NUMBER.fullmatch(value) is None:
            raise no_number(value, column.type)
        number = float(value) + 0.0  # the sum turns -0.0 into 0.0
        if math.isinf(number):
            raise value_problem("fact-range", f"{shown(value)} overflows a float", "the largest float is about 1.8e308")
        if len(value) > 15 and INT.fullmatch(value) is not None and int(number) != int(value):
            raise value_problem(
                "fact-range",
                f"the whole number {shown(value)} is no exact float",
                f"the nearest float is `{int(number)}`; declare the column `int` or `decimal` to keep every digit",
            )
        if not low <= number <= high:
            raise out_of_bounds(value, column)
        return number

    return double


def _levels(levels: tuple[str, ...]) -> Converter:
    ranks = {level: rank for rank, level in enumerate(levels, start=1)}

    def level(value: object) -> object:
        rank = ranks.get(value)  # type: ignore[call-overload]
        if rank is None:
            raise not_listed(str(value), levels)
        return rank

    return level


def read_date(value: object) -> object:
    """`YYYY-MM-DD`, 0001-01-01 to 9999-12-31, as it stands. Raises `BadValue`."""
    text = str(value)
    if _DATE.fullmatch(text) is None:
        raise value_problem("fact-type", f"{shown(text)} is no date", "a date is written `YYYY-MM-DD`")
    try:
        date.fromisoformat(text)
    except ValueError:
        raise value_problem("fact-range", f"{shown(text)} is no day of the calendar") from None
    return text


def read_instant(value: object) -> object:
    """`YYYY-MM-DDTHH:MM:SS[.ffffff](Z|±HH:MM)` -> `YYYY-MM-DD HH:MM:SS.ffffff` in UTC. Raises `BadValue`."""
    text = str(value)
    parts = _INSTANT.fullmatch(text)
    if parts is None:
        raise value_problem(
            "fact-type",
            f"{shown(text)} is no instant",
            "an instant is written `YYYY-MM-DDTHH:MM:SSZ`, or with `±HH:MM`; at most 6 decimals of a second",
        )
    day, hour, minute, second, fraction, sign, offset_hour, offset_minute = parts.groups()
    try:
        when = datetime.fromisoformat(f"{day} {hour}:{minute}:{second}.{(fraction or '').ljust(6, '0')}")
        if sign:
            if int(offset_hour) > 23 or int(offset_minute) > 59:
                raise ValueError
            offset = timedelta(hours=int(offset_hour), minutes=int(offset_minute))
            when = when - offset if sign == "+" else when + offset
    except (ValueError, OverflowError):
        raise value_problem(
            "fact-range",
            f"{shown(text)} is no instant of the calendar in UTC",
            "no second 60, no hour 24, years 1 to 9999",
        ) from None
    return when.isoformat(" ", "microseconds")
