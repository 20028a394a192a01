"""What an expression sees and what it becomes; three-valued logic (docs/semantics.md section 2).

Truth values are True, False and None for unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .values import Parameter, Type, Value

Row = Mapping[str, Value]
Truth = bool | None
Facts = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Env:
    """What an expression sees: `row` under bare names, `judged` under `judged.`, the rows of a group, the day."""

    row: Row
    judged: Row
    members: Sequence[Row]
    day: date | None
    facts: Facts
    met: Counter[str]


@dataclass(frozen=True)
class Scope:
    """The names an expression may use: columns of the row, of the judged row, of a member of a group, of relations."""

    columns: Mapping[str, Type]
    judged: Mapping[str, Type]
    members: Mapping[str, Type]
    relations: Mapping[str, Mapping[str, Type]]
    parameters: Mapping[str, Parameter]
    grouped: bool = False


@dataclass(frozen=True)
class Typed:
    """`constant`: a literal or parameter; `whole`: one without a point that fits 64 bits (section 11)."""

    type: Type
    read: Callable[[Env], Any]
    constant: bool = False
    whole: bool = False
    bounds: Callable[[Env], tuple[int, int]] | None = None
    aggregates: bool = False


def both(left: Truth, right: Truth) -> Truth:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def negation(part: Truth) -> Truth:
    return None if part is None else not part


def either(left: Truth, right: Truth) -> Truth:
    return negation(both(negation(left), negation(right)))
