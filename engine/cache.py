"""The user's cache: safe to delete at any time, never trusted when unreadable."""

from __future__ import annotations

from .home import cache_folder


def clear() -> int:
    """Removes what Fiel keeps in its cache folder, and says how many files there were. Leaves other files alone."""
    folder = cache_folder()
    removed = 0
    for path in sorted(folder.rglob("*.json")) if folder.is_dir() else ():
        path.unlink(missing_ok=True)
        removed += 1
    return removed
