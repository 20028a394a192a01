"""Finds a quote in a text. A model says in which sentence it read what; where that stands is computed here.

What a quote is forgiven, and what not, is in `normal.py`. Beyond that nothing is: a quote that is not there, or that
is there more than once and might mean either, is not anchored. What is anchored was compared with the unchanged text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from ..errors import InternalError
from ..frozen import dataclass
from .normal import Normal, normalised
from .sentences import Span
from .words import Words, occurrences

_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Anchor:
    """A quote at `start` to `end` of the source: half open, in code points, whole characters as a reader sees them.

    `how` is `exact` (the source has the quote as it was said) or `normalised` (only what is forgiven differs).
    `sentence` is that in which the quote begins, from 1; `said_sentence` that in which it was said to be.
    """

    start: int
    end: int
    how: str
    sentence: int
    said_sentence: int


@dataclass(frozen=True, slots=True)
class Nearest:
    """The stretch of the source that is most like a quote, cut at 400 characters, and the sentence it begins in."""

    text: str
    sentence: int


@dataclass(frozen=True, slots=True)
class NoAnchor:
    """Why there is none: `absent`, `ambiguous`, `empty` (nothing visible was quoted), `surrogate` (of a pair, alone).

    `nearest` is for people, who want to know what the model may have meant. Of an ambiguous quote: its first place.
    """

    reason: str
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class _Hit:
    span: Span
    sentence: int
    exact: bool
    cut: bool
    """Whether it begins or ends in the middle of a word."""


class Anchorer:
    """The index of one text, built once. `sentences` are in order and do not overlap (else ValueError)."""

    def __init__(self, text: str, sentences: Sequence[Span]) -> None:
        before = 0
        for span in sentences:
            if not before <= span.start < span.end <= len(text):
                raise ValueError(f"sentence {span} is empty, out of order or outside of the text")
            before = span.end
        self._source, self._sentences = text, tuple(sentences)
        self._starts = [span.start for span in sentences]
        self._normal = Normal(text)
        self._known: dict[tuple[int, str], Anchor | NoAnchor] = {}
        self._anywhere: dict[str, tuple[_Hit, ...]] = {}

    @cached_property
    def _words(self) -> Words:
        return Words(self._normal.text)

    def find(self, sentence: int, quote: str) -> Anchor | NoAnchor:
        """Where the quote stands, said to be in the sentence of that number (from 1; a wrong one is forgiven).

        In that sentence an exact place goes before one that differs in what is forgiven, and one of whole words before
        one that cuts a word; elsewhere there must be one place of whole words, or one place. Else it is ambiguous.
        """
        known = self._known.get((sentence, quote))
        if known is None:
            known = self._known[sentence, quote] = self._find(sentence, quote)
        return known

    def _find(self, sentence: int, quote: str) -> Anchor | NoAnchor:
        if _SURROGATE.search(quote):
            return NoAnchor("surrogate")
        wanted = normalised(quote)
        if not wanted:
            return NoAnchor("empty")
        stripped = quote.strip()
        hits = self._here(sentence, wanted, stripped)
        hits = [hit for hit in hits if hit.exact] or hits
        if not hits:
            hits = list(self._elsewhere(wanted))
        hits = [hit for hit in hits if not hit.cut] or hits
        if len(hits) > 1:
            return NoAnchor("ambiguous", self._shown(hits[0].span, hits[0].sentence))
        if not hits:
            return NoAnchor("absent", self._nearest(sentence, wanted))
        return self._checked(hits[0], sentence, quote, wanted)

    def _checked(self, hit: _Hit, said: int, quote: str, wanted: str) -> Anchor:
        found = self._source[hit.span.start : hit.span.end]
        if normalised(found) != wanted or found != found.strip():
            raise InternalError(f"an anchor at {hit.span} does not hold the quote `{quote}`")
        return Anchor(hit.span.start, hit.span.end, "exact" if found == quote else "normalised", hit.sentence, said)

    def _here(self, sentence: int, wanted: str, stripped: str) -> list[_Hit]:
        """The places that begin in the sentence."""
        if not 1 <= sentence <= len(self._sentences):
            return []
        span = self._sentences[sentence - 1]
        start, end = self._normal.at(span.start), self._normal.at(span.end)
        return self._hits(occurrences(self._normal.text, wanted, start, end), wanted, stripped)

    def _elsewhere(self, wanted: str) -> tuple[_Hit, ...]:
        """The places anywhere, as many as it takes to know that there are several."""
        known = self._anywhere.get(wanted)
        if known is None:
            known = self._anywhere[wanted] = tuple(self._hits(self._words.places(wanted), wanted, ""))
        return known

    def _hits(self, places: Iterable[int], wanted: str, stripped: str) -> list[_Hit]:
        whole, cut = list[_Hit](), list[_Hit]()
        for place in places:
            hit = self._hit(place, place + len(wanted), stripped)
            if hit is None:
                continue
            if not hit.cut:
                whole.append(hit)
            elif len(cut) < 2 or hit.exact:
                cut.append(hit)
            if len(whole) > 1 and (not stripped or (whole[-1].exact and whole[-2].exact)):
                break  # it is ambiguous, whatever follows
        return whole + cut

    def _hit(self, start: int, end: int, stripped: str) -> _Hit | None:
        span = self._normal.span(start, end)
        if span is None or self._source[span.start].isspace():
            return None
        sentence = self._sentence(span.start)
        if sentence is None:
            return None
        exact = self._source[span.start : span.end] == stripped
        return _Hit(span, sentence, exact, self._in_word(start) or self._in_word(end))

    def _in_word(self, at: int) -> bool:
        text = self._normal.text
        return 0 < at < len(text) and text[at].isalnum() and text[at - 1].isalnum()

    def _sentence(self, offset: int) -> int | None:
        number = bisect_right(self._starts, offset)
        return number if number and offset < self._sentences[number - 1].end else None

    def _nearest(self, sentence: int, wanted: str) -> Nearest | None:
        known = 1 <= sentence <= len(self._sentences)
        span = self._sentences[sentence - 1] if known else Span(0, 0)
        found = self._words.nearest(wanted, self._normal.at(span.start), self._normal.at(span.end))
        if found is None:
            return None
        around = self._normal.around(*found)
        number = self._sentence(around.start)
        return None if number is None else self._shown(around, number)

    def _shown(self, span: Span, sentence: int) -> Nearest:
        return Nearest(self._source[span.start : min(span.end, span.start + _SHOWN)], sentence)
