"""What a text report says beside the verdicts: waivers and what came of them, and what of the facts was not read."""

from __future__ import annotations

from collections.abc import Iterator

from ..canonical import shown
from ..decision import WHY_NOT, Decision, DecisionUse
from ..verdict import Coverage, Run, WaiverUse
from .problems import visible

_COVERAGE = (
    ("relations", "no policy read the relation"),
    ("columns", "no policy read the column"),
    ("parameters", "no policy uses the parameter"),
    ("policies", "no row in scope for"),
)


def waived_words(run: Run) -> str | None:
    """How many failures of a run are waived, to be said beside its verdict; None if none is."""
    waived = sum(use.covered for use in run.waivers)
    return f"with {waived} failure{'' if waived == 1 else 's'} waived" if waived else None


def but_words(run: Run) -> str | None:
    """What has to be said beside the verdict of a run: what is waived, and what persons decided; None if nothing."""
    decided = sum(1 for use in run.decisions if use.applied)
    words = f"with {decided} row{'' if decided == 1 else 's'} decided by a person" if decided else None
    return ", ".join(filter(None, (waived_words(run), words))) or None


def decision_lines(run: Run) -> Iterator[str]:
    """A line for each decision on a policy that was judged, and one for those on others."""
    yield from (decision_line(use) for use in run.decisions if use.why != "policy_not_judged")
    others = [use.decision.policy for use in run.decisions if use.why == "policy_not_judged"]
    if others:
        number = f"{len(others)} decision{'' if len(others) == 1 else 's'}"
        yield f"{number} on policies that were not judged: {', '.join(sorted(set(others)))}"


def decision_line(use: DecisionUse) -> str:
    """A decision on one line: of which row, what, who, when, why, and whether it counts."""
    one = use.decision
    came = f"decided {one.outcome}" if use.applied else f"NO EFFECT, {WHY_NOT[use.why or '']}; it was {one.outcome}"
    return f"decision {one.number} on {one.policy}, {decided_row(one)}: {came}; {decision_words(one)}"


def decided_row(one: Decision) -> str:
    """The row or group of which a decision speaks."""
    return ", ".join(f"{visible(name)} {visible(shown(value))}" for name, value in one.row.items())


def decision_words(one: Decision) -> str:
    """Who decided when, and why."""
    return f"{visible(one.by)}, {one.at}: {visible(one.because)}"


def waiver_line(use: WaiverUse) -> str:
    """A waiver on one line: what it excuses, who answers for it, why, until when, and what came of it."""
    waiver = use.waiver
    which = ", ".join(f"{name} {visible(shown(value))}" for name, value in use.rows.items()) or "any failure"
    if use.expired:
        came = "EXPIRED, covers nothing"
    elif not use.covered:
        came = "unused, covers nothing"
    else:
        came = f"covers {use.covered} of at most {waiver.at_most}"
    who = f"until {waiver.until}, {visible(waiver.owner)}: {visible(waiver.because)}"
    return f"waiver {waiver.number} of {waiver.policy}, {which}: {came}; {who}"


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """A line for each thing that was not used; one that says so if there is none."""
    found = [f"coverage: {words} {name}" for key, words in _COVERAGE for name in getattr(coverage, key)]
    yield from found or ["coverage: every relation, column and parameter was read, every policy had a row in scope"]
