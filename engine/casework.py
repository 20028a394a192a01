"""`fiel test`: the cases of policies are run, then their mutants; what is missing among the cases is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .cases.base import CaseBase
from .cases.run import CaseResult, Trial
from .checked import CheckedPolicy
from .checkup import check_paths
from .errors import PolicyError
from .load import shown_path
from .model import JUDGED_ON, Case, Pack, Policy
from .mutate import Attack, attack, mutants


@dataclass(frozen=True, slots=True)
class PolicyTest:
    """What came of the cases of one policy, the kinds of case that it lacks, and of its mutants.

    `attack` is None where the mutants were not tried: they were not asked for, or the cases are not in order.
    """

    policy: Policy
    results: tuple[CaseResult, ...]
    lacks: tuple[str, ...]
    attack: Attack | None = None

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
            if with_mutants and one.cases_ok:
                one = PolicyTest(policy, one.results, lacks, attack(trial, tried, outcomes))
            yield one


def lacking(policy: Policy, checked: CheckedPolicy | None) -> Iterator[str]:
    """The kinds of case that a policy needs and does not have, in words that say what to add."""
    stands_alone = policy.example is not None and not policy.per and policy.as_of != JUDGED_ON
    if not stands_alone and not any(c.expect == "pass" for c in policy.cases):
        yield "no case passes"
    if not any(c.expect == "fail" for c in policy.cases):
        yield "no case fails"
    if not any(_without_evidence(c) for c in policy.cases):
        nullable = checked is None or any(not c.required for c in checked.relation.columns.values())
        yield f"no case is without evidence: add `rows: []`, `rows: absent`{' or a null' if nullable else ''}"


def _without_evidence(case: Case) -> bool:
    cells = [
        *case.cells.values(),
        *(c for row in case.rows or () if not isinstance(row, str) for c in row.cells.values()),
    ]
    return case.rows in ((), "absent") or case.expect == "no_evidence" or any(c.text is None for c in cells)
