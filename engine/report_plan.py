"""The nouns of `report.yaml`: what `fiel run` does with a document, and which rows make which part of its report."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import Place
from .frozen import dataclass, field

Wording = Mapping[str, str]
"""A text by language (a BCP 47 tag). `{column}` in it stands for a value of the row."""

OWN_OPTIONS = frozenset(
    "as_of help keep key_env max_cost model out policies provider recorded references retries set timeout url".split()
)
"""Options of `fiel run` itself, with `_` for `-`: no pack can have them."""


@dataclass(frozen=True, slots=True)
class RunOption:
    """An option of the command line that fills a column of the row of each document."""

    name: str
    column: str
    help: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence for each row of `rows` that has all values that it names; `{count}` is the number of rows.

    With `once` there is one sentence for all rows of the document, which may be none.
    """

    rows: str
    words: Wording
    once: bool = False
    missing: Wording | None = None
    """What is said where a value is unknown, or there is no row."""


@dataclass(frozen=True, slots=True)
class CellLookUp:
    """Where a value is looked up: `reference` is one, or `column` holds its name; `key` maps its key to columns.

    `claims` is the column with the value that is claimed; without it nothing is claimed, and the cell is taken.
    """

    show: str
    reference: str | None = None
    column: str | None = None
    key: Mapping[str, str] = field(default_factory=dict)
    """The columns of the rows by the key columns of the reference; those not named bear the same name."""
    claims: str | None = None


@dataclass(frozen=True, slots=True)
class Finds:
    """Rows that a reference has, each with its stretch of the text."""

    rows: str
    name: str
    value: CellLookUp
    kind: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Proposals:
    """Rows that a sensor proposed. `decided_by` is the column that says which of `official` decides, if any does.

    `counts` has for each value of that column what is said of it.
    """

    rows: str
    name: str
    value: str
    decided_by: str
    official: Mapping[str, CellLookUp]
    counts: Mapping[str, Wording]
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Corrections:
    """Rows with a text that would be better. `weight` is a column of ordered values; `words` names values of tags."""

    rows: str
    better: str
    why: str
    language: str
    weight: str
    tags: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, Wording]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MissingReason:
    """Why a part is unknown: the first of its reasons that holds. One without a condition holds always.

    `if_absent`: nobody looked for that relation. `if_none`: that relation or view has no row of the document.
    `if_unknown`: that column of the row is null.
    """

    words: Wording
    if_absent: str | None = None
    if_none: str | None = None
    if_unknown: str | None = None


@dataclass(frozen=True, slots=True)
class PartPlan:
    """A part of a score: columns of its rows, and the parameters that it depends on."""

    name: Wording
    words: Wording
    value: str
    weight: str | None = None
    gives: str | None = None
    numbers: tuple[str, ...] = ()
    missing: tuple[MissingReason, ...] = ()


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """A score: the column `value` of the row of the document in `rows`. `low` and `high` are parameters or 0 or 1."""

    rows: str
    value: str
    name: Wording
    formula: Wording
    low: str
    high: str
    parts: tuple[PartPlan, ...]
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldPlan:
    """Rows of what could have been said and is not: the column `what`, why, and what references say of it.

    With `if_absent` they are shown only where nobody looked for that relation.
    """

    rows: str
    what: str
    words: Wording
    values: tuple[CellLookUp, ...] = ()
    if_absent: str | None = None


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """All of `report.yaml`. Languages are those of `headings`; a document is a row of `document`."""

    sensors: tuple[str, ...]
    document: str
    options: tuple[RunOption, ...]
    language: str | None
    """The option that says the language of the report; without it, the first language."""
    text_language: str
    scale: tuple[str, ...]
    headings: Mapping[str, Mapping[str, str]]
    """For each language the words for each part of a report (`engine/report.py`, Headings)."""
    about: tuple[Sentence, ...] = ()
    lede: tuple[Sentence, ...] = ()
    finds: tuple[Finds, ...] = ()
    proposals: Proposals | None = None
    corrections: Corrections | None = None
    score: ScorePlan | None = None
    withheld: tuple[HeldPlan, ...] = ()
    policies: tuple[str, ...] = ()
    """The policies on the document that are judged, by their names in the pack; none: all that are no checks."""
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The policies on what sensors said, each with the columns of a row that are shown of one that does not pass."""
    place: Place | None = field(default=None, compare=False)

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.headings)

    @property
    def tables(self) -> tuple[str, ...]:
        """The relations and views whose rows are asked for."""
        listed: tuple[Sentence | Finds | HeldPlan, ...] = (*self.about, *self.lede, *self.finds, *self.withheld)
        found = [one.rows for one in listed]
        found += [one.rows for one in (self.proposals, self.corrections, self.score) if one is not None]
        parts = self.score.parts if self.score is not None else ()
        found += [one.if_none for part in parts for one in part.missing if one.if_none is not None]
        return tuple(dict.fromkeys(found))
