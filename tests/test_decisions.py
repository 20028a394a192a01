"""Which decisions count, and what they do to a verdict."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from engine.decisions import Draft, append, read_decisions

from . import packs
from .conftest import Cli
from .decided import AT, GROUPS, ROWS, RULE, decide, decided, judged, why, write


def test_decided_rows_count_as_decided_and_make_the_verdict(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, ROWS[:3])
    packs_only = cli("judge", "--facts", "facts.json", cwd=tmp_path)
    assert packs_only.returncode == 4
    decide(cli, tmp_path, "b", "pass")
    first = judged(cli, tmp_path)
    assert first["verdict"] == "review"
    assert first["policies"][0]["counts"] == {
        "pass": 2, "fail": 0, "review": 1, "no_evidence": 0, "waived": 0, "decided": 1,
    }  # fmt: skip
    decide(cli, tmp_path, "c", "pass")
    assert judged(cli, tmp_path)["verdict"] == "pass"
    decide(cli, tmp_path, "c", "fail")
    last = judged(cli, tmp_path)
    assert (last["verdict"], why(last)) == ("fail", [None, "superseded", None])
    (witness,) = last["policies"][0]["witnesses"]
    assert (witness["outcome"], witness["key"], witness["decision"]) == ("fail", {"id": "c"}, 3)
    assert (witness["passes_if"], witness["reason"]) == (None, None)
    assert {one["provenance"] for one in last["decisions"]} == {"human"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("policies: value: 5 → value: 6", "policy_changed"),
        ("policies: words > top → words >= top", "policy_changed"),
        ("policies: title: T → title: U", "policy_changed"),
        ("relations: {type: int, unit: word} → {type: decimal, digits: 9, places: 1, unit: word}", "policy_changed"),
        ("policies: because: x → because: y", None),
        ("policies: words > top and → words  >  top  and", None),
        ("facts: price → another price", "row_changed"),
        ("facts: words 4 → 9", "row_changed"),
        ("facts: gone", "no_such_row"),
        ("facts: in csv", None),
    ],
)
def test_a_decision_counts_while_rule_numbers_and_row_are_what_they_were(
    change: str, reason: str | None, cli: Cli, tmp_path: Path
) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    kind, _, what = change.partition(": ")
    file = folder / "policies/t" / ("rule.yaml" if kind == "policies" else "relations.yaml")
    rows = [dict(row) for row in ROWS]
    if kind in ("policies", "relations"):
        old, new = what.split(" → ")
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
    elif what == "gone":
        del rows[1]
    elif what == "price → another price":
        rows[1]["price"] = 2
    elif what == "words 4 → 9":
        rows[1]["words"] = 9
    packs.facts(folder, {"item": rows})
    if what == "in csv":
        head = ",".join(ROWS[0])
        lines = [
            ",".join(str(value).lower() if value is True else str(value) for value in row.values()) for row in rows
        ]
        (folder / "item.csv").write_text("\n".join([head, *lines]) + "\n")
        done = cli("judge", "--facts", "item.csv", "--decisions", "d.jsonl", "--format", "json", cwd=folder)
        verdict = json.loads(done.stdout)
    else:
        verdict = judged(cli, folder)
    assert why(verdict) == [reason]
    assert verdict["policies"][0]["counts"]["decided"] == (1 if reason is None else 0)


def test_an_older_decision_that_fits_again_counts_again(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    other = [dict(row) for row in ROWS]
    other[1]["price"] = 2
    packs.facts(folder, {"item": other})
    decide(cli, folder, "b", "fail")
    assert why(judged(cli, folder)) == ["row_changed", None]
    packs.facts(folder, {"item": ROWS})
    assert why(judged(cli, folder)) == [None, "row_changed"]


@pytest.mark.parametrize("row", ["a", "d"])
def test_what_the_rule_decides_itself_nobody_else_does(row: str, cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    done = decide(cli, folder, row, "pass")
    assert (done.returncode, "not-in-review" in done.stderr) == (2, True)
    # Nor does a decision that somebody made up for it.
    (one,) = read_decisions(folder / "d.jsonl")
    values = {**ROWS["abcd".index(row)], "score": 1.0, "price": "1.00"}
    text = json.dumps(values, sort_keys=True, separators=(",", ":")) + "\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    append(folder / "d.jsonl", Draft("t.rule", one.policy_sha256, {"id": row}, sha256, "pass", "me", AT, "so"))
    verdict = judged(cli, folder)
    assert why(verdict) == [None, "not_in_review"]
    assert verdict["policies"][0]["counts"] | {"review": 0} == {
        "pass": 2, "fail": 1, "review": 0, "no_evidence": 0, "waived": 0, "decided": 1,
    }  # fmt: skip


def test_decisions_on_policies_that_are_not_judged_are_told(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    packs.write(folder, {"other": packs.policy("words <= top", name="other")})
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--policy", "t.other", cwd=folder)
    assert "1 decision on policies that were not judged: t.rule" in done.stdout
    assert why(judged(cli, folder, "--policy", "t.other")) == ["policy_not_judged"]
    packs.facts(folder, {"note": []})
    verdict = judged(cli, folder)
    assert (verdict["verdict"], why(verdict)) == ("no_evidence", ["not_judged"])


def test_a_key_that_several_rows_have_cannot_be_decided(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    packs.facts(folder, {"item": [*ROWS, ROWS[1]]})
    assert why(judged(cli, folder, "--trust-keys")) == ["several_rows"]
    done = decide(cli, folder, "b", "pass", "--trust-keys")
    assert (done.returncode, "2 rows of item have the key id b" in done.stderr) == (2, True)


def test_a_decided_failure_can_be_tolerated_and_waived(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, ROWS[:2])
    decide(cli, tmp_path, "b", "fail")
    assert judged(cli, tmp_path)["verdict"] == "fail"
    waiver = "- {policy: t.rule, owner: me, because: So., until: 2027-01-01, at_most: 1}\n"
    (tmp_path / "policies/t/waivers.yaml").write_text(waiver)
    verdict = judged(cli, tmp_path, "--as-of", "2026-12-01")
    counts = verdict["policies"][0]["counts"]
    assert (verdict["verdict"], counts["waived"], counts["fail"], counts["decided"]) == ("pass", 1, 0, 1)
    (witness,) = verdict["policies"][0]["witnesses"]
    assert (witness["outcome"], witness["waiver"], witness["decision"]) == ("waived", 1, 1)
    (tmp_path / "policies/t/waivers.yaml").unlink()
    one = "  few: {value: 1, unit: none, origin: convention, because: x}\n"
    rule = RULE.replace("cannot_see", "allow: few\ncannot_see").replace("review_if", f"{one}review_if", 1)
    write(tmp_path, ROWS[:2], rule)
    decide(cli, tmp_path, "b", "fail")
    verdict = judged(cli, tmp_path)
    assert (verdict["verdict"], verdict["policies"][0]["allowed"]) == ("pass", 1)


def test_of_a_group_all_rows_count(cli: Cli, tmp_path: Path) -> None:
    rows = [{**row, "kind": kind} for row, kind in zip(ROWS, "abba", strict=True)]
    packs.write(tmp_path, {"groups": GROUPS})
    packs.facts(tmp_path, {"item": rows})
    words = ("--policy", "t.groups", "--row", "b", "--outcome", "pass", "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert why(judged(cli, tmp_path)) == [None]
    for changed in (
        [*rows, {**rows[1], "id": "e", "words": 1}],
        [rows[0], rows[1], rows[3]],
        [{**row, "price": 7} for row in rows],
    ):
        packs.facts(tmp_path, {"item": changed})
        assert why(judged(cli, tmp_path)) == ["row_changed"]
    packs.facts(tmp_path, {"item": [rows[0]]})
    assert why(judged(cli, tmp_path)) == ["no_such_row"]
    # In another order and in two files they are the same rows.
    packs.facts(tmp_path, {"item": [rows[2], rows[0]]}, "one.json")
    packs.facts(tmp_path, {"item": [rows[3], rows[1]]}, "two.json")
    facts = ("--facts", "one.json", "--facts", "two.json", "--decisions", "d.jsonl", "--format", "json")
    assert why(json.loads(cli("judge", *facts, cwd=tmp_path).stdout)) == [None]


KEYED = """
item:
  row: One part.
  key: [num, cost, day, at, level, ok, name]
  columns:
    num: {type: int, unit: none}
    cost: {type: decimal, digits: 6, places: 2, unit: EUR}
    day: {type: date}
    at: {type: instant}
    level: {type: levels, levels: [A1, A2, B1]}
    ok: {type: bool}
    name: {type: text}
    words: {type: int, unit: word}
"""
PART = (
    '{"num": 9007199254740993, "cost": 1.5, "day": "2026-01-02", "at": "2026-01-02T01:00:00+01:00", "level": "A2", '
    '"ok": true, "name": "3=\'4\\" é\\n", "words": 4}'
)


def test_a_key_of_any_type_is_found_again(cli: Cli, tmp_path: Path) -> None:
    example = "{num: 1, cost: 1, day: 2026-01-01, at: 2026-01-01T00:00:00Z, level: A1, ok: true, name: a, words: 1}"
    packs.write(tmp_path, {"rule": RULE.replace(packs.EXAMPLE, example)}, KEYED)
    packs.facts(tmp_path, f'{{"item": [{PART}]}}')
    key = {"num": "9007199254740993", "cost": "1.50", "day": "2026-01-02", "at": "2026-01-02T00:00:00Z",
           "level": "A2", "ok": "true", "name": "3='4\" é\n"}  # fmt: skip
    rows = [word for name, value in key.items() for word in ("--row", f"{name}={value}")]
    words = ("--policy", "t.rule", *rows, "--outcome", "pass", "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = judged(cli, tmp_path)
    assert (verdict["verdict"], why(verdict)) == ("pass", [None])
    assert verdict["decisions"][0]["row"] == {**key, "ok": True}


def test_a_key_that_is_written_otherwise_is_another_key(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    (one,) = read_decisions(folder / "d.jsonl")
    for row in ({"id": 1}, {"id": True}, {"ids": "b"}, {"id": "b", "words": 4}):
        append(folder / "d.jsonl", Draft("t.rule", one.policy_sha256, row, one.row_sha256, "fail", "me", AT, "so"))
    assert why(judged(cli, folder)) == [None, *["no_such_row"] * 4]
