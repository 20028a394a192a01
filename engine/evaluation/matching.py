"""Which row of a run is which annotated row: at most one for one, as many as can be, and the same whatever the order.

`exact`: the spans (or keys) are equal. `overlap`: they share a character, or are equal. Of all ways to pair as many
rows as possible, one with the most shared characters is taken, then with the most agreeing values; between those that
are still as good, the order of the rows decides, by document, place and content. (Longest paths in the graph of what
may be paired, one more pair at a time: each stage is the best of its size.)
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

from ..errors import EvaluationError, Problem
from ..frozen import dataclass
from .nouns import Item, Pair

MOST_LOOKS = 2_000_000
"""Looks at two rows of one document, to see whether they may be a pair."""
MOST_WORK = 10_000_000
"""Looks at a possible pair, in one group of rows that overlap."""

Edges = Mapping[int, Mapping[int, int]]
"""For each row of one side the rows of the other that it may be, with what each pair is worth (above 0)."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The pairs, and what is left of either side, in order."""

    pairs: tuple[Pair, ...]
    missed: tuple[Item, ...]
    invented: tuple[Item, ...]


def in_order(items: Sequence[Item]) -> list[Item]:
    """By document, place and content."""
    return sorted(items, key=lambda one: (one.document, one.at or (0, 0), one.key, one.order))


def match(annotated: Sequence[Item], found: Sequence[Item], overlap: bool) -> Matched:
    """Pairs the rows of one relation. Raises EvaluationError for a document with too many rows over one another."""
    left, right = in_order(annotated), in_order(found)
    partner: dict[int, int] = {}
    by_group: dict[tuple[object, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, items in enumerate((left, right)):
        for number, item in enumerate(items):
            if None not in item.same:
                place = item.document if overlap and item.at is not None else (item.document, item.at, item.key)
                by_group[place, item.same][side].append(number)
    for ours, theirs in by_group.values():
        for group in _groups(left, right, ours, theirs):
            partner |= assign(group, f"`{left[ours[0]].document}`")
    taken = set(partner.values())
    return Matched(
        tuple(Pair(left[a], right[b]) for a, b in sorted(partner.items())),
        tuple(one for number, one in enumerate(left) if number not in partner),
        tuple(one for number, one in enumerate(right) if number not in taken),
    )


def _groups(left: Sequence[Item], right: Sequence[Item], ours: list[int], theirs: list[int]) -> list[Edges]:
    """What may be paired, in groups that share no row. Both lists are in the order of places."""
    edges: dict[int, dict[int, int]] = {}
    first = looks = 0
    reach = max((_length(right[b]) for b in theirs), default=0)
    for a in ours:
        start, end = left[a].at or (0, 0)
        while first < len(theirs) and (right[theirs[first]].at or (0, 0))[0] + reach < start:
            first += 1
        for number in range(first, len(theirs)):
            b = theirs[number]
            if (right[b].at or (0, 0))[0] > end:
                break
            looks += 1
            if worth := _worth(left[a], right[b]):
                edges.setdefault(a, {})[b] = worth
        if looks > MOST_LOOKS:
            raise EvaluationError(_too_many(f"`{left[a].document}`"))
    return _apart(edges)


def _length(item: Item) -> int:
    return item.at[1] - item.at[0] if item.at is not None else 0


def _worth(a: Item, b: Item) -> int:
    """What a pair is worth: shared characters, and far below them agreeing values; 0 if it is none."""
    agreeing = sum(1 for x, y in zip(a.beside, b.beside, strict=True) if x is not None and x == y)
    shared = _length(a)
    if a.at is not None and b.at is not None and a.at != b.at:
        shared = min(a.at[1], b.at[1]) - max(a.at[0], b.at[0])
        if shared <= 0:
            return 0
    return 1 + agreeing + shared * (len(a.beside) + 1) * MOST_LOOKS


def _apart(edges: Edges) -> list[Edges]:
    """The groups of rows that are connected by what may be paired, in order."""
    users: dict[int, list[int]] = defaultdict(list)
    for a, others in edges.items():
        for b in others:
            users[b].append(a)
    groups, seen = list[Edges](), set[int]()
    for first in edges:
        if first in seen:
            continue
        members, open_rows = set[int](), [first]
        while open_rows:
            a = open_rows.pop()
            if a not in members:
                members.add(a)
                open_rows += [other for b in edges[a] for other in users.pop(b, ())]
        seen |= members
        groups.append({a: edges[a] for a in sorted(members)})
    return groups


def assign(edges: Edges, where: str = "the rows") -> dict[int, int]:
    """Of all ways to pair as many as possible, one that is worth the most."""
    if len(edges) == 1:
        [(a, others)] = edges.items()
        return {a: max(others, key=lambda b: (others[b], -b))}
    partner: dict[int, int] = {}
    owner: dict[int, int] = {}
    budget = MOST_WORK
    while True:
        path, looks = _best_path(edges, partner, owner)
        budget -= looks
        if budget < 0:
            raise EvaluationError(_too_many(where))
        if path is None:
            return partner
        for a, b in path:
            partner[a], owner[b] = b, a


def _best_path(
    edges: Edges, partner: Mapping[int, int], owner: Mapping[int, int]
) -> tuple[list[tuple[int, int]] | None, int]:
    """The pairs to make (others give way) for one more pair, worth the most; None if there is no further pair."""
    gain = {a: 0 for a in edges if a not in partner}
    came: dict[int, int] = {}
    best: dict[int, tuple[int, int]] = {}
    queue, waiting, looks = deque(gain), set(gain), 0
    while queue:
        a = queue.popleft()
        waiting.discard(a)
        for b, worth in edges[a].items():
            looks += 1
            if partner.get(a) == b:
                continue
            total = gain[a] + worth
            if b in best and best[b][0] >= total:
                continue
            best[b] = (total, a)
            if b in owner:
                other = owner[b]
                gain[other], came[other] = total - edges[other][b], b
                if other not in waiting:
                    waiting.add(other)
                    queue.append(other)
    ends = [(total, -b) for b, (total, _) in best.items() if b not in owner]
    if not ends:
        return None, looks
    b = -max(ends)[1]
    path = []
    while True:
        a = best[b][1]
        path.append((a, b))
        if a not in came:
            return path, looks
        b = came[a]


def _too_many(where: str) -> Problem:
    message = f"too many rows lie over one another in {where} to find the best pairs"
    return Problem(
        "evaluation-limit", message, help="use `--match exact`, or `--same` with columns that tell them apart"
    )
