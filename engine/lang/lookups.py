"""Look-ups in references, in SQL: hash joins with the references grouped by key, made before a rule is worked out.

Each distinct look-up becomes a column of the scan (`_y0`, …: true, false or null, as `docs/semantics.md`, section 6,
says of `same_as`), and so does each question whether references disagree (`_z0`, …).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InternalError
from ..frozen import dataclass, field, replace
from ..model import ValueType
from .dialects import duckdb as dialect
from .lower import CASE, Lowering
from .typed import Cells, Conflict, LookUp, Typed, look_ups_in, signature, walk

FOLDED = "folded"


@dataclass
class _Join:
    """A reference grouped by key, beside the judged rows: its alias, and which columns are asked of it."""

    alias: str
    table: str
    on: str
    keys: Sequence[str]
    columns: list[str] = field(default_factory=list)

    def column(self, sql: str) -> int:
        if sql not in self.columns:
            self.columns.append(sql)
        return self.columns.index(sql)

    def sql(self) -> str:
        keys = [f"{key} AS _k{i}" for i, key in enumerate(self.keys)]
        asked = [
            f"min({c}) AS _lo{i}, (min({c}) = max({c}) AND count({c}) = count(*)) AS _one{i}, max({c}) AS _hi{i}"
            for i, c in enumerate(self.columns)
        ]
        where = " AND ".join(f"{key} IS NOT NULL" for key in self.keys)
        grouped = f"SELECT {', '.join([*keys, 'count(*) AS _n', *asked])} FROM {self.table} AS r WHERE {where}"
        by = ", ".join(str(i) for i in range(1, len(self.keys) + 1))
        return f" LEFT JOIN ({grouped} GROUP BY {by}) AS {self.alias} ON {self.on}"


def with_look_ups(scan: str, alias: str, nodes: Sequence[Typed | None], lowering: Lowering) -> tuple[str, Lowering]:
    """The scan with a column for each look-up of these expressions, and the lowering that knows the columns.

    `scan` is a table or a SELECT in parentheses, without an alias; so is what comes back.
    """
    looked = look_ups_in(*nodes)
    if not looked:
        return scan, lowering
    work = _Work(alias, lowering)
    made = [f"{work.truth(one)} AS _y{i}" for i, one in enumerate(looked)]
    names = {signature(one): f"{alias}._y{i}" for i, one in enumerate(looked)}
    conflicts = {signature(n): n for node in nodes if node is not None for n in walk(node) if isinstance(n, Conflict)}
    for i, (meaning, one) in enumerate(conflicts.items()):
        made.append(f"{work.conflict(one)} AS _z{i}")
        names[meaning] = f"{alias}._z{i}"
    joins = "".join(join.sql() for join in work.joins.values())
    wider = f"(SELECT {alias}.*, {', '.join(made)} FROM {scan} AS {alias}{joins})"
    return wider, replace(lowering, computed={**lowering.computed, **names})


class _Work:
    """The joins that the look-ups of one scan need, each once."""

    def __init__(self, alias: str, lowering: Lowering) -> None:
        self.alias, self.lowering = alias, lowering
        self.joins: dict[object, _Join] = {}

    def truth(self, node: LookUp) -> str:
        """The first that holds of section 6, as a CASE."""
        shown, keys = self._judged(node)
        unsaid = "TRUE" if "nothing_shown" in node.lenient else "NULL"
        without = "TRUE" if "incomplete_key" in node.lenient else "FALSE"
        absent = "TRUE" if "not_in_reference" in node.lenient else "FALSE"
        found = []
        for cells in node.cells:
            join, i = self._join(node, cells)
            value = named(shown, node.shown.type, cells.type)
            equal = f"{join.alias}._one{i} AND {join.alias}._lo{i} = {value}"
            if "ambiguous_key" in node.lenient:
                equal = f"{join.alias}._lo{i} = {value} OR {join.alias}._hi{i} = {value}"
            if "differs" in node.lenient:
                equal = f"{join.alias}._one{i}"
            found.append(f"WHEN {join.alias}._n IS NOT NULL THEN coalesce({equal}, FALSE)")
        missing = " OR ".join(f"{key} IS NULL" for key in keys)
        return (
            f"CASE WHEN {shown} IS NULL THEN {unsaid} WHEN {missing} THEN {without} {' '.join(found)} ELSE {absent} END"
        )

    def conflict(self, node: Conflict) -> str:
        """True if something is shown, and two references have its key without holding one and the same value."""
        look_up = node.value
        if not isinstance(look_up, LookUp):
            raise InternalError("a conflict is one of a look-up")
        shown, _ = self._judged(look_up)
        joins = [self._join(look_up, cells) for cells in look_up.cells]
        pairs = []
        for number, (one, i) in enumerate(joins):
            for (other, j), cells in zip(joins[number + 1 :], look_up.cells[number + 1 :], strict=True):
                kinds = [_seen_as(c.type, look_up.shown.type) for c in (look_up.cells[number], cells)]
                left = named(f"{one.alias}._lo{i}", kinds[0], kinds[1])
                right = named(f"{other.alias}._lo{j}", kinds[1], kinds[0])
                agree = f"{one.alias}._one{i} AND {other.alias}._one{j} AND {left} = {right}"
                both = f"{one.alias}._n IS NOT NULL AND {other.alias}._n IS NOT NULL"
                pairs.append(f"({both} AND NOT coalesce({agree}, FALSE))")
        return f"({shown} IS NOT NULL AND ({' OR '.join(pairs) or 'FALSE'}))"

    def _judged(self, node: LookUp) -> tuple[str, list[str]]:
        return self.lowering.sql(node.shown), [self.lowering.sql(key) for key in node.keys]

    def _join(self, node: LookUp, cells: Cells) -> tuple[_Join, int]:
        folded = FOLDED in node.lenient
        same = (cells.reference, cells.keys, tuple(k.name for k in node.keys), folded)
        join = self.joins.get(same)
        if join is None:
            join = self.joins[same] = self._new_join(node, cells, folded)
        column = named(f"r.{dialect.quote(cells.column)}", cells.type, node.shown.type)
        return join, join.column(column)

    def _new_join(self, node: LookUp, cells: Cells, folded: bool) -> _Join:
        table = self.lowering.tables.get(cells.reference)
        if table is None:
            raise InternalError(f"the reference `{cells.reference}` has no table")
        alias = f"_r{len(self.joins)}"
        _, judged = self._judged(node)
        ours, theirs = [], []
        for key, kind, column, sql in zip(cells.keys, cells.types, node.keys, judged, strict=True):
            there = named(f"r.{dialect.quote(key)}", kind, column.type)
            here = named(sql, column.type, kind)
            if folded and kind.kind == "text":
                there, here = f"lower({there})", f"lower({here})"
            ours.append(here)
            theirs.append(there)
        if self.lowering.cases is not None:
            ours.append(f"{self.alias}.{CASE}")
            theirs.append(f"r.{CASE}")
        on = " AND ".join(f"{alias}._k{i} = {here}" for i, here in enumerate(ours))
        return _Join(alias, table, on, theirs)


def _seen_as(own: ValueType, shown: ValueType) -> ValueType:
    """The type of a reference's value once it is in the terms of the shown one."""
    return shown if (own.kind, shown.kind) == ("levels", "text") else own


def named(sql: str, own: ValueType, other: ValueType) -> str:
    """The SQL of a value as it is compared with a value of another type: of levels beside a text the names count."""
    if own.kind == "levels" and other.kind == "text":
        names = " ".join(f"WHEN {i} THEN {dialect.text_literal(name)}" for i, name in enumerate(own.levels, 1))
        return f"CASE {sql} {names} END"
    return sql
