"""Each command says and writes the same as a process of its own and in this one, where most tests run it for speed."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from engine.cli import parser

from . import packs
from .conftest import Cli

RULE = packs.policy("words <= top") + "  - {words: 4, expect: fail}\n"
FACTS = {"item": [packs.ROW, {**packs.ROW, "id": "b", "words": 9}]}
WORDS: dict[str, tuple[str, ...]] = {
    "judge": ("--facts", "facts.json", "--receipt", "r.json", "--out", "json=v.json"),
    "replay": ("r.json",),
    "explain": ("t.rule", "--facts", "facts.json", "--row", "b"),
    "show": ("t.rule",),
    "diff": ("before",),
    "new": ("relation", "t.loan", "--today", "2026-12-01"),
    "completion": ("bash",),
    "cache": ("clear",),
    "check": ("--today", "2026-12-01"),
    "test": (),
    "list": (),
    "review": ("facts.json",),
    "sense": ("t", "facts.json", "--out", "run"),
    "fmt": (),
}
"""What each command is given. One that is not here is given nothing that it takes, and refuses it."""


def names() -> list[str]:
    (inner,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return sorted(inner.choices)


@pytest.fixture
def folders(tmp_path: Path, cli: Cli) -> tuple[Path, Path]:
    """Two folders with the same in them."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    packs.facts(here, FACTS)
    shutil.copytree(packs.write(here, {"rule": RULE.replace("value: 3", "value: 9")}), here / "before")
    packs.write(here, {"rule": RULE})
    cli("judge", "--facts", "facts.json", "--receipt", "r.json", "--no-cache", cwd=here)
    shutil.copytree(here, there)
    return here, there


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", names())
def test_both_doors_say_and_write_the_same(name: str, folders: tuple[Path, Path], cli: Cli, cli_process: Cli) -> None:
    words = WORDS.get(name, ("--no-such-option",))
    here, there = folders
    before = files(here)
    one, other = cli(name, *words, cwd=here), cli_process(name, *words, cwd=there)
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert files(here) == files(there)
    assert one.stdout or one.stderr
    assert (files(here) != before) == (name in ("judge", "new", "fmt"))


def test_standard_input_and_the_environment_reach_both_doors(tmp_path: Path, cli: Cli, cli_process: Cli) -> None:
    words = ("judge", "--facts", "-", "--format", "json")
    for given in ('{"flight": []}', '{"flight": [{"flght": "é"}]}', ""):
        one, other = cli(*words, stdin=given), cli_process(*words, stdin=given)
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    for number, door in enumerate((cli, cli_process)):
        cache = tmp_path / f"cache of {number}"
        door("judge", "--facts", "facts/prose/parquet", FIEL_CACHE=str(cache))
        assert len(list(cache.rglob("*.json"))) == 7  # keys and values of three files, and the packs
