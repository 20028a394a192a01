"""A report as Markdown and as plain text, for terminals and pipes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

from ...attest import Official, Provenance
from ...report import Correction, Find, Held, Origin, Proposal, Report, Ruling, Source
from .. import marks
from ..problems import visible
from .claims import excused_text
from .notices import notices
from .words import words_in

_WIDTH = 100
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>&~$:@/])")


def report_markdown(report: Report) -> str:
    """The report as Markdown. Texts of authors and models are escaped, so that they are shown and do nothing."""
    form = _Markdown(report)
    return excused_text("\n".join(form.lines()) + "\n", "report.md", report.claims, form.w)


def report_text(report: Report) -> str:
    """The report for a terminal, at most 100 columns wide but for words that are longer."""
    form = _Text(report)
    return excused_text("\n".join(form.lines()) + "\n", "report.txt", report.claims, form.w)


class _Form:
    """What the two forms share: the order of the parts."""

    mark: Callable[[Provenance], str]

    def __init__(self, report: Report) -> None:
        self.r, self.w = report, words_in(report.language)

    def lines(self) -> Iterator[str]:
        r, w = self.r, self.w
        yield from self.title(f"{r.headings.report}: {r.document}")
        for text in notices(r, w):
            yield from self.block(text)
        yield from self.block(" · ".join(r.about))
        yield from self.block(" ".join(r.lede))
        yield from self._score()
        if "corrections" in r.shows:
            yield from self.head(r.headings.corrections)
            none = w["nobody"] if r.corrections is None else w["none_corrections"]
            yield from self.listed([self._correction(one) for one in r.corrections or ()], none)
        if "proposals" in r.shows:
            yield from self.head(r.headings.proposals)
            none = w["nobody"] if r.proposals is None else w["none_proposals"]
            yield from self.listed([self._proposal(one) for one in r.proposals or ()], none)
        yield from self.head(r.headings.finds)
        yield from self.listed([self._find(one) for one in r.finds], w["none_finds"])
        yield from self.head(w["withheld"])
        yield from self.listed([self._held(one) for one in r.withheld], w["none_withheld"])
        yield from self.head(w["dropped"])
        dropped = [f"{self.said(d.code)}: {self.said(d.why)} {self.said(d.shown)}".rstrip() for d in r.dropped]
        yield from self.listed(dropped, w["none_dropped"])
        yield from self.head(f"{w['rulings']}: {w[r.verdict]}")
        yield from self.listed([self._ruling(p) for p in r.rulings if not p.is_check], "")
        if r.checked is not None:
            yield from self.head(f"{w['checks']}: {w[r.checked]}")
            yield from self.listed([self._ruling(p) for p in r.rulings if p.is_check], "")
        yield from self.head(w["blind"])
        yield from self.listed([self.said(text) for text in r.blind], "")
        yield from self.head(w["sources"])
        yield from self.listed([self.source(one) for one in r.sources], w["none_sources"])
        yield from self._runs()

    def _score(self) -> Iterator[str]:
        r, w = self.r, self.w
        if r.score is None:
            return
        yield from self.head(r.score.name)
        if r.score.value is None:
            yield from self.block(f"{w['no_score']}. {w['no_score_why']}")
        else:
            yield from self.block(f"{r.score.name}: {self.mark(r.score.value)} {w['of']} {r.score.high}")
            yield from self.block(self.said(r.score.formula))
            guessed = any(o.origin == "guess" for p in r.score.parts for o in p.origins)
            if guessed or any(o.origin == "guess" for o in r.score.origins):
                yield from self.block(w["guess_warning"])
        parts = []
        for part in r.score.parts:
            gives = f": {part.value} × {part.weight} = {part.gives}" if part.value and part.weight else ""
            origins = "; ".join(map(self._origin, part.origins))
            parts.append(f"{self.said(part.name)}{gives}. {self.said(part.words)} {self.said(origins)}".rstrip())
        yield from self.listed(parts, "")

    def _origin(self, one: Origin) -> str:
        revisit = f", {self.w['revisit']} {one.revisit}" if one.revisit else ""
        return f"{one.name} {one.value} ({self.w[one.origin]}{revisit})"

    def _correction(self, one: Correction) -> str:
        better = self.said(one.better) if one.better else f"({self.w['nothing']})"
        return f"{self.said(one.quote)} → {better} [{self.said(', '.join(one.tags))}] {self.said(one.why)}"

    def _proposal(self, one: Proposal) -> str:
        w = self.w
        official = f"{w['from_file']}: {self.mark(one.official)}" if one.official is not None else ""
        title = f" ({self.said(one.title)})" if one.title else ""
        parts = [f"{self.said(one.name)}{title}: {self.said(one.quote)}", official]
        parts += [f"{w['proposed']}: {self.mark(one.value)}", self.said(one.counts)]
        return ". ".join(part for part in parts if part)

    def _find(self, one: Find) -> str:
        kind = f", {self.said(one.kind)}" if one.kind else ""
        return f"{self.said(one.written)}: {self.said(one.name)}{kind}: {self.mark(one.value)}"

    def _held(self, one: Held) -> str:
        values = "; ".join(self.mark(value) for value in one.values)
        times = f" × {len(one.spans)}" if len(one.spans) > 1 else ""
        return f"{self.said(one.what)}{times}: {self.said(one.why)} {values}".rstrip()

    def _ruling(self, one: Ruling) -> str:
        said = [f"{self.w[one.verdict]}: {self.said(one.title)} ({one.policy})"]
        for row in one.rows:
            shown = f": {self.said(row.shown)}" if row.shown else ""
            said.append(f"{self.w[row.outcome]}{shown}")
        said += [f"+ {one.more} {self.w['more_rows']}"] if one.more else []
        return "; ".join(said)

    def _runs(self) -> Iterator[str]:
        w = self.w
        runs = []
        for run in self.r.runs:
            by_hand = f", {w['constructed_run']}" if run.made == "constructed" else ""
            missing = f". {w[run.missing]}" if run.missing else ""
            facts = "; ".join(f"{w[name]}: {self.said(value)}" for name, value in run.facts)
            runs.append(f"{self.said(run.sensor)} ({run.kind}{by_hand}){missing} {facts}".rstrip())
        yield from self.head(w["runs"])
        yield from self.listed(runs, "")

    # -- what differs --------------------------------------------------------------------------------------------

    def said(self, text: str | None) -> str:
        raise NotImplementedError

    def title(self, text: str) -> Sequence[str]:
        raise NotImplementedError

    def head(self, text: str) -> Sequence[str]:
        raise NotImplementedError

    def block(self, text: str) -> Sequence[str]:
        raise NotImplementedError

    def listed(self, items: Sequence[str], none: str) -> Iterator[str]:
        raise NotImplementedError

    def source(self, one: Source) -> str:
        raise NotImplementedError


class _Markdown(_Form):
    mark = staticmethod(marks.markdown)

    def said(self, text: str | None) -> str:
        return _SIGNS.sub(r"\\\1", visible(" ".join((text or "").split())))

    def title(self, text: str) -> Sequence[str]:
        return (f"# {self.said(text)}", "")

    def head(self, text: str) -> Sequence[str]:
        return (f"## {self.said(text)}", "")

    def block(self, text: str) -> Sequence[str]:
        return (text, "") if text else ()

    def listed(self, items: Sequence[str], none: str) -> Iterator[str]:
        yield from (f"- {item}" for item in items)
        if not items and none:
            yield none
        yield ""

    def source(self, one: Source) -> str:
        return ". ".join(self.mark(part) for part in one.pins.values())


class _Text(_Form):
    def __init__(self, report: Report) -> None:
        super().__init__(report)

    @staticmethod
    def mark(one: Provenance) -> str:
        key = f" [{', '.join(one.key.values())}]" if isinstance(one, Official) and one.key else ""
        return marks.text(one) + key

    def said(self, text: str | None) -> str:
        return visible(" ".join((text or "").split())).replace("<!--", "< !--")

    def title(self, text: str) -> Sequence[str]:
        return (visible(text), "=" * min(len(visible(text)), _WIDTH), "")

    def head(self, text: str) -> Sequence[str]:
        return (visible(text), "-" * min(len(visible(text)), _WIDTH))

    def block(self, text: str) -> Sequence[str]:
        return (*textwrap.wrap(visible(text), _WIDTH, break_long_words=False), "") if text else ()

    def listed(self, items: Sequence[str], none: str) -> Iterator[str]:
        for item in items or ([none] if none else []):
            yield from textwrap.wrap(
                f"- {item}", _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        yield ""

    def source(self, one: Source) -> str:
        said = {name: part.value if isinstance(part, Official) else "–" for name, part in one.pins.items()}
        named = f"{said['title']}, {self.w['edition']} {said['edition']}. {said['cite']}"
        return f"{named} {said['licence']} sha256 {said['sha256']}"
