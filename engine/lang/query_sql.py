"""The SELECT of a view in SQL: the same exact operations as expressions have, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..frozen import dataclass
from ..model import Column, ValueType
from . import numbers, quotients
from .dialects import duckdb as dialect
from .grouping import Grouping
from .lower import CASE, Lowering
from .nulls import place_of
from .query_tree import Choice, ExistsSelect, InSelect, TypedBlock, TypedQuery
from .typed import ColumnRef, Function, Typed, aggregates_in


@dataclass(frozen=True)
class _InView(Lowering):
    """Lowers what stands in a block. `of_groups` has the columns of what is grouped by, `by_case` is of `_Blocks`."""

    of_groups: Mapping[object, str] | None = None
    blocks: _Blocks | None = None
    outer: str = ""

    def _raw(self, node: Typed) -> str:
        if isinstance(node, ColumnRef):
            if self.of_groups and (column := self.of_groups.get(place_of(node))) is not None:
                return column
            return f"{dialect.quote(node.side)}.{dialect.quote(node.name)}"
        if isinstance(node, Choice):
            branches = " ".join(f"WHEN {self.sql(c)} THEN {self.sql(v)}" for c, v in node.branches)
            otherwise = f" ELSE {self.sql(node.otherwise)}" if node.otherwise is not None else ""
            return f"CASE {branches}{otherwise} END"
        if isinstance(node, Function) and node.name == "substr":
            text, start, length = (self.sql(arg) for arg in node.args)
            return f"CASE WHEN {start} >= 1 AND {length} >= 0 THEN substr({text}, {start}, {length}) END"
        if isinstance(node, Function) and node.name == "quotient":
            above, below = (self.sql(arg) for arg in node.args)
            return quotients.sql(above, below, node.type.places)
        if isinstance(node, ExistsSelect) and self.blocks is not None:
            return f"EXISTS ({self.blocks.sub_query(node.block, None, self.outer)})"
        if isinstance(node, InSelect) and self.blocks is not None:
            return f"({self.sql(node.value)} IN ({self.blocks.sub_query(node.block, node.member, self.outer)}))"
        return super()._raw(node)


@dataclass(frozen=True)
class _Blocks:
    """Blocks over `tables`. With `by_case` every table has the column `_case`, and no case sees the rows of another."""

    tables: Mapping[str, str]
    by_case: bool

    def query(self, query: TypedQuery) -> str:
        tables = dict(self.tables)
        named = []
        for name, inner in query.named:
            named.append(f'"_with_{name}" AS ({_Blocks(tables, self.by_case).query(inner)})')
            tables[name] = f'"_with_{name}"'
        blocks = _Blocks(tables, self.by_case)
        joined = " UNION ALL ".join(f"({blocks.block(b)})" for b in query.blocks)
        return f"WITH {', '.join(named)} {joined}" if named else joined

    def block(self, block: TypedBlock) -> str:
        first = dialect.quote(block.sources[0].alias)
        rows = _InView(self.tables, blocks=self, outer=first)
        where = f" WHERE {rows.sql(block.where)}" if block.where is not None else ""
        source = self._source(block, rows) + where
        distinct = "DISTINCT " if block.distinct else ""
        if not block.groups:
            case = [f"{first}.{CASE} AS {CASE}"] if self.by_case else []
            return f"SELECT {distinct}{', '.join([*case, *_items(block, rows)])} FROM {source}"
        return self._grouped(block, rows, source, distinct)

    def _grouped(self, block: TypedBlock, rows: Lowering, source: str, distinct: str) -> str:
        aggregates = tuple(aggregates_in(*(v for _, v in block.items), block.having))
        keys = [CASE] if self.by_case else []
        chosen = [f"{dialect.quote(block.sources[0].alias)}.{CASE} AS {CASE}"] if self.by_case else []
        for i, group in enumerate(block.groups):
            keys.append(f"_k{i}")
            chosen.append(f"{rows.sql(group)} AS _k{i}")
        for i, aggregate in enumerate(aggregates):
            if aggregate.filter is not None:
                chosen.append(f"{rows.sql(aggregate.filter)} AS _f{i}")
            if aggregate.argument is not None:
                chosen.append(f"{rows.sql(aggregate.argument)} AS _x{i}")
        grouping = Grouping(rows, aggregates, (), "", None)
        made = [f"b.{k}" for k in keys]
        for i, aggregate in enumerate(aggregates):
            made += grouping.aggregate_sql(i, aggregate)
        groups = f"SELECT {', '.join(made)} FROM (SELECT {', '.join(chosen)} FROM {source}) AS b GROUP BY "
        groups += ", ".join(f"b.{k}" for k in keys)
        of_groups = {place_of(g): f"g._k{i}" for i, g in enumerate(block.groups)}
        over = _InView(self.tables, aggregates=grouping.columns(), of_groups=of_groups)
        case = [f"g.{CASE} AS {CASE}"] if self.by_case else []
        having = f" WHERE {over.sql(block.having)}" if block.having is not None else ""
        return f"SELECT {distinct}{', '.join([*case, *_items(block, over)])} FROM ({groups}) AS g{having}"

    def _source(self, block: TypedBlock, rows: Lowering) -> str:
        first = dialect.quote(block.sources[0].alias)
        parts = []
        for source in block.sources:
            alias = dialect.quote(source.alias)
            table = f"{self.tables[source.relation]} AS {alias}"
            same = [f"{first}.{CASE} = {alias}.{CASE}"] if self.by_case and source.join != "from" else []
            on = " AND ".join([*same, *([rows.sql(source.on)] if source.on is not None else [])])
            word = {"from": "", "inner": "JOIN ", "left": "LEFT JOIN ", "cross": "JOIN " if same else "CROSS JOIN "}
            parts.append(f"{word[source.join]}{table}" + (f" ON {on}" if on else ""))
        return " ".join(parts)

    def sub_query(self, block: TypedBlock, member: Typed | None, outer: str) -> str:
        first = dialect.quote(block.sources[0].alias)
        rows = _InView(self.tables, blocks=self, outer=first)
        conditions = [f"{first}.{CASE} = {outer}.{CASE}"] if self.by_case else []
        conditions += [rows.sql(block.where)] if block.where is not None else []
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        chosen = rows.sql(member) if member is not None else "1"
        return f"SELECT {chosen} FROM {self._source(block, rows)}{where}"


def _items(block: TypedBlock, lowering: Lowering) -> list[str]:
    return [f"{lowering.sql(value)} AS {dialect.quote(name)}" for name, value in block.items]


def query_sql(query: TypedQuery, declared: Mapping[str, Column], tables: Mapping[str, str], by_case: bool) -> str:
    """The SELECT of a view whose columns have the types `declared`: a value that does not fit exactly is null."""
    inner = _Blocks(tables, by_case).query(query)
    chosen = [CASE] if by_case else []
    for name, column in declared.items():
        quoted = dialect.quote(name)
        source = query.columns[name].type
        chosen.append(f"{_fitting(quoted, source, column.type)} AS {quoted}")
    return f"SELECT {', '.join(chosen)} FROM ({inner})"


def _fitting(value: str, source: ValueType, target: ValueType) -> str:
    if source == target:
        return value
    common = numbers.smallest((numbers.as_decimal(source), numbers.as_decimal(target)))
    wide, cast = dialect.type_name(common), f"TRY_CAST({value} AS {dialect.type_name(target)})"
    return f"CASE WHEN CAST({cast} AS {wide}) = CAST({value} AS {wide}) THEN {cast} END"


def tables_read(query: TypedQuery) -> list[str]:
    """The relations, references and views that a query reads, sorted."""
    named = {name for name, _ in query.named}
    found: set[str] = set()
    for _, inner in query.named:
        found |= set(tables_read(inner))
    for block in _blocks(query.blocks):
        found |= {source.relation for source in block.sources}
    return sorted(found - named)


def _blocks(blocks: Sequence[TypedBlock]) -> list[TypedBlock]:
    found = []
    for block in blocks:
        found.append(block)
        inner = [n.block for n in block.nodes() if isinstance(n, (ExistsSelect, InSelect))]
        found += _blocks(inner)
    return found


def columns_named(query: TypedQuery) -> Iterator[tuple[str, str]]:
    """The relations and columns that a query names, also those of `with`."""
    for _, inner in query.named:
        yield from columns_named(inner)
    blocks = _blocks([*query.blocks])
    for block in blocks:
        # An alias stands for one source in a block and in those around it.
        of = {source.alias: source.relation for one in blocks for source in one.sources}
        of |= {source.alias: source.relation for source in block.sources}
        for node in block.nodes():
            if isinstance(node, ColumnRef) and node.side in of:
                yield of[node.side], node.name
