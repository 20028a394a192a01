"""A passage: text that a reader takes together, and what stands beside it. Here unmarked claims are found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from ...frozen import dataclass, field
from ...markup import NotAMark, read_shown
from .letters import folded
from .shown import Citation, ShownValue
from .words import ClaimWords, Patterns, patterns

EXCERPT = 160
JOINT = "\u2063"
"""Stands in a passage where an element begins or ends within a line: a page may or may not show a gap there."""
MARK = "\ufdd0"
"""Stands in a passage where a mark stood: no character of any text."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that is marked as no official one, at the piece of the passage where its mark stood."""

    piece: int
    value: str
    marked: str


@dataclass(eq=False)
class Passage:
    """Texts without a mark, each with its line. `context`: passages that stand beside this one (heading, row, …).

    `block` numbers what one remark can excuse.
    """

    block: int
    pieces: list[tuple[str, int]] = field(default_factory=list)
    context: list[Passage] = field(default_factory=list)
    wider: list[Passage] = field(default_factory=list)
    """What a reader may take this one together with too. It makes claims sound official, and vouches for none."""
    proposals: list[Proposal] = field(default_factory=list)
    is_style: bool = False
    """Whether it is what a style sheet puts into the page, nobody knows where."""
    is_heading: bool = False
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
        return not any(text.strip().strip(JOINT) and text != MARK for text, _ in self.pieces)

    def at_piece(self, index: int) -> int:
        """Where a piece begins."""
        return self._starts[index]

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

    @property
    def text_has_marks(self) -> bool:
        return any(text == MARK for text, _ in self.pieces)

    def excerpt(self, offset: int) -> str:
        """The text around an offset, on one line."""
        start = max(0, offset - EXCERPT // 2)
        return " ".join(_plain(self.text[start : start + EXCERPT]).split())


def _plain(text: str) -> str:
    return text.replace(JOINT, "").replace(MARK, "…")


def one_line(texts: list[str]) -> str:
    """What a mark shows: an end of a line in the file is a space, as in the page."""
    return re.sub(r"[ \t]*\n[ \t\n]*", " ", "".join(texts)).strip(" \t")


_KEY_PART = re.compile(r',\s+("(?:[^"\\\n]|\\.){0,400}"|[^\s(),"]{1,200})')
_TOKEN = r'(?:"(?:[^"\\\n]|\\.){0,400}"|[^\s(),"]{1,200})'
_TEXT_MARK = re.compile(
    rf"(?P<value>{_TOKEN})\s+\((?:"
    rf"(?P<reference>[a-z][a-z0-9_]*)\s+(?P<edition>{_TOKEN}),\s+line\s+(?P<line>\d{{1,18}})"
    rf"(?P<key>(?:,\s+{_TOKEN}){{0,12}})"
    rf"|proposed\s+by\s+(?P<sensor>{_TOKEN}),\s+run\s+(?P<run>{_TOKEN})"
    rf"|computed\s+by\s+(?P<view>{_TOKEN})"
    rf"|set\s+by\s+(?P<person>{_TOKEN}),\s+(?P<at>{_TOKEN}))\)"
)


_APART = ("value", "line", "key")
"""Groups of it that are read by themselves."""


@dataclass(frozen=True)
class Reading:
    """One passage after its marks in text form were taken out: the rest, folded, and what it says."""

    passage: Passage
    rest: str
    origins: list[int] | None
    claims: tuple[tuple[int, int], ...]
    """Stretches of the passage."""
    proposed: tuple[tuple[int, str], ...]
    """Where claims stand that are marked as no official ones, and what each is."""
    is_official: bool

    def origin(self, index: int) -> int:
        """Where in the passage a character of the folded rest stands."""
        if self.origins is None:
            return index
        return self.origins[min(index, len(self.origins) - 1)]


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
    claims, is_official = _said(rest, origins, found)
    if JOINT in text:
        # Read twice: as if the elements stood close together, and as if there were gaps between them.
        apart, sounds = _said(*folded(text.replace(JOINT, " ")), found)
        claims, is_official = {**apart, **claims}, is_official or sounds
    proposed = tuple(
        (passage.at_piece(one.piece), one.value)
        for one in passage.proposals
        if found.claim.search(folded(one.value)[0]) is not None
    )
    return Reading(passage, rest, origins, _apart(claims), proposed, is_official), marks


# Words that say of a value that it is none of an official list.
_TAKEN_BACK = re.compile(
    r"\b(?:propos|propuest|suggest|suger|unofficial|extraoficial|guess|estimat|estimad|model|not?\b|never|nor\b|nunca)"
)


def _said(rest: str, origins: list[int] | None, found: Patterns) -> tuple[dict[int, int], bool]:
    """Where claims begin and end in the passage, and whether it sounds official. The name of a list claims nothing."""
    claims = [match.span() for match in found.claim.finditer(rest)]
    if claims and found.named is not None:
        names = [match.span() for match in found.named.finditer(rest)]
        claims = [(a, b) for a, b in claims if not any(start <= a and b <= end for start, end in names)]
    if origins is not None:
        claims = [(origins[a], origins[b - 1] + 1) for a, b in claims]
    return dict(claims), found.official.search(rest) is not None


def claims_in(text: str, words: ClaimWords) -> list[tuple[int, int]]:
    """Where in a text claims begin and end."""
    return sorted(_said(*folded(text), patterns(words))[0].items())


def _apart(claims: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Of claims that overlap the first."""
    left: list[tuple[int, int]] = []
    for start, end in sorted(claims.items()):
        if not left or start >= left[-1][1]:
            left.append((start, end))
    return tuple(left)


_LETTER = "[A-Za-z0-9\u00b2\u00b3\u00b9\u2070-\u209c\uff10-\uff5a]"
_GLUED = re.compile(
    f"{_LETTER}{MARK}|{MARK}(?:(?!s(?!{_LETTER})){_LETTER}|\\+)"
    f"|(?<!{_LETTER}){_LETTER}{JOINT}+{MARK}|{MARK}{JOINT}+(?:{_LETTER}(?!{_LETTER})|\\+)"
)


def glued(passage: Passage) -> Iterator[int]:
    """Where letters stand directly against a mark, so that a reader sees another value than it has."""
    if passage.text_has_marks:
        for found in _GLUED.finditer(passage.text):
            yield found.start()


def _text_mark(
    mark: re.Match[str], passage: Passage, words: ClaimWords, found: Patterns, file: str
) -> ShownValue | None:
    """A mark in text form. With the name of no reference it is one only around a claim: `see (page 3, line 4)`."""
    line, excerpt, flaw = passage.line_at(mark.start("value")), passage.excerpt(mark.start()), None
    try:
        value = _token(mark["value"])
        parts = [_token(part[1]) for part in _KEY_PART.finditer(mark["key"] or "")]
        said = {n: _token(t) for n, t in mark.groupdict().items() if t is not None and n not in _APART}
    except NotAMark as error:
        value, parts, said, flaw = mark["value"], [], {}, str(error)
    if mark["reference"] is None:
        origins = {"sensor": "sensor", "run": "run", "view": "by", "person": "by", "at": "at"}
        marked = "proposed" if mark["sensor"] else "computed" if mark["view"] else "human"
        by = {origins[name]: text for name, text in said.items()}
        return ShownValue(file, line, "text", marked, value, excerpt=excerpt, by=by, flaw=flaw)
    declared = words.declared(mark["reference"])
    names = sorted(declared.key) if declared is not None else []
    if declared is None:
        if not found.claim.search(folded(value)[0]):
            return None
        flaw = f"no pack declares a reference `{mark['reference']}`"
    elif parts and len(parts) != len(names):
        flaw = f"the key has {len(parts)} parts, and that of {mark['reference']} has {len(names)}: {', '.join(names)}"
    return ShownValue(
        file,
        line,
        "text",
        "official",
        value,
        mark["reference"],
        said.get("edition"),
        dict(zip(names, parts, strict=True)) if parts and flaw is None else {},
        stated_line=int(mark["line"]),
        excerpt=excerpt,
        flaw=flaw,
    )


def _token(text: str) -> str:
    return read_shown(text)


def unmarked(reading: Reading, beside: list[Reading]) -> Iterator[tuple[Reading, tuple[int, int], str]]:
    """Claims of a passage or of what stands beside it, where the other sounds official: where, and what is claimed."""
    official = [other for other in (reading, *beside) if other.is_official]
    if official:
        yield from _claims_of(reading)
    if official and reading.proposed and not any(_TAKEN_BACK.search(one.rest) for one in (reading, *beside)):
        for at, value in reading.proposed:
            yield reading, (at, at), value
    if reading.is_official:
        for other in beside:
            yield from _claims_of(other)


def _claims_of(reading: Reading) -> Iterator[tuple[Reading, tuple[int, int], str]]:
    for start, end in reading.claims:
        yield reading, (start, end), _plain(reading.passage.text[start:end])


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
        name = found.stands_for(match[0])
        stated = _EDITION.match(rest) or (_VERSION.match(rest) if words.declared(name) else None)
        article, amended = _ARTICLE.match(rest), _AMENDED.match(rest) if stated is None else None
        if stated is None and article is None:
            continue
        line = reading.passage.line_at(reading.origin(match.start()))
        edition = stated[1].rstrip(".-") if stated is not None else f"{AMENDED_BY}{amended[1]}" if amended else None
        yield Citation(file, line, name, article[1] if article is not None else None, edition)
