"""Reading the bytes of a reference."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model import ValueType
from engine.references import ReferenceTable
from engine.references.records import Unreadable
from engine.references.shelf import read_table

from .references import reference

TEXT = ValueType("text")


def read(data: bytes, **how: Any) -> ReferenceTable:
    return read_table(reference(data, **how), "list.csv", data)


def refusal(data: bytes, **how: Any) -> tuple[str, int | None]:
    with pytest.raises(Unreadable) as caught:
        read(data, **how)
    return caught.value.message, caught.value.line
