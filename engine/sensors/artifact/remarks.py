"""Remarks to Fiel in a page: comments that say why a block makes no claim.

`fiel: no claim, because …` excuses all words of a block; `fiel: no claim in "two weeks", "B1", because …` these words
and no others, each as often as it is named, so that nothing can be slipped in under the remark. In a page that is
sealed, `fiel: no claim on this page in "B1", because …` does the same for the page as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...frozen import dataclass
from .letters import folded

_REMARK = re.compile(r"^\s*fiel\s*:(.*)$", re.DOTALL | re.IGNORECASE)
_WORDS = r'"[^"\n]*"(?:\s*,\s*"[^"\n]*")*'
_NO_CLAIM = re.compile(
    rf"^\s*no claim( on this page)?(?:\s+in\s+({_WORDS}))?\s*(?:,\s*because\s+(.*\S))?\s*$", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a remark says: why, in which words (None: in any); or what is wrong with it."""

    because: str | None
    words: tuple[str, ...] | None = None
    wrong: str = ""
    everywhere: bool = False


def said_in(text: str, is_sealed: bool) -> Said | None:
    """What a comment of a page says; None if it is no remark to Fiel."""
    ours = _REMARK.match(text)
    if ours is None:
        return None
    found = _NO_CLAIM.match(ours[1])
    if found is None:
        return Said(None, wrong="a remark to Fiel that is not `fiel: no claim, because …`")
    if found[1] and not found[2]:
        return Said(None, wrong='`fiel: no claim on this page` names the words that it excuses: `in "WORDS"`')
    if found[1] and not is_sealed:
        return Said(None, wrong="a remark on a whole page holds only in a page that is sealed")
    if not found[3]:
        return Said(None, wrong="`fiel: no claim` without `, because …`")
    words = tuple(re.findall(r'"([^"\n]*)"', found[2])) if found[2] else None
    return Said(" ".join(found[3].split()), words, everywhere=found[1] is not None)


def read(claim: str) -> str:
    """A claim as an eye reads it, whatever separates its words: so a remark can name each."""
    return re.sub(r"[\s-]+", " ", folded(claim)[0]).strip()


def remark_on_page(words: Sequence[str], because: str) -> str:
    """A remark that excuses these words of a whole page, which has to be sealed."""
    listed = ", ".join(f'"{read(one)}"' for one in words)
    return f"fiel: no claim on this page in {listed}, because {because}"


def remark(words: Sequence[str], because: str) -> str:
    """A remark that excuses these words; any, if none can be named."""
    named = [" ".join(one.split()) for one in words]
    if not named or any('"' in one or "--" in one for one in named):
        return f"fiel: no claim, because {because}"
    listed = ", ".join(f'"{one}"' for one in named)
    return f"fiel: no claim in {listed}, because {because}"
