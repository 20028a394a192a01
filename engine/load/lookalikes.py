"""Plain texts that look like a number or a day and are none: `65 mm`, `64,9`, `1.1.2026`."""

from __future__ import annotations

import re

from ..errors import Problem
from .nodes import Node, Scalar
from .source import Source
from .words import day_written, shown

_WITH_UNIT = re.compile(r"(-?[0-9]+(?:[.,][0-9]+)?)\s*([^\W\d_][^\s%\"'`,]{0,39}|[°€$£%‰][^\s%\"'`,]{0,9})")
_COMMA = re.compile(r"(-?[0-9]+),([0-9]+)")
_THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_OTHER_NUMBER = re.compile(
    r"\+[0-9]+(\.[0-9]+)?|[-+]?\.[0-9]+|[-+]?[0-9]+\.|[-+]?[0-9]+(_[0-9]+)+|[-+]?[0-9]*\.?[0-9]+[eE][-+]?[0-9]+|0[xob][0-9a-fA-F]+"
)
_WELL_WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY = re.compile(r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4}")

DIGITS = "write its digits, with a point and without exponent, sign `+` or separators"


def meant_by(text: str, key: str | None = "value") -> tuple[str, str] | None:
    """What is wrong with a text that looks like a number or a day, and what to write. None if it does not.

    `key` is the key it is the whole value of, if a `unit` may stand beside that.
    """
    if _DAY.fullmatch(text) and not _WELL_WRITTEN.fullmatch(text):
        day = day_written(text)
        return (
            f"{shown(text)} is a text; a day is written `YYYY-MM-DD`",
            f"write `{day}`" if day else "write the day so",
        )
    if _COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text):
        return f"{shown(text)} is a text", _without_comma(text)
    if _OTHER_NUMBER.fullmatch(text):
        return f"{shown(text)} is a text", DIGITS
    found = _WITH_UNIT.fullmatch(text)
    if found is None:
        return None
    number, unit = number_of(text), found[2]
    if unit == "%":
        return f"{shown(text)} is a text", f"write `{number}%`"
    if key is None:
        return f"{shown(text)} is a text", f"write `{number}`, and `unit: {unit}` once for all values"
    return f"{shown(text)} is a text", f"write `{key}: {number}, unit: {unit}`"


def number_of(text: str) -> str:
    """The number of a text that is one with a unit; empty if it is none."""
    found = _WITH_UNIT.fullmatch(text)
    return found[1].replace(",", ".") if found and not _OTHER_NUMBER.fullmatch(text) else ""


def _without_comma(text: str) -> str:
    point = text.replace(",", ".")
    if not _THOUSANDS.fullmatch(text):
        return f"decimals follow a point: `{point}`"
    whole = text.replace(",", "")
    return f"write `{whole}`" + (
        f", or `{point}` if the comma is a decimal one" if text.count(",") == 1 and "." not in text else ""
    )


def cut_number(source: Source, name: str, before: Node, after: Scalar) -> Problem | None:
    """The problem of a number in braces that YAML cut at its comma; None if it is no such thing.

    `before` is the value of the key `name`, `after` what stands behind the comma, which YAML takes for a key.
    """
    if not isinstance(before, Scalar) or before.quoted:
        return None
    if (before.end_line, before.end_column + 1) != (after.line, after.column):
        return None
    text = f"{before.text},{after.text}"
    meant = meant_by(text) if re.match(r"-?[0-9]+,[0-9]", text) else None
    if meant is None:
        return None
    whole = Scalar(text, "plain", before.line, before.column, after.end_line, after.end_column)
    help = f"decimals follow a point: `{number_of(text)}`" if number_of(text) and name != "value" else meant[1]
    return source.problem("wrong-number", f"YAML cuts {shown(text)} at its comma", whole, help)
