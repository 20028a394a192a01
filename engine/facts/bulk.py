"""A whole column of raw JSON values at once, where all of them are plainly right; this is what makes loading quick.

The same answers as `values.json_converter` gives one by one, or None where anything is out of the ordinary: then the
values are taken one by one, which also finds the words for what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from ..limits import Limits
from ..model import Column
from .bad_values import BadValue
from .literals import read_date, read_decimal, read_instant
from .values import FloatText, IntText

Bulk = Callable[[Sequence[object]], list[object] | None]
_Texts = Callable[[list[str]], list[object] | None]
_NONE = type(None)


def json_bulk(column: Column, limits: Limits) -> Bulk:
    """The converter of whole columns for a declared column. Never raises."""
    accepted, convert = _converter(column, limits)

    def bulk(raw: Sequence[object]) -> list[object] | None:
        kinds = set(map(type, raw))
        with_null = _NONE in kinds
        if not kinds - {_NONE} <= accepted or (with_null and column.required):
            return None
        values = cast("list[str]", [one for one in raw if one is not None] if with_null else list(raw))
        if not values:
            return list(raw)
        try:
            typed = convert(values)
        except (BadValue, ValueError, KeyError):
            return None
        if typed is None or not with_null:
            return typed
        rest = iter(typed)
        return [None if one is None else next(rest) for one in raw]

    return bulk


def _converter(column: Column, limits: Limits) -> tuple[frozenset[type], _Texts]:
    kind = column.type
    if kind.kind == "text":
        return frozenset({str}), _text(column, limits)
    if kind.kind == "int":
        return frozenset({IntText}), _int(column)
    if kind.kind == "float":
        return frozenset({IntText, FloatText}), _float(column)
    if kind.kind == "decimal" and column.low is None and column.high is None:
        cached = lru_cache(maxsize=4096)(lambda text: read_decimal(text, kind.digits, kind.places))
        return frozenset({IntText, FloatText}), lambda values: list(map(cached, values))
    if kind.kind == "bool":
        return frozenset({bool}), lambda values: cast("list[object]", values)
    if kind.kind == "levels":
        ranks = {level: rank for rank, level in enumerate(kind.levels, start=1)}
        return frozenset({str}), lambda values: [ranks[one] for one in values]
    if kind.kind == "date":
        dates = lru_cache(maxsize=4096)(read_date)
        return frozenset({str}), lambda values: list(map(dates, values))
    if kind.kind == "instant":
        return frozenset({str}), lambda values: list(map(read_instant, values))
    return frozenset(), lambda values: None


def _text(column: Column, limits: Limits) -> _Texts:
    allowed = frozenset(column.one_of) if column.one_of is not None else None

    def text(values: list[str]) -> list[object] | None:
        if allowed is not None:
            return cast("list[object]", values) if allowed.issuperset(values) else None
        if max(map(len, values)) > limits.text_length or not all(map(str.isascii, values)):
            return None
        return cast("list[object]", values)

    return text


def _int(column: Column) -> _Texts:
    low = -(2**63) if column.low is None else max(-(2**63), math.ceil(column.low))
    high = 2**63 - 1 if column.high is None else min(2**63 - 1, math.floor(column.high))

    def integers(values: list[str]) -> list[object] | None:
        if column.one_of is not None or max(map(len, values)) > 20:
            return None
        numbers = list(map(int, values))
        return cast("list[object]", numbers) if low <= min(numbers) and max(numbers) <= high else None

    return integers


def _float(column: Column) -> _Texts:
    low = -math.inf if column.low is None else float(column.low)
    high = math.inf if column.high is None else float(column.high)

    def doubles(values: list[str]) -> list[object] | None:
        # Up to 15 digits every whole number is an exact double, and none overflows.
        if any(len(one) > 15 and type(one) is IntText for one in values):
            return None
        numbers = [float(one) + 0.0 for one in values]
        least, most = min(numbers), max(numbers)
        fits = low <= least and most <= high and math.isfinite(least) and math.isfinite(most)
        return cast("list[object]", numbers) if fits else None

    return doubles
