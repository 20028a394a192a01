"""A pack with its facts and its receipt, and judging by it again."""

from __future__ import annotations

import contextlib
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.canonical import dumps
from engine.errors import FielError
from engine.pipeline import Request, judge
from engine.render import verdict_json
from engine.replay import Again, replay, replay_text

from . import packs
from .conftest import ROOT

SCHEMA = json.loads((ROOT / "engine/schemas/receipt.schema.json").read_text(encoding="utf-8"))
WAIVERS = "- {policy: t.rule, rows: {id: b}, owner: me, because: So., until: 2027-01-01, at_most: 1}\n"
ROWS = [{**packs.ROW, "id": each, "words": words} for each, words in (("a", 1), ("b", 9), ("c", 9))]
RULE = packs.policy("words <= top and not exists (from note where id = judged.id and not good)")
SHARED = "least: {value: 0, unit: word, origin: convention, because: x}\n"


def write(folder: Path) -> None:
    root = packs.write(folder, {"rule": RULE, "other": packs.policy("words >= least", "", name="other")})
    (root / "t" / "parameters.yaml").write_text(SHARED, encoding="utf-8")
    (root / "t" / "waivers.yaml").write_text(WAIVERS, encoding="utf-8")
    packs.facts(folder, {"item": ROWS, "note": []})


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with a pack, facts, and the receipt of judging them."""
    write(tmp_path)
    with contextlib.chdir(tmp_path):
        run = judge(Request(facts=("facts.json",), as_of=date(2026, 12, 1), receipt=True, threads=1))
    assert run.receipt is not None
    (tmp_path / "r.json").write_text(dumps(run.receipt), encoding="utf-8")
    (tmp_path / "verdict.json").write_text(verdict_json(run), encoding="utf-8")
    return tmp_path


def again(folder: Path) -> tuple[int, str]:
    """The exit code of replaying in a folder, in this process, and what is printed: 2 and the problems if refused."""
    with contextlib.chdir(folder):
        try:
            done = replay(Path("r.json"), Again(threads=1))
        except FielError as error:
            return 2, " ".join(f"{p.where}: {p.code}: {p.message}" for p in error.problems)
    return done.exit_code, replay_text(done)


def receipt(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    return found


def save(folder: Path, document: object, name: str = "r.json") -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    (folder / name).write_text(text, encoding="utf-8")
