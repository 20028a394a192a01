"""Putting the file of a reference into a folder: whole and with the pinned hash, or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import Problem, UsageError
from ..frozen import dataclass, field
from ..leavings import forget, register
from ..model import Reference
from .shelf import MAX_BYTES, read_file, shown_path

try:
    import fcntl
except ImportError:  # not a POSIX system: what a killed process left is then left to the user
    fcntl = None  # type: ignore[assignment]

_PART = ".part"


@dataclass
class Arrival:
    """A file that is on its way. It has no name of its own until `settle` finds that its hash is the pinned one."""

    reference: Reference
    place: Path
    temporary: str
    file: IO[bytes]
    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, chunk: bytes) -> None:
        """Raises UsageError once the file is larger than a reference may be."""
        self.size += len(chunk)
        if self.size > MAX_BYTES:
            raise UsageError(too_large_problem(self.reference))
        self.digest.update(chunk)
        self.file.write(chunk)

    def settle(self, source: str) -> None:
        """Gives the file its name if the bytes are those that are pinned. Raises UsageError if they are not."""
        found = self.digest.hexdigest()
        if found != self.reference.sha256:
            raise UsageError(not_pinned_problem(self.reference, source, self.size, found))
        self.file.flush()
        os.fsync(self.file.fileno())
        os.chmod(self.temporary, 0o666 & ~_umask())
        os.replace(self.temporary, self.place)
        _sync_folder(self.place.parent)


@contextmanager
def arriving(reference: Reference, folder: Path) -> Iterator[Arrival]:
    """A file on its way into a folder, which is made if it is not there. Whatever happens, no part of it is left.

    What a killed process left of the same file is swept: its lock is gone with it. Raises UsageError if nothing can be
    written there.
    """
    place = folder / reference.file
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder, reference.file)
        handle, temporary = tempfile.mkstemp(prefix=f".{reference.file}.", suffix=_PART, dir=folder)
        path = temporary
        register(path, lambda: os.unlink(path))
        with os.fdopen(handle, "wb") as file:
            _lock(file)
            yield Arrival(reference, place, path, file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot write `{shown_path(place)}`: {reason}"
        help = "name another folder with `--references DIR`"
        raise UsageError(Problem("cannot-write", message, help=help)) from None
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            forget(temporary)


def add_file(reference: Reference, source: Path, folder: Path) -> Path:
    """Copies a file that the user has, if it is the pinned one. Raises UsageError if it is not."""
    found = read_file(source)
    if found.data is None:
        message = f"`{found.path}` cannot be added: {found.reason}"
        raise UsageError(Problem("reference-unreadable", message, where="--from", help="name the file itself"))
    with arriving(reference, folder) as arrival:
        arrival.write(found.data)
        arrival.settle(found.path)
    return arrival.place


def too_large_problem(reference: Reference) -> Problem:
    message = f"the file is larger than {MAX_BYTES:,} bytes, the most that a reference may have"
    return Problem("not-the-pinned-file", message, reference.place, help="is it the right file, or the right address?")


def not_pinned_problem(reference: Reference, source: str, size: int, found: str) -> Problem:
    message = f"`{source}` is not the file that `{reference.name}` pins: "
    message += f"{size:,} bytes with sha256 {found}, pinned {reference.sha256}"
    help = "nothing was written; if its publisher has a new edition, look at what `fiel reference diff` says of the two"
    return Problem("not-the-pinned-file", message, reference.place, help=help)


def _sweep(folder: Path, name: str) -> None:
    """Removes what processes that are gone left of a file: parts that nobody has locked."""
    for path in folder.glob(f".{name}.*{_PART}"):
        with suppress(OSError), path.open("rb+") as part:
            if fcntl is not None:
                fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _lock(file: IO[bytes]) -> None:
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    """Have the name on the disk too; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
