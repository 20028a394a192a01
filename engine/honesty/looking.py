"""A shown value or a quote beside what its reference says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..attest import Answer, Claim, Official, Pinned, attest
from ..markup import json_text
from ..references import Lookup
from ..sensors.artifact import ShownValue
from .tables import Row


def shown_row(one: ShownValue, pinned: Mapping[str, Pinned]) -> Row:
    """A row of `shown_value`. `answer` is `official` if `attest` says so, else its reason; null if nobody could ask."""
    answer = why = cell = line = edition = None
    column, key = one.column, one.key
    known = pinned.get(one.reference) if one.reference is not None else None
    if known is not None:
        edition = known.reference.edition
    if one.marked == "official" and one.flaw is None:
        if one.form == "text" and one.column is None and known is not None and known.lookup is not None:
            found = _row_at(one, known)
            if isinstance(found, str):
                answer, why = "wrong_line", found
            else:
                key, column = found
        if answer is None:
            claim = Claim(one.value, one.reference or "", key, column or "", one.edition, one.stated_line)
            attested = attest(claim, pinned)
            if isinstance(attested, Official):
                answer, cell, line = "official", attested.value, attested.line
            else:
                answer, why = attested.reason, attested.explanation
                told = _look(known, key, column)
                cell, line = (told.value, told.line) if told is not None else (None, None)
    return (
        one.file,
        one.line,
        one.form,
        one.marked,
        one.value,
        one.reference,
        one.edition,
        json_text(dict(sorted(key.items()))) if key else None,
        column,
        one.stated_line,
        json_text(dict(sorted(one.by.items()))) if one.by else None,
        one.flaw,
        answer,
        why,
        cell,
        line,
        edition,
        one.excerpt,
    )


def quote_row(one: ShownValue, pinned: Mapping[str, Pinned]) -> Row:
    """A row of `quote`. `answer` is `verbatim` if the words stand so in a cell with the key, else why not."""
    answer = cell = line = None
    known = pinned.get(one.reference) if one.reference is not None else None
    if one.flaw is None:
        told = _look(known, one.key, one.column)
        holding = [(n, text) for n, text in (told.cells if told is not None else ()) if _holds(text, one.value)]
        if known is None or known.lookup is None:
            answer = ((known.unusable if known is not None else None) or "reference-missing").replace("-", "_")
        elif one.edition is not None and one.edition != known.reference.edition:
            answer = "stale_edition"
        elif told is None or not told.cells:
            answer = told.kind if told is not None else "unknown_column"
        elif not holding:
            answer, (line, cell) = "differs", told.cells[0]
        elif one.stated_line is not None and one.stated_line not in [n for n, _ in holding]:
            answer, (line, cell) = "wrong_line", holding[0]
        else:
            answer, (line, cell) = "verbatim", holding[0]
    key = json_text(dict(sorted(one.key.items()))) if one.key else None
    return (
        one.file, one.line, one.value, one.reference, one.edition, key, one.column, one.flaw, answer, cell, line
    )  # fmt: skip


def _look(known: Pinned | None, key: Mapping[str, str], column: str | None) -> Answer | None:
    """What the reference says, if it can be asked."""
    if known is None or known.lookup is None or column not in known.reference.columns or column is None:
        return None
    return known.lookup.look(key, column)


def _holds(cell: str | None, words: str) -> bool:
    """Whether words stand in a cell. An end of line in either is a space, and nothing else is forgiven."""
    one_line = re.compile(r"[ \t]*\n[ \t\n]*")
    return cell is not None and one_line.sub(" ", words) in one_line.sub(" ", cell)


def _row_at(one: ShownValue, known: Pinned) -> tuple[dict[str, str], str] | str:
    """Key and column that a mark in text form means: the row at its line with its key, which a mark without a key has
    beside it; or why there is none."""
    lookup, reference = known.lookup, known.reference
    if not isinstance(lookup, Lookup) or one.stated_line is None:
        return "the reference cannot be read"
    rows = lookup.at_line(one.stated_line)
    if not rows:
        return f"{reference.name} {reference.edition} has no row at line {one.stated_line}"
    for row in rows:
        key = {name: lookup.shown(name, row) for name in reference.key}
        if one.key == key if one.key else all(text is not None and _stands(text, one.beside) for text in key.values()):
            others = [name for name in reference.columns if name not in reference.key]
            same = [name for name in others if lookup.shown(name, row) == one.value]
            levels = [name for name in others if reference.columns[name].type.kind == "levels"]
            return {n: text or "" for n, text in key.items()}, (same or levels or others or list(reference.key))[0]
    words = ", ".join(lookup.shown(name, rows[0]) or "nothing" for name in reference.key)
    lies = "and the mark names another key" if one.key else "which does not stand beside it"
    return f"the row at line {one.stated_line} of {reference.name} is that of `{words}`, {lies}"


def _stands(text: str, beside: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", beside) is not None
