"""The named steps that change texts of a reference before anything is compared with them. None is implicit.

Each is a pure function from a text to one or several; several make a row each. All are idempotent, and null stays
null, but for `dash_empty`. A text of which nothing is left is null. They are done in the order in which they are
declared: `split_slashes` before `trim` also trims the variants.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..model import PrepareStep

Cells = Mapping[str, object]
"""A record: raw cells by column, None where empty."""

_STRAIGHT = str.maketrans("‘’‚‛ʼ“”„‟", "'''''\"\"\"\"")
_SPACES = re.compile(r"\s+")


def split_slashes(text: str) -> tuple[str, ...]:
    """The variants that a cell holds, a row each: `a.m./A.M./am` is three. Empty ones are left out.

    A text of nothing but slashes is no list of variants, and stays.
    """
    parts = tuple(part for part in text.split("/") if part)
    return parts or (text,)


def nfc(text: str) -> tuple[str, ...]:
    """Unicode's composed form: `e` and a combining acute become `é`."""
    return (unicodedata.normalize("NFC", text),)


def nfkc(text: str) -> tuple[str, ...]:
    """Unicode's composed form without differences of compatibility: `ﬁ` becomes `fi`, a full-width `Ａ` an `A`."""
    return (unicodedata.normalize("NFKC", text),)


def casefold(text: str) -> tuple[str, ...]:
    """Unicode's full case folding: `Polish` becomes `polish`, `ß` `ss`. Keys that were apart may then be one."""
    return (text.casefold(),)


def trim(text: str) -> tuple[str, ...]:
    """Without the white space at both ends."""
    return (text.strip(),)


def single_spaces(text: str) -> tuple[str, ...]:
    """Each run of white space within a text, no-break spaces among them, becomes one space."""
    return (_SPACES.sub(" ", text),)


def straight_quotes(text: str) -> tuple[str, ...]:
    """Typographic apostrophes and quotation marks become straight ones: `o’clock` is `o'clock`."""
    return (text.translate(_STRAIGHT),)


def dash_empty(text: str) -> tuple[str, ...]:
    """An empty cell becomes `-`, so that it can stand in a key: a word that has one sense has no guide word."""
    return (text,)


DASH = "-"
STEPS: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    one.__name__: one for one in (casefold, dash_empty, nfc, nfkc, single_spaces, split_slashes, straight_quotes, trim)
}


def prepared(records: Iterable[tuple[int, Cells]], steps: Sequence[PrepareStep]) -> Iterator[tuple[int, Cells]]:
    """Each record, changed by the steps in their order, with its line. What is no text is left to whoever types it."""
    for line, cells in records:
        rows = [cells]
        for step in steps:
            rows = [changed for row in rows for changed in _done(row, step)]
        for row in rows:
            yield line, row


def _done(row: Cells, step: PrepareStep) -> Iterable[Cells]:
    text = row[step.column]
    if text is None and step.name == dash_empty.__name__:
        return ({**row, step.column: DASH},)
    if type(text) is not str:  # a JSON number is a subclass of it
        return (row,)
    return ({**row, step.column: part or None} for part in STEPS[step.name](text))
