"""Every kind of lie, by name: what makes it detectable, and who makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...frozen import dataclass
from . import facts, packs, pages, references, seals
from .lie import Ground, Lie


@dataclass(frozen=True, slots=True)
class Kind:
    """`detectable` says what the lie changes that a promise speaks of."""

    detectable: str
    tell: Callable[[Ground], Iterator[Lie]]


KINDS: Mapping[str, Kind] = {
    "page-level-flipped": Kind("the shown value is no longer that of the cell", pages.level_flipped),
    "page-value-look-alike": Kind("the shown value has other letters than the cell", pages.value_look_alike),
    "page-key-swapped": Kind("the cell of the other key holds another value, or is not there", pages.key_swapped),
    "page-key-look-alike": Kind("no row has a key with that letter", pages.key_look_alike),
    "page-key-case": Kind("the key in the other case has another value, or is not there", pages.key_case),
    "page-key-slashed": Kind("variants joined by a slash are no key", pages.key_slashed),
    "page-key-emptied": Kind("an official value says of what", pages.key_emptied),
    "page-stale-edition": Kind("the edition is not the pinned one", pages.stale_edition),
    "page-wrong-line": Kind("the key does not stand on that line", pages.wrong_line),
    "page-mark-removed": Kind("a level beside the word official has no look-up", pages.mark_removed),
    "page-proposal-relabelled": Kind("no row stands behind what is called official", pages.proposal_relabelled),
    "page-quote-altered": Kind("the words do not stand in the cell", pages.quote_altered),
    "page-pin-altered": Kind("the pin of the reference says otherwise", pages.pin_altered),
    "page-altered": Kind("the page is not as it was sealed", seals.page_altered),
    "page-seal-removed": Kind("nothing vouches for what was computed", seals.seal_removed),
    "fact-level-flipped": Kind("the value is no longer that of the cell", facts.level_flipped),
    "fact-key-swapped": Kind("the cell of the other key holds another value, or is not there", facts.key_swapped),
    "fact-key-look-alike": Kind("no row has a key with that letter", facts.key_look_alike),
    "fact-key-case": Kind("the key in the other case has another value, or is not there", facts.key_case),
    "fact-key-slashed": Kind("variants joined by a slash are no key", facts.key_slashed),
    "fact-key-nulled": Kind("an official value says of what", facts.key_nulled),
    "fact-relabelled-official": Kind("no row stands behind what is called official", facts.relabelled_official),
    "reference-edited": Kind("the hash of the file is not the pinned one", references.cell_edited_unpinned),
    "reference-edited-and-pinned": Kind("a shown value is no longer that of its cell", references.cell_edited),
    "reference-row-dropped": Kind("a shown value has no row any more", references.row_dropped),
    "reference-key-nulled": Kind("a shown value has no row any more", references.key_nulled),
    "reference-key-look-alike": Kind("a shown value has no row any more", references.key_look_alike),
    "reference-row-doubled": Kind("a shown value has two rows that differ", references.row_doubled),
    "law-source-dropped": Kind("a number of law names its source", packs.source_dropped),
    "law-check-day-dropped": Kind("a number of law says when it was checked", packs.check_day_dropped),
    "threshold-reason-dropped": Kind("a number that is no law says why", packs.reason_dropped),
    "citation-without-edition": Kind("a citation names its edition", packs.edition_dropped),
}
"""In the order in which they are told."""
