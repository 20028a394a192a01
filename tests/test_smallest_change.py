"""The smallest change of a row lets it pass, in facts that are changed so; and `explain` says no more than `judge`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.check import check_policy
from engine.compile import compile_policy
from engine.evaluate import Queries
from engine.facts import from_rows, table
from engine.facts.values import from_csv
from engine.judging import Settings, judge_policy
from engine.load import load_packs
from engine.mutate.proofs import same_meaning
from engine.mutate.run import mutants
from engine.rationale import explain_row
from engine.smallest_change import smallest_change
from engine.verdict import value_of
from tests.second import write
from tests.second.generate import seeded_pack
from tests.second.kept import Kept, keep

from . import packs
from .conftest import Cli
from .test_variants import read


@pytest.mark.parametrize("seed", [0, 5, 32, 38, 44, 51])
def test_in_facts_changed_so_the_row_passes(seed: int, tmp_path: Path) -> None:
    """Seed 32 has an `exists` over the judged relation, in which the changed row itself may be found."""
    made = seeded_pack(seed)
    keep(Kept(made.files, made.facts, made.as_of), tmp_path)
    pack = load_packs(tmp_path).packs["p"]
    facts = read(write.facts_json(made.types, made.facts), pack.relations)
    settings = Settings(judged_on=made.as_of)
    proved = 0
    with from_rows(facts, pack.relations) as base:
        for policy in pack.policies.values():
            checked, _ = check_policy(policy, pack)
            if checked is None or policy.per or judge_policy(checked, base, settings).verdict == "error":
                continue
            if policy.relation not in facts:
                continue
            plan = compile_policy(checked, {n: table(n) for n in base.present}, made.as_of)
            query, columns = Queries(base, settings.limits), checked.relation.columns
            for row in query(f"{plan.keys_and_outcomes()} ORDER BY ALL"):
                outcome = row.pop("_o")
                changes = smallest_change(plan, query, row, made.as_of) if outcome != "pass" else ()
                stored = [
                    r
                    for r in facts[policy.relation]
                    if all(value_of(r[k], columns[k].type) == value_of(v, columns[k].type) for k, v in row.items())
                ]
                if not changes or len(stored) != 1:
                    continue
                new = {c.column: from_csv(c.now, True, columns[c.column]) for c in changes}
                rows = [{**r, **new} if r is stored[0] else r for r in facts[policy.relation]]
                with from_rows({**facts, policy.relation: rows}, pack.relations) as changed:
                    assert explain_row(checked, changed, row, made.as_of).outcome == "pass", (policy.id, row, changes)
                proved += 1
    assert proved


# -- numbers of 38 digits --------------------------------------------------------------------------------------

WIDE = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    price: {type: decimal, digits: 38, places: 2, unit: EUR}
"""
DEAR = "999999999999999999999999999999999999"
RULE = f"""policy: t.rule
title: T
for: item
must: price <= top
params: {{top: {{value: {DEAR}.98, unit: EUR, origin: convention, because: x}}}}
cannot_see: x
example: {{id: a, price: {DEAR}.98}}
cases:
  - {{price: {DEAR}.99, expect: fail}}
  - {{price: {DEAR}.97, expect: pass}}
  - {{price: null, expect: no_evidence}}
  - {{rows: [], expect: no_evidence}}
"""


def test_the_last_of_38_digits_is_not_rounded_away(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": RULE}, WIDE)
    facts = tmp_path / "facts.json"
    facts.write_text(f'{{"item": [{{"id": "a", "price": {DEAR}.99}}]}}')
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a")
    assert f"would pass: price {DEAR}.98 EUR (now {DEAR}.99)" in done.stdout
    done = cli("test", root)
    assert done.returncode == 0, done.stdout


def test_no_two_numbers_of_38_digits_are_proved_the_same(tmp_path: Path) -> None:
    pack = load_packs(packs.write(tmp_path, {"rule": RULE}, WIDE)).packs["t"]
    checked, _ = check_policy(pack.policies["rule"], pack)
    assert checked is not None
    moved = [m for m in mutants(checked, pack) if m.operator == "off-by-one"]
    assert {m.name for m in moved} == {f"off-by-one: `top` {DEAR}.98 becomes {DEAR}.{end}" for end in ("97", "99")}
    assert not [m.name for m in moved if same_meaning(checked, m.checked)]


# -- as judge has it -------------------------------------------------------------------------------------------


def grouped(tmp_path: Path) -> Path:
    text = packs.policy("count(*) >= one", "one: {value: 1, unit: none, origin: convention, because: x}").replace(
        "for: item\n", "for: item\nper: [kind]\neach_of: box\nwhere: kind is not null\n"
    )
    text = text.replace(
        "cases:\n  - {words: 1, expect: pass}\n",
        "example_facts: {box: [{kind: a}]}\ncases:\n  - {rows: [{}], expect: pass}\n",
    )
    box = "box:\n  row: One box.\n  key: [kind]\n  columns:\n    kind: {type: text, one_of: [a, b]}\n"
    return packs.write(tmp_path, {"rule": text}, packs.RELATIONS + box)


def as_text(document: Mapping[str, object]) -> str:
    return json.dumps(document)


def test_a_group_of_a_policy_in_error_is_not_explained_as_a_pass(cli: Cli, tmp_path: Path) -> None:
    root = grouped(tmp_path)
    rows = [{**packs.ROW, "id": "a"}, {**packs.ROW, "id": "b", "kind": "b"}]
    facts = packs.facts(tmp_path, {"item": rows, "box": [{"kind": "a"}]})
    assert cli("judge", "--policies", root, "--facts", facts).returncode == 2
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a")
    assert done.returncode == 2
    assert "key-not-in-each-of: a row of item has the key kind b" in done.stderr


def test_facts_come_from_standard_input_too(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    text = as_text({"item": [packs.ROW]})
    done = cli("explain", "t.rule", "--policies", root, "--facts", "-", "--row", "a", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert "id a: pass" in done.stdout
    now = packs.write(tmp_path / "now", {"rule": packs.policy("words < top")})
    done = cli("diff", root, "--policies", now, "--facts", "-", stdin=text)
    assert "0 of the facts' rows come out otherwise" in done.stdout
