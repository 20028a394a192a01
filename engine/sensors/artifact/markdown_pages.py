"""Markdown, with the lines of its blocks; HTML within it is read as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from .gather import Gatherer
from .html_pages import Html
from .marks_in import from_markdown
from .shown import ShownValue
from .words import ClaimWords

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Fence = Callable[[Gatherer, str, list[str], int], None]
"""Reads the lines of a fenced block, given the word after the fence."""


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # A link whose target is one of ours is read even if a page would refuse to show it as a link.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


_NOTE = re.compile(r"^( {0,3})\[\^(?=[^\]\s]+\]:)", re.MULTILINE)


def read_markdown(gatherer: Gatherer, text: str, words: ClaimWords, fence: Fence, first: int = 1) -> None:
    """Give the gatherer what is in a page of Markdown."""
    html, line = Html(gatherer), first
    # A footnote is no definition of a link: its text is shown below the page.
    for token in _parser().parse(_NOTE.sub(r"\1\\[^", text)):
        if token.map is not None:
            line = token.map[0] + first
        if token.type == "inline":
            _Inline(gatherer, html, words, line).read(token.children or [])
        elif token.type in ("fence", "code_block"):
            lines = token.content.split("\n")
            fence(gatherer, token.info, lines[:-1], line + (token.type == "fence"))
        elif token.type == "html_block":
            html.read(token.content, line)
        elif token.nesting == 1:
            gatherer.start(token.tag, (), line)
        elif token.nesting == -1:
            gatherer.end(token.tag)


class _Inline:
    """The texts, links and pieces of HTML of one block."""

    def __init__(self, gatherer: Gatherer, html: Html, words: ClaimWords, line: int) -> None:
        self.gatherer, self.html, self.words, self.line = gatherer, html, words, line
        self.link: Token | None = None
        self.titles: list[str] = []
        self.label: list[str] = []
        self.link_line = line

    def read(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self._one(token)

    def _one(self, token: Token) -> None:
        if token.type == "link_open" and self.link is None and _is_ours(token):
            self.link, self.label, self.link_line = token, [], self.line
        elif token.type == "link_open" and self.link is None:
            self.titles.append(str(token.attrGet("title") or ""))
        elif token.type == "link_close" and self.link is not None:
            self._link(self.link)
            self.link = None
        elif token.type == "link_close" and self.titles:
            self.gatherer.speak(self.titles.pop(), self.line)
        elif token.type in ("softbreak", "hardbreak"):
            self._text("\n")
            self.line += 1
        elif token.type == "html_inline":
            if self.link is None:
                self.html.read(token.content, self.line)
            elif "=" in token.content:
                self.gatherer.flaw(
                    self.line, "an element within a mark shows something beside the value", token.content
                )
            self.line += token.content.count("\n")
        elif token.type == "image":
            self._text(f" {token.content} {token.attrGet('title') or ''} ")
            href = str(token.attrGet("src") or "")
            if href.lower().startswith("fiel:"):
                self.gatherer.flaw(self.line, "a mark is a link, not a picture", token.content)
        else:
            self._text(token.content)

    def _text(self, text: str) -> None:
        if self.link is not None:
            self.label.append(text)
        elif text:
            self.gatherer.text(text, self.line)

    def _link(self, link: Token) -> None:
        href, title = str(link.attrGet("href") or ""), str(link.attrGet("title") or "")
        at = ShownValue(self.gatherer.file, self.link_line, "markdown", "", "")

        def make(label: str) -> ShownValue | None:
            return from_markdown(label, href, title, at, self.words)

        self.gatherer.mark(make, self.label, self.link_line)


def _is_ours(link: Token) -> bool:
    return str(link.attrGet("href") or "").lower().startswith("fiel:")
