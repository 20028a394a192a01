"""The worked examples of a policy: their facts, and what the engine says of them (`docs/semantics.md`, section 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ..checked import CheckedPolicy
from ..errors import Place
from ..facts import FactBase, from_rows
from ..facts.values import from_yaml
from ..judging import Settings, judge_policy, outcomes
from ..model import JUDGED_ON, Case, CaseRow, Policy, Relation, Row
from ..verdict import PolicyVerdict, Value, value_of

Rows = list[dict[str, object]]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case and what came of it. `number` 0 is the example alone. `differences` is empty if all was as expected."""

    policy: str
    number: int
    verdict: PolicyVerdict
    differences: tuple[str, ...]
    place: Place

    @property
    def ok(self) -> bool:
        return not self.differences


def run_cases(checked: CheckedPolicy) -> list[CaseResult]:
    """Every case of a policy, and the example alone where it stands for itself."""
    policy = checked.policy
    results = []
    if policy.example is not None and not policy.per and policy.as_of != JUDGED_ON:
        results.append(_run(checked, _example_case(policy)))
    return results + [_run(checked, case) for case in policy.cases]


def _example_case(policy: Policy) -> Case:
    place = policy.places.get("example", Place(policy.file, 1, 1))
    return Case(0, {}, None, {}, "pass", place)


def facts_of(checked: CheckedPolicy, case: Case) -> dict[str, Rows]:
    """The rows of each relation of a case, typed; a relation that is not here is absent."""
    policy, relations = checked.policy, checked.relations
    found: dict[str, Rows] = {
        name: _rows(relations[name], rows, {}) for name, rows in policy.example_facts.items() if name != policy.relation
    }
    example: Row = policy.example.cells if policy.example is not None else {}
    if case.rows is None:
        found[policy.relation] = _rows(checked.relation, (CaseRow({**example, **case.cells}),), {})
    elif not isinstance(case.rows, str):
        found[policy.relation] = _rows(checked.relation, case.rows, {**example, **case.cells})
    for name, rows in case.facts.items():
        found.pop(name, None)
        if not isinstance(rows, str):
            found[name] = _rows(relations[name], rows, {})
    return found


def _rows(relation: Relation, rows: Sequence[CaseRow], over: Row) -> Rows:
    made: Rows = []
    for row in rows:
        cells = {**over, **row.cells}
        typed = {name: from_yaml(cell.text, cell.quoted, relation.columns[name]) for name, cell in cells.items()}
        made += [dict(typed) for _ in range(row.repeat)]
    return made


def _run(checked: CheckedPolicy, case: Case) -> CaseResult:
    settings = Settings(judged_on=case.judged_on, witnesses=20)
    with from_rows(facts_of(checked, case), checked.relations) as base:
        verdict = judge_policy(checked, base, settings)
        differences = [*_verdict_differences(case, verdict)]
        if case.expect_rows and verdict.verdict != "error":
            differences += _row_differences(checked, case, base, settings)
    return CaseResult(checked.policy.id, case.number, verdict, tuple(differences), case.place)


def _verdict_differences(case: Case, verdict: PolicyVerdict) -> list[str]:
    found = []
    if verdict.verdict != case.expect:
        why = f" ({verdict.reason})" if verdict.reason else ""
        found.append(f"expected {case.expect}, got {verdict.verdict}{why}")
    elif case.reason is not None:
        reasons = {verdict.reason, *(w.reason for w in verdict.witnesses)} - {None}
        if case.reason not in reasons:
            got = ", ".join(sorted(r for r in reasons if r)) or "none"
            found.append(f"expected the reason {case.reason}, got {got}")
    return found


def _row_differences(checked: CheckedPolicy, case: Case, base: FactBase, settings: Settings) -> list[str]:
    counted = outcomes(checked, base, settings)
    found = []
    for expected in case.expect_rows:
        key = _key_of(checked.relation, expected.key)
        got = {o for k, o in counted if all(k.get(n) == v for n, v in key.items())} or {"not_applicable"}
        if got != {expected.outcome}:
            shown = ", ".join(f"{n} {v}" for n, v in key.items())
            found.append(f"{shown}: expected {expected.outcome}, got {', '.join(sorted(got))}")
    return found


def _key_of(relation: Relation, row: Row) -> Mapping[str, Value]:
    """The key's values in the terms in which evaluation gives them."""
    made: dict[str, Value] = {}
    for name, cell in row.items():
        column = relation.columns[name]
        value = from_yaml(cell.text, cell.quoted, column)
        if column.type.kind == "date" and isinstance(value, str):
            value = date.fromisoformat(value)
        made[name] = value_of(value, column.type) if column.type.kind in ("levels", "decimal", "float") else value
    return made
