"""The grammar of marks: how a value, and where it comes from, is written into a page and read back.

One rule for texts in every form: a text of printable characters stands as it is; any other (control characters, marks
of direction, outer or doubled spaces, an opening quote) stands as a JSON string, in which those are written out. So
nothing that is shown acts on the page or on the terminal, and what was written can be read back exactly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote_to_bytes

from .frozen import dataclass

SCHEME = "fiel:"
"""Targets of Markdown links that are marks: `fiel:REFERENCE@EDITION?key=value&key=value#column:line`."""

MARKINGS = ("official", "proposed", "computed", "human", "quote", "withheld")
"""What a mark can say, as HTML class, Markdown title and JSON provenance."""

PIN_COLUMNS = {name: f"@{name}" for name in ("title", "edition", "cite", "licence", "sha256")}
"""The parts of a pin that can be shown as official, and what they are called where a column of the file would stand."""

_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_SPACES = re.compile(r"^ | $|  ")


class NotAMark(ValueError):
    """A target that cannot be read; the message says why."""


def json_text(value: object) -> str:
    """JSON on one line, in which every character that is not printable is written out."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def shown_text(value: str) -> str:
    """A value as it is shown."""
    plain = value.isprintable() and value and not value.startswith('"') and not _SPACES.search(value)
    return value if plain else json_text(value)


def read_shown(text: str) -> str:
    """The value that is shown so. Raises `NotAMark` if it only begins like a JSON string."""
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotAMark("the shown value begins with a quote and is no JSON string") from None
    return str(value)


@dataclass(frozen=True, slots=True)
class Target:
    """What the target of a Markdown mark says. Everything but `query` may be left out."""

    reference: str | None
    query: Mapping[str, str]
    column: str | None = None
    edition: str | None = None
    line: int | None = None


def write_target(target: Target) -> str:
    """The target as it stands in a link; every part is percent-encoded."""
    edition = f"@{_encoded(target.edition)}" if target.edition is not None else ""
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in target.query.items())
    line = f":{target.line}" if target.line is not None else ""
    column = f"#{_encoded(target.column)}{line}" if target.column is not None else ""
    return f"{SCHEME}{_encoded(target.reference or '')}{edition}?{query}{column}"


def read_target(href: str) -> Target:
    """The parts of a target. Raises `NotAMark` if it cannot be read: nothing is guessed."""
    if not href.startswith(SCHEME):
        raise NotAMark(f"the target does not begin with `{SCHEME}`")
    rest, hash_, fragment = href[len(SCHEME) :].partition("#")
    head, asked, query = rest.partition("?")
    reference, at, edition = head.partition("@")
    column, colon, line = fragment.partition(":")
    if (hash_ and not column) or (at and not edition):
        raise NotAMark("a part of the target is empty")
    if colon and not _NUMBER.fullmatch(line):
        raise NotAMark("the line in the target is no number")
    pairs: dict[str, str] = {}
    for pair in query.split("&") if asked and query else ():
        name, equals, value = pair.partition("=")
        name = _decoded(name)
        if not equals or not name:
            raise NotAMark("the key in the target is not written as name=value")
        if name in pairs:
            raise NotAMark(f"the key in the target names `{name}` twice")
        pairs[name] = _decoded(value)
    return Target(
        _decoded(reference) or None,
        pairs,
        _decoded(column) if hash_ else None,
        _decoded(edition) if at else None,
        int(line) if colon else None,
    )


def _encoded(text: str) -> str:
    return quote(text, safe="")


def _decoded(text: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise NotAMark("the target has a `%` that encodes nothing")
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise NotAMark("the target encodes what is not UTF-8") from None
