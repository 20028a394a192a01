"""The canonical form of values and JSON documents: `docs/semantics.md`, section 7. Same value, same bytes."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal

_EXACT = 2**53 - 1


def json_value(value: object) -> object:
    """A value as JSON holds it: long ints and decimals as text, days and instants as text, floats as they are."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, Decimal):
        return f"{abs(value) if value == 0 else value:f}"
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {k: json_value(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(v) for v in value]
    raise TypeError(f"no canonical form of {type(value).__name__}")


def instant_text(value: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, the fraction only if it is not zero."""
    plain = value.replace(tzinfo=None)
    return plain.isoformat(timespec="microseconds" if plain.microsecond else "seconds") + "Z"


def dumps(document: object) -> str:
    """UTF-8 text: keys sorted by code point, no spaces, one line feed at the end."""
    return json.dumps(json_value(document), ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def shown(value: object) -> str:
    """A value as text for people."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(json_value(value))
