"""The nouns of an evaluation. Figures are exact fractions; None where nothing would be divided by nothing."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..frozen import dataclass

SIGNIFICANCE = Fraction(1, 20)
"""Below it a difference is said to be told from noise. A convention, shown with every result."""
CONFIDENCE = Fraction(95, 100)
"""What an interval is made to hold. A convention, too."""
FEWEST = 5
"""Documents below which an interval would say nothing: few resamples differ at all."""


@dataclass(frozen=True, slots=True)
class Item:
    """A row of one side: its document, its span or its key, its words, and its columns but those of the run."""

    document: str
    at: tuple[int, int] | None
    key: tuple[str, ...]
    same: tuple[str | None, ...]
    """The values of the columns that have to agree; None agrees with nothing."""
    text: str | None
    columns: Mapping[str, object]
    beside: tuple[str | None, ...] = ()
    """The values of other columns, which are compared in pairs."""
    order: str = ""
    """What tells rows apart that are otherwise the same, so that the order of files is without effect."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An annotated row and the row of a run that is it."""

    annotated: Item
    found: Item


@dataclass(frozen=True, slots=True)
class Tally:
    """Annotated rows that a run found, those that it missed, and rows that it invented."""

    found: int = 0
    missed: int = 0
    invented: int = 0

    @property
    def cells(self) -> tuple[int, int, int]:
        return self.found, self.missed, self.invented

    @property
    def precision(self) -> Fraction | None:
        return _share(self.found, self.found + self.invented)

    @property
    def recall(self) -> Fraction | None:
        return _share(self.found, self.found + self.missed)

    @property
    def f1(self) -> Fraction | None:
        return _share(2 * self.found, 2 * self.found + self.missed + self.invented)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.found + other.found, self.missed + other.missed, self.invented + other.invented)


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval over resampled documents. In `undefined` of the `samples` there was no figure."""

    low: Fraction
    high: Fraction
    samples: int
    undefined: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its interval; None: too few documents, or nothing to divide."""

    value: Fraction | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two runs over the same documents: how often a difference as large comes from mixing up which run is which.

    `difference` is that of the first to the second. `exact`: all ways of mixing were counted; else `ways` were drawn.
    `least` is the smallest `p` that so few documents could give. None: there was nothing to compare.
    """

    difference: Figure
    p: Fraction | None
    documents: int
    differing: int
    ways: int
    exact: bool
    least: Fraction | None

    @property
    def told_apart(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANCE


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of the pairs with a value on both sides, how many have the same."""

    column: str
    agree: int
    of: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Documents:
    """Which documents are compared, and for each that is not, who did not look at it."""

    compared: tuple[str, ...]
    not_compared: Mapping[str, tuple[str, ...]]
    """Documents by the sides that did not look: `annotated`, `a`, `b`."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run against the annotation, over the compared documents."""

    side: str
    tally: Tally
    precision: Figure
    recall: Figure
    f1: Figure
    by_document: Mapping[str, Tally]
    by_value: Mapping[str, Mapping[str, Tally]]
    """For each closed column that has to agree, the tally of each of its values."""
    agreement: tuple[Agreement, ...]
    pairs: tuple[Pair, ...]
    missed: tuple[Item, ...]
    invented: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class RelationResult:
    """A relation compared. `why_not` says why there is no evidence; then there are no runs."""

    relation: str
    row: str
    columns: tuple[str, ...]
    """What two rows have to share, after the document: `start_at`, `end_at` or the key, and the `--same` columns."""
    spans: bool
    documents: Documents
    runs: tuple[RunResult, ...] = ()
    paired: PairedTest | None = None
    cannot_see: str | None = None
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A number of one document on every side."""

    document: str
    annotated: Fraction
    runs: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Unscored:
    """A document without the number on some sides, which is not counted as 0."""

    document: str
    sides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """A number by document, compared. For each run the mean difference and the mean distance from the annotation."""

    name: str
    against: str
    unit: str | None
    scores: tuple[Score, ...] = ()
    missing: tuple[Unscored, ...] = ()
    mean: tuple[Figure, ...] = ()
    distance: tuple[Figure, ...] = ()
    paired: PairedTest | None = None
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class FileUsed:
    """A file of facts. `provenance` as in its run: observed, constructed, human, unstated; None: no run."""

    side: str
    relation: str
    file: str
    sha256: str
    rows: int
    provenance: str | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A relation of the facts that is not compared, and why."""

    relation: str
    because: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the figures besides the facts."""

    match: str = "exact"
    same: tuple[str, ...] = ()
    document: str = "document"
    covered_by: str | None = None
    seed: int = 1
    samples: int = 2000


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A whole evaluation. `notes` are what a reader must know before any figure is believed."""

    pack: str
    settings: Settings
    sides: tuple[str, ...]
    files: tuple[FileUsed, ...]
    relations: tuple[RelationResult, ...]
    left_out: tuple[LeftOut, ...]
    scores: tuple[ScoreResult, ...]
    notes: tuple[str, ...]
    unsaid: tuple[str, ...]

    @property
    def without_evidence(self) -> bool:
        """Whether something that was asked for could not be compared, or nothing could."""
        asked = [*(one.why_not for one in self.relations), *(one.why_not for one in self.scores)]
        return not asked or any(why is not None for why in asked)
