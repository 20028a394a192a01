"""`exists` in SQL: three-valued, and by hash joins wherever the condition equates columns.

The condition is split into *keys*, which equate a column of R with a judged column, and the *rest*. It is true of a
row of R if all keys and the rest are; it is unknown if none is false and at least one is unknown. A key is unknown only
where one of its columns is null, so the unknown rows are found in a few branches, by which keys are null and on which
side, and each branch is again a join by the keys that are not. The plain form, `exists (… where (condition) is null)`,
compares every judged row with every row of R.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ..frozen import dataclass
from .dialects import duckdb as dialect
from .typed import ColumnRef, Compare, Exists, Junction, Typed, walk

_MAX_NULLABLE_KEYS = 2
"""Keys that may be null and are split off: the branches grow as 3 to the power of this."""

Sql = Callable[[Typed], str]


@dataclass(frozen=True, slots=True)
class _Key:
    related: ColumnRef
    judged: ColumnRef
    node: Compare

    @property
    def nullable_sides(self) -> tuple[ColumnRef, ...]:
        return tuple(side for side in (self.judged, self.related) if side.nullable)


def exists_sql(node: Exists, table: str, alias: str, sql: Sql, within: Sequence[str] = ()) -> str:
    """True, false or null. `alias` is that of R's rows, `sql` spells any other node.

    `within` are conditions, never unknown, that say which rows of R are looked at.
    """
    if node.condition is None:
        return _branch(table, alias, [], within)
    keys, rest = _split(node.condition)
    found = _branch(table, alias, [], [*within, *(sql(k.node) for k in keys), *(sql(r) for r in rest)])
    unknown = list(_unknown(keys, rest, table, alias, sql, within))
    if not unknown:
        return found
    return f"CASE WHEN {found} THEN TRUE WHEN {' OR '.join(unknown)} THEN NULL ELSE FALSE END"


def _unknown(
    keys: Sequence[_Key], rest: Sequence[Typed], table: str, alias: str, sql: Sql, within: Sequence[str]
) -> Iterator[str]:
    """The branches in which no conjunct is false and one is unknown, for a row of R."""
    condition = " AND ".join(sql(r) for r in rest)
    if any(r.nullable for r in rest):
        yield _branch(table, alias, [], [*within, *(sql(k.node) for k in keys), f"(({condition}) IS NULL)"])
    not_false = [f"coalesce({condition}, TRUE)"] if rest else []
    of_judged = any(isinstance(n, ColumnRef) and n.side != "related" for r in rest for n in walk(r))
    columns = sorted({n.name for r in rest for n in walk(r) if isinstance(n, ColumnRef) and n.side == "related"})
    for sides in product(*((None, *k.nullable_sides) for k in keys)):
        if all(side is None for side in sides):
            continue
        matched = [sql(k.node) for k, side in zip(keys, sides, strict=True) if side is None]
        outside = [f"({sql(s)} IS NULL)" for s in sides if s is not None and s.side != "related"]
        inside = [f"({sql(s)} IS NULL)" for s in sides if s is not None and s.side == "related"]
        if matched or within or not of_judged:
            yield _branch(table, alias, outside, [*within, *matched, *inside, *not_false])
        else:
            # Nothing to join by: each judged row meets each distinct row of the few that are left of R.
            chosen = ", ".join(f"{alias}.{dialect.quote(c)}" for c in columns) or "1"
            where = f" WHERE {' AND '.join(inside)}" if inside else ""
            few = f"(SELECT DISTINCT {chosen} FROM {table} AS {alias}{where})"
            # The conditions on the judged row stand inside, so that only the rows that meet them are compared.
            yield _branch(few, alias, [], [*outside, *not_false])


def _branch(source: str, alias: str, outside: Sequence[str], inside: Sequence[str]) -> str:
    where = f" WHERE {' AND '.join(inside)}" if inside else ""
    return "(" + " AND ".join([*outside, f"EXISTS (SELECT 1 FROM {source} AS {alias}{where})"]) + ")"


def _split(condition: Typed) -> tuple[list[_Key], list[Typed]]:
    items = condition.items if isinstance(condition, Junction) and condition.op == "and" else (condition,)
    keys: list[_Key] = []
    rest: list[Typed] = []
    nullable = 0
    for item in items:
        key = _as_key(item)
        if key is None or (key.nullable_sides and nullable == _MAX_NULLABLE_KEYS):
            rest.append(item)
        else:
            nullable += bool(key.nullable_sides)
            keys.append(key)
    return keys, rest


def _as_key(node: Typed) -> _Key | None:
    """The conjunct as a key, if it equates a column of R with a judged column."""
    if not isinstance(node, Compare) or node.op != "=":
        return None
    if not isinstance(node.left, ColumnRef) or not isinstance(node.right, ColumnRef):
        return None
    sides = sorted((node.left, node.right), key=lambda c: c.side != "related")
    if sides[0].side != "related" or sides[1].side == "related":
        return None
    return _Key(sides[0], sides[1], node)
