"""A small made-up reference, in memory, for the tests of what may be called official. Nothing in it is official."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from engine.attest import Pinned
from engine.model import Column, Reference, ValueType

LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")

WORDS = Reference(
    name="made_up_words",
    title="Made-up Word Profile",
    edition="1.0",
    file="made-up-words-1.0.csv",
    sha256="0" * 64,
    licence="made up for tests",
    cite="Made-up Word Profile 1.0",
    key=("headword", "pos"),
    columns={
        "headword": Column("headword", ValueType("text")),
        "pos": Column("pos", ValueType("text")),
        "level": Column("level", ValueType("levels", levels=LEVELS)),
        "definition": Column("definition", ValueType("text")),
    },
    headings={"headword": "headword", "pos": "pos", "level": "level", "definition": "definition"},
    checked=date(2026, 11, 30),
    repealed=("0.9",),
)

ROWS: tuple[tuple[int, str, str, str | None, str], ...] = (
    (2, "gladdle", "verb", "B1", "to walk gladly"),
    (3, "gladdle", "noun", "B2", "a glad walk"),
    (4, "morven", "noun", "A1", "a small morning"),
    (5, "twice", "noun", "A2", "first"),
    (6, "twice", "noun", "B2", "second"),
    (7, "empty", "noun", None, "nothing"),
    (8, "morven/morvin", "adjective", "C1", "of the small morning"),
)


@dataclass(frozen=True)
class Found:
    kind: str
    value: str | None = None
    line: int | None = None
    cells: tuple[tuple[int, str | None], ...] = ()


class Rows:
    """Looks a key up in `ROWS`."""

    def look(self, key: Mapping[str, str | None], column: str) -> Found:
        if not key.get("headword") or not key.get("pos"):
            return Found("incomplete_key")
        position = ("headword", "pos", "level", "definition").index(column) + 1
        cells = tuple((row[0], row[position]) for row in ROWS if (row[1], row[2]) == (key["headword"], key["pos"]))
        values = {value for _, value in cells}
        if len(values) != 1:
            return Found("ambiguous_key" if cells else "not_in_reference", cells=cells)
        return Found("found", cells[0][1], cells[0][0], cells)  # type: ignore[arg-type]


PINNED = {"made_up_words": Pinned(WORDS, Rows())}
