"""`fiel test`: the cases of policies are run, then their mutants; what is missing among the cases is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .cases.base import CaseBase
from .cases.run import CaseResult, Trial
from .checked import CheckedPolicy
from .checkup import check_paths
from .errors import PolicyError
from .frozen import dataclass, replace
from .load import shown_path
from .model import JUDGED_ON, Case, CaseRow, Pack, Policy
from .mutate import Attack, attack, mutants

_NO_EVIDENCE_LACKS = "no case is without evidence"


@dataclass(frozen=True, slots=True)
class PolicyTest:
    """What came of the cases of one policy, the kinds of case that it lacks, and of its mutants.

    `attack` is None where the mutants were not tried: they were not asked for, or the cases are not in order.
    """

    policy: Policy
    results: tuple[CaseResult, ...]
    lacks: tuple[str, ...]
    attack: Attack | None = None
    nothing: Case | None = None
    """Where no case is without evidence, and no other kind is missing: that of no rows, with what the policy says."""

    @property
    def cases_ok(self) -> bool:
        return bool(self.results) and all(r.ok for r in self.results) and not self.lacks

    @property
    def numbered(self) -> int:
        """How many cases it has. The example is none of them, though it is judged where it stands for itself."""
        return sum(1 for r in self.results if r.number)

    @property
    def with_example(self) -> bool:
        return any(r.number == 0 for r in self.results)

    @property
    def ok(self) -> bool:
        return self.cases_ok and (self.attack is None or self.attack.ok)


def run_tests(paths: Sequence[Path], with_mutants: bool = True) -> list[PolicyTest]:
    """Tests all policies at these paths, sorted by policy.

    Raises PolicyError if any of them has a problem, before anything is run; UsageError where there is no policy.
    """
    found = check_paths(paths, None)
    errors = [p for p in found.problems if p.is_error]
    if errors:
        raise PolicyError(errors)
    done: dict[tuple[str, str], PolicyTest] = {}
    for path, packs in found.loaded:
        for pack in packs.values():
            named = [p for p in pack.policies.values() if path.is_file() and p.file == shown_path(path)]
            for one in _test_pack(pack, named or list(pack.policies.values()), found.checked, with_mutants):
                done[one.policy.id, one.policy.file] = one
    return [done[key] for key in sorted(done)]


def _test_pack(
    pack: Pack, policies: Sequence[Policy], every: Mapping[str, CheckedPolicy], with_mutants: bool
) -> Iterator[PolicyTest]:
    """All policies of a pack, with the facts of all their cases in one database. `every`: the checked ones, by file."""
    checked = {p.id: every.get(p.file) for p in policies}
    with CaseBase(pack.readable) as base:
        trials = {i: Trial(one, base) for i, one in checked.items() if one is not None}
        for policy in policies:
            trial = trials.get(policy.id)
            lacks = tuple(lacking(policy, checked[policy.id]))
            if trial is None:
                yield PolicyTest(policy, (), lacks)
                continue
            tried = mutants(trial.checked, pack) if with_mutants else []
            outcomes = trial.judge([trial.checked, *(m.checked for m in tried)])
            one = PolicyTest(policy, tuple(trial.results(outcomes)), lacks)
            one = replace(one, nothing=_case_of_nothing(trial, base, one))
            if with_mutants and one.cases_ok:
                one = PolicyTest(policy, one.results, lacks, attack(trial, tried, outcomes))
            yield one


def _case_of_nothing(trial: Trial, base: CaseBase, one: PolicyTest) -> Case | None:
    """The case that a policy lacks whose only fault is that no case is without evidence: no rows, as it comes out.

    With `each_of` no rows are empty groups, which are judged: there the relation is absent, which is undecided.
    """
    policy = trial.checked.policy
    if policy.relation in trial.checked.views:
        return None
    lacks_it = len(one.lacks) == 1 and one.lacks[0].startswith(_NO_EVIDENCE_LACKS)
    if not lacks_it or not policy.cases or not all(result.ok for result in one.results):
        return None
    rows: tuple[CaseRow, ...] | str = "absent" if policy.each_of else ()
    day = next((c.judged_on for c in policy.cases if c.judged_on is not None), None)
    first = policy.cases[0]
    # The rows of a reference are never absent from a case: where the example brings none, each case does.
    facts = {n: r for n, r in first.facts.items() if n in trial.checked.references and n not in policy.example_facts}
    case = Case(len(policy.cases) + 1, {}, rows, facts, "no_evidence", first.place, judged_on=day)
    (result,) = Trial(trial.checked, base, [case]).results()
    verdict = result.verdict.verdict
    return replace(case, expect=verdict) if verdict in ("no_evidence", "not_applicable") else None


def lacking(policy: Policy, checked: CheckedPolicy | None) -> Iterator[str]:
    """The kinds of case that a policy needs and does not have, in words that say what to add."""
    stands_alone = policy.example is not None and not policy.per and policy.as_of != JUDGED_ON
    if not stands_alone and not any(c.expect == "pass" for c in policy.cases):
        yield "no case passes"
    if not any(c.expect == "fail" for c in policy.cases):
        yield "no case fails"
    if not any(_without_evidence(c) for c in policy.cases):
        nullable = checked is None or any(not c.required for c in checked.relation.columns.values())
        if checked is not None and policy.relation in checked.views:
            below = checked.views[policy.relation].reads[0]
            yield f"{_NO_EVIDENCE_LACKS}: add `facts: {{{below}: absent}}`"
            return
        yield f"{_NO_EVIDENCE_LACKS}: add `rows: []`, `rows: absent`{' or a null' if nullable else ''}"


def _without_evidence(case: Case) -> bool:
    cells = [
        *case.cells.values(),
        *(c for row in case.rows or () if not isinstance(row, str) for c in row.cells.values()),
    ]
    return case.rows in ((), "absent") or case.expect == "no_evidence" or any(c.text is None for c in cells)
