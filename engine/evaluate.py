"""A plan over facts: counts, verdict and witnesses of one policy. `docs/semantics.md`, sections 4 to 7."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from . import explain
from .check import CheckedPolicy
from .compile import Plan, compile_policy
from .errors import EvaluationError, Problem
from .facts import FactBase, table
from .lang.dialects import duckdb as dialect
from .lang.typed import AggregateRef, ColumnRef, exists_in, walk
from .model import JUDGED_ON, Limits, ValueType
from .verdict import AggregateValue, Counts, PolicyVerdict, Related, Value, Witness, decide, tolerated

_NOTHING = Counts()


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate: the day of `judged_on`, how many witnesses to show, and the limits."""

    judged_on: date | None = None
    witnesses: int = 20
    limits: Limits = field(default_factory=Limits)


def evaluate(checked: CheckedPolicy, base: FactBase, settings: Settings) -> PolicyVerdict:
    """The verdict of one policy. What cannot be evaluated gives the verdict `error`, never an exception of DuckDB's."""
    early = _without_rows(checked, base, settings)
    if early is not None:
        return early
    try:
        return _judge(checked, base, settings)
    except EvaluationError as error:
        problem = error.problems[0]
        note = problem.message + (f"; {problem.help}" if problem.help else "")
        return PolicyVerdict(checked, "error", problem.code.replace("-", "_"), _NOTHING, 0, notes=(note,))


def _without_rows(checked: CheckedPolicy, base: FactBase, settings: Settings) -> PolicyVerdict | None:
    """Section 6, rule 1, and a missing `--as-of`."""
    policy = checked.policy
    if policy.as_of == JUDGED_ON and settings.judged_on is None:
        note = "the policy judges as of a given day: give --as-of YYYY-MM-DD"
        return PolicyVerdict(checked, "error", "judged_on_missing", _NOTHING, 0, notes=(note,))
    for name in filter(None, (policy.relation, policy.each_of)):
        if name not in base.present:
            note = f"the facts bring no {name}: nobody looked"
            return PolicyVerdict(checked, "no_evidence", "absent_relation", _NOTHING, 0, notes=(note,))
    allow = checked.parameters[policy.allow] if policy.allow else None
    if tolerated(allow, settings.judged_on, 0) is None:
        note = f"`{policy.allow}` has no value in force on {settings.judged_on}"
        return PolicyVerdict(checked, "no_evidence", "no_value_in_force", _NOTHING, 0, notes=(note,))
    return None


def _judge(checked: CheckedPolicy, base: FactBase, settings: Settings) -> PolicyVerdict:
    run = _Runner(base, settings.limits)
    plan = compile_policy(checked, {name: table(name) for name in base.present}, settings.judged_on)
    _refuse_strays(plan, run)
    counts = _counts(run.rows(plan.counts))
    allow = checked.parameters[checked.policy.allow] if checked.policy.allow else None
    allowed = tolerated(allow, settings.judged_on, counts.in_scope) or 0
    verdict = decide(counts, allowed, checked.policy.if_none)
    reader = _WitnessReader(plan, base, settings, run)
    witnesses = reader.first(settings.witnesses) if counts.in_scope > counts.passed else ()
    reason = None
    if counts.in_scope == 0:
        reason = "nothing_in_scope" if verdict == "no_evidence" else None
    elif verdict == "no_evidence":
        first = next((w for w in witnesses if w.outcome == "no_evidence"), None) or reader.first_without_evidence()
        reason = first.reason
    more = counts.in_scope - counts.passed - len(witnesses)
    return PolicyVerdict(checked, verdict, reason, counts, allowed, witnesses, more)


def _refuse_strays(plan: Plan, run: _Runner) -> None:
    if plan.strays is None:
        return
    found = run.rows(plan.strays)
    if found:
        columns = plan.checked.relation.columns
        key = ", ".join(f"{n} {value_of(v, columns[n].type)}" for n, v in zip(plan.key, found[0], strict=True))
        each_of = plan.checked.policy.each_of
        message = f"a row of {plan.checked.relation.name} has the key {key}, which {each_of} does not have"
        raise EvaluationError(Problem("key-not-in-each-of", message, help=f"add the row to {each_of}"))


def _counts(rows: Sequence[tuple[Any, ...]]) -> Counts:
    by = {outcome: number for outcome, number, _ in rows}
    certain = sum(k for _, _, k in rows)
    return Counts(by.get("pass", 0), by.get("fail", 0), by.get("review", 0), by.get("no_evidence", 0), certain)


def value_of(raw: Any, t: ValueType) -> Value:
    """A value as DuckDB gives it, in the terms of the relation: levels by name, no negative zero."""
    if raw is None:
        return None
    if t.kind == "levels":
        return t.levels[int(raw) - 1]
    if t.kind == "float":
        return float(raw) + 0.0
    if t.kind == "decimal" and not isinstance(raw, Decimal):
        return Decimal(raw)
    return raw


class _Runner:
    """Runs queries within the limits and turns the engine's errors into ours."""

    def __init__(self, base: FactBase, limits: Limits) -> None:
        self.base = base
        self.names: list[str] = []
        self.limits = limits

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        import duckdb

        with self._timer() as timed_out:
            try:
                result = self.base.select(sql, list(parameters))
                self.names = [d[0] for d in result.description or ()]
                return list(result.fetchall())
            except duckdb.InterruptException:
                if not timed_out.is_set():
                    raise KeyboardInterrupt from None
                message = f"a query took longer than {self.limits.seconds} s (limit `seconds`)"
                raise EvaluationError(_failed(message, "raise it with `--limit seconds=N`")) from None
            except duckdb.OutOfMemoryException:
                message = f"the query needs more than {self.limits.memory_mb} MB (limit `memory_mb`)"
                raise EvaluationError(_failed(message, "raise it with `--limit memory_mb=N`")) from None
            except duckdb.Error as error:
                first = str(error).strip().split("\n")[0]
                raise EvaluationError(_failed(f"the database refused: {first}", None)) from None

    @contextmanager
    def _timer(self) -> Iterator[threading.Event]:
        fired = threading.Event()
        if self.limits.seconds <= 0:
            yield fired
            return

        def stop() -> None:
            fired.set()
            self.base.connection.interrupt()

        timer = threading.Timer(self.limits.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield fired
        finally:
            timer.cancel()


def _failed(message: str, help: str | None) -> Problem:
    return Problem("evaluation-failed", message, help=help)


class _WitnessReader:
    """Fetches witnesses and says of each why."""

    def __init__(self, plan: Plan, base: FactBase, settings: Settings, run: _Runner) -> None:
        self.plan, self.base, self.settings, self.run = plan, base, settings, run
        self.checked = plan.checked
        self.has_review = self.checked.review_if is not None

    def first(self, limit: int) -> tuple[Witness, ...]:
        if limit <= 0:
            return ()
        return tuple(self._witness(row) for row in self._fetch(self.plan.witnesses(limit)))

    def first_without_evidence(self) -> Witness:
        return self._witness(self._fetch(self.plan.witnesses(1, "no_evidence"))[0])

    def _fetch(self, sql: str) -> list[dict[str, Any]]:
        rows = self.run.rows(sql)
        return [dict(zip(self.run.names, row, strict=True)) for row in rows]

    def _witness(self, raw: Mapping[str, Any]) -> Witness:
        columns = self.checked.relation.columns
        key = {n: value_of(raw[n], columns[n].type) for n in self.plan.key}
        shown = {n: value_of(raw[n], columns[n].type) for n in self.plan.shown}
        day = explain.day_of(self.checked, {**key, **shown}, self.settings.judged_on)
        witness = Witness(raw["_o"], key, shown, explain.dated_values(self.checked, day))
        if self.plan.grouped:
            witness = replace(witness, **self._group_part(raw))
        if witness.outcome == "no_evidence":
            return self._with_reason(witness, raw, day)
        if witness.outcome == "fail":
            truths = [raw[f"_c{i}"] for i in range(len(self.plan.conjuncts))]
            return replace(witness, passes_if=explain.passes_if(self.checked, self.plan.conjuncts, truths, day))
        return witness

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

        review_unknown = self.has_review and raw["_v"] is None
        case = explain.Undecided(raw["_w"] is None, review_unknown, is_null, day, self.base.present)
        reason, decided_by, nulls = explain.reason_of(self.checked, case)
        witness = replace(witness, reason=reason, decided_by=decided_by, null_columns=nulls)
        if reason != "related_unknown":
            return witness
        return replace(witness, related=self._related(decided_by, {n: raw[n] for n in self.plan.key}))

    def _related(self, decided_by: str, key: Mapping[str, Any]) -> tuple[Related, ...]:
        """For each `exists` of the deciding expression: the rows of R that leave it open, and their null columns.

        An `exists` inside an aggregate speaks of many judged rows; there only the relation is named elsewhere.
        """
        node = self.checked.review_if if decided_by == "review_if" else self.checked.must
        found: list[Related] = []
        for exists in exists_in(node):
            sides = {n.side for n in walk(exists) if isinstance(n, ColumnRef)}
            condition = self.plan.lowering.unknown_rows(exists)
            if condition is None or (self.plan.grouped and "row" in sides):
                continue
            names = sorted({n.name for n in walk(exists) if isinstance(n, ColumnRef) and n.side == "related"})
            nulls = ", ".join(f"bool_or(r.{dialect.quote(n)} IS NULL)" for n in names) or "FALSE"
            source, values = self._judged_row(key)
            sql = f"SELECT count(*), {nulls} FROM {table(exists.relation)} AS r, {source} WHERE {condition}"
            count, *flags = self.run.rows(sql, values)[0]
            if count:
                null_names = tuple(n for n, flag in zip(names, flags, strict=False) if flag)
                found.append(Related(exists.relation, count, null_names))
        return tuple(found)

    def _judged_row(self, key: Mapping[str, Any]) -> tuple[str, list[object]]:
        """The judged row, or the group, as a table of one row, with the values of its parameters."""
        columns = self.checked.relation.columns
        if self.plan.grouped:
            cells = [
                f"CAST(${i + 1} AS {dialect.type_name(columns[n].type)}) AS {dialect.quote(n)}"
                for i, n in enumerate(key)
            ]
            return f"(SELECT {', '.join(cells)}) AS g", list(key.values())
        same = " AND ".join(
            f"{dialect.quote(n)} = CAST(${i + 1} AS {dialect.type_name(columns[n].type)})" for i, n in enumerate(key)
        )
        judged = table(self.checked.relation.name)
        return f"(SELECT * FROM {judged} WHERE {same}) AS j", list(key.values())


def outcomes(checked: CheckedPolicy, base: FactBase, settings: Settings) -> list[tuple[dict[str, Value], str]]:
    """The key and outcome of every counted row or group, for the cases of a policy. Raises EvaluationError."""
    plan = compile_policy(checked, {name: table(name) for name in base.present}, settings.judged_on)
    keys = ", ".join(dialect.quote(k) for k in plan.key)
    rows = _Runner(base, settings.limits).rows(f"SELECT {keys}, _o FROM ({plan.judged})")
    columns = checked.relation.columns
    return [
        ({n: value_of(v, columns[n].type) for n, v in zip(plan.key, row[:-1], strict=True)}, row[-1]) for row in rows
    ]
