"""Sentences of a report, as pieces of which some are thresholds: numbers that decide, shown with their unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from ..frozen import dataclass
from ..lang.show import by_name, show
from ..lang.typed import Constant, Typed
from ..model import DatedValue, Parameter
from ..verdict import value_in_force

_MARK = re.compile("\x00([0-9]+)\x00")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a sentence; `threshold` if it is a number (or day, or word) that decides."""

    text: str
    threshold: bool = False


def title_pieces(title: str, parameters: Mapping[str, Parameter]) -> list[Piece]:
    """A title with the values of parameters marked where it names them: a number, with the word of its unit behind."""
    forms = sorted({form for p in parameters.values() for form in _forms(p)}, key=len, reverse=True)
    if not forms:
        return [Piece(title)]
    pattern = re.compile(rf"(?<![\w.,-])(?:{'|'.join(forms)})(?![\w-]|[.,][0-9])")
    pieces, last = [], 0
    for found in pattern.finditer(title):
        pieces += [Piece(title[last : found.start()]), Piece(found.group(), True)]
        last = found.end()
    return [piece for piece in [*pieces, Piece(title[last:])] if piece.text]


def _forms(parameter: Parameter) -> Iterator[str]:
    if parameter.kind in ("text", "bool"):
        return
    unit = rf"(?:\s?{re.escape(parameter.unit)}s?)?" if parameter.unit and parameter.unit != "none" else ""
    for value in parameter.values:
        shown = re.escape(value.shown)
        yield shown.removesuffix("%") + r"\s?%" if value.shown.endswith("%") else shown + unit


def value_words(value: DatedValue, unit: str | None) -> str:
    """A value with its unit: `120 m`, `2%`."""
    return value.shown if not unit or unit == "none" or value.shown.endswith("%") else f"{value.shown} {unit}"


def rule_pieces(node: Typed, parameters: Mapping[str, Parameter], day: date | None) -> list[Piece]:
    """An expression with its parameters as the values in force; dated ones that depend on the row as names."""
    said: list[str] = []
    text = show(node, _marking(parameters, day, said))
    pieces, last = [], 0
    for found in _MARK.finditer(text):
        if int(found.group(1)) < len(said):
            pieces += [Piece(text[last : found.start()]), Piece(said[int(found.group(1))], True)]
            last = found.end()
    return [piece for piece in [*pieces, Piece(text[last:])] if piece.text]


def _marking(parameters: Mapping[str, Parameter], day: date | None, said: list[str]) -> Callable[[Constant], str]:
    def name(constant: Constant) -> str:
        parameter = parameters.get(constant.name or "")
        if parameter is None:
            return by_name(constant)
        varies = parameter.is_list or (parameter.dated and day is None)
        value = None if varies else value_in_force(parameter, day)
        said.append(value_words(value, parameter.unit) if value is not None else parameter.name)
        return f"\x00{len(said) - 1}\x00"

    return name


def number(n: int) -> str:
    """A count in words up to twelve, then in digits with commas."""
    return _SMALL[n] if n < len(_SMALL) else f"{n:,}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """`one row`, `13 rows`."""
    return f"{number(n)} {noun if n == 1 else plural or noun + 's'}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
