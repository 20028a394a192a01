"""What the references hold for a row, and why it fails: the reasons of `same_as` (`docs/semantics.md`, section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..canonical import shown
from ..frozen import replace
from ..lang.dialects import duckdb as dialect
from ..lang.lookups import named
from ..lang.lower import CASE
from ..lang.typed import TEXT, Cells, ColumnRef, LookUp, look_ups_in
from ..model import LINE, ValueType
from ..plan import Plan, Query
from ..verdict import LookedUp, Value, Witness, value_of

MOST_CELLS = 20
"""Cells of one reference for one key that a witness shows."""


def looked_up(plan: Plan, query: Query, raw: Mapping[str, Any], witness: Witness) -> Witness:
    """The witness with what the references hold of its key and, where that makes it fail, the reason."""
    nodes = look_ups_in(plan.checked.must)
    if not nodes or witness.outcome == "no_evidence":
        return witness
    columns = plan.checked.relation.columns
    row = {name: value_of(raw[name], columns[name].type) for name in (*plan.key, *plan.shown)}
    found: list[LookedUp] = []
    reasons = []
    for node in nodes:
        cells = list(_cells(plan, query, raw, node)) if all(raw[k.name] is not None for k in node.keys) else []
        found += cells
        reasons.append(_reason(row, node, cells))
    failed = witness.outcome in ("fail", "waived")
    return replace(witness, looked_up=tuple(found), reason=next(filter(None, reasons), None) if failed else None)


def _reason(row: Mapping[str, Value], node: LookUp, found: list[LookedUp]) -> str | None:
    """The first that holds; None if the value is the cell's, or nothing is shown."""
    if row[node.shown.name] is None:
        return None
    if any(row[key.name] is None for key in node.keys):
        return "incomplete_key"
    deciding = next((one for one in found if one.cells), None)
    if deciding is None:
        return "not_in_reference"
    values = {value for _, value in deciding.cells}
    if len(values) > 1:
        return "ambiguous_key"
    return None if values == {row[node.shown.name]} else "differs"


def _cells(plan: Plan, query: Query, raw: Mapping[str, Any], node: LookUp) -> Iterator[LookedUp]:
    for cells in node.cells:
        reference = plan.checked.references[cells.reference]
        conditions, values = [], []
        for number, (name, kind, key) in enumerate(zip(cells.keys, cells.types, node.keys, strict=True), 1):
            there = named(f"r.{dialect.quote(name)}", kind, key.type)
            conditions.append(f"{there} = CAST(${number} AS {dialect.type_name(_common(key, kind.kind))})")
            values.append(value_of(raw[key.name], key.type) if kind.kind == "text" else raw[key.name])
        if plan.lowering.cases is not None:
            conditions.append(f"r.{CASE} = {int(raw[CASE])}")
        value = named(f"r.{dialect.quote(cells.column)}", cells.type, node.shown.type)
        table = plan.lowering.tables[cells.reference]
        sql = (
            f"SELECT DISTINCT r.{dialect.quote(LINE)} AS _at, {value} AS _is FROM {table} AS r "
            f"WHERE {' AND '.join(conditions)} ORDER BY _at, _is LIMIT {MOST_CELLS}"
        )
        rows = query(sql, values)
        listed = tuple((row["_at"], _value(row["_is"], cells, node)) for row in rows)
        asked = {n: _shown(raw[k.name], k) for n, k in zip(cells.keys, node.keys, strict=True)}
        yield LookedUp(node.shown.name, reference.name, reference.edition, reference.file, cells.column, listed, asked)


def _shown(raw: Any, key: ColumnRef) -> str:
    return shown(value_of(raw, key.type))


def _common(key: ColumnRef, kind: str) -> ValueType:
    return TEXT if kind == "text" else key.type


def _value(raw: Any, cells: Cells, node: LookUp) -> Value:
    return raw if node.shown.type.kind == "text" else value_of(raw, cells.type)
