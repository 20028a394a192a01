"""Files are written whole or not at all: to temporary files beside their places, synced, then renamed, all of them."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .errors import Problem, UsageError
from .leavings import forget, register

_MOST_PREFIX = 50
"""Characters of a name that its temporary file begins with: a name may be as long as the file system takes."""
_HELP = {
    errno.ENOSPC: "make room on the disk, and run it again",
    errno.EDQUOT: "make room on the disk, and run it again",
    errno.EROFS: "name a place that can be written to",
    errno.ENAMETOOLONG: "name it shorter",
}


def write_whole(files: Sequence[tuple[Path, str]]) -> None:
    """Writes texts as UTF-8. Raises UsageError; then every place is as it was.

    A link is followed. A file that nobody may write is left alone, though its folder would let it be replaced.
    What is no regular file (a pipe, a terminal) is written to, not replaced.
    """
    ready: list[tuple[str, str]] = []
    for path, _ in files:
        if os.path.isdir(path):
            raise UsageError(_cannot(path, IsADirectoryError(errno.EISDIR, "it is a folder")))
    special = [(path, text) for path, text in files if os.path.exists(path) and not os.path.isfile(path)]
    try:
        for path, text in files:
            if (path, text) in special:
                continue
            place = os.path.realpath(path)
            if os.path.exists(place) and not os.stat(place).st_mode & 0o222:
                raise UsageError(_cannot(path, PermissionError(errno.EACCES, "it is read-only")))
            ready.append((_temporary(place, path, text), place))
        for temporary, place in ready:
            _replace(temporary, place)
        for path, text in special:
            _write_into(path, text)
    finally:
        for temporary, _ in ready:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            forget(temporary)


def _temporary(place: str, path: Path, text: str) -> str:
    """A file beside `place` that holds the text and is on the disk."""
    temporary = None
    try:
        import tempfile

        prefix = f".{os.path.basename(place)[:_MOST_PREFIX]}."
        handle, temporary = tempfile.mkstemp(prefix=prefix, dir=os.path.dirname(place))
        register(temporary, lambda: os.unlink(temporary))
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(place))
        return temporary
    except OSError as error:
        if temporary is not None:
            os.unlink(temporary)
            forget(temporary)
        raise UsageError(_cannot(path, error)) from None


def _replace(temporary: str, place: str) -> None:
    try:
        os.replace(temporary, place)
    except OSError as error:
        raise UsageError(_cannot(Path(place), error)) from None


def _write_into(path: Path, text: str) -> None:
    try:
        with open(path, "wb") as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise UsageError(_cannot(path, error)) from None


def _cannot(path: Path, error: OSError) -> Problem:
    reason = (error.strerror or str(error)).lower()
    help = _HELP.get(error.errno or 0, "name a file in a folder that exists")
    return Problem("cannot-write", f"cannot write `{path}`: {reason}", help=help)


def _mode(place: str) -> int:
    """The mode of the file that is replaced, or that of a new one."""
    if os.path.exists(place):
        return os.stat(place).st_mode & 0o777
    current = os.umask(0)
    os.umask(current)
    return 0o666 & ~current
