"""Types, constants and exact arithmetic, as docs/semantics.md sections 1, 2, 3 and 11 give them.

A value is a Python object, None for null: text and levels `str`; int `int`; decimal `Fraction`; float `float`; bool
`bool`; date `datetime.date`; instant a naive `datetime.datetime` in UTC.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

Value = str | int | Fraction | float | bool | date | datetime | None
LOWEST, HIGHEST = -(2**63), 2**63 - 1


class Refused(Exception):
    """The policy is an error when loading; the text says why."""


@dataclass(frozen=True)
class Type:
    kind: str
    digits: int = 0
    places: int = 0
    levels: tuple[str, ...] = ()


TEXT, INT, FLOAT, BOOL, DATE, INSTANT = (Type(kind) for kind in ("text", "int", "float", "bool", "date", "instant"))
SIMPLE = {each.kind: each for each in (TEXT, INT, FLOAT, BOOL, DATE, INSTANT)}
NUMBERS = ("int", "decimal", "float")


def decimal(digits: int, places: int, most: int = 38) -> Type:
    if digits > most:
        raise Refused(f"decimal({digits},{places}) has more than {most} digits")
    return Type("decimal", digits, places)


def type_of(column: dict[str, Any]) -> Type:
    """The type of an entry of relations.yaml (every scalar a text)."""
    if column["type"] == "decimal":
        return decimal(int(column["digits"]), int(column["places"]))
    if column["type"] == "levels":
        return Type("levels", levels=tuple(column["levels"]))
    return SIMPLE[column["type"]]


# Numbers, each operation on its own.


def within_64_bits(number: int) -> int | None:
    return number if LOWEST <= number <= HIGHEST else None


def finite(number: float) -> float | None:
    """The double, with one zero; None if it is not finite."""
    return number + 0.0 if math.isfinite(number) else None


def nearest_double(number: Value) -> float:
    """Of an int or a decimal: Python divides whole numbers correctly rounded, so this is the nearest one."""
    if isinstance(number, Fraction):
        return number.numerator / number.denominator
    assert isinstance(number, (int, float))
    return float(number)


def divide(left: float, right: float) -> float | None:
    return None if right == 0 else finite(left / right)


def half_away(number: Fraction) -> int:
    size = math.floor(abs(number) + Fraction(1, 2))
    return size if number >= 0 else -size


def scaled_float(number: float) -> Fraction | None:
    """What a float adds to a sum, in decimal(37,12); None from 1e14 on."""
    return None if abs(number) >= 1e14 else Fraction(half_away(Fraction(number * 1e12)), 10**12)


def together(left: Type, right: Type) -> Type:
    """The smallest decimal that holds both."""
    places = max(left.places, right.places)
    return decimal(max(left.digits - left.places, right.digits - right.places) + places, places)


def result_type(op: str, left: Type, right: Type) -> Type:
    if op == "*":
        return decimal(left.digits + right.digits, left.places + right.places, 37)
    places = max(left.places, right.places)
    return decimal(max(left.digits - left.places, right.digits - right.places) + 1 + places, places)


# Dates and instants.


def step_date(day: date, count: int, unit: str) -> date | None:
    if unit == "day":
        number = day.toordinal() + count
        return date.fromordinal(number) if 1 <= number <= date.max.toordinal() else None
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    if not 1 <= year <= 9999:
        return None
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def read_instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)


def show_instant(moment: datetime) -> str:
    whole = moment.isoformat(timespec="seconds")
    return f"{whole}.{moment.microsecond:06d}Z" if moment.microsecond else whole + "Z"


# Order and the form of section 7.


def order(kind: Type, value: Value) -> Any:
    """What Python compares in place of the value: levels by declared order, the rest as it is."""
    return kind.levels.index(str(value)) if kind.kind == "levels" else value


def show_decimal(number: Fraction, places: int) -> str:
    units = number * 10**places
    assert units.denominator == 1, f"{number} does not have {places} places"
    digits = str(abs(units.numerator)).zfill(places + 1)
    sign = "-" if units < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def show(kind: Type, value: Value) -> Any:
    """The value as the verdict bears it: null, a bool, a number or a text."""
    if value is None or kind.kind in ("text", "levels", "bool", "float"):
        return value
    if isinstance(value, datetime):
        return show_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Fraction):
        return show_decimal(value, kind.places)
    assert isinstance(value, int)
    return value if abs(value) <= 2**53 - 1 else str(value)


# Constants and parameters.


def own_digits(text: str) -> str:
    """A number as written, without its `%`: `2%` is `0.02`."""
    if not text.endswith("%"):
        return text
    sign, number = ("-", text[1:-1]) if text.startswith("-") else ("", text[:-1])
    whole, _, places = number.partition(".")
    digits, count = (whole + places).zfill(len(places) + 3), len(places) + 2
    return f"{sign}{digits[:-count].lstrip('0') or '0'}.{digits[-count:]}"


def constant_type(text: str) -> Type:
    """The decimal of a constant's own digits."""
    whole, _, places = text.lstrip("-").partition(".")
    return decimal(max(1, len(whole.lstrip("0")) + len(places)), len(places))


@dataclass(frozen=True)
class Period:
    start: date | None
    until: date | None
    value: Value
    text: str


@dataclass(frozen=True)
class Parameter:
    """A named constant: `periods` has one endless entry unless it is `dated`; `members` is a list's values."""

    name: str
    type: Type
    unit: str | None
    dated: bool
    periods: tuple[Period, ...]
    members: tuple[Value, ...] = ()
    whole: bool = False

    def in_force(self, day: date | None) -> Period | None:
        if not self.dated:
            return self.periods[0]
        if day is None:
            return None
        begun = [each for each in self.periods if each.start is not None and each.start <= day]
        return begun[-1] if begun and (begun[-1].until is None or day < begun[-1].until) else None

    def at(self, day: date | None) -> Value:
        period = self.in_force(day)
        return period.value if period else None

    def shown(self, day: date | None) -> str | None:
        """The value in force as text: a number in its own digits."""
        period = self.in_force(day)
        if period is None:
            return None
        if self.type.kind in NUMBERS or isinstance(period.value, bool):
            return period.text
        return str(show(self.type, period.value))


def parameter(name: str, entry: dict[str, Any]) -> Parameter:
    """Reads an entry of `params` or parameters.yaml (every scalar a text)."""
    dated = "values" in entry
    written = entry["values"] if dated else [{"value": each} for each in entry.get("values_of", [entry.get("value")])]
    texts = [str(each["value"]) for each in written]
    kind = entry.get("type") or ("number" if "unit" in entry else _kind_of_text(texts[0]))
    unit = entry.get("unit")
    if kind == "number":
        texts = [own_digits(each) for each in texts]
        types = [constant_type(each) for each in texts]
        held = types[0]
        for each in types[1:]:
            held = together(held, each)
    else:
        held = SIMPLE[kind]
    whole = kind == "number" and held.places == 0
    periods = tuple(
        Period(_day(each.get("from")), _day(each.get("until")), read(held, text), text)
        for each, text in zip(written, texts, strict=True)
    )
    members = tuple(each.value for each in periods) if "values_of" in entry else ()
    return Parameter(name, held, unit, dated, periods, members, whole)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _kind_of_text(text: str) -> str:
    if text in ("true", "false"):
        return "bool"
    return "date" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else "text"


def read(kind: Type, text: str) -> Value:
    """A value of this type from its text."""
    match kind.kind:
        case "int":
            return int(text)
        case "decimal":
            return Fraction(text)
        case "float":
            return finite(float(text))
        case "bool":
            return text == "true"
        case "date":
            return date.fromisoformat(text)
        case "instant":
            return read_instant(text)
        case _:
            return text


def days_between(first: date, second: date) -> int:
    return (second - first) // timedelta(days=1)
