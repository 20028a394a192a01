"""A text without the differences that a quote is forgiven, and the way back from it to the text itself.

Forgiven: canonically equal forms (NFC and NFD), typographic quotes and dashes, `…` and the ligatures of Latin type, the
length and kind of white space, characters without width. Not forgiven: case, and forms of compatibility (`10²` is no
`102`). The way back leads only to borders between what a reader sees as characters (UAX #29 without its Indic
conjuncts): no letter is cut from its marks, no emoji in two.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from .sentences import Span

_WITHOUT_WIDTH = chain(
    (0xAD, 0x34F, 0x61C, 0xFEFF),
    range(0x180B, 0x1810),
    range(0x200B, 0x2010),
    range(0x202A, 0x202F),
    range(0x2060, 0x2065),
    range(0x2066, 0x2070),
    range(0xFE00, 0xFE10),
    range(0xE0100, 0xE01F0),
)
_TABLE: dict[int, str | None] = {
    **dict.fromkeys(_WITHOUT_WIDTH),
    **{ord(c): "'" for c in "‘’‚‛ʼʹ′‹›´`"},
    **{ord(c): '"' for c in "“”„‟″«»"},
    **{ord(c): "-" for c in "‐‑‒–—―−﹘﹣－"},
    **{0xFB00 + n: plain for n, plain in enumerate(("ff", "fi", "fl", "ffi", "ffl", "ft", "st"))},
    ord("…"): "...",
}
_SPACES = re.compile(r"\s+")
_PLAIN = re.compile("[!-_a-~]+(?: [!-_a-~]+)*")
"""What is already normal, and has a border at each side of each of its characters."""


def normalised(text: str) -> str:
    """The text without what is forgiven, and without outer white space."""
    return _SPACES.sub(" ", unicodedata.normalize("NFD", text).translate(_TABLE)).strip(" ")


class Normal:
    """`text` is a source, normalised (but not trimmed); spans of the source are had from offsets into it."""

    def __init__(self, source: str) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._space = False
        # Segments, side by side: where each begins in the text, where in the source, and where it ends in the source,
        # or -1 for one that is the same, character by character, in both.
        self._at: list[int] = []
        self._from: list[int] = []
        self._to: list[int] = []
        self._read(source)
        self.text = "".join(self._parts)
        del self._parts

    def span(self, start: int, end: int) -> Span | None:
        """The stretch of the source that became `text[start:end]` and nothing else; None if that cuts a character."""
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        if self._to[first] >= 0 and self._at[first] != start:
            return None
        if self._to[last] >= 0 and self._begin(last + 1) != end:
            return None
        return self.around(start, end)

    def around(self, start: int, end: int) -> Span:
        """The shortest stretch of the source of whole characters that holds `text[start:end]`, which is not empty."""
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        begin = self._from[first] + (start - self._at[first] if self._to[first] < 0 else 0)
        stop = self._to[last] if self._to[last] >= 0 else self._from[last] + end - self._at[last]
        return Span(begin, stop)

    def at(self, offset: int) -> int:
        """The first place in `text` of what begins at or after `offset` in the source."""
        following = bisect_left(self._from, offset)
        if following and self._to[following - 1] < 0:
            return min(self._at[following - 1] + offset - self._from[following - 1], self._begin(following))
        return self._begin(following)

    def _begin(self, segment: int) -> int:
        return self._at[segment] if segment < len(self._at) else self._length

    def _read(self, source: str) -> None:
        done = 0
        for plain in _PLAIN.finditer(source):
            start, end = plain.span()
            if end < len(source) and not _border(source[end - 1], source[end]):
                end -= 1  # the last letter belongs to the mark that follows
            self._odd(source, done, start)
            if start < end:
                self._add(source[start:end], start, -1)
            done = end
        self._odd(source, done, len(source))

    def _odd(self, source: str, start: int, end: int) -> None:
        """What may change, character by character as a reader sees them."""
        for begin, stop in _characters(source, start, end):
            seen = source[begin:stop]
            became = self._spaced(unicodedata.normalize("NFD", seen).translate(_TABLE))
            if became:
                same = stop - begin == 1 and became == seen
                self._add(became, begin, -1 if same else stop)

    def _spaced(self, text: str) -> str:
        """The text with each run of white space as one space, also where the run began before it."""
        if not (self._space or any(c.isspace() for c in text)):
            return text
        kept, space = [], self._space
        for char in text:
            if not (char.isspace() and space):
                kept.append(" " if char.isspace() else char)
            space = char.isspace()
        return "".join(kept)

    def _add(self, text: str, begin: int, stop: int) -> None:
        last = len(self._at) - 1
        goes_on = stop < 0 <= last and self._to[last] < 0 and self._from[last] + self._length - self._at[last] == begin
        if not goes_on:
            self._at.append(self._length)
            self._from.append(begin)
            self._to.append(stop)
        self._parts.append(text)
        self._length += len(text)
        self._space = text[-1] == " "


def _characters(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of what a reader sees as characters. `start` is a border."""
    begin, flags = start, 0
    for at in range(start, end):
        flag = "\U0001f1e6" <= source[at] <= "\U0001f1ff"
        flags = flags + 1 if flag else 0
        if at > start and not (flag and flags % 2 == 0) and _border(source[at - 1], source[at]):
            yield begin, at
            begin = at
    if begin < end:
        yield begin, end


def _border(before: str, after: str) -> bool:
    """Whether a character as a reader sees it may end between the two. (Pairs of flags' letters: `_characters`.)"""
    left, right = _kind(before), _kind(after)
    if right == "extends":
        return left == "apart"
    if before == "\u200d":
        return right != "symbol"
    if left == "lead":
        return right not in ("lead", "syllable", "vowel")
    return not (right == "vowel" and left in ("syllable", "vowel"))


@lru_cache(maxsize=1 << 16)
def _kind(char: str) -> str:
    code, category = ord(char), unicodedata.category(char)
    if category[0] == "M" or char in "\u200c\u200d\uff9e\uff9f\u0e33\u0eb3" or 0x1F3FB <= code <= 0x1F3FF:
        return "extends"
    if 0xE0020 <= code <= 0xE007F:
        return "extends"
    if category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and code in _TABLE):
        return "apart"
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "lead"
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB:
        return "vowel"
    if 0xAC00 <= code <= 0xD7A3:
        return "syllable"
    return "symbol" if category == "So" else "other"
