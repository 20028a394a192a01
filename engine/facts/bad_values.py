"""A value that its column does not take, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import did_you_mean
from ..model import Column, ValueType


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
    return f"`{plain(str(value), length)}`"


def plain(text: str, length: int = 60) -> str:
    """An author's text without what does not print, on one line, cut after `length` characters."""
    cut = text if len(text) <= length else text[:length] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in cut)


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
        "levels": f"a level, {kind.in_order}",
    }
    return words[kind.kind]


def null_value(column: Column) -> BadValue:
    return value_problem("fact-missing-value", f"no value, and `{column.name}` is required", "give it a value")


def no_number(text: str, kind: ValueType) -> BadValue:
    """Text (of CSV) that is no literal of a number column."""
    help = None
    if re.fullmatch(r"-?0[0-9]+(\.[0-9]+)?", text):
        help = "leading zeros are no number; declare the column `text` to keep them"
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


def near_column(name: str, columns: Iterable[str]) -> str:
    """Help for a name that is no column: the one it is but for capitals, blanks and hyphens, or the nearest, or all."""
    legal = list(columns)
    loose = loosely(name[:100])
    return f"did you mean `{loose}`?" if loose in legal else did_you_mean(loose, legal, "columns")


def loosely(name: str) -> str:
    """A name as a column would write it: `Net Weight` is `net_weight`."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def not_listed(text: str, listed: tuple[str, ...]) -> BadValue:
    return value_problem(
        "fact-not-listed",
        f"{shown(text)} is not among the declared values",
        did_you_mean(text[:100], listed, "declared"),
    )
