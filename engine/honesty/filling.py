"""From what was judged, declared and sensed to the rows of the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..attest import Pinned
from ..canonical import json_value, shown
from ..frozen import dataclass, field
from ..markup import json_text
from ..model import Pack, Parameter, Reference
from ..references import Lookup, Shelf
from ..sensors.artifact import AMENDED_BY, Citation, Sensed
from ..verdict import Run
from .looking import quote_row, shown_row
from .tables import Row, Tables


@dataclass(frozen=True, slots=True)
class Desk:
    """What pages are compared with: the references, and the editions of acts that policies name."""

    pinned: Mapping[str, Pinned] = field(default_factory=dict)
    acts: Mapping[str, frozenset[str]] = field(default_factory=dict)


def desk_of(packs: Iterable[Pack], shelf: Shelf) -> Desk:
    """The references of these packs and the acts of their policies."""
    found, acts = dict[str, Reference](), dict[str, set[str]]()
    for pack in packs:
        found.update(pack.references)
        for policy in pack.policies.values():
            if policy.source is not None:
                named = acts.setdefault(policy.source.act, set())
                named |= {policy.source.edition} if policy.source.edition is not None else set()
    return Desk(
        pinned_references(found.values(), shelf), {act: frozenset(editions) for act, editions in sorted(acts.items())}
    )


def pinned_references(references: Iterable[Reference], shelf: Shelf) -> dict[str, Pinned]:
    """References with the way to look in them; those that the shelf does not have can confirm nothing."""
    pinned = {}
    for reference in sorted(references, key=lambda one: one.name):
        table, problem = shelf.tables.get(reference.name), shelf.problems.get(reference.name)
        lookup = Lookup(table) if table is not None else None
        pinned[reference.name] = Pinned(reference, lookup, problem.code if problem is not None else None)
    return pinned


def judged_rows(run: Run | None, packs: Iterable[Pack], desk: Desk) -> Tables:
    """Verdicts, witnesses, what was judged, thresholds, references, and the citations of policies."""
    packs = list(packs)
    return Tables(
        {
            "verdict": tuple(_verdicts(run)) if run is not None else (),
            "witness": tuple(_witnesses(run)) if run is not None else (),
            "run": tuple(_runs(run)) if run is not None else (),
            "threshold": tuple(_thresholds(packs)),
            "reference": tuple(_references(desk)),
            "citation": tuple(_sources(packs, desk)),
        }
    )


def page_rows(sensed: Sensed, desk: Desk) -> Tables:
    """The rows of one file. A pure function: whoever asks often keeps the answer by the bytes of the file."""
    values = [one for one in sensed.shown if one.marked != "quote"]
    quotes = [one for one in sensed.shown if one.marked == "quote"]
    return Tables(
        {
            "shown_value": tuple(shown_row(one, desk.pinned) for one in values),
            "quote": tuple(quote_row(one, desk.pinned) for one in quotes),
            "citation": tuple(_cited(one, desk) for one in sensed.citations),
            "remark": tuple((one.file, one.line, one.because, one.excused) for one in sensed.no_claims),
            "page": ((sensed.file, sensed.unreadable, len(sensed.shown), sensed.sealing),),
        }
    )


def _verdicts(run: Run) -> Iterator[Row]:
    for one in run.policies:
        policy, counts = one.checked.policy, one.counts
        numbers = (counts.in_scope, counts.passed, counts.failed, counts.review, counts.no_evidence, counts.waived)
        yield (
            policy.pack,
            policy.id,
            policy.title,
            one.verdict,
            one.reason,
            *numbers,
            one.allowed,
            policy.if_none,
            one.more_witnesses,
            policy.cannot_see,
        )


def _witnesses(run: Run) -> Iterator[Row]:
    for verdict in run.policies:
        for one in verdict.witnesses:
            key = json_text({name: json_value(value) for name, value in one.key.items()})
            file, line = (one.spot.file, one.spot.line) if one.spot is not None else (None, None)
            yield verdict.id, one.outcome, one.reason, one.decided_by, key, file, line, one.waiver


def _runs(run: Run) -> Iterator[Row]:
    """A row for each file of facts. A run without a receipt is one row that says nothing of them."""
    day = shown(run.as_of) if run.as_of is not None else None
    facts = list((run.receipt or {}).get("facts", ()))
    for one in facts:
        yield run.verdict, day, one["relation"], one["file"], one["sha256"], one["rows"], _text(one["run"])
    if not facts:
        yield run.verdict, day, None, None, None, None, None


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)


def _thresholds(packs: Iterable[Pack]) -> Iterator[Row]:
    for pack in packs:
        for parameter in pack.parameters.values():
            yield from _threshold(pack.name, None, parameter)
        for policy in pack.policies.values():
            for parameter in policy.params.values():
                yield from _threshold(pack.name, policy.id, parameter)


def _threshold(pack: str, policy: str | None, one: Parameter) -> Iterator[Row]:
    """A row for each value."""
    for value in one.values:
        place = value.place or one.place
        source, checked = value.source or one.source, value.checked or one.checked
        yield (
            place.file if place is not None else None,
            place.line if place is not None else None,
            pack,
            policy,
            one.name,
            value.shown,
            one.unit,
            one.origin,
            one.because,
            source,
            value.start.isoformat() if value.start is not None else None,
            checked.isoformat() if checked is not None else None,
            one.measured_by,
            one.revisit.isoformat() if one.revisit is not None else None,
        )


def _references(desk: Desk) -> Iterator[Row]:
    for name, pinned in desk.pinned.items():
        one = pinned.reference
        state = "read" if pinned.lookup is not None else (pinned.unusable or "reference-missing").replace("-", "_")
        rows = len(pinned.lookup.table.lines) if isinstance(pinned.lookup, Lookup) else None
        yield name, one.title, one.edition, one.sha256, one.licence, one.cite, one.checked.isoformat(), state, rows


def _sources(packs: Iterable[Pack], desk: Desk) -> Iterator[Row]:
    for pack in packs:
        for policy in pack.policies.values():
            source, place = policy.source, policy.places.get("source")
            if source is not None:
                line = place.line if place is not None else 1
                yield _cited(Citation(policy.file, line, source.act, source.article, source.edition), desk)


def _cited(one: Citation, desk: Desk) -> Row:
    return one.file, one.line, one.act_or_reference, one.article, one.edition, _standing(one, desk)


def _standing(one: Citation, desk: Desk) -> str:
    """current, repealed, stale (another edition than the one in use), unnamed (no edition), or unknown (nothing to
    compare it with)."""
    if one.edition is None:
        return "unnamed"
    pinned = desk.pinned.get(one.act_or_reference)
    if pinned is not None:
        if one.edition in pinned.reference.repealed:
            return "repealed"
        return "current" if one.edition.lstrip("v") == pinned.reference.edition.lstrip("v") else "stale"
    known = desk.acts.get(one.act_or_reference)
    if not known or one.edition.startswith(AMENDED_BY):
        return "unknown"
    return "current" if one.edition in known else "stale"
