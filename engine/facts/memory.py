"""What was found of files by reading them whole, remembered in the user's cache by the digests of their bytes.

Only what was found good is remembered. An entry names all that it depends on and is believed only if it does so word
for word, and only if nobody but the user could have written it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..home import cache_folder

_FORMAT = 2


class Memory:
    """The entries of one folder of the cache; none at all without `use`."""

    def __init__(self, folder: str, use: bool) -> None:
        self._folder, self._use = folder, use

    def of(self, about: Mapping[str, Any]) -> Any:
        """What was remembered about this; None if nothing was, or it is not exactly as it was written."""
        if not self._use:
            return None
        whole = _whole(about)
        try:
            with open(self._path(whole), "rb") as file:
                status = os.fstat(file.fileno())
                others = hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022)
                if others or not stat.S_ISREG(status.st_mode):
                    return None
                said = json.loads(file.read())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(said, dict) or sorted(said) != ["about", "found"] or said["about"] != whole:
            return None
        return said["found"]

    def keep(self, about: Mapping[str, Any], found: Any) -> None:
        """Writes an entry whole or not at all. A cache that cannot be written is no error."""
        if not self._use:
            return
        import tempfile

        whole = _whole(about)
        path = self._path(whole)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"about": whole, "found": found}, file, sort_keys=True)
                os.replace(temporary, path)
            except OSError:
                os.unlink(temporary)
        except OSError:
            return

    def _path(self, whole: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
        return cache_folder() / self._folder / f"{digest}.json"


def _whole(about: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": _FORMAT, "fiel": __version__, **about}
