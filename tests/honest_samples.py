"""A small made-up reference, in memory, for the tests of what may be called official. Nothing in it is official."""

from __future__ import annotations

from datetime import date

from engine.attest import Pinned
from engine.model import Column, Reference, ValueType
from engine.references import Lookup, ReferenceTable
from engine.sensors.artifact import claim_words

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


TABLE = ReferenceTable(
    WORDS,
    WORDS.file,
    tuple(row[0] for row in ROWS),
    {
        "headword": tuple(row[1] for row in ROWS),
        "pos": tuple(row[2] for row in ROWS),
        "level": tuple(LEVELS.index(row[3]) + 1 if row[3] is not None else None for row in ROWS),
        "definition": tuple(row[4] for row in ROWS),
    },
)

PINNED = {"made_up_words": Pinned(WORDS, Lookup(TABLE))}
CLAIM_WORDS = claim_words([WORDS])
