"""HTML, as written: hidden text, attributes and entities count, whatever a style sheet does with them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from .gather import VOID, Gatherer

_GENERATED = re.compile(r"""content\s*:\s*((?:"[^"\n]*"|'[^'\n]*'|\s)+)""")


class Html(HTMLParser):
    """Gives the gatherer what is in a page or in a part of one; can be fed again further down."""

    def __init__(self, gatherer: Gatherer) -> None:
        super().__init__(convert_charrefs=True)
        self._gatherer = gatherer
        self._silent: str | None = None

    def read(self, text: str, line: int) -> None:
        """Read a part that begins on a line."""
        self.lineno, self.offset = line, 0
        self.feed(text)
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
        for found in _GENERATED.finditer(style):
            words = re.sub(r"\\([0-9a-fA-F]{1,6})\s?", _character, found[1])
            self._gatherer.text(
                "".join(re.findall(r"[^\"']+", words)) + "\n", line + style.count("\n", 0, found.start())
            )


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd"
