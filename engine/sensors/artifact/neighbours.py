"""What stands beside what, once a whole page is read: notes, sources, and what points at one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from .passage import Passage

_SOURCE = re.compile(
    r"\W*(?:data\s+|datos\s+)?(?:sources?|fuentes?|notes?|notas?|from|taken from|according to|seg[uú]n|tomado de)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\[\^([^\]\s]+)\]")
_BARE = 24
"""Characters of a block that says a word or two and is read with the block before it."""


def neighbours(
    passages: Sequence[Passage], pointers: Iterable[tuple[Passage, str]], ids: Mapping[str, Passage], form: str
) -> None:
    """Adds to what passages may be taken together with. `pointers`: a passage, and the id of what says more of it."""
    for passage, name in pointers:
        if name in ids and ids[name] is not passage:
            passage.wider.append(ids[name])
    _sources(passages)
    _bare(passages)
    if form == "markdown":
        _notes(passages)


def _sources(passages: Sequence[Passage]) -> None:
    """A line that gives the source of a table, a list or a paragraph stands beside all that it is the source of."""
    for index, source in enumerate(passages):
        if not source.is_plain or not _SOURCE.match(source.text_so_far):
            continue
        for above in reversed(passages[:index]):
            if not above.is_heading:
                above.wider.append(source)
            if above.is_heading or (above.is_plain and not above.is_empty):
                break


def _notes(passages: Sequence[Passage]) -> None:
    """A footnote stands beside each place that refers to it."""
    notes = {found[1]: one for one in passages if (found := _NOTE.match(one.text_so_far))}
    for one in passages if notes else ():
        named = (notes.get(found[1]) for found in _NOTE.finditer(one.text_so_far))
        one.wider += [note for note in named if note is not None and note is not one]


def _bare(passages: Sequence[Passage]) -> None:
    """A block that is a word or two and no sentence is read with the block right before it."""
    for above, one in pairwise([one for one in passages if not one.is_empty]):
        text = one.text_so_far.strip()
        if above.is_plain and one.is_plain and len(text) <= _BARE and text[-1:] not in (".", "!", "?"):
            one.wider.append(above)


def introduces(text: str) -> bool:
    """Whether a block stands over the next one as a heading does: it ends with a colon, or is a few words."""
    words = text.strip()
    return words.endswith(":") or (len(words) <= 40 and words[-1:] not in (".", "!", "?"))
