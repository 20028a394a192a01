"""A passage: text that a reader takes together, and what stands beside it. Here unmarked claims are found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...markup import NotAMark, read_shown
from .letters import folded
from .shown import Citation, ShownValue
from .words import ClaimWords, Patterns, patterns

EXCERPT = 160


@dataclass(eq=False)
class Passage:
    """Texts without a mark, each with its line. `context`: passages that stand beside this one (heading, row, …).

    `block` numbers what one remark can excuse.
    """

    block: int
    pieces: list[tuple[str, int]] = field(default_factory=list)
    context: list[Passage] = field(default_factory=list)
    is_plain: bool = False
    """Whether it is a block like a paragraph, which can introduce the next one."""
    command: Passage | None = None
    """Of a line of code: the nearest line above that is a command (`$ …`), which says what the line is about."""

    @cached_property
    def text(self) -> str:
        """All of it; read only when nothing is added any more."""
        return "".join(text for text, _ in self.pieces)

    @property
    def text_so_far(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @property
    def is_empty(self) -> bool:
        return not any(text.strip() for text, _ in self.pieces)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for text, _ in self.pieces:
            starts.append(at)
            at += len(text)
        return starts

    def line_at(self, offset: int) -> int:
        """The line of the file on which the character at `offset` stands."""
        index = max(bisect_right(self._starts, offset) - 1, 0)
        text, line = self.pieces[index]
        return line + text.count("\n", 0, offset - self._starts[index])

    def excerpt(self, offset: int) -> str:
        """The text around an offset, on one line."""
        start = max(0, offset - EXCERPT // 2)
        return " ".join(self.text[start : start + EXCERPT].split())


_TOKEN = r'(?:"(?:[^"\\\n]|\\.){0,400}"|[^\s(),"]{1,200})'
_TEXT_MARK = re.compile(
    rf"(?P<value>{_TOKEN})\s+\((?:"
    rf"(?P<reference>[a-z][a-z0-9_]*)\s+(?P<edition>{_TOKEN}),\s+line\s+(?P<line>\d{{1,18}})"
    rf"|proposed\s+by\s+(?P<sensor>{_TOKEN}),\s+run\s+(?P<run>{_TOKEN})"
    rf"|computed\s+by\s+(?P<view>{_TOKEN})"
    rf"|set\s+by\s+(?P<person>{_TOKEN}),\s+(?P<at>{_TOKEN}))\)"
)


@dataclass(frozen=True)
class Reading:
    """One passage after its marks in text form were taken out: the rest, folded, and what it says."""

    passage: Passage
    rest: str
    origins: list[int] | None
    claims: tuple[tuple[int, int], ...]
    """Stretches of the folded rest."""
    is_official: bool

    def origin(self, index: int) -> int:
        """Where in the passage a character of the folded rest stands."""
        if self.origins is None:
            return index
        return self.origins[min(index, len(self.origins) - 1)]

    def original(self, stretch: tuple[int, int]) -> str:
        return self.passage.text[self.origin(stretch[0]) : self.origin(stretch[1] - 1) + 1]


def read_passage(passage: Passage, words: ClaimWords, file: str) -> tuple[Reading, list[ShownValue]]:
    """What a passage says, and the values that it marks in text form."""
    found = patterns(words)
    text, marks = passage.text, []
    if "(" in text:
        for mark in list(_TEXT_MARK.finditer(text)):
            value = _text_mark(mark, passage, words, found, file)
            if value is not None:
                marks.append(value)
                text = text[: mark.start()] + " " * (mark.end() - mark.start()) + text[mark.end() :]
    rest, origins = folded(text)
    # A title may hold a level itself, and naming it claims nothing.
    named = [m.span() for m in found.named.finditer(rest)] if found.named is not None else []
    claims = tuple(
        m.span() for m in found.claim.finditer(rest) if not any(a <= m.start() and m.end() <= b for a, b in named)
    )
    return Reading(passage, rest, origins, claims, found.official.search(rest) is not None), marks


def _text_mark(
    mark: re.Match[str], passage: Passage, words: ClaimWords, found: Patterns, file: str
) -> ShownValue | None:
    """A mark in text form. With the name of no reference it is one only around a claim: `see (page 3, line 4)`."""
    line, excerpt, flaw = passage.line_at(mark.start("value")), passage.excerpt(mark.start()), None
    try:
        value = _token(mark["value"])
        said = {n: _token(t) for n, t in mark.groupdict().items() if t is not None and n not in ("value", "line")}
    except NotAMark as error:
        value, said, flaw = mark["value"], {}, str(error)
    if mark["reference"] is None:
        names = {"sensor": "sensor", "run": "run", "view": "by", "person": "by", "at": "at"}
        marked = "proposed" if mark["sensor"] else "computed" if mark["view"] else "human"
        by = {names[name]: text for name, text in said.items()}
        return ShownValue(file, line, "text", marked, value, excerpt=excerpt, by=by, flaw=flaw)
    if words.declared(mark["reference"]) is None:
        if not found.claim.search(folded(value)[0]):
            return None
        flaw = f"no pack declares a reference `{mark['reference']}`"
    return ShownValue(
        file,
        line,
        "text",
        "official",
        value,
        mark["reference"],
        said.get("edition"),
        stated_line=int(mark["line"]),
        excerpt=excerpt,
        flaw=flaw,
    )


def _token(text: str) -> str:
    return read_shown(text)


def unmarked(reading: Reading, beside: list[Reading]) -> Iterator[tuple[Reading, tuple[int, int]]]:
    """Claim words of a passage or of what stands beside it, where the other sounds official."""
    if reading.claims and (reading.is_official or any(other.is_official for other in beside)):
        for stretch in reading.claims:
            yield reading, stretch
    if reading.is_official:
        for other in beside:
            for stretch in other.claims:
                yield other, stretch


AMENDED_BY = "as amended by "
_EDITION = re.compile(r"[^\n;]{0,80}?\W(?:edition|ed\.|edicion|version|consolidated|consolidada)\s+([0-9][\w.\-]*)")
# An act as another one left it: that one says which text is meant.
_AMENDED = re.compile(
    r"[^\n;]{0,80}?\W(?:as (?:last )?(?:replaced|amended) by|redaccion dada por|modificad[oa] por)\s+"
    r"((?:\([a-z]+\)\s+)?[^\s,;]+)"
)
_VERSION = re.compile(r"\s+(v?[0-9][\w.\-]*)")
_ARTICLE = re.compile(r"\W{1,3}(?:art(?:\.|icle|iculo)?|annex|anexo|section|§)\s*([\w.()\-]*[\w)])", re.IGNORECASE)


def citations(reading: Reading, words: ClaimWords, file: str) -> Iterator[Citation]:
    """Acts and references that a passage names with an article or an edition."""
    found = patterns(words)
    for match in found.named.finditer(reading.rest) if found.named is not None else ():
        rest = reading.rest[match.end() : match.end() + 100]
        name = found.names.get(" ".join(match[0].split()), match[0])
        stated = _EDITION.match(rest) or (_VERSION.match(rest) if words.declared(name) else None)
        article, amended = _ARTICLE.match(rest), _AMENDED.match(rest) if stated is None else None
        if stated is None and article is None:
            continue
        line = reading.passage.line_at(reading.origin(match.start()))
        edition = stated[1].rstrip(".-") if stated is not None else f"{AMENDED_BY}{amended[1]}" if amended else None
        yield Citation(file, line, name, article[1] if article is not None else None, edition)
