"""The engine and the second evaluator agree on which decisions of people count, and on what the verdict is then."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from engine.check import check_policy
from engine.load import load_packs
from engine.pipeline import Request, judge
from engine.receipts import digest as engine_digest
from engine.receipts import ruled_form
from engine.render import verdict_json
from tests.second import campaign, decisions, kept
from tests.second.campaign import Tally
from tests.second.compare import differences, through_python
from tests.second.decisions import Said
from tests.second.evaluate import judge as judge_again
from tests.second.evaluate import whole_row
from tests.second.generate import seeded_pack
from tests.second.kept import PACK, Kept
from tests.second.reading import Policy, read_pack

SEEDS = (70_006, 70_012, 70_029)
"""Few, and such that everything in `TO_MEET` is met."""
TO_MEET = (
    "decided pass of a row", "decided fail of a row", "decided pass of a group", "decided fail of a group",
    "decided and waived", "decision counts", "decision policy_changed", "decision no_such_row",
    "decision row_changed", "decision not_in_review", "decision superseded",
)  # fmt: skip


def chained(said: list[Said]) -> str:
    """The file of decisions, written here from what the schema says of it."""
    text, previous = "", "0" * 64
    for one in said:
        fields = {"policy": one.policy, "policy_sha256": one.policy_sha256, "row": dict(one.row)}
        fields |= {"row_sha256": one.row_sha256, "outcome": one.outcome}
        entry = {"format": 1, "previous": previous, "by": "me", "at": "2026-12-01T00:00:00Z", "because": "so", **fields}
        previous = decisions.sha256(entry)
        text += json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
    return text


def drawn(pair: Kept, policies: dict[str, Policy], digests: dict[str, str], seed: int) -> list[Said]:
    """Decisions on what is in review and on what is not, some of another policy, another row, or no row at all."""
    chance = random.Random(seed)
    types = pair.types
    full = {name: [whole_row(row, types[name]) for row in rows] for name, rows in pair.facts.items()}
    said: list[Said] = []
    for entry in judge_again(pair.files, pair.facts, pair.as_of, 10**9)["policies"]:
        policy = policies[entry["policy"]]
        for witness in entry["witnesses"]:
            often = 3 if witness["outcome"] == "review" else 1
            for _ in range(chance.randrange(often + 1)):
                key: dict[str, Any] = dict(witness["key"])
                held = decisions.rows_with(policy, key, full[policy.relation])
                row_sha = decisions.digest(policy, key, held)
                kind = chance.choice(("right", "right", "right", "row", "policy", "key"))
                first = next(iter(key))
                if kind == "key":
                    key[first] = "nobody" if isinstance(key[first], str) else 424_242
                row = row_sha if kind != "row" else decisions.sha256([row_sha])
                rule = digests[policy.name] if kind != "policy" else decisions.sha256([policy.name])
                said.append(Said(0, policy.name, rule, key, row, chance.choice(("pass", "fail"))))
    chance.shuffle(said)
    return [Said(line, o.policy, o.policy_sha256, o.row, o.row_sha256, o.outcome) for line, o in enumerate(said, 1)]


def test_both_evaluators_agree_on_what_people_decided(tmp_path: Path) -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        drawn_pack = seeded_pack(seed)
        campaign.judge_pack(drawn_pack, seed, folder, Tally(), through_python)
        pair = kept.read(folder)
        pair = Kept(pair.files, drawn_pack.facts, drawn_pack.as_of)
        pack = load_packs(folder).packs[PACK]
        checked = [one for p in pack.policies.values() if (one := check_policy(p, pack)[0]) is not None]
        digests = {one.policy.id: engine_digest(ruled_form(one)) for one in checked}
        said = drawn(pair, read_pack(pair.files)[2], digests, seed)
        (folder / "d.jsonl").write_text(chained(said), encoding="utf-8")
        request = Request(
            policies=folder,
            facts=(str(folder / "facts.json"),),
            as_of=pair.as_of,
            packs=(PACK,),
            witnesses=20,
            decisions=folder / "d.jsonl",
        )
        theirs = json.loads(verdict_json(judge(request)))
        ours = judge_again(pair.files, pair.facts, pair.as_of, 20, met, said, digests)
        assert differences(ours, theirs) == {}, seed
        why = {line: reason for entry in ours["policies"] for line, reason in entry.get("why", {}).items()}
        told = {one["line"]: one["why_not"] for one in theirs["decisions"]}
        assert told == {one.line: why.get(one.line, "not_judged") for one in said}, seed
    assert [word for word in TO_MEET if not met[word]] == [], met
