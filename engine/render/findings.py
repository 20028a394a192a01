"""A run as a list of findings: what formats for machines show one by one.

Each shown witness is a finding. A policy is one itself if it passed, was not applicable or could not be judged; else
if none of its shown rows bears its verdict, or some rows are not shown. So no verdict is ever without a finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..frozen import dataclass
from ..model import Waiver
from ..verdict import PolicyVerdict, Run, Witness
from .problems import visible
from .records import decision_words
from .text import LABELS, count_line, witness_lines

WEIGHTS = ("error", "warning", "note", "none")
"""Of findings, heaviest first. What makes the exit code other than 0 is an error or a warning."""

_OF_VERDICT = {
    "error": "error",
    "fail": "error",
    "no_evidence": "warning",
    "review": "warning",
    "pass": "none",
    "not_applicable": "none",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """`lines` are printable text without line feeds, the first of which names the outcome. `witness` may be missing."""

    policy: PolicyVerdict
    outcome: str
    weight: str
    lines: tuple[str, ...]
    witness: Witness | None = None
    waiver: Waiver | None = None


def findings(run: Run) -> list[Finding]:
    """All findings, in the order of policies and witnesses."""
    waivers = {(use.pack, use.waiver.number): use.waiver for use in run.waivers}
    return [finding for policy in run.policies for finding in _of_policy(policy, waivers)]


def _of_policy(found: PolicyVerdict, waivers: dict[tuple[str, int], Waiver]) -> Iterator[Finding]:
    verdict, weight = found.verdict, _OF_VERDICT[found.verdict]
    if verdict in ("pass", "not_applicable", "error") or all(w.outcome != verdict for w in found.witnesses):
        yield Finding(found, verdict, weight, (_head(found), *_notes(found)))
    for witness in found.witnesses:
        waiver = waivers.get((found.checked.policy.pack, witness.waiver or 0))
        yield Finding(found, witness.outcome, _weight(found, witness), _lines(found, witness, waiver), witness, waiver)
    if found.more_witnesses:
        number = found.more_witnesses
        text = f"and {number} more {'row' if number == 1 else 'rows'} of {found.id} not shown (see --witnesses)"
        yield Finding(found, verdict, "note" if verdict == "pass" else weight, (text,))


def _weight(found: PolicyVerdict, witness: Witness) -> str:
    """A row weighs what its outcome would weigh as a verdict, unless its policy tolerates it or may yet do so."""
    if witness.outcome == "waived" or found.verdict == "pass":
        return "note"
    if witness.outcome == "fail" and found.verdict != "fail":
        return "warning"
    return _OF_VERDICT[witness.outcome]


def _head(found: PolicyVerdict) -> str:
    return f"{LABELS[found.verdict].lower()}: {count_line(found)}"


def _notes(found: PolicyVerdict) -> tuple[str, ...]:
    return tuple(visible(note) for note in found.notes)


def _lines(found: PolicyVerdict, witness: Witness, waiver: Waiver | None) -> tuple[str, ...]:
    lines = [line.strip() for line in witness_lines(found, witness)]
    if witness.outcome == "review":
        lines.append("a person must decide")
    decided = [use.decision for use in found.decisions if use.decision.number == witness.decision]
    lines += [f"decided by {decision_words(one)}" for one in decided]
    if witness.outcome == "waived":
        lines.append(waiver_words(waiver) if waiver else "waived by a waiver that this run does not list")
    elif found.verdict == "pass":
        lines.append(f"tolerated: the policy passes with {found.allowed} allowed")
    return tuple(lines)


def waiver_words(waiver: Waiver) -> str:
    """Who waives until when, and why."""
    return f"waived by {visible(waiver.owner)} until {waiver.until}: {visible(waiver.because)}"


def blind_spots(run: Run) -> list[str]:
    """What the packs and relations cannot see, and what this run left out, a line each."""
    lines = [
        f"{kind.removesuffix('s')} {name} cannot see: {visible(spot)}"
        for kind, spots in run.blind_spots.items()
        for name, spot in spots.items()
    ]
    return [*lines, *(f"not checked: {visible(entry)}" for entry in run.not_checked)]
