"""The smallest change of one row with which it would pass: one column at an edge, else two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from itertools import combinations
from typing import Any

from . import canonical
from .cases.facts import cases_of
from .checked import CheckedPolicy
from .compile import compile_policy
from .evaluate import Queries
from .explain.terms import one_judged, same_key
from .facts.values import from_yaml
from .frozen import dataclass
from .lang.dialects import duckdb as dialect
from .lang.typed import exists_in, judged_columns
from .model import Cell, Column
from .mutate.candidates import Ground
from .mutate.values import EXACT, NOWHERE, Pool, pool_of, values_of
from .plan import Plan
from .verdict import Value, value_of

_MOST_OF_A_PAIR = 12
_MOST_PROVED = 20
"""Changes that are tried in changed facts, the smallest first."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One column with its value in the row and the value that would do."""

    column: str
    was: Value
    now: str


def smallest_change(plan: Plan, query: Queries, key: Mapping[str, Any], judged_on: date | None) -> tuple[Changed, ...]:
    """What to change so that the row passes; empty if no change of one or two columns was found, or for a group."""
    if plan.grouped or plan.checked.policy.same_as is not None:
        return ()  # of a look-up the references say what would pass
    with localcontext(EXACT):
        return _smallest(plan, query, key, judged_on)


def _smallest(plan: Plan, query: Queries, key: Mapping[str, Any], judged_on: date | None) -> tuple[Changed, ...]:
    checked = plan.checked
    columns = checked.relation.columns
    row = query(f"SELECT j.* FROM {one_judged(plan, dict(key))}", list(key.values()))[0]
    was = {name: value_of(row[name], column.type) for name, column in columns.items()}
    pool = _pool(checked, was)
    names = [n for n in judged_columns(checked.must, checked.review_if, checked.where) if n not in key]
    tried = {n: [c for c in values_of(columns[n], pool) if c.text is not None] for n in names}
    for width, most in ((1, 60), (2, _MOST_OF_A_PAIR)):
        every = [chosen for chosen in combinations(names, width) if all(tried[n] for n in chosen)]
        choices = [{n: tried[n][:most] for n in chosen} for chosen in every]
        found = sorted(_passing(plan, query, key, choices), key=lambda f: _cost(f, was, names, columns))
        for best in found[:_MOST_PROVED]:
            if _stands(plan, query, key, best, judged_on):
                return tuple(Changed(n, was[n], cell.text or "") for n, cell in best.items())
    return ()


def _stands(
    plan: Plan, query: Queries, key: Mapping[str, Any], choice: Mapping[str, Cell], judged_on: date | None
) -> bool:
    """Whether the row passes in facts that are changed so. They matter where an `exists` looks at the judged rows."""
    checked, name = plan.checked, plan.checked.relation.name
    nodes = [n for n in (checked.where, checked.must, checked.review_if) if n is not None]
    if all(one.relation != name for one in exists_in(*nodes)):
        return True
    same, columns = same_key(plan, dict(key)), checked.relation.columns
    cells = ", ".join(
        f"CASE WHEN {same} THEN {_literal(cell, columns[n])} ELSE {dialect.quote(n)} END AS {dialect.quote(n)}"
        for n, cell in choice.items()
    )
    tables = {**plan.lowering.tables, name: f"(SELECT * REPLACE ({cells}) FROM {plan.lowering.tables[name]})"}
    judged = compile_policy(checked, tables, judged_on).judged
    rows = query(f"SELECT _o FROM ({judged}) WHERE {same}", list(key.values()))
    return bool(rows) and all(row["_o"] == "pass" for row in rows)


def _pool(checked: CheckedPolicy, was: Mapping[str, Value]) -> Pool:
    """The constants of the policy and, first of all, the values of the row."""
    own = {n: Cell(canonical.shown(v), False, NOWHERE) for n, v in was.items() if v is not None}
    pool = pool_of([checked], [own])
    for name, cells in Ground(checked, (), cases_of(checked.policy)).pool.used.items():
        pool.used.setdefault(name, []).extend(cells)
    return pool


def _passing(
    plan: Plan, query: Queries, key: Mapping[str, Any], choices: list[dict[str, list[Cell]]]
) -> Iterator[dict[str, Cell]]:
    """The choices with which the row passes, all asked in one query."""
    checked = plan.checked
    if not choices:
        return
    parts = []
    for number, chosen in enumerate(choices):
        values = [_values(i, checked.relation.columns[n], cells) for i, (n, cells) in enumerate(chosen.items())]
        replaced = ", ".join(f"v{i}.x AS {dialect.quote(n)}" for i, n in enumerate(chosen))
        places = ", ".join(f"v{i}.i" for i in range(len(chosen)))
        made = f"SELECT j.* REPLACE ({replaced}), {number} AS _choice, [{places}] AS _places"
        parts.append(f"{made} FROM _one AS j, {', '.join(values)}")
    conditions = [plan.lowering.sql(checked.must)]
    conditions += [plan.lowering.sql(checked.where)] if checked.where is not None else []
    conditions += [f"NOT {plan.lowering.sql(checked.review_if)}"] if checked.review_if is not None else []
    one = f"WITH _one AS MATERIALIZED (SELECT j.* FROM {one_judged(plan, dict(key))})"
    sql = f"{one} SELECT _choice, _places FROM ({' UNION ALL '.join(parts)}) AS j WHERE {' AND '.join(conditions)}"
    for row in query(f"{sql} ORDER BY _choice, _places", list(key.values())):
        chosen = choices[row["_choice"]]
        yield {n: chosen[n][at] for n, at in zip(chosen, row["_places"], strict=True)}


def _values(number: int, column: Column, cells: list[Cell]) -> str:
    rows = ", ".join(f"({i}, {_literal(cell, column)})" for i, cell in enumerate(cells))
    return f"(VALUES {rows}) AS v{number}(i, x)"


def _literal(cell: Cell, column: Column) -> str:
    value = from_yaml(cell.text, cell.quoted or column.type.kind in ("text", "levels"), column)
    text = repr(value) if isinstance(value, float) else str(value)
    return f"CAST({dialect.text_literal(text)} AS {dialect.type_name(column.type)})"


def _cost(
    choice: Mapping[str, Cell], was: Mapping[str, Value], names: list[str], columns: Mapping[str, Column]
) -> tuple[Any, ...]:
    """Columns of `must` first; then what lies nearest to the value that the row has.

    Of equals the first that was tried is kept: for what is unknown that is a limit of the rule, and no odd neighbour.
    """
    apart = [_apart(was[n], cell, columns[n]) for n, cell in choice.items()]
    return [names.index(n) for n in choice], apart


def _apart(was: Value, cell: Cell, column: Column) -> tuple[int, Decimal]:
    """How far two values are apart, in numbers, days or levels; other values are all equally far."""
    text = cell.text or ""
    if was is None:
        return 1, Decimal(0)
    if column.type.kind == "levels":
        levels = column.type.levels
        return 0, Decimal(abs(levels.index(text) - levels.index(str(was))))
    if column.type.kind == "date":
        return 0, Decimal(abs((date.fromisoformat(text) - date.fromisoformat(str(was))).days))
    try:
        return 0, abs(Decimal(text) - Decimal(str(was)))
    except InvalidOperation:
        return 1, Decimal(0)


def changed_line(changes: tuple[Changed, ...], columns: Mapping[str, Column]) -> str:
    """The changes in words."""
    parts = []
    for one in changes:
        unit = columns[one.column].unit
        shown = f" {unit}" if unit and unit != "none" else ""
        parts.append(f"{one.column} {one.now}{shown} (now {canonical.shown(one.was)})")
    return " and ".join(parts)
