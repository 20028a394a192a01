"""JSON as text, a value at a time: Python's decoder, made strict.

Its hooks keep the text of numbers (so that types can be declared, not guessed), keep `NaN` and its like apart, and
notice an entry that is written twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, cast

from .bad_values import shown
from .values import FloatText, IntText, NotANumber


class RepeatedEntry(dict[str, object]):
    """An object in which an entry is written twice; `entry` names it."""

    entry = ""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) == len(pairs):
        return row
    seen: set[str] = set()
    repeated = RepeatedEntry(row)
    repeated.entry = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    return repeated


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=IntText, parse_float=FloatText, parse_constant=NotANumber
)
scan: Callable[[str, int], tuple[Any, int]] = DECODER.scan_once  # type: ignore[attr-defined]
"""The value at an offset of a text, and where it ends: Python's scanner, which skips no space."""
SPACE = re.compile(r"[ \t\n\r]*")


class Malformed(Exception):
    """Text that is no JSON, at an offset of it. `nested` if it nests too deeply to be read."""

    def __init__(self, message: str, offset: int, nested: bool = False) -> None:
        super().__init__(message)
        self.message, self.offset, self.nested = message, offset, nested


def decode(text: str, offset: int = 0) -> tuple[object, int]:
    """The JSON value that begins at `offset`, and where it ends. Raises `Malformed`."""
    try:
        return scan(text, offset)
    except StopIteration as end:
        at = int(end.value)
        raise Malformed(
            "the text ends in the middle" if at >= len(text) else f"no value: {shown(text[at : at + 20])}", at
        ) from None
    except json.JSONDecodeError as error:
        raise Malformed(_in_words(error, text), error.pos) from None
    except RecursionError:
        raise Malformed("too many levels inside one another", offset, nested=True) from None


def _in_words(error: json.JSONDecodeError, text: str) -> str:
    """Python's message in our words. What is cut off is the commonest case and gets its own."""
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the text ends in the middle of a value"
    here = text[error.pos : error.pos + 1]
    if error.msg.startswith("Invalid control character"):
        return f"the character U+{ord(here):04X} stands bare in a text; write it as `\\u{ord(here):04x}`"
    if error.msg.startswith("Invalid \\"):
        return f"`{text[error.pos : error.pos + 2]}` is no escape"
    if "property name" in error.msg or here in ("}", "]"):
        return f"an entry in double quotes was expected before {shown(text[error.pos : error.pos + 20])}"
    return f"{shown(text[error.pos : error.pos + 20])} was not expected here"


def depth(value: object) -> int:
    """How many objects and lists are inside one another, counted without recursion. A plain value has none."""
    level = 0
    here: list[object] = [value]
    while here := [one for one in here if isinstance(one, (dict, list))]:
        level += 1
        here = [
            inner for one in here for inner in (one.values() if isinstance(one, dict) else cast("list[object]", one))
        ]
    return level
