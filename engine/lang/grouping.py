"""Groups in SQL: rows to groups, with aggregates whose counts have bounds (`docs/semantics.md`, section 5).

Arguments and filters of aggregates become columns of an inner query first, so that an `exists` in them is evaluated
for a row and not for a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..frozen import dataclass
from .dialects import duckdb as dialect
from .lower import AggregateColumns, Lowering
from .operations import sum_type
from .typed import AggregateRef, Typed


@dataclass(frozen=True)
class Grouping:
    """One grouping of a table's rows. `each_of` is the table whose rows are the groups, or None."""

    rows: Lowering
    aggregates: Sequence[AggregateRef]
    per: Sequence[str]
    table: str
    where: Typed | None
    each_of: str | None = None
    rough: bool = False
    """Counts of distinct values get wider bounds, which cost a third; what is certain with them is certain."""

    def columns(self) -> Mapping[object, AggregateColumns]:
        """Where each aggregate stands in the result of `sql`, by its identity, as columns of `g`."""
        return {
            a.identity: AggregateColumns(low=f"g._a{i}_lo", high=f"g._a{i}_hi")
            if a.is_count
            else AggregateColumns(f"g._a{i}")
            for i, a in enumerate(self.aggregates)
        }

    def sql(self, null_flags: Sequence[str] = ()) -> str:
        """A row a group: the `per` columns, `_known` and `_unknown` (rows in and of unknown scope), the aggregates.

        For each column of `null_flags`, `_nk<i>` and `_nu<i>` say whether it is null in a row in scope, and in one of
        unknown scope.
        """
        found = "b._in" if self.each_of else "TRUE"
        chosen = [
            *(f"{self._owner}.{dialect.quote(k)} AS {dialect.quote(k)}" for k in self.per),
            "count(*) FILTER (b._w) AS _known",
            f"count(*) FILTER ({found} AND b._w IS NULL) AS _unknown",
        ]
        for i, aggregate in enumerate(self.aggregates):
            chosen += self.aggregate_sql(i, aggregate)
        for i in range(len(null_flags)):
            chosen.append(f"coalesce(bool_or(b._w AND b._n{i}), FALSE) AS _nk{i}")
            chosen.append(f"coalesce(bool_or({found} AND b._w IS NULL AND b._n{i}), FALSE) AS _nu{i}")
        keys = ", ".join(f"{self._owner}.{dialect.quote(k)}" for k in self.per)
        return f"SELECT {', '.join(chosen)} FROM {self._source(null_flags)} GROUP BY {keys}"

    def strays(self) -> str | None:
        """The keys of rows, in or of unknown scope, that no row of `each_of` has, in order; None without `each_of`."""
        if self.each_of is None:
            return None
        keys = [dialect.quote(k) for k in self.per]
        same = " AND ".join(f"e.{k} = b.{k}" for k in keys)
        listed = ", ".join(f"b.{k}" for k in keys)
        return (
            f"SELECT DISTINCT {listed} FROM ({self._base(())}) AS b WHERE NOT EXISTS "
            f"(SELECT 1 FROM {self.each_of} AS e WHERE {same}) ORDER BY {', '.join(keys)}"
        )

    @property
    def _owner(self) -> str:
        return "e" if self.each_of else "b"

    def _source(self, null_flags: Sequence[str]) -> str:
        base = f"({self._base(null_flags)}) AS b"
        if self.each_of is None:
            return base
        same = " AND ".join(f"e.{dialect.quote(k)} = b.{dialect.quote(k)}" for k in self.per)
        # Distinct, so that a group that is named twice (keys may be trusted) does not count its rows twice.
        keys = ", ".join(dialect.quote(k) for k in self.per)
        return f"(SELECT DISTINCT {keys} FROM {self.each_of}) AS e LEFT JOIN {base} ON {same}"

    def _base(self, null_flags: Sequence[str]) -> str:
        """The rows in or of unknown scope, with what the aggregates read."""
        where = self.rows.sql(self.where) if self.where is not None else "TRUE"
        chosen = [f"j.{dialect.quote(k)} AS {dialect.quote(k)}" for k in self.per]
        chosen += [f"{where} AS _w", "TRUE AS _in"]
        for i, aggregate in enumerate(self.aggregates):
            if aggregate.filter is not None:
                chosen.append(f"{self.rows.sql(aggregate.filter)} AS _f{i}")
            if aggregate.argument is not None:
                chosen.append(f"{self.rows.sql(aggregate.argument)} AS _x{i}")
        chosen += [f"(j.{dialect.quote(n)} IS NULL) AS _n{i}" for i, n in enumerate(null_flags)]
        return f"SELECT * FROM (SELECT {', '.join(chosen)} FROM {self.table} AS j) WHERE _w IS NOT FALSE"

    def aggregate_sql(self, i: int, aggregate: AggregateRef) -> list[str]:
        """The columns of one aggregate. `f` says whether a row takes part: true, false or null."""
        f = f"b._f{i}" if aggregate.filter is not None else "TRUE"
        if self.each_of:
            f = f"CASE WHEN b._in THEN {f} ELSE FALSE END"
        x = f"b._x{i}"
        if aggregate.is_count:
            low, high = self._bounds(aggregate, f, x)
            return [f"{low} AS _a{i}_lo", f"{high} AS _a{i}_hi"]
        return [f"{_value(aggregate, f, x)} AS _a{i}"]

    def _bounds(self, aggregate: AggregateRef, f: str, x: str) -> tuple[str, str]:
        if aggregate.name == "count_if":
            both = f"({f} AND {x})"
            return f"count(*) FILTER ({both})", f"count(*) FILTER ({both} IS NOT FALSE)"
        if not aggregate.distinct:
            return f"count(*) FILTER ({f})", f"count(*) FILTER (({f}) IS NOT FALSE)"
        low = f"greatest(count(DISTINCT {x}) FILTER ({f}), CAST(count(*) FILTER ({f}) > 0 AS BIGINT))"
        may = f"({f}) IS NOT FALSE"
        if self.rough and aggregate.argument is not None and aggregate.argument.type.kind != "float":
            return dialect.least_distinct(x, f), f"count(*) FILTER ({may})"
        return low, f"count(DISTINCT {x}) FILTER ({may}) + count(*) FILTER ({may} AND {x} IS NULL)"


def _value(aggregate: AggregateRef, f: str, x: str) -> str:
    """`any` and `all` are Kleene's; every other aggregate is null if a row that takes part, or may, is unknown."""
    if aggregate.name == "any":
        return _three(f"({f} AND {x})", "TRUE", "FALSE")
    if aggregate.name == "all":
        return _three(f"({f} AND NOT {x})", "FALSE", "TRUE")
    assert aggregate.argument is not None
    source = aggregate.argument.type
    unknown = f"({f}) IS NULL OR ({f} AND {x} IS NULL)"
    if aggregate.name in ("min", "max"):
        return f"CASE WHEN bool_or({unknown}) THEN NULL ELSE {aggregate.name}({x}) FILTER ({f}) END"
    fits = dialect.summable(x, source)
    if fits is not None:
        unknown += f" OR ({f} AND NOT ({fits}))"
        x = f"CASE WHEN {fits} THEN {x} END"
    total = f"sum({dialect.summed(x, source)}) FILTER ({f})"
    result = dialect.sum_result(total, source, sum_type(source))
    if aggregate.name == "avg":
        result = f"{dialect.coerce(result, sum_type(source), aggregate.type)} / CAST(count(*) FILTER ({f}) AS DOUBLE)"
    return f"CASE WHEN bool_or({unknown}) THEN NULL ELSE {result} END"


def _three(decisive: str, found: str, otherwise: str) -> str:
    return (
        f"CASE WHEN bool_or({decisive}) THEN {found} WHEN bool_or(({decisive}) IS NULL) THEN NULL ELSE {otherwise} END"
    )
