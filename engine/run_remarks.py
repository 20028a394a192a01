"""What a sensor reported and the program refused, as the `diagnostics.jsonl` of its run has it."""

from __future__ import annotations

import json
from pathlib import Path

from .errors import Problem, UsageError
from .report import Dropped
from .run_folder import MOST_BYTES

_DROPPED = ("quote-absent", "quote-ambiguous", "quote-empty", "quote-surrogate", "span-repeated", "choice-refused")
"""Remarks on what was refused. The others are on what was kept."""


def dropped_of(sensor: str, folder: Path) -> tuple[Dropped, ...]:
    """What was refused, in the order of the file. Raises UsageError if the file cannot be read to its end.

    Without it a report could not say what is missing from it.
    """
    path = folder / "diagnostics.jsonl"
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(_unreadable(path, f"it has over {MOST_BYTES >> 20} MB"))
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(_unreadable(path, why)) from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            remark = json.loads(line)
        except (ValueError, RecursionError):
            remark = None
        if not isinstance(remark, dict):
            raise UsageError(_unreadable(path, f"line {number} is no remark"))
        if remark.get("code") in _DROPPED:
            shown = _shown(remark.get("details"))
            found.append(Dropped(str(remark["code"]), str(remark.get("message", "")), shown, sensor))
    return tuple(found)


def _shown(details: object) -> str:
    """What was reported, as it was: values that say something, by name."""
    if not isinstance(details, dict):
        return ""
    kept = {name: value for name, value in details.items() if value is not None and name != "nearest"}
    return ", ".join(f"{name}: {value}" for name, value in kept.items())


def _unreadable(path: Path, why: str) -> Problem:
    message = f"what the run refused cannot be read: {why}"
    return Problem("run-folder", message, where=str(path), help="name a run with its `diagnostics.jsonl`")
