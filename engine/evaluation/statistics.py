"""Chance: resamples of documents, percentile intervals, and a paired test. The same seed gives the same bytes anywhere.

The generator is SHA-256 over a counter, so that no version of a library can change what is drawn. Documents are what
is drawn and swapped, for errors within one text are not independent.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from .nouns import CONFIDENCE, FEWEST, Figure, Interval, PairedTest

Cells = tuple[int, ...]
"""Whole numbers of a document that are added up over documents."""
Statistic = Callable[[Cells], Fraction | None]
MOST_EXACT = 12
"""Up to so many documents that differ, every way of mixing two runs is counted."""


def words(seed: int, name: str) -> Iterator[int]:
    """Endless whole numbers of 32 bits, equally likely, the same for the same seed and name."""
    counter = 0
    while True:
        block = hashlib.sha256(f"{seed}:{name}:{counter}".encode()).digest()
        yield from struct.unpack(">8I", block)
        counter += 1


def below(bound: int, stream: Iterator[int]) -> Iterator[int]:
    """Endless numbers from 0 to below `bound`, equally likely: what would favour small ones is drawn again."""
    fair = 2**32 - 2**32 % bound
    return (word % bound for word in stream if word < fair)


def resampled(cells: Sequence[Cells], samples: int, seed: int, name: str) -> list[Cells]:
    """The sums of as many documents as there are, drawn with replacement, for each sample."""
    count, drawn = len(cells), below(len(cells), words(seed, name))
    return [_total([cells[next(drawn)] for _ in range(count)]) for _ in range(samples)]


def _total(cells: Sequence[Cells]) -> Cells:
    return tuple(map(sum, zip(*cells, strict=True)))


def interval(values: Sequence[Fraction | None]) -> Interval | None:
    """The middle of resampled figures, by rank; None if half of them or more are undefined."""
    known = sorted(value for value in values if value is not None)
    if 2 * len(known) <= len(values):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = floor(tail * len(known)), ceil((1 - tail) * len(known)) - 1
    return Interval(known[low], known[high], len(values), len(values) - len(known))


def figures(
    cells: Sequence[Cells], statistics: Sequence[Statistic], samples: int, seed: int, name: str
) -> tuple[Figure, ...]:
    """Each statistic of all documents, with its interval over one and the same resamples."""
    if not cells:
        return tuple(Figure(None) for _ in statistics)
    values = [statistic(_total(cells)) for statistic in statistics]
    if len(cells) < FEWEST:
        return tuple(Figure(value) for value in values)
    sums = resampled(cells, samples, seed, name)
    return tuple(
        Figure(value, interval([statistic(one) for one in sums]) if value is not None else None)
        for value, statistic in zip(values, statistics, strict=True)
    )


def paired_test(
    first: Sequence[Cells], second: Sequence[Cells], statistic: Statistic, samples: int, seed: int, name: str
) -> PairedTest:
    """Whether two runs over the same documents differ by more than which of them is called which would explain.

    Without a difference between the runs either could have been called the first, document by document. `p` is the
    share of such relabellings with a difference at least as large; one that is undefined counts as large.
    """
    both = [(*a, *b) for a, b in zip(first, second, strict=True)]
    width = len(first[0]) if first else 0

    def difference(cells: Cells) -> Fraction | None:
        one, other = statistic(cells[:width]), statistic(cells[width:])
        return None if one is None or other is None else one - other

    [shown] = figures(both, [difference], samples, seed, f"{name}:difference")
    steps = [(*_less(b, a), *_less(a, b)) for a, b in zip(first, second, strict=True) if a != b]
    exact = len(steps) <= MOST_EXACT
    if shown.value is None:
        return PairedTest(shown, None, len(both), len(steps), 0, exact, None)
    base, size = _total(both), abs(shown.value)
    swaps = _every(base, steps) if exact else _drawn(base, steps, samples, words(seed, f"{name}:swaps"))
    extreme = ways = 0
    known: dict[Cells, bool] = {}
    for cells in swaps:
        if cells not in known:
            value = difference(cells)
            known[cells] = value is None or abs(value) >= size
        extreme += known[cells]
        ways += 1
    # What was seen is one of the ways; of those that are drawn it is counted beside them, so that p is never 0.
    p = Fraction(extreme, ways) if exact else Fraction(extreme + 1, ways + 1)
    least = Fraction(min(2, ways), ways) if exact else Fraction(1, ways + 1)
    return PairedTest(shown, p, len(both), len(steps), ways, exact, least)


def _less(a: Cells, b: Cells) -> Cells:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _moved(base: Cells, step: Cells, by: int) -> Cells:
    return tuple(x + by * y for x, y in zip(base, step, strict=True))


def _every(base: Cells, steps: Sequence[Cells]) -> Iterator[Cells]:
    """The sums for every choice of documents to swap, each from the one before by one document (a Gray code)."""
    now, swapped = base, [False] * len(steps)
    yield now
    for number in range(1, 2 ** len(steps)):
        at = (number & -number).bit_length() - 1
        now = _moved(now, steps[at], -1 if swapped[at] else 1)
        swapped[at] = not swapped[at]
        yield now


def _drawn(base: Cells, steps: Sequence[Cells], samples: int, stream: Iterator[int]) -> Iterator[Cells]:
    """The sums for choices that are drawn, a bit a document."""
    for _ in range(samples):
        now, bits = base, 0
        for at, step in enumerate(steps):
            if at % 32 == 0:
                bits = next(stream)
            if bits >> at % 32 & 1:
                now = _moved(now, step, 1)
        yield now
