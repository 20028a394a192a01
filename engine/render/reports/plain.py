"""A report as Markdown and as plain text, for terminals and pipes."""

from __future__ import annotations

import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from ...attest import Official, Provenance
from ...report import Correction, Find, Held, Origin, Part, Proposal, Report, Ruling, Source
from .. import marks
from ..problems import visible
from .claims import vouched
from .notices import notices
from .words import words_in

_WIDTH = 100
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>&~$:@/])")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_KEPT = "\ufdd1"
"""Stands for a space within a quoted part of a mark, where no line may end: no character of any text."""


def report_markdown(report: Report) -> str:
    """The report as Markdown. Texts of authors and models are escaped, so that they are shown and do nothing."""
    return vouched("\n".join(_Markdown(report).lines()) + "\n", "report.md", report.claims)


def report_text(report: Report) -> str:
    """The report for a terminal, at most 100 columns wide but for words that are longer."""
    return vouched("\n".join(_Text(report).lines()) + "\n", "report.txt", report.claims)


class _Form(ABC):
    """What the two forms share: the parts and their order."""

    def __init__(self, report: Report) -> None:
        self.r, self.w = report, words_in(report.language)

    def lines(self) -> Iterator[str]:
        r, w = self.r, self.w
        yield from self.title(f"{r.headings.report}: {r.document}")
        for text in (*notices(r, w), " · ".join(r.about), " ".join(r.lede)):
            yield from self.block(text)
        yield from self._score()
        if "corrections" in r.shows:
            none = w["nobody"] if r.corrections is None else w["none_corrections"]
            yield from self.part(r.headings.corrections, [self._correction(one) for one in r.corrections or ()], none)
        if "proposals" in r.shows:
            none = w["nobody"] if r.proposals is None else w["none_proposals"]
            yield from self.part(r.headings.proposals, [self._proposal(one) for one in r.proposals or ()], none)
        finds = sorted(r.finds, key=lambda one: (-(one.band or 0), one.written.casefold(), one.written, one.id))
        yield from self.part(r.headings.finds, [self._find(one) for one in finds], w["none_finds"])
        yield from self.part(w["withheld"], [self._held(one) for one in r.withheld], w["none_withheld"])
        dropped = [f"{self.said(d.code)}: {self.said(d.why)} {self.said(d.shown)}".rstrip() for d in r.dropped]
        yield from self.part(w["dropped"], dropped, w["none_dropped"])
        yield from self._rulings()
        yield from self.part(w["blind"], [self.said(text) for text in r.blind], "")
        yield from self.part(w["sources"], [self.source(one) for one in r.sources], w["none_sources"])
        yield from self._runs()

    def part(self, head: str, items: Sequence[str], none: str) -> Iterator[str]:
        yield from self.head(head)
        yield from self.listed(items, none)

    def _score(self) -> Iterator[str]:
        score, w = self.r.score, self.w
        if score is None:
            return
        yield from self.head(score.name)
        if score.value is None:
            yield from self.block(f"{w['no_score']}. {w['no_score_why']}")
        else:
            yield from self.block(f"{score.name}: {self.mark(score.value)} {w['of']} {score.high}")
            yield from self.block(self.said(score.formula))
        if score.guesses:
            yield from self.block(w["guess_warning"])
        yield from self.listed([self._part(one) for one in score.parts], "")
        if score.value is not None:
            every = [*(one for part in score.parts for one in part.origins), *score.origins]
            yield from self.block(f"{w['numbers']}:")
            yield from self.listed([self._origin(one) for one in dict.fromkeys(every)], "")

    def _part(self, one: Part) -> str:
        gives = f": {one.value} × {one.weight} = {one.gives}" if one.value and one.weight else ""
        return f"{self.said(one.name)}{gives}. {self.said(one.words)}".rstrip()

    def _origin(self, one: Origin) -> str:
        revisit = f", {self.w['revisit']} {one.revisit}" if one.revisit else ""
        source = f", {one.source}" if one.source else ""
        return self.said(f"{one.name} {one.value}: {self.w[one.origin]}{source}{revisit}")

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
        times = f" × {len(one.spans)}" if len(one.spans) > 1 else ""
        return f"{self.said(one.written)}{self.entry(one)}{times}: {self.mark(one.value)}"

    def _held(self, one: Held) -> str:
        values = "; ".join(self.mark(value) for value in one.values)
        times = f" × {len(one.spans)}" if len(one.spans) > 1 else ""
        return f"{self.said(one.what)}{times}: {self.said(one.why)} {values}".rstrip()

    def _rulings(self) -> Iterator[str]:
        r, w = self.r, self.w
        of_text = [self._ruling(one) for one in r.rulings if not one.is_check]
        yield from self.part(f"{w['rulings']}: {w[r.verdict]}", of_text, "")
        if r.checked is not None:
            of_sensors = [self._ruling(one) for one in r.rulings if one.is_check]
            yield from self.part(f"{w['checks']}: {w[r.checked]}", of_sensors, "")

    def _ruling(self, one: Ruling) -> str:
        said = [f"{self.w[one.verdict]}: {self.said(one.title)} ({one.policy})"]
        for row in one.rows:
            shown = f": {self.said(row.shown)}" if row.shown else ""
            why = f", {self.w['passes_if']} {self.said(row.passes_if)}" if row.passes_if else ""
            said.append(f"{self.w[row.outcome]}{shown}{why}")
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
        yield from self.part(w["runs"], runs, "")

    # -- what differs --------------------------------------------------------------------------------------------

    @abstractmethod
    def mark(self, one: Provenance) -> str: ...

    @abstractmethod
    def said(self, text: str | None) -> str: ...

    @abstractmethod
    def title(self, text: str) -> Sequence[str]: ...

    @abstractmethod
    def head(self, text: str) -> Sequence[str]: ...

    @abstractmethod
    def block(self, text: str) -> Sequence[str]: ...

    @abstractmethod
    def listed(self, items: Sequence[str], none: str) -> Iterator[str]: ...

    @abstractmethod
    def entry(self, one: Find) -> str: ...

    @abstractmethod
    def source(self, one: Source) -> str: ...


class _Markdown(_Form):
    def mark(self, one: Provenance) -> str:
        return marks.markdown(one)

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

    def entry(self, one: Find) -> str:
        """The entry: its key is in the target of the link, which a reader does not see."""
        return f" ({self.said(', '.join(part for part in (one.name, one.kind, one.note) if part))})"

    def source(self, one: Source) -> str:
        return ". ".join(self.mark(part) for part in one.pins.values())


class _Text(_Form):
    def mark(self, one: Provenance) -> str:
        return _QUOTED.sub(lambda quoted: quoted[0].replace(" ", _KEPT), marks.text(one))

    def said(self, text: str | None) -> str:
        return visible(" ".join((text or "").split())).replace("<!--", "< !--")

    def title(self, text: str) -> Sequence[str]:
        said = self.said(text)
        return (said, "=" * min(len(said), _WIDTH), "")

    def head(self, text: str) -> Sequence[str]:
        said = self.said(text)
        return (said, "-" * min(len(said), _WIDTH))

    def block(self, text: str) -> Sequence[str]:
        return (*self._wrapped(text, ""), "") if text else ()

    def listed(self, items: Sequence[str], none: str) -> Iterator[str]:
        for item in items or ([none] if none else []):
            yield from self._wrapped(f"- {item}", "  ")
        yield ""

    def _wrapped(self, text: str, indent: str) -> list[str]:
        lines = textwrap.wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        return [line.replace(_KEPT, " ") for line in lines]

    def entry(self, one: Find) -> str:
        """Nothing: the mark has its key. Of what is withheld there is no mark."""
        if isinstance(one.value, Official):
            return f" ({self.said(one.note)})" if one.note else ""
        return f" ({self.said(', '.join(part for part in (one.name, one.kind) if part))})"

    def source(self, one: Source) -> str:
        said = {name: part.value if isinstance(part, Official) else "–" for name, part in one.pins.items()}
        named = f"{said['title']}, {self.w['edition']} {said['edition']}. {said['cite']}"
        return self.said(f"{named} {said['licence']} sha256 {said['sha256']}")
