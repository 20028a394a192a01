"""Well-typed expressions at random: the trees of `expr`, over columns and parameters that the maker hands out.

Types and units are right by construction; what depends on digits (a decimal too wide, an equality on floats) is
asked of `meaning`, and such a tree is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from . import expr, values
from .constants import Parameters, pick
from .expr import Node
from .kleene import Scope
from .meaning import meaning
from .pools import Column
from .values import Refused, Type
from .write import Choices

Sort = tuple[str, str | None]  # kind, and for numbers the unit; the kind of every number is "number"
EQUALITIES, ORDERS = ("=", "!="), ("<", "<=", ">", ">=")


def sort_of(column: Column) -> Sort:
    return ("number" if column.type.kind in values.NUMBERS else column.type.kind, column.unit)


@dataclass
class Maker:
    """Makes expressions over `columns` (bare names), `judged` ones inside an exists, and the `members` of a group."""

    choices: Choices
    parameters: Parameters
    columns: Mapping[str, Column]
    relations: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    judged: Mapping[str, Column] = field(default_factory=dict)
    members: Maker | None = None
    about_absence: bool = True  # `is null` and `coalesce`, which speak of what was recorded

    def scope(self) -> Scope:
        def types(columns: Mapping[str, Column]) -> dict[str, Type]:
            return {name: column.type for name, column in columns.items()}

        read = {name: values.parameter(name, entry) for name, entry in self.parameters.everything().items()}
        relations = {name: types(columns) for name, columns in self.relations.items()}
        members = types(self.members.columns) if self.members else {}
        return Scope(types(self.columns), types(self.judged), members, relations, read)

    def kind(self, node: Node) -> str | None:
        """The kind of a value's type, None if the page refuses it."""
        try:
            return meaning(node, self.scope()).type.kind
        except Refused:
            return None

    def chance(self, percent: int) -> bool:
        return self.choices.chance(percent)

    def one_of(self, *ways: tuple[int, Callable[[], Node | None]]) -> Node:
        """One of the weighted ways that gives a node; the first always does."""
        total = sum(weight for weight, _ in ways)
        at = self.choices.below(total)
        for weight, way in ways:
            if at < weight:
                return way() or _sure(ways[0][1]())
            at -= weight
        raise AssertionError

    # Truth values.

    def truth(self, depth: int) -> Node:
        deep = 1 if depth > 0 else 0
        return self.one_of(
            (7, self.comparison),
            (2 if self.sorts() else 0, self.between),
            (3 if self.sorts() else 0, self.membership),
            (2, self.boolean),
            (2, self.boundary),
            (6 * deep, lambda: expr.Logical("and", self.truth(depth - 1), self.truth(depth - 1))),
            (6 * deep, lambda: expr.Logical("or", self.truth(depth - 1), self.truth(depth - 1))),
            (3 * deep, lambda: expr.Not(self.truth(depth - 1))),
            (2 if self.about_absence and self.sorts() else 0, self.is_null),
            (6 if self.relations else 0, self.exists),
            (8 if self.members else 0, self.count_comparison),
            (5 if self.members else 0, self.any_or_all),
        )

    def sorts(self) -> list[Sort]:
        """The sorts that a value with a column in it may have here, booleans apart."""
        members = self.members.columns if self.members else {}
        sources = [*self.columns.values(), *self.judged.values(), *members.values()]
        return [sort_of(each) for each in sources if each.type.kind != "bool"]

    def comparison(self) -> Node:
        for _ in range(3 if self.sorts() else 0):
            sort = pick(self.choices, self.sorts())
            left, right = self.value(sort, 2), self.value(sort, 1, constant=self.chance(50))
            if self.chance(20):
                left, right = right, left
            found = self.legal(left, right)
            if found:
                return found
        return self.plain()

    def boundary(self) -> Node | None:
        from .boundaries import boundary

        return boundary(self)

    def legal(self, left: Node, right: Node) -> Node | None:
        equal_too = not any(isinstance(each, expr.Literal) and each.kind != "number" for each in (left, right))
        ops = [op for op in (*EQUALITIES, *(ORDERS if equal_too else ())) if self.kind(expr.Compare(op, left, right))]
        return expr.Compare(pick(self.choices, ops), left, right) if ops and left != right else None

    def plain(self) -> Node:
        """A truth value that is always to be had: a column beside a constant of its own."""
        for column in self.columns.values():
            if column.type.kind not in ("bool", "float"):
                name = self.parameters.constant(self.choices, column)
                return expr.Compare("=", expr.Name(column.name), expr.Name(name))
        if self.members:
            return self.any_or_all()
        for column in self.columns.values():
            if column.type.kind == "bool":
                return expr.Name(column.name)
        return expr.Exists(next(iter(self.relations)), None)

    def between(self) -> Node | None:
        sort = pick(self.choices, self.sorts())
        value = self.value(sort, 1)
        low, high = (self.value(sort, 1, constant=self.chance(60)) for _ in range(2))
        if any(isinstance(each, expr.Literal) and each.kind != "number" for each in (low, high)):
            return None
        node = expr.Between(value, low, high)
        return node if value not in (low, high) and self.kind(node) else None

    def membership(self) -> Node | None:
        sort = pick(self.choices, self.sorts())
        value = self.value(sort, 1)
        column = self.column_of(sort)
        if self.chance(30) and column and column.type.kind in ("text", "int", "decimal", "levels", "date"):
            node: Node = expr.InList(value, self.parameters.list_of(self.choices, column))
        else:
            members = [self.value(sort, 1, constant=self.chance(60)) for _ in range(1 + self.choices.below(3))]
            node = expr.In(value, tuple(members))
            if value in members:
                return None
        return node if self.kind(node) else None

    def boolean(self) -> Node | None:
        part = self.value(("bool", None), 1)
        if isinstance(part, expr.Literal) or not self.chance(35):
            return part if not isinstance(part, expr.Literal) else None
        other = self.value(("bool", None), 0, constant=self.chance(60))
        return expr.Compare("=", part, other) if part != other else None

    def is_null(self) -> Node | None:
        node = self.value(pick(self.choices, self.sorts()), 1)
        return None if isinstance(node, expr.Literal) or _counts(node) or not self.kind(node) else expr.IsNull(node)

    def exists(self) -> Node:
        relation = pick(self.choices, sorted(self.relations))
        columns = self.relations[relation]
        inside = Maker(self.choices, self.parameters, columns, {}, self.columns, None, self.about_absence)
        return expr.Exists(relation, inside.related() if self.chance(92) else None)

    def related(self) -> Node:
        """A condition of an exists: mostly a column of R against a judged one, and perhaps more."""
        shared = [name for name in self.columns if name in self.judged and self.columns[name].type.kind != "float"]
        if not shared or self.chance(20):
            return self.truth(1)
        name = pick(self.choices, shared)
        node: Node = expr.Compare("=", expr.Name(name), expr.Judged(name))
        return expr.Logical("and", node, self.truth(0)) if self.chance(60) else node

    # Groups.

    def any_or_all(self) -> Node:
        assert self.members is not None
        return expr.Aggregate(pick(self.choices, ("any", "all")), self.members.truth(1), False, self.filter())

    def filter(self) -> Node | None:
        assert self.members is not None
        return self.members.truth(0) if self.chance(40) else None

    def count(self) -> Node:
        assert self.members is not None
        names = [each for each in self.members.columns.values() if each.type.kind != "float"]
        distinct = expr.Name(pick(self.choices, names).name)
        return self.one_of(
            (3, lambda: expr.Aggregate("count_if", self.member_truth(), False, self.filter())),
            (2, lambda: expr.Aggregate("count", None, False, self.filter())),
            (3, lambda: expr.Aggregate("count", distinct, True, self.filter())),
        )

    def member_truth(self) -> Node:
        assert self.members is not None
        return self.members.truth(1)

    def count_comparison(self) -> Node | None:
        """A count as one whole side, on either side of a comparison, between or in."""
        limit = Column("", Type("int"), "none", (0, 1, 2, 3, 4))
        broken = Column("", Type("decimal", 2, 1), "none", tuple(map(Fraction, ("0.5", "1.0", "1.5", "2.0"))))
        limits = [
            expr.Literal("number", str(self.choices.below(2)))
            if self.chance(20)
            else expr.Name(self.parameters.constant(self.choices, broken if self.chance(20) else limit))
            for _ in range(2)
        ]
        count = self.count()
        if self.chance(15):
            return expr.Between(count, *limits) if self.chance(50) else expr.Between(limits[0], count, self.count())
        if self.chance(15):
            return expr.In(count, tuple(limits))
        if self.chance(15):
            count = expr.Arithmetic(pick(self.choices, "+-"), count, expr.Literal("number", "1"))
        other: Node = self.count() if self.chance(10) else limits[0]
        left, right = (count, other) if self.chance(70) else (other, count)
        return self.legal(left, right)

    # Values of a sort.

    def column_of(self, sort: Sort) -> Column | None:
        source = self.members.columns if self.members else {**self.judged, **self.columns}
        found = [each for each in source.values() if sort_of(each) == sort]
        return pick(self.choices, found) if found else None

    def value(self, sort: Sort, depth: int, constant: bool = False) -> Node:
        from .made_values import ValueMaker

        return ValueMaker(self, sort).make(depth, constant)


def _sure(node: Node | None) -> Node:
    assert node is not None
    return node


def _counts(node: Node) -> bool:
    return isinstance(node, expr.Aggregate) and node.name in ("count", "count_if", "any", "all")
