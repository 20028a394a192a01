"""A report on one document, from a plan and the rows that it names. Whatever is shown as official was attested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..attest import Claim, Official, Pinned, Withheld, attest
from ..frozen import dataclass
from ..markup import PIN_COLUMNS
from ..model import Pack
from ..report import Dropped, Headings, Held, Report, Ruling, RunLine, Scale, Source, Span
from ..report_plan import HeldPlan, ReportPlan, Sentence
from ..sensor import Document
from ..sensors.artifact import claim_words
from ..verdict import PolicyVerdict, Run, Value
from .marks import corrections, finds, looked_up, proposals, spans_of
from .score import score
from .wording import said

Rows = Sequence[Mapping[str, Value]]


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
        tuple(_ruling(one) for one in of.verdict.policies),
        of.verdict.verdict,
        tuple(_blind(of)),
        tuple(_sources(of.pinned, values)),
        of.runs,
        any(one.made == "constructed" for one in of.runs),
        claim_words(of.pack.references.values(), [of.pack]),
        tuple(one for one in ("corrections", "proposals") if getattr(plan, one) is not None),
    )


def _held(of: Material) -> Iterator[Held]:
    """What is withheld. What is said of several places in the same words is said once, with all of them."""
    found: dict[tuple[str, str, str], list[Span]] = {}
    values: dict[tuple[str, str, str], tuple[Official | Withheld, ...]] = {}
    for plan in of.plan.withheld:
        if plan.if_absent is not None and plan.if_absent not in of.absent:
            continue
        for row in of.of(plan.rows):
            one = _one_held(of, plan, row)
            about = one.what, one.why, str(one.values)
            found.setdefault(about, []).extend(one.spans)
            values[about] = one.values
    for about, spans in found.items():
        yield Held(about[0], about[1], tuple(dict.fromkeys(spans)), values[about])


def _one_held(of: Material, plan: HeldPlan, row: Mapping[str, Value]) -> Held:
    why = said(plan.words, of.language, row) or ""
    values = tuple(looked_up(of, one, row) for one in plan.values)
    return Held(str(row[plan.what]), why, spans_of(row), values)


def _ruling(one: PolicyVerdict) -> Ruling:
    policy, counts = one.checked.policy, one.counts
    counted = (
        ("pass", counts.passed),
        ("fail", counts.failed),
        ("review", counts.review),
        ("no_evidence", counts.no_evidence),
        ("waived", counts.waived),
    )
    found = tuple((word, number) for word, number in counted if number)
    return Ruling(policy.id, policy.title, one.verdict, one.reason, found, policy.cannot_see)


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
