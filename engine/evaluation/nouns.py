"""The nouns of an evaluation: what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .figures import Comparison, Counts


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of a document, in words."""

    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one relation, or of the items in it that have one value of a column (`of`)."""

    relation: str
    of: str | None
    counts: Counts
    interval: tuple[Fraction, Fraction] | None
    missed: tuple[Listed, ...] = ()
    invented: tuple[Listed, ...] = ()
    found: tuple[Listed, ...] = ()
    other: Counts | None = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of each document, as annotated and of the run; what is missing on one side, and the differences."""

    column: str
    pairs: tuple[tuple[str, Fraction, Fraction], ...]
    missing: tuple[str, ...]
    mean: tuple[Fraction, tuple[Fraction, Fraction] | None] | None
    absolute: tuple[Fraction, tuple[Fraction, Fraction] | None] | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All of it. `only_annotated` and `only_run` are documents that one side has not looked at: they count nowhere."""

    pack: str
    documents: tuple[str, ...]
    only_annotated: tuple[str, ...]
    only_run: tuple[str, ...]
    figures: tuple[Figures, ...]
    not_compared: Mapping[str, str]
    scores: Scores | None
    constructed: tuple[str, ...]
    match: str
    same: tuple[str, ...]
    seed: int
    samples: int
