"""The last lines of a report: one remark on all words that would look like a claim and are none, and the seal.

The page is read by the sensor of the gate before it leaves. The remark names the words that it excuses, each as often
as it stands there, so that none can be slipped in; marks are looked up whatever a remark says.
"""

from __future__ import annotations

from typing import Any

from ...canonical import dumps
from ...errors import InternalError
from ...seal import sealed, sealed_document
from ...sensors.artifact import ClaimWords, remark_on_page, sense

BECAUSE = "they are words of the text, or explain the page"


def vouched(page: str, file: str, claims: ClaimWords) -> str:
    """A page of HTML, Markdown or text with its remark, if it needs one, and its seal. `file` says the form."""
    words = _unmarked(file, page, claims)
    said = f"{page}<!-- {remark_on_page(words, BECAUSE)} -->\n" if words else page
    return _held(file, sealed(said), claims)


def vouched_document(document: dict[str, Any], claims: ClaimWords) -> str:
    """A JSON document with both, as text."""
    words = _unmarked("report.json", dumps(document), claims)
    said = {**document, "fiel": remark_on_page(words, BECAUSE).removeprefix("fiel: ")} if words else document
    return _held("report.json", dumps(sealed_document(said)), claims)


def _unmarked(file: str, text: str, claims: ClaimWords) -> list[str]:
    shown = sense(file, text.encode("utf-8", "replace"), claims).shown
    return [one.value for one in shown if one.marked == "unmarked"]


def _held(file: str, text: str, claims: ClaimWords) -> str:
    """The text, if nothing is left in it that the gate would have against it."""
    left = _unmarked(file, text, claims)
    if left:
        raise InternalError(f"a report shows {left[0]!r}, which the gate would take for a claim")
    return text


def names_claim(text: str, claims: ClaimWords) -> bool:
    """Whether a text has a word that would be a claim beside a word of officialdom, or is one."""
    plain = text.replace("<", " ").encode("utf-8", "replace")
    level = claims.levels[0].encode() if claims.levels else b""
    beside = (b"official " + plain, plain + b" " + level)
    return any(one.marked == "unmarked" for each in beside for one in sense("one.txt", each, claims).shown)
