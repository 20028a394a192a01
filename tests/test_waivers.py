"""Waivers: what is refused when they are read, and which failed rows they cover."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.load import load_packs
from engine.waivers import days_of_waivers

from . import packs
from .conftest import Cli
from .waiver_samples import DAY, FAILING, RULE, entry, judged, listed, waived, write


def covered(verdict: dict[str, Any]) -> list[int]:
    return [each["covered"] for each in verdict["waivers"]]


# -- reading ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waivers", "code", "words"),
    [
        (listed(entry(policy="t.ruel")), "waiver-policy", "did you mean `t.rule`?"),
        (listed(entry(policy="u.rule")), "waiver-policy", "write it into the `waivers.yaml` of `u`"),
        (listed(entry(policy="u.rule")), "waiver-policy", "did you mean `t.rule`?"),
        (listed(entry(policy="rule")), "wrong-form", "did you mean `t.rule`?"),
        (listed(entry(rows="{words: 3}")), "not-in-key", "not among the key of item"),
        (listed(entry(rows="{ids: a}")), "not-in-key", "did you mean `id`?"),
        (listed(entry(rows="{id: null}")), "wrong-kind", "the value of a key column"),
        (listed(entry(rows="{}")), "too-few", "at least 1 entry"),
        (listed(entry(rows="a")), "wrong-kind", "key columns by name"),
        (listed(entry(at_most=0)), "out-of-bounds", "from 1 to 100000"),
        (listed(entry(at_most=-1)), "out-of-bounds", "from 1 to 100000"),
        (listed(entry(at_most="1.5")), "wrong-kind", "whole number"),
        (listed(entry(at_most="all")), "wrong-kind", "whole number"),
        (listed(entry(until="2026-02-30")), "no-such-day", "2026-02-30"),
        (listed(entry(until="never")), "wrong-form", "YYYY-MM-DD"),
        (listed(entry(until=None)), "missing-key", "`until`"),
        (listed(entry(owner=None)), "missing-key", "`owner`"),
        (listed(entry(owner='""')), "wrong-form", "empty"),
        (listed(entry(because=None)), "missing-key", "`because`"),
        (listed(entry(unitl="2027-01-01")), "unknown-key", "unitl"),
        (listed(entry(), entry()), "repeated-waiver", "as waiver 1"),
        (listed(entry(), entry(until="2028-01-01", owner="you", at_most=9)), "repeated-waiver", "as waiver 1"),
        (listed(entry(rows="{id: a}"), entry(rows='{id: "a"}')), "repeated-waiver", "as waiver 1"),
        ("policy: t.rule\n", "wrong-kind", "the waivers"),
        ("[]\n", "too-few", "at least one entry"),
        ("", "empty-file", ""),
        ("- &a {policy: t.rule}\n", "yaml-anchor", ""),
    ],
)
def test_a_bad_waiver_is_refused_by_check_and_by_judge(
    cli: Cli, tmp_path: Path, waivers: str, code: str, words: str
) -> None:
    root = write(tmp_path, waivers)
    done = cli("check", root, "--today", DAY)
    assert done.returncode == 1
    assert f"waivers.yaml:{'2' if code == 'repeated-waiver' else '1'}:" in done.stdout
    assert f": {code}: " in done.stdout
    assert words in done.stdout
    done = cli("judge", "--policies", root, "--facts", packs.facts(tmp_path, {"item": FAILING}), "--as-of", DAY)
    assert (done.returncode, done.stdout) == (2, "")
    assert f": {code}: " in done.stderr


KEYED = """
part:
  row: One part.
  key: [num, cost, day, at, level, ok]
  columns:
    num: {type: int, unit: none}
    cost: {type: decimal, digits: 6, places: 2, unit: EUR}
    day: {type: date}
    at: {type: instant}
    level: {type: levels, levels: [A1, A2, B1]}
    ok: {type: bool}
    words: {type: int, unit: word}
"""
PART = {"num": 9007199254740993, "cost": "1.5", "day": "2026-01-02", "at": "2026-01-02T01:00:00+01:00", "level": "A2",
        "ok": True, "words": 9}  # fmt: skip


def keyed(folder: Path, rows: str) -> Path:
    example = "{num: 1, cost: 1, day: 2026-01-01, at: 2026-01-01T00:00:00Z, level: A1, ok: true, words: 1}"
    rule = packs.policy("words <= top", for_="part").replace(packs.EXAMPLE, example)
    root = packs.write(folder, {"rule": rule}, KEYED)
    (root / "t" / "waivers.yaml").write_text(listed(entry(rows=rows)), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ("{num: 9007199254740993}", {"num": "9007199254740993"}),
        ("{cost: 1.50}", {"cost": "1.50"}),
        ("{cost: 15e-1}", {"cost": "1.50"}),
        ("{day: 2026-01-02}", {"day": "2026-01-02"}),
        ('{at: "2026-01-02T00:00:00Z"}', {"at": "2026-01-02T00:00:00Z"}),
        ("{level: A2, ok: true}", {"level": "A2", "ok": True}),
    ],
)
def test_the_value_of_each_type_matches_the_fact_of_that_value(
    cli: Cli, tmp_path: Path, rows: str, shown: dict[str, object]
) -> None:
    facts = json.dumps({"part": [PART]}).replace('"1.5"', "1.5")
    root, path = keyed(tmp_path, rows), packs.facts(tmp_path, facts)
    done = cli("judge", "--policies", root, "--facts", path, "--as-of", DAY, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert (covered(verdict), verdict["waivers"][0]["rows"]) == ([1], shown)


@pytest.mark.parametrize("rows", ["{num: 1.0}", "{cost: 1.501}", "{day: 2026-1-2}", "{level: C9}", "{ok: yes}"])
def test_a_value_that_no_fact_can_have_is_refused(cli: Cli, tmp_path: Path, rows: str) -> None:
    done = cli("check", keyed(tmp_path, rows), "--today", DAY)
    assert done.returncode == 1
    assert re.search(r"waivers\.yaml:1:(8[789]|90): waiver-value: ", done.stdout)


def test_of_a_policy_that_could_not_be_read_no_waiver_is_reported(cli: Cli, tmp_path: Path) -> None:
    done = cli("check", write(tmp_path, listed(entry()), RULE.replace("title: T\n", "")), "--today", DAY)
    assert ("missing-key" in done.stdout, "waiver" in done.stdout) == (True, False)


# -- days ------------------------------------------------------------------------------------------------------


def test_without_a_day_nothing_is_judged(cli: Cli, tmp_path: Path) -> None:
    root, facts = write(tmp_path, listed(entry())), packs.facts(tmp_path, {"item": FAILING})
    done = cli("judge", "--policies", root, "--facts", facts)
    assert (done.returncode, done.stdout) == (2, "")
    assert "waivers.yaml:1:12: as-of-needed: `t.rule` has a waiver" in done.stderr
    assert "--as-of" in done.stderr


def test_a_policy_without_waivers_needs_no_day_though_its_neighbour_has_some(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry(policy="t.other")))
    (root / "t" / "other.yaml").write_text(packs.policy("words <= top", name="other"))
    facts = packs.facts(tmp_path, {"item": FAILING})
    assert cli("judge", "--policies", root, "--facts", facts, "--policy", "t.rule").returncode == 1
    assert cli("judge", "--policies", root, "--facts", facts, "--policy", "t.other").returncode == 2


@pytest.mark.parametrize(("day", "expired"), [("2026-12-31", False), ("2027-01-01", True), ("2027-01-02", True)])
def test_until_is_the_first_day_on_which_a_waiver_no_longer_holds(
    cli: Cli, tmp_path: Path, day: str, expired: bool
) -> None:
    verdict = judged(cli, tmp_path, listed(entry(at_most=9)), {"item": FAILING}, "--as-of", day)
    assert (covered(verdict), verdict["waivers"][0]["expired"]) == ([0 if expired else 5], expired)
    assert verdict["verdict"] == ("fail" if expired else "pass")


def test_an_expired_and_an_unused_waiver_are_shown(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(until="2026-11-30"), entry(rows="{id: z}"), entry(rows="{id: a}"))
    root, facts = write(tmp_path, waivers), packs.facts(tmp_path, {"item": FAILING[:2]})
    done = cli("judge", "--policies", root, "--facts", facts, "--as-of", DAY)
    assert done.returncode == 1
    assert "FAIL  t.rule  1 failed, 1 waived of 2 rows" in done.stdout
    assert "waived (waiver 3): id a; words 9 word" in done.stdout
    assert "waiver 1 of t.rule, any failure: EXPIRED, covers nothing; until 2026-11-30, me: So." in done.stdout
    assert "waiver 2 of t.rule, id z: unused, covers nothing; until 2027-01-01, me: So." in done.stdout
    assert "waiver 3 of t.rule, id a: covers 1 of at most 1; until 2027-01-01, me: So." in done.stdout


@pytest.mark.parametrize(
    ("today", "codes", "exit_code"),
    [
        ("2026-12-17", [], 0),
        ("2026-12-18", ["waiver-ends-soon"], 0),
        ("2026-12-31", ["waiver-ends-soon"], 0),
        ("2027-01-01", ["waiver-expired"], 1),
    ],
)
def test_check_warns_before_the_end_and_errs_from_then_on(
    cli: Cli, tmp_path: Path, today: str, codes: list[str], exit_code: int
) -> None:
    root = write(tmp_path, listed(entry()))
    done = cli("check", root, "--today", today)
    assert done.returncode == exit_code
    assert re.findall(r"waiver-[a-z-]+", done.stdout) == codes
    assert [p.code for p in days_of_waivers(load_packs(root).packs.values(), date.fromisoformat(today))] == codes


def test_hostile_text_of_an_owner_stays_on_its_line_in_check(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry(owner=r'"\e[31m\u202e\n::error::x"')))
    done = cli("check", root, "--today", "2027-01-01")
    assert done.returncode == 1
    assert not set("\u001b\u202e") & set(done.stdout)
    assert not [line for line in done.stdout.splitlines() if line.strip().startswith("::")]


def test_show_tells_the_waivers_of_a_policy(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry(), entry(rows="{id: a}", at_most=2)))
    done = cli("show", "t.rule", "--policies", root)
    assert "  waiver 1, any failure: at most 1, until 2027-01-01, me: So.\n" in done.stdout
    assert "  waiver 2, id a: at most 2, until 2027-01-01, me: So.\n" in done.stdout


# -- matching --------------------------------------------------------------------------------------------------


def test_waivers_take_failed_rows_in_file_order_then_key_order_each_up_to_its_number(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(rows="{id: b}"), entry(at_most=2), entry(rows="{id: a}"), entry(rows="{id: e}"))
    verdict = judged(cli, tmp_path, waivers, {"item": list(reversed(FAILING))})
    assert waived(verdict) == {"a": 2, "b": 1, "c": 2, "e": 4}
    assert covered(verdict) == [1, 2, 0, 1]
    counts = verdict["policies"][0]["counts"]
    assert (counts["fail"], counts["waived"], verdict["policies"][0]["in_scope"]) == (1, 4, 5)


def test_a_waiver_touches_nothing_but_failures(cli: Cli, tmp_path: Path) -> None:
    rows = [
        {**packs.ROW, "id": "a", "words": 1},
        {**packs.ROW, "id": "b", "words": None},
        {**packs.ROW, "id": "c", "words": 9, "ok": False},
        {**packs.ROW, "id": "d", "words": 9, "ok": None},
    ]
    rule = packs.policy("words <= top", more="review_if: not ok\n")
    verdict = judged(cli, tmp_path, listed(entry(at_most=9)), {"item": rows}, rule=rule)
    counts = verdict["policies"][0]["counts"]
    assert counts == {"pass": 1, "fail": 0, "review": 1, "no_evidence": 2, "waived": 0, "decided": 0}
    assert (verdict["verdict"], covered(verdict)) == ("no_evidence", [0])


@pytest.mark.parametrize("rows", [[], None])
def test_a_waiver_makes_no_evidence_of_nothing(cli: Cli, tmp_path: Path, rows: list[object] | None) -> None:
    facts = {"item": rows} if rows is not None else {"note": []}
    verdict = judged(cli, tmp_path, listed(entry(at_most=9)), facts)
    assert (verdict["verdict"], covered(verdict)) == ("no_evidence", [0])


def test_waived_rows_count_among_those_of_which_a_share_is_tolerated(cli: Cli, tmp_path: Path) -> None:
    half = "half: {value: 50%, origin: guess, because: x, revisit: 2027-06-30}"
    rule = packs.policy("words <= top", f"{packs.TOP}\n  {half}", "allow: half\n")
    verdict = judged(cli, tmp_path, listed(entry(at_most=3)), {"item": FAILING}, rule=rule)
    found = verdict["policies"][0]
    assert (found["in_scope"], found["allowed"], found["counts"]["fail"], found["verdict"]) == (5, 2, 2, "pass")


def test_groups_are_waived_by_their_columns(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("count(*) = 0 or max(words) <= top", more="per: [kind]\nwhere: kind is not null\n")
    rows = [{**packs.ROW, "id": str(n), "words": 9, "kind": "ab"[n % 2]} for n in range(4)]
    verdict = judged(cli, tmp_path, listed(entry(rows="{kind: b}")), {"item": rows}, rule=rule)
    found = verdict["policies"][0]
    assert [(w["outcome"], w["key"]) for w in found["witnesses"]] == [
        ("fail", {"kind": "a"}),
        ("waived", {"kind": "b"}),
    ]
    assert found["witnesses"][1]["rows_in_scope"] == 2


def test_cases_are_never_touched(cli: Cli, tmp_path: Path) -> None:
    rule = RULE + "  - {words: 9, expect: fail}\n  - {words: null, expect: no_evidence}\n"
    assert cli("test", "--quick", write(tmp_path, listed(entry(at_most=9)), rule)).returncode == 0


def test_repeated_keys_that_nobody_checked_change_no_count(cli: Cli, tmp_path: Path) -> None:
    """With `--trust-keys` a key may stand twice; each such row is still one row."""
    rows = [{**packs.ROW, "words": 9} for _ in range(3)]
    verdict = judged(cli, tmp_path, listed(entry(at_most=2)), {"item": rows}, "--trust-keys")
    counts = verdict["policies"][0]["counts"]
    assert (counts["fail"], counts["waived"], covered(verdict)) == (1, 2, [2])


def test_hostile_text_of_a_waiver_stays_text(cli: Cli, tmp_path: Path) -> None:
    text = "a'); drop table x; --\0\"\\"
    rows = [{**packs.ROW, "id": text, "words": 9}, *FAILING]
    rows_yaml = "{id: " + json.dumps(text) + "}"
    waivers = listed(entry(rows=rows_yaml, owner=r'"\e[31m\u202e"', because=r'"::error::\n::x"'))
    verdict = judged(cli, tmp_path, waivers, {"item": rows})
    assert covered(verdict) == [1]
    root, facts = tmp_path / "policies", tmp_path / "facts.json"
    done = cli("judge", "--policies", root, "--facts", facts, "--as-of", DAY)
    assert not set("\u001b\u202e") & set(done.stdout)
    assert not [line for line in done.stdout.splitlines() if line.startswith("::")]


@pytest.mark.parametrize("number", [100, 300])
def test_many_waivers_of_mixed_columns_are_matched(cli: Cli, tmp_path: Path, number: int) -> None:
    """Waivers that name different columns in turn are matched one after another; those that name the same at once."""
    relations = packs.RELATIONS.replace("key: [id]", "key: [id, kind]")
    root = packs.write(tmp_path, {"rule": RULE}, relations)
    names = ["{id: i%d}", "{id: i%d, kind: a}"]
    listing = [entry(rows=names[n % 2 if number <= 100 else 0] % n) for n in range(number)]
    (root / "t" / "waivers.yaml").write_text(listed(*listing), encoding="utf-8")
    rows = [{**packs.ROW, "id": f"i{n}", "words": 9} for n in range(number + 1)]
    facts = packs.facts(tmp_path, {"item": rows})
    done = cli("judge", "--policies", root, "--facts", facts, "--as-of", DAY, "--format", "json", "--witnesses", "0")
    assert done.returncode == 1, done.stderr
    counts = json.loads(done.stdout)["policies"][0]["counts"]
    assert (counts["fail"], counts["waived"]) == (1, number)


def test_waivers_that_turn_to_other_columns_all_the_time_are_refused(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": RULE}, packs.RELATIONS.replace("key: [id]", "key: [id, kind]"))
    names = ["{id: i%d}", "{id: i%d, kind: a}"]
    listing = [entry(rows=names[n % 2] % n) for n in range(102)]
    (root / "t" / "waivers.yaml").write_text(listed(*listing), encoding="utf-8")
    done = cli("check", root, "--today", DAY)
    assert (done.returncode, done.stdout.count("waivers.yaml:102:12: waivers-mixed: ")) == (1, 1)
