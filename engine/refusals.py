"""Paths of a command line that would undo each other: outputs in the place of inputs, decisions among the facts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .errors import Problem, UsageError
from .facts import Survey

_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


def refuse_decisions_among_facts(decisions: Path | None, survey: Survey) -> None:
    """A folder of facts in which the decisions lie would be read with them, as a relation that nobody declares."""
    if decisions is not None:
        path = os.path.realpath(decisions)
        if any(f.path is not None and os.path.realpath(f.path) == path for f in survey.files):
            message, help = "it is read as facts, too", "keep the decisions in another folder than the facts"
            raise UsageError(Problem("decisions-unreadable", message, where=str(decisions), help=help))


def refuse_outputs(outputs: Sequence[Path], decisions: Path | None, survey: Survey, folder: Path) -> None:
    """An output never takes the place of what was judged, nor of another output."""
    facts = {os.path.realpath(f.path) for f in survey.files if f.path is not None}
    packs = {os.path.realpath(p) for p in (folder, *folder.iterdir()) if p.is_dir()}
    piped = any(f.path is None for f in survey.files)
    decided = os.path.realpath(decisions) if decisions is not None else None
    seen: set[str] = set()
    for output in outputs:
        path = os.path.realpath(output)
        why = None
        if path in facts or (piped and _is_standard_input(path)):
            why = "is a file of the facts that are judged"
        elif path == decided:
            why = "holds the decisions that are read"
        elif any(path.startswith(pack + os.sep) for pack in packs):
            why = "lies among the policies"
        elif os.path.abspath(output).startswith(_STREAMS):
            why = "is a stream of this process; to print, use `--format`"
        elif path in seen:
            why = "is named twice"
        if why is not None:
            raise UsageError(Problem("cannot-write", f"`{output}` {why}", help="name another file"))
        seen.add(path)


def _is_standard_input(path: str) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(0))
    except OSError:
        return False
