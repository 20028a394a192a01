"""The search for cases is bounded, and a report says where a bound was met."""

from __future__ import annotations

from pathlib import Path

from engine.mutate.candidates import Ground, tiers
from engine.mutate.run import MOST_SOUGHT, mutants

from . import packs
from .conftest import Cli
from .mutant_rules import attacked, loaded

NUMBER = 6
MANY = "item:\n  row: One item.\n  key: [id]\n  columns:\n    id: {type: text}\n" + "".join(
    f"    n{i}: {{type: int, unit: none}}\n" for i in range(NUMBER)
)
LONG = (
    "policy: t.rule\ntitle: T\nfor: item\nmust: "
    + " and ".join(f"(n{i} <= p{i} or n{(i + 1) % NUMBER} > p{i})" for i in range(NUMBER))
    + "\nparams:\n"
    + "".join(f"  p{i}: {{value: {i + 3}, unit: none, origin: convention, because: x}}\n" for i in range(NUMBER))
    + "cannot_see: x\nexample: {id: a, "
    + ", ".join(f"n{i}: 1" for i in range(NUMBER))
    + "}\ncases:\n  - {n0: 9, expect: fail}\n  - {n0: null, expect: no_evidence}\n"
)


def test_of_very_many_survivors_the_rest_is_counted_and_the_test_fails(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": LONG}, MANY)
    one = attacked(root)
    assert one.attack is not None
    left = len(one.attack.survivors) - MOST_SOUGHT
    assert left > 0
    assert sum(1 for s in one.attack.survivors if not s.sought) == left
    assert all(s.killer is None for s in one.attack.survivors if not s.sought)
    said = f"{left} more survive: cases were looked for for the first {MOST_SOUGHT}; add those and test again"
    for options in ((), ("--suggest",)):
        done = cli("test", root, *options)
        assert done.returncode == 1
        assert said in done.stdout


def test_cases_of_very_many_rows_do_not_multiply(tmp_path: Path) -> None:
    rows = "  - {rows: [{repeat: 60000}, {words: 9, repeat: 30000}], expect: fail}\n"
    checked, pack = loaded(packs.write(tmp_path, {"rule": packs.policy("words <= top") + rows}), "rule")
    ground = Ground(checked, [m.checked for m in mutants(checked, pack)], checked.policy.cases)
    sizes = []
    for tier in tiers(ground):
        listed = [case.rows for case in tier if isinstance(case.rows, tuple)]
        sizes.append(sum(row.repeat for rows in listed for row in rows))
    assert max(sizes) > 50_000
    assert max(sizes) <= 100_000
