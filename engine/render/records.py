"""What a text report says beside the verdicts: waivers and what came of them, and what of the facts was not read."""

from __future__ import annotations

from collections.abc import Iterator

from ..canonical import shown
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
