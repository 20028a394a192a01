"""Where decisions are told: outputs, receipts, replay, explain, diff."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from . import packs
from .conftest import Cli
from .decided import AT, ROWS, RULE, decide, decided, judged, why, write


@pytest.mark.parametrize("name", ["text", "json", "html", "junit", "sarif", "github"])
def test_every_format_tells_what_was_decided_by_whom_and_what_has_no_effect(
    name: str, cli: Cli, tmp_path: Path
) -> None:
    folder = decided(cli, tmp_path, "b=pass", "b=fail", "c=pass")
    packs.facts(folder, {"item": [*ROWS[:2], {**ROWS[2], "price": 7}, ROWS[3]]})
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, cwd=folder)
    assert done.returncode == 1
    assert done.stdout.count("m.ruiz") >= 3
    assert "I read it." in done.stdout
    assert any(words in done.stdout for words in ("the row is not what it was", "row_changed"))
    assert any(words in done.stdout for words in ("a later one took its place", "superseded"))
    if name != "json":
        assert "1 row decided by a person" in done.stdout


def test_a_person_s_words_reach_no_terminal_as_they_are(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "pass", because="a\x1b[2Jb\nc")
    for name in ("text", "github", "junit", "html"):
        done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, cwd=folder)
        assert "\x1b" not in done.stdout
        assert "a␛[2Jb␊c" in done.stdout


def test_a_receipt_holds_the_decisions_and_replay_reads_them_again(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    words = ("--facts", "facts.json", "--decisions", "d.jsonl", "--receipt", "r.json")
    cli("judge", *words, cwd=folder)
    receipt = json.loads((folder / "r.json").read_text())
    line = hashlib.sha256((folder / "d.jsonl").read_bytes()).hexdigest()
    assert receipt["decisions"] == [{"applied": True, "line": 1, "policy": "t.rule", "sha256": line}]
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "same verdict, same bytes: fail, with 1 row decided by a person\n")
    decide(cli, folder, "c", "fail")
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, "decision in line 2: was not there" in done.stdout) == (1, True)
    (folder / "d.jsonl").rename(folder / "e.jsonl")
    assert "receipt-not-here" in cli("replay", "r.json", cwd=folder).stderr
    assert cli("replay", "r.json", "--decisions", "e.jsonl", cwd=folder).returncode == 1


def test_a_receipt_cannot_have_decisions_read_from_elsewhere(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--receipt", "r.json", cwd=folder)
    text = (folder / "r.json").read_text()
    (folder / "r.json").write_text(text.replace('"d.jsonl"', '"../d.jsonl"'))
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, "receipt-path" in done.stderr) == (2, True)


def test_a_receipt_of_before_there_were_decisions_is_replayed(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    cli("judge", "--facts", "facts.json", "--receipt", "r.json", cwd=tmp_path)
    text = (tmp_path / "r.json").read_text()
    assert '"decisions":null,' in text
    (tmp_path / "r.json").write_text(text.replace('"decisions":null,', ""))
    assert cli("replay", "r.json", cwd=tmp_path).returncode == 0


def test_explain_says_who_decided_a_row_and_what_has_no_effect(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "b=fail", "c=pass")
    words = ("--facts", "facts.json", "--decisions", "d.jsonl")
    told = cli("explain", "t.rule", "--row", "b", *words, cwd=folder).stdout
    assert "id b: fail\n  decision 1 on t.rule, id b: NO EFFECT, a later one took its place" in told
    assert f"  decision 2 on t.rule, id b: decided fail; m.ruiz, {AT}: I read it.\n" in told
    assert "decision 3" not in told
    assert "smallest change" not in told
    assert "id c: pass\n" in cli("explain", "t.rule", "--row", "c", *words, cwd=folder).stdout
    assert "id c: review\n" in cli("explain", "t.rule", "--row", "c", "--facts", "facts.json", cwd=folder).stdout
    done = cli("explain", "t.rule", "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, "`--decisions` needs `--facts`" in done.stderr) == (2, True)


def test_diff_says_which_decisions_a_change_undoes(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "c=pass")
    (folder / "policies").rename(folder / "before")
    packs.write(folder, {"rule": RULE.replace("value: 5", "value: 4")})
    done = cli("diff", "before", "--facts", "facts.json", "--decisions", "d.jsonl", cwd=folder)
    assert "2 decisions counted under the old version only: those rows have to be decided again" in done.stdout
    assert "id b: pass → review" in done.stdout
    assert "id c: pass → fail" in done.stdout


def test_an_output_never_takes_the_place_of_the_decisions(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    before = (folder / "d.jsonl").read_bytes()
    done = cli(
        "judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--out", "json=./d.jsonl", cwd=folder
    )  # fmt: skip
    assert (done.returncode, "holds the decisions that are read" in done.stderr) == (2, True)
    assert (folder / "d.jsonl").read_bytes() == before


SHOWN = """
shown:
  row: A level beside a word.
  key: [id]
  columns:
    id: {type: text}
    word: {type: text}
    level: {type: levels, levels: [A1, B1, C1]}
"""
OFFICIAL = """policy: t.official
title: What is shown is what the reference says
for: shown
same_as:
  reference: [first, second]
  match: {word: word}
  show: {level: level}
  on_conflict: review
cannot_see: x
example: {id: a, word: a, level: B1}
example_facts:
  first: [{word: a, level: B1}]
  second: []
cases:
  - {level: C1, expect: fail}
"""
REFERENCE = """%s:
  title: A list
  edition: "1"
  file: %s.csv
  sha256: %s
  licence: none
  cite: Nobody.
  columns: {word: word, level: {from: level, type: levels, levels: [A1, B1, C1]}}
  key: [word]
  checked: 2026-11-30
"""


@pytest.mark.parametrize("outcome", ["pass", "fail"])
def test_where_references_disagree_a_person_decides_and_no_page_calls_the_value_official(
    outcome: str, cli: Cli, tmp_path: Path
) -> None:
    entries = ""
    for name, level in (("first", "B1"), ("second", "C1")):
        text = f"word,level\na,{level}\n"
        (tmp_path / f"{name}.csv").write_text(text)
        entries += REFERENCE % (name, name, hashlib.sha256(text.encode()).hexdigest())
    root = packs.write(tmp_path, {"official": OFFICIAL}, SHOWN)
    (root / "t" / "references.yaml").write_text(entries)
    packs.facts(tmp_path, {"shown": [{"id": "a", "word": "a", "level": "B1"}]})
    where = ("--references", ".")
    assert cli("judge", "--facts", "facts.json", *where, cwd=tmp_path).returncode == 4
    words = ("--policy", "t.official", "--row", "a", "--outcome", outcome, "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, *where, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = judged(cli, tmp_path, *where)
    assert (verdict["verdict"], why(verdict)) == (outcome, [None])
    for name in ("text", "html"):
        done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, *where, cwd=tmp_path)
        assert done.returncode == (0 if outcome == "pass" else 1), done.stderr
        assert "differs" not in done.stdout
        # What a reference holds may be shown as official, with its place; what a person decided may not.
        assert done.stdout.count('class="official"') == (2 if (name, outcome) == ("html", "fail") else 0)
    (root / "t" / "references.yaml").write_text(entries.replace('edition: "1"', 'edition: "2"'))
    assert why(judged(cli, tmp_path, *where)) == ["policy_changed"]
