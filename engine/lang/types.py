"""The type checker: names to columns and parameters, types, units and nullability, before anything runs.

`check(expression, node, scope)` gives the typed tree of a condition or raises PolicyError with all its problems. The
rules are those of `docs/semantics.md`, sections 1 to 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import Place, PolicyError, did_you_mean
from ..frozen import dataclass, field, replace
from ..model import Column, Expression, Parameter, Relation
from . import tree
from .operations import OperationRules
from .typed import BOOL, AggregateRef, ColumnRef, Exists, IsNull, Junction, Not, Typed

_LOGICAL = (tree.Compare, tree.Between, tree.In, tree.IsNull, tree.Not, tree.And, tree.Or, tree.Exists)


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may name.

    `columns` are those of the judged relation. `grouped` is None for a row; for a group it holds the `per` columns,
    and then aggregates are legal. `related` is the relation inside an `exists`, whose columns are the bare names.
    """

    relation: str
    columns: Mapping[str, Column]
    parameters: Mapping[str, Parameter]
    relations: Mapping[str, Relation]
    grouped: frozenset[str] | None = None
    in_aggregate: bool = False
    related: Relation | None = None
    inside: str = field(default="")
    """The aggregate that the expression stands in, for messages."""


def check(expression: Expression, node: tree.Node, scope: Scope) -> Typed:
    """The typed tree of a condition. Raises PolicyError with every problem found."""
    checker = Checker(expression, scope)
    typed = checker.condition(node, scope)
    if checker.problems:
        raise PolicyError(checker.problems)
    return typed


class Checker(OperationRules):
    """Walks the tree. After a problem it goes on with a stand-in, so that one typo gives one problem."""

    def __init__(self, expression: Expression, scope: Scope) -> None:
        super().__init__(expression)
        self.closed = scope
        self.related: Relation | None = None

    def one_of(self, column: ColumnRef) -> tuple[str, ...]:
        return self._declared(column).one_of or ()

    def place_of(self, column: ColumnRef) -> Place | None:
        return self._declared(column).place

    def _declared(self, column: ColumnRef) -> Column:
        columns = self.related.columns if column.side == "related" and self.related else self.closed.columns
        return columns[column.name]

    # -- conditions --------------------------------------------------------------------------------------------

    def condition(self, node: tree.Node, scope: Scope) -> Typed:
        if isinstance(node, tree.And):
            return self._junction("and", node, scope)
        if isinstance(node, tree.Or):
            return self._junction("or", node, scope)
        if isinstance(node, tree.Not):
            inner = self.condition(node.value, scope)
            return Not(BOOL, None, inner.nullable, node.start, node.end, inner)
        if isinstance(node, tree.Compare):
            if isinstance(node.left, tree.NullLiteral) or isinstance(node.right, tree.NullLiteral):
                return self._null_compared(node)
            if node.op not in ("=", "!="):
                level = self._bare_level(node, scope)
                if level is not None:
                    return level
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            return self.comparison(node.op, left, right, node)
        if isinstance(node, tree.Between):
            return self._between(node, scope)
        if isinstance(node, tree.In):
            return self._in(node, scope)
        if isinstance(node, tree.IsNull):
            value = self.value(node.value, scope)
            if isinstance(value, AggregateRef) and value.is_count:
                self.problem(node, "wrong-arguments", "a count is never null", "compare the count with a number")
            return IsNull(BOOL, None, False, node.start, node.end, value)
        if isinstance(node, tree.Exists):
            return self._exists(node, scope)
        if isinstance(node, tree.Aggregate) and node.name in ("any", "all"):
            return self._aggregate(node, scope)
        return self._truth(node, scope)

    def _null_compared(self, node: tree.Compare) -> Typed:
        other = node.right if isinstance(node.left, tree.NullLiteral) else node.left
        negated = "not " if node.op == "!=" else ""
        message = "nothing compares with `null`: the answer would always be unknown"
        return self.problem(node, "not-a-value", message, f"write `{self.text(other)} is {negated}null`")

    def _bare_level(self, node: tree.Compare, scope: Scope) -> Typed | None:
        """The problem of a level that bounds a column and is written as a name, `mark >= B`; None if there is none."""
        for name, other in ((node.right, node.left), (node.left, node.right)):
            if not isinstance(name, tree.Name) or name.judged or not isinstance(other, tree.Name):
                continue
            columns = scope.related.columns if scope.related is not None else scope.columns
            column = (scope.columns if other.judged else columns).get(other.name)
            if name.name in columns or name.name in scope.parameters or column is None:
                continue
            if name.name in column.type.levels:
                bound = self._reference(other, column, "row")
                at = ColumnRef(column.type, None, False, name.start, name.end, name.name, "row")
                left, right = (bound, at) if other is node.left else (at, bound)
                return self.bare_threshold(name, name.name, left, right, node.op)
        return None

    def _truth(self, node: tree.Node, scope: Scope) -> Typed:
        value = self.value(node, scope)
        if value is self.UNKNOWN or value.type.kind == "bool":
            return value
        text = self.text(node)
        help_text = (
            f"compare it: `{text} = …`" if value.type.kind in ("text", "levels") else f"compare it: `{text} <= …`"
        )
        message = f"`{text}` is {self.describe(value)}, where a condition was expected"
        return self.problem(node, "not-a-condition", message, help_text)

    def _junction(self, op: str, node: tree.And | tree.Or, scope: Scope) -> Typed:
        items = tuple(self.condition(item, scope) for item in node.items)
        return Junction(BOOL, None, any(i.nullable for i in items), node.start, node.end, op, items)

    def _between(self, node: tree.Between, scope: Scope) -> Typed:
        value, low, high = (self.value(n, scope) for n in (node.value, node.low, node.high))
        items = (self.comparison(">=", value, low, node), self.comparison("<=", value, high, node))
        return Junction(BOOL, None, any(i.nullable for i in items), node.start, node.end, "and", items)

    def _in(self, node: tree.In, scope: Scope) -> Typed:
        value = self.value(node.value, scope)
        if node.list_name is not None:
            members = self._list_members(node.list_name, scope)
        else:
            members = tuple(self.value(member, scope) for member in node.members)
        if value is self.UNKNOWN or any(m is self.UNKNOWN for m in members):
            return self.UNKNOWN
        return self.membership(value, members, node)

    def _list_members(self, name: tree.Name, scope: Scope) -> tuple[Typed, ...]:
        parameter = scope.parameters.get(name.name)
        if parameter is None:
            lists = [p.name for p in scope.parameters.values() if p.is_list]
            message = f"`{name.name}` is no list parameter"
            return (self.problem(name, "unknown-parameter", message, did_you_mean(name.name, lists, "lists")),)
        if not parameter.is_list:
            message = f"`{name.name}` is one value, where a list was expected"
            help_text = f"write `= {name.name}`, or give the parameter `values_of: […]`"
            return (self.problem(name, "not-a-list", message, help_text),)
        return self.members_of(parameter, name)

    def _exists(self, node: tree.Exists, scope: Scope) -> Typed:
        if scope.related is not None:
            message = "an `exists` cannot stand inside another"
            return self.problem(node, "nested-exists", message, "let the sensor write the joined rows")
        name = node.relation.name
        related = scope.relations.get(name)
        if related is None:
            message = f"`{name}` is no relation of the pack"
            help_text = did_you_mean(name, scope.relations, "relations")
            return self.problem(node.relation, "unknown-relation", message, help_text)
        inner = None
        if node.condition is not None:
            self.related = related
            inner = self.condition(node.condition, replace(scope, related=related))
        return Exists(BOOL, None, True, node.start, node.end, name, inner)

    # -- names -------------------------------------------------------------------------------------------------

    def value(self, node: tree.Node, scope: Scope) -> Typed:
        """A side of a comparison, an operand, an argument."""
        if isinstance(node, tree.Name):
            return self._name(node, scope)
        if isinstance(node, _LOGICAL) or (isinstance(node, tree.Aggregate) and node.name in ("any", "all")):
            message = f"`{self.text(node)}` is a condition, where a value was expected"
            return self.problem(node, "not-a-value", message, "join conditions with `and`, `or`, `not`")
        if isinstance(node, tree.Aggregate):
            return self._aggregate(node, scope)
        if isinstance(node, tree.Arithmetic):
            return self.arithmetic(node, self.value(node.left, scope), self.value(node.right, scope))
        if isinstance(node, tree.Shift):
            return self.shift(node, self.value(node.value, scope), self.value(node.amount, scope))
        if isinstance(node, tree.Call):
            return self.call(node, tuple(self.value(arg, scope) for arg in node.args))
        return self.literal(node)

    def _name(self, node: tree.Name, scope: Scope) -> Typed:
        if node.judged:
            if scope.related is None:
                message = "`judged.` is written only inside an `exists`"
                return self.problem(node, "judged-outside-exists", message, f"write `{node.name}`")
            return self._judged_column(node, scope)
        if scope.related is not None:
            column = scope.related.columns.get(node.name)
            if column is not None:
                return self._reference(node, column, "related")
        elif node.name in scope.columns:
            return self._judged_column(node, scope)
        parameter = scope.parameters.get(node.name)
        if parameter is not None:
            return self._parameter(node, parameter)
        return self._unknown_name(node, scope)

    def _judged_column(self, node: tree.Name, scope: Scope) -> Typed:
        column = scope.columns.get(node.name)
        if column is None:
            return self._unknown_name(node, replace(scope, related=None))
        if scope.grouped is None or scope.in_aggregate:
            return self._reference(node, column, "row")
        if node.name in scope.grouped:
            return self._reference(node, column, "group")
        message = f"`{node.name}` has a value for each row, and this speaks of the whole group"
        help_text = f"put it in an aggregate, as `max({node.name})`, or add it to `per`"
        return self.problem(node, "not-grouped", message, help_text)

    def _reference(self, node: tree.Name, column: Column, side: str) -> Typed:
        nullable = not column.required and side != "group"
        return ColumnRef(column.type, column.unit, nullable, node.start, node.end, column.name, side)

    def _parameter(self, node: tree.Name, parameter: Parameter) -> Typed:
        if parameter.is_list:
            message = f"`{node.name}` is a list, where one value was expected"
            return self.problem(node, "not-a-value", message, f"write `x in {node.name}`")
        return self.constant_of(parameter, node)

    def _unknown_name(self, node: tree.Name, scope: Scope) -> Typed:
        columns = scope.related.columns if scope.related is not None else scope.columns
        owner = scope.related.name if scope.related is not None else scope.relation
        legal = [*columns, *(() if node.judged else scope.parameters)]
        message = f"`{node.name}` is not a column of {owner}"
        message += "" if node.judged else ", nor a parameter"
        if scope.related is not None and node.name in scope.columns:
            help_text = f"for the column of the judged row, write `judged.{node.name}`"
        elif any(node.name in (*c.type.levels, *(c.one_of or ())) for c in columns.values()):
            help_text = f"did you mean the text `'{node.name}'`?"
        else:
            help_text = self.suggest(node.name, legal, dict(columns))
        return self.problem(node, "unknown-column", message, help_text)

    # -- aggregates --------------------------------------------------------------------------------------------

    def _aggregate(self, node: tree.Aggregate, scope: Scope) -> Typed:
        if scope.related is not None or scope.grouped is None or scope.in_aggregate:
            return self._misplaced(node, scope)
        inner_scope = replace(scope, in_aggregate=True, inside=node.name)
        argument = condition = None
        if node.filter is not None:
            condition = self.condition(node.filter, inner_scope)
        if node.argument is not None:
            read = self.condition if node.name in ("count_if", "any", "all") else self.value
            argument = read(node.argument, inner_scope)
        if self.UNKNOWN in (argument, condition):
            return self.UNKNOWN
        return self.aggregate(node, argument, condition)

    def _misplaced(self, node: tree.Aggregate, scope: Scope) -> Typed:
        if scope.in_aggregate:
            return self.problem(node, "misplaced-aggregate", f"`{node.name}` cannot stand inside `{scope.inside}`")
        if scope.related is not None:
            help_text = "an `exists` asks for one row; let the sensor count"
            return self.problem(
                node, "misplaced-aggregate", f"`{node.name}` cannot stand inside an `exists`", help_text
            )
        message = f"`{node.name}` speaks of a group of rows, and this expression of one row"
        help_text = "aggregates stand in `must` and `review_if` of a policy with `per: […]`"
        return self.problem(node, "misplaced-aggregate", message, help_text)
