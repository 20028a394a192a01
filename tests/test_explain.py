"""`explain`: the rule in words, the terms of a row with their values, and what would let it pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.check import check_policy
from engine.compile import compile_policy
from engine.evaluate import Queries
from engine.explain.words import Words
from engine.facts import load, table
from engine.judging import Settings, judge_policy
from engine.load import load_packs
from engine.rationale import explain_row
from tests.second.generate import seeded_pack
from tests.second.kept import Kept, keep
from tests.second.write import facts_json

from . import packs
from .conftest import Cli
from .mutant_rules import RULES, written

CONVENTION = "origin: convention, because: x"


def explained(cli: Cli, root: Path, policy: str, facts: object, *row: str, more: tuple[str, ...] = ()) -> str:
    path = root.parent / "facts.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    words = [word for key in row for word in ("--row", key)]
    done = cli("explain", policy, "--policies", root, "--facts", path, *words, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


ITEM = {
    "id": "a1",
    "words": 9,
    "more_words": 1,
    "score": 1,
    "kind": "a",
    "name": "abc",
    "day": "2026-01-01",
    "late": "2026-01-03",
    "level": "A1",
    "price": 1,
    "ok": True,
    "sure": False,
}


@pytest.mark.parametrize("name", RULES)
def test_every_form_of_a_rule_has_words(cli: Cli, name: str, tmp_path: Path) -> None:
    done = cli("explain", f"t.{name}", "--policies", written(tmp_path, name))
    assert (done.returncode, done.stderr) == (0, "")
    assert "passes if" in done.stdout
    assert "the policy cannot see: x" in done.stdout


def test_no_rule_is_without_words(tmp_path: Path) -> None:
    """Whatever the language can say has words: rules that nobody wrote."""
    for seed in range(30):
        made = seeded_pack(seed)
        keep(Kept(made.files, made.facts, made.as_of), tmp_path / str(seed))
        pack = load_packs(tmp_path / str(seed)).packs["p"]
        for policy in pack.policies.values():
            checked, _ = check_policy(policy, pack)
            for node in (checked.where, checked.must, checked.review_if) if checked is not None else ():
                if node is not None and checked is not None:
                    words = Words(checked.parameters)
                    assert words.condition(node) != words.condition(node, negated=True)


@pytest.mark.parametrize(
    ("must", "said"),
    [
        ("not (words <= top or ok)", "words is not at most top (3 word) and ok is false"),
        ("ok = false or kind in ('a', 'b')", "ok is false or kind is 'a' or 'b'"),
        ("not (kind in ('a', 'b') and ok)", "kind is not 'a' or 'b' or ok is false"),
        ("kind is not null", "kind is known"),
        ("not exists (from note where id = judged.id)", "there is no row of note whose id is the judged id"),
        ("not (words + 0 > top)", "words plus 0 is not more than top (3 word)"),
    ],
)
def test_a_condition_in_words(cli: Cli, tmp_path: Path, must: str, said: str) -> None:
    params = packs.TOP if "top" in must else ""
    done = cli("explain", "t.rule", "--policies", packs.write(tmp_path, {"rule": packs.policy(must, params)}))
    assert f"passes if {said}\n" in done.stdout


def test_a_failing_row_shows_its_terms_and_the_smallest_change(cli: Cli, tmp_path: Path) -> None:
    shown = explained(cli, written(tmp_path, "plain"), "t.plain", {"item": [ITEM]}, "a1")
    assert "id a1: fail" in shown
    assert "false   words <= top" in shown
    assert "words: 9 word" in shown
    assert "top: 3 word" in shown
    assert "the smallest change with which it would pass: words 3 word (now 9)" in shown


def test_a_row_that_needs_two_changes_is_told_both(cli: Cli, tmp_path: Path) -> None:
    must = f"must: words <= top and ok\nparams: {{top: {{value: 3, unit: word, {CONVENTION}}}}}\n"
    text = f"policy: t.rule\ntitle: T\nfor: item\n{must}cannot_see: x\nexample: {packs.EXAMPLE}\ncases:\n"
    root = packs.write(tmp_path, {"rule": text + "  - {words: 9, expect: fail}\n"})
    row = {**packs.ROW, "words": 9, "ok": False}
    shown = explained(cli, root, "t.rule", {"item": [row]}, "a")
    assert "would pass: words 3 word (now 9) and ok true (now false)" in shown


def lines_of(root: Path, name: str, facts: object) -> str:
    """What `explain --row a1` says, in this process."""
    path = root.parent / "facts.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    pack = load_packs(root).packs["t"]
    checked, _ = check_policy(pack.policies[name], pack)
    assert checked is not None
    with load([str(path)], pack.relations) as base:
        return "\n".join(explain_row(checked, base, {"id": "a1"}, None).lines)


def test_the_smallest_change_really_passes(tmp_path: Path) -> None:
    """For every rule over rows: the row with the change that is told passes."""
    told = 0
    for name in RULES:
        if name in ("grouped", "named", "counted", "tolerant", "logic", "official", "disputed"):
            continue
        root = written(tmp_path / name, name)
        bad = {**ITEM, "words": 9, "score": 9, "ok": False, "level": "B1", "late": "2026-03-01", "name": "xx"}
        facts = {"item": [bad], "note": [{"note": "n1", "id": "a1", "good": True}], "box": []}
        shown = lines_of(root, name, facts)
        if "would pass: " not in shown:
            continue
        told += 1
        for change in shown.split("would pass: ")[1].split(" and "):
            column, value = change.split()[:2]
            number = column in ("words", "more_words", "score", "price")
            bad[column] = float(value) if "." in value and number else int(value) if number else value
            bad[column] = value == "true" if column in ("ok", "sure") else bad[column]
        assert "id a1: pass" in lines_of(root, name, facts), (name, shown)
    assert told >= 6


def test_a_group_shows_its_aggregates(cli: Cli, tmp_path: Path) -> None:
    facts = {"item": [{**ITEM, "ok": None}], "box": [{"kind": "a"}]}
    shown = explained(cli, written(tmp_path, "grouped"), "t.grouped", facts, "a")
    assert "kind a: no evidence" in shown
    assert "count_if(ok): between 0 and 1" in shown


@pytest.mark.parametrize("seed", range(6))
def test_any_row_of_any_rule_is_explained(seed: int, tmp_path: Path) -> None:
    """Whatever the outcome: no row of generated packs makes it stumble."""
    made = seeded_pack(seed)
    keep(Kept(made.files, made.facts, made.as_of), tmp_path)
    (tmp_path / "facts.json").write_text(facts_json(made.types, made.facts), encoding="utf-8")
    pack = load_packs(tmp_path).packs["p"]
    explained_rows = 0
    with load([str(tmp_path / "facts.json")], pack.relations) as base:
        for policy in pack.policies.values():
            checked, _ = check_policy(policy, pack)
            needed = (policy.relation, policy.each_of) if checked is not None else ()
            if checked is None or any(n not in base.present for n in needed if n):
                continue
            if policy.as_of == "judged_on" and made.as_of is None:
                continue
            plan = compile_policy(checked, {n: table(n) for n in base.present}, made.as_of)
            if judge_policy(checked, base, Settings(judged_on=made.as_of)).verdict == "error":
                continue
            keys = ", ".join(f'"{k}"' for k in plan.key)
            for row in Queries(base, Settings().limits)(f"SELECT {keys}, _o FROM ({plan.judged}) LIMIT 3"):
                outcome = row.pop("_o")
                found = explain_row(checked, base, row, made.as_of)
                assert found.outcome == outcome
                explained_rows += 1
    assert explained_rows


def test_a_row_out_of_scope_says_so(cli: Cli, tmp_path: Path) -> None:
    facts = {"item": [{**ITEM, "kind": "c"}]}
    assert "id a1: out of scope" in explained(cli, written(tmp_path, "closed"), "t.closed", facts, "a1")


def test_a_row_of_unknown_scope_is_no_evidence_and_says_what_is_not_known(cli: Cli, tmp_path: Path) -> None:
    shown = explained(cli, written(tmp_path, "closed"), "t.closed", {"item": [{**ITEM, "kind": None}]}, "a1")
    assert "id a1: no evidence\n  where\n    unknown kind in ('a', 'b')\n" in shown
    assert "find out kind: it would pass with kind " in shown
    assert "the smallest change" not in shown


def test_a_row_whose_rule_is_unknown_is_no_evidence_and_says_what_is_not_known(cli: Cli, tmp_path: Path) -> None:
    shown = explained(cli, written(tmp_path, "plain"), "t.plain", {"item": [{**ITEM, "words": None}]}, "a1")
    assert "id a1: no evidence\n  must\n    unknown words <= top\n" in shown
    assert "words: null" in shown
    assert "find out words: it would pass with words 3 word (now null), for example" in shown


def test_a_row_out_of_scope_is_told_no_change(cli: Cli, tmp_path: Path) -> None:
    """It need not pass: nothing is asked of it."""
    shown = explained(
        cli, written(tmp_path, "closed"), "t.closed", {"item": [{**ITEM, "kind": "c", "ok": False}]}, "a1"
    )
    assert "false   kind in ('a', 'b')" in shown
    assert "would pass" not in shown


@pytest.mark.parametrize(
    ("must", "said"),
    [
        ("day <= late", "day is on or before late"),
        ("day < late", "day is before late"),
        ("day >= late", "day is on or after late"),
        ("day > late", "day is after late"),
        ("not (day <= late)", "day is not on or before late"),
        ("day = late", "day is late"),
        ("day between first and late", "day is on or after first (2026-01-01) and day is on or before late"),
        ("days_between(day, late) <= 1", "the days from day to late is at most 1"),
        ("words <= 1", "words is at most 1"),
        ("seen >= told", "seen is at or after told"),
        ("seen < told", "seen is before told"),
    ],
)
def test_days_are_before_and_after_and_numbers_are_less_and_more(
    cli: Cli, tmp_path: Path, must: str, said: str
) -> None:
    relations = packs.RELATIONS.replace(
        "    day: {type: date}\n",
        "    day: {type: date}\n    late: {type: date}\n    seen: {type: instant}\n    told: {type: instant}\n",
    )
    params = "first: {value: 2026-01-01, origin: convention, because: x}" if "first" in must else ""
    root = packs.write(tmp_path, {"rule": packs.policy(must, params)}, relations)
    instants = "late: 2026-01-01, seen: 2026-01-01T00:00:00Z, told: 2026-01-01T00:00:00Z"
    file = root / "t" / "rule.yaml"
    file.write_text(file.read_text().replace("ok: true}", f"ok: true, {instants}}}"), encoding="utf-8")
    done = cli("explain", "t.rule", "--policies", root)
    assert f"passes if {said}\n" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tolerant", "tolerates failures up to few (2%) of the rows in scope"),
        ("counted", "tolerates failures up to few (2)"),
    ],
)
def test_a_tolerance_is_told_with_its_number(cli: Cli, tmp_path: Path, name: str, said: str) -> None:
    assert f"  {said}\n" in cli("explain", f"t.{name}", "--policies", written(tmp_path, name)).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--row", "zz"], "the facts have no row id zz of item"),
        (["--row", "kind=a"], "`kind` is not among the key columns"),
        (["--row", "a1", "--row", "a1"], "`--row` gives `id` twice"),
        ([], "`--facts` needs `--row`"),
    ],
)
def test_a_row_that_is_not_there_or_not_named_is_refused(cli: Cli, tmp_path: Path, words: list[str], said: str) -> None:
    root = written(tmp_path, "plain")
    path = packs.facts(tmp_path, {"item": [ITEM]})
    done = cli("explain", "t.plain", "--policies", root, "--facts", path, *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_explain_names_the_nearest_policy(cli: Cli, tmp_path: Path) -> None:
    done = cli("explain", "t.plane", "--policies", written(tmp_path, "plain"))
    assert done.returncode == 2
    assert "did you mean `t.plain`?" in done.stderr


def test_hostile_text_of_a_row_reaches_no_terminal(cli: Cli, tmp_path: Path) -> None:
    facts = {"item": [{**ITEM, "id": "a\u001b[2J", "name": "\u202eabc"}]}
    shown = explained(cli, written(tmp_path, "texts"), "t.texts", facts, "a\u001b[2J")
    assert "\u001b" not in shown
    assert "\u202e" not in shown
