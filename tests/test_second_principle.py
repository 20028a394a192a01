"""An outcome is given only if no value of what is missing could change it: held by trying every value.

`is null` and `coalesce` are outside the principle and left out of these policies.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.second import kept
from tests.second.campaign import Tally, judge_pack
from tests.second.compare import canonical, through_python
from tests.second.completions import DECIDED, broken_promise, completions, nulls, with_few_nulls
from tests.second.generate import Pack, seeded_pack
from tests.second.reading import read_pack

BLOCKS, IN_A_BLOCK = 8, 20


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_completion_changes_what_was_decided(block: int) -> None:
    undecided_cells = 0
    for seed in range(block * IN_A_BLOCK, (block + 1) * IN_A_BLOCK):
        pack = with_few_nulls(seeded_pack(seed, principle=True), 3 + seed % 3)
        undecided_cells += len(nulls(pack))
        for name in read_pack(pack.files)[2]:
            broken = broken_promise(pack, name)
            assert broken is None, f"seed {seed}: {broken}"
    assert undecided_cells > 2 * IN_A_BLOCK, "hardly anything was missing, so nothing was tried"


@pytest.mark.parametrize("seed", range(50_000, 50_006))
def test_no_completion_changes_what_the_engine_decided(seed: int, tmp_path: Path) -> None:
    """A sample, through the engine itself: its decided verdicts, and the rows that it shows as fail or review."""
    pack = with_few_nulls(seeded_pack(seed, principle=True), 3)
    before = _engine(pack, tmp_path)
    every = list(completions(pack))
    for completion in every[:: max(1, len(every) // 5)]:
        after = _engine(completion, tmp_path)
        for name, (verdict, outcomes) in before.items():
            now, later = after[name]
            assert verdict not in DECIDED or now == verdict, f"{name}: {verdict} became {now} with {completion.facts}"
            for key, outcome in outcomes.items():
                assert outcome == "no_evidence" or later.get(key) == outcome, f"{name}: {key} was {outcome}"


def _engine(pack: Pack, folder: Path) -> dict[str, tuple[str, dict[str, str]]]:
    """The verdict of each policy that the engine does not refuse, and the outcomes of its witnesses by key."""
    tally = Tally()
    shutil.rmtree(folder, ignore_errors=True)
    judge_pack(pack, 0, folder, tally, through_python)
    run = json.loads(through_python(folder, kept.read(folder), 1000))
    return {
        each["policy"]: (each["verdict"], {canonical(row["key"]): row["outcome"] for row in each["witnesses"]})
        for each in run["policies"]
    }


def _with_must(must: str) -> Pack:
    """A pack whose only policy has this `must`, over two rows of which one lacks `units_a`."""
    pack = next(each for each in map(seeded_pack, range(1000)) if "units_a" in each.frame.columns["item"])
    key = pack.frame.keys["item"]
    columns = pack.frame.columns["item"]
    rows = [{each.name: each.pool[number % len(each.pool)] for each in columns.values()} for number in range(2)]
    rows[1]["units_a"] = None
    assert rows[0][key[0]] != rows[1][key[0]]
    text = f"policy: p.a\nfor: item\nmust: {must}\nparams: {{most: {{value: 100, unit: none}}}}\n"
    files = {"relations.yaml": pack.files["relations.yaml"], "a.yaml": text}
    return replace(pack, files=files, facts={"item": rows})


@pytest.mark.parametrize("must", ["units_a is not null", "coalesce(units_a, most) < most", "units_a is null"])
def test_the_brute_force_sees_what_is_outside_the_principle(must: str) -> None:
    pack = _with_must(must)
    assert len(list(completions(pack))) > 1
    assert broken_promise(pack, "p.a") is not None


def test_the_rules_are_sound_and_not_complete() -> None:
    """`units_a < most` holds for every completion, and still the row is no evidence."""
    assert broken_promise(_with_must("units_a < most or not units_a < most"), "p.a") is None
