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
    assert len(kept) == 3
    (cache / "mine.txt").write_text("x")
    assert cli("cache", "clear").stdout == "removed 3 files\n"
    assert [p.name for p in cache.rglob("*") if p.is_file()] == ["mine.txt"]


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locale_time_zone_and_hash_seed_change_no_byte(cli: Cli, locale: str) -> None:
    plain = cli("judge", "--facts", "facts/prose/json", "--format", "json").stdout
    other = cli(
        "judge", "--facts", "facts/prose/json", "--format", "json", LC_ALL=locale, TZ="Asia/Tokyo", PYTHONHASHSEED="7"
    )
    assert other.stdout == plain
