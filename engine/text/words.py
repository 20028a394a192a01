"""The words of a normalised text, indexed: where a quote may stand, and what is nearest to one that does not."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_WORD = re.compile(r"[\w\u0300-\u036f]+")
"""With the marks that a normalised letter has after it."""
_COMMON = 300
"""A word that stands oftener than this says little about where a quote may come from."""
_RAREST = 4
_LONGEST = 40
"""Of a longer quote so many words are looked for."""
_WINDOWS = 60
_NEAR = 0.5
"""From this likeness on (difflib's ratio, case aside) a stretch is called near. Only a message depends on it."""


class Words:
    """An index of `text`, which is normalised. Words are found case aside; who compares says whether case matters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts, self._ends = array("q"), array("q")
        self._numbers: dict[str, array[int]] = {}
        for number, word in enumerate(_WORD.finditer(text)):
            self._starts.append(word.start())
            self._ends.append(word.end())
            self._numbers.setdefault(word[0].lower(), array("q")).append(number)

    def places(self, quote: str) -> Iterator[int]:
        """Each offset at which the text has the quote, in order. The quote is normalised and not empty."""
        inner = [w for w in _WORD.finditer(quote) if w.start() > 0 and w.end() < len(quote)]
        if not inner:
            yield from occurrences(self._text, quote, 0, len(self._text))
            return
        none: array[int] = array("q")
        rarest = min(inner, key=lambda w: len(self._numbers.get(w[0].lower(), none)))
        for number in self._numbers.get(rarest[0].lower(), none):
            place = self._starts[number] - rarest.start()
            if place >= 0 and self._text.startswith(quote, place):
                yield place

    def nearest(self, quote: str, start: int, end: int) -> tuple[int, int] | None:
        """The stretch of whole words that is most like the quote, or None if nothing is like it.

        The rare words of the quote, wherever they stand, say where to look; without any, a text's `start` to `end`
        (the sentence in which the quote was said to be) is looked through. Both are bounded, so are the costs.
        """
        words = [w.lower() for w in _WORD.findall(quote)[:_LONGEST]]
        if not words or not self._starts:
            return None
        said = bisect_left(self._starts, start)
        firsts = self._votes(words, said) or range(said, min(bisect_left(self._starts, end), said + _WINDOWS))
        return self._likest(quote, firsts, len(words))

    def _votes(self, words: Sequence[str], said: int) -> list[int]:
        """The numbers of the words at which the quote would begin, by the weight of its words that agree."""
        votes: Counter[int] = Counter()
        held = [(len(self._numbers[w]), n, w) for n, w in enumerate(words) if w in self._numbers]
        for count, offset, word in sorted(held)[:_RAREST]:
            if count <= _COMMON:
                for number in self._numbers[word]:
                    votes[number - offset] += 1
        best = max(votes.values(), default=0)
        likely = sorted((n for n, v in votes.items() if v == best), key=lambda n: (abs(n - said), n))
        return likely[:3]

    def _likest(self, quote: str, firsts: Sequence[int], length: int) -> tuple[int, int] | None:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(quote.casefold()[: _LONGEST * 8])
        best, found = _NEAR, None
        for first in firsts:
            begin, last = max(first, 0), min(first + length, len(self._starts)) - 1
            if begin > last:
                continue
            start, end = self._starts[begin], self._ends[last]
            matcher.set_seq1(self._text[start : min(end, start + _LONGEST * 8)].casefold())
            if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
                ratio = matcher.ratio()
                if ratio > best or (found is None and ratio == best):
                    best, found = ratio, (start, end)
        return found


def occurrences(text: str, quote: str, start: int, end: int) -> Iterator[int]:
    """Each offset from `start` and before `end` at which the text has the quote; they may overlap."""
    limit = min(len(text), end + len(quote) - 1)
    place = text.find(quote, start, limit)
    while place >= 0:
        yield place
        place = text.find(quote, place + 1, limit)
