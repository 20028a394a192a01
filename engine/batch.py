"""Policies over one relation that differ in their constants alone, judged together: constants are data, joined once.

For the database planning a query is dearer than running it over the few rows that a sweep leaves. So the rule of such
policies is compiled once, with a column in place of each constant, over every pair of a row and the constants of a
policy. What comes back is, to the letter, what the queries of each policy alone would give (`evaluate.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .checked import CheckedPolicy
from .compile import day_sql, row_plan_over
from .evaluate import Queries
from .frozen import dataclass, field
from .judging import Settings
from .lang.dialects import duckdb as dialect
from .lang.lower import Lowering
from .lang.typed import Constant, relations_read
from .plan import Known, Plan, witness_order

_POLICY = "_policy"
_LEAST = 4
"""Policies of one shape from which on it pays."""
_MOST_PAIRS = 4_000_000
"""Of rows and policies in one query."""
_MOST_POLICIES = 500


@dataclass(frozen=True)
class _Open(Lowering):
    """Constants become columns of the judged row; `found` lists their types and literals as they come."""

    found: list[tuple[str, str]] = field(default_factory=list)

    def constant(self, node: Constant) -> str:
        if node.dated:
            return Lowering.constant(self, node)
        literal = dialect.literal(node.options[0].value, node.type)
        self.found.append((dialect.type_name(node.type), literal))
        return f"{self.judged}.{_column(len(self.found) - 1)}"


def together(
    policies: Sequence[CheckedPolicy], table: str, rows: int, settings: Settings, query: Queries
) -> dict[str, Known]:
    """What the queries of policies over the rows of one table give, by the id of the policy.

    Policies that have few of their like, and those that read other relations, are not there.
    """
    shapes: dict[object, list[tuple[CheckedPolicy, list[str]]]] = {}
    for checked in policies:
        if relations_read(checked.where, checked.must, checked.review_if):
            continue
        plan, constants = _opened(checked, table, settings)
        shape = (checked.key, plan.judged, tuple(kind for kind, _ in constants))
        shapes.setdefault(shape, []).append((checked, [literal for _, literal in constants]))
    found: dict[str, Known] = {}
    for some in shapes.values():
        size = min(_MOST_PAIRS // max(rows, 1), _MOST_POLICIES)
        for at in range(0, len(some), size) if size >= _LEAST else ():
            if len(part := some[at : at + size]) >= _LEAST:
                found |= _judged(part, table, settings, query)
    return found


def _opened(checked: CheckedPolicy, table: str, settings: Settings) -> tuple[Plan, list[tuple[str, str]]]:
    lowering = _Open({checked.relation.name: table}, day_sql(checked, "j", settings.judged_on, None))
    return row_plan_over(checked, table, lowering, (_POLICY,)), lowering.found


def _judged(
    some: Sequence[tuple[CheckedPolicy, list[str]]], table: str, settings: Settings, query: Queries
) -> Iterator[tuple[str, Known]]:
    first, constants = some[0]
    columns = ", ".join([dialect.quote(_POLICY), *(_column(at) for at in range(len(constants)))])
    values = ", ".join(
        f"({number}, {', '.join(each)})" if each else f"({number})" for number, (_, each) in enumerate(some)
    )
    pairs = f"(SELECT rows_.*, of_.* FROM {table} AS rows_ CROSS JOIN (VALUES {values}) AS of_({columns}))"
    plan, _ = _opened(first, pairs, settings)
    held = query.hold(f"SELECT * FROM ({plan.judged})")
    counts = query(
        f"SELECT {_POLICY}, _o, count(*) AS _n, count(*) FILTER (_w) AS _sure FROM {held} GROUP BY {_POLICY}, _o"
    )
    order = witness_order(plan.key)
    shown = query(_first(held, "_o <> 'pass'", order, settings.witnesses)) if settings.witnesses else []
    undecided = query(_first(held, "_o = 'no_evidence'", order, 1))
    by_policy = [_by_policy(rows) for rows in (counts, shown, undecided)]
    for number, (checked, _) in enumerate(some):
        yield checked.policy.id, Known(*(rows.get(number, []) for rows in by_policy))


def known_of(held: str, key: Sequence[str], witnesses: int, query: Queries) -> Known:
    """What the queries of one plan give, from a table of its judged rows that do not pass."""
    order = witness_order(key)
    counts = query(f"SELECT _o, count(*) AS _n, count(*) FILTER (_w) AS _sure FROM {held} GROUP BY _o")
    shown = query(f"SELECT * FROM {held} ORDER BY {order} LIMIT {witnesses}") if witnesses else []
    undecided = query(f"SELECT * FROM {held} WHERE _o = 'no_evidence' ORDER BY {order} LIMIT 1")
    return Known(counts, shown, undecided)


def _first(held: str, wanted: str, order: str, limit: int) -> str:
    """The first rows of each policy, in order."""
    return (
        f"SELECT * FROM {held} WHERE {wanted} "
        f"QUALIFY row_number() OVER (PARTITION BY {_POLICY} ORDER BY {order}) <= {limit} ORDER BY {_POLICY}, {order}"
    )


def _by_policy(rows: Sequence[dict[str, Any]]) -> Mapping[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.pop(_POLICY), []).append(row)
    return found


def _column(number: int) -> str:
    return dialect.quote(f"_p{number}")
