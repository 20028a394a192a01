"""The nouns of references that were looked for: one that can be used, and all of a run."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import Problem
from ..frozen import dataclass, field
from ..model import Reference


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """A reference that was found, whose bytes have the pinned hash, and that was read and prepared.

    `path` is where it was found, as shown to the user. `lines` has one number a row: the line of the file on which its
    record begins, from 1 (of XLSX: the row of the sheet); rows that a step made of one record share it. `columns` hold
    values as facts are stored (`engine/facts/values.py`), None for an empty cell; all are as long as `lines`.
    """

    reference: Reference
    path: str
    lines: tuple[int, ...]
    columns: Mapping[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The references of a run: those that can be used, and for the others why not. Every one is in one of the two.

    The code of a problem is `reference-missing`, `reference-changed` or `reference-unreadable`.
    """

    tables: Mapping[str, ReferenceTable] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)
