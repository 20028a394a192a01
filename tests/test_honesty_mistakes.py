"""Mistakes of those who write honesty tests: each is said at its place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import PolicyError
from engine.honesty import (
    TABLES,
    promises,
    read_promises,
)
from engine.render.problems import render_problems

from .conftest import ROOT

# -- mistakes of authors -----------------------------------------------------------------------------------------

GOOD = """honesty_test: mine
title: Mine
because: It is mine.
offenders: |
  select policy from verdict
  where verdict = 'fail'
planted:
  verdict: [{policy: a.b, verdict: fail}]
"""


def _problems(tmp_path: Path, text: str) -> str:
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    _, problems = read_promises(tmp_path)
    return render_problems([replace(p, excerpt="") for p in problems]).replace(f"{tmp_path}/", "")


def test_a_good_test_is_read(tmp_path: Path) -> None:
    assert _problems(tmp_path, GOOD) == ""
    (test,) = promises(tmp_path)
    assert (test.name, test.reads) == ("mine", {"verdict"})


MISTAKES = {
    "unknown table": (("from verdict", "from verdicts"), "mine.yaml:5:22: unknown-table: there is no table `verdicts`"),
    "unknown column": (
        ("select policy", "select polcy"),
        "mine.yaml:5:10: unknown-column: there is no column `polcy` here",
    ),
    "unknown column of a planted row": (
        ("policy: a.b", "polcy: a.b"),
        "mine.yaml:8:14: unknown-column: `polcy` is not a column of verdict",
    ),
    "unknown planted table": (
        ("  verdict: [", "  verdit: ["),
        "mine.yaml:8:3: unknown-table: there is no table `verdit`",
    ),
    "bad sql": (("where verdict = 'fail'", "where verdict = = 'fail'"), "mine.yaml:6:"),
    "two statements": (("'fail'\n", "'fail'; delete from verdict\n"), "bad-honesty-query: the query is not one select"),
    "no select": (
        ("select policy from verdict\n  where verdict = 'fail'", "delete from verdict"),
        "the query is not one select",
    ),
    "a file": (("from verdict", "from read_csv('/etc/passwd')"), "unknown-table"),
    "a file by name": (("from verdict", "from '/etc/passwd'"), "unknown-table"),
    "the catalog": (("from verdict", "from information_schema.tables"), "unknown-table"),
    "no table": (("from verdict\n  where verdict = 'fail'", ""), "the query reads none of the tables"),
    "the clock": (
        ("= 'fail'", "= 'fail' and current_date > '2020-01-01'"),
        "`current_date` is not the same on every day",
    ),
    "chance": (("= 'fail'", "= 'fail' and random() < 2"), "`random` is not the same on every day"),
    "not caught": (
        ("verdict: fail}", "verdict: pass}"),
        "offender-not-caught: `mine` does not catch row 1 that it plants in `verdict`",
    ),
    "one of two not caught": (
        ("verdict: fail}]", "verdict: fail}, {policy: c, verdict: review}]"),
        "does not catch row 2",
    ),
    "planted elsewhere": (
        ("  verdict: [{policy: a.b, verdict: fail}]", "  run: [{verdict: fail}]"),
        "plants rows in `run` and does not read it",
    ),
    "nothing planted": (("planted:\n  verdict: [{policy: a.b, verdict: fail}]", "planted: {}"), "mine.yaml:7"),
    "no key": (("because: It is mine.\n", ""), "because"),
    "unknown key": (("because:", "becuase:"), "becuase"),
    "another name": (
        ("honesty_test: mine", "honesty_test: yours"),
        "honesty-test-name: the file of this test is `mine.yaml`, not `yours.yaml`",
    ),
    "wrong type": (
        ("verdict: fail}", "verdict: fail, failed: many}"),
        "wrong-value: `failed` is a whole number, not `many`",
    ),
    "types that do not fit": (("verdict = 'fail'", "failed = 'many'"), "bad-honesty-query"),
    "fails over the planted": (
        ("verdict = 'fail'", "cast(policy as int) = 1"),
        "bad-honesty-query: the query of `mine` fails over its planted rows",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    (old, new), expected = MISTAKES[name]
    assert old in GOOD
    told = _problems(tmp_path, GOOD.replace(old, new))
    assert expected in told
    assert "Traceback" not in told
    with pytest.raises(PolicyError):
        promises(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "a: &x 1", "honesty_test: mine\n", "\xff", "offenders: " + "(" * 3000])
def test_a_file_that_is_no_test_is_a_problem(text: str, tmp_path: Path) -> None:
    assert _problems(tmp_path, text)


def test_a_folder_without_a_test_promises_nothing(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(PolicyError, match="no-honesty-tests"):
            promises(folder)
    (tmp_path / "mine.yaml").write_text(GOOD)
    (tmp_path / "other.yml").write_text(GOOD)
    with pytest.raises(PolicyError, match="no-honesty-tests"):
        promises(tmp_path)


def test_the_columns_of_the_tables_are_documented() -> None:
    page = (ROOT / "docs/honesty.md").read_text("utf-8")
    told: dict[str, dict[str, str]] = {}
    for table, columns in re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", page, re.MULTILINE):
        told[table] = dict(re.findall(r"`(\w+)` (text|int|bool)", columns))
    assert told == {name: dict(columns) for name, columns in TABLES.items()}
