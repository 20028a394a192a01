"""What else knows views: decisions on their rows, waivers, explanations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from . import view_pack
from .conftest import Cli

FACTS = {
    "basket": [{"basket": "a"}, {"basket": "b"}],
    "line": [{"line": "1", "basket": "a", "price": 60}, {"line": "2", "basket": "b", "price": 70}],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two baskets, both of which a person has to look at."""
    path = view_pack.lay(tmp_path) / "shop" / "dear.yaml"
    unsure = "params:\n  unsure: {value: 50, unit: EUR, origin: convention, because: x}\n"
    text = path.read_text("utf-8").replace("params:\n", f"review_if: total > unsure\n{unsure}")
    text = text.replace("expect: pass", "expect: review").replace("expect: fail", "expect: review")
    path.write_text(text, "utf-8")
    (tmp_path / "facts.json").write_text(json.dumps(FACTS), "utf-8")
    return tmp_path


def decide(cli: Cli, home: Path) -> None:
    words = ["--policy", "shop.dear", "--row", "basket=a", "--outcome", "fail", "--by", "me", "--because", "x"]
    done = cli("review", "decide", "facts.json", *words, "--decisions", "d.jsonl", cwd=home)
    assert (done.returncode, done.stderr) == (0, "")


def judged(cli: Cli, home: Path) -> tuple[int, str]:
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", cwd=home)
    return done.returncode, done.stdout


def test_a_row_of_a_view_is_decided(cli: Cli, home: Path) -> None:
    decide(cli, home)
    code, printed = judged(cli, home)
    assert (code, "1 failed, 1 to review of 2 rows, 1 decided by a person" in printed) == (1, True)


def test_a_decision_fits_no_more_once_the_row_or_the_view_is_another(cli: Cli, home: Path) -> None:
    decide(cli, home)
    facts, views = home / "facts.json", home / "policies/shop/views.sql"
    before = facts.read_text("utf-8")
    facts.write_text(before.replace("60", "61"), "utf-8")
    code, printed = judged(cli, home)
    assert (code, "NO EFFECT, the row is not what it was" in printed) == (4, True)
    facts.write_text(before, "utf-8")
    assert judged(cli, home)[0] == 1
    views.write_text(views.read_text("utf-8").replace("l.price > 0", "l.price > 1"), "utf-8")
    code, printed = judged(cli, home)
    assert (code, "NO EFFECT, the policy is not what it was" in printed) == (4, True)


def test_a_number_that_only_the_view_reads_undoes_a_decision_too(cli: Cli, home: Path) -> None:
    decide(cli, home)
    numbers = home / "policies/shop/parameters.yaml"
    numbers.write_text(numbers.read_text("utf-8").replace("value: 1,", "value: 1.0,"), "utf-8")
    assert judged(cli, home)[0] == 4


def test_a_failed_row_of_a_view_is_waived(cli: Cli, home: Path) -> None:
    waiver = "policy: shop.dear, rows: {basket: a}, owner: me, because: x, until: 2027-01-01, at_most: 1"
    (home / "policies/shop/waivers.yaml").write_text(f"- {{{waiver}}}\n", "utf-8")
    (home / "facts.json").write_text(json.dumps(FACTS).replace("60", "160"), "utf-8")
    path = home / "policies/shop/dear.yaml"
    path.write_text(view_pack.POLICY, "utf-8")
    done = cli("judge", "--facts", "facts.json", "--as-of", "2026-12-01", cwd=home)
    assert (done.returncode, "1 waived" in done.stdout) == (0, True), done.stdout
    assert cli("judge", "--facts", "facts.json", "--as-of", "2027-01-01", cwd=home).returncode == 1


def test_a_row_of_a_view_is_explained(cli: Cli, home: Path) -> None:
    done = cli("explain", "shop.dear", "--facts", "facts.json", "--row", "a", cwd=home)
    assert done.returncode == 0, done.stderr
    assert "total: 60.00 EUR" in done.stdout
