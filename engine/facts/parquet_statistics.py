"""Whether the statistics in the footer of a Parquet file are true of its rows.

DuckDB believes them: it skips a row group whose greatest value is said to be 10 when asked for what is above 120. A
file whose writer got them wrong (or lied) would hide its rows from every rule, so each row group is compared once,
before anything is judged. What is not compared is left unused: the page index is switched off where facts are judged.
Bloom filters are believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .bad_values import shown
from .findings import Spot
from .parquet_files import ParquetFile, reader
from .sql import literal, name

if TYPE_CHECKING:
    import duckdb


def measure(connection: duckdb.DuckDBPyConnection, file: ParquetFile, conditions: Sequence[str]) -> list[int]:
    """For how many rows of a file each condition is true, in a scan that also measures every row group.

    The table `measured` then has the least, the greatest and the number of known values of each column, for each row
    group. `connection` must not use statistics itself. Raises `duckdb.Error` for a file that cannot be read.
    """
    sizes = connection.execute(
        f"SELECT row_group_num_rows FROM (SELECT DISTINCT row_group_id, row_group_num_rows FROM {_metadata(file)}) "
        "ORDER BY row_group_id"
    ).fetchall()
    columns = [
        f"min({name(one)}) AS least{at}, max({name(one)}) AS most{at}, count({name(one)}) AS known{at}"
        for at, (one, _) in enumerate(file.types)
    ]
    columns += [f"count_if({condition}) AS met{at}" for at, condition in enumerate(conditions)]
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE measured AS SELECT {row_group([int(size[0]) for size in sizes])} AS row_group, "
        f"count(*) AS size, {', '.join(columns)} FROM {_numbered(file)} GROUP BY row_group"
    )
    if not conditions:
        return []
    met = ", ".join(f"sum(met{at})::BIGINT" for at in range(len(conditions)))
    found = connection.execute(f"SELECT {met} FROM measured").fetchone()
    assert found is not None
    return [int(one or 0) for one in found]


def untrue_statistics(connection: duckdb.DuckDBPyConnection, file: ParquetFile) -> Iterator[tuple[Spot, str, str]]:
    """The problems of a file that `measure` has just measured: each a column with a row group of which they are wrong.

    Raises `duckdb.Error` for statistics that cannot be read.
    """
    for at, (one, kind) in enumerate(file.types):
        untrue = (
            f"least{at} < {_stated('min', kind)} OR most{at} > {_stated('max', kind)} "
            f"OR stats_null_count != size - known{at} OR size != row_group_num_rows"
        )
        wrong = connection.execute(
            f"SELECT row_group_id + 1 FROM measured JOIN {_metadata(file)} "
            f"ON row_group = row_group_id WHERE path_in_schema = {literal(one)} AND ({untrue}) ORDER BY 1 LIMIT 1"
        ).fetchone()
        if wrong is not None:
            message = f"the statistics of {shown(one)} in row group {wrong[0]} are not those of its rows"
            help = "write the file again; rows could be hidden behind such statistics"
            yield Spot(file.source.shown, column=one), message, help


def _metadata(file: ParquetFile) -> str:
    return f"parquet_metadata({literal(file.path)})"


def _numbered(file: ParquetFile) -> str:
    """The file with the position of each row, from 0, whatever its columns are called."""
    if "file_row_number" not in dict(file.types):
        return f"(SELECT *, file_row_number AS {name('fiel row')} FROM {reader([file])})"
    return f"(SELECT *, row_number() OVER () - 1 AS {name('fiel row')} FROM {reader([file])})"


def row_group(sizes: Sequence[int]) -> str:
    """SQL for the number of a row's group. Writers make groups of one size but for the last; others take a search."""
    row = name("fiel row")
    if len(set(sizes[:-1])) <= 1 and sizes[-1] <= sizes[0]:
        return f"({row} // {max(sizes[0], 1)})"
    ends: list[int] = []
    for size in sizes:
        ends.append((ends[-1] if ends else 0) + size)
    return _search(ends, 0, len(ends) - 1, row)


def _search(ends: Sequence[int], low: int, high: int, row: str) -> str:
    """A binary search over the ends of the groups, as nested CASEs."""
    if low == high:
        return str(low)
    middle = (low + high) // 2
    below, above = _search(ends, low, middle, row), _search(ends, middle + 1, high, row)
    return f"CASE WHEN {row} < {ends[middle]} THEN {below} ELSE {above} END"


def _stated(which: str, kind: str) -> str:
    """A bound from the footer as its type; null where there is none. Text that is no UTF-8 is none: it is not used."""
    stated = f"stats_{which}_value"
    if kind == "VARCHAR":
        return f"CASE WHEN contains({stated}, '\\x') THEN NULL ELSE {stated} END"
    return f"{stated}::{kind}"
