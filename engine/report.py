"""The nouns of a report on one document: the text with its marks, and what is said beside it. `render` shows them.

A report holds texts in the language of its reader, ready to be shown; values whose origin matters are those of
`engine/attest.py`, so that nothing is official here that no reference vouches for. Spans are code points, half open.
"""

from __future__ import annotations

from collections.abc import Mapping

from .attest import Computed, Official, Proposed, Withheld
from .frozen import dataclass, field
from .sensors.artifact import ClaimWords


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Find:
    """Something of the text that a reference has: `spans` are its uses, `written` the first of them as written.

    `value` is what the reference has; `band` is its place on the scale of the report, from 1 (None: it has none there),
    which is only how it is drawn. `name` and `kind` say what was looked up (a headword, a part of speech).
    """

    id: str
    spans: tuple[Span, ...]
    written: str
    name: str
    kind: str | None
    value: Official | Withheld
    band: int | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that a sensor proposed. `value` is the proposal; `official` what a reference has of the same thing.

    `counts` says which of the two counts, in words; `band` is the place of what counts on the scale of the report.
    `title` is the entry of the reference, in its words, where one was named.
    """

    id: str
    span: Span
    quote: str
    name: str
    value: Proposed
    official: Official | Withheld | None
    band: int | None
    counts: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """Something that a sensor would write otherwise. `weight` is 1, 2 or 3; `tags` are in the reader's words.

    `why` is in `language` (a BCP 47 tag), which need not be that of the report.
    """

    id: str
    span: Span
    quote: str
    better: str
    tags: tuple[str, ...]
    weight: int
    why: str
    language: str


@dataclass(frozen=True, slots=True)
class Origin:
    """A number that a result depends on: its name, value with unit, origin, reason, and when it is looked at again."""

    name: str
    value: str
    origin: str
    because: str | None
    revisit: str | None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score: what it is worth, its weight, what it gives, and how it came about, in words.

    A part without a value says in `words` what is missing.
    """

    name: str
    value: str | None
    weight: str | None
    gives: str | None
    words: str
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A result with its arithmetic. `value` is None where something is missing; its parts say what.

    `low` and `high` are the ends of the scale.
    """

    name: str
    value: Computed | None
    low: str
    high: str
    formula: str
    parts: tuple[Part, ...]
    origins: tuple[Origin, ...] = ()

    @property
    def guesses(self) -> tuple[str, ...]:
        """The numbers that it rests on and that are guesses, by name, sorted; none if it has no value."""
        every = [*self.origins, *(one for part in self.parts for one in part.origins)]
        return tuple(sorted({one.name for one in every if one.origin == "guess"})) if self.value is not None else ()


@dataclass(frozen=True, slots=True)
class Held:
    """What could have been said and was not: of what, why, where in the text if it is there, what references say."""

    what: str
    why: str
    spans: tuple[Span, ...] = ()
    values: tuple[Official | Withheld, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a sensor reported and the program refused: `code` of the remark, why in words, and what was reported."""

    code: str
    why: str
    shown: str
    sensor: str


@dataclass(frozen=True, slots=True)
class RuledRow:
    """A row that is not a pass: its outcome, what it is in words, and what would have to hold, as a rule."""

    outcome: str
    shown: str
    passes_if: str | None


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict of one policy: its title, its verdict (a word of `verdict.SEVERITY`) and reason, and how many rows
    have which outcome (`pass fail review no_evidence waived`, those of which there are any).

    `rows` are the first that are no pass, `more` how many more there are. `is_check`: it judges what sensors said.
    """

    policy: str
    title: str
    verdict: str
    reason: str | None
    counts: tuple[tuple[str, int], ...]
    cannot_see: str
    rows: tuple[RuledRow, ...] = ()
    more: int = 0
    is_check: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A reference that is cited: the parts of its pin by name (title, edition, cite, licence, sha256), attested."""

    reference: str
    title: str
    pins: Mapping[str, Official | Withheld]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run of a sensor that the report rests on. `made` is how: observed, constructed or human.

    `facts` are what its record says, in order: model, digests, times; `missing` says why there are no rows of it.
    """

    sensor: str
    kind: str
    made: str
    facts: tuple[tuple[str, str], ...]
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that bands stand for, lowest first, at most six."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Headings:
    """The pack's own words for the parts of a report, in the reader's language."""

    report: str
    finds: str
    find: str
    proposals: str
    proposal: str
    corrections: str
    correction: str
    kind: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report on one document says. `language` is that of its own words, a BCP 47 tag."""

    pack: str
    pack_version: str
    language: str
    text_language: str
    document: str
    text: str
    sha256: str
    headings: Headings
    about: tuple[str, ...]
    """Short facts about the document, of one line each: what it is for."""
    lede: tuple[str, ...]
    """Sentences with numbers in them."""
    scale: Scale
    finds: tuple[Find, ...]
    proposals: tuple[Proposal, ...] | None
    corrections: tuple[Correction, ...] | None
    """None of these two: nobody looked. An empty one: somebody looked, and there was nothing."""
    score: Score | None
    withheld: tuple[Held, ...]
    dropped: tuple[Dropped, ...]
    rulings: tuple[Ruling, ...]
    verdict: str
    """Of the policies on the document: the worst of theirs."""
    blind: tuple[str, ...]
    sources: tuple[Source, ...]
    runs: tuple[RunLine, ...]
    constructed: bool = False
    """Whether a run was written by hand: every form says so at its beginning."""
    claims: ClaimWords = field(default_factory=ClaimWords)
    """What would look like a claim in a page about this."""
    shows: tuple[str, ...] = ("corrections", "proposals")
    """Which of these two the pack has a place for at all."""
    checked: str | None = None
    """The verdict of the policies on what sensors said; None if there are none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of a folder: its report's file, or why there is none."""

    document: str
    page: str | None
    score: str | None
    verdict: str
    words: str
    bands: tuple[int, ...] = ()
    """How many finds there are of each value of the scale."""
    corrections: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """The summary of a folder of documents."""

    pack: str
    language: str
    headings: Headings
    scale: Scale
    entries: tuple[Entry, ...]
    low: str
    high: str
    score_name: str
    is_guess: bool = False
    """Whether the scores rest on numbers that are guesses."""
    sources: tuple[Source, ...] = ()
    claims: ClaimWords = field(default_factory=ClaimWords)
    levels: tuple[int, ...] = ()
    """How many different entries there are of each value of the scale, in all documents together."""
