"""Sentences as spans of a text, found without a model, and the text as a model is shown it: `[S1] …`.

A sentence ends at a line break, and after final punctuation (with the closing quotes and brackets that follow it) if
white space comes next and then no lower-case letter. The full stop of a single letter (`J. Smith`) or of a number at
the beginning (`3. We go`) ends none; full-width stops end one without white space. Abbreviations of more letters are
taken for ends: a cut too many costs a model a little context, a cut too few would make every quote ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..frozen import dataclass

_LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_CLOSING = "\"'”’»›)\\]}＂」』）"
_END = re.compile(rf"(?:[.!?…‽؟।]+[{_CLOSING}]*(?=\s)|[。！？｡]+[{_CLOSING}]*)")
_NO_END = re.compile(r"(?:(?<![^\W_])[^\W\d_]|^\s*[0-9]{1,3})\.$")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, half open, in code points."""

    start: int
    end: int


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences in their order. Each begins and ends with what is no white space; none is empty.

    Every character that is not white space lies in exactly one.
    """
    found = (_trimmed(text, start, end) for line in _LINE.finditer(text) for start, end in _cuts(text, line.span()))
    return tuple(span for span in found if span is not None)


def numbered(text: str, spans: Iterable[Span]) -> str:
    """One line a sentence, `[S1] …`, counted from 1.

    White space within a sentence is shown as one space: a sentence that holds a line break cannot forge a number.
    """
    return "".join(f"[S{n}] {' '.join(text[s.start : s.end].split())}\n" for n, s in enumerate(spans, 1))


def _cuts(text: str, line: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The stretches of a line between the ends of its sentences."""
    start, stop = line
    for end in _END.finditer(text, start, stop):
        if _next_visible(text, end.end(), stop).islower() or _NO_END.search(
            text[max(start, end.end() - 12) : end.end()]
        ):
            continue
        yield start, end.end()
        start = end.end()
    yield start, stop


def _next_visible(text: str, at: int, stop: int) -> str:
    """The first character from `at` that is no white space, or nothing."""
    while at < stop and text[at].isspace():
        at += 1
    return text[at] if at < stop else ""


def _trimmed(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if start < end else None
