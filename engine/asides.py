"""What a run wrote beside its rows for the person who decides: the text that was asked about, the question, the rule.

It is shown and never judged, and only as the run recorded it: a text that was changed since would mislead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from . import canonical
from .errors import Problem, UsageError
from .frozen import dataclass
from .run_folder import MOST_BYTES, RECORD, REVIEW, run_of


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
        run = run_of(Path(given))
        recorded = (run.read(RECORD) or {}).get("review_sha256") if run is not None else None
        if run is not None and recorded is not None:
            found.update(_read(run.path, recorded))
    return found


def aside_to(asides: Asides, key: Mapping[str, object]) -> Aside | None:
    return asides.get(canonical.dumps(dict(key)))


def _read(folder: Path, recorded: str) -> Iterator[tuple[str, Aside]]:
    path = folder / REVIEW
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(_changed(path, "it is too large"))
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(_changed(path, (error.strerror or str(error)).lower())) from None
    if hashlib.sha256(data).hexdigest() != recorded:
        raise UsageError(_changed(path, f"it is not the one that `{folder / RECORD}` recorded"))
    for line in filter(None, data.decode("utf-8").split("\n")):
        entry = json.loads(line)
        yield canonical.dumps(entry["key"]), Aside(entry["ask"], entry["text"], entry["around"])


def _changed(path: Path, why: str) -> Problem:
    help = "restore the folder of the run, or sense again"
    return Problem("run-folder", f"`{path}` cannot be shown: {why}", help=help)
