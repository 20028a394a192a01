"""Names of files: their kind, how they are shown, and which was meant by one that is not there."""

from __future__ import annotations

import os

from .bad_values import plain, shown

KINDS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The kind of a file of facts by the end of its name, in lower case."""

_NEAR = 0.7
"""How alike two names must be, without their ends, for one to be taken for the other."""


def kind_of(name: str) -> str | None:
    return KINDS.get(os.path.splitext(name)[1].lower())


def display(path: str) -> str:
    """A path as text that can be printed: bytes that are no UTF-8 are escaped."""
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return path.encode("utf-8", "backslashreplace").decode()


def neighbours(path: str) -> str | None:
    """Help for a path that is not there: the name in its folder that is very like it, or the facts in that folder."""
    folder, name = os.path.split(path)
    try:
        names = [one for one in sorted(os.listdir(folder or ".")) if not one.startswith(".")]
    except (OSError, ValueError):
        return f"there is no folder {shown(display(folder))}" if "\0" not in folder else None
    facts = [one for one in names if kind_of(one) or os.path.isdir(os.path.join(folder, one))]
    near = max(facts, key=lambda one: _likeness(name, one), default=None)
    if near is not None and _likeness(name, near) >= _NEAR:
        return f"did you mean `{plain(display(near))}`?"
    files = [f"`{plain(display(one))}`" for one in facts if kind_of(one)]
    more = f" and {len(files) - 6} more" if len(files) > 6 else ""
    return f"in the folder: {', '.join(files[:6])}{more}" if files else None


def _likeness(one: str, other: str) -> float:
    """From 0 to 1. A name that is the same but for its end or its capitals comes before all others."""
    first, second = (os.path.splitext(name[:200])[0].lower() for name in (one, other))
    from difflib import SequenceMatcher

    return SequenceMatcher(None, first, second).ratio()
