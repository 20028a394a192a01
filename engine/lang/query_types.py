"""The type checker of views: names to columns of the relations that they read, types, units and nullability.

Beyond what holds for expressions: nothing that is unknown is dropped in silence (`docs/semantics.md`, section 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import Place, PolicyError, did_you_mean
from ..frozen import dataclass, replace
from ..model import UNIT_NONE, Column, Expression, Parameter, Relation
from . import numbers, tree, units
from .nulls import Shown, causes, may_be_null, place_of, shown_by
from .query_calls import CallsOfViews
from .query_tree import (
    Block,
    Case,
    Choice,
    ExistsSelect,
    InSelect,
    Query,
    SelectExists,
    SelectIn,
    TypedBlock,
    TypedQuery,
    TypedSource,
)
from .typed import ANY_UNIT, BOOL, ColumnRef, Compare, Typed
from .types import Scope

_SELECTS = (SelectExists, SelectIn)


@dataclass(frozen=True, slots=True)
class _Reach:
    """What names reach in one SELECT: `columns` of each alias, and the aliases that a left join may leave empty."""

    columns: Mapping[str, Mapping[str, Column]]
    optional: frozenset[str] = frozenset()


def check_query(
    expression: Expression,
    query: Query,
    relations: Mapping[str, Relation],
    parameters: Mapping[str, Parameter],
    drops: frozenset[str],
) -> tuple[TypedQuery, frozenset[str]]:
    """The typed query, and which of the columns in `drops` it needs. Raises PolicyError with every problem found."""
    checker = QueryChecker(expression, relations, parameters, drops)
    typed = checker.query(query)
    if checker.problems:
        raise PolicyError(checker.problems)
    return typed, frozenset(checker.dropped)


class QueryChecker(CallsOfViews):
    """Walks the SELECTs of a view."""

    def __init__(
        self,
        expression: Expression,
        relations: Mapping[str, Relation],
        parameters: Mapping[str, Parameter],
        drops: frozenset[str],
    ) -> None:
        super().__init__(expression, Scope("the view", {}, parameters, relations))
        self.relations, self.parameters, self.drops = dict(relations), parameters, drops
        self.dropped: set[str] = set()
        self.strange: set[str] = set()
        """Aliases of what is no relation: nothing can be said of their columns."""
        self.reaches: list[_Reach] = []
        self.grouped: frozenset[object] = frozenset()
        self.in_where = False

    # -- queries -----------------------------------------------------------------------------------------------

    def query(self, query: Query) -> TypedQuery:
        outer, named = self.relations, []
        self.relations = dict(outer)
        for name, inner in query.named:
            if name.name in self.relations or name.name in self.parameters:
                self.problem(name, "name-clash", f"`{name.name}` is taken in the pack", "give it another name")
            typed = self.query(inner)
            named.append((name.name, typed))
            if self.problems:  # what reads it would have nothing but problems that follow from these
                self.relations = outer
                return TypedQuery(tuple(named), ())
            self.relations[name.name] = Relation(name.name, "", (), typed.columns)
        blocks = [self._block(block) for block in query.blocks]
        self.relations = outer
        if self.problems:
            return TypedQuery(tuple(named), tuple(blocks))
        made = self._united(blocks, query.blocks)
        return TypedQuery(tuple(named), tuple(made), self._columns(made))

    def _united(self, blocks: list[TypedBlock], written: Sequence[Block]) -> list[TypedBlock]:
        """The SELECTs of `union all` with equal columns: decimals get the smallest type that holds all of them."""
        names = [name for name, _ in blocks[0].items]
        for block, node in zip(blocks[1:], written[1:], strict=True):
            found = [name for name, _ in block.items]
            if found != names:
                message = f"`union all` joins the columns {', '.join(found)} to {', '.join(names)}"
                self.problem(node, "type-mismatch", message, "give each SELECT the same columns in the same order")
                return blocks
        arms: list[list[tuple[str, Typed]]] = [[] for _ in blocks]
        for i, name in enumerate(names):
            values = tuple(block.items[i][1] for block in blocks)
            made = (
                self._one_kind(values, written[-1].items[i][0], f"the column `{name}`") if len(values) > 1 else values
            )
            for arm, value in zip(arms, made, strict=True):
                arm.append((name, value))
        return [replace(block, items=tuple(arm)) for block, arm in zip(blocks, arms, strict=True)]

    def _one_kind(self, values: tuple[Typed, ...], at: tree.Node, what: str) -> tuple[Typed, ...]:
        """Values of one type and unit, as in `coalesce`."""
        found = self._one_type(values)
        if found is None or self.UNKNOWN in found:
            kinds = ", ".join(self.describe(v) for v in values)
            self.problem(at, "type-mismatch", f"{what} has values of several types: {kinds}", "give it one type")
            return values
        unit = found[0].unit
        for other in found[1:]:
            unit = units.of_sum(unit, other.unit) if unit is not None and other.unit is not None else None
        if found[0].unit is not None and unit is None:
            kinds = ", ".join(str(v.unit) for v in values)
            self.problem(at, "unit-mismatch", f"{what} has values in several units: {kinds}", "give it one unit")
        if found[0].type.digits > numbers.MAX_DIGITS:
            self.too_wide(at, found[0].type.digits)
        return tuple(replace(v, unit=unit) for v in found)

    def _columns(self, blocks: Sequence[TypedBlock]) -> dict[str, Column]:
        columns = {}
        for i, (name, value) in enumerate(blocks[0].items):
            null = any(may_be_null(b.items[i][1], shown_by(b.where, b.having)) for b in blocks)
            unit = UNIT_NONE if value.unit == ANY_UNIT else value.unit
            columns[name] = Column(name, value.type, not null, unit=unit if value.type.is_number else None)
        return columns

    def _block(self, block: Block) -> TypedBlock:
        sources = self._sources(block)
        self.in_where = True
        where = self.condition(block.where, self._scope()) if block.where is not None else None
        self.in_where = False
        for source, written in zip(sources, block.sources, strict=True):
            if source.on is not None:
                beside = shown_by(source.on, *((where,) if source.join == "inner" else ()))
                self._keeps_only_true(source.on, beside, "on", written.on)
        if where is not None:
            self._keeps_only_true(where, shown_by(where), "where", block.where)
        groups = tuple(self.value(group, self._scope()) for group in block.groups)
        for group, node in zip(groups, block.groups, strict=True):
            if group is not self.UNKNOWN and not isinstance(group, ColumnRef):
                self.problem(node, "not-in-language", "`group by` names columns", "compute it in a `with` before")
            self._stands_apart(group, shown_by(where), "group by", node)
        self.grouped = frozenset(place_of(g) for g in groups)
        scope = self._scope(bool(groups))
        items = list[tuple[str, Typed]]()
        for name, node in block.items:
            value = self._item(node, scope)
            if name.name in [n for n, _ in items]:
                self.problem(name, "name-clash", f"two columns are named `{name.name}`", "give one another name")
            if block.distinct:
                self._stands_apart(value, shown_by(where), "distinct", node)
            items.append((name.name, value))
        having = None
        if block.having is not None and not groups:
            self.problem(block.having, "not-grouped", "`having` speaks of groups", "write `where`, or `group by`")
        elif block.having is not None:
            having = self.condition(block.having, scope)
            self._keeps_only_true(having, shown_by(where, having), "having", block.having)
        self.reaches.pop()
        return TypedBlock(tuple(items), tuple(sources), block.distinct, where, groups, having)

    def _scope(self, grouped: bool = False) -> Scope:
        return replace(self.closed, grouped=frozenset() if grouped else None)

    def _item(self, node: tree.Node, scope: Scope) -> Typed:
        logical = (tree.Compare, tree.Between, tree.In, tree.IsNull, tree.Not, tree.And, tree.Or)
        truth = isinstance(node, tree.Aggregate) and node.name in ("any", "all")
        return self.condition(node, scope) if isinstance(node, logical) or truth else self.value(node, scope)

    def _sources(self, block: Block) -> list[TypedSource]:
        """The relations that rows come from; leaves what names reach on top of `reaches`."""
        columns: dict[str, Mapping[str, Column]] = {}
        optional: set[str] = set()
        found: list[TypedSource] = []
        outer = {alias for reach in self.reaches for alias in reach.columns}
        self.reaches.append(_Reach(columns))
        for source in block.sources:
            name, alias = source.relation.name, source.alias.name
            relation = self.relations.get(name)
            if relation is None:
                message = f"`{name}` is no relation, reference or earlier view of the pack"
                self.problem(source.relation, "unknown-relation", message, did_you_mean(name, self.relations, "names"))
                self.strange.add(alias)
            if alias in columns or alias in outer:
                message = f"`{alias}` stands for two sources of rows"
                self.problem(source.alias, "name-clash", message, f"write `{name} as` and another name")
            columns[alias] = relation.columns if relation is not None else {}
            on = self.condition(source.on, self._scope()) if source.on is not None else None
            if source.join == "left":
                optional.add(alias)
                self.reaches[-1] = _Reach(columns, frozenset(optional))
            found.append(TypedSource(name, alias, source.join, on))
        return found

    # -- nothing is dropped in silence -------------------------------------------------------------------------

    def _keeps_only_true(self, node: Typed, shown: Shown, where: str, written: tree.Node | None) -> None:
        if node is self.UNKNOWN or written is None or self.problems:
            return
        if may_be_null(node, shown):
            self._drops(causes(node, shown), f"`{where}` keeps what is true, and drops what is unknown", written)

    def _stands_apart(self, node: Typed, shown: Shown, where: str, written: tree.Node) -> None:
        if node is self.UNKNOWN:
            return
        if node.type.kind == "float":
            message = f"a float stands behind `{where}`, and nearly equal is not equal"
            self.problem(written, "float-equality", message, "declare the column as decimal")
        elif may_be_null(node, shown):
            self._drops(causes(node, shown), f"`{where}` takes null for a value like any other", written)

    def _drops(self, columns: Sequence[ColumnRef], message: str, at: tree.Node) -> None:
        names = sorted({c.name for c in columns})
        missing = [name for name in names if name not in self.drops]
        self.dropped |= self.drops & set(names)
        if missing or not names:
            listed = ", ".join(f"`{n}`" for n in missing) or "a value"
            help_text = f"add `and {missing[0] if missing else 'x'} is not null`, or say above the view "
            help_text += f"`-- drops: {', '.join(missing) or 'x'} because …`"
            self.problem(at, "view-drops-unknown", f"{message}: {listed} may be null", help_text)

    # -- names -------------------------------------------------------------------------------------------------

    def one_of(self, column: ColumnRef) -> tuple[str, ...]:
        found = self._column_of(column.side, column.name)
        return (found.one_of or ()) if found is not None else ()

    def place_of(self, column: ColumnRef) -> Place | None:
        found = self._column_of(column.side, column.name)
        return found.place if found is not None else None

    def _column_of(self, alias: str, name: str) -> Column | None:
        for reach in reversed(self.reaches):
            if alias in reach.columns:
                return reach.columns[alias].get(name)
        return None

    def _name(self, node: tree.Name, scope: Scope) -> Typed:
        for reach in reversed(self.reaches):
            aliases = [a for a, cs in reach.columns.items() if node.name in cs and (not node.of or node.of == a)]
            if len(aliases) > 1:
                help_text = "write " + " or ".join(f"`{a}.{node.name}`" for a in aliases)
                return self.problem(node, "unknown-column", f"`{node.name}` is a column of several sources", help_text)
            if aliases:
                return self._found(node, aliases[0], reach, scope)
        parameter = self.parameters.get(node.name) if not node.of else None
        if parameter is None and (node.of in self.strange or (self.strange and not node.of)):
            return self.UNKNOWN
        if parameter is None:
            legal = [name for reach in self.reaches for columns in reach.columns.values() for name in columns]
            what = f"a column of `{node.of}`" if node.of else "a column in reach, nor a parameter of the pack"
            help_text = did_you_mean(node.name, [*legal, *(() if node.of else self.parameters)], "names")
            return self.problem(node, "unknown-column", f"`{node.name}` is not {what}", help_text)
        if parameter.dated:
            message = f"`{node.name}` has dated values, and a view has no day"
            return self.problem(node, "dated-in-view", message, "read the parameter in the policy")
        return self._parameter(node, parameter)

    def _found(self, node: tree.Name, alias: str, reach: _Reach, scope: Scope) -> Typed:
        column = reach.columns[alias][node.name]
        nullable = not column.required or alias in reach.optional
        made = ColumnRef(column.type, column.unit, nullable, node.start, node.end, column.name, alias)
        inner = reach is self.reaches[-1]
        if inner and scope.grouped is not None and not scope.in_aggregate and place_of(made) not in self.grouped:
            message = f"`{node.name}` has a value for each row, and this speaks of the whole group"
            help_text = f"put it in an aggregate, as `max({node.name})`, or add it to `group by`"
            return self.problem(node, "not-grouped", message, help_text)
        return made

    def _list_members(self, name: tree.Name, scope: Scope) -> tuple[Typed, ...]:
        return super()._list_members(name, replace(scope, parameters=self.parameters))

    # -- what only views have ----------------------------------------------------------------------------------

    def condition(self, node: tree.Node, scope: Scope) -> Typed:
        if isinstance(node, _SELECTS):
            if not self.in_where or scope.grouped is not None:
                return self.problem(node, "not-in-language", "a sub-query stands in `where` only", "use a join")
            return self._exists_select(node) if isinstance(node, SelectExists) else self._in_select(node, scope)
        return super().condition(node, scope)

    def _exists_select(self, node: SelectExists) -> Typed:
        return ExistsSelect(BOOL, None, False, node.start, node.end, self._sub_query(node.block))

    def _sub_query(self, block: Block) -> TypedBlock:
        kept = self.grouped
        made = self._block(block)
        self.grouped, self.in_where = kept, True
        return made

    def _in_select(self, node: SelectIn, scope: Scope) -> Typed:
        value, block = self.value(node.value, scope), self._sub_query(node.block)
        if self.problems:
            return self.UNKNOWN
        pair = self.comparison("=", value, block.items[0][1], node)
        if not isinstance(pair, Compare):
            return self.UNKNOWN
        nullable = pair.left.nullable or pair.right.nullable
        return InSelect(BOOL, None, nullable, node.start, node.end, pair.left, pair.right, block)

    def value(self, node: tree.Node, scope: Scope) -> Typed:
        if isinstance(node, Case):
            return self._case(node, scope)
        if isinstance(node, _SELECTS):
            return self.condition(node, scope)
        return super().value(node, scope)

    def _case(self, node: Case, scope: Scope) -> Typed:
        conditions = [self.condition(condition, scope) for condition, _ in node.branches]
        for condition, (written, _) in zip(conditions, node.branches, strict=True):
            self._keeps_only_true(condition, shown_by(condition), "case", written)
        written_values = [v for _, v in node.branches] + ([node.otherwise] if node.otherwise is not None else [])
        values = tuple(self._item(v, scope) for v in written_values)
        if any(v is self.UNKNOWN for v in (*conditions, *values)):
            return self.UNKNOWN
        made = self._one_kind(values, node, "`case`")
        otherwise = made[-1] if node.otherwise is not None else None
        pairs = tuple(zip(conditions, made[: len(conditions)], strict=True))
        return Choice(made[0].type, made[0].unit, True, node.start, node.end, pairs, otherwise)
