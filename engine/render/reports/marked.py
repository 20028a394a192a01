"""The marked text of a report as HTML: pieces that nest, a label at the end of each mark, notes under the paragraph.

What a reader copies, labels and notes apart, is the text as it was written, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

from ...attest import Official
from ...frozen import dataclass
from ...report import Correction, Find, Proposal, Report
from ...text import Closing, Mark, Opening, compose, lanes
from .. import marks
from ..problems import visible
from .legible import legible

LONG = 1_500
"""Words of a text above which notes stand in the lists only."""
_MOST_LANES = 3
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_WEIGHTS = ("minor", "moderate", "serious")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with its marks as HTML, and the numbers of the corrections that end in it."""

    html: str
    corrections: tuple[Correction, ...]


class MarkedText:
    """The text of a report. `words` are those of its language."""

    def __init__(self, report: Report, words: Mapping[str, str]) -> None:
        self.report, self.words = report, words
        self.is_long = len(report.text.split()) > LONG
        self.of: dict[str, Find | Proposal | Correction] = {}
        self.first: set[str] = set()
        self.marks: list[Mark] = []
        for find in report.finds:
            if isinstance(find.value, Official):
                spans = find.spans[:1] if self.is_long else find.spans
                self._add(find, [(span.start, span.end) for span in spans])
        others: tuple[Proposal | Correction, ...] = (*(report.proposals or ()), *(report.corrections or ()))
        for one in others:
            self._add(one, [(one.span.start, one.span.end)])
        self.lanes = lanes(self.marks)

    def _add(self, one: Find | Proposal | Correction, spans: list[tuple[int, int]]) -> None:
        for number, (start, end) in enumerate(spans, 1):
            name = one.id if number == 1 else f"{one.id}-{number}"
            if number == 1:
                self.first.add(name)
            self.of[name] = one
            self.marks.append(Mark(name, start, end))

    def paragraphs(self) -> Iterator[Paragraph]:
        """The paragraphs: what stands between ends of lines, without those that have nothing in them."""
        text = legible(self.report.text)
        for start, end in _lines(text):
            inside = [mark for mark in self.marks if mark.start < end and start < mark.end]
            if start == end:
                continue
            moved = [Mark(m.name, max(m.start, start) - start, min(m.end, end) - start) for m in inside]
            ended = tuple(one for m in inside if m.end <= end and isinstance(one := self.of[m.name], Correction))
            yield Paragraph(self._paragraph(text[start:end], moved, inside, start, end), ended)

    def _paragraph(self, text: str, moved: list[Mark], inside: list[Mark], start: int, end: int) -> str:
        whole = {mark.name: mark for mark in inside}
        out: list[str] = []
        for event in compose(text, moved):
            if isinstance(event, str):
                out.append(escaped(event))
            elif isinstance(event, Opening):
                out.append(self._open(event, event.first and whole[event.mark.name].start >= start))
            else:
                out.append(self._close(event, event.last and whole[event.mark.name].end <= end))
        return "".join(out)

    def _open(self, event: Opening, first: bool) -> str:
        one = self.of[event.mark.name]
        kind = "o" if isinstance(one, Find) else "p" if isinstance(one, Proposal) else "e"
        if isinstance(one, Proposal) and isinstance(one.official, Official):
            kind = "p f"
        lane = min(self.lanes[event.mark.name], _MOST_LANES)
        piece = "" if first else " k"
        return f'<span class="{kind} l{lane}{piece}">'

    def _close(self, event: Closing, last: bool) -> str:
        return f"{self._label(event.mark.name) if last else ''}</span>"

    def _label(self, name: str) -> str:
        one, w = self.of[name], self.words
        card = "" if self.is_long or name not in self.first else self._card(one)
        about = f' aria-describedby="c-{one.id}"' if card else ""
        return f'<a class="ref" id="r-{name}" href="#{one.id}"{about}>{self._sign(one, w)}</a>{card}'

    def _sign(self, one: Find | Proposal | Correction, w: Mapping[str, str]) -> str:
        if isinstance(one, Find):
            assert isinstance(one.value, Official)
            return _level(one.value, w)
        number = one.id[1:]
        if isinstance(one, Correction):
            said = escape(", ".join(map(visible, one.tags)))
            return f'<span class="vh">{said} </span><span class="n {_WEIGHTS[one.weight - 1]}">{number}</span>'
        official = _level(one.official, w) if isinstance(one.official, Official) else ""
        return (
            f'{official}<span class="n ia"><span class="vh">{escape(w["proposed"])}, </span>{w["ia"]} {number}</span>'
        )

    def _card(self, one: Find | Proposal | Correction) -> str:
        w = self.words
        if isinstance(one, Find):
            assert isinstance(one.value, Official)
            kind = f", {shown(one.kind)}" if one.kind else ""
            note = f" {shown(one.note)}." if one.note else ""
            said = (
                f"<b>{shown(one.name)}</b>{kind}.{note} {escape(w['official'])}: {escape(w['line'])} {one.value.line}."
            )
        elif isinstance(one, Correction):
            better = f"<b>{shown(one.better)}</b>" if one.better else f"<i>({escape(w['nothing'])})</i>"
            why = f'<span lang="{escape(one.language)}">{shown(one.why)}</span>'
            said = f"<b>{one.id[1:]}</b>, {shown(', '.join(one.tags))}. <s>{shown(one.quote)}</s> → {better}. {why}"
        else:
            said = f"<b>{shown(one.name)}</b>. {escape(w['proposed'])}. {shown(one.counts)}"
        return f'<span class="card" id="c-{one.id}">{said}</span>'


def _level(one: Official, w: Mapping[str, str]) -> str:
    before = f'<span class="vh">{escape(w["official_level"])} </span>'
    # The point keeps the value apart from what follows for those who hear the page.
    return f'{before}<span class="lv">{marks.html(one)}</span><span class="vh">.</span>'


def shown(text: str) -> str:
    """A text of whoever wrote it, as HTML, with what would act on the page written out."""
    return escape(visible(text))


def escaped(text: str) -> str:
    """The text itself: what HTML would read otherwise is written as it asks for. A control character stays one."""
    return escape(text, quote=False).replace("\r", "&#13;")


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for found in _BREAK.finditer(text):
        yield at, found.start()
        at = found.end()
    yield at, len(text)
