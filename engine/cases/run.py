"""The worked examples of policies, and what the engine says of them (`docs/semantics.md`, section 9).

All cases of a pack stand in one database; a query gives the counts of all cases of a policy, and a second one the
witnesses where they are needed: of cases that expect a reason, or came out otherwise than expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import canonical
from ..checked import CheckedPolicy
from ..compile import compile_policy
from ..errors import EvaluationError, Place
from ..evaluate import Queries
from ..explain import Circumstances, explain
from ..explain.terms import rule_lines
from ..facts import table
from ..facts.values import from_yaml
from ..frozen import dataclass
from ..judging import Settings
from ..lang.dialects import duckdb as dialect
from ..lang.lower import CASE
from ..model import Case, Policy, Relation, Row
from ..plan import Evaluated, Plan
from ..verdict import PolicyVerdict, Value, decide, tolerated, value_of
from .base import CaseBase, NumberedCase, case_sets
from .facts import cases_of
from .variants import Outcomes, judge_variants

_MOST_WITNESSES = 20
_RANK = "CASE _o WHEN 'fail' THEN 0 WHEN 'no_evidence' THEN 1 WHEN 'review' THEN 2 ELSE 3 END"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case and what came of it. `number` 0 is the example alone. `differences` is empty if all was as expected.

    The verdict has witnesses if something differs, or if the case expects a reason.
    """

    policy: str
    number: int
    verdict: PolicyVerdict
    differences: tuple[str, ...]
    place: Place
    terms: tuple[str, ...] = ()
    """Of a case that differs: the parts of the rule with their values, a line each."""

    @property
    def ok(self) -> bool:
        return not self.differences


class Trial:
    """A policy and its cases, ready to be judged under any variant of the policy."""

    def __init__(self, checked: CheckedPolicy, base: CaseBase, cases: Sequence[Case] | None = None) -> None:
        self.checked, self.base = checked, base
        self.cases = base.add(checked, cases_of(checked.policy) if cases is None else cases)

    @property
    def with_rows(self) -> list[int]:
        """The numbers of the cases that expect something of single rows."""
        return [c.number for c in self.cases if c.case.expect_rows]

    def judge(self, variants: Sequence[CheckedPolicy]) -> Outcomes:
        """The outcomes of all cases under the variants."""
        if not self.cases:
            return Outcomes()
        return judge_variants(variants, self.cases, self.base, self.with_rows)

    def results(self, outcomes: Outcomes | None = None) -> list[CaseResult]:
        """What the policy itself, the first variant of the outcomes, makes of its cases."""
        outcomes = outcomes or self.judge([self.checked])
        plain = [(one, self._difference(one, outcomes)) for one in self.cases]
        detailed = _Details(self, outcomes, [one for one, found in plain if found or one.case.reason])
        return [self._result(one, found, outcomes, detailed) for one, found in plain]

    def notices(self, variant: CheckedPolicy, number: int, outcomes: Outcomes) -> bool:
        """True if some case comes out otherwise than it expects under the variant of this number."""
        return any(
            verdict_of(variant, one, outcomes, number)[0] != one.case.expect
            or row_differences(variant, one, outcomes, number)
            for one in self.cases
        )

    def _difference(self, one: NumberedCase, outcomes: Outcomes) -> list[str]:
        verdict, reason = verdict_of(self.checked, one, outcomes, 0)
        if verdict != one.case.expect:
            return [f"expected {one.case.expect}, got {verdict}" + (f" ({reason})" if reason else "")]
        return [] if verdict == "error" else row_differences(self.checked, one, outcomes, 0)

    def _result(self, one: NumberedCase, found: list[str], outcomes: Outcomes, detailed: _Details) -> CaseResult:
        verdict = detailed.verdict(one)
        if verdict is None:
            word, reason = verdict_of(self.checked, one, outcomes, 0)
            verdict = PolicyVerdict(self.checked, word, reason, outcomes.of(one.number, 0), 0)
        if verdict.verdict == one.case.expect and one.case.reason is not None:
            found = [*found, *_reason_differences(one.case, verdict)]
        elif found and verdict.verdict != one.case.expect and verdict.reason:
            found = [f"expected {one.case.expect}, got {verdict.verdict} ({verdict.reason})"]
        lines = self.terms(one) if found and verdict.verdict != "error" else ()
        return CaseResult(self.checked.policy.id, one.case.number, verdict, tuple(found), one.case.place, tuple(lines))

    def terms(self, one: NumberedCase) -> list[str]:
        """The terms of the rule with their values, for the heaviest row or group of a case; none if none is judged."""
        if not self.brings(one):
            return []
        plan = self.plan(one)
        query = Queries(self.base.base, Settings().limits)
        keys = ", ".join(dialect.quote(k) for k in plan.key)
        found = query(f"SELECT {keys} FROM ({plan.judged}) ORDER BY {_RANK}, {keys} LIMIT 1")
        return list(rule_lines(plan, found[0], query)) if found else []

    def brings(self, one: NumberedCase) -> bool:
        """Whether the judged rows, and the groups, are not absent in a case."""
        policy, present = self.checked.policy, self.checked.present(one.present)
        return all(name in present for name in (policy.relation, policy.each_of) if name)

    def plan(self, one: NumberedCase) -> Plan:
        """The plan of the policy over the facts of one case alone."""
        tables = {name: f"(SELECT * FROM {table(name)} WHERE {CASE} = {one.number})" for name in sorted(one.present)}
        return compile_policy(self.checked, tables, one.case.judged_on)


def run_cases(checked: CheckedPolicy) -> list[CaseResult]:
    """Every case of a policy, and the example alone where it stands for itself."""
    with CaseBase(checked.relations) as base:
        return Trial(checked, base).results()


def verdict_of(checked: CheckedPolicy, one: NumberedCase, outcomes: Outcomes, variant: int) -> tuple[str, str | None]:
    """The verdict of a case under a variant, and its reason if that follows from no single row."""
    policy: Policy = checked.policy
    present = checked.present(one.present)
    if any(name not in present for name in (policy.relation, policy.each_of) if name):
        return "no_evidence", "absent_relation"
    if (one.number, variant) in outcomes.broken:
        return "error", "view_key"
    if (one.number, variant) in outcomes.strays:
        return "error", "key_not_in_each_of"
    counts = outcomes.of(one.number, variant)
    allowed = tolerated(checked.allow, one.case.judged_on, counts.in_scope)
    if allowed is None:
        return "no_evidence", "no_value_in_force"
    verdict = decide(counts, allowed, policy.if_none)
    return verdict, "nothing_in_scope" if counts.in_scope == 0 else None


def row_differences(checked: CheckedPolicy, one: NumberedCase, outcomes: Outcomes, variant: int) -> list[str]:
    """What `expect_rows` of a case expects of single rows or groups, and is not so."""
    columns = checked.relation.columns
    counted = [
        ({n: value_of(v, columns[n].type) for n, v in key.items()}, outcome)
        for key, outcome in outcomes.rows.get((one.number, variant), [])
    ]
    found = []
    for expected in one.case.expect_rows:
        key = _key_of(checked.relation, expected.key)
        got = {o for k, o in counted if all(k.get(n) == v for n, v in key.items())} or {"not_applicable"}
        if got != {expected.outcome}:
            shown = ", ".join(f"{n} {canonical.shown(v)}" for n, v in key.items())
            found.append(f"{shown}: expected {expected.outcome}, got {', '.join(sorted(got))}")
    return found


def _reason_differences(case: Case, verdict: PolicyVerdict) -> list[str]:
    reasons = {verdict.reason, *(w.reason for w in verdict.witnesses)} - {None}
    if case.reason in reasons:
        return []
    got = ", ".join(sorted(r for r in reasons if r)) or "none"
    return [f"expected the reason {case.reason}, got {got}"]


def _key_of(relation: Relation, row: Row) -> Mapping[str, Value]:
    """The key's values in the terms in which evaluation gives them."""
    columns = relation.columns
    return {n: value_of(from_yaml(cell.text, cell.quoted, columns[n]), columns[n].type) for n, cell in row.items()}


class _Details:
    """Verdicts with witnesses, of the cases where somebody will read them; one query for all of them."""

    def __init__(self, trial: Trial, outcomes: Outcomes, wanted: Sequence[NumberedCase]) -> None:
        self.trial, self.outcomes = trial, outcomes
        self.query = Queries(trial.base.base, Settings().limits)
        self.rows: dict[int, list[dict[str, Any]]] = {}
        self.numbers = {c.number for c in wanted}
        if wanted and any(trial.brings(one) for one in trial.cases):
            self._read(wanted)

    def _read(self, wanted: Sequence[NumberedCase]) -> None:
        trial = self.trial
        plan = compile_policy(trial.checked, trial.base.tables(trial.cases), None, case_sets(trial.cases))
        keys = ", ".join(f"{dialect.quote(k)} ASC NULLS FIRST" for k in plan.key)
        chosen = ", ".join(str(c.number) for c in wanted)
        sql = (
            f"SELECT * FROM ({plan.judged}) WHERE _o <> 'pass' AND {CASE} IN ({chosen}) "
            f"QUALIFY row_number() OVER (PARTITION BY {CASE}, _o ORDER BY {keys}) <= {_MOST_WITNESSES} "
            f"ORDER BY {CASE}, {_RANK}, {keys}"
        )
        for row in self.query(sql):
            self.rows.setdefault(row[CASE], []).append(row)

    def verdict(self, one: NumberedCase) -> PolicyVerdict | None:
        """The verdict of a case with its witnesses; None if nobody asked for it, or the counts say it all."""
        if one.number not in self.numbers:
            return None
        word, reason = verdict_of(self.trial.checked, one, self.outcomes, 0)
        counts = self.outcomes.of(one.number, 0)
        if reason is not None and not (reason == "nothing_in_scope" and word != "error"):
            note = _NOTES.get(reason)
            return PolicyVerdict(self.trial.checked, word, reason, counts, 0, notes=(note,) if note else ())
        rows = self.rows.get(one.number, [])
        undecided = next((row for row in rows if row["_o"] == "no_evidence"), None)
        evaluated = Evaluated(self.trial.plan(one), counts, rows[:_MOST_WITNESSES], undecided, self.query)
        try:
            return explain(evaluated, Circumstances(one.case.judged_on, self.trial.checked.present(one.present)))
        except EvaluationError as error:
            return PolicyVerdict(self.trial.checked, "error", error.problems[0].code.replace("-", "_"), counts, 0)


_NOTES = {
    "view_key": "a view that the policy reads has a null or repeated key",
    "absent_relation": "the facts bring no such relation: nobody looked",
    "key_not_in_each_of": "a row has a key that `each_of` does not have",
}
