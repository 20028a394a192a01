"""JSON that came from outside, read without believing anything: bounded, no entry twice, no NaN, no lone surrogate."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import cast

DEEPEST = 32
_LONGEST_NUMBER = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(Exception):
    """Text that is no JSON that is read here. `message` says why, in words without the text."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def parse(text: str) -> object:
    """The value: numbers are `int`, or `Decimal` where they have a point or an exponent. Raises `NotJson`."""
    failed = "it nests too deeply"
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_int, parse_float=_decimal, parse_constant=_word)
    except json.JSONDecodeError as error:
        failed = f"it is no JSON at line {error.lineno}, column {error.colno}"
    except RecursionError:
        pass
    else:
        _check(value)
        return cast("object", value)
    raise NotJson(failed)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NotJson("an entry stands twice in an object")
    return made


def _int(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise NotJson("a number has too many digits")
    return int(text)


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
        if len(text) <= _LONGEST_NUMBER and abs(value.adjusted()) <= 400:
            return value
    except InvalidOperation:
        pass
    raise NotJson("a number has too many digits")


def _word(text: str) -> object:
    raise NotJson(f"`{text}` is no number of JSON")


def _check(value: object) -> None:
    """Depth and texts, without recursion."""
    level, here = 0, [value]
    while here:
        if level > DEEPEST:
            raise NotJson("it nests too deeply")
        inner: list[object] = []
        for one in here:
            if isinstance(one, str) and _SURROGATE.search(one):
                raise NotJson("half of a character stands alone in a text")
            if isinstance(one, dict):
                inner += [*one.keys(), *one.values()]
            elif isinstance(one, list):
                inner += one
        level, here = level + 1, inner
