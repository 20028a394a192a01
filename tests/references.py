"""References for tests: a declaration of a file that is at hand, pinned as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from engine.model import Column, PrepareStep, Reference, ValueType

from .conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "references"
LEVELS = ValueType("levels", levels=("A1", "A2", "B1", "B2", "C1", "C2"))


def reference(
    data: bytes,
    columns: Mapping[str, tuple[str, ValueType]] | None = None,
    key: Sequence[str] = ("word",),
    prepare: Sequence[tuple[str, str]] = (),
    file: str = "list.csv",
    format: str = "csv",
    sheet: str | None = None,
    name: str = "list",
) -> Reference:
    """A reference that pins the bytes. `columns` maps each to its heading and type."""
    columns = columns or {"word": ("word", ValueType("text")), "level": ("level", LEVELS)}
    return Reference(
        name=name,
        title="A list",
        edition="1.0",
        file=file,
        sha256=hashlib.sha256(data).hexdigest(),
        licence="none: made up",
        cite="Made up.",
        key=tuple(key),
        columns={one: Column(one, kind, unit="none" if kind.is_number else None) for one, (_, kind) in columns.items()},
        headings={one: heading for one, (heading, _) in columns.items()},
        checked=date(2026, 11, 30),
        prepare=tuple(PrepareStep(step, column) for step, column in prepare),
        format=format,
        sheet=sheet,
    )


def fixture_vocabulary(prepare: Sequence[tuple[str, str]] = ()) -> tuple[Reference, bytes]:
    """The hand-written list in the form of the CEFR-J list."""
    data = (FIXTURES / "fixture-vocabulary-1.0.csv").read_bytes()
    text = ValueType("text")
    columns = {"headword": ("headword", text), "pos": ("pos", text), "level": ("CEFR", LEVELS)}
    file = "fixture-vocabulary-1.0.csv"
    return reference(data, columns, ("headword", "pos"), prepare, file, name="fixture_vocabulary"), data


def put(folder: Path, name: str, data: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return folder
