"""The terms of a rule for one row or group: each with its value, and what it makes of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import canonical
from ..frozen import dataclass, field
from ..lang.dialects import duckdb as dialect
from ..lang.lower import Lowering
from ..lang.show import show
from ..lang.typed import (
    AggregateRef,
    Coerce,
    ColumnRef,
    Compare,
    Constant,
    CountCompare,
    Exists,
    Function,
    In,
    IsNull,
    Junction,
    LookUp,
    Not,
    Typed,
)
from ..plan import Plan, Query
from ..verdict import Value, value_of


@dataclass(frozen=True, slots=True)
class Operand:
    """A value that a term compares: what is written, and its value (of a count whose bounds differ, both)."""

    text: str
    value: str


@dataclass(frozen=True, slots=True)
class Term:
    """A condition, whether it holds (None: unknown), the values in it, and the conditions that it joins."""

    text: str
    truth: bool | None
    operands: tuple[Operand, ...] = ()
    parts: tuple[Term, ...] = ()


@dataclass
class _Asked:
    """What is asked of the database: SQL by column name."""

    columns: dict[str, str] = field(default_factory=dict)

    def add(self, sql: str) -> str:
        name = f"_t{len(self.columns)}"
        self.columns[name] = sql
        return name


def terms(plan: Plan, conditions: dict[str, Typed], source: str, key: list[object], query: Query) -> dict[str, Term]:
    """The terms of each condition, by its name, for the one row of `source`.

    `source` is the SQL of a table of one row or group under the alias that the plan's lowering expects; `key` are the
    parameters of the query.
    """
    asked = _Asked()
    shapes = {name: _shape(node, plan.lowering, asked) for name, node in conditions.items()}
    chosen = ", ".join(f"{sql} AS {name}" for name, sql in asked.columns.items())
    rows = query(f"SELECT {chosen} FROM {source}", key)
    return {name: _read(shape, rows[0]) for name, shape in shapes.items()} if rows else {}


@dataclass(frozen=True, slots=True)
class _Shape:
    node: Typed
    truth: str
    operands: tuple[tuple[Typed, tuple[str, ...]], ...]
    parts: tuple[_Shape, ...]


def _shape(node: Typed, lowering: Lowering, asked: _Asked) -> _Shape:
    truth = asked.add(lowering.sql(node))
    if isinstance(node, (Junction, Not)):
        return _Shape(node, truth, (), tuple(_shape(c, lowering, asked) for c in node.children()))
    operands: list[tuple[Typed, tuple[str, ...]]] = []
    for operand in _operands(node):
        if isinstance(operand, AggregateRef) and operand.is_count:
            columns = lowering.aggregates[operand.identity]
            operands.append((operand, (asked.add(columns.low), asked.add(columns.high))))
        else:
            operands.append((operand, (asked.add(lowering.sql(operand)),)))
    return _Shape(node, truth, tuple(operands), ())


def _operands(node: Typed) -> Iterator[Typed]:
    """The values worth showing: the sides of a comparison and, where a side is computed, the columns in it."""
    sides = (node.count, node.right) if isinstance(node, CountCompare) else node.children()
    if isinstance(node, Exists):
        return
    if isinstance(node, LookUp):
        yield from node.children()
        return
    if isinstance(node, (ColumnRef, AggregateRef)):
        return
    seen: set[str] = set()
    for side in sides if isinstance(node, (Compare, CountCompare, In, IsNull, Function)) else ():
        for one in _within(side):
            if (text := show(one)) not in seen and not (isinstance(one, Constant) and one.name is None):
                seen.add(text)
                yield one


def _within(node: Typed) -> Iterator[Typed]:
    plain = node.value if isinstance(node, Coerce) else node
    yield plain
    if not isinstance(plain, (ColumnRef, Constant, AggregateRef)):
        for child in plain.children():
            yield from (one for one in _within(child) if isinstance(one, (ColumnRef, AggregateRef, Constant)))


def _read(shape: _Shape, row: dict[str, Any]) -> Term:
    operands = tuple(Operand(show(node), _shown(node, [row[c] for c in columns])) for node, columns in shape.operands)
    parts = tuple(_read(part, row) for part in shape.parts)
    return Term(show(shape.node), row[shape.truth], operands, parts)


def _shown(node: Typed, values: list[Any]) -> str:
    if len(values) == 2 and values[0] != values[1]:
        return f"between {values[0]} and {values[1]}"
    if isinstance(node, Constant) and not node.dated:
        value: Value = node.options[0].value
    else:
        value = value_of(values[0], node.type)
    unit = f" {node.unit}" if node.unit and node.unit not in ("none", "\0any") and value is not None else ""
    return canonical.shown(value) + unit


def term_lines(term: Term, indent: str = "") -> Iterator[str]:
    """The tree of terms, a line each: whether it holds, what is written, and below it its values or parts."""
    truth = "unknown" if term.truth is None else "true" if term.truth else "false"
    yield f"{indent}{truth:<7} {term.text}"
    for operand in term.operands:
        yield f"{indent}          {operand.text}: {operand.value}"
    for part in term.parts:
        yield from term_lines(part, indent + "  ")


def rule_lines(plan: Plan, key: dict[str, Any], query: Query) -> Iterator[str]:
    """The terms of `where` (of a row), `must` and `review_if` for the row or group with a key, a line each."""
    checked = plan.checked
    conditions: dict[str, Typed] = {}
    for name, node in (("where", checked.where), ("must", checked.must), ("review_if", checked.review_if)):
        if node is not None and not (plan.grouped and name == "where"):
            conditions[name] = node
    for name, term in terms(plan, conditions, one_judged(plan, key), list(key.values()), query).items():
        yield name
        yield from term_lines(term, "  ")


def one_judged(plan: Plan, key: dict[str, Any]) -> str:
    """The one row or group with a key as a source for `terms`; the values of the key are its parameters.

    In the rows of a case a key may repeat: the row with the gravest outcome stands for all.
    """
    same = same_key(plan, key)
    if plan.grouped:
        return f"(SELECT * FROM ({plan.judged}) WHERE {same} LIMIT 1) AS g"
    return f"(SELECT j.* FROM {plan.scan} AS j WHERE {same} ORDER BY {_gravity(plan)} LIMIT 1) AS j"


def _gravity(plan: Plan) -> str:
    """The outcome of a row as a number: fail, no evidence, review, pass, out of scope."""
    checked, sql = plan.checked, plan.lowering.sql
    where = sql(checked.where) if checked.where is not None else "TRUE"
    review = sql(checked.review_if) if checked.review_if is not None else "FALSE"
    must = sql(checked.must)
    decided = f"WHEN {where} AND NOT {review} AND {must} THEN 3 WHEN {where} AND NOT {review} AND NOT {must} THEN 0"
    return f"CASE WHEN NOT {where} THEN 4 WHEN {where} AND {review} THEN 2 {decided} ELSE 1 END"


def same_key(plan: Plan, key: dict[str, Any]) -> str:
    """The condition that a row or group has the key; the values of the key are the parameters $1, $2, …"""
    columns = plan.checked.relation.columns
    return " AND ".join(
        f"{dialect.quote(n)} = CAST(${i} AS {dialect.type_name(columns[n].type)})" for i, n in enumerate(key, 1)
    )
