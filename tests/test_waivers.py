"""Waivers: what is refused when they are read, and which failed rows they cover."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.check import check_policy
from engine.facts import from_rows
from engine.judging import Settings, judge_policy
from engine.load import load_packs
from engine.waivers import check_waivers, days_of_waivers, in_force

from . import packs
from .conftest import Cli

RULE = packs.policy("words <= top")
DAY = "2026-12-01"
FAILING = [{**packs.ROW, "id": each, "words": 9} for each in "abcde"]


def entry(**given: object) -> dict[str, object]:
    """A waiver; what is given stands in place of its usual values, None leaves a key out."""
    usual = {"policy": "t.rule", "owner": "me", "because": "So.", "until": "2027-01-01", "at_most": 1}
    return {key: value for key, value in {**usual, **given}.items() if value is not None}


def listed(*waivers: dict[str, object]) -> str:
    """`waivers.yaml`: values as they stand, so that texts that look like numbers are numbers."""

    def flow(value: object) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"
        return str(value)

    return "".join(f"- {flow(each)}\n" for each in waivers)


def write(folder: Path, waivers: str, rule: str = RULE) -> Path:
    root = packs.write(folder, {"rule": rule})
    (root / "t" / "waivers.yaml").write_text(waivers, encoding="utf-8")
    return root


def judged(cli: Cli, folder: Path, waivers: str, rows: object, *more: str, rule: str = RULE) -> dict[str, Any]:
    """The JSON verdict of the one policy's pack."""
    dated = more if "--as-of" in more else ("--as-of", DAY, *more)
    arguments = ("--format", "json", *dated)
    done = cli("judge", "--policies", write(folder, waivers, rule), "--facts", packs.facts(folder, rows), *arguments)
    assert done.returncode in (0, 1, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def covered(verdict: dict[str, Any]) -> list[int]:
    return [each["covered"] for each in verdict["waivers"]]


def waived(verdict: dict[str, Any]) -> dict[str, int]:
    """The waiver of each waived row."""
    witnesses = verdict["policies"][0]["witnesses"]
    return {w["key"]["id"]: w["waiver"] for w in witnesses if w["outcome"] == "waived"}


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


# -- laws ------------------------------------------------------------------------------------------------------

PAIR = packs.RELATIONS.replace("key: [id]", "key: [id, kind]")
CELLS = [{}, {"kind": "a"}, {"kind": "b"}, {"id": "a"}, {"id": "b"}, {"id": "a", "kind": "a"}, {"id": "c", "kind": "b"}]
WAIVERS = st.lists(
    st.builds(
        lambda rows, until, at_most: entry(
            rows=str(rows).replace("'", "") if rows else None, until=until, at_most=at_most
        ),
        st.sampled_from(CELLS),
        st.sampled_from(["2027-01-01", "2026-12-02", "2027-01-01", "2026-12-01"]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda each: str(each.get("rows")),
)
PAIRS = [(one, kind) for one in "abc" for kind in "ab"]
ROWS = st.lists(st.sampled_from([9, 9, 9, 1, None, 0]), min_size=6, max_size=6).map(
    lambda words: [(*pair, each) for pair, each in zip(PAIRS, words, strict=True) if each != 0]
)


def outcomes_with(folder: Path, waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> Any:
    """The verdict of the rule over these rows, through Python."""
    root = packs.write(folder, {"rule": RULE}, PAIR)
    (root / "t" / "waivers.yaml").unlink(missing_ok=True)
    if waivers:
        (root / "t" / "waivers.yaml").write_text(listed(*waivers), encoding="utf-8")
    pack = load_packs(root).packs["t"]
    checked, _ = check_policy(pack.policies["rule"], pack)
    usable, problems = check_waivers(pack)
    assert checked is not None
    assert problems == []
    holding = [each for each in usable if in_force(each.waiver, date.fromisoformat(DAY))]
    given = {"item": [{"id": i, "kind": k, "words": w} for i, k, w in rows]}
    with from_rows(given, pack.relations, threads=1) as base:
        return judge_policy(checked, base, Settings(witnesses=99), holding)


def outcome_of(verdict: Any) -> dict[tuple[object, ...], tuple[str, int | None]]:
    return {tuple(w.key.values()): (w.outcome, w.waiver) for w in verdict.witnesses}


def expected(waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> dict[Any, Any]:
    """The page's sentence in plain Python: row by row in key order, the first waiver that matches and has some left."""
    left = {n: int(str(w["at_most"])) for n, w in enumerate(waivers, 1) if str(w["until"]) > DAY}
    named = {n: dict(re.findall(r"(\w+): (\w+)", str(w.get("rows", "")))) for n, w in enumerate(waivers, 1)}
    found: dict[Any, Any] = {}
    for one, kind, words in sorted(rows, key=lambda row: row[:2]):
        if words is None:
            found[one, kind] = ("no_evidence", None)
        elif words > 3:
            fits = (n for n in left if left[n] and named[n].items() <= {"id": one, "kind": kind}.items())
            number = next(fits, None)
            found[one, kind] = ("fail", None) if number is None else ("waived", number)
            if number is not None:
                left[number] -= 1
    return found


def test_the_laws_of_waivers(tmp_path: Path) -> None:
    """Few examples, and what they met is counted: laws over nothing would hold too."""
    met: Counter[str] = Counter()

    @settings(max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(WAIVERS, ROWS)
    def laws(waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> None:
        plain, some = outcomes_with(tmp_path, [], rows), outcomes_with(tmp_path, waivers, rows)
        before, after = outcome_of(plain), outcome_of(some)
        assert after == expected(waivers, rows)
        # Nothing changes but failures that are waived; what is counted stays counted.
        assert {key: old for key, (old, _) in before.items()} == {
            key: "fail" if new == "waived" else new for key, (new, _) in after.items()
        }
        assert some.counts.in_scope == plain.counts.in_scope
        assert some.counts.failed + some.counts.waived == plain.counts.failed
        # No waiver covers more than its number, nor one that is over anything.
        for number, waiver in enumerate(waivers, 1):
            count, most = some.covered.get(number, 0), int(str(waiver["at_most"]))
            over = str(waiver["until"]) <= DAY
            assert count <= (0 if over else most)
            assert count == sum(1 for _, by in after.values() if by == number)
            met["over" if over else "full" if count == most else "some left" if count else "unused"] += 1
        # With only expired waivers all is as without.
        if all(str(each["until"]) <= DAY for each in waivers):
            met["only expired"] += 1
            assert (some.counts, some.verdict) == (plain.counts, plain.verdict)
        # One more waiver at the end changes nothing of those before it, and waives at most its number more.
        fewer = outcomes_with(tmp_path, waivers[:-1], rows)
        lost = {key: now for key, now in outcome_of(fewer).items() if now != after[key]}
        assert set(lost.values()) <= {("fail", None)}
        assert len(lost) <= int(str(waivers[-1]["at_most"]))
        met.update(f"last covers {min(len(lost), 2)}" for _ in waivers[1:2])
        met.update(outcome for outcome, _ in after.values())

    laws()
    for what in ("over", "full", "some left", "unused", "only expired", "last covers 0", "last covers 1"):
        assert met[what], met
    assert min(met[what] for what in ("fail", "waived", "no_evidence")) > 10, met


# -- explain ---------------------------------------------------------------------------------------------------


def told(cli: Cli, folder: Path, waivers: str, row: str, *more: str) -> list[str]:
    """The lines of `explain --row` that speak of waivers."""
    facts = packs.facts(folder, {"item": FAILING})
    arguments = ("--policies", write(folder, waivers), "--facts", facts, "--row", row)
    done = cli("explain", "t.rule", *arguments, *more)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines() if "waiver" in line]


def test_explain_says_which_waiver_covers_a_row(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(rows="{id: c}"), entry(at_most=2, owner="you"))
    on = ("--as-of", DAY)
    mine = "waived: waiver 1 of me covers it until 2027-01-01, because: So."
    yours = "waived: waiver 2 of you covers it until 2027-01-01, because: So."
    spent = "waiver 2 of you is for such a failure, but others take its 2: it does not cover this one"
    assert {row: told(cli, tmp_path, waivers, row, *on) for row in "abcde"} == {
        "a": [yours],
        "b": [yours],
        "c": [mine],
        "d": [spent],
        "e": [spent],
    }


def test_explain_covers_the_rows_that_judge_covers(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(rows="{id: d}"), entry(at_most=2), entry(rows="{id: b}"))
    by_judge = waived(judged(cli, tmp_path, waivers, {"item": FAILING}))
    covering = {
        row: int(line.split()[2])
        for row in "abcde"
        for line in told(cli, tmp_path, waivers, row, "--as-of", DAY)
        if line.startswith("waived: ")
    }
    assert covering == by_judge
    assert covering


def test_explain_without_a_day_covers_nothing_and_says_how_to_know(cli: Cli, tmp_path: Path) -> None:
    (line,) = told(cli, tmp_path, listed(entry(rows="{id: c}")), "c")
    assert (
        line == "waiver 1 of me is for such a failure, until 2027-01-01: `--as-of DATE` says whether it covers this one"
    )
    assert told(cli, tmp_path, listed(entry(rows="{id: c}")), "d") == []


def test_explain_says_of_a_waiver_that_it_is_over(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(until=DAY))
    assert told(cli, tmp_path, waivers, "a", "--as-of", DAY) == [f"waiver 1 of me ended on {DAY} and does not cover it"]


def test_explain_says_nothing_of_waivers_where_nothing_fails(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry()))
    facts = packs.facts(tmp_path, {"item": [{**packs.ROW, "words": 1}]})
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a", "--as-of", DAY)
    assert (done.returncode, "waiver" in done.stdout) == (0, False)


def test_explain_refuses_a_waiver_that_judge_refuses(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry(rows="{words: 3}")))
    facts = packs.facts(tmp_path, {"item": FAILING})
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a", "--as-of", DAY)
    assert done.returncode == 2
    assert "not-in-key" in done.stderr


def test_explain_says_which_waiver_covers_a_group(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("max(words) <= top", more="per: [kind]\nwhere: kind is not null\n").replace(
        "{words: 1, expect", "{rows: [{}], expect"
    )
    root = write(tmp_path, listed(entry(rows="{kind: b}")), rule)
    rows = [{**packs.ROW, "id": each, "kind": kind, "words": 9} for each, kind in (("x", "a"), ("y", "b"))]
    facts = packs.facts(tmp_path, {"item": rows})
    told = {
        kind: cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", kind, "--as-of", DAY).stdout
        for kind in "ab"
    }
    assert "kind b: fail\n  waived: waiver 1 of me covers it until 2027-01-01, because: So.\n" in told["b"]
    assert "kind a: fail\n  must\n" in told["a"]


def test_a_waiver_s_words_reach_no_terminal_as_they_are(cli: Cli, tmp_path: Path) -> None:
    (line,) = told(cli, tmp_path, listed(entry(owner='"a\\e[2Jb"', because='"c\\nd"')), "a", "--as-of", DAY)
    assert "\x1b" not in line
    assert "c␊d" in line


@pytest.mark.parametrize(
    ("at_most", "rows", "heading"),
    [
        (1, 1, 'The verdict is <span class="pass">pass</span>, with 1 failure waived</h1>'),
        (2, 2, 'The verdict is <span class="pass">pass</span>, with 2 failures waived</h1>'),
        (1, 2, 'The verdict is <span class="fail">fail</span>, with 1 failure waived</h1>'),
    ],
)
def test_a_page_says_beside_the_verdict_that_failures_are_waived(
    at_most: int, rows: int, heading: str, cli: Cli, tmp_path: Path
) -> None:
    root, facts = write(tmp_path, listed(entry(at_most=at_most))), packs.facts(tmp_path, {"item": FAILING[:rows]})
    page = cli("judge", "--policies", root, "--facts", facts, "--as-of", DAY, "--format", "html").stdout
    assert heading in page
    (root / "t" / "waivers.yaml").unlink()
    assert "waived</h1>" not in cli("judge", "--policies", root, "--facts", facts, "--format", "html").stdout
