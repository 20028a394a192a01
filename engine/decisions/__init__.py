"""Decisions of people: a file of chained lines, and the one place for all commands where they meet rows."""

from .chain import FIRST, Draft, append, read_decisions
from .match import decide
from .rows import key_of_decision, row_digests, rows_with, written_key

__all__ = [
    "FIRST",
    "Draft",
    "append",
    "decide",
    "key_of_decision",
    "read_decisions",
    "row_digests",
    "rows_with",
    "written_key",
]
