"""Parquet files, judged where they lie: their types are compared with the declared ones, their values are checked in
one scan, and a view reads them. No row is copied.

Files whose columns have the same types form a group; each group is read by its own `read_parquet`, because DuckDB takes
the types of the first file for all of them and would round the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..database import client
from ..limits import Limits
from ..model import Column, Relation, ValueType
from .bad_values import expected, near_column, shown
from .bytes_in import limit_problem
from .findings import Findings, Spot
from .memory import Memory
from .missing import report_missing
from .parquet_files import FILE, ROW, Group, ParquetFile, ParquetPart, in_one_line, reader
from .parquet_statistics import measure, untrue_statistics
from .parquet_values import Check, checks, projection
from .sql import listed, literal, name

if TYPE_CHECKING:
    import duckdb


def examine(
    connection: duckdb.DuckDBPyConnection,
    relation: Relation,
    files: Sequence[ParquetFile],
    limits: Limits,
    findings: Findings,
    known: Memory,
) -> ParquetPart | None:
    """Compares types and checks values. None if something is wrong; the problems are added.

    Of a file whose digest is `known` nothing is read.
    """
    before = findings.count
    groups: dict[tuple[tuple[str, str], ...], Group] = {}
    seen: dict[str, Mapping[str, Any]] = {}
    for one in files:
        about = _about(relation, one, limits)
        found = known.of(about)
        if found is not None:
            described: ParquetFile | None = _as_found(one, found)
            seen[one.sha256] = found
        else:
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
        if all(one.sha256 in seen for one in group.files):
            zeros = {column for one in group.files for column in seen[one.sha256]["zeros"]}
        else:
            zeros = _check_values(connection, relation, group, limits, findings)
            if findings.count == before:
                for one in group.files:
                    known.keep(_about(relation, one, limits), _found(one, zeros))
        for column in sorted(zeros):
            group.columns[column] = f"CASE WHEN {name(column)} = 0 THEN 0.0::DOUBLE ELSE {name(column)} END"
    return part if findings.count == before else None


def _about(relation: Relation, file: ParquetFile, limits: Limits) -> dict[str, Any]:
    """All that what is found in a file depends on: its bytes, what is declared, and the conditions of the check."""
    declared = [
        [one.name, str(one.type), one.required, one.may_be_absent, [check.condition for check in checks(one, limits)]]
        for one in relation.columns.values()
    ]
    return {"file": file.sha256, "columns": declared, "database": client().__version__}


def _found(file: ParquetFile, zeros: Collection[str]) -> dict[str, Any]:
    return {"rows": file.rows, "types": [list(one) for one in file.types], "zeros": sorted(zeros)}


def _as_found(file: ParquetFile, found: Mapping[str, Any]) -> ParquetFile:
    types = tuple((str(one), str(kind)) for one, kind in found["types"])
    return ParquetFile(file.source, file.path, file.sha256, file.stamp, int(found["rows"]), types)


def _described(
    connection: duckdb.DuckDBPyConnection, relation: Relation, file: ParquetFile, findings: Findings
) -> ParquetFile | None:
    """The file with its number of rows and types, if they are the declared ones."""
    duckdb = client()

    spot, path = Spot(file.source.shown), literal(file.path)  # a parameter would have DuckDB load `uuid`
    try:
        rows = connection.execute(f"SELECT num_rows FROM parquet_file_metadata({path})").fetchall()
        described = connection.execute(f"DESCRIBE SELECT * FROM {reader([file])}").fetchall()
        tree = connection.execute(
            f"SELECT name, num_children, converted_type, logical_type FROM parquet_schema({path})"
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
            findings.fact_problem("fact-unknown-column", spot, message, near_column(one, relation.columns))
    report_missing(relation, [one for one, _ in types], spot, findings)
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
    if found is not None and not _fits(column.type, found, notes.get(column.name, "")):
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
) -> set[str]:
    """One scan of each file; only if it finds something, a query for the first offenders of each kind.

    Gives the columns that hold a negative zero.
    """
    duckdb = client()

    present = dict(group.files[0].types)
    to_check = [
        (rank, column, check)
        for rank, column in enumerate(relation.columns.values(), start=1)
        if column.name in present
        for check in checks(column, limits)
    ]
    floats = [one.name for one in relation.columns.values() if one.type.kind == "float" and one.name in present]
    conditions = [check.condition for _, _, check in to_check]
    conditions += [f"{name(one)} = 0 AND signbit({name(one)})" for one in floats]
    before = findings.count
    found = [0] * len(conditions)
    untrue: list[tuple[Spot, str, str | None]] = []
    try:
        for file in group.files:
            if file.rows:
                counts = measure(connection, file, conditions)
                found = [one + more for one, more in zip(found, counts, strict=True)]
                untrue += _untrue(connection, file)
        for (rank, column, check), count in zip(to_check, found, strict=False):
            if count:
                _list_offenders(connection, group, rank, column, check, count, findings)
    except duckdb.Error as error:
        _find_unreadable(connection, group, error, findings)
        return set()
    if findings.count == before:
        for spot, message, help in untrue:
            findings.fact_problem("fact-parquet", spot, message, help)
    return {one for one, count in zip(floats, found[len(to_check) :], strict=True) if count}


def _untrue(connection: duckdb.DuckDBPyConnection, file: ParquetFile) -> list[tuple[Spot, str, str | None]]:
    duckdb = client()

    try:
        return list(untrue_statistics(connection, file))
    except duckdb.Error as error:
        return [(Spot(file.source.shown), f"no readable statistics: {in_one_line(error, file)}", None)]


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


def _find_unreadable(connection: duckdb.DuckDBPyConnection, group: Group, error: Exception, findings: Findings) -> None:
    """Names the files of a group that cannot be read; the whole group if each can be read alone."""
    duckdb = client()

    before = findings.count
    # Reading every column whole shows whether its pages can be decoded.
    whole = ", ".join(f"max({name(one)})" for one, _ in group.files[0].types)
    for one in group.files:
        try:
            connection.execute(f"SELECT {whole} FROM {reader([one])}").fetchone()
        except duckdb.Error as alone:
            findings.fact_problem(
                "fact-parquet", Spot(one.source.shown), f"no readable Parquet: {in_one_line(alone, one)}"
            )
    if findings.count == before:
        first = group.files[0]
        findings.fact_problem(
            "fact-parquet", Spot(first.source.shown), f"no readable Parquet: {in_one_line(error, first)}"
        )
