"""Remarks to Fiel in a page: comments that say why a block makes no claim."""

from __future__ import annotations

import re

_REMARK = re.compile(r"^\s*fiel\s*:(.*)$", re.DOTALL | re.IGNORECASE)
_NO_CLAIM = re.compile(r"^\s*no claim\s*(?:,\s*because\s+(.*\S))?\s*$", re.DOTALL | re.IGNORECASE)


def reason_in(text: str) -> tuple[str | None, str] | None:
    """The reason that a comment gives, and what is wrong with it if it gives none; None if it is no remark to Fiel."""
    ours = _REMARK.match(text)
    if ours is None:
        return None
    because = _NO_CLAIM.match(ours[1])
    if because is None:
        return None, "a remark to Fiel that is not `fiel: no claim, because …`"
    return (" ".join(because[1].split()), "") if because[1] else (None, "`fiel: no claim` without `, because …`")
