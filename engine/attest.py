"""Provenance as a type: what may be said of a value, and who is allowed to say `official` (`docs/honesty.md`).

A value is official, proposed, computed, of a person, or withheld. `attest` is the only maker of `Official`: it looks
the claim up in the reference whose bytes have the pinned hash, and whatever does not equal that cell is `Withheld`.
The seal is how the type knows its maker; a test reads the syntax trees of the engine for anybody else who names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from types import MappingProxyType
from typing import Protocol

from .canonical import shown
from .errors import InternalError
from .markup import PIN_COLUMNS
from .model import Reference
from .verdict import LookedUp

_SEAL = object()


@dataclass(frozen=True, slots=True)
class Official:
    """A value that equals a cell of a pinned reference: `column` of the row with `key`, at `line` of its file.

    What is said of the reference itself has no line (0) and no key; its columns are those of `PIN_COLUMNS`.
    `dataclasses.replace` cannot make another of it, because the seal is not kept.
    """

    value: str
    reference: str
    edition: str
    key: Mapping[str, str]
    column: str
    line: int
    cite: str
    licence: str
    seal: InitVar[object] = field(kw_only=True)

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise InternalError("only `attest` says that a value is official")


@dataclass(frozen=True, slots=True)
class Proposed:
    """A value that a sensor gave in a run. Nobody looked it up."""

    value: str
    sensor: str
    run: str


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that a view or a policy worked out."""

    value: str
    by: str


@dataclass(frozen=True, slots=True)
class Human:
    """A value that a person gave, and when."""

    value: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """A claim that was not confirmed. `claimed` is what somebody wanted to show; `explanation` does not repeat it."""

    reason: str
    claimed: str | None
    explanation: str


Provenance = Official | Proposed | Computed | Human | Withheld


@dataclass(frozen=True, slots=True)
class Claim:
    """That `column` of `reference` has this `value` for this `key`. `edition` and `line` are checked if they are said.

    Values of the key are texts as they are shown; None is a value that is missing.
    """

    value: str | None
    reference: str
    key: Mapping[str, str | None]
    column: str
    edition: str | None = None
    line: int | None = None


class Answer(Protocol):
    """What a look-up gives. `kind`: found, not_in_reference, ambiguous_key, incomplete_key.

    `cells` has (line, value) of every row with the key, in file order.
    """

    @property
    def kind(self) -> str: ...
    @property
    def value(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def cells(self) -> tuple[tuple[int, str | None], ...]: ...


class Looker(Protocol):
    """Whoever can look a key up in one reference (`engine/references`)."""

    def look(self, key: Mapping[str, str | None], column: str) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Pinned:
    """A declared reference and the way to look in it; without one, `unusable` is the code of the problem with it."""

    reference: Reference
    lookup: Looker | None
    unusable: str | None = None


_NOT_FOUND = {
    "not_in_reference": "no row of {name} has this key",
    "ambiguous_key": "several rows of {name} have this key, with different values",
    "incomplete_key": "the key has no value for a column of the key of {name}",
}


def attest(claim: Claim, references: Mapping[str, Pinned]) -> Official | Withheld:
    """The claim as an official value, or withheld with the first reason that holds."""
    pinned = references.get(claim.reference)
    if pinned is None:
        return Withheld("unknown_reference", claim.value, f"no pack declares a reference `{claim.reference}`")
    reference = pinned.reference
    if claim.column in PIN_COLUMNS.values():
        return _attest_pin(claim, pinned)
    reason = _form(claim, pinned)
    if reason is not None or pinned.lookup is None:
        return Withheld(*(reason or ("reference_missing", claim.value, f"{_named(reference)} cannot be read")))
    answer = pinned.lookup.look(claim.key, claim.column)
    if answer.kind != "found" or answer.line is None:
        why = _NOT_FOUND.get(answer.kind, "{name} has no answer").format(name=_named(reference))
        return Withheld(answer.kind if answer.kind in _NOT_FOUND else "not_in_reference", claim.value, why)
    if answer.value is None or claim.value != answer.value:
        empty = "the cell is empty in" if answer.value is None else "the value is not that of"
        return Withheld("differs", claim.value, f"{empty} {_named(reference)}, line {answer.line}")
    lines = [line for line, value in answer.cells if value == answer.value] or [answer.line]
    if claim.line is not None and claim.line not in lines:
        return Withheld("wrong_line", claim.value, f"in {_named(reference)} this key stands at line {answer.line}")
    key = {name: value for name, value in sorted(claim.key.items()) if value is not None}
    return Official(
        answer.value,
        reference.name,
        reference.edition,
        MappingProxyType(key),
        claim.column,
        answer.line if claim.line is None else claim.line,
        reference.cite,
        reference.licence,
        seal=_SEAL,
    )


def _attest_pin(claim: Claim, pinned: Pinned) -> Official | Withheld:
    """A claim about a reference itself. It has no key and no line of its own: it is what the pin says."""
    reference, name = pinned.reference, _named(pinned.reference)
    if pinned.lookup is None:
        reason = (pinned.unusable or "reference-missing").replace("-", "_")
        return Withheld(reason, claim.value, f"{name} cannot be used: {reason.replace('_', ' ')}")
    if claim.edition is not None and claim.edition != reference.edition:
        return Withheld("stale_edition", claim.value, f"edition `{claim.edition}` is not the pinned one: {name}")
    if claim.key or claim.line is not None:
        return Withheld("unknown_key", claim.value, f"what is said of {name} itself has neither key nor line")
    said = getattr(reference, claim.column[1:])
    if not claim.value or claim.value != said:
        return Withheld("differs", claim.value, f"the pin of {name} says otherwise")
    key: Mapping[str, str] = MappingProxyType({})
    about = (reference.name, reference.edition, key, claim.column)
    return Official(said, *about, 0, reference.cite, reference.licence, seal=_SEAL)


def attest_cells(found: LookedUp, references: Mapping[str, Reference]) -> tuple[Official, ...]:
    """The cells that a verdict found in a pinned reference, as official values.

    The rows that a case gives a reference are made up: they have no line, and nothing of them is official.
    """
    reference = references.get(found.reference)
    if reference is None or reference.edition != found.edition:
        return ()
    key = MappingProxyType(dict(sorted(found.key.items())))
    about = (reference.name, reference.edition, key, found.column)
    return tuple(
        Official(shown(value), *about, line, reference.cite, reference.licence, seal=_SEAL)
        for line, value in found.cells
        if line is not None and value is not None
    )


def _form(claim: Claim, pinned: Pinned) -> tuple[str, str | None, str] | None:
    """What is wrong with a claim before anything is looked up, as the fields of `Withheld`."""
    reference, value = pinned.reference, claim.value
    name = _named(reference)
    if pinned.lookup is None:
        reason = (pinned.unusable or "reference-missing").replace("-", "_")
        return reason, value, f"{name} cannot be used: {reason.replace('_', ' ')}"
    if claim.edition is not None and claim.edition != reference.edition:
        told = "repealed" if claim.edition in reference.repealed else "not the pinned one"
        return "stale_edition", value, f"edition `{claim.edition}` is {told}: {name}"
    if claim.column not in reference.columns:
        return "unknown_column", value, f"{name} has no column `{claim.column}`"
    for column in sorted(claim.key):
        if column not in reference.key:
            return "unknown_key", value, f"`{column}` is not in the key of {name}"
    for column in reference.key:
        if not claim.key.get(column):
            return "incomplete_key", value, f"the key has no `{column}`, which {name} needs"
    if not value:
        return "nothing_claimed", value, "no value is shown"
    return None


def _named(reference: Reference) -> str:
    return f"{reference.name} {reference.edition}"
