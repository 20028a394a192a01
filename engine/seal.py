"""The seal of a page: a SHA-256 of its own text, so that nothing in a page that was written whole is altered unnoticed.

    <!-- fiel: sealed, sha256 9f86… -->            the last line of HTML, Markdown and text
    "fiel_seal": "sha256 9f86…"                    a member of a JSON document, which is one object

It covers all that stands before it, or the whole document without the member; how lines end, what spaces follow the
seal, and how JSON is laid out make no difference. It is no signature: whoever alters a page can seal it anew.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from .canonical import dumps

MEMBER = "fiel_seal"
FITS, ALTERED, NONE = "fits", "altered", "none"
"""What a page is: as it was sealed; not so (or its seal is no whole one, or not the last); without a seal."""

_LINE = re.compile(r"<!-- fiel: sealed, sha256 ([0-9a-f]{64}) -->\s*\Z")
_BROKEN = re.compile(r"^<!-- fiel: sealed[^\n]*\s*\Z", re.MULTILINE)
_LIKE = re.compile(r"fiel\s*:\s*sealed", re.IGNORECASE)
_WRITTEN = re.compile(rf'"{MEMBER}"(\s*:\s*)"sha256 [0-9a-f]{{64}}"')


def sealed(text: str) -> str:
    """A page of HTML, Markdown or text with its seal, which replaces the one that it had."""
    body = _split(text)[0]
    body += "" if body.endswith("\n") or not body else "\n"
    return f"{body}<!-- fiel: sealed, sha256 {_digest(body)} -->\n"


def sealed_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON document with its seal, which replaces the one that it had."""
    plain = {name: value for name, value in document.items() if name != MEMBER}
    return {**plain, MEMBER: f"sha256 {_digest(dumps(plain))}"}


def resealed(text: str, form: str) -> str:
    """The text with a seal that fits, if it has a seal; else as it is."""
    if form != "json":
        return sealed(text) if _LINE.search(text) is not None else text
    document = _document(text)
    if document is None or MEMBER not in document:
        return text
    fitting = sealed_document(document)[MEMBER]
    return _WRITTEN.sub(lambda found: f'"{MEMBER}"{found[1]}"{fitting}"', text)


def examined(text: str, form: str) -> tuple[str, str]:
    """The text without its seal, and whether the seal fits: one of `FITS`, `ALTERED`, `NONE`.

    In JSON the member stays in the text.
    """
    if form == "json":
        document = _document(text)
        if document is None or MEMBER not in document:
            return text, NONE
        return text, FITS if document[MEMBER] == sealed_document(document)[MEMBER] else ALTERED
    body, digest = _split(text)
    if digest is None:
        return text, ALTERED if _BROKEN.search(text) is not None else NONE
    if _LIKE.search(body) is not None:
        return body, ALTERED
    return body, FITS if digest == _digest(body) else ALTERED


def _split(text: str) -> tuple[str, str | None]:
    """What stands before the seal, and the digest that the seal has; without a seal all of it, and None."""
    found = _LINE.search(text)
    return (text, None) if found is None else (text[: found.start()], found[1])


def _digest(text: str) -> str:
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


def _document(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
