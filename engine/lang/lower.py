"""From the typed tree to SQL of the portable core.

The core is the set of operations that a dialect module spells out (`dialects/duckdb.py`); this module knows the tree
and no engine. The one rule above all: a condition becomes SQL that is true, false or null exactly as Kleene's logic of
`docs/semantics.md` says, and no operation can err at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from ..errors import InternalError
from ..frozen import dataclass, field
from ..model import ValueType
from . import numbers
from .dialects import duckdb as dialect
from .exists import exists_sql
from .typed import (
    AggregateRef,
    Arithmetic,
    Coerce,
    ColumnRef,
    Compare,
    Conflict,
    Constant,
    CountCompare,
    Exists,
    Function,
    In,
    IsNull,
    Junction,
    LookUp,
    Not,
    Shift,
    Typed,
    signature,
)

CASE = "_case"
"""The column that tells the facts of many cases apart, where they stand in the same tables."""

_BOUNDS = {
    ">=": ("{lo} >= {v}", "{hi} < {v}"),
    ">": ("{lo} > {v}", "{hi} <= {v}"),
    "<=": ("{hi} <= {v}", "{lo} > {v}"),
    "<": ("{hi} < {v}", "{lo} >= {v}"),
}


@dataclass(frozen=True, slots=True)
class AggregateColumns:
    """The columns in which a computed aggregate stands: a count in its two bounds, anything else in `value`."""

    value: str = ""
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True)
class CaseSets:
    """The facts of many cases side by side: every table has the column `_case`, the number of a case.

    `present` maps each relation to the cases that bring it (it is absent in the others), `days` a case to the day on
    which it is judged. No case sees the facts of another.
    """

    cases: tuple[int, ...]
    present: Mapping[str, frozenset[int]]
    days: Mapping[int, date] = field(default_factory=dict)

    def only_where_present(self, relation: str, alias: str, sql: str) -> str:
        """The SQL of a value, null for the cases in which the relation is absent."""
        bring = self.present.get(relation, frozenset())
        if bring.issuperset(self.cases):
            return sql
        chosen = ", ".join(str(n) for n in sorted(bring & set(self.cases))) or "NULL"
        return f"CASE WHEN {alias}.{CASE} IN ({chosen}) THEN {sql} END"

    def day(self, alias: str) -> str:
        """The day on which a row's case is judged; null if it says none."""
        branches = " ".join(f"WHEN {n} THEN {dialect.day_literal(self.days[n])}" for n in sorted(self.days))
        return f"CASE {alias}.{CASE} {branches} END" if branches else "CAST(NULL AS DATE)"


@dataclass(frozen=True)
class Lowering:
    """How names become SQL. `sides` maps row, related and group to table aliases, `judged` is that of what is judged.

    `tables` maps each relation that is not absent to its table; `day` is the SQL of the day that picks dated values, or
    None where nothing is dated; `aggregates` maps identities of aggregates to their columns. `cases` is given where the
    tables hold the facts of many cases. `computed` maps signatures of nodes to columns that hold their values.
    """

    tables: Mapping[str, str]
    day: str | None = None
    sides: Mapping[str, str] = field(default_factory=lambda: {"row": "j", "related": "r", "group": "g"})
    aggregates: Mapping[object, AggregateColumns] = field(default_factory=dict)
    judged: str = "j"
    cases: CaseSets | None = None
    computed: Mapping[object, str] = field(default_factory=dict)

    def sql(self, node: Typed) -> str:
        """SQL of a condition or value; floats are finite or null."""
        raw = self._raw(node)
        return dialect.finite(raw) if _may_be_infinite(node) else raw

    def _raw(self, node: Typed) -> str:
        """As `sql`, but a float may be infinite or NaN: such operands make + - * / and abs not finite again."""
        if isinstance(node, ColumnRef):
            return f"{self.sides[node.side]}.{dialect.quote(node.name)}"
        if isinstance(node, Constant):
            return self.constant(node)
        if isinstance(node, (Compare, CountCompare, In, IsNull, Not, Junction, Exists)):
            return self._condition(node)
        if isinstance(node, (LookUp, Conflict)):
            return self.computed[signature(node)]
        if isinstance(node, Arithmetic):
            return self._arithmetic(node)
        if isinstance(node, Coerce):
            return dialect.coerce(self.sql(node.value), node.value.type, node.type)
        if isinstance(node, Shift):
            return dialect.shift(self.sql(node.value), self.sql(node.amount), node.sign, node.step)
        if isinstance(node, Function):
            read = self._raw if node.name == "abs" else self.sql
            args = [read(a) for a in node.args]
            if node.name == "coalesce" and node.type.kind == "decimal":
                args = [dialect.coerce(a, n.type, node.type) for a, n in zip(args, node.args, strict=True)]
            return dialect.function(node.name, args, node.type)
        if isinstance(node, AggregateRef):
            columns = self.aggregates[node.identity]
            return columns.value or f"CASE WHEN {columns.low} = {columns.high} THEN {columns.low} END"
        raise InternalError(f"cannot lower {type(node).__name__}")

    # -- conditions --------------------------------------------------------------------------------------------

    def _condition(self, node: Typed) -> str:
        if isinstance(node, Compare):
            return f"({self.sql(node.left)} {node.op} {self.sql(node.right)})"
        if isinstance(node, CountCompare):
            return self._count_compare(node)
        if isinstance(node, In):
            return f"({self.sql(node.value)} IN ({', '.join(self.sql(m) for m in node.members)}))"
        if isinstance(node, IsNull):
            return f"({self.sql(node.value)} IS NULL)"
        if isinstance(node, Not):
            return f"(NOT {self.sql(node.value)})"
        if isinstance(node, Junction):
            return "(" + f" {node.op.upper()} ".join(self.sql(i) for i in node.items) + ")"
        if isinstance(node, Exists):
            return self._exists(node)
        raise InternalError(f"cannot lower {type(node).__name__}")

    def _count_compare(self, node: CountCompare) -> str:
        """True if it holds for every whole number within the bounds, false if for none, else null."""
        columns, kind, v = self.aggregates[node.count.identity], node.right.type, self.sql(node.right)
        low, high = columns.low, columns.high
        if kind.kind != "int":
            target = kind if kind.kind == "float" else numbers.smallest((ValueType("decimal", 19), kind))
            low, high = (dialect.coerce(c, ValueType("int"), target) for c in (low, high))
        if node.op in _BOUNDS:
            true, false = (form.format(lo=low, hi=high, v=v) for form in _BOUNDS[node.op])
            return f"CASE WHEN {true} THEN TRUE WHEN {false} THEN FALSE END"
        fraction = ""
        if kind.kind == "decimal" and kind.places:
            fraction = f" OR {v} <> CAST(trunc({v}) AS {dialect.type_name(kind)})"
        equal, other = ("TRUE", "FALSE") if node.op == "=" else ("FALSE", "TRUE")
        same, apart = f"{low} = {high} AND {low} = {v}", f"{v} < {low} OR {v} > {high}{fraction}"
        return f"CASE WHEN {same} THEN {equal} WHEN {apart} THEN {other} END"

    def _exists(self, node: Exists) -> str:
        if self.computed and (column := self.computed.get(signature(node))) is not None:
            return column
        table, related = self.tables.get(node.relation), self.sides["related"]
        if table is None:
            return dialect.NULL_BOOL
        if self.cases is None:
            return exists_sql(node, table, related, self.sql)
        found = exists_sql(node, table, related, self.sql, (f"{related}.{CASE} = {self.judged}.{CASE}",))
        return self.cases.only_where_present(node.relation, self.judged, found)

    def unknown_rows(self, node: Exists) -> str | None:
        """A condition on rows of R, true where the condition of the `exists` is unknown; None if it never is."""
        if node.relation not in self.tables or node.condition is None:
            return None
        return f"({self.sql(node.condition)}) IS NULL"

    # -- values ------------------------------------------------------------------------------------------------

    def constant(self, node: Constant) -> str:
        """A literal; a dated one is the value in force on the row's day, null if none is."""
        if not node.dated:
            return dialect.literal(node.options[0].value, node.type)
        if self.day is None:
            raise InternalError(f"`{node.name}` is dated and there is no day")
        branches = []
        for option in reversed(node.options):
            value = dialect.literal(option.value, node.type)
            if option.until is not None:
                value = f"CASE WHEN {self.day} < {dialect.day_literal(option.until)} THEN {value} END"
            if option.start is None:
                raise InternalError(f"`{node.name}` is dated and a value has no first day")
            branches.append(f"WHEN {self.day} >= {dialect.day_literal(option.start)} THEN {value}")
        return f"CASE {' '.join(branches)} END"

    def _arithmetic(self, node: Arithmetic) -> str:
        if node.type.kind == "int":
            return dialect.int_operation(node.op, self.sql(node.left), self.sql(node.right))
        if node.type.kind == "decimal":
            sides = self.sql(node.left), self.sql(node.right)
            return dialect.decimal_operation(node.op, *sides, node.left.type, node.right.type, node.type)
        # An infinite divisor would give 0, so what stands below `/` is made finite or null first.
        right = self.sql(node.right) if node.op == "/" else self._raw(node.right)
        return dialect.float_operation(node.op, self._raw(node.left), right)


def _may_be_infinite(node: Typed) -> bool:
    if node.type.kind != "float":
        return False
    return isinstance(node, Arithmetic) or (isinstance(node, Function) and node.name == "abs")
