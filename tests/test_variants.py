"""Many variants of policies over many sets of facts at once give what one policy over one set of facts gives."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.cases.base import CaseBase
from engine.cases.run import Trial, verdict_of
from engine.check import check_policy
from engine.checked import CheckedPolicy
from engine.errors import Place
from engine.facts import FactBase, from_rows
from engine.facts.values import FloatText, IntText, from_json
from engine.judging import Settings, judge_policy
from engine.load import load_packs
from engine.model import Case, Relation
from engine.mutate.run import mutants
from tests.second import write
from tests.second.generate import seeded_pack
from tests.second.kept import Kept, keep

Rows = list[dict[str, object]]
SEEDS = 16


def read(text: str, relations: Mapping[str, Relation]) -> dict[str, Rows]:
    tree: dict[str, list[dict[str, Any]]] = json.loads(text, parse_int=IntText, parse_float=FloatText)
    return {
        name: [{c: from_json(v, relations[name].columns[c]) for c, v in row.items()} for row in rows]
        for name, rows in tree.items()
    }


def some_of(facts: Mapping[str, Rows], chance: random.Random) -> dict[str, Rows]:
    """A part of the facts: relations that are left out, emptied, or have some of their rows."""
    found = {}
    for name, rows in facts.items():
        kind = chance.random()
        if kind > 0.15:
            found[name] = [] if kind < 0.25 else [row for row in rows if chance.random() < 0.7]
    return found


def facts_case(day: date | None) -> Case:
    return Case(0, {}, None, {}, "pass", Place("", 1, 1), judged_on=day)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_cases_side_by_side_give_what_each_gives_alone(seed: int, tmp_path: Path) -> None:
    pack = seeded_pack(seed)
    keep(Kept(pack.files, pack.facts, pack.as_of), tmp_path)
    loaded = load_packs(tmp_path).packs["p"]
    chance = random.Random(seed)
    facts = read(write.facts_json(pack.types, pack.facts), loaded.relations)
    sets = [facts, {}, *(some_of(facts, chance) for _ in range(2))]
    every = [check_policy(policy, loaded)[0] for policy in loaded.policies.values()]
    checked = [one for one in every if one is not None][:6]
    assert checked
    with ExitStack() as stack:
        alone = [stack.enter_context(from_rows(one, loaded.relations)) for one in sets]
        base = stack.enter_context(CaseBase(loaded.relations))
        trials = [Trial(one, base, []) for one in checked]
        for trial in trials:
            trial.cases = [base.add_facts(facts_case(pack.as_of), one) for one in sets]
        for trial in trials:
            tried = mutants(trial.checked, loaded)
            variants = [trial.checked, *(m.checked for m in chance.sample(tried, min(2, len(tried))))]
            compare(trial, variants, alone, pack.as_of)


def compare(trial: Trial, variants: list[CheckedPolicy], alone: list[FactBase], day: date | None) -> None:
    outcomes = trial.judge(variants)
    for number, variant in enumerate(variants):
        for one, facts in zip(trial.cases, alone, strict=True):
            expected = judge_policy(variant, facts, Settings(judged_on=day, witnesses=0))
            if expected.reason == "judged_on_missing":
                continue  # `check` sees to it that a case says its day
            verdict, _ = verdict_of(variant, one, outcomes, number)
            assert verdict == expected.verdict, (variant.policy.file, number, expected)
            if verdict != "error" and expected.reason not in ("absent_relation", "no_value_in_force"):
                assert outcomes.of(one.number, number) == expected.counts, (variant.policy.file, number)
