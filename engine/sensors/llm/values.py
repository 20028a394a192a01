"""The values of one span that a model reports, checked against the columns of its relation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from datetime import date, datetime
from decimal import Decimal

from ...model import Column, Relation
from .schemas import QUOTE, SENTENCE, asked_columns, is_anchored

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")
_LONGEST = 100_000
"""Characters of a text."""


class WrongValue(Exception):
    """A value that its column does not take: a code of `docs/errors.md`, and words that do not repeat it."""

    def __init__(self, message: str, code: str = "answer-malformed") -> None:
        super().__init__(message)
        self.code, self.message = code, message


def item_values(relation: Relation, item: Mapping[str, object], chosen: Collection[str] = ()) -> dict[str, object]:
    """The values in the order of the schema. Raises `WrongValue`.

    Whole numbers are `int`, decimals `Decimal`, floats `float`; days and instants stay texts. Of a `chosen` column the
    value is the label of a given row, not yet looked up.
    """
    columns = asked_columns(relation)
    place = (SENTENCE, QUOTE) if is_anchored(relation) else ()
    names = [*place, *(one.name for one in columns)]
    extra, missing = sorted(set(item) - set(names)), [name for name in names if name not in item]
    if extra:
        raise WrongValue("it has a field that was not asked for", "answer-extra")
    if missing:
        raise WrongValue(f"it has no `{missing[0]}`", "answer-missing")
    values = {one.name: (_label if one.name in chosen else _value)(one, item[one.name]) for one in columns}
    return {**(_place(item) if place else {}), **values}


def _place(item: Mapping[str, object]) -> dict[str, object]:
    sentence, quote = item[SENTENCE], item[QUOTE]
    if isinstance(sentence, bool) or not isinstance(sentence, int) or not 1 <= sentence < 2**31:
        raise WrongValue(f"`{SENTENCE}` is no number of a sentence")
    if not isinstance(quote, str) or not quote.strip() or len(quote) > _LONGEST:
        raise WrongValue(f"`{QUOTE}` is no text that could stand somewhere")
    return {SENTENCE: sentence, QUOTE: quote}


def _label(column: Column, value: object) -> object:
    """A label, whatever it says: one that is not there is no reason to refuse the rest of the answer."""
    if value is None and not column.required:
        return None
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise WrongValue(f"`{column.name}` is no label of a given row")
    return value


def _value(column: Column, value: object) -> object:
    if value is None:
        if column.required:
            raise WrongValue(f"`{column.name}` is null, and is required")
        return None
    kind = column.type.kind
    if kind == "bool":
        if not isinstance(value, bool):
            raise WrongValue(f"`{column.name}` is neither true nor false")
        return value
    if kind in ("int", "decimal", "float"):
        return _number(column, value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise WrongValue(f"`{column.name}` is no text")
    choices = column.type.levels or column.one_of
    if choices is not None and value not in choices:
        raise WrongValue(f"`{column.name}` is none of its values", "answer-out-of-range")
    if kind in ("date", "instant") and not _is_time(kind, value):
        form = "YYYY-MM-DD" if kind == "date" else "YYYY-MM-DDTHH:MM:SSZ"
        raise WrongValue(f"`{column.name}` is no {kind} of the form {form}")
    return value


def _number(column: Column, value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise WrongValue(f"`{column.name}` is no number")
    exact = Decimal(value)
    if not exact.is_finite() or math.isinf(float(exact)):
        raise WrongValue(f"`{column.name}` is no finite number", "answer-out-of-range")
    if (column.low is not None and exact < column.low) or (column.high is not None and exact > column.high):
        raise WrongValue(f"`{column.name}` is out of its bounds", "answer-out-of-range")
    if column.type.kind == "float":
        return float(exact)
    if column.type.kind == "int":
        if exact != exact.to_integral_value() or not -(2**63) <= exact < 2**63:
            raise WrongValue(f"`{column.name}` is no whole number")
        return int(exact)
    whole = max(exact.adjusted() + 1, 0) if exact else 0
    exponent = exact.normalize().as_tuple().exponent
    if whole > column.type.digits - column.type.places or -int(exponent) > column.type.places:
        raise WrongValue(f"`{column.name}` does not fit {column.type}", "answer-out-of-range")
    return exact


def _is_time(kind: str, text: str) -> bool:
    try:
        if kind == "date":
            return _DAY.fullmatch(text) is not None and date.fromisoformat(text) is not None
        return _INSTANT.fullmatch(text) is not None and datetime.fromisoformat(text) is not None
    except ValueError:
        return False
