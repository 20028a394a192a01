"""Folders of many runs, as `fiel run` leaves them: a report folder with `runs/`, that folder itself, or part of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .errors import Problem, UsageError
from .run_folder import MOST_BYTES, RECORD, RunFolder
from .seal import MEMBER

_RUNS = "runs"
_INDEX = "index.json"


def facts_of(given: str) -> tuple[str, ...]:
    """A path of facts as it is; of a folder of many runs, those that are complete, and the rows beside them.

    A document whose run is not complete was not looked at, and the records of the others say so. A folder of
    reports lists those that have one, and of others no run is taken. Raises UsageError for a report, which shows facts
    and holds none, and for a folder of runs of which none is complete.
    """
    path = Path(given)
    _refuse_report(path)
    if not path.is_dir() or (path / RECORD).exists():
        return (given,)
    root = path / _RUNS if (path / _RUNS).is_dir() else path
    found = [one.parent for one in sorted(root.rglob(RECORD)) if not _hidden(one.relative_to(root))]
    if not found:
        return (given,)
    listed = _reported(root.parent / _INDEX)
    if listed is not None:
        found = [one for one in found if one.parent.relative_to(root).as_posix() in listed]
    whole = [one for one in found if (RunFolder(one).read(RECORD) or {}).get("status") == "complete"]
    if not whole:
        help = "go on with them first"
        raise UsageError(Problem("run-folder", f"none of the {len(found)} runs in `{given}` is complete", help=help))
    beside = {row for one in whole for row in one.parent.glob("*.jsonl") if not row.name.startswith(".")}
    return (*map(str, sorted(beside)), *map(str, whole))


def _reported(index: Path) -> frozenset[str] | None:
    """The documents that have a report by the index beside the runs; None if there is none.

    Runs are never thrown away. Those on a text that went since, or that failed, are in no report.
    """
    found = _object(index)
    entries = found.get("entries") if found is not None else None
    if not isinstance(entries, list):
        return None
    listed = [one for one in entries if isinstance(one, dict) and isinstance(one.get("page"), str)]
    return frozenset(one["document"] for one in listed if isinstance(one.get("document"), str))


def _object(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8")) if path.stat().st_size <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _refuse_report(path: Path) -> None:
    found = _object(path) if path.suffix.lower() == ".json" else None  # of others, who reads them says what is wrong
    if found is not None and MEMBER in found:
        message = "it is a report, which shows facts and holds none"
        help = f"name the runs that it was made of: `--keep`, or the folder `{_RUNS}` beside it"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help=help))
