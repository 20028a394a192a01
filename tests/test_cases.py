"""What cases expect of single rows, and what is shown of a case that came out otherwise."""

from __future__ import annotations

from pathlib import Path

from . import packs
from .conftest import Cli

RELATIONS = """
item:
  row: One item.
  key: [at, day, level, price, ok, n]
  columns:
    at: {type: instant}
    day: {type: date}
    level: {type: levels, levels: [A1, A2]}
    price: {type: decimal, digits: 38, places: 2, unit: EUR}
    ok: {type: bool}
    n: {type: int, unit: none}
    good: {type: bool}
"""
KEYS = """policy: t.rule
title: T
for: item
must: good
cannot_see: x
example: {at: 2026-01-01T00:00:00Z, day: 2026-01-01, level: A2, price: 1.5, ok: true, n: -1, good: true}
cases:
  - {good: false, expect: fail, expect_rows: [{at: 2026-01-01T01:00:00+01:00, outcome: fail}]}
  - {good: false, expect: fail, expect_rows: [{day: 2026-01-01, outcome: fail}]}
  - {good: false, expect: fail, expect_rows: [{day: 2026-01-02, outcome: not_applicable}]}
  - {good: false, expect: fail, expect_rows: [{level: A2, outcome: fail}, {level: A1, outcome: not_applicable}]}
  - {good: false, expect: fail, expect_rows: [{price: 1.50, outcome: fail}]}
  - {good: false, expect: fail, expect_rows: [{ok: true, n: -1, outcome: fail}, {n: 1, outcome: not_applicable}]}
  - {good: null, expect: no_evidence}
"""


def test_rows_are_expected_by_keys_of_every_type(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": KEYS}, RELATIONS)
    done = cli("test", root, "--quick")
    assert done.returncode == 0, done.stdout
    file = root / "t" / "rule.yaml"
    file.write_text(KEYS.replace("01:00:00+01:00", "01:00:01+01:00"))
    done = cli("test", root, "--quick")
    assert done.returncode == 1
    assert "at 2026-01-01T00:00:01Z: expected fail, got not_applicable" in done.stdout


def test_of_rows_with_one_key_the_gravest_is_shown(cli: Cli, tmp_path: Path) -> None:
    text = packs.policy("words <= top", more="where: kind = 'a'\n")
    rows = "[{}, {kind: b}, {words: null}, {words: 9}, {words: 2}]"
    root = packs.write(tmp_path, {"rule": text + f"  - {{rows: {rows}, expect: pass}}\n"})
    done = cli("test", root, "--quick")
    assert "words 9 word" in done.stdout
    assert "words: 9 word" in done.stdout, done.stdout
    assert "false   words <= top" in done.stdout


def test_a_case_that_differs_shows_how_many_rows_have_which_outcome(cli: Cli, tmp_path: Path) -> None:
    rows = "[{}, {words: null}, {words: 9}, {words: 8}]"
    text = packs.policy("words <= top") + f"  - {{rows: {rows}, expect: pass}}\n  - {{rows: [], expect: pass}}\n"
    done = cli("test", packs.write(tmp_path, {"rule": text}), "--quick")
    assert done.returncode == 1
    assert "expected pass, got fail\n      counted: 2 failed, 1 without evidence of 4 rows\n" in done.stdout
    assert "      counted: nothing in scope\n" in done.stdout
    assert "all passed" not in done.stdout


def test_the_example_is_not_counted_among_the_cases(cli: Cli, tmp_path: Path) -> None:
    one = packs.policy("words <= top") + "  - {words: 9, expect: fail}\n  - {rows: [], expect: no_evidence}\n"
    root = packs.write(tmp_path, {"rule": one})
    done = cli("test", root, "--quick")
    assert "ok  t.rule  3 cases and the example\n1 policy, 3 cases and the example: 0 not as" in done.stdout
    packs.write(tmp_path, {"other": one.replace("t.rule", "t.other")})
    assert "2 policies, 6 cases and 2 examples: 0 not as expected" in cli("test", root, "--quick").stdout


def test_an_example_that_does_not_stand_for_itself_is_not_told(cli: Cli, tmp_path: Path) -> None:
    """With groups it is judged in a case only."""
    text = packs.policy("sum(words) <= top", more="per: [id]\n").replace("{words: 1,", "{rows: [{}],")
    relations = packs.RELATIONS.replace("id: {type: text}", "id: {type: text, required: true}")
    done = cli("test", packs.write(tmp_path, {"rule": text}, relations), "--quick")
    assert "FAIL  t.rule  1 case\n" in done.stdout
    assert "\n1 policy, 1 case: 0 not as expected" in done.stdout


def test_a_file_of_the_pack_stands_for_all_its_policies(cli: Cli, tmp_path: Path) -> None:
    bad = packs.policy("wrods <= top", name="bad")
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top"), "bad": bad, "torn": "policy: t.torn\n"})
    for name in ("pack.yaml", "relations.yaml"):
        for command in ("check", "test"):
            done = cli(command, root / "t" / name)
            assert done.returncode in (1, 2)
            said = done.stdout + done.stderr
            assert "unknown-column: `wrods`" in said
            assert "torn.yaml:1:1: missing-key" in said
    assert cli("check", root / "t" / "rule.yaml").returncode == 0
