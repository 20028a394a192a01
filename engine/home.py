"""Where Fiel's own files are, in a checkout and in an installed wheel alike."""

from __future__ import annotations

import os
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
"""The folder that holds `engine/`, `policies/` and `facts/`: the checkout, or the package `fiel` once installed."""

SCHEMAS = HOME / "engine" / "schemas"
SHIPPED_POLICIES = HOME / "policies"
SHIPPED_HONESTY_TESTS = HOME / "honesty_tests"

MAX_FILE_BYTES = 1024 * 1024
"""The largest file of a pack that is read."""


def cache_folder() -> Path:
    """The folder of the user's cache: `FIEL_CACHE`, else the platform's place for caches. It may not exist yet."""
    given = os.environ.get("FIEL_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fiel"


def data_folder() -> Path:
    """The folder of the user's data: `XDG_DATA_HOME`, else the platform's place, and `fiel` in it. It may not exist."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "fiel"
