"""Waivers as files, and what judging with them gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import packs
from .conftest import Cli

RULE = packs.policy("words <= top")
DAY = "2026-12-01"
FAILING = [{**packs.ROW, "id": each, "words": 9} for each in "abcde"]


def entry(**given: object) -> dict[str, object]:
    """A waiver; what is given stands in place of its usual values, None leaves a key out."""
    usual = {"policy": "t.rule", "owner": "me", "because": "So.", "until": "2027-01-01", "at_most": 1}
    return {key: value for key, value in {**usual, **given}.items() if value is not None}


def listed(*waivers: dict[str, object]) -> str:
    """`waivers.yaml`: values as they stand, so that texts that look like numbers are numbers."""

    def flow(value: object) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"
        return str(value)

    return "".join(f"- {flow(each)}\n" for each in waivers)


def write(folder: Path, waivers: str, rule: str = RULE) -> Path:
    root = packs.write(folder, {"rule": rule})
    (root / "t" / "waivers.yaml").write_text(waivers, encoding="utf-8")
    return root


def judged(cli: Cli, folder: Path, waivers: str, rows: object, *more: str, rule: str = RULE) -> dict[str, Any]:
    """The JSON verdict of the one policy's pack."""
    dated = more if "--as-of" in more else ("--as-of", DAY, *more)
    arguments = ("--format", "json", *dated)
    done = cli("judge", "--policies", write(folder, waivers, rule), "--facts", packs.facts(folder, rows), *arguments)
    assert done.returncode in (0, 1, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def waived(verdict: dict[str, Any]) -> dict[str, int]:
    """The waiver of each waived row."""
    witnesses = verdict["policies"][0]["witnesses"]
    return {w["key"]["id"]: w["waiver"] for w in witnesses if w["outcome"] == "waived"}
