"""From a checked policy to the queries that judge it.

A plan has queries over the same judged rows or groups: how many have each outcome, which are not a pass, and, for
`each_of`, which groups should not exist. The shape is that of `docs/semantics.md`, sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from .checked import CheckedPolicy
from .lang.dialects import duckdb as dialect
from .lang.grouping import Grouping
from .lang.lookups import with_look_ups
from .lang.lower import CASE, CaseSets, Lowering
from .lang.typed import aggregates_in, conjuncts_of, judged_columns
from .lang.views import cases_with_views, with_views
from .model import JUDGED_ON
from .plan import Plan


def compile_policy(
    checked: CheckedPolicy, tables: Mapping[str, str], judged_on: date | None, cases: CaseSets | None = None
) -> Plan:
    """The plan of a policy over the relations that are present: `tables` maps each to its table.

    The judged relation and `each_of` are among them; `judged_on` is given if the policy asks for it. With `cases` the
    tables hold the facts of many cases, each with its own day, and `judged` has the column `_case` besides.
    """
    tables = with_views(checked.views, tables, cases)
    cases = cases_with_views(checked.views, cases) if cases is not None else None
    plan = _group_plan if checked.policy.per else _row_plan
    return plan(checked, tables, judged_on, cases)


def rough_plan(checked: CheckedPolicy, tables: Mapping[str, str], judged_on: date | None) -> Plan:
    """The plan of a group policy in which counts of distinct values are only known to lie between wide bounds.

    Groups that pass in it pass, as far as `is_monotone` says that nothing in the rule turns an unknown into a known.
    """
    return _group_plan(checked, tables, judged_on, None, rough=True)


def day_sql(checked: CheckedPolicy, alias: str, judged_on: date | None, cases: CaseSets | None) -> str | None:
    """The day that picks dated values for a judged row or group; None where the policy says nothing of days."""
    as_of = checked.policy.as_of
    if as_of == JUDGED_ON and cases is not None:
        return cases.day(alias)
    if as_of == JUDGED_ON:
        return dialect.day_literal(judged_on) if judged_on is not None else None
    return f"{alias}.{dialect.quote(as_of)}" if as_of is not None else None


def _outcome(has_review: bool) -> str:
    """Section 4's table: scope unknown, review true, review unknown, then `must`."""
    review = "WHEN _v THEN 'review' WHEN _v IS NULL THEN 'no_evidence' " if has_review else ""
    return (
        f"CASE WHEN _w IS NULL THEN 'no_evidence' {review}"
        "WHEN _m THEN 'pass' WHEN NOT _m THEN 'fail' ELSE 'no_evidence' END AS _o"
    )


def _counts(outcomes: str) -> str:
    return f"SELECT _o, count(*) AS _n, count(*) FILTER (_k) AS _sure FROM ({outcomes}) GROUP BY _o"


# -- rows ------------------------------------------------------------------------------------------------------


def _row_plan(
    checked: CheckedPolicy, tables: Mapping[str, str], judged_on: date | None, cases: CaseSets | None
) -> Plan:
    lowering = Lowering(tables, day_sql(checked, "j", judged_on, cases), cases=cases)
    return row_plan_over(checked, tables[checked.relation.name], lowering, (CASE,) if cases else ())


def row_plan_over(checked: CheckedPolicy, table: str, lowering: Lowering, beside: Sequence[str]) -> Plan:
    """The plan of a policy over the rows of a table; `judged` has its columns `beside` too."""
    rule = (checked.where, checked.must, checked.review_if)
    scan, lowering = with_look_ups(table, "j", rule, lowering)
    source = f"{scan} AS j"
    key = checked.relation.key
    shown = tuple(n for n in _shown(checked) if n not in key)
    conjuncts = conjuncts_of(checked.must)
    truths = [
        f"{lowering.sql(checked.where) if checked.where else 'TRUE'} AS _w",
        f"{lowering.sql(checked.must)} AS _m",
        *([f"{lowering.sql(checked.review_if)} AS _v"] if checked.review_if else []),
    ]
    outcome = _outcome(checked.review_if is not None)
    few = f"SELECT {', '.join(truths)} FROM {source}"
    counts = _counts(f"SELECT {outcome}, _w AS _k FROM ({few}) WHERE _w IS NOT FALSE")
    columns = [f"j.{dialect.quote(n)}" for n in (*beside, *key, *shown)]
    parts = [f"{lowering.sql(c)} AS _c{i}" for i, c in enumerate(conjuncts)]
    all_of = f"SELECT {', '.join([*columns, *truths, *parts])} FROM {source}"
    judged = f"SELECT *, {outcome} FROM ({all_of}) WHERE _w IS NOT FALSE"
    return Plan(checked, counts, judged, lowering, scan, shown, conjuncts)


def _shown(checked: CheckedPolicy) -> list[str]:
    """The judged columns that where, must, review_if and as_of name, by first mention."""
    names = judged_columns(checked.where, checked.must, checked.review_if)
    as_of = checked.policy.as_of
    if as_of is not None and as_of != JUDGED_ON and as_of not in names:
        names.append(as_of)
    return names


# -- groups ----------------------------------------------------------------------------------------------------


def rows_of_groups(
    checked: CheckedPolicy, tables: Mapping[str, str], judged_on: date | None, cases: CaseSets | None = None
) -> Lowering:
    """How the rows of a group policy are read, before they are grouped."""
    sides = {"row": "j", "related": "r", "group": "j"}
    return Lowering(tables, day_sql(checked, "j", judged_on, cases), sides=sides, cases=cases)


def _group_plan(
    checked: CheckedPolicy,
    tables: Mapping[str, str],
    judged_on: date | None,
    cases: CaseSets | None,
    rough: bool = False,
) -> Plan:
    per = (*((CASE,) if cases else ()), *checked.policy.per)
    rows = rows_of_groups(checked, tables, judged_on, cases)
    aggregates = tuple(aggregates_in(checked.must, checked.review_if))
    each_of = tables[checked.each_of.name] if checked.each_of else None
    grouping = Grouping(rows, aggregates, per, tables[checked.relation.name], checked.where, each_of, rough)
    day = day_sql(checked, "g", judged_on, cases)
    groups = Lowering(tables, day, aggregates=grouping.columns(), judged="g", cases=cases)
    conjuncts = conjuncts_of(checked.must)
    truths = [
        "CASE WHEN _unknown = 0 THEN TRUE END AS _w",
        f"{groups.sql(checked.must)} AS _m",
        *([f"{groups.sql(checked.review_if)} AS _v"] if checked.review_if else []),
    ]
    outcome = _outcome(checked.review_if is not None)
    certain = "TRUE" if each_of else "_known > 0"
    few = f"SELECT _known, {', '.join(truths)} FROM ({grouping.sql()}) AS g"
    counts = _counts(f"SELECT {outcome}, {certain} AS _k FROM ({few})")
    flags = tuple(judged_columns(checked.where, checked.must, checked.review_if))
    parts = [f"{groups.sql(c)} AS _c{i}" for i, c in enumerate(conjuncts)]
    all_of = f"SELECT g.*, {', '.join([*truths, *parts])} FROM ({grouping.sql(flags)}) AS g"
    judged = f"SELECT *, {outcome} FROM ({all_of})"
    return Plan(
        checked,
        counts,
        judged,
        groups,
        tables[checked.relation.name],
        conjuncts=conjuncts,
        aggregates=aggregates,
        null_flags=flags,
        strays=grouping.strays(),
    )
