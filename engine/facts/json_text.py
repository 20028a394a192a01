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
from .json_slips import after_value, slip
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
    """Text that is no JSON, at an offset of it. `nested` if it nests too deeply to be read, `cut` if it only ends."""

    def __init__(
        self, message: str, offset: int, help: str | None = None, nested: bool = False, cut: bool = False
    ) -> None:
        super().__init__(message)
        self.message, self.offset, self.help, self.nested, self.cut = message, offset, help, nested, cut


def decode(text: str, offset: int = 0) -> tuple[object, int]:
    """The JSON value that begins at `offset`, and where it ends. Raises `Malformed`."""
    try:
        return scan(text, offset)
    except StopIteration as end:
        at = int(end.value)
        if at >= len(text):
            raise Malformed("the text ends in the middle", at, cut=True) from None
        message, help = slip(text, at) or (f"no value: {shown(text[at : at + 20])}", None)
        raise Malformed(message, at, help) from None
    except json.JSONDecodeError as error:
        raise _in_words(error.msg, text, _place_of(error, text)) from None
    except RecursionError:
        raise Malformed("too many levels inside one another", offset, nested=True) from None


def _place_of(error: json.JSONDecodeError, text: str) -> int:
    """Where the text is wrong: for a comma too many, the bracket behind it, as Python before 3.13 had it."""
    if not error.msg.startswith("Illegal trailing comma"):
        return error.pos
    return error.pos + 1 + len(text[error.pos + 1 :]) - len(text[error.pos + 1 :].lstrip(" \t\n\r"))


def _in_words(message: str, text: str, at: int) -> Malformed:
    """Python's message in our words. What is cut off is the commonest case and gets its own."""
    if at >= len(text.rstrip()) or message.startswith("Unterminated string"):
        return Malformed("the text ends in the middle of a value", at, cut=True)
    here = text[at : at + 1]
    if message.startswith("Invalid control character"):
        bare = f"the character U+{ord(here):04X} stands bare in a text"
        return Malformed(bare, at, f"write it as `\\u{ord(here):04x}`")
    if message.startswith("Invalid \\"):
        return Malformed(f"`{text[at : at + 2]}` is no escape", at, "write a backslash as `\\\\`")
    name = "property name" in message
    known = after_value(text, at) if "',' delimiter" in message else slip(text, at, name)
    if known is not None:
        return Malformed(known[0], at, known[1])
    if name or here in ("]", "}"):
        return Malformed(f"an entry in double quotes was expected before {shown(text[at : at + 20])}", at)
    return Malformed(f"{shown(text[at : at + 20])} was not expected here", at)


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
