"""Folders of many runs, as `fiel run` leaves them: a report folder with `runs/`, that folder itself, or part of it."""

from __future__ import annotations

import json
from pathlib import Path

from .errors import Problem, UsageError
from .run_folder import MOST_BYTES, RECORD, RunFolder
from .seal import MEMBER

_RUNS = "runs"


def facts_of(given: str) -> tuple[str, ...]:
    """A path of facts as it is; of a folder of many runs, those that are complete, and the rows beside them.

    A document whose run is not complete was not looked at, and the records of the others say so. Raises UsageError for
    a report, which shows facts and holds none, and for a folder of runs of which none is complete.
    """
    path = Path(given)
    _refuse_report(path)
    if not path.is_dir() or (path / RECORD).exists():
        return (given,)
    root = path / _RUNS if (path / _RUNS).is_dir() else path
    found = [one.parent for one in sorted(root.rglob(RECORD)) if not _hidden(one.relative_to(root))]
    if not found:
        return (given,)
    whole = [one for one in found if (RunFolder(one).read(RECORD) or {}).get("status") == "complete"]
    if not whole:
        help = "go on with them first"
        raise UsageError(Problem("run-folder", f"none of the {len(found)} runs in `{given}` is complete", help=help))
    beside = {row for one in whole for row in one.parent.glob("*.jsonl") if not row.name.startswith(".")}
    return (*map(str, sorted(beside)), *map(str, whole))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _refuse_report(path: Path) -> None:
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return  # whoever reads it as facts says what is wrong
    if isinstance(found, dict) and MEMBER in found:
        message = "it is a report, which shows facts and holds none"
        help = f"name the runs that it was made of: `--keep`, or the folder `{_RUNS}` beside it"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help=help))
