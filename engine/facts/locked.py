"""The two ways in which DuckDB is opened: to build a database of facts, and to judge over it, locked.

The lock is the second wall; the first is the language, which lets no such thing be written. Locked means: the database
file is read-only, no file but the Parquet files that were given can be read, no extension, no secret, no host variable,
and no setting can be changed. Measured with DuckDB 2.0.1, four things stay open, and `FactBase.select` closes them by
running nothing but one SELECT: temporary objects of the connection, its search path, COPY into the private spill
folder, and COPY with `use_tmp_file false` over a Parquet file that may be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..database import client
from ..limits import Limits
from .sql import literal

if TYPE_CHECKING:
    import duckdb


def _settings(spill: str, limits: Limits, threads: int | None) -> dict[str, str | bool | int | float | list[str]]:
    """What both ways share: bounds on memory, disk and threads, and nothing loaded from outside."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "python_enable_replacements": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": f"{limits.memory_mb}MiB",
        "temp_directory": spill,
        "max_temp_directory_size": f"{limits.disk_mb}MiB",
    }
    if threads is not None:
        settings["threads"] = str(threads)
    return settings


def open_to_build(path: str, spill: str, limits: Limits, threads: int | None) -> duckdb.DuckDBPyConnection:
    """A database to fill. It can read files; nothing of a pack or of the facts reaches it as SQL."""
    connection: duckdb.DuckDBPyConnection = client().connect(path, config=_settings(spill, limits, threads))
    connection.execute("SET TimeZone = 'UTC'")
    # Files are checked against what they say of themselves, so nothing may be concluded from that while checking.
    connection.execute(
        "SET disabled_optimizers = 'statistics_propagation,filter_pushdown,row_group_pruner,partial_aggregate_pushdown'"
    )
    return connection


def open_locked(
    path: str, spill: str, limits: Limits, threads: int | None, readable: Sequence[str]
) -> duckdb.DuckDBPyConnection:
    """The database again, read-only and locked. `readable` are the paths of the Parquet files that its views read."""
    settings = _settings(spill, limits, threads)
    connection: duckdb.DuckDBPyConnection = client().connect(path, read_only=True, config=settings)
    lock(connection, limits, readable)
    return connection


def lock(connection: duckdb.DuckDBPyConnection, limits: Limits, readable: Sequence[str] = ()) -> None:
    """Locks an open database but for its own tables, which only a read-only file protects."""
    connection.execute("RESET disabled_optimizers")
    if readable:
        # These paths can be set only on an open database and only while external access is on.
        connection.execute(f"SET allowed_paths = [{', '.join(literal(one) for one in readable)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET parquet_use_page_index = false")  # nothing has compared it with the rows
    connection.execute("SET TimeZone = 'UTC'")
    if limits.seconds:
        connection.execute(f"SET max_execution_time = {limits.seconds * 1000}")
    connection.execute("SET lock_configuration = true")
