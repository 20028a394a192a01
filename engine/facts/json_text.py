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
        at = _place_of(error, text)
        raise Malformed(_in_words(error.msg, text, at), at) from None
    except RecursionError:
        raise Malformed("too many levels inside one another", offset, nested=True) from None


def _place_of(error: json.JSONDecodeError, text: str) -> int:
    """Where the text is wrong: for a comma too many, the bracket behind it, as Python before 3.13 had it."""
    if not error.msg.startswith("Illegal trailing comma"):
        return error.pos
    return error.pos + 1 + len(text[error.pos + 1 :]) - len(text[error.pos + 1 :].lstrip(" \t\n\r"))


def _in_words(message: str, text: str, at: int) -> str:
    """Python's message in our words. What is cut off is the commonest case and gets its own."""
    if at >= len(text.rstrip()) or message.startswith("Unterminated string"):
        return "the text ends in the middle of a value"
    here = text[at : at + 1]
    if message.startswith("Invalid control character"):
        return f"the character U+{ord(here):04X} stands bare in a text; write it as `\\u{ord(here):04x}`"
    if message.startswith("Invalid \\"):
        return f"`{text[at : at + 2]}` is no escape"
    if "property name" in message or here in ("}", "]"):
        return f"an entry in double quotes was expected before {shown(text[at : at + 20])}"
    return f"{shown(text[at : at + 20])} was not expected here"


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
