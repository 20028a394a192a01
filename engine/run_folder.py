"""The folder of a sensor's run: what was asked and answered as it happens, and facts only when all of it is valid.

    run.json  requests/0001.json  responses/0001.json  diagnostics.jsonl  review.jsonl  facts/<relation>.jsonl

`facts/` appears last, by one rename, after `run.json` says `complete`; whoever reads the folder wants both. So there
is no moment at which the process can end and leave facts that pass for complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from . import canonical
from .errors import Problem, UsageError
from .leavings import forget, register
from .model import Relation
from .publish import write_whole
from .sensor import Rows

RECORD = "run.json"
FACTS = "facts"
REVIEW = "review.jsonl"
MOST_BYTES = 64 * 1024 * 1024
"""Of a file of the folder that is read again."""


class RunFolder:
    """A folder that one process at a time writes to. Made by `new_folder` and `opened_folder`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def record(self, content: Mapping[str, object]) -> None:
        """Writes `run.json` anew, whole."""
        write_whole([(self.path / RECORD, canonical.dumps({"format": 1, **content}))])

    def recorded(self) -> dict[str, Any]:
        """What `run.json` says. Raises UsageError if it cannot be read."""
        found = self.read(RECORD)
        if found is None or found.get("format") != 1:
            raise UsageError(_unusable(self.path, f"its `{RECORD}` is missing or is none"))
        return found

    def read(self, name: str) -> dict[str, Any] | None:
        """The object in a file of the folder; None if it is not there or is no object."""
        path = self.path / name
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, name: str, content: Mapping[str, object]) -> None:
        """Writes a file of the folder, whole; its folder is made if it is the first."""
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        write_whole([(path, canonical.dumps({"format": 1, **content}))])

    def write_lines(self, name: str, entries: Sequence[Mapping[str, object]]) -> str:
        """Writes a file of JSON Lines, whole. Gives its SHA-256."""
        text = "".join(canonical.dumps(entry) for entry in entries)
        write_whole([(self.path / name, text)])
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def discard(self, name: str) -> None:
        """Takes a file or folder away, if it is there."""
        path = self.path / name
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()

    @contextmanager
    def staged(self, rows: Mapping[str, Rows], relations: Mapping[str, Relation]) -> Iterator[Staged]:
        """The facts in a hidden folder inside, whole and synced; gone afterwards unless they were published."""
        self._sweep()
        hidden = self.path / f".{FACTS}-{secrets.token_hex(6)}"
        register(str(hidden), lambda: shutil.rmtree(hidden, ignore_errors=True))
        try:
            hidden.mkdir()
            written = {}
            for name in sorted(rows):
                text = "".join(fact_line(row, relations[name]) for row in _ordered(rows[name], relations[name]))
                write_whole([(hidden / f"{name}.jsonl", text)])
                written[name] = {"sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(), "rows": len(rows[name])}
            yield Staged(self, hidden, written)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
            forget(str(hidden))

    def _sweep(self) -> None:
        """What a process that was killed left behind."""
        for path in self.path.glob(f".{FACTS}-*"):
            shutil.rmtree(path, ignore_errors=True)
        self.discard(FACTS)


class Staged:
    """Facts that are written and not published. `written` is what `run.json` says of each relation."""

    def __init__(self, folder: RunFolder, hidden: Path, written: Mapping[str, object]) -> None:
        self.folder, self.hidden, self.written = folder, hidden, written

    def publish(self, record: Mapping[str, object]) -> None:
        """Records the run as complete, then shows its facts by one rename."""
        self.folder.record({**record, "status": "complete", "facts": self.written})
        _sync(self.hidden)
        try:
            os.rename(self.hidden, self.folder.path / FACTS)
        except OSError as error:
            raise UsageError(_unusable(self.folder.path, f"the facts could not be shown: {_reason(error)}")) from None
        _sync(self.folder.path)


def run_of(path: Path) -> RunFolder | None:
    """The run that a path of facts is, or lies in; None if it is of none."""
    folders = (path, path.parent, path.parent.parent)
    return next((RunFolder(one) for one in folders if (one / RECORD).is_file()), None)


def refuse_taken(path: Path) -> None:
    """Raises UsageError if something is there already."""
    if os.path.lexists(path):
        help = "name a folder that is not there yet; to go on with an unfinished run, use `--resume`"
        raise UsageError(Problem("run-folder", f"`{path}` is there already", help=help))


@contextmanager
def new_folder(path: Path) -> Iterator[RunFolder]:
    """Makes the folder of a run. Raises UsageError if something is there already."""
    refuse_taken(path)
    try:
        path.mkdir()
    except OSError as error:
        help = "name a new folder in one that exists"
        raise UsageError(Problem("run-folder", f"`{path}` cannot be made: {_reason(error)}", help=help)) from None
    with _locked(path):
        yield RunFolder(path)


@contextmanager
def opened_folder(path: Path) -> Iterator[RunFolder]:
    """The folder of a run that is gone on with. Raises UsageError if it is none, or another process writes to it."""
    if not (path / RECORD).is_file():
        raise UsageError(_unusable(path, f"there is no `{RECORD}` in it"))
    with _locked(path):
        _sweep_unfinished(path)
        yield RunFolder(path)


def _sweep_unfinished(path: Path) -> None:
    """Files that a process which was killed had not given their names yet (`engine/publish.py`)."""
    for folder in (path, path / "requests", path / "responses"):
        for unfinished in folder.glob(".*.json*.*"):
            if unfinished.is_file() and not unfinished.is_symlink():
                unfinished.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two processes in one folder would pay twice and mix their answers."""
    with alone(path, _unusable(path, "another process is writing to it")):
        yield


@contextmanager
def alone(path: Path, taken: Problem) -> Iterator[None]:
    """Within this no other process has the folder so. Raises UsageError with `taken` if one has."""
    if os.name != "posix":
        yield
        return
    import fcntl

    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(taken) from None
        yield
    finally:
        os.close(handle)


def fact_line(row: Mapping[str, object], relation: Relation) -> str:
    """A row as a line of JSON, in the order of the relation's columns; what the sensor does not know is null."""
    cells = (f"{json.dumps(name)}:{_json(row.get(name))}" for name in relation.columns)
    return "{" + ",".join(cells) + "}\n"


def _json(value: object) -> str:
    """Numbers keep their digits: a decimal is a number in JSON, not a text."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return json.dumps(canonical.json_value(value), ensure_ascii=False)


def _ordered(rows: Rows, relation: Relation) -> list[Mapping[str, object]]:
    """By the key, so that the file does not depend on the order in which things were seen."""
    return sorted(rows, key=lambda row: [_rank(row.get(name)) for name in relation.key])


def _rank(value: object) -> tuple[int, Decimal, str]:
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return 1, Decimal(value), ""
    return (0, Decimal(0), "") if value is None else (2, Decimal(0), str(canonical.json_value(value)))


def _sync(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unusable(path: Path, why: str) -> Problem:
    return Problem("run-folder", f"`{path}` is no run to go on with: {why}", help="begin a new run with `--out`")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
