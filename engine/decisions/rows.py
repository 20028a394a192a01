"""The rows and groups of which decisions speak: their keys, and the digests that say whether they are what they were.

The digest of a row is the SHA-256 of the canonical JSON of the whole row, `{"column": value, …}`, also of columns that
no rule reads: a person may have decided by them. That of a group is of `{"key": {…}, "rows": [row, …]}`, with every
row that has the values of `per`, in scope or not, in the order of the relation's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..canonical import dumps, json_value
from ..lang.dialects import duckdb as dialect
from ..model import Column, ValueType
from ..plan import Plan, Query
from ..verdict import Value, value_of

Key = tuple[object, ...]
"""The values of a key as facts are stored (`engine/facts/values.py`), in the order of the plan's key."""


def key_of_decision(row: Mapping[str, object], plan: Plan) -> Key | None:
    """The key that a decision names, as facts are stored; None if no row or group of the plan can have it."""
    from ..facts.values import from_csv

    columns = plan.checked.relation.columns
    if set(row) != set(plan.key):
        return None
    found = []
    for name in plan.key:
        given, column = row[name], columns[name]
        text = ("false", "true")[given] if isinstance(given, bool) else str(given)
        try:
            stored = from_csv(text, True, column)
        except ValueError:
            return None
        # `1` is not `"1"`: what is written has to be what Fiel would have written.
        written = json_value(value_of(stored, column.type))
        if written != given or type(written) is not type(given):
            return None
        found.append(stored)
    return tuple(found)


def written_key(key: Mapping[str, Value]) -> dict[str, object]:
    """A key as a decision names it."""
    return {name: json_value(value) for name, value in key.items()}


def keys_listed(keys: Iterable[Key], plan: Plan, *more: Sequence[str]) -> tuple[str, str]:
    """`(VALUES …)` of keys, and the names of its columns: `_v0`, `_v1`, … `more` has columns of SQL to stand first."""
    columns = [plan.checked.relation.columns[name] for name in plan.key]
    rows = []
    for number, key in enumerate(keys):
        cells = [_literal(value, column.type) for value, column in zip(key, columns, strict=True)]
        rows.append(f"({', '.join([*(one[number] for one in more), *cells])})")
    return f"(VALUES {', '.join(rows)})", ", ".join(f"_v{i}" for i in range(len(columns)))


def same_key(alias: str, plan: Plan) -> str:
    """That a row of `alias` has the key of a row of `d`."""
    return " AND ".join(f"{alias}.{dialect.quote(name)} = d._v{i}" for i, name in enumerate(plan.key))


def row_digests(plan: Plan, keys: Sequence[Key], query: Query) -> list[tuple[int, str]]:
    """For each key the number of rows that have it, and the digest of the row, or of the group.

    Of several rows with the key of a row (`--trust-keys`) the digest is that of the first, and means nothing.
    """
    if not keys:
        return []
    found = rows_with(plan, keys, query)
    return [(len(found[at]), _digest(plan, key, found[at])) for at, key in enumerate(keys)]


def rows_with(plan: Plan, keys: Sequence[Key], query: Query) -> list[list[dict[str, Any]]]:
    """The rows that have each key, in the order of the relation's key, with all their columns."""
    relation = plan.checked.relation
    listed, names = keys_listed(keys, plan, [str(at) for at in range(len(keys))])
    rest = [name for name in relation.columns if name not in relation.key]
    order = ", ".join(f"r.{dialect.quote(name)} ASC NULLS FIRST" for name in (*relation.key, *rest))
    chosen = ", ".join(f"r.{dialect.quote(name)}" for name in relation.columns)
    table = plan.lowering.tables[relation.name]
    sql = f"SELECT d._at, {chosen} FROM {table} AS r JOIN {listed} AS d(_at, {names}) ON {same_key('r', plan)}"
    found: list[list[dict[str, Any]]] = [[] for _ in keys]
    for row in query(f"{sql} ORDER BY d._at, {order}"):
        found[row["_at"]].append(_values(row, relation.columns))
    return found


def _values(row: Mapping[str, Any], columns: Mapping[str, Column]) -> dict[str, Any]:
    return {name: value_of(row[name], column.type) for name, column in columns.items()}


def _digest(plan: Plan, key: Key, rows: list[dict[str, Any]]) -> str:
    if plan.grouped:
        columns = plan.checked.relation.columns
        named = {name: value_of(value, columns[name].type) for name, value in zip(plan.key, key, strict=True)}
        form: object = {"key": named, "rows": rows}
    else:
        form = rows[0] if rows else {}
    return hashlib.sha256(dumps(form).encode("utf-8")).hexdigest()


def _literal(stored: object, t: ValueType) -> str:
    """A value as facts are stored, in SQL; a float by the digits that give it back."""
    if isinstance(stored, bool):
        return "TRUE" if stored else "FALSE"
    return f"CAST({dialect.text_literal(str(stored))} AS {dialect.type_name(t)})"
