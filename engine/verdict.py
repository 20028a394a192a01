"""The nouns of a judgement: what evaluating gives and rendering shows. `docs/semantics.md`, sections 4 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from .checked import CheckedPolicy
from .decision import DecisionUse
from .frozen import dataclass, field
from .model import DatedValue, Parameter, ValueType, Waiver

Value = object
"""A value as evaluated: str, int, float, Decimal, bool, date, datetime, or None."""

SEVERITY = ("error", "fail", "no_evidence", "review", "pass", "not_applicable")
"""Verdicts from the one that wins to the one that yields."""

EXIT_CODES = {"error": 2, "fail": 1, "no_evidence": 3, "review": 4, "pass": 0, "not_applicable": 0}


@dataclass(frozen=True, slots=True)
class Counts:
    """Counted outcomes. `certain` is K: those that are in scope whatever is missing.

    `waived` failures are counted apart; the `decided` ones are those of `passed` and `failed` that a person decided.
    """

    passed: int = 0
    failed: int = 0
    review: int = 0
    no_evidence: int = 0
    certain: int = 0
    waived: int = 0
    decided: int = 0

    @property
    def in_scope(self) -> int:
        return self.passed + self.failed + self.review + self.no_evidence + self.waived


@dataclass(frozen=True, slots=True)
class AggregateValue:
    """An aggregate of a group: its value, or the bounds of a count that differ."""

    text: str
    value: Value = None
    low: int | None = None
    high: int | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """Why an `exists` is unknown: how many rows of `relation` leave it open, and which of their columns are null.

    An absent relation has no rows.
    """

    relation: str
    unknown_rows: int
    null_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a reference has for the judged column `shown`: the line and value of each cell with the key.

    `file` is the name that the pack gives it. There are no cells if it lacks the key. In cases there are no lines.
    """

    shown: str
    reference: str
    edition: str
    file: str
    column: str
    cells: tuple[tuple[int | None, Value], ...]
    key: Mapping[str, str] = field(default_factory=dict)
    """What was looked up: the key columns of the reference with texts as shown."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a row of facts was read: the file as the user named it, its row from 1, and its line if it has one."""

    file: str
    row: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """A row or group that is not a pass.

    `decided_by` is where, review_if or must, for a `no_evidence`. `columns` are the other judged columns; `parameters`
    the dated parameters' values in force. `groups`: `rows_in_scope`, `rows_of_unknown_scope` and `aggregates` are set.
    `passes_if` says for a `fail`, waived or not, what would have to hold.
    """

    outcome: str
    key: Mapping[str, Value]
    columns: Mapping[str, Value]
    parameters: Mapping[str, str | None]
    reason: str | None = None
    decided_by: str | None = None
    null_columns: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    looked_up: tuple[LookedUp, ...] = ()
    rows_in_scope: int | None = None
    rows_of_unknown_scope: int | None = None
    aggregates: tuple[AggregateValue, ...] = ()
    passes_if: str | None = None
    distance: str | None = None
    """How far the one column is from the one limit, as `11 m lower`."""
    waiver: int | None = None
    """The number of the waiver that covers it, of the outcome `waived`."""
    decision: int | None = None
    """The line of the decision by which it fails, if a person decided it."""
    spot: Spot | None = None
    """Where the row was read. Not part of the verdict: paths are not."""


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """The verdict of one policy. `allowed` is the number of tolerated failures."""

    checked: CheckedPolicy
    verdict: str
    reason: str | None
    counts: Counts
    allowed: int
    witnesses: tuple[Witness, ...] = ()
    more_witnesses: int = 0
    notes: tuple[str, ...] = ()
    covered: Mapping[int, int] = field(default_factory=dict)
    """How many rows or groups each waiver covers, by its number; those that cover none are left out."""
    decisions: tuple[DecisionUse, ...] = ()
    """The decisions on this policy in file order, and what came of each."""

    @property
    def id(self) -> str:
        return self.checked.policy.id


@dataclass(frozen=True, slots=True)
class WaiverUse:
    """A waiver of `pack` and what came of it in a run: how many rows it covers, or that it was over (`expired`).

    `rows` are the values of the columns that it names, typed.
    """

    pack: str
    waiver: Waiver
    covered: int = 0
    expired: bool = False
    rows: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of the facts and the packs a run never used, sorted. Columns are named `relation.column`.

    `relations` and `columns`: brought by the facts and read by no policy; `parameters`: of a pack and used by no
    policy (`pack.name`); `policies`: never had a row or group in scope.
    """

    relations: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """The verdict of a run over `packs`. `not_checked` names what this run left out though it could look."""

    verdict: str
    packs: tuple[str, ...]
    policies: tuple[PolicyVerdict, ...]
    as_of: date | None = None
    not_checked: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    chosen: str | None = None
    """How the packs were chosen, if the user named none."""
    blind_spots: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What `packs` and `relations` say they cannot see, by name."""
    waivers: tuple[WaiverUse, ...] = ()
    """Every waiver of the policies that were judged, in file order."""
    decisions: tuple[DecisionUse, ...] = ()
    """Every decision of the file that was given, in its order, also on policies that were not judged."""
    coverage: Coverage | None = None
    """Set if it was asked for."""
    receipt: Mapping[str, Any] | None = None
    """What made the verdict, by hash: the content of a receipt (`engine/schemas/receipt.schema.json`)."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]


def tolerated(allow: Parameter | None, day: date | None, n: int) -> int | None:
    """How many of n rows may fail. None if the parameter has no value in force on the day."""
    if allow is None:
        return 0
    value = in_force(allow, day)
    if value is None:
        return None
    from fractions import Fraction

    number = Fraction(str(value[0]))
    return int(number * n) if allow.unit == "share" else int(number)


def value_in_force(parameter: Parameter, day: date | None) -> DatedValue | None:
    """The value of a parameter; of a dated one, that which is in force on the day."""
    if not parameter.dated:
        return parameter.values[0]
    if day is None:
        return None
    for value in reversed(parameter.values):
        if value.start is not None and value.start <= day:
            return value if value.until is None or day < value.until else None
    return None


def in_force(parameter: Parameter, day: date | None) -> tuple[object, str] | None:
    """The value in force and how it is shown."""
    found = value_in_force(parameter, day)
    return (found.value, found.shown) if found is not None else None


def decide(counts: Counts, allowed: int, if_none: str) -> str:
    """The verdict of a policy from its counts: section 6, rules 2 to 6."""
    n = counts.in_scope
    if n == 0:
        return if_none
    if counts.failed > allowed:
        return "fail"
    if counts.failed + counts.review + counts.no_evidence <= allowed and counts.certain > 0:
        return "pass"
    return "no_evidence" if counts.no_evidence > 0 else "review"


def value_of(raw: Any, t: ValueType) -> Value:
    """A value in the terms of the relation: levels by name, days and instants as such, no negative zero.

    `raw` is what the database gives, or what facts are stored as (`engine/facts/values.py`).
    """
    if raw is None:
        return None
    if t.kind == "levels":
        return t.levels[int(raw) - 1]
    if t.kind == "float":
        return float(raw) + 0.0
    if t.kind == "decimal" and not isinstance(raw, Decimal):
        return Decimal(raw)
    if t.kind == "date" and isinstance(raw, str):
        return date.fromisoformat(raw)
    if t.kind == "instant" and isinstance(raw, str):
        return datetime.fromisoformat(raw)
    return raw


def worst(verdicts: tuple[str, ...]) -> str:
    """The verdict of a run; a run that selected no policy is in error."""
    return min(verdicts, key=SEVERITY.index) if verdicts else "error"
