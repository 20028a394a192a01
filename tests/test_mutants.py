"""Policies are attacked: each mutant is killed, or a case that would kill it is printed, or it is proved the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cases.base import CaseBase
from engine.cases.run import Trial
from engine.mutate.change import Subject, mutants_of
from engine.mutate.grammar import GRAMMAR
from engine.mutate.mistakes import MISTAKES
from engine.mutate.proofs import same_meaning
from engine.mutate.run import mutants
from engine.mutate.solve import killers
from engine.suggestions import write_suggestions

from . import packs
from .mutant_rules import CONVENTION, EXAMPLE, RELATIONS, RULES, attacked, loaded, written

"""One rule for each form of the language that a mutant changes. Their cases say as little as can be."""


@pytest.mark.parametrize("name", RULES)
def test_a_pasted_case_kills_the_mutant_for_which_it_was_printed(name: str, tmp_path: Path) -> None:
    root = written(tmp_path, name)
    before = attacked(root)
    assert before.attack is not None
    solved = {s.mutant.name for s in before.attack.survivors if s.killer is not None}
    assert solved
    write_suggestions([before])
    after = attacked(root)
    assert after.attack is not None
    left = {s.mutant.name for s in after.attack.survivors}
    assert left == {s.mutant.name for s in before.attack.survivors} - solved
    assert after.attack.killed == before.attack.killed + len(solved)


def test_for_every_operator_a_case_is_found_that_kills_it(tmp_path: Path) -> None:
    """Each mutant is taken for a survivor, whatever the cases say; what is found for it is run as the only case."""
    solved: set[str] = set()
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        tried = mutants(checked, pack)
        found = killers(checked, checked.policy.cases, tried)
        lines = {k.line: k.case for k in found.values()}
        with CaseBase(checked.relations) as base:
            trials = {line: Trial(checked, base, [case]) for line, case in lines.items()}
            for line, trial in trials.items():
                noticed = [m for m in tried if m.name in found and found[m.name].line == line]
                outcomes = trial.judge([checked, *(m.checked for m in noticed)])
                assert not trial.notices(checked, 0, outcomes), line
                for number, mutant in enumerate(noticed, 1):
                    assert trial.notices(mutant.checked, number, outcomes), line
                    solved.add(mutant.operator)
    assert solved == {*GRAMMAR, *MISTAKES}


@pytest.mark.parametrize("name", RULES)
def test_a_mutant_is_solved_or_proved_the_same_or_one_of_those_that_are_known(name: str, tmp_path: Path) -> None:
    checked, pack = loaded(written(tmp_path, name), name)
    tried = mutants(checked, pack)
    found = killers(checked, checked.policy.cases, tried)
    left = [m.name for m in tried if m.name not in found and not same_meaning(checked, m.checked)]
    assert left == UNSOLVED.get(name, [])


# Mutants that mean the same for a reason that the proof does not see: what follows from whole numbers, from `where`
# holding, and from a null that leaves another part open.
UNSOLVED: dict[str, list[str]] = {
    "logic": ["rule-as-scope: `sure or (ok and not sure)` of `must` stands in `where`"],
    "sums": [
        "off-by-one: `low` 2 becomes 1",
        "off-by-one: `twice` 2 becomes 3",
        "wrong-unit: `low` 2 becomes 0.002",
    ],
    "texts": ["null-as-value: a null of `name` is taken for '' (2)"],
    "grouped": ["null-as-value: a null of `ok` is taken for true"],
}


def test_every_operator_makes_mutants(tmp_path: Path) -> None:
    made: set[str] = set()
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        for operators in (GRAMMAR, MISTAKES):
            made |= {m.operator for m in mutants_of(Subject(checked.policy, pack, checked), operators)}
    assert made == {*GRAMMAR, *MISTAKES}


def test_no_two_mutants_of_a_policy_bear_one_name(tmp_path: Path) -> None:
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        names = [m.name for m in mutants(checked, pack)]
        assert len(names) == len(set(names))


def test_a_row_of_unknown_scope_does_not_show_what_is_out_of_scope(tmp_path: Path) -> None:
    """Without `where` that row passes or fails, so it kills the first mutant of `scope`, and not the second."""
    root = written(tmp_path, "closed", "  - {kind: null, expect: no_evidence}\n")
    one = attacked(root)
    assert one.attack is not None
    scope = {s.mutant.name: s.killer is not None for s in one.attack.survivors if s.mutant.operator == "scope"}
    assert scope == {"scope: what is out of scope is judged": True}


def test_a_null_that_one_place_misses_and_another_sees_is_missed_everywhere(tmp_path: Path) -> None:
    """With two limits a null that one takes for 0 is seen by the other; a mutant in which none sees it is tried."""
    rule = (
        f"must: words <= top and words >= low\nparams: {{top: {{value: 4, unit: word, {CONVENTION}}}, "
        f"low: {{value: 0, unit: word, {CONVENTION}}}}}\n"
    )
    cases = "".join(
        f"  - {{words: {n}, expect: {e}}}\n" for n, e in ((4, "pass"), (5, "fail"), (0, "pass"), (-1, "fail"))
    )
    text = f"policy: t.rule\ntitle: T\nfor: item\n{rule}cannot_see: x\nexample: {EXAMPLE}\ncases:\n{cases}"
    silent = "  - {rows: absent, expect: no_evidence}\n"
    root = packs.write(tmp_path, {"rule": text + silent}, RELATIONS)
    everywhere = "null-as-value: nulls are taken for values everywhere: words as 0"
    one = attacked(root)
    assert one.attack is not None
    assert {s.mutant.name: s.killer is not None for s in one.attack.survivors}.get(everywhere) is True
    write_suggestions([one])
    assert attacked(root).ok


def test_a_group_keeps_its_columns_when_nulls_are_taken_for_values(tmp_path: Path) -> None:
    checked, pack = loaded(written(tmp_path, "grouped"), "grouped")
    names = [m.name for m in mutants(checked, pack) if "everywhere" in m.name]
    start = "null-as-value: nulls are taken for values everywhere"
    assert names == [f"{start}: ok as {truth}, words as 0" for truth in ("false", "true")]


@pytest.mark.parametrize("op", ["=", "<=", ">=", "<", ">"])
def test_the_day_of_an_instant_is_tried_from_its_midnight_to_the_next(op: str, tmp_path: Path) -> None:
    rule = f"must: utc_day(at) {op} first\nparams: {{first: {{value: 2026-01-01, {CONVENTION}}}}}\n"
    relations = RELATIONS.replace("    late: {type: date}\n", "    late: {type: date}\n    at: {type: instant}\n")
    example = EXAMPLE.replace("{id:", "{at: 2026-01-01T12:00:00Z, id:")
    if op in ("<", ">"):
        example = example.replace("2026-01-01T12", "2025-12-30T12" if op == "<" else "2026-01-03T12")
    bad = {"=": "2026-02-01", "<=": "2026-02-01", ">=": "2025-02-01", "<": "2026-02-01", ">": "2025-02-01"}[op]
    cases = f"  - {{at: {bad}T00:00:00Z, expect: fail}}\n  - {{rows: absent, expect: no_evidence}}\n"
    text = f"policy: t.rule\ntitle: T\nfor: item\n{rule}cannot_see: x\nexample: {example}\ncases:\n{cases}"
    root = packs.write(tmp_path, {"rule": text}, relations)
    one = attacked(root)
    assert one.attack is not None
    assert [s.mutant.name for s in one.attack.survivors if s.killer is None] == []
    write_suggestions([one])
    assert attacked(root).ok
