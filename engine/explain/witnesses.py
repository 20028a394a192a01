"""What the queries gave, as a verdict with witnesses that say why. `docs/semantics.md`, sections 4 to 7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from .. import canonical
from ..frozen import dataclass, replace
from ..lang.dialects import duckdb as dialect
from ..lang.typed import AggregateRef, ColumnRef, aggregates_in, dated_parameters, exists_in, look_ups_in, walk
from ..model import JUDGED_ON
from ..plan import Evaluated, Plan, Query
from ..verdict import AggregateValue, PolicyVerdict, Related, Value, Witness, decide, in_force, tolerated, value_of
from .lookups import looked_up
from .reasons import Undecided, reason_of
from .wishes import distance, passes_if


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a verdict depends on besides rows: the day of `judged_on`, and the relations that are not absent."""

    judged_on: date | None
    present: frozenset[str]


def explain(evaluated: Evaluated, around: Circumstances) -> PolicyVerdict:
    """The verdict of one policy, with its witnesses."""
    checked, counts = evaluated.plan.checked, evaluated.counts
    reader = _WitnessReader(evaluated.plan, evaluated.query, around)
    allowed = tolerated(checked.allow, around.judged_on, counts.in_scope) or 0
    verdict = decide(counts, allowed, checked.policy.if_none)
    witnesses = tuple(reader.witness(raw) for raw in evaluated.witnesses)
    reason = None
    if verdict == "no_evidence":
        undecided = reader.witness(evaluated.undecided) if evaluated.undecided is not None else None
        reason = undecided.reason if undecided is not None else "nothing_in_scope"
    more = counts.in_scope - counts.passed - len(witnesses)
    return PolicyVerdict(checked, verdict, reason, counts, allowed, witnesses, more, covered=evaluated.covered)


def witness_of(plan: Plan, query: Query, raw: Mapping[str, Any], around: Circumstances) -> Witness:
    """One row of a plan's `judged` as a witness, whatever its outcome."""
    return _WitnessReader(plan, query, around).witness(raw)


class _WitnessReader:
    """Turns raw rows of a plan's `judged` into witnesses."""

    def __init__(self, plan: Plan, query: Query, around: Circumstances) -> None:
        self.plan, self.query, self.around = plan, query, around
        self.checked = checked = plan.checked
        self._dated = dated_parameters(checked.where, checked.must, checked.review_if)
        self._looks_up = bool(look_ups_in(checked.must))
        self._wishes: dict[tuple[object, ...], str | None] = {}

    def witness(self, raw: Mapping[str, Any]) -> Witness:
        columns = self.checked.relation.columns
        key = {n: value_of(raw[n], columns[n].type) for n in self.plan.key}
        shown = {n: value_of(raw[n], columns[n].type) for n in self.plan.shown}
        day = self._day({**key, **shown})
        witness = Witness(raw["_o"], key, shown, self._dated_values(day))
        if self.plan.grouped:
            witness = replace(witness, **self._group_part(raw))
        if witness.outcome == "no_evidence":
            return self._with_reason(witness, raw, day)
        if witness.outcome in ("fail", "waived"):
            truths = [raw[f"_c{i}"] for i in range(len(self.plan.conjuncts))]
            wish = self._wish(truths, day)
            far = distance(self.checked, self.plan.conjuncts, {**key, **shown}, day)
            witness = replace(witness, passes_if=wish, distance=far, waiver=raw.get("_waiver"))
        if self._looks_up:
            witness = looked_up(self.plan, self.query, raw, witness)
        if raw.get("_decision") is not None:
            # A person said so, for reasons of their own: nothing that the rule asks for would change it.
            return replace(witness, passes_if=None, distance=None, reason=None, decision=raw["_decision"])
        return witness

    def _wish(self, truths: Sequence[bool | None], day: date | None) -> str | None:
        """`passes_if`, once for rows of which the same holds."""
        same = (*truths, day)
        if same not in self._wishes:
            self._wishes[same] = passes_if(self.checked, self.plan.conjuncts, truths, day)
        return self._wishes[same]

    def _day(self, row: Mapping[str, Value]) -> date | None:
        """The day that picks dated values for this row or group; None if it is unknown or nothing is dated."""
        as_of = self.checked.policy.as_of
        day = self.around.judged_on if as_of == JUDGED_ON else row.get(as_of or "")
        return day if isinstance(day, date) else None

    def _dated_values(self, day: date | None) -> dict[str, str | None]:
        """The dated parameters that the policy reads, with the value in force as text, None if none is."""
        found: dict[str, str | None] = {}
        for name in self._dated:
            value = in_force(self.checked.parameters[name], day)
            found[name] = canonical.shown(value[0]) if value else None
        return found

    def _group_part(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        found: list[AggregateValue] = []
        if raw["_unknown"] == 0:
            found = [self._aggregate(raw, i, a) for i, a in enumerate(self.plan.aggregates)]
        return {
            "rows_in_scope": raw["_known"],
            "rows_of_unknown_scope": raw["_unknown"],
            "aggregates": tuple(found),
        }

    def _aggregate(self, raw: Mapping[str, Any], i: int, aggregate: AggregateRef) -> AggregateValue:
        if not aggregate.is_count:
            return AggregateValue(aggregate.text, value_of(raw[f"_a{i}"], aggregate.type), unit=aggregate.unit)
        low, high = raw[f"_a{i}_lo"], raw[f"_a{i}_hi"]
        if low == high:
            return AggregateValue(aggregate.text, low, unit=aggregate.unit)
        return AggregateValue(aggregate.text, low=low, high=high, unit=aggregate.unit)

    def _with_reason(self, witness: Witness, raw: Mapping[str, Any], day: date | None) -> Witness:
        def is_null(name: str, unknown_scope: bool) -> bool:
            if self.plan.grouped:
                flag = f"_{'nu' if unknown_scope else 'nk'}{self.plan.null_flags.index(name)}"
                return bool(raw[flag])
            return raw[name] is None

        review_unknown = self.checked.review_if is not None and raw["_v"] is None
        case = Undecided(raw["_w"] is None, review_unknown, is_null, day, self.around.present)
        reason, decided_by, nulls = reason_of(self.checked, case)
        witness = replace(witness, reason=reason, decided_by=decided_by, null_columns=nulls)
        if reason == "absent_relation":
            node = self.checked.review_if if decided_by == "review_if" else self.checked.must
            absent = sorted({e.relation for e in exists_in(node)} - self.around.present)
            return replace(witness, related=tuple(Related(name, 0, ()) for name in absent))
        if reason != "related_unknown":
            return witness
        return replace(witness, related=self._related(decided_by, {n: raw[n] for n in self.plan.key}))

    def _related(self, decided_by: str, key: Mapping[str, Any]) -> tuple[Related, ...]:
        """For each `exists` of the deciding expression: the rows of R that leave it open, and their null columns.

        Of an `exists` inside an aggregate, which speaks of many judged rows, nothing is said.
        """
        node = self.checked.review_if if decided_by == "review_if" else self.checked.must
        found: list[Related] = []
        of_many = {(e.start, e.end) for e in exists_in(*aggregates_in(node))}
        for exists in exists_in(node):
            condition = self.plan.lowering.unknown_rows(exists)
            if condition is None or (exists.start, exists.end) in of_many:
                continue
            names = sorted({n.name for n in walk(exists) if isinstance(n, ColumnRef) and n.side == "related"})
            nulls = [f"bool_or(r.{dialect.quote(n)} IS NULL) AS {dialect.quote(n)}" for n in names]
            table, judged = self.plan.lowering.tables[exists.relation], self._judged_row(key)
            chosen = ", ".join(["count(*) AS _n", *nulls])
            sql = f"SELECT {chosen} FROM {table} AS r, {judged} WHERE {condition}"
            row = self.query(sql, list(key.values()))[0]
            if row["_n"]:
                found.append(Related(exists.relation, row["_n"], tuple(n for n in names if row[n])))
        return tuple(found)

    def _judged_row(self, key: Mapping[str, Any]) -> str:
        """The judged row, or the group, as a table of one row; the key's values are the parameters of the query."""
        columns = self.checked.relation.columns
        cells = {n: f"CAST(${i + 1} AS {dialect.type_name(columns[n].type)})" for i, n in enumerate(key)}
        if self.plan.grouped:
            made = ", ".join(f"{cell} AS {dialect.quote(n)}" for n, cell in cells.items())
            return f"(SELECT {made}) AS g"
        same = " AND ".join(f"{dialect.quote(n)} = {cell}" for n, cell in cells.items())
        judged = self.plan.lowering.tables[self.checked.relation.name]
        return f"(SELECT * FROM {judged} WHERE {same}) AS j"
