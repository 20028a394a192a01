"""HTML, as written: hidden text, attributes and entities count, whatever a style sheet does with them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from .elements import VOID
from .gather import Gatherer

_GENERATED = re.compile(
    r"""(?:content|quotes|list-style(?:-type)?|--[\w-]+)\s*:\s*((?:"[^"\n]*"|'[^'\n]*'|[^;{}"'\n])+)""", re.IGNORECASE
)
_STRINGS = re.compile(r""""([^"\n]*)"|'([^'\n]*)'""")
# How browsers end a comment, of which not every version of Python's reader knows.
_COMMENT_ENDS = re.compile(r"<!--(-?)>|--!>")
_SCRIPTED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})")


class Html(HTMLParser):
    """Gives the gatherer what is in a page or in a part of one; can be fed again further down."""

    def __init__(self, gatherer: Gatherer) -> None:
        super().__init__(convert_charrefs=True)
        self._gatherer = gatherer
        self._silent: str | None = None

    def read(self, text: str, line: int) -> None:
        """Read a part that begins on a line."""
        self.lineno, self.offset = line, 0
        if text.rfind("<!--") > text.rfind("-->"):
            text += "-->"  # it hides the rest of the page; the reader would look for its end again and again
        self.feed(_COMMENT_ENDS.sub(lambda found: "-->" if found[0] == "--!>" else "<!---->", text))
        self.close()
        self.rawdata = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._gatherer.start(tag, attrs, self.lineno)
        style = next((text for name, text in attrs if name == "style" and text), None)
        if style:
            self._generated(style, self.lineno)
        if tag == "style":
            self._silent = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A page has no self-closed elements: a browser takes `<data/>` for an open tag, and so do we.
        self.handle_starttag(tag, attrs)
        if tag not in VOID and tag not in ("data", "q", "div", "p", "span", "li", "td", "th", "tr", "table"):
            self._gatherer.end(tag)

    def handle_endtag(self, tag: str) -> None:
        self._silent = None if tag == self._silent else self._silent
        self._gatherer.end(tag)

    def handle_data(self, data: str) -> None:
        if self._silent is None:
            if self.cdata_elem is not None and self.cdata_elem.lower() == "script":
                data = _SCRIPTED.sub(lambda found: _of_code(found[1] or found[2] or found[3]), data)
            self._gatherer.text(data, self.lineno)
        else:
            self._generated(data, self.lineno)

    def handle_comment(self, data: str) -> None:
        if data.startswith("[CDATA["):
            self.unknown_decl(data[1:].removesuffix("]]"))
        self._gatherer.remark(data, self.lineno)

    def unknown_decl(self, data: str) -> None:
        # A page shows what is in such a section only within pictures; here it counts everywhere.
        self._gatherer.text(data.removeprefix("CDATA["), self.lineno)

    def _generated(self, style: str, line: int) -> None:
        """Texts that a style sheet puts into the page."""
        if "bidi-override" in style.lower():
            self._gatherer.flaw(
                line, "the direction of the text is turned around, so nobody can say what is read", style
            )
        style = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), style, flags=re.DOTALL)
        for found in _GENERATED.finditer(style):
            words = "".join(one[1] if one[1] is not None else one[2] for one in _STRINGS.finditer(found[1]))
            words = re.sub(r"\\([0-9a-fA-F]{1,6})\s?", lambda one: _of_code(one[1]), words)
            if words:
                self._gatherer.text(words + "\n", line + style.count("\n", 0, found.start()))


def _of_code(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd"
