"""A run as workflow commands of GitHub Actions, which become annotations of a pull request; then a plain summary.

A line is a command if it begins with `::`. What comes from facts or policies stands in the message or the properties of
one, where line feeds and separators are escaped, so it can begin no line; the summary is words of Fiel's own.
"""

from __future__ import annotations

from ..verdict import Run
from .findings import WEIGHTS, Finding, blind_spots, findings
from .places import FilePlace, policy_place, spot_place, spot_words
from .problems import visible
from .records import coverage_lines, decision_lines, waiver_line
from .text import summary_line

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def verdict_github(run: Run) -> str:
    """The commands, heaviest first (GitHub shows the first ten of a kind and step), and the summary."""
    found = [finding for finding in findings(run) if finding.weight in _COMMANDS]
    found.sort(key=lambda finding: WEIGHTS.index(finding.weight))
    lines = [_annotation(finding) for finding in found]
    lines += [_command("notice", "waivers", None, "\n".join(map(waiver_line, run.waivers)))] if run.waivers else []
    lines += [_command("notice", "decisions", None, "\n".join(decision_lines(run)))] if run.decisions else []
    if run.coverage is not None:
        lines.append(_command("notice", "coverage", None, "\n".join(coverage_lines(run.coverage))))
    lines.append(_blind_spots(run))
    lines.append(summary_line(run))
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding) -> str:
    policy, witness = finding.policy.checked.policy, finding.witness
    place = spot_place(witness.spot) if witness is not None else None
    lines = [visible(policy.title), *finding.lines]
    if witness is not None and witness.spot is not None:
        lines.append(f"at {visible(spot_words(witness.spot))}")
    lines.append(f"cannot see: {visible(policy.cannot_see)}")
    return _command(_COMMANDS[finding.weight], policy.id, place or policy_place(finding.policy), "\n".join(lines))


def _blind_spots(run: Run) -> str:
    """One notice: what each pass, and the run as a whole, did not look at."""
    passed = [p for p in run.policies if p.verdict in ("pass", "not_applicable")]
    lines = [
        f"{p.id} ({p.verdict.replace('_', ' ')}) cannot see: {visible(p.checked.policy.cannot_see)}" for p in passed
    ]
    return _command("notice", "what was not looked at", None, "\n".join([*lines, *blind_spots(run)]) or "nothing said")


def _command(command: str, title: str, place: FilePlace | None, message: str) -> str:
    properties: dict[str, object] = {}
    if place is not None and place.base == "source":
        properties["file"] = visible(place.path)
        properties |= {"line": place.line} if place.line is not None else {}
        properties |= {"col": place.column} if place.column is not None else {}
    properties["title"] = title
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{command} {said}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
