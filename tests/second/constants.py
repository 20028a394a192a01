"""Parameters at random, with values that sit beside those of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import values
from .pools import Column
from .values import Value
from .write import Choices, Raw, as_number, value_text

T = TypeVar("T")


def pick(choices: Choices, found: Sequence[T]) -> T:
    return found[choices.below(len(found))]


@dataclass
class Parameters:
    """The parameters a policy has asked for so far, as entries of its `params`; `shared` are those of its pack.

    Shared ones are kept with the name of the column that they were made for, and may be asked for again.
    """

    prefix: str
    days: Sequence[Value]
    dated: bool = False
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    shared: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    made_for: dict[str, str] = field(default_factory=dict)

    def add(self, entry: dict[str, Any], column: str) -> str:
        name = f"{self.prefix}_{len(self.entries)}"
        self.entries[name] = {**entry, "origin": "convention", "because": "made up"}
        self.made_for[name] = column
        return name

    def constant(self, choices: Choices, column: Column) -> str:
        """A parameter that may stand beside this column, with values from its pool; dated if the policy may."""
        known = [
            name
            for name, (made_for, entry) in self.shared.items()
            if made_for == _purpose(column) and (self.dated or "values" not in entry) and "values_of" not in entry
        ]
        if known and choices.chance(30):
            return pick(choices, known)
        texts = constant_texts(column)
        extra: dict[str, Any] = {"unit": column.unit} if column.unit else {}
        if column.type.kind == "instant" or (column.type.kind in ("int", "float", "text") and choices.chance(20)):
            extra["type"] = column.type.kind
        if column.unit == "share" and choices.chance(50):
            texts = [Raw(each) for each in ("0%", "2%", "50%", "33.0%", "100%")]
        if not (self.dated and choices.chance(60)):
            return self.add({"value": pick(choices, texts), **extra}, _purpose(column))
        return self.add({"values": self.periods(choices, texts), **extra}, _purpose(column))

    def periods(self, choices: Choices, texts: Sequence[str]) -> list[dict[str, str]]:
        days = sorted({value_text(values.DATE, each) for each in self.days})
        starts = sorted({pick(choices, days) for _ in range(1 + choices.below(3))})
        found = []
        for start, following in zip(starts, [*starts[1:], "9999-12-31"], strict=True):
            found.append({"from": Raw(start), "value": pick(choices, texts)})
            ends = [each for each in days if start < each <= following]
            if ends and choices.chance(35):
                found[-1]["until"] = Raw(pick(choices, ends))
        return found

    def list_of(self, choices: Choices, column: Column) -> str:
        texts = constant_texts(column)
        members = list(dict.fromkeys(pick(choices, texts) for _ in range(1 + choices.below(3))))
        return self.add({"values_of": members, **({"unit": column.unit} if column.unit else {})}, _purpose(column))

    def everything(self) -> dict[str, dict[str, Any]]:
        return {**{name: entry for name, (_, entry) in self.shared.items()}, **self.entries}


def _purpose(column: Column) -> str:
    return f"{column.name} {column.type.kind} {column.unit}"


def constant_texts(column: Column) -> list[str]:
    found = [text for text in (constant_text(column, each) for each in column.pool) if text is not None]
    return found or [Raw("1") if column.type.kind in values.NUMBERS else "x"]


def constant_text(column: Column, value: Value) -> str | None:
    """The value as a parameter says it; None if it cannot (a number in exponents or of too many digits)."""
    if column.type.kind not in values.NUMBERS:
        if column.type.kind in ("text", "levels"):
            return str(value) or None
        return Raw(str(value).lower() if isinstance(value, bool) else value_text(column.type, value))
    text = as_number(column.type, value)
    if "e" in text:
        text = f"{float(text):.40f}".rstrip("0") + "0" if abs(float(text)) < 1 else f"{float(text):.0f}"
    return Raw(text) if len(text.replace("-", "").replace(".", "")) <= 38 and text != "-0.0" else None
