"""Views as tables: a SELECT in parentheses stands where the table of a relation would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ..frozen import replace
from ..model import View
from .dialects import duckdb as dialect
from .lower import CASE, CaseSets
from .query_sql import columns_named, query_sql
from .query_tree import TypedQuery


def with_views(views: Mapping[str, View], tables: Mapping[str, str], cases: CaseSets | None = None) -> dict[str, str]:
    """The tables, and a SELECT for each view that is not absent. Views stand behind what they read."""
    found, spelled = dict(tables), dict[str, str]()
    inner = dict(tables)
    for name, view in views.items():
        if name in tables or any(read not in inner for read in view.reads):
            continue
        sql = query_sql(cast(TypedQuery, view.query), view.relation.columns, inner, cases is not None)
        # Each view is spelled once and named, so that views over views do not grow without bound.
        before = [f"{dialect.quote(_named(n))} AS ({spelled[n]})" for n in _below(views, name) if n in spelled]
        if cases is not None:
            sql = _of_cases(sql, view, present_in(views, cases)[name])
        found[name] = f"({f'WITH {chr(44).join(before)} ' if before else ''}SELECT * FROM ({sql}))"
        spelled[name] = sql
        inner[name] = dialect.quote(_named(name))
    return found


def cases_with_views(views: Mapping[str, View], cases: CaseSets) -> CaseSets:
    """The cases, with the views that each of them brings."""
    return replace(cases, present=present_in(views, cases)) if views else cases


def present_in(views: Mapping[str, View], cases: CaseSets) -> dict[str, frozenset[int]]:
    """The cases that bring each relation and view: a view is absent where anything that it reads is."""
    found = dict(cases.present)
    for name, view in views.items():
        sets = [found.get(read, frozenset()) for read in view.reads]
        found.setdefault(name, frozenset(cases.cases).intersection(*sets))
    return found


def broken_keys(view: View, table: str, cases: CaseSets | None = None) -> str:
    """A SELECT with a row for each key of a view that is null or repeated: the key, `_n` rows, the case."""
    keys = [*((CASE,) if cases is not None else ()), *view.relation.key]
    listed = ", ".join(dialect.quote(k) for k in keys)
    null = " OR ".join(f"{dialect.quote(k)} IS NULL" for k in view.relation.key)
    order = ", ".join(f"{dialect.quote(k)} ASC NULLS FIRST" for k in keys)
    return (
        f"SELECT {listed}, count(*) AS _n FROM {table} GROUP BY {listed} HAVING count(*) > 1 OR {null} ORDER BY {order}"
    )


def columns_read(view: View) -> dict[str, set[str]]:
    """The columns that a view reads, by relation; every relation that it reads is a key."""
    found: dict[str, set[str]] = {name: set() for name in view.reads}
    for relation, column in columns_named(cast(TypedQuery, view.query)):
        if relation in found:
            found[relation].add(column)
    return found


def _of_cases(sql: str, view: View, present: frozenset[int]) -> str:
    chosen = ", ".join(str(n) for n in sorted(present)) or "NULL"
    return f"SELECT * FROM ({sql}) WHERE {CASE} IN ({chosen})"


def _named(view: str) -> str:
    return f"_view_{view}"


def _below(views: Mapping[str, View], name: str) -> list[str]:
    """The views that a view reads, and those that they read, in order."""
    wanted = {name}
    for other, view in reversed(list(views.items())):
        if other in wanted:
            wanted |= set(view.reads)
    return [other for other in views if other in wanted and other != name]
