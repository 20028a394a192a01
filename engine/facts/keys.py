"""Whether each key occurs once. Exact: keys that increase from row to row do, which takes one pass and no memory; any
others are grouped, which DuckDB spills to disk when it must.

For Parquet the answer is remembered in the user's cache, by the digests of the files, so that a file that did not
change is not checked twice. Only "no key is repeated" is ever remembered.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Relation
from .bad_values import shown
from .findings import Findings, Spot
from .parquet_files import FILE, ROW
from .sql import literal, name, numbered, table
from .store import Build, rows_table


def check_keys(build: Build, relation: Relation, findings: Findings) -> None:
    """Adds a problem for each row whose key an earlier row has, in the order of files and rows.

    A key with a null in it is left out: the null is a problem of its own.
    """
    connection = build.connection
    key = ", ".join(name(one) for one in relation.key)
    known = " AND ".join(f"{name(one)} IS NOT NULL" for one in relation.key)
    if _increases(build, relation, known):
        return
    counted = connection.execute(
        f"SELECT count(*), sum(n - 1) FROM (SELECT count(*) AS n FROM {table(relation.name)} WHERE {known} "
        f"GROUP BY {key} HAVING count(*) > 1)"
    ).fetchone()
    if counted is None or not counted[0]:
        return
    origins, names = _origins(build, relation)
    # The part is the position of the file among all of them in the order of their names.
    rows = connection.execute(
        f"SELECT part, {name(ROW)}, first_part, first_row, {key} FROM (SELECT *, "
        f"row_number() OVER same AS nth, first_value(part) OVER same AS first_part, "
        f"first_value({name(ROW)}) OVER same AS first_row FROM ({origins}) WHERE {known} "
        f"WINDOW same AS (PARTITION BY {key} ORDER BY part, {name(ROW)})) WHERE nth > 1 "
        f"ORDER BY part, {name(ROW)} LIMIT {max(findings.limit, 1)}"
    ).fetchall()
    lines = {one.file: one.lines for one in build.stored[relation.name].files}
    for part, row, first_part, first_row, *values in rows:
        file, first_file = names[part], names[first_part]
        line = lines[file].of(row) if file in lines else None
        first = Spot(first_file, first_row, lines[first_file].of(first_row) if first_file in lines else None)
        said = ", ".join(
            f"{column} {shown(value)}"
            for column, value in zip(relation.key, _as_written(relation, values), strict=True)
        )
        findings.fact_problem(
            "fact-repeated-key",
            Spot(file, row, line),
            f"the key {said} is that of {first}",
            "take one of the two rows out",
        )
    findings.count += int(counted[1]) - len(rows)


def _increases(build: Build, relation: Relation, known: str) -> bool:
    """Whether each key is greater than the one before it, in whatever order the database gives the rows.

    If so no key is repeated, as "greater" orders all values of a key. A few rows are looked at first: most files that
    are in no order show it there.
    """
    key = [name(one) for one in relation.key]
    before = [name(f"{_BEFORE}{number}") for number in range(len(key))]
    lagged = ", ".join(f"lag({one}) OVER () AS {at}" for one, at in zip(key, before, strict=True))
    not_after = f"{key[-1]} <= {before[-1]}"
    for one, at in reversed(list(zip(key[:-1], before[:-1], strict=True))):
        not_after = f"{one} < {at} OR ({one} = {at} AND ({not_after}))"
    rows = f"SELECT {', '.join(key)} FROM {table(relation.name)} WHERE {known}"
    for some in (f"({rows} LIMIT {_GLIMPSE})", f"({rows})"):
        found = build.connection.execute(
            f"SELECT count(*) FILTER ({not_after}) FROM (SELECT {', '.join(key)}, {lagged} FROM {some})"
        ).fetchone()
        if found is None or found[0]:
            return False
        if build.stored[relation.name].rows <= _GLIMPSE:
            return True
    return True


_BEFORE = "before "
"""Begins the names of the values in the row before. No declared column can bear them: they hold a space."""
_GLIMPSE = 20_000


def _as_written(relation: Relation, values: Sequence[object]) -> list[object]:
    """Values of a key as an author wrote them: levels by name, not rank."""
    written: list[object] = []
    for column, value in zip(relation.key, values, strict=True):
        levels = relation.columns[column].type.levels
        written.append(levels[value - 1] if levels and isinstance(value, int) else value)
    return written


def _origins(build: Build, relation: Relation) -> tuple[str, list[str]]:
    """A SELECT of `part`, the row from 1 and the key of every row, and the name of each part."""
    stored = build.stored[relation.name]
    files, parquet = stored.files, stored.parquet
    parquet_files = parquet.files if parquet else []
    names = sorted([one.file for one in files] + [one.source.shown for one in parquet_files])
    position = {file: at for at, file in enumerate(names)}
    key = ", ".join(name(one) for one in relation.key)
    selects = []
    # Of files that begin at one rowid all but the last are empty, so the last one counts.
    starts = {one.first: position[one.file] for one in files}
    if starts:
        values = ", ".join(f"({part}, {first})" for first, part in starts.items())
        rows, at = numbered(rows_table(relation.name, stored), relation.columns, ROW), name(ROW)
        selects.append(
            f"SELECT part, r.{at} - first + 1 AS {name(ROW)}, {key} FROM ({rows}) AS r "
            f"ASOF JOIN (VALUES {values}) AS starts(part, first) ON r.{at} >= starts.first"
        )
    for group in parquet.groups if parquet else []:
        paths = ", ".join(f"({position[one.source.shown]}, {literal(one.path)})" for one in group.files)
        selects.append(
            f"SELECT part, {name(ROW)}, {key} FROM ({group.scan_with_origin(relation.key)}) "
            f"JOIN (VALUES {paths}) AS paths(part, path) ON {name(FILE)} = path"
        )
    return " UNION ALL ".join(selects), names


# --- what is remembered ----------------------------------------------------------------------------------------------


def without_repeats(relation: Relation, digests: Sequence[str]) -> dict[str, object]:
    """What is remembered: that files with these digests, together, repeat no key of the relation."""
    kinds = {one: str(relation.columns[one].type) for one in relation.key}
    return {"relation": relation.name, "key": list(relation.key), "types": kinds, "files": sorted(digests)}
