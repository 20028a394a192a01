"""What elements say beside their text: attributes that are read out, shown on hover, or shown by scripts and styles.

Fail closed: an attribute counts unless it is known to be technical, because a style sheet can show any of them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_to_bytes

from .letters import folded
from .words import Patterns

Attributes = Sequence[tuple[str, str | None]]

_SPOKEN = frozenset("title alt placeholder label summary content value srcdoc".split())
_NAMING = frozenset(
    "class id name itemprop itemtype itemid property rel rev role for headers list slot part form is".split()
)
"""Of these only a word of officialdom counts: what they name is not shown."""
_TECHNICAL = frozenset(
    "href src srcset action formaction cite data poster ping background style dir lang xml:lang xml:space hreflang "
    "type media sizes width height span rowspan colspan scope integrity crossorigin referrerpolicy loading decoding "
    "fetchpriority target download method enctype accept accept-charset charset http-equiv pattern min max step "
    "maxlength minlength size rows cols wrap tabindex accesskey autocomplete autofocus checked selected disabled "
    "readonly required multiple hidden open reversed start nonce async defer controls loop muted allow sandbox "
    "d points transform viewbox path values from to by keytimes keysplines x y x1 x2 y1 y2 cx cy r rx ry dx dy fx fy "
    "offset opacity color version preserveaspectratio align valign border cellpadding cellspacing bgcolor "
    "gradienttransform gradientunits patterntransform patternunits begin dur end repeatcount attributename "
    "datetime contenteditable spellcheck translate draggable inputmode enterkeyhint popover usemap shape coords "
    "text-anchor dominant-baseline alignment-baseline rotate textlength lengthadjust pathlength refx refy in in2 "
    "result operator mode orient".split()
)
_TECHNICAL_STARTS = ("on", "xmlns", "xlink:", "stroke", "fill", "marker", "clip", "font", "color-", "stop-", "@", ":")
_POINTING = ("headers", "for", "aria-labelledby", "aria-describedby", "aria-details", "aria-errormessage")
_DATA_URI = re.compile(
    r"\s*data:(text/|image/svg|application/xhtml)[^,]{0,200}?(;base64)?,(.*)", re.DOTALL | re.IGNORECASE
)
_CAMEL = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


def spaced(name: str) -> str:
    """The words of a name: `official_level` and `officialLevel` sound official."""
    return _CAMEL.sub(" ", name)


def said_by(tag: str, attributes: Attributes, found: Patterns) -> Iterator[tuple[str, str]]:
    """Name and words of every attribute of an element that says something; the element's own name is one."""
    if "-" in tag and (words := _official(tag, found)):
        yield "", words
    for name, value in attributes:
        text = value or ""
        if name in _SPOKEN or (name.startswith("aria-") and name not in _POINTING):
            words = text
        elif name in _NAMING or name in _POINTING:
            words = _official(text, found)
        elif name in _TECHNICAL or name.startswith(_TECHNICAL_STARTS):
            words = _within(text)
        elif text:
            words = f"{spaced(name.removeprefix('data-'))} {text}"
        else:
            words = _official(name, found)
        if words.strip():
            yield name, words


def points_to(attributes: Attributes, is_note: bool) -> Iterator[str]:
    """The ids of elements that say more of this one. A link is one only where it is a note."""
    for name, value in attributes:
        if value and name in _POINTING:
            yield from value.split()
        elif value and is_note and name == "href" and value.startswith("#"):
            yield value[1:]


def _official(text: str, found: Patterns) -> str:
    return " ".join(match[0] for match in found.official.finditer(folded(spaced(text))[0]))


def _within(text: str) -> str:
    """The text of a page or picture that stands within an address."""
    match = _DATA_URI.match(text)
    if match is None:
        return ""
    data = unquote_to_bytes(match[3])
    if match[2]:
        try:
            data = base64.b64decode(data + b"===")
        except (ValueError, binascii.Error):
            return ""
    return re.sub(r"<[^>]*>", " ", data.decode("utf-8", "replace"))


def of_mark(name: str) -> bool:
    """Whether an attribute of a mark is a part of the mark."""
    return name == "class" or name.startswith("data-")
