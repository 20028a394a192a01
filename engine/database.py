"""The client of the database, imported when a command first needs it."""

from __future__ import annotations

from typing import Any


def client() -> Any:
    """The module `duckdb`, without its wrapper where that can be.

    The wrapper takes most of the time of its import (0.1 s) for relations, data frames and functions that nothing here
    uses. Its inner module has no promised name; whoever renames it costs us that time and nothing else.
    """
    try:
        import _duckdb
    except ImportError:
        import duckdb

        return duckdb
    return _duckdb
