"""A text as a page can hold it: what turns its direction around, and control characters, are replaced one by one.

Such a character would act on whatever stands behind it on the page, official values among it. A character stays a
character, so that places in the text are the same.
"""

from __future__ import annotations

import re

_ACTING = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def legible(text: str) -> str:
    """The text with U+FFFD for each such character."""
    return _ACTING.sub("\ufffd", text)


def replaced(text: str) -> int:
    """How many characters `legible` replaces."""
    return len(_ACTING.findall(text))
