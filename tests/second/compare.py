"""The two readings side by side: the engine through its public doors, and what differs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import evaluate, expr, write
from .kept import PACK, Kept, keep

ROOT = Path(__file__).resolve().parents[2]
COMPARED = ("verdict", "reason", "counts", "in_scope", "allowed", "more_witnesses", "witnesses")
WITNESS: dict[str, Any] = {
    "outcome": None, "reason": None, "in": None, "null_columns": [], "key": {}, "columns": {}, "parameters": {},
    "rows_in_scope": None, "rows_of_unknown_scope": None, "aggregates": [], "related": [],
    "waiver": None, "decision": None,
}  # fmt: skip


class RefusedByEngine(Exception):
    """The engine judged nothing; `codes` are the codes of its problems, `files` where they are."""

    def __init__(self, codes: Sequence[str], files: Sequence[str], text: str) -> None:
        super().__init__(text)
        self.codes, self.files = codes, files


def through_python(folder: Path, pair: Kept, witnesses: int, facts: Sequence[str] = ("facts.json",)) -> str:
    """The engine's verdict as JSON text, in this process."""
    from engine.pipeline import Request, judge
    from engine.render import verdict_json

    paths = tuple(str(folder / each) for each in facts)
    try:
        run = judge(Request(policies=folder, facts=paths, as_of=pair.as_of, witnesses=witnesses, packs=(PACK,)))
    except Exception as error:
        problems = getattr(error, "problems", None)
        if problems is None:
            raise
        files = [Path(each.place.file).name for each in problems if each.place is not None]
        raise RefusedByEngine([each.code for each in problems], files, str(error)) from error
    return str(verdict_json(run))


def through_process(
    folder: Path, pair: Kept, witnesses: int, facts: Sequence[str] = ("facts.json",), more: Sequence[str] = ()
) -> str:
    """The engine's verdict as JSON text, from `cli.py judge` in a process of its own."""
    command = [sys.executable, str(ROOT / "cli.py"), "judge", "--policies", str(folder), "--pack", PACK]
    for each in facts:
        command += ["--facts", str(folder / each)]
    command += ["--format", "json", "--witnesses", str(witnesses), *more]
    command += ["--as-of", pair.as_of.isoformat()] if pair.as_of else []
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    if not done.stdout.startswith("{"):
        raise RefusedByEngine(["process"], [], done.stdout + done.stderr)
    return done.stdout


def plain(entry: dict[str, Any]) -> dict[str, Any]:
    """A policy's entry of a verdict reduced to what is compared, with what may be left out filled in."""
    found = {key: entry[key] for key in COMPARED}
    found["witnesses"] = [_plain_witness(each) for each in entry["witnesses"]]
    return found


def _plain_witness(witness: dict[str, Any]) -> dict[str, Any]:
    found = {key: witness[key] if witness.get(key) is not None else empty for key, empty in WITNESS.items()}
    found["related"] = [{**each, "null_columns": sorted(each["null_columns"])} for each in found["related"]]
    found["aggregates"] = [{**each, "aggregate": _spelt(each["aggregate"])} for each in found["aggregates"]]
    return found


def _spelt(text: str) -> str:
    """An aggregate in one spelling: what it is counts, not its parentheses."""
    return write.expression(expr.parse(text))


def canonical(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, list[str]]:
    """For each policy that the two read differently, what differs, shortly; `run` for the run's own verdict."""
    found: dict[str, list[str]] = {}
    our, their = ({each["policy"]: plain(each) for each in side["policies"]} for side in (ours, theirs))
    for name in sorted(our.keys() | their.keys()):
        if name not in our or name not in their:
            found[name] = [f"only in {'ours' if name in our else 'theirs'}"]
            continue
        lines = [line for key in COMPARED for line in _shortly(key, our[name][key], their[name][key])]
        if lines:
            found[name] = lines
    if ours["verdict"] != theirs["verdict"]:
        found["run"] = [f"verdict: ours {ours['verdict']}, theirs {theirs['verdict']}"]
    told = [{key: each[key] for key in ("policy", "number", "expired")} for each in theirs["waivers"]]
    if ours["waivers"] != told:
        found["run"] = [*found.get("run", []), f"waivers: ours {ours['waivers']}, theirs {told}"]
    return found


def _shortly(where: str, ours: Any, theirs: Any) -> list[str]:
    """The parts that differ, each with its place."""
    if canonical(ours) == canonical(theirs):
        return []
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        return [line for key in ours for line in _shortly(f"{where}.{key}", ours[key], theirs[key])]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [line for at, (our, their) in pairs for line in _shortly(f"{where}[{at}]", our, their)]
    return [f"{where}: ours {canonical(ours)}, theirs {canonical(theirs)}"]


Door = Callable[[Path, Kept, int], str]


def compare(
    pair: Kept, folder: Path, witnesses: int, met: Counter[str], door: Door = through_python
) -> dict[str, list[str]]:
    """Writes the pair into the folder, judges it twice, and gives the differences; RefusedByEngine as it comes."""
    keep(pair, folder)
    theirs = json.loads(door(folder, pair, witnesses))
    return differences(evaluate.judge(pair.files, pair.facts, pair.as_of, witnesses, met), theirs)
