"""Values of a given sort at random: columns, parameters, arithmetic, functions, aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import expr
from .constants import pick
from .expr import Node
from .expressions import Maker, Sort, sort_of
from .pools import CATALOGUE, Column

COUNTED = ("none", "share", "probability")


@dataclass
class ValueMaker:
    maker: Maker
    sort: Sort

    def make(self, depth: int, constant: bool = False) -> Node:
        if constant:
            return self.constant()
        if depth <= 0 or self.maker.chance(55):
            return self.leaf()
        node = self.compound(depth - 1)
        return node if node is not None and self.maker.kind(node) else self.leaf()

    def columns(self) -> list[Node]:
        maker = self.maker
        bare: list[Node] = [expr.Name(each.name) for each in maker.columns.values() if sort_of(each) == self.sort]
        return bare + [expr.Judged(each.name) for each in maker.judged.values() if sort_of(each) == self.sort]

    def leaf(self) -> Node:
        found = self.columns()
        if self.maker.members and (not found or self.maker.chance(85)):
            node = self.aggregate()
            if node is not None and self.maker.kind(node):
                return node
        return pick(self.maker.choices, found) if found else self.constant()

    def constant(self) -> Node:
        """A parameter with a value from a pool of this sort, or a literal where one may stand."""
        column = self.maker.column_of(self.sort) or _stand_in(self.sort)
        choices = self.maker.choices
        kind = self.sort[0]
        if kind == "number" and choices.chance(20):
            return expr.Literal("number", str(choices.below(2)))
        if kind in ("text", "levels") and choices.chance(35):
            return expr.Literal("text", str(pick(choices, column.pool)))
        if kind == "bool" and choices.chance(60):
            return expr.Literal("bool", pick(choices, ("true", "false")))
        return expr.Name(self.maker.parameters.constant(choices, column))

    def again(self, depth: int, constant: bool = False, sort: Sort | None = None) -> Node:
        return ValueMaker(self.maker, sort or self.sort).make(depth, constant)

    def aggregate(self) -> Node | None:
        """An aggregate of this sort over the rows of the group."""
        members = self.maker.members
        assert members is not None
        if self.sort == ("number", "none") and self.maker.chance(30):
            return self.maker.count()
        if not any(sort_of(each) == self.sort for each in members.columns.values()):
            return None
        names = ("sum", "avg", "min", "max") if self.sort[0] == "number" else ("min", "max")
        inside = ValueMaker(members, self.sort).make(1)
        if isinstance(inside, expr.Literal):
            return None
        return expr.Aggregate(pick(self.maker.choices, names), inside, False, self.maker.filter())

    def compound(self, depth: int) -> Node | None:
        choices = self.maker.choices
        if self.maker.about_absence and choices.chance(25):
            return self.coalesce()
        match self.sort[0]:
            case "number":
                return self.number(depth)
            case "text":
                return expr.Call(pick(choices, ("lower", "upper")), (self.again(depth),))
            case "date":
                return self.date(depth)
            case "bool":
                return self.function_of_text(depth)
            case _:
                return self.leaf()

    def coalesce(self) -> Node:
        parts = [self.again(0), self.again(0, constant=self.maker.chance(70))]
        if self.maker.chance(20):
            parts.insert(1, self.again(0))
        return expr.Call("coalesce", tuple(parts))

    def number(self, depth: int) -> Node | None:
        choices, unit = self.maker.choices, str(self.sort[1])
        if choices.chance(15):
            return expr.Call("abs", (self.again(depth),))
        special = {"none": self.unitless, "day": self.elapsed}.get(unit)
        if special and choices.chance(45):
            return special(depth)
        op = pick(choices, ("+", "-", "*", "/"))
        left = self.again(depth)
        if op in "+-":
            return expr.Arithmetic(op, left, self.again(depth, constant=choices.chance(40)))
        plain = self.again(depth, constant=choices.chance(40), sort=("number", "none"))
        if isinstance(left, expr.Literal) or (isinstance(plain, expr.Literal) and unit not in COUNTED):
            return None
        return expr.Arithmetic(op, *((plain, left) if op == "*" and choices.chance(30) else (left, plain)))

    def unitless(self, depth: int) -> Node | None:
        """A quotient of equal units, a length, or a part of a date."""
        choices = self.maker.choices
        sorts = {each for each in self.maker.sorts() if each[0] in ("number", "text", "date")}
        here: Sequence[Sort] = sorted(sorts, key=str)
        if not here:
            return None
        sort = pick(choices, here)
        if sort[0] == "number":
            parts = [self.again(depth, sort=sort) for _ in range(2)]
            return None if any(isinstance(each, expr.Literal) for each in parts) else expr.Arithmetic("/", *parts)
        name = "length" if sort[0] == "text" else pick(choices, ("year", "month", "day"))
        return expr.Call(name, (self.again(depth, sort=sort),))

    def elapsed(self, depth: int) -> Node:
        return expr.Call("days_between", tuple(self.again(depth, sort=("date", None)) for _ in range(2)))

    def date(self, depth: int) -> Node:
        choices = self.maker.choices
        if choices.chance(15) and ("instant", None) in self.maker.sorts():
            return expr.Call("utc_day", (self.again(depth, sort=("instant", None)),))
        unit = pick(choices, ("month", "day"))
        count: Node = expr.Literal("number", str(choices.below(2)))
        if choices.chance(60):
            steps = ValueMaker(self.maker, ("number", unit)).columns()
            column = Column("", CATALOGUE["wait_d"].type, unit, CATALOGUE["wait_d"].pool[:7])
            parameter = expr.Name(self.maker.parameters.constant(choices, column))
            count = pick(choices, steps) if steps and choices.chance(50) else parameter
        return expr.Step(pick(choices, "+-"), self.again(depth), count, unit)

    def function_of_text(self, depth: int) -> Node:
        choices = self.maker.choices
        text = ValueMaker(self.maker, ("text", None))
        name = pick(choices, ("starts_with", "ends_with", "contains"))
        return expr.Call(name, (text.make(depth), text.constant()))


def _stand_in(sort: Sort) -> Column:
    """A column of the catalogue of this sort, for its pool; numbers of a unit nobody has are small."""
    for column in CATALOGUE.values():
        if sort_of(column) == sort:
            return column
    return Column("", CATALOGUE["units_a"].type, sort[1], CATALOGUE["units_a"].pool)
