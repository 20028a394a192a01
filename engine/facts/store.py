"""A database of facts while it is filled."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..database import client
from ..frozen import dataclass, field
from ..leavings import private_folder, remove_folder
from ..limits import Limits
from ..model import Relation
from .chunk import CHUNK
from .factbase import FactBase, FactFile
from .intake import Lines
from .locked import lock, open_locked, open_to_build
from .parquet_files import ParquetPart
from .sql import name, sql_type, table, unnested


@dataclass(frozen=True, slots=True)
class TextFile:
    """Where the rows of a text file went: to the table of their relation, from the rowid `first` on."""

    file: str
    first: int
    lines: Lines


@dataclass(frozen=True, slots=True)
class Table:
    """A table that no file of facts brings: values by column, as facts are stored (`values`), all of one length."""

    relation: Relation
    columns: Mapping[str, Sequence[object]]
    rows: int


@dataclass(slots=True)
class Stored:
    """What is in the database so far for one relation."""

    rows: int = 0
    files: list[TextFile] = field(default_factory=list)
    parquet: ParquetPart | None = None


class Build:
    """A database that is being filled, in a private folder (mode 700) that goes if the building fails.

    `brief` keeps it in memory: opening takes a third of the time, and its tables are not read-only.
    """

    def __init__(
        self, relations: Mapping[str, Relation], limits: Limits, threads: int | None, brief: bool = False
    ) -> None:
        self.relations, self.limits, self.threads = relations, limits, threads
        self.stored: dict[str, Stored] = {}
        self.folder = private_folder()
        self._path = ":memory:" if brief else os.path.join(self.folder, "facts.duckdb")
        self._spill = os.path.join(self.folder, "spill")
        os.mkdir(self._spill, 0o700)
        try:
            self.connection = open_to_build(self._path, self._spill, limits, threads)
            with self.together():
                for relation in relations.values():
                    columns = ", ".join(f"{name(c.name)} {sql_type(c.type)}" for c in relation.columns.values())
                    self.connection.execute(f"CREATE TABLE {table(relation.name)} ({columns})")
        except BaseException:
            remove_folder(self.folder)
            raise
        self._insert = {one.name: _insert(one) for one in relations.values()}

    def insert(self, relation: str, columns: Mapping[str, Sequence[object]], count: int) -> None:
        """Adds rows, given by column. Their rowids follow those of the rows before."""
        if count:
            order = self.relations[relation].columns
            self.connection.execute(self._insert[relation], [columns[one] for one in order])
        self.stored.setdefault(relation, Stored()).rows += count

    def insert_select(self, relation: str, select: str, count: int) -> None:
        """Adds the rows of a SELECT, whose columns are the declared ones in their order; there are `count`."""
        self.connection.execute(f"INSERT INTO {table(relation)} {select}")
        self.stored.setdefault(relation, Stored()).rows += count

    def add_table(self, given: Table) -> None:
        """Puts all rows of a table in."""
        self.stored.setdefault(given.relation.name, Stored())
        for at in range(0, given.rows, CHUNK):
            some = {name: list(values[at : at + CHUNK]) for name, values in given.columns.items()}
            self.insert(given.relation.name, some, min(CHUNK, given.rows - at))

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is added within is written to the disk once, at the end. An error of the database ends all building."""
        duckdb = client()

        self.connection.execute("BEGIN TRANSACTION")
        try:
            yield
        except duckdb.Error:
            raise
        except BaseException:
            self.connection.execute("COMMIT")
            raise
        self.connection.execute("COMMIT")

    def begin_file(self, relation: str, file: str, lines: Lines) -> None:
        """Notes that the next rows of a relation come from a file; `lines` is filled while they do."""
        stored = self.stored.setdefault(relation, Stored())
        stored.files.append(TextFile(file, stored.rows, lines))

    def add_view(self, relation: Relation, part: ParquetPart) -> None:
        """Puts a view over the Parquet files in place of the table, together with the table's rows if it has any."""
        own, columns = table(relation.name), list(relation.columns)
        selects = [group.scan(columns) for group in part.groups]
        stored = self.stored.setdefault(relation.name, Stored())
        if stored.files:
            self.connection.execute(f"ALTER TABLE {own} RENAME TO {_beside(relation.name)}")
            selects.insert(0, f"SELECT * FROM {_beside(relation.name)}")
        else:
            self.connection.execute(f"DROP TABLE {own}")
        self.connection.execute(f"CREATE VIEW {own} AS {' UNION ALL '.join(selects)}")
        stored.parquet = part
        stored.rows += sum(one.rows for one in part.files)

    def lock(self, files: Sequence[FactFile], keys_checked: bool) -> FactBase:
        """The finished database, reopened read-only and locked."""
        parquet = [one for stored in self.stored.values() if stored.parquet for one in stored.parquet.files]
        connection = self.connection
        if self._path == ":memory:":
            lock(connection, self.limits)
        else:
            connection.close()
            connection = open_locked(self._path, self._spill, self.limits, self.threads, [one.path for one in parquet])
        rows = {relation: stored.rows for relation, stored in self.stored.items()}
        ordered = tuple(sorted(files, key=lambda one: (one.relation, one.file)))
        return FactBase(connection, self.folder, rows, ordered, keys_checked, parquet, self.stored)

    def drop(self) -> None:
        """Removes everything."""
        self.connection.close()
        remove_folder(self.folder)


def rows_table(relation: str, stored: Stored) -> str:
    """The quoted table that holds a relation's rows of text files."""
    return _beside(relation) if stored.parquet else table(relation)


def _beside(relation: str) -> str:
    """The table of the rows that were stored, when a view has its name."""
    return f'"t_{relation}"'


def _insert(relation: Relation) -> str:
    """The INSERT that takes a list for each column."""
    pieces = [unnested(number, column.type) for number, column in enumerate(relation.columns.values(), start=1)]
    return f"INSERT INTO {table(relation.name)} SELECT {', '.join(pieces)}"
