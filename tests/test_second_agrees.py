"""The engine and the second evaluator give the same verdicts, witnesses and counts, on packs that nobody wrote.

`FIEL_PAIRS` sets how many pairs (a policy over a set of facts) are compared. A pair that differs is made small and
written to `tests/artefacts/`; once it is understood it moves to `tests/second/kept/`.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.second import campaign, kept, write
from tests.second.campaign import TO_MEET, Tally
from tests.second.compare import canonical, compare, differences, plain, through_process, through_python
from tests.second.evaluate import judge
from tests.second.generate import Pack, packs, seeded_pack
from tests.second.kept import Kept

PAIRS = int(os.environ.get("FIEL_PAIRS", "1200"))
KEPT = sorted(path for path in (Path(__file__).parent / "second" / "kept").iterdir() if path.is_dir())


def test_both_evaluators_agree_on_every_pair(capsys: pytest.CaptureFixture[str]) -> None:
    tally = campaign.run(range(10**9), PAIRS, PAIRS // 40)
    with capsys.disabled():
        print(f"\n{tally.table()}", file=sys.stderr)  # not lost in a worker of xdist
    assert not tally.different, "\n".join(tally.different[:5])
    assert tally.pairs >= PAIRS
    assert tally.processes >= PAIRS // 40
    assert sum(tally.refused.values()) < 0.05 * tally.pairs, tally.refused
    if PAIRS >= 1200:
        assert [word for word in TO_MEET if not tally.met[word]] == []


@settings(max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(packs())
def test_both_evaluators_agree_on_packs_that_hypothesis_draws(
    tmp_path_factory: pytest.TempPathFactory, pack: Pack
) -> None:
    tally = Tally()
    campaign.judge_pack(pack, 0, tmp_path_factory.mktemp("drawn"), tally, through_python)
    assert not tally.different, "\n".join(tally.different)


@pytest.mark.parametrize("folder", KEPT, ids=[path.name for path in KEPT])
def test_a_pair_that_once_differed_is_read_alike_and_rightly(folder: Path, tmp_path: Path) -> None:
    pair = kept.read(folder)
    assert compare(pair, tmp_path, 20, Counter()) == {}
    ours = judge(pair.files, pair.facts, pair.as_of, 20)
    expected = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    assert canonical([plain(each) for each in ours["policies"]]) == canonical([plain(each) for each in expected])


def _judgeable(seed: int, folder: Path) -> Kept:
    """The policies of a seed's pack that the engine does not refuse."""
    pack = seeded_pack(seed)
    tally = Tally()
    campaign.judge_pack(pack, seed, folder, tally, through_python)
    pair = kept.read(folder)
    assert tally.pairs > 0
    return Kept(pair.files, pack.facts, pack.as_of)


def _scatter(pair: Kept, folder: Path, seed: int) -> list[str]:
    """The same facts with their rows shuffled, over two files; what a relation without rows has, is in the first."""
    random_order = random.Random(seed)
    halves: list[dict[str, Any]] = [{}, {}]
    for relation, rows in pair.facts.items():
        mixed = [{name: row.get(name) for name in pair.types[relation]} for row in rows]
        random_order.shuffle(mixed)
        at = random_order.randrange(len(mixed) + 1)
        halves[0][relation] = mixed[:at]
        if mixed[at:]:
            halves[1][relation] = mixed[at:]
    for number, half in enumerate(halves):
        (folder / f"half{number}.json").write_text(write.facts_json(pair.types, half), encoding="utf-8")
    return ["half1.json", "half0.json"] if halves[1] else ["half0.json"]


@pytest.mark.parametrize("seed", range(20_000, 20_006))
def test_shuffled_rows_and_split_files_give_the_same_bytes(seed: int, tmp_path: Path) -> None:
    pair = _judgeable(seed, tmp_path)
    whole = through_python(tmp_path, pair, 20)
    assert through_python(tmp_path, pair, 20, _scatter(pair, tmp_path, seed)) == whole


@pytest.mark.parametrize("seed", [20_002, 20_005])
def test_one_thread_and_two_give_the_same_bytes_as_this_process(seed: int, tmp_path: Path) -> None:
    pair = _judgeable(seed, tmp_path)
    scattered = _scatter(pair, tmp_path, seed)
    whole = through_python(tmp_path, pair, 20)
    for threads in ("1", "2"):
        assert through_process(tmp_path, pair, 20, scattered, ("--threads", threads)) == whole


def _spoilt(verdict: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(verdict))
    place: Any = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["policies", 0, "verdict"], "pass"),
        (["policies", 0, "reason"], "null_column"),
        (["policies", 0, "counts", "fail"], 2),
        (["policies", 0, "in_scope"], 1),
        (["policies", 0, "witnesses"], []),
        (["policies", 0, "witnesses", 0, "outcome"], "review"),
        (["policies", 0, "witnesses", 0, "columns", "x"], 1.0),
        (["policies", 0, "witnesses", 0, "key", "id"], "0"),
        (["policies", 0, "witnesses", 1, "null_columns"], []),
        (["policies"], []),
        (["waivers"], [{"policy": "p.a", "number": 1, "expired": False}]),
        (["verdict"], "error"),
    ],
)
def test_a_difference_is_seen(path: list[Any], value: Any) -> None:
    """Also between 1 and 1.0, 0 and "0": the bytes of the two would differ."""
    relations = "item:\n  row: r\n  key: [id]\n  columns: {id: {type: int, unit: none}, x: {type: int, unit: none}}\n"
    files = {"relations.yaml": relations, "a.yaml": "policy: p.a\nfor: item\nmust: x = 0\n"}
    verdict = judge(files, {"item": [{"id": 0, "x": 1}, {"id": 1, "x": None}]}, None, 5)
    assert differences(verdict, verdict) == {}
    assert differences(verdict, _spoilt(verdict, path, value)) != {}
