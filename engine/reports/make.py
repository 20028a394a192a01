"""A report on one document, from a plan and the rows that it names. Whatever is shown as official was attested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..attest import Claim, Official, Pinned, Withheld, attest
from ..canonical import shown
from ..frozen import dataclass
from ..markup import PIN_COLUMNS
from ..model import Pack
from ..report import Dropped, Headings, Held, Report, RuledRow, Ruling, RunLine, Scale, Source, Span
from ..report_plan import HeldPlan, ReportPlan, Sentence
from ..sensor import Document
from ..sensors.artifact import claim_words
from ..verdict import SEVERITY, PolicyVerdict, Run, Value, Witness
from .marks import corrections, finds, looked_up, proposals, spans_of
from .score import score
from .wording import said

Rows = Sequence[Mapping[str, Value]]
_MOST_ROWS = 20
"""Of one policy, that are no pass. A report is read by people."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a report on a document is made of. `rows` are those of the plan's relations and views, None if absent.

    `absent` are relations that nobody looked for. `language` is one of the plan's.
    """

    pack: Pack
    plan: ReportPlan
    language: str
    document: Document
    rows: Mapping[str, Rows | None]
    absent: frozenset[str]
    verdict: Run
    pinned: Mapping[str, Pinned]
    runs: tuple[RunLine, ...]
    dropped: tuple[Dropped, ...]

    def of(self, name: str) -> Rows:
        """The rows of the document; none of what is absent."""
        return [row for row in self.rows.get(name) or () if row["document"] == self.document.name]

    def say(self, sentence: Sentence) -> Iterator[str]:
        """What a sentence says of the document. Of what is absent it says nothing, unless that is what it says."""
        rows = self.of(sentence.rows)
        missing = said(sentence.missing, self.language) if sentence.missing is not None else None
        if self.rows.get(sentence.rows) is None or (not rows and not sentence.once):
            yield from [missing] if missing else ()
            return
        for row in [{"count": len(rows)}] if sentence.once else [{**row, "count": len(rows)} for row in rows]:
            text = said(sentence.words, self.language, row)
            yield from [text] if text else [missing] if missing else ()


def make_report(of: Material) -> Report:
    """The report. Every look-up that is not confirmed is withheld, with its reason."""
    plan, language = of.plan, of.language
    words = plan.headings[language]
    found = finds(of)
    proposed = proposals(of)
    values = [one.value for one in found] + [one.official for one in proposed or () if one.official is not None]
    held = tuple(_held(of))
    values += [value for one in held for value in one.values]
    rulings = tuple(_ruling(of, one) for one in of.verdict.policies)
    return Report(
        of.pack.name,
        of.pack.version,
        language,
        plan.text_language,
        of.document.name,
        of.document.text,
        of.document.sha256,
        Headings(**{name: words[name] for name in Headings.__dataclass_fields__}),
        tuple(text for one in plan.about for text in of.say(one)),
        tuple(text for one in plan.lede for text in of.say(one)),
        Scale(words["kind"], plan.scale),
        found,
        proposed,
        corrections(of),
        score(of),
        held,
        of.dropped,
        rulings,
        _worst(one.verdict for one in rulings if not one.is_check) or "no_evidence",
        tuple(_blind(of)),
        tuple(_sources(of.pinned, values)),
        of.runs,
        any(one.made == "constructed" for one in of.runs),
        claim_words(of.pack.references.values(), [of.pack]),
        tuple(one for one in ("corrections", "proposals") if getattr(plan, one) is not None),
        _worst(one.verdict for one in rulings if one.is_check),
    )


def _held(of: Material) -> Iterator[Held]:
    """What is withheld, in the order of the plan, then of names. What is said of several places is said once."""
    for plan in of.plan.withheld:
        if plan.if_absent is not None and plan.if_absent not in of.absent:
            continue
        found: dict[tuple[str, str, str], list[Held]] = {}
        for row in of.of(plan.rows):
            one = _one_held(of, plan, row)
            found.setdefault((one.what.casefold(), one.why, str(one.values)), []).append(one)
        for _, same in sorted(found.items()):
            spans = sorted({(span.start, span.end) for one in same for span in one.spans})
            what = min((one.what for one in same), key=lambda text: (text != text.lower(), text))
            yield Held(what, same[0].why, tuple(Span(start, end) for start, end in spans), same[0].values)


def _one_held(of: Material, plan: HeldPlan, row: Mapping[str, Value]) -> Held:
    why = said(plan.words, of.language, row) or ""
    values = tuple(looked_up(of, one, row) for one in plan.values)
    return Held(str(row[plan.what]), why, spans_of(row), values)


def _worst(verdicts: Iterable[str]) -> str | None:
    return min(verdicts, key=SEVERITY.index, default=None)


def _ruling(of: Material, one: PolicyVerdict) -> Ruling:
    policy, counts = one.checked.policy, one.counts
    counted = (
        ("pass", counts.passed),
        ("fail", counts.failed),
        ("review", counts.review),
        ("no_evidence", counts.no_evidence),
        ("waived", counts.waived),
    )
    found = tuple((word, number) for word, number in counted if number)
    shows = of.plan.checks.get(policy.id.rpartition(".")[2])
    listed = [row for row in one.witnesses if row.outcome != "pass"]
    rows = tuple(_ruled_row(of, policy.relation, row, shows) for row in listed[:_MOST_ROWS])
    more = len(listed) - len(rows) + one.more_witnesses
    said = (policy.id, policy.title, one.verdict, one.reason, found, policy.cannot_see)
    return Ruling(*said, rows, more, shows is not None)


def _ruled_row(of: Material, relation: str, row: Witness, shows: Sequence[str] | None) -> RuledRow:
    """A row by the columns that the plan names; else by its key, without the document, which all rows share."""
    names: Sequence[str] = [name for name in row.key if name != "document"]
    cells: Mapping[str, Value] = row.key
    if shows is not None:
        whole = (one for one in of.of(relation) if all(one.get(name) == value for name, value in row.key.items()))
        names, cells = shows, next(whole, {**row.key, **row.columns})
    return RuledRow(row.outcome, ", ".join(f"{name}: {shown(cells.get(name))}" for name in names), row.passes_if)


def _blind(of: Material) -> Iterator[str]:
    """What pack, relations and policies say that they do not see, each once."""
    relations = (one.cannot_see for one in of.pack.relations.values() if one.name not in of.absent)
    policies = (one.checked.policy.cannot_see for one in of.verdict.policies)
    yield from dict.fromkeys(text for text in (of.pack.cannot_see, *relations, *policies) if text)


def _sources(pinned: Mapping[str, Pinned], values: Sequence[Official | Withheld]) -> Iterator[Source]:
    """The references that something shown is from."""
    named = {one.reference for one in values if isinstance(one, Official)}
    for name in sorted(named):
        one = pinned[name].reference
        said = {part: Claim(getattr(one, part), name, {}, column) for part, column in PIN_COLUMNS.items()}
        yield Source(name, one.title, {part: attest(claim, pinned) for part, claim in said.items()})
