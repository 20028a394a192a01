"""The engine's own tables: what honesty tests ask. Their columns are listed in `docs/honesty.md`; a test compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import Place
from ..frozen import dataclass, field

TABLES: Mapping[str, Mapping[str, str]] = {
    "verdict": {
        "pack": "text",
        "policy": "text",
        "title": "text",
        "verdict": "text",
        "reason": "text",
        "in_scope": "int",
        "passed": "int",
        "failed": "int",
        "review": "int",
        "no_evidence": "int",
        "waived": "int",
        "allowed": "int",
        "if_none": "text",
        "more_witnesses": "int",
        "cannot_see": "text",
    },
    "witness": {
        "policy": "text",
        "outcome": "text",
        "reason": "text",
        "decided_by": "text",
        "key": "text",
        "file": "text",
        "line": "int",
        "waiver": "int",
    },
    "threshold": {
        "file": "text",
        "line": "int",
        "pack": "text",
        "policy": "text",
        "name": "text",
        "value": "text",
        "unit": "text",
        "origin": "text",
        "because": "text",
        "source": "text",
        "starts": "text",
        "checked": "text",
        "measured_by": "text",
        "revisit": "text",
    },
    "reference": {
        "name": "text",
        "title": "text",
        "edition": "text",
        "sha256": "text",
        "licence": "text",
        "cite": "text",
        "checked": "text",
        "state": "text",
        "rows": "int",
    },
    "run": {
        "verdict": "text",
        "as_of": "text",
        "relation": "text",
        "file": "text",
        "sha256": "text",
        "rows": "int",
        "recorded_by": "text",
    },
    "shown_value": {
        "file": "text",
        "line": "int",
        "form": "text",
        "marked": "text",
        "value": "text",
        "reference": "text",
        "edition": "text",
        "key": "text",
        "column_name": "text",
        "stated_line": "int",
        "origin": "text",
        "flaw": "text",
        "answer": "text",
        "why": "text",
        "cell": "text",
        "cell_line": "int",
        "pinned_edition": "text",
        "excerpt": "text",
    },
    "quote": {
        "file": "text",
        "line": "int",
        "text": "text",
        "reference": "text",
        "edition": "text",
        "key": "text",
        "column_name": "text",
        "flaw": "text",
        "answer": "text",
        "cell": "text",
        "cell_line": "int",
    },
    "citation": {
        "file": "text",
        "line": "int",
        "cited": "text",
        "article": "text",
        "edition": "text",
        "standing": "text",
    },
    "remark": {"file": "text", "line": "int", "because": "text", "excused": "int"},
    "page": {"file": "text", "unreadable": "text", "shown": "int", "seal": "text"},
}
"""By table, then column: `text`, `int` or `bool`."""

Value = str | int | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows by table, each as wide as the table; a table without rows may be left out."""

    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)


def joined(parts: Sequence[Tables]) -> Tables:
    """The rows of all parts, in their order."""
    return Tables({name: tuple(row for part in parts for row in part.rows.get(name, ())) for name in TABLES})


@dataclass(frozen=True, slots=True)
class HonestyTest:
    """A promise. `offenders` is one SELECT, `reads` the tables that it names, `planted` what it must catch."""

    name: str
    title: str
    because: str
    offenders: str
    reads: frozenset[str]
    planted: Tables
    file: str
    place: Place | None = field(default=None, compare=False)
    help: str | None = None
    """What to do about an offender."""
