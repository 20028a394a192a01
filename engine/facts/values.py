"""One literal of a file -> one typed value of a column, the same for JSON, CSV and the cells of cases.

A reader of a file makes raw values (`IntText`, `FloatText`, `str`, `bool`, None, …), this module makes typed ones:

    text str · int int · float float · bool bool · levels the rank as an int, 1 for the lowest
    decimal the str of its digits, with exactly the declared places (`1.50`), without exponent
    date the str `YYYY-MM-DD` · instant the str `YYYY-MM-DD HH:MM:SS.ffffff`, in UTC

`docs/semantics.md`, section 1, "Reading", is the definition. Anybody may have written a literal, so every number is
bounded by its digits before Python computes with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from ..errors import did_you_mean
from ..model import Column, Limits, ValueType

Converter = Callable[[object], object]
"""Raw value -> typed value, or `BadValue`. None stands for null on both sides."""


class IntText(str):
    """The digits of a JSON number without point and exponent."""

    __slots__ = ()


class FloatText(str):
    """The digits of a JSON number with a point or an exponent."""

    __slots__ = ()


class NotANumber(str):
    """`NaN`, `Infinity` or `-Infinity`: what Python's reader of JSON lets through and JSON does not have."""

    __slots__ = ()


class BadValue(ValueError):
    """A value that its column does not take. `str()` of it is the message; `code` and `help` belong to its problem."""

    def __init__(self, code: str, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.help = help


def value_problem(code: str, message: str, help: str | None = None) -> BadValue:
    """The exception for a bad value (so named because codes are literals at calls that end in `problem`)."""
    return BadValue(code, message, help)


def shown(value: object, length: int = 60) -> str:
    """An author's text as it stands in a message: on one line, cut after `length` characters, in backticks."""
    text = str(value)
    cut = text if len(text) <= length else text[:length] + "…"
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in cut)
    return f"`{safe}`"


def from_yaml(text: str | None, quoted: bool, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a cell of a case. Plain scalars are read like JSON's; text keeps what is written (`1.10`).

    Raises ValueError with a message for the author.
    """
    raw: object = text
    kind = column.type.kind
    if text is not None and not quoted:
        if kind == "bool" and text in ("true", "false"):
            raw = text == "true"
        elif kind in ("int", "decimal", "float"):
            raw = IntText(text) if _INT.fullmatch(text) else FloatText(text) if _NUMBER.fullmatch(text) else text
    return json_converter(column, limits or Limits())(raw)


def from_json(value: object, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a JSON value as `json_rows` reads it: numbers are `IntText` or `FloatText`."""
    return json_converter(column, limits or Limits())(value)


def from_csv(text: str, was_quoted: bool, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a CSV field: an empty unquoted one is null, `""` is empty text."""
    return csv_converter(column, limits or Limits())(None if text == "" and not was_quoted else text)


def json_converter(column: Column, limits: Limits) -> Converter:
    """The converter of a column for raw JSON values. Built once a file, called for every value."""
    literal = _literal(column, limits)
    accepted = {
        "int": frozenset({IntText}),
        "decimal": frozenset({IntText, FloatText}),
        "float": frozenset({IntText, FloatText}),
        "bool": frozenset({bool}),
    }.get(column.type.kind, frozenset({str}))

    def convert(value: object) -> object:
        if type(value) in accepted:
            return literal(value)
        if value is None:
            if column.required:
                raise null_value(column)
            return None
        raise _mismatch(value, column.type)

    return convert


def csv_converter(column: Column, limits: Limits) -> Converter:
    """The converter of a column for CSV fields: text, or None for an empty unquoted field."""
    literal = _literal(column, limits)
    kind = column.type.kind

    def convert(value: object) -> object:
        if value is None:
            if column.required:
                raise null_value(column)
            return None
        if kind == "bool":
            if value not in ("true", "false"):
                raise value_problem("fact-type", f"{shown(value)} is no bool", "a bool is `true` or `false`")
            return value == "true"
        return literal(value)

    return convert


def expected(kind: ValueType) -> str:
    """What an author has to write for a type, in words."""
    words = {
        "text": "a text in quotes",
        "int": "a whole number without point or exponent",
        "decimal": f"a number that fits {kind}",
        "float": "a number",
        "bool": "`true` or `false`",
        "date": 'a date, `"YYYY-MM-DD"`',
        "instant": 'an instant, `"YYYY-MM-DDTHH:MM:SSZ"`',
        "levels": "one of " + ", ".join(f"`{level}`" for level in kind.levels),
    }
    return words[kind.kind]


# --- what a literal is -----------------------------------------------------------------------------------------------

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def _literal(column: Column, limits: Limits) -> Converter:
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
        if _INT.fullmatch(value) is None:
            raise _no_number(value, column.type)
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
            raise _no_number(value, column.type)
        if (low is not None and Decimal(number) < low) or (high is not None and Decimal(number) > high):
            raise out_of_bounds(value, column)
        return number

    return decimal


def read_decimal(text: str, digits: int, places: int) -> str | None:
    """The digits of a number literal with exactly `places` decimals, or None if it is no number.

    Raises `BadValue` if the value does not fit decimal(digits, places); it is never rounded.
    """
    parts = _NUMBER.fullmatch(text)
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
        if _NUMBER.fullmatch(value) is None:
            raise _no_number(value, column.type)
        number = float(value) + 0.0  # the sum turns -0.0 into 0.0
        if math.isinf(number):
            raise value_problem("fact-range", f"{shown(value)} overflows a float", "the largest float is about 1.8e308")
        if len(value) > 15 and _INT.fullmatch(value) is not None and int(number) != int(value):
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


# --- what is wrong with it -------------------------------------------------------------------------------------------


def null_value(column: Column) -> BadValue:
    return value_problem("fact-missing-value", f"no value, and `{column.name}` is required", "give it a value")


def _mismatch(value: object, kind: ValueType) -> BadValue:
    """A raw JSON value of another kind than the column's."""
    if isinstance(value, NotANumber):
        return value_problem("fact-type", f"{shown(value)} is no number of JSON", "write `null` for what is not known")
    if isinstance(value, bool):
        found = f"`{str(value).lower()}`, a bool"
    elif isinstance(value, (IntText, FloatText)):
        found = f"the number {shown(value)}"
    elif isinstance(value, str):
        found = f"the text {shown(value)}"
    else:
        found = "a list" if isinstance(value, list) else "an object"
    help = "take the quotes away" if isinstance(value, str) and kind.is_number and _NUMBER.fullmatch(value) else None
    if isinstance(value, FloatText) and kind.kind == "int":
        help = "an int is written without point and exponent"
    return value_problem("fact-type", f"{found} where {expected(kind)} was expected", help)


def _no_number(text: str, kind: ValueType) -> BadValue:
    """Text (of CSV) that is no literal of a number column."""
    help = None
    if re.fullmatch(r"-?0[0-9]+(\.[0-9]+)?", text):
        help = "leading zeros are no number; declare the column `text` to keep them"
    elif re.fullmatch(r"-?[0-9]+,[0-9]+", text):
        help = "decimals follow a point"
    elif text == "":
        help = "leave the field empty, without quotes, for null"
    return value_problem("fact-type", f"{shown(text)} where {expected(kind)} was expected", help)


def out_of_bounds(text: str, column: Column) -> BadValue:
    return value_problem("fact-range", f"{shown(text)} is {bounds(column)}")


def bounds(column: Column) -> str:
    """`outside 0 to 10`, `below 0`, `above 10`: what a value is that the column's `min` and `max` refuse."""
    if column.low is not None and column.high is not None:
        return f"outside {column.low:f} to {column.high:f}"
    return (
        f"below {column.low:f}, the least allowed"
        if column.low is not None
        else f"above {column.high:f}, the most allowed"
    )


def not_listed(text: str, listed: tuple[str, ...]) -> BadValue:
    return value_problem(
        "fact-not-listed",
        f"{shown(text)} is not among the declared values",
        did_you_mean(text[:100], listed, "declared"),
    )
