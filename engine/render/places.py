"""Paths as outputs name them: relative to the working directory, so that they mean the same on another machine."""

from __future__ import annotations

import os
from urllib.parse import quote

from ..frozen import dataclass
from ..home import HOME
from ..verdict import PolicyVerdict, Spot

STANDARD_INPUT = "-"
_SAFE = "/!$&'()*+,;=@~"
"""What may stand in the path of a URI as it is. A colon may not: before the first slash it would end a scheme."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file, and a line and column in it, both from 1. `base` is `source`, `fiel` or None for an absolute path.

    `path` is relative to the working directory if the file is below it or was named so; that of a shipped pack is
    relative to where Fiel lies.
    """

    path: str
    base: str | None
    line: int | None = None
    column: int | None = None

    @property
    def uri(self) -> str:
        """The path as a URI reference, percent-encoded."""
        text = quote(self.path.replace(os.sep, "/"), safe=_SAFE)
        return text if self.base is not None else f"file://{text if text.startswith('/') else '/' + text}"


def file_place(file: str, line: int | None = None, column: int | None = None) -> FilePlace:
    """A file as the user named it, or as loading found it."""
    if not os.path.isabs(file):
        return FilePlace(os.path.normpath(file), "source", line, column)
    for folder, base in ((os.getcwd(), "source"), (str(HOME), "fiel")):
        if os.path.normpath(file).startswith(folder.rstrip(os.sep) + os.sep):
            return FilePlace(os.path.relpath(file, folder), base, line, column)
    return FilePlace(os.path.normpath(file), None, line, column)


def spot_place(spot: Spot | None) -> FilePlace | None:
    """The place of a row of facts; None if it came from no file, or from standard input."""
    if spot is None or spot.file == STANDARD_INPUT:
        return None
    return file_place(spot.file, spot.line)


def policy_place(found: PolicyVerdict) -> FilePlace:
    """Where the rule of a policy stands: its `must`."""
    policy = found.checked.policy
    place = policy.places.get("must")
    if place is None:
        return file_place(policy.file)
    return file_place(place.file, place.line, place.column)


def spot_words(spot: Spot) -> str:
    """A place in the facts for people, as `facts/loan.jsonl:3, row 3`."""
    if spot.file == STANDARD_INPUT:
        where = "standard input" if spot.line is None else f"standard input, line {spot.line}"
    else:
        where = file_place(spot.file).path + ("" if spot.line is None else f":{spot.line}")
    return f"{where}, row {spot.row}"
