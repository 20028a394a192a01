"""Texts of a pack with values in them, in the language of the reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from ..canonical import shown
from ..report_plan import Wording
from ..verdict import Value

_HOLE = re.compile(r"\{([^{}]*)\}")


def said(wording: Wording, language: str, row: Mapping[str, Value] | None = None) -> str | None:
    """The text in this language with the values of the row; None if one of them is unknown.

    What is put in is not looked at for holes. A language that is not there gives the first that is.
    """
    text = wording.get(language) or next(iter(wording.values()), "")
    values = {name: (row or {}).get(name) for name in _HOLE.findall(text)}
    if row is None:
        return text
    if any(value is None for value in values.values()):
        return None
    return _HOLE.sub(lambda hole: plain(values[hole[1]]), text)


def plain(value: Value) -> str:
    """A value as a reader wants it: decimals without zeros that say nothing."""
    if not isinstance(value, Decimal):
        return shown(value)
    text = f"{abs(value) if value == 0 else value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
