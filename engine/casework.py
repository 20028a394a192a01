"""`fiel test`: the cases of policies are run, and what is missing among them is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .cases import CaseResult, run_cases
from .check import check_policy
from .checkup import check_paths
from .errors import PolicyError
from .load import load_packs, shown_path
from .model import JUDGED_ON, Case, Policy
from .render.problems import visible
from .render.text import witness_lines


@dataclass(frozen=True, slots=True)
class PolicyCases:
    """The cases of one policy that were run, and the kinds of case that it lacks."""

    policy: Policy
    results: tuple[CaseResult, ...]
    lacks: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return bool(self.results) and all(r.ok for r in self.results) and not self.lacks


def run_paths(paths: Sequence[Path]) -> list[PolicyCases]:
    """Runs the cases of all policies at these paths, sorted by policy.

    Raises PolicyError if any of them has a problem, before anything is run; UsageError where there is no policy.
    """
    errors = [p for p in check_paths(paths, None).problems if p.is_error]
    if errors:
        raise PolicyError(errors)
    done: dict[tuple[str, str], PolicyCases] = {}
    for path in paths:
        for pack in load_packs(path).packs.values():
            named = [p for p in pack.policies.values() if path.is_file() and p.file == shown_path(path)]
            for policy in named or pack.policies.values():
                checked, _ = check_policy(policy, pack) if policy.must is not None else (None, [])
                results = tuple(run_cases(checked)) if checked is not None else ()
                done[policy.id, policy.file] = PolicyCases(policy, results, tuple(_lacks(policy)))
    return [done[key] for key in sorted(done)]


def _lacks(policy: Policy) -> Iterator[str]:
    stands_alone = policy.example is not None and not policy.per and policy.as_of != JUDGED_ON
    if not stands_alone and not any(c.expect == "pass" for c in policy.cases):
        yield "no case passes"
    if not any(c.expect == "fail" for c in policy.cases):
        yield "no case fails"
    if not any(_without_evidence(c) for c in policy.cases):
        yield "no case is without evidence: add `rows: []`, `rows: absent` or a null"


def _without_evidence(case: Case) -> bool:
    cells = [
        *case.cells.values(),
        *(c for row in case.rows or () if not isinstance(row, str) for c in row.cells.values()),
    ]
    return case.rows in ((), "absent") or case.expect == "no_evidence" or any(c.text is None for c in cells)


def cases_text(done: Sequence[PolicyCases]) -> str:
    """The report, with a line feed at the end."""
    lines: list[str] = []
    for one in done:
        lines += _policy(one)
    cases = sum(len(one.results) for one in done)
    wrong = sum(1 for one in done for r in one.results if not r.ok)
    lacking = sum(1 for one in done if one.lacks)
    policies = f"{len(done)} {'policy' if len(done) == 1 else 'policies'}"
    lack = f"{lacking} without a kind of case that a policy needs"
    lines.append(f"{policies}, {_number(cases)}: {wrong} not as expected; {lack}")
    lines.append("mutants: not tried by this version")
    return "\n".join(lines) + "\n"


def _number(cases: int) -> str:
    return f"{cases} case{'' if cases == 1 else 's'}"


def _policy(one: PolicyCases) -> Iterator[str]:
    if one.policy.later:
        yield f"NOT YET  {one.policy.id}: uses {', '.join(f'`{key}`' for key in one.policy.later)}"
        return
    yield f"{'ok' if one.ok else 'FAIL'}  {one.policy.id}  {_number(len(one.results))}"
    for result in one.results:
        for difference in result.differences:
            what = "the example: " if result.number == 0 else ""
            yield f"      {result.place}: {what}{visible(difference)}"
            for witness in result.verdict.witnesses:
                yield from witness_lines(result.verdict, witness)
    for lack in one.lacks:
        yield f"      {visible(one.policy.file)}: {lack}"
