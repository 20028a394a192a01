"""A file of decisions: JSON Lines, each holding the SHA-256 of the line before it. It only ever grows.

Whoever edits, removes or swaps a line breaks the chain behind it. Whoever cuts lines off the end, or writes the whole
file anew, does not: who may change the file is for its keeper (a repository, say) to see.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..canonical import dumps
from ..decision import Decision
from ..errors import Problem, UsageError
from ..frozen import dataclass
from ..home import SCHEMAS
from ..json_form import Form, no_constant, strictly
from ..publish import write_whole

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

FIRST = "0" * 64
"""`previous` of the first line."""
MAX_BYTES = 64 * 1024 * 1024
MAX_LINE_BYTES = 65_536
MAX_LINES = 100_000
_MOST = 20
"""Problems that are listed."""
_HELP = "only `fiel review decide` writes into the file; take back what it was, from your repository or a copy"

_FULL = "begin a new file, and decide again what is still needed"


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision that is not in a file yet; its fields are those of `Decision`."""

    policy: str
    policy_sha256: str
    row: Mapping[str, object]
    row_sha256: str
    outcome: str
    by: str
    at: str
    because: str


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """The decisions of a file in its order; none of an empty one. Raises UsageError with every problem up to twenty."""
    return _decisions(path, _bytes_of(path))


def append(path: Path, draft: Draft) -> Decision:
    """The decision, once it is on the disk as the last line of the file, which is made if it is not there.

    Several processes may do so at once: each waits for its turn and reads what the others wrote. The file is written
    whole beside its place and then renamed, so a reader, or a power cut, never meets half a line. Raises UsageError if
    the file is not as it should be, or cannot be written; then it is as it was.
    """
    place = Path(os.path.realpath(path))
    with _turn(path, place.parent) as folder:
        old = _bytes_of(path) if os.path.lexists(path) else b""
        before = _decisions(path, old)
        line = _line(draft, before[-1].sha256 if before else FIRST)
        added = _readable(path, line, before, len(old))
        write_whole([(path, (old + line).decode("utf-8"))])
        with suppress(OSError):
            os.fsync(folder)
    return added


def _readable(path: Path, line: bytes, before: Sequence[Decision], size: int) -> Decision:
    """The new line as the next reader will see it. Raises UsageError if that reader would refuse it, or the file."""
    if len(before) == MAX_LINES or size + len(line) > MAX_BYTES:
        message = f"the file is full: {MAX_LINES:,} lines, or {MAX_BYTES:,} bytes"
        raise _unreadable(path, message, _FULL)
    previous = before[-1].sha256 if before else FIRST
    sha256 = hashlib.sha256(line).hexdigest()
    read = list(_read(line[:-1], len(before) + 1, sha256, previous, _form()))
    good = [one for one in read if isinstance(one, Decision)]
    if not good:
        bad = [one for one in read if not isinstance(one, Decision)]
        help = "nothing was written"
        raise UsageError([Problem(one[0], one[1], where="the decision", help=help) for one in bad])
    return good[0]


def _line(draft: Draft, previous: str) -> bytes:
    entry = {
        "format": 1,
        "previous": previous,
        "policy": draft.policy,
        "policy_sha256": draft.policy_sha256,
        "row": dict(draft.row),
        "row_sha256": draft.row_sha256,
        "outcome": draft.outcome,
        "by": draft.by,
        "at": draft.at,
        "because": draft.because,
    }
    return dumps(entry).encode("utf-8", "surrogatepass")


@contextmanager
def _turn(path: Path, folder: Path) -> Iterator[int]:
    """The folder's lock, which ends with the process. (The file is replaced, so its own lock would say nothing.)"""
    if fcntl is None:
        raise UsageError(_cannot_write(path, "this system has no locks, so that two writers could lose a decision"))
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise UsageError(_cannot_write(path, (error.strerror or str(error)).lower())) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)


def _cannot_write(path: Path, why: str) -> Problem:
    return Problem("cannot-write", f"cannot write `{path}`: {why}", help="name a file in a folder that exists")


# -- reading ---------------------------------------------------------------------------------------------------


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "there is no such file" if not path.exists() else "this is no regular file"
            help = "name the file that `fiel review decide --decisions FILE` writes"
            raise _unreadable(path, f"the decisions cannot be read: {what}", help)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise _unreadable(path, f"the decisions cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise _unreadable(path, f"the file is larger than {MAX_BYTES:,} bytes", _FULL)
    return data


def _unreadable(path: Path, message: str, help: str = _HELP) -> UsageError:
    return UsageError(Problem("decisions-unreadable", message, where=str(path), help=help))


def _decisions(path: Path, data: bytes) -> tuple[Decision, ...]:
    lines = data.split(b"\n")
    end = lines.pop()
    if len(lines) > MAX_LINES:
        raise _unreadable(path, f"the file has more than {MAX_LINES:,} lines", _FULL)
    form = _form()
    problems: list[Problem] = []
    found: list[Decision] = []
    previous = FIRST
    for number, line in enumerate(lines, start=1):
        sha256 = hashlib.sha256(line + b"\n").hexdigest()
        for one in _read(line, number, sha256, previous, form):
            if isinstance(one, Decision):
                found.append(one)
            else:
                problems.append(Problem(one[0], one[1], where=f"{path}:{number}", help=one[2] or _HELP))
        previous = sha256
    if end:
        message = "the last line has no end: the file was cut, or something else wrote into it"
        problems.append(Problem("decisions-cut", message, where=f"{path}:{len(lines) + 1}", help=_HELP))
    if problems:
        raise UsageError(problems[:_MOST])
    return tuple(found)


def _form() -> Form:
    return Form(json.loads((SCHEMAS / "decision.schema.json").read_text(encoding="utf-8")), "decision")


_Bad = tuple[str, str, str | None]
"""Code, message and perhaps help of a problem with one line."""


def _read(line: bytes, number: int, sha256: str, previous: str, form: Form) -> Iterator[Decision | _Bad]:
    """The decision of a line, or what is wrong with it."""
    if len(line) > MAX_LINE_BYTES:
        yield "decisions-form", f"the line is longer than {MAX_LINE_BYTES:,} bytes", None
        return
    try:
        entry = json.loads(line.decode("utf-8"), object_pairs_hook=strictly, parse_constant=no_constant)
    except UnicodeDecodeError as error:
        yield "decisions-form", f"byte {error.start + 1} of the line is not UTF-8", None
        return
    except json.JSONDecodeError as error:
        yield "decisions-form", f"the line is no JSON: column {error.colno}: {error.msg.lower()}", None
        return
    except (ValueError, RecursionError) as error:
        what = "it nests too many levels" if isinstance(error, RecursionError) else str(error)
        yield "decisions-form", f"the line is no JSON as decisions have it: {what}", None
        return
    bad = False
    for message, help in _form_problems(entry, form):
        bad = True
        yield "decisions-form", message, help
    if bad:
        return
    if dumps(entry).encode("utf-8") != line + b"\n":
        yield "decisions-form", "the line says what a decision says, and not as Fiel writes it", None
    elif entry["previous"] != previous:
        yield "decisions-chain", _broken(entry["previous"], previous, number), None
    else:
        fields = {name: value for name, value in entry.items() if name not in ("format", "previous")}
        yield Decision(number=number, sha256=sha256, **fields)


def _form_problems(entry: Any, form: Form) -> Iterator[tuple[str, str | None]]:
    version = entry.get("format") if isinstance(entry, dict) else None
    if type(version) is int and version != 1:
        yield f"the line is of format {version}, and this version of Fiel reads format 1", "use a later version of Fiel"
        return
    yield from form.check(entry)


def _broken(said: str, previous: str, number: int) -> str:
    if number == 1:
        return (
            f"the chain begins with `previous` {said[:16]}…, and the first line has 64 zeros: lines before it are gone"
        )
    what = f"line {number - 1} has {previous[:16]}…"
    return f"the chain is broken: `previous` is {said[:16]}…, and {what}: a line was changed, removed or put in"
