"""Before policies are judged one by one: what all of them pass is found in few passes, and left out.

Rows: one filter that the scan can use (`lang/cover.py`) keeps every row that a policy over the relation may not pass,
the rows in scope are counted once for each distinct `where`. Policies that look into other relations are judged once,
and the rows that do not pass are kept. Groups that are certain to pass by a cheap bound of their counts are left out.
What is left is judged as ever (`judging.py`), which is the one meaning; leaving out changes no verdict, no count and no
witness, only the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from .batch import known_of, together
from .checked import CheckedPolicy
from .compile import compile_policy, day_sql, rough_plan
from .errors import EvaluationError
from .evaluate import Queries
from .facts import FactBase, table
from .frozen import dataclass
from .judging import Settings, Swept, could_be_judged
from .lang.cover import Conjunction, TooWide, cover, merged
from .lang.dialects import duckdb as dialect
from .lang.lower import Lowering
from .lang.typed import (
    AggregateRef,
    CountCompare,
    Junction,
    Not,
    Typed,
    aggregates_in,
    judged_columns,
    look_ups_in,
    relations_read,
    walk,
)
from .model import JUDGED_ON


@dataclass(frozen=True, slots=True)
class Worth:
    """When leaving rows out pays. No answer depends on it."""

    least_rows: int = 50_000
    """Below so many a pass more costs more than it saves."""
    share: float = 0.05
    """Of all rows or groups: what is kept of them must be fewer, or the policies are judged over everything."""


WORTH = Worth()
_MOST_FILTERS = 24
"""In one pass over all rows. More of them cost more than a pass each."""
_MANY_SCOPES, _MOST_HELD = 8, 10_000_000
"""From so many scopes on, values of their columns are read from the file once, if they are not more than these."""
_FEW_VALUES = 0.1
"""Of the rows: where columns have fewer combinations of values, rows are counted by these first."""


def sweep(policies: Sequence[CheckedPolicy], base: FactBase, settings: Settings) -> dict[str, Swept]:
    """What to judge in place of all rows, by the id of the policy. Those that gain nothing are not there.

    Raises EvaluationError when a limit is hit.
    """
    query = Queries(base, settings.limits)
    found: dict[str, Swept] = {}
    of: dict[str, list[_Covered]] = {}
    looking: list[CheckedPolicy] = []
    for checked in policies:
        relation = checked.relation.name
        # A view is made of all rows of what it reads: none of them may be left out.
        if relation in checked.views or not could_be_judged(checked, base, settings):
            continue
        if base.rows[relation] < WORTH.least_rows:
            continue
        read = relations_read(checked.where, checked.must, checked.review_if)
        if read and not checked.policy.per:
            looking.append(checked)
            continue
        # What is left out would be missing where the rule looks into the same relation.
        if checked.views or relation in read:
            continue
        if checked.each_of is not None and checked.each_of.name in (*read, relation):
            continue
        if checked.policy.per:
            swept = _groups(checked, base, settings, query)
            if swept is not None:
                found[checked.policy.id] = swept
        elif (covered := _covered(checked, base, settings.judged_on)) is not None:
            of.setdefault(relation, []).append(covered)
    for relation, some in sorted(of.items()):
        found |= _rows(relation, some, base, settings, query)
    for checked in looking:
        if (swept := _looked_up(checked, base, settings, query)) is not None:
            found[checked.policy.id] = swept
    return found


# -- rows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Covered:
    """A policy, the conjunctions that cover it, and its scope."""

    checked: CheckedPolicy
    parts: tuple[Conjunction, ...]
    where: str | None
    reads: tuple[str, ...]
    """The columns of the scope."""


def _tables(base: FactBase) -> dict[str, str]:
    return {name: table(name) for name in base.present}


def _covered(checked: CheckedPolicy, base: FactBase, judged_on: date | None) -> _Covered | None:
    rule = (checked.where, checked.must, checked.review_if)
    if look_ups_in(*rule):
        return None
    lowering = Lowering(_tables(base), day_sql(checked, "j", judged_on, None))
    try:
        return _scope(checked, tuple(cover(*rule, lowering)), base, judged_on)
    except TooWide:
        return None


def _scope(checked: CheckedPolicy, parts: tuple[Conjunction, ...], base: FactBase, judged_on: date | None) -> _Covered:
    if checked.where is None:
        return _Covered(checked, parts, None, ())
    lowering = Lowering(_tables(base), day_sql(checked, "j", judged_on, None))
    reads = judged_columns(checked.where)
    as_of = checked.policy.as_of
    if as_of is not None and as_of != JUDGED_ON and as_of not in reads:
        reads.append(as_of)
    return _Covered(checked, parts, lowering.sql(checked.where), tuple(sorted(reads)))


def _rows(
    relation: str, covered: Sequence[_Covered], base: FactBase, settings: Settings, query: Queries
) -> dict[str, Swept]:
    rows = base.rows[relation]
    kept = covered
    held = _held(relation, kept, rows, query)
    if held is None:
        kept = _selective(relation, covered, rows, query)
        held = _held(relation, kept, rows, query) if kept else None
    if held is None:
        return {}
    name, number = held
    certain = _in_scope(relation, kept, rows, query)
    known = together([one.checked for one in kept], name, number, settings, query)
    return {
        one.checked.policy.id: Swept({relation: name}, certain[one.where], known.get(one.checked.policy.id))
        for one in kept
    }


def _held(relation: str, covered: Sequence[_Covered], rows: int, query: Queries) -> tuple[str, int] | None:
    """A table of the rows that one of the policies may not pass, and how many these are; None if they are not few."""
    parts = merged(part for one in covered for part in one.parts)
    if len(parts) > _MOST_FILTERS:
        return None
    columns = dict.fromkeys(column for one in covered for column in _columns(one.checked))
    listed = ", ".join(f"j.{dialect.quote(column)}" for column in columns)
    condition = " OR ".join(part.sql() for part in parts)
    return _few(f"SELECT {listed} FROM {table(relation)} AS j WHERE {condition}", rows, query)


def _few(select: str, rows: int, query: Queries) -> tuple[str, int] | None:
    """What a SELECT gives, in a table, and how much that is; None if it is not few of `rows`."""
    most = int(rows * WORTH.share)
    # The database stops at the limit, so that trying costs little where many rows would come.
    held = query.hold(f"{select} LIMIT {most + 1}")
    (found,) = query(f"SELECT count(*) AS _n FROM {held}")
    if found["_n"] <= most:
        return held, found["_n"]
    query.release(held)
    return None


def _looked_up(checked: CheckedPolicy, base: FactBase, settings: Settings, query: Queries) -> Swept | None:
    """What the queries of a policy that looks into relations give, from one pass: they would take one each."""
    relation, rows = checked.relation.name, base.rows[checked.relation.name]
    if checked.where is not None and relations_read(checked.where):
        return None
    plan = compile_policy(checked, _tables(base), settings.judged_on)
    try:
        held = _few(f"SELECT * FROM ({plan.judged}) WHERE _o <> 'pass'", rows, query)
        if held is None:
            return None
        scope = _scope(checked, (), base, settings.judged_on)
        certain = _in_scope(relation, [scope], rows, query)[scope.where]
        return Swept({}, certain, known_of(held[0], plan.key, settings.witnesses, query))
    except EvaluationError:  # of this policy, which meets it by itself
        return None


def _columns(checked: CheckedPolicy) -> list[str]:
    """All that judging reads of a row, and shows."""
    as_of = checked.policy.as_of
    day = [as_of] if as_of is not None and as_of != JUDGED_ON else []
    return [*checked.relation.key, *judged_columns(checked.where, checked.must, checked.review_if), *day]


def _selective(relation: str, covered: Sequence[_Covered], rows: int, query: Queries) -> list[_Covered]:
    """The policies whose merged conjunctions keep few rows, by counting."""
    parts = merged(part for one in covered for part in one.parts)
    if len(parts) > _MOST_FILTERS:
        return []
    counts = ", ".join(f"count(*) FILTER ({part.sql()}) AS _n{i}" for i, part in enumerate(parts))
    (found,) = query(f"SELECT {counts} FROM {table(relation)} AS j")
    few = {part.shape for i, part in enumerate(parts) if found[f"_n{i}"] <= rows * WORTH.share}
    return [one for one in covered if all(part.shape in few for part in one.parts)]


def _in_scope(relation: str, kept: Sequence[_Covered], rows: int, query: Queries) -> dict[str | None, int]:
    """For each distinct `where`, the rows for which it is true."""
    found: dict[str | None, int] = {None: rows}
    by_columns: dict[tuple[str, ...], list[str]] = {}
    for one in kept:
        if one.where is not None and one.where not in by_columns.setdefault(one.reads, []):
            by_columns[one.reads].append(one.where)
    for columns, wheres in sorted(by_columns.items()):
        source, count = table(relation), "count(*)"
        if len(wheres) > 2 and _have_few_values(relation, columns, rows, query):
            names = ", ".join(dialect.quote(column) for column in columns)
            source = query.hold(f"SELECT {names}, count(*) AS _n FROM {source} GROUP BY {names}")
            count = "coalesce(sum(_n), 0)"
        elif len(wheres) > _MANY_SCOPES and columns and rows * len(columns) <= _MOST_HELD:
            names = ", ".join(dialect.quote(column) for column in columns)
            source = query.hold(f"SELECT {names} FROM {source}")
        for where in wheres:
            (answer,) = query(f"SELECT CAST({count} AS BIGINT) AS _n FROM {source} AS j WHERE {where}")
            found[where] = answer["_n"]
    return found


def _have_few_values(relation: str, columns: Sequence[str], rows: int, query: Queries) -> bool:
    names = ", ".join(dialect.quote(column) for column in columns)
    value = names if len(columns) == 1 else f"hash({names})"
    if not columns:
        return False
    (found,) = query(f"SELECT approx_count_distinct({value}) AS _n FROM {table(relation)}")
    return bool(found["_n"] <= rows * _FEW_VALUES)


# -- groups ----------------------------------------------------------------------------------------------------


def _groups(checked: CheckedPolicy, base: FactBase, settings: Settings, query: Queries) -> Swept | None:
    """The groups that a rough plan does not pass, if they are few; None where there is nothing to gain."""
    rule = (checked.must, checked.review_if)
    if not any(one.distinct for one in aggregates_in(*rule)) or not all(is_monotone(one) for one in rule if one):
        return None
    rough = rough_plan(checked, _tables(base), settings.judged_on)
    keys = [dialect.quote(key) for key in checked.policy.per]
    held = query.hold(f"SELECT {', '.join(keys)} FROM ({rough.judged}) WHERE _o <> 'pass'")
    (candidates,) = query(f"SELECT count(*) AS _n FROM {held}")
    if checked.each_of is not None:
        groups = f"SELECT count(*) AS _n FROM (SELECT DISTINCT {', '.join(keys)} FROM {table(checked.each_of.name)})"
        certain = query(groups)[0]["_n"]
    else:
        certain = sum(row["_sure"] for row in query(rough.counts))
    if candidates["_n"] > certain * WORTH.share + 1:
        return None
    instead = {checked.relation.name: _of_groups(held, keys, checked.relation.name, _needed(checked), query)}
    if checked.each_of is not None:
        instead[checked.each_of.name] = _of_groups(held, keys, checked.each_of.name, checked.policy.per, query)
    return Swept(instead, certain)


def _needed(checked: CheckedPolicy) -> Sequence[str]:
    return list(dict.fromkeys([*checked.policy.per, *_columns(checked)]))


def _of_groups(held: str, keys: Sequence[str], relation: str, columns: Sequence[str], query: Queries) -> str:
    same = " AND ".join(f"h.{key} IS NOT DISTINCT FROM j.{key}" for key in keys)
    listed = ", ".join(f"j.{dialect.quote(column)}" for column in columns)
    return query.hold(
        f"SELECT {listed} FROM {table(relation)} AS j WHERE EXISTS (SELECT 1 FROM {held} AS h WHERE {same})"
    )


def is_monotone(node: Typed) -> bool:
    """Whether a condition that is true with wider bounds of its distinct counts is true with the exact ones.

    It is if these stand in comparisons of counts, joined by `and`, `or` and `not`: what is certain stays certain.
    """
    if isinstance(node, (Junction, Not)):
        return all(is_monotone(child) for child in node.children())
    if isinstance(node, CountCompare):
        return not _has_distinct(node.right)
    return not _has_distinct(node)


def _has_distinct(node: Typed) -> bool:
    return any(isinstance(one, AggregateRef) and one.distinct for one in walk(node))


def swept_or_nothing(policies: Sequence[CheckedPolicy], base: FactBase, settings: Settings) -> Mapping[str, Swept]:
    """As `sweep`; nothing where a limit is hit, so that each policy meets it by itself and says so."""
    try:
        return sweep(policies, base, settings)
    except EvaluationError:
        return {}
