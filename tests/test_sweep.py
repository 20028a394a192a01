"""What is left out before judging passes: random policies give the same verdicts with every sweep that can be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine import batch, pipeline, sweep
from engine.checked import CheckedPolicy
from engine.facts import FactBase
from engine.judging import Settings, Swept
from engine.pipeline import Request, judge
from engine.render import verdict_json
from engine.sweep import Worth
from tests.second import campaign
from tests.test_prepared import PACK

RELATIONS = """row_of:
  row: A row.
  key: [id]
  columns:
    id: {type: int, unit: none}
    n: {type: int, unit: none}
    kind: {type: text}
    ok: {type: bool}
    day: {type: date}
    g: {type: text, required: true}
group_of:
  row: A group.
  key: [g]
  columns: {g: {type: text}}
"""
ALWAYS = Worth(0, 10.0)
RULES = [
    "for: row_of\nmust: n <= v5",
    "for: row_of\nwhere: kind = 'a'\nmust: n <= v5",
    "for: row_of\nwhere: kind in ('a', 'b')\nmust: not (kind = 'a' and n >= v5 and ok) and n != v2\n"
    "review_if: n between v3 and v4",
    "for: row_of\nwhere: n >= v3\nmust: ok",
    "for: row_of\nwhere: not (n >= v3 or kind is null)\nmust: ok or n is null",
    "for: row_of\nwhere: kind is not null\nmust: n + 1 > v2 and v4 >= n",
    "for: row_of\nmust: kind not in ('b') or n < v3",
    "for: row_of\nper: [g]\nmust: count(distinct n) <= v3",
    "for: row_of\nper: [g]\neach_of: group_of\nwhere: ok\nmust: not (count(distinct n) filter (where id > v2) < v2)",
    "for: row_of\nper: [g]\neach_of: group_of\nmust: count(distinct n) filter (where ok) >= v2",
    "for: row_of\nper: [g]\neach_of: group_of\nmust: coalesce(count(distinct n), v2) >= v2",
    "for: row_of\nper: [g]\neach_of: group_of\nmust: count(distinct n) >= v2\nreview_if: count(distinct day) = v2",
]

LOOK_UPS = [
    "for: row_of\nmust: exists (from group_of where g = judged.g)",
    "for: row_of\nwhere: kind = 'a'\nmust: n <= v5 and exists (from group_of where g = judged.g)",
    "for: row_of\nwhere: ok\nmust: exists (from row_of where n = judged.n and id < judged.id)",
    "for: row_of\nmust: n <= v5\nreview_if: not exists (from group_of where g = judged.g)",
    "for: row_of\nwhere: exists (from group_of where g = judged.g)\nmust: n <= v5",
]
RULES += LOOK_UPS


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sweeps whatever can be swept; the ids of the policies that were."""
    found: list[str] = []

    def counted(policies: Sequence[CheckedPolicy], base: FactBase, settings: Settings) -> Mapping[str, Swept]:
        each = sweep.sweep(policies, base, settings)
        found.extend(each)
        return each

    monkeypatch.setattr(sweep, "WORTH", ALWAYS)
    monkeypatch.setattr(batch, "_LEAST", 1)
    monkeypatch.setattr(pipeline, "swept_or_nothing", counted)
    return found


def test_random_policies_have_the_verdicts_of_the_second_evaluator(swept: list[str]) -> None:
    tally = campaign.run(range(70_000, 10**9), 250, 0)
    assert not tally.different, "\n".join(tally.different[:3])
    assert len(swept) > 30


def _bare(name: str, rule: str, more: int = 0) -> str:
    head = f"policy: p.{name}\ntitle: A rule\ncannot_see: Nothing.\n"
    example = "example: {id: 1, n: 1, kind: a, ok: true, day: 2026-01-01, g: a}\n"
    used = [f"v{value}" for value in range(2, 6) if f"v{value}" in rule]
    params = "".join(
        f"  {one}: {{value: {int(one[1:]) + more}, unit: none, origin: convention, because: So.}}\n" for one in used
    )
    params = f"params:\n{params}" if used else ""
    facts = "example_facts: {group_of: [{g: a}]}\n" if "group_of" in rule else ""
    return head + rule + "\n" + params + example + facts + "cases: [{rows: [], expect: no_evidence}]\n"


def _facts(rows: int) -> str:
    kinds, oks = ['"a"', '"b"', "null", '"c"'], ["true", "false", "null"]
    found = [
        f'{{"id": {i}, "n": {i % 7 if i % 11 else "null"}, "kind": {kinds[i % 4]}, "ok": {oks[i % 3]}, '
        f'"day": "2026-01-0{1 + i % 5}", "g": "g{i % 5}"}}'
        for i in range(rows)
        if i % 4 != 2 or i % 3
    ]
    groups = ", ".join(f'{{"g": "g{i}"}}' for i in range(6))
    return f'{{"row_of": [{", ".join(found)}], "group_of": [{groups}]}}'


def _verdict(folder: Path) -> str:
    return verdict_json(
        judge(Request(facts=(str(folder / "facts.json"),), policies=folder / "policies", use_cache=False))
    )


@pytest.mark.parametrize("rows", [0, 1, 40])
def test_each_form_of_a_rule_gives_the_same_bytes(
    tmp_path: Path, rows: int, swept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = tmp_path / "policies" / "p"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text(PACK)
    (pack / "relations.yaml").write_text(RELATIONS)
    for number, rule in enumerate(RULES):
        # Of each rule about rows there are three that differ in their numbers: they are judged together.
        for more in range(1 if "per:" in rule or "exists" in rule else 3):
            (pack / f"r{number}_{more}.yaml").write_text(_bare(f"r{number}_{more}", rule, more))
    (tmp_path / "facts.json").write_text(_facts(rows))
    known: list[str] = []
    judged = batch._judged

    def noted(some: Any, *rest: Any) -> Any:
        known.extend(one.policy.id for one, _ in some)
        return judged(some, *rest)

    monkeypatch.setattr(batch, "_judged", noted)
    with_sweep = _verdict(tmp_path)
    assert len(swept) >= (26 if rows else 0)
    assert len(known) >= (18 if rows else 0)
    monkeypatch.setattr(pipeline, "swept_or_nothing", lambda *_: {})
    assert _verdict(tmp_path) == with_sweep
