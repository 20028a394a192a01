"""The nouns of worked examples: the cases of a policy as their author wrote them. `engine/model.py` has them too."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from .errors import Place
from .frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar of a case, not yet typed: its YAML text, whether it was quoted, and where. `text` None is null.

    `name_place` is where the column's name stands.
    """

    text: str | None
    quoted: bool
    place: Place = field(compare=False)
    name_place: Place | None = field(default=None, compare=False)


Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A row of a case's `rows` (or of `facts`): what differs from the example, `repeat` times."""

    cells: Row
    repeat: int = 1
    place: Place | None = field(default=None, compare=False)
    repeat_place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """One entry of `expect_rows`: the key columns it names and the outcome (`not_applicable`: out of scope)."""

    key: Row
    outcome: str
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One worked example. `rows` is None (judge `example` with `cells` put in), "absent", or rows over `example`.

    `facts` maps a relation to its rows or to "absent", in place of `example_facts` for those relations.
    """

    number: int
    cells: Row
    rows: tuple[CaseRow, ...] | str | None
    facts: Mapping[str, tuple[CaseRow, ...] | str]
    expect: str
    place: Place = field(compare=False)
    reason: str | None = None
    expect_rows: tuple[ExpectedRow, ...] = ()
    judged_on: date | None = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A mutant of a policy, by its name, that no case has to notice, and why."""

    mutant: str
    because: str
    place: Place | None = field(default=None, compare=False)
