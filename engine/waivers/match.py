"""The one place where waivers meet failed rows, for every command: a plan becomes a plan in which some are `waived`.

In file order, each waiver takes the `fail` rows or groups that match the columns it names, in key order, up to its
number; a row is taken once (`docs/semantics.md`, section 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from ..checked import CheckedWaiver
from ..frozen import replace
from ..lang.dialects import duckdb as dialect
from ..model import Column, ValueType
from ..plan import Plan


def waive(plan: Plan, waivers: Sequence[CheckedWaiver]) -> Plan:
    """The plan with the outcome `waived`, and the number of the waiver in `_waiver` (else null).

    `waivers` are those of the policy that are in force, in file order. Without any the plan stays as it is.
    """
    if not waivers:
        return plan
    nobody = "CAST(NULL AS INTEGER) AS _waiver"
    parts = [f"_j AS NOT MATERIALIZED ({plan.judged})", f"_x0 AS (SELECT *, {nobody} FROM _j WHERE _o = 'fail')"]
    last = "_x0"
    for number, (names, block) in enumerate(groupby(waivers, key=lambda w: tuple(sorted(w.stored))), start=1):
        step = _step(last, names, list(block), plan)
        last = f"_x{number}"
        parts.append(f"{last} AS ({step})")
    outcome = "CASE WHEN _waiver IS NULL THEN _o ELSE 'waived' END AS _o"
    judged = (
        f"WITH {', '.join(parts)} SELECT * REPLACE ({outcome}) FROM {last} "
        f"UNION ALL SELECT *, {nobody} FROM _j WHERE _o <> 'fail'"
    )
    waived = f"SELECT _waiver, count(*) AS _n FROM ({judged}) WHERE _o = 'waived' GROUP BY _waiver"
    return replace(plan, judged=judged, waived=waived)


def _step(rows: str, names: Sequence[str], waivers: Sequence[CheckedWaiver], plan: Plan) -> str:
    """The failed rows once some waivers in a row took theirs. They name the same columns, so no row matches two."""
    columns = plan.checked.relation.columns
    listed = ", ".join(f"({', '.join([*_values(w, names, columns), *_caps(w)])})" for w in waivers)
    head = ", ".join([*(f"_v{i}" for i in range(len(names))), "_number", "_most"])
    same = " AND ".join(f"x.{dialect.quote(n)} = v._v{i}" for i, n in enumerate(names)) or "TRUE"
    order = ", ".join(f"x.{dialect.quote(n)} ASC NULLS FIRST" for n in plan.key)
    rank = f"row_number() OVER (PARTITION BY v._number, x._waiver IS NULL ORDER BY {order})"
    taken = f"CASE WHEN x._waiver IS NULL AND {rank} <= v._most THEN v._number ELSE x._waiver END AS _waiver"
    return f"SELECT x.* REPLACE ({taken}) FROM {rows} AS x LEFT JOIN (VALUES {listed}) AS v({head}) ON {same}"


def _values(waiver: CheckedWaiver, names: Sequence[str], columns: Mapping[str, Column]) -> list[str]:
    return [_literal(waiver.stored[name], columns[name].type) for name in names]


def _caps(waiver: CheckedWaiver) -> list[str]:
    return [f"CAST({n} AS INTEGER)" for n in (waiver.waiver.number, waiver.waiver.at_most)]


def _literal(stored: object, t: ValueType) -> str:
    """A value as facts are stored (`engine/facts/values.py`): texts of numbers, days and instants, ranks of levels."""
    if isinstance(stored, bool):
        return "TRUE" if stored else "FALSE"
    return f"CAST({dialect.text_literal(str(stored))} AS {dialect.type_name(t)})"
