"""Remarks to Fiel in a page: comments that say why a block makes no claim.

`fiel: no claim, because …` excuses all words of a block; `fiel: no claim in "two weeks", "B1", because …` these words
and no others, each as often as it is named, so that nothing can be slipped in under the remark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...frozen import dataclass

_REMARK = re.compile(r"^\s*fiel\s*:(.*)$", re.DOTALL | re.IGNORECASE)
_WORDS = r'"[^"\n]*"(?:\s*,\s*"[^"\n]*")*'
_NO_CLAIM = re.compile(
    rf"^\s*no claim(?:\s+in\s+({_WORDS}))?\s*(?:,\s*because\s+(.*\S))?\s*$", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a remark says: why, in which words (None: in any); or what is wrong with it."""

    because: str | None
    words: tuple[str, ...] | None = None
    wrong: str = ""


def said_in(text: str) -> Said | None:
    """What a comment says; None if it is no remark to Fiel."""
    ours = _REMARK.match(text)
    if ours is None:
        return None
    found = _NO_CLAIM.match(ours[1])
    if found is None:
        return Said(None, wrong="a remark to Fiel that is not `fiel: no claim, because …`")
    if not found[2]:
        return Said(None, wrong="`fiel: no claim` without `, because …`")
    words = tuple(re.findall(r'"([^"\n]*)"', found[1])) if found[1] else None
    return Said(" ".join(found[2].split()), words)


def remark(words: Sequence[str], because: str) -> str:
    """A remark that excuses these words; any, if none can be named."""
    named = [" ".join(one.split()) for one in words]
    if not named or any('"' in one or "--" in one for one in named):
        return f"fiel: no claim, because {because}"
    listed = ", ".join(f'"{one}"' for one in named)
    return f"fiel: no claim in {listed}, because {because}"
