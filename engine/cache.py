"""The user's cache: safe to delete at any time, never trusted when unreadable."""

from __future__ import annotations

import re

from .home import cache_folder

_FOLDERS = ("files", "keys", "plans")
_ENTRY = re.compile(r"[0-9a-f]{64}\.json")


def clear() -> int:
    """Removes the entries that Fiel keeps in its cache folder, and says how many there were. Leaves all else alone."""
    removed = 0
    for folder in (cache_folder() / name for name in _FOLDERS):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if _ENTRY.fullmatch(path.name) and path.is_file():
                path.unlink(missing_ok=True)
                removed += 1
    return removed
