"""Where rows of the facts were read: the file, the row in it and, for files of text, the line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..frozen import replace
from ..model import Relation
from ..verdict import PolicyVerdict, Spot, Value
from .factbase import FactBase
from .parquet_files import FILE, ROW, ParquetPart
from .sql import name, numbered, unnested
from .store import TextFile, rows_table

Query = Callable[[str, Sequence[object]], list[dict[str, Any]]]
"""Runs one SELECT over the facts and gives its rows by column; errors and limits are its own affair."""

Key = Mapping[str, Value]


def located(verdicts: Sequence[PolicyVerdict], base: FactBase, query: Query) -> list[PolicyVerdict]:
    """The verdicts, each witness that is a row given its spot: one query a relation. Groups have none."""
    keys: dict[str, list[Key]] = {}
    relations: dict[str, Relation] = {}
    for verdict in verdicts:
        if not verdict.checked.policy.per:
            relation = verdict.checked.relation
            relations[relation.name] = relation
            keys.setdefault(relation.name, []).extend(witness.key for witness in verdict.witnesses)
    spots = {name: iter(spots_of(base, relations[name], keys[name], query)) for name in relations}
    return [
        verdict
        if verdict.checked.policy.per
        else replace(
            verdict,
            witnesses=tuple(replace(w, spot=next(spots[verdict.checked.relation.name])) for w in verdict.witnesses),
        )
        for verdict in verdicts
    ]


def spots_of(base: FactBase, relation: Relation, keys: Sequence[Key], query: Query) -> list[Spot | None]:
    """The spot of the row with each key, in the order of `keys`. `query` runs a SELECT on `base`.

    None for a row that came from no file, and for a key that several rows have (`--trust-keys`): rather none than one
    that may be wrong.
    """
    stored = base.stored.get(relation.name)
    if stored is None or not keys:
        return [None] * len(keys)
    found: list[set[Spot]] = [set() for _ in keys]
    wanted, values = _wanted(relation, keys)
    if stored.files:
        source = numbered(rows_table(relation.name, stored), relation.columns, ROW)
        starts = [one.first for one in stored.files]
        for at, row in _matches(query, relation, source, wanted, values):
            found[at].add(_text_spot(stored.files, starts, int(row[ROW])))
    if stored.parquet is not None:
        shown = {one.path: one.source.shown for one in stored.parquet.files}
        source = _parquet_rows(stored.parquet, relation)
        for at, row in _matches(query, relation, source, wanted, values):
            found[at].add(Spot(shown[row[FILE]], int(row[ROW])))
    return [next(iter(spots)) if len(spots) == 1 else None for spots in found]


def _wanted(relation: Relation, keys: Sequence[Key]) -> tuple[str, list[object]]:
    """A SELECT of the keys with their position `_at`, and the lists that are its parameters."""
    columns = [relation.columns[one] for one in relation.key]
    pieces = [f"{unnested(number, column.type)} AS {name(column.name)}" for number, column in enumerate(columns, 2)]
    values: list[object] = [list(range(len(keys)))]
    for column in columns:
        values.append([_as_stored(key[column.name], column.type.levels) for key in keys])
    return f"SELECT {', '.join(['unnest($1::BIGINT[]) AS _at', *pieces])}", values


def _as_stored(value: Value, levels: tuple[str, ...]) -> object:
    """A value of a key as the database takes it: a level by its rank, what is exact as text."""
    if levels:
        return levels.index(str(value)) + 1
    return value if isinstance(value, (bool, int, float)) else str(value)


def _matches(
    query: Query, relation: Relation, source: str, wanted: str, values: Sequence[object]
) -> list[tuple[int, dict[str, Any]]]:
    same = " AND ".join(f"r.{name(one)} = k.{name(one)}" for one in relation.key)
    origin = f"r.{name(ROW)}" if FILE not in source else f"r.{name(FILE)}, r.{name(ROW)}"
    rows = query(f"SELECT k._at, {origin} FROM ({source}) AS r JOIN ({wanted}) AS k ON {same}", values)
    return [(int(row["_at"]), row) for row in rows]


def _parquet_rows(part: ParquetPart, relation: Relation) -> str:
    return " UNION ALL ".join(group.scan_with_origin(relation.key) for group in part.groups)


def _text_spot(files: Sequence[TextFile], starts: Sequence[int], rowid: int) -> Spot:
    """Of files that begin at one rowid all but the last are empty, so the last one has the row."""
    one = files[bisect_right(starts, rowid) - 1]
    row = rowid - one.first + 1
    return Spot(one.file, row, one.lines.of(row))
