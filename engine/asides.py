"""What a run wrote beside its rows for the person who decides: the text that was asked about, the question, the rule.

It is shown and never judged, and only as the run recorded it: a text that was changed since would mislead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import canonical
from .errors import Problem, UsageError
from .run_folder import RECORD, REVIEW, RunFolder

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Aside:
    """What stands beside one row."""

    ask: str
    text: str
    around: str | None


Asides = Mapping[str, Aside]
"""By the canonical JSON of the row's key."""


def asides_of(facts: Sequence[str]) -> Asides:
    """What the runs among these facts wrote. Raises UsageError if such a file is not the one that the run recorded."""
    found: dict[str, Aside] = {}
    for given in facts:
        folder = _run_of(Path(given))
        if folder is not None:
            found.update(_read(folder))
    return found


def aside_to(asides: Asides, key: Mapping[str, object]) -> Aside | None:
    return asides.get(canonical.dumps(dict(key)))


def _run_of(path: Path) -> Path | None:
    """The folder of the run that a path is, or lies in."""
    for folder in (path, path.parent, path.parent.parent):
        if (folder / RECORD).is_file() and (folder / REVIEW).is_file():
            return folder
    return None


def _read(folder: Path) -> Iterator[tuple[str, Aside]]:
    path = folder / REVIEW
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(_changed(path, "it is too large"))
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(_changed(path, (error.strerror or str(error)).lower())) from None
    recorded = (RunFolder(folder).read(RECORD) or {}).get("review_sha256")
    if hashlib.sha256(data).hexdigest() != recorded:
        raise UsageError(_changed(path, f"it is not the one that `{folder / RECORD}` recorded"))
    for line in filter(None, data.decode("utf-8").split("\n")):
        entry = json.loads(line)
        yield canonical.dumps(entry["key"]), Aside(entry["ask"], entry["text"], entry["around"])


def _changed(path: Path, why: str) -> Problem:
    help = "restore the folder of the run, or sense again; without the file the rows are listed without their texts"
    return Problem("run-folder", f"`{path}` cannot be shown: {why}", help=help)
