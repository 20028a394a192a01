"""Files are written whole or not at all: to a temporary file beside the place, synced, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .errors import Problem, UsageError


def write_whole(path: Path, text: str) -> None:
    """Writes `text` as UTF-8 to `path`. Raises UsageError; then `path` is as it was."""
    folder = path.parent
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        message = f"cannot write `{path}`: {(error.strerror or str(error)).lower()}"
        raise UsageError(Problem("cannot-write", message, help="name a file in a folder that exists")) from None
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
