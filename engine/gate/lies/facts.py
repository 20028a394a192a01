"""Lies told in facts: one row with another value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...lang.typed import ColumnRef, Compare, Constant, LookUp, Typed, conjuncts_of, look_ups_in
from ...references import Lookup
from .lie import FactChange, Ground, Lie, ShownFact
from .words import cases, false_of, few_others, look_alikes, slashed


def _told(kind: str, fact: ShownFact, column: str, now: str | None) -> Lie:
    levels = fact.checked.relation.columns[column].type.levels
    stored: object = levels.index(now) + 1 if now is not None and levels else now
    was = fact.columns.get(column)
    return Lie(kind, fact.place, f"{column} {was}", f"{column} {now}", fact=FactChange(fact, {column: stored}))


def _look_ups(fact: ShownFact, ground: Ground) -> Iterator[tuple[LookUp, list[Lookup]]]:
    for node in look_ups_in(fact.checked.must):
        lookups = [ground.lookups[cells.reference] for cells in node.cells if cells.reference in ground.lookups]
        if len(lookups) == len(node.cells):
            yield node, lookups


def _false(node: LookUp, lookups: list[Lookup], columns: Mapping[str, str | None]) -> bool:
    """Whether what is shown would be false: no reference that has the key holds the shown value."""
    shown = columns[node.shown.name]
    for cells, lookup in zip(node.cells, lookups, strict=True):
        key = dict(zip(cells.keys, (columns[one.name] for one in node.keys), strict=True))
        if not false_of(lookup, key, cells.column, shown):
            return False
    return True


def level_flipped(ground: Ground) -> Iterator[Lie]:
    for fact in ground.facts:
        for node, lookups in _look_ups(fact, ground) if fact.official else ():
            value = fact.columns[node.shown.name]
            levels = node.shown.type.levels or lookups[0].table.reference.columns[node.cells[0].column].type.levels
            for other in levels:
                if other != value and _false(node, lookups, {**fact.columns, node.shown.name: other}):
                    yield _told("fact-level-flipped", fact, node.shown.name, other)


def _of_key(ground: Ground, kind: str, change: Callable[[str, Lookup, str], Iterator[str]]) -> Iterator[Lie]:
    for fact in ground.facts:
        for node, lookups in _look_ups(fact, ground) if fact.official else ():
            for name, column in zip(node.cells[0].keys, node.keys, strict=True):
                value = fact.columns[column.name]
                declared = fact.checked.relation.columns[column.name]
                free = declared.type.kind == "text" and declared.one_of is None
                for other in change(value, lookups[0], name) if value and free else ():
                    if _false(node, lookups, {**fact.columns, column.name: other}):
                        yield _told(kind, fact, column.name, other)


def key_swapped(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "fact-key-swapped", few_others)


def key_look_alike(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "fact-key-look-alike", lambda value, _, __: look_alikes(value))


def key_case(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "fact-key-case", lambda value, _, __: cases(value))


def key_slashed(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "fact-key-slashed", lambda value, _, __: slashed(value))


def key_nulled(ground: Ground) -> Iterator[Lie]:
    for fact in ground.facts:
        for node, _ in _look_ups(fact, ground) if fact.official else ():
            for column in node.keys:
                if not fact.checked.relation.columns[column.name].required and column.name not in fact.key:
                    yield _told("fact-key-nulled", fact, column.name, None)


def relabelled_official(ground: Ground) -> Iterator[Lie]:
    """A row that is not shown as official is said to be: its column of the scope has the word that is asked for."""
    for fact in ground.facts:
        if fact.official or fact.checked.where is None:
            continue
        for column, word in _asked(fact.checked.where):
            if fact.columns.get(column) != word and column not in fact.key:
                for node, lookups in _look_ups(fact, ground):
                    if fact.columns[node.shown.name] is not None and _false(node, lookups, fact.columns):
                        yield _told("fact-relabelled-official", fact, column, word)


def _asked(where: Typed) -> Iterator[tuple[str, str]]:
    """The scope as `column = 'word'`, if it is no more than that."""
    conjuncts = conjuncts_of(where)
    node = conjuncts[0]
    if len(conjuncts) == 1 and isinstance(node, Compare) and node.op == "=":
        sides = (node.left, node.right) if isinstance(node.left, ColumnRef) else (node.right, node.left)
        if isinstance(sides[0], ColumnRef) and isinstance(sides[1], Constant) and sides[0].type.kind == "text":
            yield sides[0].name, str(sides[1].options[0].value)
