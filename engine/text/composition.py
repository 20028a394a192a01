"""Marks over a text, as well-nested pieces: the text itself is never touched, and comes out as it went in.

Marks may overlap in any way. The longest stands outside; where two cross, the inner one is closed and opened again.
Each mark has a lane, so that lines under the same words do not lie upon each other: the shortest is next to the text.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence

from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text, half open, in code points, with a name of its own."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Opening:
    """A piece of a mark begins: its `first` one, or one that was closed before."""

    mark: Mark
    first: bool


@dataclass(frozen=True, slots=True)
class Closing:
    """A piece of a mark ends: its `last` one, or one that is opened again."""

    mark: Mark
    last: bool


Event = Opening | Closing | str
"""What a page is written from, in order. Texts are stretches of the source, never empty."""


def compose(text: str, marks: Sequence[Mark]) -> Iterator[Event]:
    """The text and its marks as events, which nest. Joined, the texts among them are the source.

    Raises ValueError for a mark that is empty or outside of the text, and for a name that stands twice.
    """
    _check(text, marks)
    starting: dict[int, list[Mark]] = {}
    ending: dict[int, list[Mark]] = {}
    for mark in marks:
        starting.setdefault(mark.start, []).append(mark)
        ending.setdefault(mark.end, []).append(mark)
    active: list[tuple[int, int, str, Mark]] = []
    opened: list[Mark] = []
    at = 0
    for border in sorted({*starting, *ending, len(text)}):
        yield from _pieces(opened, [one[-1] for one in active], at)
        if border > at:
            yield text[at:border]
        at = border
        over = {mark.name for mark in ending.get(border, ())}
        active = [one for one in active if one[2] not in over]
        for mark in starting.get(border, ()):
            insort(active, (mark.start - mark.end, mark.start, mark.name, mark))
    yield from _pieces(opened, [], at)


def _pieces(opened: list[Mark], wanted: Sequence[Mark], at: int) -> Iterator[Event]:
    """Closes and opens what it takes for `opened` to be what is wanted, outside first; `opened` is changed."""
    same = 0
    while same < min(len(opened), len(wanted)) and opened[same] is wanted[same]:
        same += 1
    while len(opened) > same:
        mark = opened.pop()
        yield Closing(mark, mark.end == at)
    for mark in wanted[same:]:
        opened.append(mark)
        yield Opening(mark, mark.start == at)


def lanes(marks: Sequence[Mark]) -> Mapping[str, int]:
    """The lane of each mark, from 1: the shortest first, each in the first lane that no overlapping mark has."""
    taken: list[list[tuple[int, int]]] = []
    found: dict[str, int] = {}
    for mark in sorted(marks, key=lambda one: (one.end - one.start, one.start, one.name)):
        number = next((n for n, lane in enumerate(taken) if _is_free(lane, mark)), len(taken))
        if number == len(taken):
            taken.append([])
        insort(taken[number], (mark.start, mark.end))
        found[mark.name] = number + 1
    return found


def _is_free(lane: Sequence[tuple[int, int]], mark: Mark) -> bool:
    """Whether no stretch of the lane, which are disjoint and in order, overlaps the mark."""
    at = bisect_left(lane, (mark.start, mark.start))
    before, after = lane[at - 1] if at else None, lane[at] if at < len(lane) else None
    return (before is None or before[1] <= mark.start) and (after is None or after[0] >= mark.end)


def _check(text: str, marks: Sequence[Mark]) -> None:
    seen: set[str] = set()
    for mark in marks:
        if not 0 <= mark.start < mark.end <= len(text):
            raise ValueError(f"the mark `{mark.name}` is empty or outside of the text")
        if mark.name in seen:
            raise ValueError(f"two marks are called `{mark.name}`")
        seen.add(mark.name)
