"""Parquet files, judged where they lie: their types are compared with the declared ones, their values are checked in
one scan, and a view reads them. No row is copied.

Files whose columns have the same types form a group; each group is read by its own `read_parquet`, because DuckDB takes
the types of the first file for all of them and would round the others.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import did_you_mean
from ..model import Column, Limits, Relation, ValueType
from .bytes_in import BLOCK, limit_problem, reason
from .findings import Findings, Spot
from .parquet_values import Check, checks, projection
from .sources import Source
from .sql import listed, name
from .values import expected, shown

if TYPE_CHECKING:
    import duckdb

FILE, ROW = "fiel file", "fiel row"
"""Names of the columns that say where a row comes from. No declared column can bear them: they hold a space."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """One file. `path` is what DuckDB is given, `stamp` its size, time of change and inode when it was hashed.

    `types` holds the DuckDB type of each column of the file, in its order.
    """

    source: Source
    path: str
    sha256: str
    stamp: tuple[int, int, int]
    rows: int = 0
    types: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Group:
    """Files of one shape, and how each declared column is read from them."""

    files: list[ParquetFile]
    columns: dict[str, str] = field(default_factory=dict)

    def scan(self, columns: Sequence[str]) -> str:
        """A SELECT of declared columns, typed as declared."""
        shown_columns = ", ".join(f"{self.columns[one]} AS {name(one)}" for one in columns)
        return f"SELECT {shown_columns} FROM {_reader(self.files)}"

    def scan_with_origin(self, columns: Sequence[str]) -> str:
        """The same with the path of the file and the row in it, from 1."""
        shown_columns = "".join(f", {self.columns[one]} AS {name(one)}" for one in columns)
        if "file_row_number" not in dict(self.files[0].types):
            return (
                f"SELECT {name(FILE)}, file_row_number + 1 AS {name(ROW)}{shown_columns} "
                f"FROM {_reader(self.files, f', filename = {listed((FILE,))}')}"
            )
        # A column of that name hides DuckDB's own number; count the rows of each file instead.
        return " UNION ALL ".join(
            f"SELECT {listed((one.path,))} AS {name(FILE)}, row_number() OVER () AS {name(ROW)}{shown_columns} "
            f"FROM {_reader([one])}"
            for one in self.files
        )


def _reader(files: Sequence[ParquetFile], more: str = "") -> str:
    return f"read_parquet([{listed(tuple(one.path for one in files))}], hive_partitioning = false{more})"


@dataclass(slots=True)
class ParquetPart:
    """The Parquet files of one relation, in groups."""

    groups: list[Group]

    @property
    def files(self) -> list[ParquetFile]:
        return [one for group in self.groups for one in group.files]


class Links:
    """Paths that DuckDB reads literally. It takes `*`, `?` and `[` for patterns; such a file gets a link."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._count = 0

    def plain(self, path: str) -> str | None:
        """The path itself or a link to it; None if the system makes no links."""
        if not re.search(r"[*?\[\]{}\\\x00-\x1f\ud800-\udfff]", path):
            return path
        self._count += 1
        link = os.path.join(self._folder, f"{self._count}.parquet")
        try:
            os.symlink(path, link)
        except OSError:
            return None
        return link


def hashed(source: Source, links: Links, findings: Findings, progress: Progress | None) -> ParquetFile | None:
    """The file with its digest, or None and a problem.

    What could change between this and the end of judging is the file itself: it is read again by every query.
    `FactBase.changed_files` compares the stamp.
    """
    assert source.path is not None
    digest = hashlib.sha256()
    try:
        with open(source.path, "rb") as file:
            before = stamp(os.fstat(file.fileno()))
            done = 0
            while block := file.read(BLOCK):
                digest.update(block)
                done += len(block)
                if progress:
                    progress(source.shown, done, before[0])
            after = stamp(os.stat(source.path))
    except OSError as error:
        findings.fact_problem(
            "fact-file-unreadable", Spot(source.shown), f"the file could not be read: {reason(error)}"
        )
        return None
    if before != after:
        findings.fact_problem(
            "fact-file-changed", Spot(source.shown), "the file changed while it was read", "judge it again"
        )
        return None
    path = links.plain(source.path)
    if path is None:
        help = "rename it without `*`, `?`, `[` and the like"
        findings.fact_problem(
            "fact-file-unreadable", Spot(source.shown), "the name of the file would be read as a pattern", help
        )
        return None
    return ParquetFile(source, path, digest.hexdigest(), before)


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """What tells that a file was changed."""
    return (status.st_size, status.st_mtime_ns, status.st_ino)


def examine(
    connection: duckdb.DuckDBPyConnection,
    relation: Relation,
    files: Sequence[ParquetFile],
    limits: Limits,
    findings: Findings,
) -> ParquetPart | None:
    """Compares types and checks values. None if something is wrong; the problems are added."""
    before = findings.count
    groups: dict[tuple[tuple[str, str], ...], Group] = {}
    for one in files:
        described = _described(connection, relation, one, findings)
        if described is not None:
            groups.setdefault(described.types, Group([])).files.append(described)
    total = sum(one.rows for group in groups.values() for one in group.files)
    if total > limits.rows:
        spot = Spot(files[0].source.shown)
        limit_problem(findings, spot, "rows", limits.rows, f"{shown(relation.name)} has {total} rows")
    if findings.count > before:
        return None
    part = ParquetPart(list(groups.values()))
    for group in part.groups:
        present = dict(group.files[0].types)
        for column in relation.columns.values():
            group.columns[column.name] = projection(column, present.get(column.name))
        _check_values(connection, relation, group, limits, findings)
    return part if findings.count == before else None


def _described(
    connection: duckdb.DuckDBPyConnection, relation: Relation, file: ParquetFile, findings: Findings
) -> ParquetFile | None:
    """The file with its number of rows and types, if they are the declared ones."""
    import duckdb

    spot = Spot(file.source.shown)
    try:
        rows = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [[file.path]]).fetchall()
        described = connection.execute(f"DESCRIBE SELECT * FROM {_reader([file])}").fetchall()
        tree = connection.execute(
            "SELECT name, num_children, converted_type, logical_type FROM parquet_schema(?)", [[file.path]]
        ).fetchall()
    except duckdb.Error as error:
        findings.fact_problem("fact-parquet", spot, f"no readable Parquet: {in_one_line(error, file)}")
        return None
    types = tuple((str(one[0]), str(one[1])) for one in described)
    notes = _annotations(tree)
    before = findings.count
    if [one for one, _ in notes] != [one for one, _ in types]:
        findings.fact_problem(
            "fact-repeated-entry", spot, "the file has two columns of one name", "keep one of the two"
        )
        return None
    for one, _ in types:
        if one not in relation.columns:
            message = f"{shown(one)} is no column of {shown(relation.name)}"
            findings.fact_problem("fact-unknown-column", spot, message, did_you_mean(one, relation.columns, "columns"))
    for rank, column in enumerate(relation.columns.values(), start=1):
        _compare(column, rank, dict(types), dict(notes), file, findings)
    if findings.count > before:
        return None
    return ParquetFile(file.source, file.path, file.sha256, file.stamp, int(rows[0][0]), types)


def _compare(
    column: Column, rank: int, types: Mapping[str, str], notes: Mapping[str, str], file: ParquetFile, findings: Findings
) -> None:
    found = types.get(column.name)
    spot = Spot(file.source.shown, column=column.name, rank=rank)
    if found is None:
        if column.required or not column.may_be_absent:
            more = "" if column.required else ", or declare it `may_be_absent: true`"
            findings.fact_problem(
                "fact-missing-column", spot, f"the file has no column {shown(column.name)}", f"add it{more}"
            )
    elif not _fits(column.type, found, notes.get(column.name, "")):
        findings.fact_problem(
            "fact-parquet-type",
            spot,
            f"the file has {shown(found.lower())} where {expected(column.type)} was expected",
            f"write it as {_AS[column.type.kind].format(column.type.digits, column.type.places)}",
        )


_AS = {
    "text": "STRING",
    "levels": "STRING",
    "int": "a signed integer of at most 64 bits",
    "decimal": "DECIMAL({},{})",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "instant": "TIMESTAMP adjusted to UTC, in milliseconds or microseconds",
}
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),([0-9]+)\)")


def _fits(kind: ValueType, found: str, note: str) -> bool:
    """Whether a type of DuckDB holds only values of a declared type. `note` is Parquet's own annotation."""
    if kind.kind in ("text", "levels"):
        return found == "VARCHAR" and ("UTF8" in note or "StringType" in note)
    if kind.kind == "int":
        return found in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
    if kind.kind == "decimal":
        size = _DECIMAL.fullmatch(found)
        return (
            size is not None
            and int(size[2]) <= kind.places
            and int(size[1]) - int(size[2]) <= kind.digits - kind.places
        )
    if kind.kind == "instant":
        return found == "TIMESTAMP WITH TIME ZONE" and "NanoSeconds" not in note
    return found == {"float": "DOUBLE", "bool": "BOOLEAN", "date": "DATE"}[kind.kind]


def _annotations(tree: Sequence[tuple[object, ...]]) -> list[tuple[str, str]]:
    """(name, annotations) of the top columns. The tree comes in depth-first order, each with its number of children."""
    found: list[tuple[str, str]] = []
    at = 1
    while at < len(tree):
        found.append((str(tree[at][0]), f"{tree[at][2]} {tree[at][3]}"))
        to_skip = 1
        while to_skip and at < len(tree):
            to_skip += int(str(tree[at][1] or 0)) - 1
            at += 1
    return found


def _check_values(
    connection: duckdb.DuckDBPyConnection, relation: Relation, group: Group, limits: Limits, findings: Findings
) -> None:
    """One aggregate over the group; only if it finds something, a query for the first offenders of each kind."""
    import duckdb

    present = dict(group.files[0].types)
    to_check = [
        (rank, column, check)
        for rank, column in enumerate(relation.columns.values(), start=1)
        if column.name in present
        for check in checks(column, limits)
    ]
    floats = [one.name for one in relation.columns.values() if one.type.kind == "float" and one.name in present]
    counted = [f"count_if({check.condition})" for _, _, check in to_check]
    counted += [f"count_if({name(one)} = 0 AND signbit({name(one)}))" for one in floats]
    # Reading a column whole also shows that its pages can be decoded.
    counted += [f"max({name(one)})" for one in present]
    try:
        found = connection.execute(f"SELECT {', '.join(counted)} FROM {_reader(group.files)}").fetchone()
        assert found is not None
        for (rank, column, check), count in zip(to_check, found, strict=False):
            if count:
                _list_offenders(connection, group, rank, column, check, int(count), findings)
    except duckdb.Error as error:
        _find_unreadable(connection, group, counted, error, findings)
        return
    for one, count in zip(floats, found[len(to_check) :], strict=False):
        if count:
            group.columns[one] = f"CASE WHEN {name(one)} = 0 THEN 0.0::DOUBLE ELSE {name(one)} END"


def _list_offenders(
    connection: duckdb.DuckDBPyConnection,
    group: Group,
    rank: int,
    column: Column,
    check: Check,
    count: int,
    findings: Findings,
) -> None:
    by_path = {one.path: one.source.shown for one in group.files}
    ordinals = {one.path: at for at, one in enumerate(sorted(group.files, key=lambda one: one.source.shown))}
    # The raw column is wanted here, not the projected one: an unknown level has no rank.
    raw = Group(group.files, {column.name: name(column.name)}).scan_with_origin([column.name])
    order = f"list_position([{listed(tuple(ordinals))}], {name(FILE)}), {name(ROW)}"
    rows = connection.execute(
        f"SELECT {name(FILE)}, {name(ROW)}, {check.shown} FROM ({raw}) WHERE {check.condition} "
        f"ORDER BY {order} LIMIT {max(findings.limit, 1)}"
    ).fetchall()
    for path, row, value in rows:
        bad = check.problem(str(value))
        spot = Spot(by_path[path], int(row), None, column.name, rank)
        findings.fact_problem(bad.code, spot, str(bad), bad.help)
    findings.count += count - len(rows)


def _find_unreadable(
    connection: duckdb.DuckDBPyConnection, group: Group, counted: Sequence[str], error: Exception, findings: Findings
) -> None:
    """Names the files of a group that cannot be read; the whole group if each can be read alone."""
    import duckdb

    before = findings.count
    for one in group.files:
        try:
            connection.execute(f"SELECT {', '.join(counted)} FROM {_reader([one])}").fetchone()
        except duckdb.Error as alone:
            findings.fact_problem(
                "fact-parquet", Spot(one.source.shown), f"no readable Parquet: {in_one_line(alone, one)}"
            )
    if findings.count == before:
        first = group.files[0]
        findings.fact_problem(
            "fact-parquet", Spot(first.source.shown), f"no readable Parquet: {in_one_line(error, first)}"
        )


def in_one_line(error: Exception, file: ParquetFile | None = None) -> str:
    """The first line of DuckDB's message, without the path that it was given."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if file is not None:
        text = text.replace(file.path, file.source.shown)
    return shown(text.partition(": ")[2] or text, 200)
