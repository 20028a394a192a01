"""Lies told on sealed pages by somebody who does not seal them anew."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...seal import FITS, MEMBER
from .lie import Ground, Lie, PageChange

_STAMP = re.compile(
    rf'<!-- fiel: sealed, sha256 [0-9a-f]{{64}} -->|"{MEMBER}"\s*:\s*"[^"]*",?|,\s*"{MEMBER}"\s*:\s*"[^"]*"'
)
_LETTER = re.compile("[A-Za-z0-9]")
_PLACES = 40
"""Letters of a page that are altered, one at a time, spread over it."""


def _sealed(ground: Ground) -> Iterator[tuple[str, str]]:
    for page in ground.pages:
        if page in ground.sensed and ground.sensed[page].sealing == FITS:
            yield page, ground.text(page)


def page_altered(ground: Ground) -> Iterator[Lie]:
    """One letter or digit is another, anywhere in the page: in a mark, beside one, in a drawing, in the seal."""
    for page, text in _sealed(ground):
        places = [found.start() for found in _LETTER.finditer(text)]
        for at in places[:: max(1, len(places) // _PLACES)]:
            if text[at - 1 : at] == "\\" and page.lower().endswith(".json"):
                continue  # the letter of an escape: another one is no JSON
            other = "7" if text[at] != "7" else "9"
            line = text.count("\n", 0, at) + 1
            change = PageChange(page, text, at, at + 1, other, seals_anew=False)
            yield Lie("page-altered", f"{page}:{line}", f"{text[at]} (character {at})", other, page=change)


def seal_removed(ground: Ground) -> Iterator[Lie]:
    """The seal is taken away where something computed stands, for which nothing else vouches."""
    for page, text in _sealed(ground):
        found = _STAMP.search(text)
        if found is not None and any(one.marked == "computed" for one in ground.sensed[page].shown):
            change = PageChange(page, text, found.start(), found.end(), "", seals_anew=False)
            yield Lie("page-seal-removed", page, "a seal", "none", page=change)
