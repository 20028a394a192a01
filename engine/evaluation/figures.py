"""Precision, recall and F1 as exact fractions, their intervals, and whether two runs can be told apart.

Documents are drawn, not items: errors of one text are not independent of each other. What is drawn comes from a seed,
by a generator whose sequence Python guarantees, so the same facts give the same figures on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

FEWEST = 5
"""Documents below which an interval would say nothing."""
LEVEL = Fraction(1, 20)
"""From which p on two runs cannot be told apart: a convention, shown with every result."""
_EXACT = 12
"""Up to so many documents every exchange of A and B is tried."""
_TRIES = 4096


@dataclass(frozen=True, slots=True)
class Counts:
    """How many were found, missed and invented."""

    found: int = 0
    missed: int = 0
    invented: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.found + other.found, self.missed + other.missed, self.invented + other.invented)

    @property
    def precision(self) -> Fraction | None:
        """Of what was reported, what was right; None if nothing was."""
        return _share(self.found, self.found + self.invented)

    @property
    def recall(self) -> Fraction | None:
        """Of what was annotated, what was found; None if nothing was."""
        return _share(self.found, self.found + self.missed)

    @property
    def f1(self) -> Fraction | None:
        """The harmonic mean of both; None if there was nothing to report and nothing was."""
        return _share(2 * self.found, 2 * self.found + self.missed + self.invented)


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def total(counts: Sequence[Counts]) -> Counts:
    return sum(counts, Counts())


def interval_of_f1(counts: Sequence[Counts], seed: int, samples: int) -> tuple[Fraction, Fraction] | None:
    """The middle 95 % of F1 over documents drawn with replacement; None with too few documents, or without an F1."""
    found = _drawn(len(counts), seed, samples, lambda drawn: total([counts[n] for n in drawn]).f1)
    return None if found is None or total(counts).f1 is None else found


def mean_with_interval(
    values: Sequence[Fraction], seed: int, samples: int
) -> tuple[Fraction, tuple[Fraction, Fraction] | None] | None:
    """The mean and its interval; None without values."""
    if not values:
        return None
    mean = sum(values, Fraction()) / len(values)
    return mean, _drawn(
        len(values), seed, samples, lambda drawn: sum((values[n] for n in drawn), Fraction()) / len(drawn)
    )


def _drawn(
    n: int, seed: int, samples: int, figure: Callable[[Sequence[int]], Fraction | None]
) -> tuple[Fraction, Fraction] | None:
    if n < FEWEST or samples < 1:
        return None
    chance = random.Random(seed)
    drawn = (figure([chance.randrange(n) for _ in range(n)]) for _ in range(samples))
    found = sorted(one for one in drawn if one is not None)
    if not found:
        return None
    return found[len(found) * 25 // 1000], found[min(len(found) * 975 // 1000, len(found) - 1)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """F1 of A less that of B, how likely a difference of that size is if both are alike, and how that was found out."""

    difference: Fraction
    p: Fraction
    exact: bool
    documents: int

    @property
    def is_told_apart(self) -> bool:
        return self.p < LEVEL


def compare_runs(a: Sequence[Counts], b: Sequence[Counts], seed: int) -> Comparison | None:
    """A paired test: in every document A and B may change places. None if one of them has no F1.

    Of up to 12 documents every exchange is tried; of more, 4,096 that are drawn, the one that was seen among them.
    """
    first, second = total(a).f1, total(b).f1
    if first is None or second is None or not a:
        return None
    seen = first - second
    exact = len(a) <= _EXACT
    chance = random.Random(seed)
    ways = range(2 ** len(a)) if exact else [0, *(chance.getrandbits(len(a)) for _ in range(_TRIES - 1))]
    as_far = sum(1 for way in ways if abs(_exchanged(a, b, way)) >= abs(seen))
    return Comparison(seen, Fraction(as_far, len(ways)), exact, len(a))


def _exchanged(a: Sequence[Counts], b: Sequence[Counts], way: int) -> Fraction:
    mine = [b[n] if way >> n & 1 else a[n] for n in range(len(a))]
    theirs = [a[n] if way >> n & 1 else b[n] for n in range(len(a))]
    return (total(mine).f1 or Fraction()) - (total(theirs).f1 or Fraction())
