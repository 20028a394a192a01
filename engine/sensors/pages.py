"""What pages show and how it is marked, as rows: the artifact sensor for `fiel sense`."""

from __future__ import annotations

from collections.abc import Mapping

from .. import canonical
from ..sensor import Diagnostic, Rows
from .artifact import ClaimWords, sense


def shown_rows(pages: Mapping[str, bytes], words: ClaimWords) -> tuple[Rows, tuple[Diagnostic, ...]]:
    """A row a value that a page shows (`SHOWN` in `engine/sensor.py`; `at` counts the values of a page from 1)."""
    rows: list[Mapping[str, object]] = []
    remarks: list[Diagnostic] = []
    for name, data in pages.items():
        sensed = sense(name, data, words)
        if sensed.unreadable is not None:
            remarks.append(Diagnostic("page-unreadable", sensed.unreadable, name))
        for number, one in enumerate(sensed.shown, 1):
            rows.append(
                {
                    "document": name,
                    "at": number,
                    "line": one.line,
                    "form": one.form,
                    "marked": one.marked,
                    "value": one.value,
                    "reference": one.reference,
                    "edition": one.edition,
                    "key": _text(one.key),
                    "column": one.column,
                    "by": _text(one.by),
                }
            )
    return rows, tuple(remarks)


def _text(pairs: Mapping[str, str]) -> str | None:
    return canonical.dumps(dict(pairs)).strip() if pairs else None
