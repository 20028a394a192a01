"""The kind `table`: rows of CSV, TSV and Parquet files, and of databases, as facts of one relation.

Nothing is guessed: a cell is what the column of the relation declares, or the loader of facts says which cell is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from . import canonical
from .errors import Problem, UsageError, did_you_mean
from .facts.literals import INT, NUMBER
from .lang.dialects import duckdb as dialect
from .model import Column, Relation
from .references.records import Unreadable, csv_rows, text_of
from .sensor import Sensor

MOST_ROWS = 1_000_000
_SECONDS = 60
DATABASES = (".db", ".sqlite", ".sqlite3")
FILES = (".csv", ".tsv", ".parquet", *DATABASES)
Row = Mapping[str, object]
Looked = tuple[str, str]
"""A document that was looked at and the SHA-256 of what was read."""


def rows_of_files(
    sensor: Sensor, relation: Relation, paths: Sequence[tuple[str, Path]]
) -> tuple[list[Row], tuple[Looked, ...]]:
    """The rows of all files, in their order. Raises UsageError for a table that cannot be read."""
    rows: list[Row] = []
    looked = []
    for shown, path in paths:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(_unreadable(shown, (error.strerror or str(error)).lower())) from None
        rows += _bounded(shown, _rows_of_file(sensor, relation, shown, path, data), len(rows))
        looked.append((shown, hashlib.sha256(data).hexdigest()))
    return rows, tuple(looked)


def rows_of_database(sensor: Sensor, relation: Relation, address: str) -> tuple[list[Row], tuple[Looked, ...]]:
    """What the sensor's query gives of a PostgreSQL database, read-only. No address is shown: it may hold a secret."""
    query = _query(sensor, "the database")
    names, raw = _postgres(address, query)
    rows = _bounded("the database", _named(sensor, relation, "the database", names, raw), 0)
    text = "".join(canonical.dumps({k: _plain(v) for k, v in row.items()}) for row in rows)
    return rows, (("database", hashlib.sha256(text.encode("utf-8")).hexdigest()),)


def _rows_of_file(sensor: Sensor, relation: Relation, shown: str, path: Path, data: bytes) -> Iterator[Row]:
    ending = path.suffix.lower()
    if ending in DATABASES:
        names, raw = _sqlite(path, _query(sensor, shown), shown)
    elif ending == ".parquet":
        names, raw = _parquet(path, shown)
    else:
        names, raw = _csv(data, "\t" if ending == ".tsv" else ",", shown)
    return _named(sensor, relation, shown, names, raw)


def _named(
    sensor: Sensor, relation: Relation, shown: str, names: Sequence[str], raw: Iterator[Sequence[object]]
) -> Iterator[Row]:
    """Rows under the names of the relation. A heading that is missing or stands twice is refused."""
    at: dict[str, int] = {}
    for column in relation.columns.values():
        heading = sensor.columns.get(column.name, column.name)
        if list(names).count(heading) > 1:
            raise UsageError(_unreadable(shown, f"the heading `{heading}` stands {list(names).count(heading)} times"))
        if heading in names:
            at[column.name] = list(names).index(heading)
        elif not column.may_be_absent:
            help = did_you_mean(heading, [one for one in names if one], "headings")
            raise UsageError(_unreadable(shown, f"there is no heading `{heading}` for `{column.name}`", help))
    for number, cells in enumerate(raw, 1):
        yield {name: _value(cells[place], relation.columns[name], number) for name, place in at.items()}


def _value(cell: object, column: Column, row: int) -> object:
    """A cell as JSON has it, if it is a literal of the column's type; else as it is, which the loader then refuses.

    Raises Unreadable for a value that no fact can be.
    """
    if isinstance(cell, float) and column.type.kind == "decimal":
        help = "cast it to a decimal where the table is made, or declare the column a float"
        raise Unreadable(f"row {row}: `{column.name}` is a double, and a decimal is exact", None, help)
    if cell is not None and not isinstance(cell, (str, int, float, Decimal, date)):
        message = f"row {row}: `{column.name}` is of the type {type(cell).__name__}, which no fact has"
        raise Unreadable(message, None, "make a text, a number, a day or an instant of it where the table is made")
    if isinstance(cell, (datetime, date)):
        return canonical.json_value(cell) if _is_utc(cell) else cell.isoformat()
    if not isinstance(cell, str):
        return cell
    kind = column.type.kind
    if kind == "int" and INT.fullmatch(cell):
        return int(cell) if len(cell) < 25 else cell
    if kind in ("decimal", "float") and NUMBER.fullmatch(cell) and len(cell) < 100:
        return Decimal(cell)
    if kind == "bool" and cell in ("true", "false"):
        return cell == "true"
    return cell


def _is_utc(value: datetime | date) -> bool:
    return not isinstance(value, datetime) or (value.utcoffset() is not None and not value.utcoffset())


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int, float, str, Decimal)) else str(value)


def _bounded(shown: str, rows: Iterator[Row], before: int) -> list[Row]:
    found: list[Row] = []
    try:
        for row in rows:
            if len(found) + before == MOST_ROWS:
                raise UsageError(_unreadable(shown, f"over {MOST_ROWS:,} rows", "judge the file itself with `--facts`"))
            found.append(row)
    except Unreadable as error:
        where = f"line {error.line}: " if error.line is not None else ""
        raise UsageError(_unreadable(shown, where + error.message, error.help)) from None
    return found


def _csv(data: bytes, delimiter: str, shown: str) -> tuple[list[str], Iterator[Sequence[object]]]:
    try:
        rows = csv_rows(text_of(data), delimiter)
        _, names = next(rows, (1, []))
    except Unreadable as error:
        raise UsageError(_unreadable(shown, error.message, error.help)) from None
    if not names:
        raise UsageError(_unreadable(shown, "it is empty, and headings were expected"))
    return names, _even(rows, len(names))


def _even(rows: Iterator[tuple[int, list[str]]], width: int) -> Iterator[Sequence[object]]:
    for line, fields in rows:
        if len(fields) != width:
            raise Unreadable(f"{len(fields)} fields, and there are {width} headings", line)
        yield [field or None for field in fields]


def _parquet(path: Path, shown: str) -> tuple[list[str], Iterator[Sequence[object]]]:
    from .database import client

    if set(str(path)) & set("*?[{"):
        raise UsageError(
            _unreadable(shown, "its path has a letter that stands for others: one of * ? [ {", "rename it")
        )
    with closing(client().connect()) as connection:
        try:
            connection.execute("SET TimeZone = 'UTC'")
            about = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            names = [str(one[0]) for one in about]
            cells = ", ".join(_as_text(dialect.quote(str(name)), str(kind)) for name, kind, *_ in about)
            found = connection.execute(f"SELECT {cells} FROM read_parquet(?) LIMIT ?", [str(path), MOST_ROWS + 1])
            return names, iter(found.fetchall())
        except Exception as error:  # whatever the database says of a file that is none
            raise UsageError(_unreadable(shown, f"no Parquet file: {str(error).splitlines()[0]}")) from None


def _as_text(column: str, kind: str) -> str:
    """A column of days or times as text: Python has no day that is infinite, and no nanoseconds."""
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"replace(replace(CAST({column} AS VARCHAR), ' ', 'T'), '+00', 'Z')"
    if kind.startswith("TIMESTAMP"):
        return f"replace(CAST({column} AS VARCHAR), ' ', 'T')"
    return f"CAST({column} AS VARCHAR)" if kind == "DATE" else column


def _sqlite(path: Path, query: str, shown: str) -> tuple[list[str], Iterator[Sequence[object]]]:
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_SECONDS)) as connection:
            found = connection.execute(query)
            if found.description is None:
                raise sqlite3.Error("the query gives no rows")
            return [one[0] for one in found.description], iter(found.fetchmany(MOST_ROWS + 1))
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise UsageError(_unreadable(shown, str(error).splitlines()[0])) from None


def _postgres(address: str, query: str) -> tuple[list[str], Iterator[Sequence[object]]]:
    try:
        import psycopg
    except ImportError:
        help = "pip install 'fiel[postgres]'"
        raise UsageError(Problem("missing-extra", "PostgreSQL is read with an extra", help=help)) from None
    options = f"-c default_transaction_read_only=on -c statement_timeout={_SECONDS * 1000} -c timezone=UTC"
    try:
        with psycopg.connect(address, connect_timeout=_SECONDS, options=options) as connection:
            connection.read_only = True
            with connection.cursor(name="fiel") as cursor:  # on the server: only what fits is fetched
                cursor.execute(query.encode("utf-8"))
                rows: list[tuple[Any, ...]] = cursor.fetchmany(MOST_ROWS + 1)
                return [one.name for one in cursor.description or ()], iter(rows)
    except psycopg.Error as error:
        raise UsageError(_unreadable("the database", _first_line(error, address))) from None


def _first_line(error: Exception, address: str) -> str:
    """What a database says, without the address, in which there may be a password."""
    said = next(iter(str(error).splitlines()), "") or type(error).__name__
    from psycopg.conninfo import conninfo_to_dict

    secrets = [address]
    with suppress(Exception):  # an address that is none
        secrets.append(str(conninfo_to_dict(address).get("password") or ""))
    for secret in filter(None, secrets):
        said = said.replace(secret, "…")
    return said


def _query(sensor: Sensor, shown: str) -> str:
    if sensor.query is None:
        help = "add `query: select …` to it in `sensors.yaml`"
        raise UsageError(
            Problem("missing-key", f"{shown} is a database, and `{sensor.name}` has no `query`", help=help)
        )
    return sensor.query


def _unreadable(shown: str, why: str, help: str | None = None) -> Problem:
    return Problem("table-unreadable", why, where=shown, help=help)
