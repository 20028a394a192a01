"""Facts that are ready to be judged."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from ..database import client
from ..errors import EvaluationError, Problem
from ..frozen import dataclass
from ..leavings import remove_folder
from .parquet_files import ParquetFile, stamp

if TYPE_CHECKING:
    import duckdb

    from .store import Stored


@dataclass(frozen=True, slots=True)
class FactFile:
    """One file's share of one relation. `file` is as the user named it, `run` the digest of its `run.json`."""

    relation: str
    file: str
    sha256: str
    rows: int
    run: str | None = None
    provenance: str | None = None
    """What the run says of how its rows came about: observed, constructed, human or unstated. None: no run."""


class FactBase:
    """Facts ready to be judged: a locked, read-only database with a table or view for each relation.

    `present` holds the relations that somebody looked for, `rows` their numbers of rows (an empty one has 0); the
    others are absent and have an empty table. Use it in a `with`, or `close` it: it owns a private folder.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        folder: str,
        rows: Mapping[str, int],
        files: tuple[FactFile, ...],
        keys_checked: bool,
        parquet: Sequence[ParquetFile] = (),
        stored: Mapping[str, Stored] | None = None,
    ) -> None:
        self.connection = connection
        self.present: frozenset[str] = frozenset(rows)
        self.rows: Mapping[str, int] = dict(rows)
        self.files = files
        self.keys_checked = keys_checked
        self.stored: Mapping[str, Stored] = stored or {}
        """What `whereabouts` needs to say where a row was read."""
        self._parquet = tuple(parquet)
        self._held = 0
        # Also runs when the object is forgotten, and at the end of the program.
        self._remove = weakref.finalize(self, remove_folder, folder)

    def select(self, sql: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection:
        """Runs one SELECT. Anything else raises `EvaluationError`: what the lock leaves open is closed here."""
        statements = self.connection.extract_statements(sql)
        if len(statements) != 1 or not _is_select(statements[0]):
            raise _read_only()
        return self.connection.execute(statements[0], parameters)

    def hold(self, sql: str) -> str:
        """The quoted name of a table that holds what one SELECT gives, until the facts are closed."""
        statements = self.connection.extract_statements(sql)
        if len(statements) != 1 or not _is_select(statements[0]):
            raise _read_only()
        self._held += 1
        name = f'"held_{self._held}"'
        self.connection.execute(f"CREATE TEMP TABLE {name} AS {sql}")
        return name

    def release(self, held: str) -> None:
        """Drops a table that `hold` made."""
        if held not in {f'"held_{number}"' for number in range(1, self._held + 1)}:
            raise _read_only()
        self.connection.execute(f"DROP TABLE {held}")

    def changed_files(self) -> tuple[str, ...]:
        """The Parquet files, as named by the user, that are no longer those that were hashed. (Text was copied.)"""
        changed = []
        for one in self._parquet:
            try:
                same = one.source.path is not None and stamp(os.stat(one.source.path)) == one.stamp
            except OSError:
                same = False
            if not same:
                changed.append(one.source.shown)
        return tuple(changed)

    def close(self) -> None:
        """Closes the database and removes the private folder. May be called twice."""
        self.connection.close()
        self._remove()

    def __enter__(self) -> FactBase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _read_only() -> EvaluationError:
    message = "facts are judged with one SELECT and nothing else"
    return EvaluationError(Problem("facts-are-read-only", message, where="facts"))


def _is_select(statement: duckdb.Statement) -> bool:
    duckdb = client()

    try:
        return bool(statement.type == duckdb.StatementType.SELECT)
    except ValueError:  # a kind of statement that the client has no name for
        return False
