"""Well-typed expressions at random: the trees of `expr`, over columns and parameters that the maker hands out.

Types and units are right by construction; what depends on digits (a decimal too wide, an equality on floats) is
asked of `meaning`, and such a tree is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from . import expr, values
from .expr import Node
from .kleene import Scope
from .meaning import meaning
from .pools import Column
from .values import Refused, Type, Value
from .write import Choices, Raw, as_number, value_text

T = TypeVar("T")
Sort = tuple[str, str | None]  # kind, and for numbers the unit; the kind of every number is "number"
EQUALITIES, ORDERS = ("=", "!="), ("<", "<=", ">", ">=")


def pick(choices: Choices, found: Sequence[T]) -> T:
    return found[choices.below(len(found))]


def sort_of(column: Column) -> Sort:
    return ("number" if column.type.kind in values.NUMBERS else column.type.kind, column.unit)


@dataclass
class Parameters:
    """The parameters a policy has asked for so far, as entries of its `params`; `shared` are those of its pack.

    Shared ones are kept with the name of the column that they were made for, and may be asked for again.
    """

    prefix: str
    days: Sequence[Value]
    dated: bool = False
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    shared: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    made_for: dict[str, str] = field(default_factory=dict)

    def add(self, entry: dict[str, Any], column: str) -> str:
        name = f"{self.prefix}_{len(self.entries)}"
        self.entries[name] = {**entry, "origin": "convention", "because": "made up"}
        self.made_for[name] = column
        return name

    def constant(self, choices: Choices, column: Column) -> str:
        """A parameter that may stand beside this column, with values from its pool; dated if the policy may."""
        known = [
            name
            for name, (made_for, entry) in self.shared.items()
            if made_for == _purpose(column) and (self.dated or "values" not in entry) and "values_of" not in entry
        ]
        if known and choices.chance(30):
            return pick(choices, known)
        texts = constant_texts(column)
        extra: dict[str, Any] = {"unit": column.unit} if column.unit else {}
        if column.type.kind == "instant" or (column.type.kind in ("int", "float", "text") and choices.chance(20)):
            extra["type"] = column.type.kind
        if column.unit == "share" and choices.chance(50):
            texts = [Raw(each) for each in ("0%", "2%", "50%", "33.0%", "100%")]
        if not (self.dated and choices.chance(60)):
            return self.add({"value": pick(choices, texts), **extra}, _purpose(column))
        return self.add({"values": self.periods(choices, texts), **extra}, _purpose(column))

    def periods(self, choices: Choices, texts: Sequence[str]) -> list[dict[str, str]]:
        days = sorted({value_text(values.DATE, each) for each in self.days})
        starts = sorted({pick(choices, days) for _ in range(1 + choices.below(3))})
        found = []
        for start, following in zip(starts, [*starts[1:], "9999-12-31"], strict=True):
            found.append({"from": Raw(start), "value": pick(choices, texts)})
            ends = [each for each in days if start < each <= following]
            if ends and choices.chance(35):
                found[-1]["until"] = Raw(pick(choices, ends))
        return found

    def list_of(self, choices: Choices, column: Column) -> str:
        texts = constant_texts(column)
        members = list(dict.fromkeys(pick(choices, texts) for _ in range(1 + choices.below(3))))
        return self.add({"values_of": members, **({"unit": column.unit} if column.unit else {})}, _purpose(column))

    def everything(self) -> dict[str, dict[str, Any]]:
        return {**{name: entry for name, (_, entry) in self.shared.items()}, **self.entries}


def _purpose(column: Column) -> str:
    return f"{column.name} {column.type.kind} {column.unit}"


def constant_texts(column: Column) -> list[str]:
    found = [text for text in (constant_text(column, each) for each in column.pool) if text is not None]
    return found or [Raw("1") if column.type.kind in values.NUMBERS else "x"]


def constant_text(column: Column, value: Value) -> str | None:
    """The value as a parameter says it; None if it cannot (a number in exponents or of too many digits)."""
    if column.type.kind not in values.NUMBERS:
        if column.type.kind in ("text", "levels"):
            return str(value) or None
        return Raw(str(value).lower() if isinstance(value, bool) else value_text(column.type, value))
    text = as_number(column.type, value)
    if "e" in text:
        text = f"{float(text):.40f}".rstrip("0") + "0" if abs(float(text)) < 1 else f"{float(text):.0f}"
    return Raw(text) if len(text.replace("-", "").replace(".", "")) <= 38 and text != "-0.0" else None


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
            (1, self.rounding),
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

    def rounding(self) -> Node | None:
        """0.1 + 0.2 against 0.3, or what else the pools bring together."""
        parts = [name for name in ("score_a", "score_b") if name in self.columns]
        if len(parts) < 2:
            return None
        name = self.parameters.constant(self.choices, self.columns["score_a"])
        total = expr.Arithmetic("+", expr.Name(parts[0]), expr.Name(parts[1]))
        return self.legal(total, expr.Name(name))

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
