"""Which items of a run are which of the annotations: one to one, as many pairs as there can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """Something that was reported of one document: a stretch of code points, or with `key` what else tells it apart.

    `same` are the values that have to agree as well, `text` is how it is shown.
    """

    start: int | None
    end: int | None
    key: tuple[str, ...]
    same: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Matched:
    """Pairs (annotated, reported), what was missed, and what was invented."""

    found: tuple[tuple[Item, Item], ...]
    missed: tuple[Item, ...]
    invented: tuple[Item, ...]


def matched(annotated: Sequence[Item], reported: Sequence[Item], overlap: bool) -> Matched:
    """Pairs of items that agree: with equal spans, or spans that share a character; each item in one pair at most.

    There are as many pairs as any choice of pairs has (augmenting paths); items are taken in their order, and of
    several partners the one with the longest common stretch first, so that the same items give the same pairs.
    """
    left, right = sorted(annotated, key=_order), sorted(reported, key=_order)
    fitting = [
        sorted(
            (n for n, other in enumerate(right) if _agree(one, other, overlap)),
            key=lambda n: (-_common(one, right[n]), n),
        )
        for one in left
    ]
    partner: dict[int, int] = {}
    for number in range(len(left)):
        _augment(number, fitting, partner, set())
    pairs = sorted((mine, theirs) for theirs, mine in partner.items())
    paired = {mine for mine, _ in pairs}
    return Matched(
        tuple((left[mine], right[theirs]) for mine, theirs in pairs),
        tuple(one for n, one in enumerate(left) if n not in paired),
        tuple(one for n, one in enumerate(right) if n not in partner),
    )


def _order(one: Item) -> tuple[int, int, tuple[str, ...], tuple[str, ...], str]:
    return one.start or 0, one.end or 0, one.key, one.same, one.text


def _agree(one: Item, other: Item, overlap: bool) -> bool:
    if one.same != other.same or one.key != other.key:
        return False
    if one.start is None or other.start is None or one.end is None or other.end is None:
        return one.start == other.start and one.end == other.end
    if not overlap:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


def _common(one: Item, other: Item) -> int:
    if one.start is None or other.start is None or one.end is None or other.end is None:
        return 0
    return min(one.end, other.end) - max(one.start, other.start)


def _augment(start: int, fitting: Sequence[Sequence[int]], partner: dict[int, int], seen: set[int]) -> bool:
    """Finds a partner for `start`, moving others to further partners of theirs; without recursion."""
    path: list[tuple[int, int]] = []
    stack = [(start, iter(fitting[start]))]
    while stack:
        mine, left = stack[-1]
        for theirs in left:
            if theirs in seen:
                continue
            seen.add(theirs)
            path.append((mine, theirs))
            if theirs not in partner:
                for who, what in path:
                    partner[what] = who
                return True
            stack.append((partner[theirs], iter(fitting[partner[theirs]])))
            break
        else:
            stack.pop()
            if path:
                path.pop()
    return False
