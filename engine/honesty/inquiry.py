"""Asking: the tests are run in an in-memory database that reaches nothing outside of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..database import client
from ..frozen import dataclass
from .tables import TABLES, HonestyTest, Row, Tables, Value

if TYPE_CHECKING:
    import duckdb

_TYPES = {"text": "varchar", "int": "bigint", "bool": "boolean"}
SECONDS = 30
"""How long one query may take."""
MOST = 1000
"""Offenders of one test that are listed."""


@dataclass(frozen=True, slots=True)
class Offender:
    """A row that breaks a promise. `row` has the columns that the test selects.

    `where` is its file and line, or the first thing that it names.
    """

    test: str
    title: str
    row: tuple[tuple[str, Value], ...]
    where: str | None
    help: str | None = None


class Inquiry:
    """One database, kept over many askings: only tables that changed are filled anew, only tests that read them run."""

    def __init__(self) -> None:
        settings = {
            "memory_limit": "512MiB",
            "threads": "1",
            "temp_directory": "",
            "python_enable_replacements": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        }
        self._connection: duckdb.DuckDBPyConnection = client().connect(":memory:", config=settings)
        for name, columns in TABLES.items():
            written = ", ".join(f'"{column}" {_TYPES[kind]}' for column, kind in columns.items())
            self._connection.execute(f'create table "{name}" ({written})')
        for setting in ("enable_external_access = false", "TimeZone = 'UTC'", f"max_execution_time = {SECONDS * 1000}"):
            self._connection.execute(f"set {setting}")
        self._connection.execute("set lock_configuration = true")
        self._filled: dict[str, tuple[Row, ...]] = {}
        self._version = dict.fromkeys(TABLES, 0)
        self._answers: dict[str, tuple[tuple[str, tuple[int, ...]], tuple[Offender, ...]]] = {}

    def offenders(self, tests: Sequence[HonestyTest], tables: Tables) -> list[Offender]:
        """Every row that breaks a promise, in the order of the tests, each test's sorted."""
        for name in TABLES:
            self._fill(name, tables.rows.get(name, ()))
        return [one for test in tests for one in self._ask(test)]

    def explain(self, sql: str) -> None:
        """Compile a query without running it; raises what the database raises."""
        self._connection.execute(f"explain {sql}")

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Inquiry:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def _fill(self, name: str, rows: tuple[Row, ...]) -> None:
        if self._filled.get(name, ()) == rows:
            return
        self._connection.execute(f'delete from "{name}"')
        if rows:
            columns = TABLES[name]
            lists: list[Any] = [[row[index] for row in rows] for index in range(len(columns))]
            values = ", ".join(f"unnest(?::{_TYPES[kind]}[])" for kind in columns.values())
            self._connection.execute(f'insert into "{name}" select {values}', lists)
        self._filled[name] = rows
        self._version[name] += 1

    def _ask(self, test: HonestyTest) -> tuple[Offender, ...]:
        state = test.offenders, tuple(self._version[name] for name in sorted(test.reads))
        known = self._answers.get(test.name)
        if known is not None and known[0] == state:
            return known[1]
        cursor = self._connection.execute(test.offenders)
        names = [str(column[0]) for column in cursor.description or ()]
        found = [tuple(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchmany(MOST)]
        answer = tuple(
            Offender(test.name, test.title, row, _where(dict(row)), test.help) for row in sorted(found, key=_order)
        )
        self._answers[test.name] = state, answer
        return answer


def offenders(tests: Sequence[HonestyTest], tables: Tables) -> list[Offender]:
    """Ask once. Whoever asks often keeps an `Inquiry`."""
    with Inquiry() as inquiry:
        return inquiry.offenders(tests, tables)


def _plain(value: object) -> Value:
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def _order(row: tuple[tuple[str, Value], ...]) -> tuple[tuple[bool, int, str], ...]:
    """Nulls first, numbers by size, texts by code point."""
    return tuple((value is not None, value if type(value) is int else 0, str(value)) for _, value in row)


def _where(row: dict[str, Value]) -> str | None:
    if row.get("file") is not None:
        return f"{row['file']}:{row['line']}" if row.get("line") is not None else str(row["file"])
    return next((str(value) for value in row.values() if value is not None), None)
