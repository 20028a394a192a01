"""A reference as it is used: rows of typed values, each with the line of the file that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import Problem
from ..model import Reference


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """A reference that was found, whose bytes have the pinned hash, and that was read and prepared.

    `lines` has for each row the line of the file on which it begins (of XLSX the row of the sheet). `columns`
    has the values as facts are stored (`engine/facts/values.py`), None for an empty cell.
    A record that a step splits is several rows of one line.
    """

    reference: Reference
    path: str
    lines: tuple[int, ...]
    columns: Mapping[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The references of a run: those that can be used, and for the others, by name, why not."""

    tables: Mapping[str, ReferenceTable] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)
