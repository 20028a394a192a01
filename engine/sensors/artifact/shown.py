"""What the artifact sensor finds in a file. It observes: whether a value is the official one, others look up."""

from __future__ import annotations

from collections.abc import Mapping

from ...frozen import dataclass, field
from ...seal import NONE


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value that a page shows, and how it is marked: one row of the table `shown_value`.

    `form` is html, markdown, json or text; `marked` is official, proposed, computed, human, quote, withheld or
    unmarked. `unmarked` is a claim word beside a word of officialdom without a mark. `by` is what a mark that is not
    official says of its origin (sensor and run, view, person and day). `flaw` says why a mark cannot be read.
    `beside` is the text around a mark that names a line and no key.
    """

    file: str
    line: int
    form: str
    marked: str
    value: str
    reference: str | None = None
    edition: str | None = None
    key: Mapping[str, str] = field(default_factory=dict)
    column: str | None = None
    stated_line: int | None = None
    excerpt: str = ""
    by: Mapping[str, str] = field(default_factory=dict)
    flaw: str | None = None
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """An act or a reference that a page names together with an article or an edition."""

    file: str
    line: int
    act_or_reference: str
    article: str | None
    edition: str | None


@dataclass(frozen=True, slots=True)
class NoClaim:
    """A remark that a block makes no claim, and why. `excused` counts what would have been an unmarked claim."""

    file: str
    line: int
    because: str
    excused: int = 0


@dataclass(frozen=True, slots=True)
class Sensed:
    """All that one file says, in the order of its lines. `unreadable` says why a file could not be read, if so."""

    file: str
    shown: tuple[ShownValue, ...] = ()
    citations: tuple[Citation, ...] = ()
    no_claims: tuple[NoClaim, ...] = ()
    unreadable: str | None = None
    sealing: str = NONE
    """Whether the page is as it was sealed (`engine/seal.py`)."""
