"""A run made ready for the page: what stands above and below the policies. No clock: days count from `as_of`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from ..canonical import json_value, shown
from ..decision import WHY_NOT, DecisionUse
from ..frozen import dataclass
from ..verdict import SEVERITY, Run, WaiverUse
from .article import Article, Row, article
from .records import but_words, decided_row
from .sentences import count, listed, number
from .text import LABELS

SOON = 30
"""Days within which an end is near."""


@dataclass(frozen=True, slots=True)
class Due:
    """Something that ends on a day. `days` counts from the day of judging; None if the run has none."""

    day: date
    days: int | None
    kind: str
    name: str
    target: str

    @property
    def when(self) -> str:
        """`in 14 days`, `15 days ago`, or nothing without a day of judging."""
        if self.days is None:
            return ""
        if self.days == 0:
            return "on the day of judging"
        ago = f"{abs(self.days)} day{'' if abs(self.days) == 1 else 's'}"
        return f"in {ago}" if self.days > 0 else f"{ago} ago"


@dataclass(frozen=True, slots=True)
class WaiverLine:
    """A waiver as the page lists it, the one that ends first before the others."""

    id: str
    name: str
    use: WaiverUse
    due: Due
    rows: str


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """A decision as the page lists it; `why_not` in words if it has no effect."""

    use: DecisionUse
    row: str
    why_not: str | None


@dataclass(frozen=True, slots=True)
class Guess:
    """A number that is a guess, and the day on which it has to be looked at again."""

    policy: str
    name: str
    said: str
    because: str | None
    due: Due


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    group: str
    name: str
    value: str
    is_hash: bool


@dataclass(frozen=True, slots=True)
class Page:
    """What the template is given."""

    run: Run
    label: str
    but: str | None
    lede: list[str]
    tally: list[tuple[str, str, int]]
    articles: list[Article]
    queue: list[tuple[Article, Row]]
    queue_more: int
    waivers: list[WaiverLine]
    decisions: list[DecisionLine]
    guesses: list[Guess]
    due: list[Due]
    coverage: list[tuple[str, Sequence[str]]]
    receipt: list[ReceiptLine]


def page(run: Run) -> Page:
    """The whole page."""
    found = sorted(run.policies, key=lambda p: (SEVERITY.index(p.verdict), p.id))
    articles = [article(policy, run.as_of) for policy in found]
    waivers = sorted((_waiver(run, use) for use in run.waivers), key=lambda w: (w.due.day, w.id))
    guesses = sorted(_guesses(run, articles), key=lambda g: (g.due.day, g.policy, g.name))
    ends = sorted([w.due for w in waivers] + [g.due for g in guesses], key=lambda d: (d.day, d.kind, d.name))
    return Page(
        run=run,
        label=LABELS[run.verdict].lower(),
        but=but_words(run),
        lede=list(_lede(run)),
        tally=[(v, LABELS[v].lower(), n) for v in SEVERITY if (n := _having(run, v)) or v != "error"],
        articles=articles,
        queue=[(one, row) for one in articles for row in one.rows_of("review")],
        queue_more=sum(p.counts.review for p in run.policies) - sum(len(a.rows_of("review")) for a in articles),
        waivers=waivers,
        decisions=[DecisionLine(use, decided_row(use.decision), WHY_NOT.get(use.why or "")) for use in run.decisions],
        guesses=guesses,
        due=[d for d in ends if d.days is None or d.days <= SOON],
        coverage=_coverage(run),
        receipt=list(_receipt(run.receipt or {})),
    )


# -- the sentences above ---------------------------------------------------------------------------------------


def _having(run: Run, verdict: str) -> int:
    return sum(1 for p in run.policies if p.verdict == verdict)


def _lede(run: Run) -> Iterator[str]:
    """The run in sentences, the heaviest first."""
    if n := _having(run, "error"):
        yield f"{count(n, 'rule')} could not be judged: the rule or the facts have to be mended first."
    if broken := [p for p in run.policies if p.verdict == "fail"]:
        groups = sum(p.counts.failed for p in broken if p.checked.policy.per)
        rows = sum(p.counts.failed for p in broken) - groups
        by = [count(n, noun) for n, noun in ((rows, "row"), (groups, "group")) if n]
        yield f"{count(len(broken), 'rule')} {'is' if len(broken) == 1 else 'are'} broken, by {listed(by)}."
    if n := _having(run, "no_evidence"):
        yield f"{count(n, 'rule')} cannot be decided, because something is missing."
    if n := _having(run, "review"):
        yield f"{count(n, 'rule')} {'waits' if n == 1 else 'wait'} for a person."
    if n := _having(run, "pass"):
        yield f"{count(n, 'rule')} {'holds' if n == 1 else 'hold'}{''.join(_but(run, n))}."
    if n := _having(run, "not_applicable"):
        yield f"{count(n, 'rule')} {'does' if n == 1 else 'do'} not apply."


def _but(run: Run, n: int) -> Iterator[str]:
    """How many of the n that hold do so only because of a tolerance, a waiver or a decision."""
    passing = [p for p in run.policies if p.verdict == "pass"]
    tolerant = sum(1 for p in passing if p.counts.failed + p.counts.review + p.counts.no_evidence)
    waived = sum(1 for p in passing if p.counts.waived)
    decided = sum(1 for p in passing if p.counts.decided)
    ways = ((tolerant, "within a tolerance"), (waived, "with a waiver"), (decided, "by a person's decision"))
    for some, how in ways:
        if some:
            yield f", {how}" if n == 1 else f", {number(some)} of them {how}"


# -- what ends -------------------------------------------------------------------------------------------------


def _due(run: Run, day: date, kind: str, name: str, target: str) -> Due:
    return Due(day, (day - run.as_of).days if run.as_of else None, kind, name, target)


def _waiver(run: Run, use: WaiverUse) -> WaiverLine:
    waiver = use.waiver
    anchor = f"w-{use.pack}-{waiver.number}"
    rows = ", ".join(f"{name} {shown(value)}" for name, value in use.rows.items())
    name = f"waiver {waiver.number} of {use.pack}"
    return WaiverLine(anchor, name, use, _due(run, waiver.until, "waiver", name, anchor), rows)


def _guesses(run: Run, articles: Sequence[Article]) -> Iterator[Guess]:
    for one in articles:
        for entry in one.numbers:
            if entry.origin == "guess" and entry.revisit is not None:
                said = " or ".join(line.said for line in entry.values)
                due = _due(run, entry.revisit, "guess", f"{entry.name} of {one.id}", one.id)
                yield Guess(one.id, entry.name, said, entry.because, due)


# -- what is below ---------------------------------------------------------------------------------------------


def _coverage(run: Run) -> list[tuple[str, Sequence[str]]]:
    coverage = run.coverage
    if coverage is None:
        return []
    return [
        ("Relations that no policy read", coverage.relations),
        ("Columns that no policy read", coverage.columns),
        ("Parameters that no policy uses", coverage.parameters),
        ("Policies that never had a row in scope", coverage.policies),
    ]


def _receipt(receipt: Mapping[str, Any]) -> Iterator[ReceiptLine]:
    """Every entry of the receipt, whatever it holds: a line for each, its hash apart from what it is the hash of."""
    for group, entry in receipt.items():
        if isinstance(entry, Mapping):
            for name, value in entry.items():
                yield from _receipt_lines(group, str(name), value)
        elif isinstance(entry, (list, tuple)):
            for position, value in enumerate(entry, start=1):
                yield from _receipt_lines(group, f"number {position}", value)
        else:
            yield from _receipt_lines(group, "", entry)


def _receipt_lines(group: str, name: str, value: object) -> Iterator[ReceiptLine]:
    if isinstance(value, Mapping):
        plain = {k: v for k, v in value.items() if not _is_hash(v)}
        words = ", ".join(f"{k} {_receipt_words(v)}" for k, v in plain.items() if v is not None)
        for key, one in value.items():
            if _is_hash(one):
                yield ReceiptLine(group, f"{name}: {words}" if words else f"{name} {key}", str(one), True)
        if len(plain) == len(value):
            yield ReceiptLine(group, name, words, False)
    else:
        yield ReceiptLine(group, name, _receipt_words(value), _is_hash(value))


def _receipt_words(value: object) -> str:
    if isinstance(value, (Mapping, list, tuple)):
        return json.dumps(json_value(dict(value) if isinstance(value, Mapping) else value), ensure_ascii=False)
    return shown(value)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")
