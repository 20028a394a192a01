"""`fiel review`: what it lists, what can be decided and how, on a terminal too, and cases of what was decided."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.decisions import read_decisions

from . import packs
from .conftest import ROOT, Cli
from .decided import GROUPS, ROWS, RULE, decide, write

LIST = ("review", "facts.json")


def test_the_list_shows_the_whole_row_the_whole_rule_and_the_command(cli: Cli, tmp_path: Path) -> None:
    done = cli(*LIST, cwd=write(tmp_path))
    assert done.returncode == 4
    for words in (
        "REVIEW  t.rule  2 rows wait for a person",
        "passes if words is at most top (3 word)",
        "a person decides if words is more than top (3 word) and words is at most doubt (5 word)",
        "doubt 5 word: convention, x",
        "the policy cannot see: x",
        "  id b  (facts.json:1, row 2)\n    id: b\n    words: 4 word\n    score: 1.0\n    kind: a\n",
        "    price: 1.00 EUR\n    ok: true\n    without a person the rule would say: fail\n",
        "to decide: fiel review decide facts.json --decisions decisions.jsonl --policy t.rule --row id=b",
    ):
        assert words in done.stdout, words
    assert done.stdout.endswith("2 wait for a person\n")
    assert cli("review", "list", "--facts", "facts.json", cwd=tmp_path).stdout == done.stdout


def test_the_command_that_is_shown_decides_the_row(cli: Cli, tmp_path: Path) -> None:
    odd = {**ROWS[1], "id": 'it\'s "b"; $HOME & *'}
    folder = write(tmp_path, [odd])
    shown = next(line for line in cli(*LIST, cwd=folder).stdout.splitlines() if "to decide: " in line)
    fiel, *words = shlex.split(shown.partition("to decide: ")[2])
    said = {"PASS_OR_FAIL": "pass", "NAME": "me", "REASON": "so"}
    done = cli(*(said.get(word, word) for word in words), cwd=folder)
    assert (fiel, done.returncode) == ("fiel", 0), done.stderr
    (one,) = read_decisions(folder / "decisions.jsonl")
    assert one.row == {"id": odd["id"]}


def test_a_key_that_no_line_can_show_gets_no_line(cli: Cli, tmp_path: Path) -> None:
    done = cli(*LIST, cwd=write(tmp_path, [{**ROWS[1], "id": "b\x1b[2J"}]))
    assert "\x1b" not in done.stdout
    assert "`fiel review decide` without `--row`" in done.stdout


def test_however_many_wait_all_are_listed(cli: Cli, tmp_path: Path) -> None:
    done = cli(*LIST, cwd=write(tmp_path, [{**ROWS[1], "id": f"{n:03}"} for n in range(60)]))
    assert done.stdout.count("to decide: ") == 60
    assert done.stdout.endswith("60 wait for a person\n")


def test_what_is_decided_is_listed_no_more_and_what_has_no_effect_is_said(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "pass")
    done = cli(*LIST, "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, done.stdout.endswith("1 waits for a person, 1 is decided\n")) == (4, True)
    assert "  id b" not in done.stdout
    decide(cli, folder, "c", "pass")
    done = cli(*LIST, "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, done.stdout.endswith("nothing waits for a person, 2 are decided\n")) == (0, True)
    packs.facts(folder, {"item": [{**row, "price": 9} for row in ROWS]})
    done = cli(*LIST, "--decisions", "d.jsonl", cwd=folder)
    assert done.returncode == 4
    assert done.stdout.count("NO EFFECT, the row is not what it was") == 2


def test_a_policy_that_could_not_be_judged_is_no_empty_list(cli: Cli, tmp_path: Path) -> None:
    dated = (
        "top: {unit: word, origin: law, values: [{from: 2026-01-01, value: 3, source: s, checked: 2026-01-01}]}\n"
        "  doubt: {value: 5, unit: word, origin: convention, because: x}"
    )
    rule = packs.policy("words <= top", dated, "as_of: judged_on\nreview_if: words = doubt\n")
    write(tmp_path, rule=rule.replace("expect: pass}", "judged_on: 2026-02-01, expect: pass}"))
    done = cli(*LIST, cwd=tmp_path)
    assert (done.returncode, "could not be judged" in done.stdout, "not judged: t.rule" in done.stdout) == (
        2,
        True,
        True,
    )
    packs.facts(tmp_path, {"note": []})
    done = cli("review", "facts.json", "--as-of", "2026-02-01", cwd=tmp_path)
    assert (done.returncode, "t.rule has nothing to decide: the facts bring no item" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("review",), "no facts are given"),
        (("review", "verfy"), "did you mean `fiel review verify`?"),
        (("review", "no.json"), "no.json"),
        (("review", "facts.json", "--decisions", "no.jsonl"), "decisions-unreadable"),
        (("review", "decide", "facts.json"), "--decisions"),
        (("review", "decide", "facts.json", "--decisions", "d.jsonl"), "no-terminal"),
        (("review", "decide", "facts.json", "--decisions", "d.jsonl", "--row", "b"), "`--policy`, `--outcome`, `--by`"),
        (("review", "decide", "facts.json", "--decisions", "d.jsonl", "--outcome", "pass"), "there is no `--row`"),
        (("review", "decide", "facts.json", "--decisions", "d.jsonl", "--outcome", "review"), "invalid choice"),
        (("review", "decide", "facts.json", "--decisions", "d.jsonl", "--at", "2026-13-01T00:00:00Z"), "is no time"),
        (("review", "verify"), "--decisions"),
        (("review", "verify", "--decisions", ""), "names no file"),
        (("review", "export", "facts.json", "--decisions", "no.jsonl"), "decisions-unreadable"),
    ],
)
def test_slips_are_refused_and_led_right(words: tuple[str, ...], told: str, cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    done = cli(*words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert not (folder / "d.jsonl").exists()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("z", "the facts have no row id z of item"),
        ("ids=b", "the facts have no row id ids=b of item"),
        ("a", "the row id a is not in review: `t.rule` says pass"),
        ("d", "the row id d is not in review: `t.rule` says fail"),
        ("n", "the row id n is not in review: `t.rule` says no evidence"),
        ("o", "the row id o is not in review: `t.rule` says out of scope"),
    ],
)
def test_only_a_row_in_review_can_be_decided(row: str, told: str, cli: Cli, tmp_path: Path) -> None:
    rule = RULE.replace("must:", "where: ok\nmust:")
    rows = [*ROWS, {**ROWS[1], "id": "n", "words": None}, {**ROWS[1], "id": "o", "ok": False}]
    folder = write(tmp_path, rows, rule)
    done = decide(cli, folder, row, "pass")
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert not (folder / "d.jsonl").exists()


def test_a_group_and_facts_from_standard_input_can_be_decided(cli: Cli, tmp_path: Path) -> None:
    packs.write(tmp_path, {"groups": GROUPS})
    rows = json.dumps({"item": ROWS[:3]})
    done = cli("review", "-", cwd=tmp_path, stdin=rows)
    assert done.returncode == 4
    assert "REVIEW  t.groups  1 group waits for a person" in done.stdout
    assert done.stdout.count("    row: id ") == 3
    words = ("--policy", "t.groups", "--row", "kind=a", "--outcome", "fail", "--by", "me", "--because", "so")
    done = cli("review", "decide", "-", "--decisions", "d.jsonl", *words, cwd=tmp_path, stdin=rows)
    assert done.returncode == 0, done.stderr
    done = cli("judge", "--facts", "-", "--decisions", "d.jsonl", cwd=tmp_path, stdin=rows)
    assert (done.returncode, "fail (decision 1): kind a" in done.stdout) == (1, True)


def test_a_decision_says_what_it_takes_the_place_of(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert decide(cli, folder, "b", "pass").stdout == "decided pass: t.rule, id b (line 1 of d.jsonl)\n"
    done = decide(cli, folder, "b", "fail")
    assert done.stdout.endswith("(line 2 of d.jsonl)\nit takes the place of line 1: pass by m.ruiz\n")
    done = cli("review", "verify", "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, done.stdout.startswith("2 decisions, the chain is whole; ")) == (0, True)


def test_without_a_time_it_is_now_in_utc(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    words = ("--policy", "t.rule", "--row", "b", "--outcome", "pass", "--by", "me", "--because", "so")
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=folder)
    (one,) = read_decisions(folder / "d.jsonl")
    assert before <= one.at <= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def test_decisions_that_lie_among_the_facts_are_not_read_as_facts(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "facts").mkdir()
    (folder / "facts.json").rename(folder / "facts" / "facts.json")
    words = ("--policy", "t.rule", "--row", "b", "--outcome", "pass", "--by", "me", "--because", "so")
    arguments = ("facts", "--decisions", "facts/d.jsonl", *words)
    assert cli("review", "decide", *arguments, cwd=folder).returncode == 0
    for again in (("review", "decide", *arguments), ("judge", "--facts", *arguments[:3])):
        done = cli(*again, cwd=folder)
        assert (done.returncode, "facts/d.jsonl: decisions-unreadable: it is read as facts" in done.stderr) == (2, True)


# -- on a terminal ---------------------------------------------------------------------------------------------


def talk(folder: Path, answers: list[tuple[str, str]], *more: str) -> tuple[int, str]:
    """Runs `review decide` on a terminal: waits for each prompt, and answers. The exit code, and all that was shown."""
    main, side = pty.openpty()
    words = ("review", "decide", "facts.json", "--decisions", "d.jsonl", *more)
    env = {**os.environ, "FIEL_CACHE": str(folder / "cache")}
    child = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *words], stdin=side, stdout=side, stderr=side, cwd=folder, env=env
    )
    os.close(side)
    shown = ""
    left = list(answers)
    from_here = 0
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece.decode("utf-8", "replace")
        while left and left[0][0] in shown[from_here:]:
            prompt, answer = left.pop(0)
            from_here = shown.index(prompt, from_here) + len(prompt)
            os.write(main, answer.encode())
    os.close(main)
    assert left == [], shown
    return child.wait(30), shown.replace("\r\n", "\n")


def test_on_a_terminal_one_row_after_the_other_is_decided(tmp_path: Path) -> None:
    folder = write(tmp_path)
    answers = [
        ("quit? ", "what\n"),
        ("quit? ", "p\n"),
        ("because: ", "  \n"),
        ("because: ", "I read it.\n"),
        ("name: ", "m.ruiz\n"),
        ("quit? ", "fail\n"),
        ("because: ", "Too long.\n"),
    ]
    code, shown = talk(folder, answers)
    assert code == 0, shown
    assert "1 of 2, t.rule" in shown
    assert "    words: 4 word\n" in shown
    assert shown.endswith("nothing waits for a person, 2 are decided\n")
    said = [(one.row, one.outcome, one.by, one.because) for one in read_decisions(folder / "d.jsonl")]
    assert said == [({"id": "b"}, "pass", "m.ruiz", "I read it."), ({"id": "c"}, "fail", "m.ruiz", "Too long.")]


@pytest.mark.parametrize("last", ["q\n", "\x04"])
def test_on_a_terminal_rows_are_skipped_and_left(last: str, tmp_path: Path) -> None:
    folder = write(tmp_path)
    code, shown = talk(folder, [("quit? ", "s\n"), ("quit? ", last)], "--by", "me")
    assert (code, shown.endswith("2 wait for a person\n")) == (4, True), shown
    assert not (folder / "d.jsonl").exists()


# -- export ----------------------------------------------------------------------------------------------------


def exported(cli: Cli, folder: Path, *more: str) -> str:
    done = cli("review", "export", "facts.json", "--decisions", "d.jsonl", *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_decisions_become_cases_of_the_columns_that_the_rule_names(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "pass")
    decide(cli, folder, "c", "fail")
    text = exported(cli, folder)
    assert text.splitlines()[0] == "# policies/t/rule.yaml"
    assert text.endswith("  - {words: 4, expect: pass}\n  - {words: 5, expect: fail}\n")
    assert "m.ruiz" not in text


def test_a_decision_that_does_not_count_becomes_no_case(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "pass")
    packs.facts(folder, {"item": [{**row, "price": 9} for row in ROWS]})
    assert exported(cli, folder) == "no decision that counts is missing among the cases\n"


def test_people_who_disagree_on_what_the_rule_cannot_tell_apart_make_no_case(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path, [ROWS[1], {**ROWS[1], "id": "e"}])
    decide(cli, folder, "b", "pass")
    decide(cli, folder, "e", "fail")
    text = exported(cli, folder)
    assert "lines 1, 2: people decided otherwise of rows that are alike in all that the rule reads" in text
    assert "expect:" not in text


def test_written_cases_stand_in_the_file_once_and_test_asks_for_the_decided_outcome(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "fail")
    assert "added 1 case to policies/t/rule.yaml" in exported(cli, folder, "--write")
    assert (folder / "policies/t/rule.yaml").read_text().endswith("  - {words: 4, expect: fail}\n")
    assert "expected fail, got review" in cli("test", "--quick", cwd=folder).stdout
    # A case is no part of the rule, so the decision still counts.
    assert exported(cli, folder, "--write") == "no decision that counts is missing among the cases\n"


def test_a_group_becomes_a_case_with_its_rows(cli: Cli, tmp_path: Path) -> None:
    packs.write(tmp_path, {"groups": GROUPS})
    packs.facts(tmp_path, {"item": ROWS[:2]})
    words = ("--policy", "t.groups", "--row", "a", "--outcome", "pass", "--by", "me", "--because", "so")
    cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=tmp_path)
    assert "  - {rows: [{}, {words: 4}], expect: pass}\n" in exported(cli, tmp_path)


def test_what_other_relations_decide_becomes_no_case(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy(
        "words <= top", packs.TOP, "review_if: exists (from note where id = judged.id and not good)\n"
    ).replace("cases:", "example_facts: {note: []}\ncases:")
    packs.write(tmp_path, {"rule": rule})
    packs.facts(tmp_path, {"item": ROWS[:1], "note": [{"note": "n", "id": "a", "good": False}]})
    assert decide(cli, tmp_path, "a", "pass").returncode == 0
    assert "# policies/t/rule.yaml: line 1: no case comes out as the row does" in exported(cli, tmp_path)
