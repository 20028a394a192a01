"""Rows in review, and decisions on them, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from . import packs
from .conftest import ROOT, Cli

PARAMS = (
    "top: {value: 3, unit: word, origin: convention, because: x}\n"
    "  doubt: {value: 5, unit: word, origin: convention, because: x}"
)
RULE = packs.policy("words <= top", PARAMS, "review_if: words > top and words <= doubt\n")
GROUPS = packs.policy(
    "max(words) <= top",
    PARAMS,
    "per: [kind]\nwhere: kind is not null\nreview_if: max(words) > top and max(words) <= doubt\n",
    name="groups",
).replace("{words: 1, expect", "{rows: [{}], expect")
ROWS = [{**packs.ROW, "id": one, "words": words} for one, words in (("a", 1), ("b", 4), ("c", 5), ("d", 9))]
SCHEMA = json.loads((ROOT / "engine/schemas/verdict.schema.json").read_text(encoding="utf-8"))
LINE_SCHEMA = json.loads((ROOT / "engine/schemas/decision.schema.json").read_text(encoding="utf-8"))
AT = "2026-12-01T08:00:00Z"


def write(folder: Path, rows: object = None, rule: str = RULE) -> Path:
    packs.write(folder, {"rule": rule})
    packs.facts(folder, {"item": ROWS if rows is None else rows})
    return folder


def decide(cli: Cli, folder: Path, row: str, outcome: str, *more: str, because: str = "I read it.") -> Any:
    words = ("--policy", "t.rule", "--row", row, "--outcome", outcome, "--by", "m.ruiz", "--because", because)
    return cli("review", "decide", "facts.json", "--decisions", "d.jsonl", "--at", AT, *words, *more, cwd=folder)


def decided(cli: Cli, folder: Path, *pairs: str) -> Path:
    """The folder with its decisions: `b=pass` each. What the command wrote once is the same bytes ever after."""
    write(folder)
    if pairs not in _WRITTEN:
        for pair in pairs:
            row, _, outcome = pair.partition("=")
            assert decide(cli, folder, row, outcome).returncode == 0
        _WRITTEN[pairs] = (folder / "d.jsonl").read_bytes()
    (folder / "d.jsonl").write_bytes(_WRITTEN[pairs])
    return folder


_WRITTEN: dict[tuple[str, ...], bytes] = {}


def judged(cli: Cli, folder: Path, *more: str) -> dict[str, Any]:
    done = cli(
        "judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", "json", *more, cwd=folder
    )  # fmt: skip
    assert done.returncode in (0, 1, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def why(verdict: dict[str, Any]) -> list[str | None]:
    return [one["why_not"] for one in verdict["decisions"]]
