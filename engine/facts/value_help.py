"""What an author may have meant by a value that was refused: help for the commonest slips."""

from __future__ import annotations

import re
from datetime import date

from ..model import Column
from .literals import INT, NUMBER

_UNKNOWN = frozenset("na n/a n.a. n.a #n/a nan none null nil ? - -- – — unknown missing undefined".split())
_YES, _NO = frozenset({"true", "t", "yes", "y", "on", "1"}), frozenset({"false", "f", "no", "n", "off", "0"})
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_WITH_UNIT = re.compile(rf"({_NUMBER})[ \u00a0\u202f]*([^0-9\s.,'_+-].{{0,30}})")
_LOOSE = re.compile(rf"{_NUMBER}(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:[ '_\u2019\u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?|-?[0-9]{1,3}(?:,[0-9]{3}){2,}")
_COMMAS = re.compile(r"-?[0-9]+,[0-9]+")
_DAY = re.compile(r"(?:([0-9]{4})[./-]([0-9]{1,2})[./-]([0-9]{1,2})|([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}))")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]{1,6})?)?([+-]..:?..|Z)?")


def meant(text: str, column: Column, csv: bool) -> str | None:
    """The help for a refused text, or None if it is no known slip. `csv` says how a null is written."""
    kind = column.type.kind
    listed = column.type.levels or (column.one_of or ())
    word = text.strip()
    if len(text) > 100:
        return None
    for one in listed:
        if one.casefold() == word.casefold():
            return f"did you mean `{one}`?"
    if word.lower() in _UNKNOWN:
        if column.required:
            return "give it a value: the column is required"
        return "leave the field empty for what is unknown" if csv else "write `null` for what is unknown"
    if kind == "bool":
        return "write `true`" if word.lower() in _YES else "write `false`" if word.lower() in _NO else None
    if column.type.is_number:
        return _number(word, column)
    if kind == "date":
        return _date(word)
    return _instant(word) if kind == "instant" else None


def _number(text: str, column: Column) -> str | None:
    united = _WITH_UNIT.fullmatch(text)
    if united is not None and not NUMBER.fullmatch(text):
        number, unit = _plain(united[1], column.type.kind), united[2].strip()
        if unit == column.unit and (INT if column.type.kind == "int" else NUMBER).fullmatch(number):
            return f"write {number}; the unit is declared: {unit}"
        if column.unit not in (None, "none"):
            return f"write the number alone, in the declared unit: {column.unit}"
        return "write the number alone"
    if _COMMAS.fullmatch(text):
        return "decimals follow a point, and nothing separates thousands"
    if _GROUPED.fullmatch(text):
        return "nothing separates thousands"
    if _LOOSE.fullmatch(text):
        number = _plain(text, column.type.kind)
        return f"write {number}" if number != text else None
    return None


def _plain(text: str, kind: str) -> str:
    """A number as the formats write it, if it is plain which one: `+.5` is 0.5, and `10.0` as an int is 10."""
    sign, digits = ("-" if text.startswith("-") else ""), text.lstrip("+-")
    if "e" in digits.lower():
        return text
    whole, point, fraction = digits.partition(".")
    if kind == "int" and not fraction.strip("0"):
        point = fraction = ""
    if len(whole) > 1 and whole.startswith("0"):
        return text
    return f"{sign}{whole or '0'}{point if fraction else ''}{fraction}"


def _date(text: str) -> str | None:
    moment, day = _MOMENT.fullmatch(text), _DAY.fullmatch(text)
    if moment is not None:
        return f"write the day alone, YYYY-MM-DD: {moment[1]}"
    if day is None:
        return None
    year, month, number = (day[1], day[2], day[3]) if day[1] else (day[6], day[5], day[4])
    try:
        return f"a date is written YYYY-MM-DD: {date(int(year), int(month), int(number)).isoformat()}"
    except ValueError:
        return None


def _instant(text: str) -> str | None:
    moment = _MOMENT.fullmatch(text)
    if moment is None:
        return None
    day, minutes, seconds, zone = moment.groups("")
    if not zone:
        return f"say of which zone: {day}T{minutes}{seconds or ':00'}Z in UTC, or with `±HH:MM`"
    return f"write {day}T{minutes}{seconds or ':00'}{zone}" if re.fullmatch(r"[+-][0-9]{2}:[0-9]{2}|Z", zone) else None
