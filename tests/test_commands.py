"""`check`, `list`, `show`, `cache` and the options that every command has."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import __version__

from . import packs
from .conftest import Cli

GUESS = "top: {value: 3, unit: word, origin: guess, because: x, revisit: 2026-06-30}"


def test_the_version_is_printed(cli: Cli) -> None:
    assert cli("--version").stdout == f"fiel {__version__}\n"


@pytest.mark.parametrize("command", [(), ("judge",), ("check",), ("list",), ("show",), ("cache",)])
def test_every_command_has_help(cli: Cli, command: tuple[str, ...]) -> None:
    done = cli(*command, "--help")
    assert done.returncode == 0
    assert "usage: fiel" in done.stdout


def test_a_misspelt_command_names_the_nearest(cli: Cli) -> None:
    done = cli("jugde")
    assert done.returncode == 2
    assert "did you mean `judge`?" in done.stderr


def test_a_misspelt_option_names_the_nearest(cli: Cli) -> None:
    done = cli("judge", "--fact", "x")
    assert done.returncode == 2
    assert "did you mean `--facts`?" in done.stderr


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("judge", "--policies", "a", "--facts", "x", "--policies", "a"), "--policies"),
        (("judge", "--facts", "x", "--as-of", "2026-01-01", "--as-of=2026-01-02"), "--as-of"),
        (("honesty", "--policies", "a", "--policies=b"), "--policies"),
        (("reference", "look", "x", "a=b", "--policies", "a", "--policies", "b"), "--policies"),
        (("list", "--policies", "a", "--policies", "b"), "--policies"),
    ],
)
def test_an_option_that_takes_one_value_is_refused_a_second_time(
    words: tuple[str, ...], option: str, cli: Cli, tmp_path: Path
) -> None:
    done = cli(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"usage: argument {option}: given twice" in done.stderr


@pytest.mark.parametrize("command", ["check", "test", "fmt"])
@pytest.mark.parametrize("words", [("--policies", "p2"), ("--policies=p2",), ("--policies", "p2", "p3")])
def test_a_command_that_takes_paths_says_so_where_packs_are_named_by_option(
    command: str, words: tuple[str, ...], cli: Cli
) -> None:
    done = cli(command, *words)
    assert done.returncode == 2
    assert f"packs are named as `fiel {command} p2`" in done.stderr


def test_what_is_no_path_of_packs_is_not_called_one(cli: Cli) -> None:
    assert "packs are named" not in cli("init-ci", "--policies", "p2").stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("page.html", "write `html=page.html`"),
        ("out/a.b/page.HTM", "write `html=out/a.b/page.HTM`"),
        ("found.xml", "write `junit=found.xml`"),
        ("verdict.txt", "write `text=verdict.txt`"),
        ("verdict", "as in json=verdict.json"),
        ("html", "as in json=verdict.json"),
        ("html=", "as in json=verdict.json"),
    ],
)
def test_an_output_without_its_format_is_told_how_it_is_written(text: str, says: str, cli: Cli) -> None:
    done = cli("judge", "--facts", "x", "--out", text)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize(
    ("word", "path"), [("t.rule", "policies/t/rule.yaml"), ("rule", "policies/t/rule.yaml"), ("t", "policies/t")]
)
@pytest.mark.parametrize("command", ["test", "check"])
def test_a_name_in_the_place_of_a_path_is_led_to_its_file(
    command: str, word: str, path: str, cli: Cli, tmp_path: Path
) -> None:
    packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    done = cli(command, word, cwd=tmp_path)
    assert done.returncode == 2
    assert f"help: paths are taken here; did you mean `{path}`?" in done.stderr
    assert "name a folder of packs" in cli(command, "t.other", cwd=tmp_path).stderr


def test_suggest_says_which_kinds_of_case_are_missing(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    done = cli("test", "--suggest", root)
    assert done.returncode == 1
    assert "rule.yaml: no case fails" in done.stdout
    assert "rule.yaml: no case is without evidence: add" in done.stdout
    assert "not in order" not in done.stdout


def test_check_without_problems_exits_0(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    done = cli("check", root)
    assert (done.returncode, done.stdout) == (0, "1 policy in 1 pack: 0 problems, 0 notes\n")


def test_check_reports_the_problems_of_all_files_at_once(cli: Cli, tmp_path: Path) -> None:
    rules = {
        "one": packs.policy("wrods <= top", name="one"),
        "two": packs.policy("words <= top", name="two", more="alow: top\n"),
        "three": packs.policy("words <= 3", name="three"),
    }
    done = cli("check", packs.write(tmp_path, rules))
    assert done.returncode == 1
    for code in ("unknown-column", "unknown-key", "bare-number"):
        assert code in done.stdout


def test_check_of_one_file_speaks_of_that_file(cli: Cli, tmp_path: Path) -> None:
    rules = {"one": packs.policy("wrods <= top", name="one"), "two": packs.policy("wrods <= top", name="two")}
    root = packs.write(tmp_path, rules)
    done = cli("check", root / "t" / "one.yaml")
    assert done.returncode == 1
    assert "one.yaml:5:3: unknown-column" in done.stdout
    assert "two.yaml" not in done.stdout


@pytest.mark.parametrize("command", ["check", "test"])
def test_a_file_is_not_in_order_if_what_it_rests_on_is_not(cli: Cli, tmp_path: Path, command: str) -> None:
    broken = packs.RELATIONS.replace("{type: int, unit: word}", "{type: integer, unit: word}")
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")}, broken)
    done = cli(command, root / "t" / "rule.yaml")
    assert done.returncode != 0
    assert "relations.yaml:" in done.stdout + done.stderr


def test_check_fails_for_a_guess_past_its_day_and_the_verdict_does_not(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top", GUESS)})
    assert cli("check", root, "--today", "2026-06-30").returncode == 0
    late = cli("check", root, "--today", "2026-07-01")
    assert late.returncode == 1
    assert "past-revisit" in late.stdout
    assert cli("judge", "--policies", root, "--facts", packs.facts(tmp_path, {"item": [packs.ROW]})).returncode == 0


def test_a_gap_in_dated_values_is_a_note(cli: Cli, tmp_path: Path) -> None:
    values = "{from: 2026-01-01, until: 2026-02-01, value: 3, source: s}, {from: 2026-03-01, value: 4, source: s}"
    params = f"top: {{unit: word, origin: contract, because: x, values: [{values}]}}"
    done = cli("check", packs.write(tmp_path, {"rule": packs.policy("words <= top", params, "as_of: day\n")}))
    assert done.returncode == 0
    assert "note: gap-in-values" in done.stdout


def test_check_of_nothing_is_no_success(cli: Cli, tmp_path: Path) -> None:
    assert cli("check", tmp_path / "none").returncode == 2
    assert cli("check", packs.write(tmp_path, {})).returncode == 2
    (tmp_path / "empty").mkdir()
    assert cli("check", tmp_path / "empty").returncode == 1


def test_check_of_what_is_no_file_of_a_pack_is_refused(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    (tmp_path / "x.txt").write_text("x")
    (tmp_path / "x.yaml").write_text("policy: t.x\n")
    (root / "t" / "notes.txt").write_text("x")
    for path in (tmp_path / "x.txt", tmp_path / "x.yaml", root / "t" / "notes.txt"):
        done = cli("check", path)
        assert done.returncode == 2
        assert "is no file of a pack" in done.stderr


def test_list_names_packs_relations_and_policies(cli: Cli, tmp_path: Path) -> None:
    done = cli("list", "--policies", packs.write(tmp_path, {"rule": packs.policy("words <= top")}))
    assert done.stdout == (
        "t 0.1.0  T\n  relation item  One item.\n  relation note  One note about an item.\n  policy t.rule  T\n"
    )


def test_show_tells_the_rule_its_numbers_and_its_cases(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    shown = cli("show", "t.rule", "--policies", root).stdout
    assert "must: words <= top" in shown
    assert "top 3 word: convention, x" in shown
    assert "cases: 1 pass" in shown


def test_show_of_a_misspelt_policy_names_the_nearest(cli: Cli, tmp_path: Path) -> None:
    done = cli("show", "t.rul", "--policies", packs.write(tmp_path, {"rule": packs.policy("words <= top")}))
    assert done.returncode == 2
    assert "did you mean `t.rule`?" in done.stderr


def test_the_cache_is_cleared_of_what_fiel_put_there_and_no_more(cli: Cli, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert cli("judge", "--facts", "facts/prose/parquet").returncode == 1
    kept = list(cache.rglob("*.json"))
    assert len(kept) == 7  # keys and values of three relations, and the checked packs
    (cache / "mine.txt").write_text("x")
    assert cli("cache", "clear").stdout == "removed 7 files\n"
    assert [p.name for p in cache.rglob("*") if p.is_file()] == ["mine.txt"]


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locale_time_zone_and_hash_seed_change_no_byte(cli_process: Cli, locale: str) -> None:
    plain = cli_process("judge", "--facts", "facts/prose/json", "--format", "json").stdout
    other = cli_process(
        "judge", "--facts", "facts/prose/json", "--format", "json", LC_ALL=locale, TZ="Asia/Tokyo", PYTHONHASHSEED="7"
    )
    assert other.stdout == plain


ALL_KINDS = (
    "  - {words: 4, expect: fail}\n  - {words: null, expect: no_evidence}\n"
    "  - {words: 3, expect: pass}\n  - {rows: [], expect: no_evidence}\n"
)


def test_the_cases_of_a_policy_are_run(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top") + ALL_KINDS})
    done = cli("test", root)
    assert done.returncode == 0
    assert "ok  t.rule  5 cases and the example, 13 of 13 mutants killed" in done.stdout
    assert "mutants: 13 of 13 killed" in done.stdout


def test_a_case_that_is_not_as_expected_is_named_with_what_came_of_it(cli: Cli, tmp_path: Path) -> None:
    wrong = ALL_KINDS.replace("expect: fail", "expect: pass")
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top") + wrong + "  - {words: 5, expect: fail}\n"})
    done = cli("test", root)
    assert done.returncode == 1
    assert "rule.yaml:12:24: expected pass, got fail" in done.stdout
    assert "passes if words <= 3 (1 word lower)" in done.stdout


def test_an_example_that_does_not_pass_is_named(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("words > top").replace("words: 1, expect: pass", "words: 1, expect: fail")
    done = cli("test", packs.write(tmp_path, {"rule": rule + "  - {words: null, expect: no_evidence}\n"}))
    assert done.returncode == 1
    assert "the example: expected pass, got fail" in done.stdout


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("  - {words: 4, expect: fail}\n", "no case fails"),
        ("  - {words: null, expect: no_evidence}\n  - {rows: [], expect: no_evidence}\n", "without evidence"),
    ],
)
def test_a_kind_of_case_that_is_missing_is_said(cli: Cli, tmp_path: Path, left_out: str, said: str) -> None:
    kinds = "".join(line for line in ALL_KINDS.splitlines(keepends=True) if line not in left_out)
    rule = packs.policy("words <= top") + kinds
    done = cli("test", packs.write(tmp_path, {"rule": rule}))
    assert done.returncode == 1
    assert said in done.stdout


def test_cases_of_a_broken_policy_are_not_run(cli: Cli, tmp_path: Path) -> None:
    done = cli("test", packs.write(tmp_path, {"rule": packs.policy("wrods <= top") + ALL_KINDS}))
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown-column" in done.stderr


# -- where packs are looked for --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "test"])
def test_the_shipped_packs_are_never_checked_in_place_of_ones_own(cli: Cli, tmp_path: Path, command: str) -> None:
    done = cli(command, cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no folder `policies`" in done.stderr


@pytest.mark.parametrize("inside", ["policies", "policies/t"])
def test_packs_are_found_in_the_folder_where_one_stands(cli: Cli, tmp_path: Path, inside: str) -> None:
    packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    done = cli("check", cwd=tmp_path / inside)
    assert done.returncode == 0
    assert done.stdout.startswith("policies: the pack")
    assert "1 policy in 1 pack" in done.stdout


def test_judging_by_the_shipped_packs_is_said_first(cli: Cli, tmp_path: Path) -> None:
    done = cli("judge", "--facts", packs.facts(tmp_path, {"flight": []}), cwd=tmp_path)
    assert done.stdout.startswith("policies: those shipped with Fiel, as there is no folder `policies` here\n")
    other = cli("judge", "--facts", packs.facts(tmp_path, {"crate": []}), cwd=tmp_path)
    assert other.returncode == 2
    assert "name your own with `--policies DIR`" in other.stderr


# -- outputs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["facts.json", "policies/t/rule.yaml", "policies/t/new.json"])
def test_an_output_never_takes_the_place_of_what_is_judged(cli: Cli, tmp_path: Path, output: str) -> None:
    packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    path = packs.facts(tmp_path, {"item": [packs.ROW]})
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = cli("judge", "--facts", path, "--out", f"json={output}", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot-write" in done.stderr
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_two_outputs_are_two_files(cli: Cli, tmp_path: Path) -> None:
    packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    path = packs.facts(tmp_path, {"item": [packs.ROW]})
    done = cli("judge", "--facts", path, "--out", "json=v", "--out", "text=./v", cwd=tmp_path)
    assert done.returncode == 2
    assert "is named twice" in done.stderr


def test_each_of_two_copies_of_a_policy_is_run(cli: Cli, tmp_path: Path) -> None:
    good = packs.policy("words <= top") + ALL_KINDS
    bad = packs.policy("words <= top") + ALL_KINDS.replace("expect: fail", "expect: pass")
    roots = [packs.write(tmp_path / "a", {"rule": bad}), packs.write(tmp_path / "b", {"rule": good})]
    assert cli("test", *roots).returncode == 1
    assert cli("test", *reversed(roots)).returncode == 1


def test_a_pack_file_stands_for_its_pack(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top") + ALL_KINDS})
    assert (
        "ok  t.rule  5 cases and the example, 13 of 13 mutants killed" in cli("test", root / "t" / "pack.yaml").stdout
    )


@pytest.mark.parametrize("unit", ["percent", "Percent", "per_cent", "pct"])
def test_a_tolerance_in_per_cent_is_not_taken_for_a_number_of_rows(cli: Cli, tmp_path: Path, unit: str) -> None:
    params = f"{packs.TOP}\n  few: {{value: 5, unit: {unit}, origin: convention, because: x}}"
    done = cli("check", packs.write(tmp_path, {"rule": packs.policy("words <= top", params, "allow: few\n")}))
    assert done.returncode == 1
    assert "allow-out-of-range" in done.stdout
    assert "write `value: 5%` without a unit" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("test", ""),
        ("check", ""),
        ("fmt", ""),
        ("judge", "--facts", ""),
        ("judge", "--facts", "item="),
        ("judge", "--facts", "facts.json", "--policies", ""),
        ("explain", "t.rule", "--policies", ""),
        ("explain", "t.rule", "--row", "a", "--facts", ""),
        ("diff", "HEAD", "--facts", ""),
        ("new", "--from-facts", ""),
        ("new", "pack", "x", "--policies", ""),
        ("replay", ""),
        ("list", "--policies", ""),
        ("show", "t.rule", "--policies", ""),
    ],
)
def test_an_empty_path_is_not_the_current_folder(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    """As `fiel test "$DIR"` is where nobody set DIR: what stands here is not what was meant."""
    packs.write(tmp_path, {"rule": packs.policy("words <= top") + ALL_KINDS})
    packs.facts(tmp_path, {"item": [packs.ROW]})
    before = sorted(tmp_path.rglob("*"))
    done = cli(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "names no file or folder; is a variable of the shell not set?" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
