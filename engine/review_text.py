"""`fiel review` as text: each policy with its whole rule, each row that waits with all its columns, how to decide."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .asides import Aside, Asides, aside_to, asides_of
from .canonical import shown
from .decision import Decision
from .model import Column, Pack
from .pipeline import Request, Session
from .rationale import rule_lines
from .render.places import spot_words
from .render.problems import visible
from .render.records import decided_row, decision_line
from .render.text import count_line
from .reviewing import Pending, Queue
from .verdict import Value

_INDENT = "    "
_MOST_ROWS = 20
"""Rows of one group that are shown."""
DECISIONS = Path("decisions.jsonl")
"""The file of decisions where none was named."""


def queues_text(session: Session, found: Sequence[Queue]) -> str:
    """All that waits, with a line feed at the end."""
    lines: list[str] = [session.chosen, ""] if session.chosen else []
    asides = asides_of(session.request.facts)
    for queue in found:
        if queue.pending:
            number = len(queue.pending)
            noun = "group" if queue.checked.policy.per else "row"
            waits = f"{number} {noun} waits" if number == 1 else f"{number} {noun}s wait"
            lines += [f"REVIEW  {queue.checked.policy.id}  {waits} for a person", ""]
            lines += rule_of(session.packs[queue.checked.policy.pack], queue)
            for one in queue.pending:
                lines += ["", *pending_lines(queue, one, asides), *_how(session.request, queue, one)]
            lines.append("")
        elif queue.verdict.verdict == "error" or not queue.verdict.counts.in_scope:
            word = "could not be judged" if queue.verdict.verdict == "error" else "has nothing to decide"
            why = "; ".join(visible(note) for note in queue.verdict.notes) or count_line(queue.verdict)
            lines += [f"{queue.checked.policy.id} {word}: {why}", ""]
    lost = [use for queue in found for use in queue.uses if not use.applied]
    lines += [decision_line(use) for use in sorted(lost, key=lambda use: use.decision.number)]
    lines.append(summary(found))
    return "\n".join(lines) + "\n"


def summary(found: Sequence[Queue]) -> str:
    """How much waits, and how much is decided."""
    number = sum(len(queue.pending) for queue in found)
    decided = sum(queue.verdict.counts.decided for queue in found)
    words = (
        "nothing waits for a person" if not number else f"{number} {'waits' if number == 1 else 'wait'} for a person"
    )
    broken = [queue.checked.policy.id for queue in found if queue.verdict.verdict == "error"]
    return (
        words
        + (f", {decided} {'is' if decided == 1 else 'are'} decided" if decided else "")
        + (f"; not judged: {', '.join(broken)}" if broken else "")
    )


def rule_of(pack: Pack, queue: Queue) -> Iterator[str]:
    """The whole rule in words, with its numbers."""
    yield from (f"  {line}".rstrip() for line in rule_lines(queue.checked, pack))


def pending_lines(queue: Queue, one: Pending, asides: Asides) -> Iterator[str]:
    """A row or group with all that is known of it, and what the rule would say without a person.

    `asides` are the texts that a run asked about, which no column has.
    """
    columns = queue.checked.relation.columns
    key = ", ".join(f"{name} {visible(shown(value))}" for name, value in one.witness.key.items())
    spot = f"  ({visible(spot_words(one.witness.spot))})" if one.witness.spot is not None else ""
    yield f"  {key}{spot}"
    if queue.checked.policy.per:
        for row in one.rows[:_MOST_ROWS]:
            cells = (f"{name} {_value(value, columns[name])}" for name, value in row.items())
            yield f"{_INDENT}row: {', '.join(cells)}"
        if len(one.rows) > _MOST_ROWS:
            yield f"{_INDENT}and {len(one.rows) - _MOST_ROWS} more rows of the group"
        for aggregate in one.witness.aggregates:
            bounds = f"between {aggregate.low} and {aggregate.high}"
            value = shown(aggregate.value) if aggregate.low is None else bounds
            yield f"{_INDENT}{visible(aggregate.text)}: {visible(value)}"
    else:
        for row in one.rows:
            yield from (f"{_INDENT}{name}: {_value(value, columns[name])}" for name, value in row.items())
        yield from _aside(aside_to(asides, one.witness.key))
    for name, in_force in one.witness.parameters.items():
        yield f"{_INDENT}{name} on that day: {visible(in_force) if in_force is not None else 'no value in force'}"
    yield f"{_INDENT}without a person the rule would say: {one.would.replace('_', ' ')}"


def _aside(aside: Aside | None) -> Iterator[str]:
    if aside is None:
        return
    yield f"{_INDENT}asked: {visible(aside.ask)}"
    for name, text in (("about", aside.text), ("in", aside.around)):
        for number, line in enumerate(text.split("\n") if text else ()):
            yield f"{_INDENT}{name + ':' if not number else ' ' * (len(name) + 1)} {visible(line)}"


def _value(value: Value, column: Column) -> str:
    unit = f" {column.unit}" if column.unit and column.unit != "none" and value is not None else ""
    return visible(shown(value)) + visible(unit)


def _how(request: Request, queue: Queue, one: Pending) -> Iterator[str]:
    words = command_words(request, queue.checked.policy.id, one.witness.key)
    line = shlex.join(words) + " --outcome PASS_OR_FAIL --by NAME --because REASON"
    if visible(line) == line:
        yield f"{_INDENT}to decide: {line}"
    else:
        yield f"{_INDENT}to decide: `fiel review decide` without `--row` (the key holds what no command line shows)"


def command_words(request: Request, policy: str, key: Mapping[str, Value]) -> list[str]:
    """The command that decides a row, up to what the person says."""
    words = ["fiel", "review", "decide", *request.facts]
    words += ["--policies", str(request.policies)] if request.policies is not None else []
    words += [word for folder in request.references for word in ("--references", str(folder))]
    words += [word for pack in request.packs for word in ("--pack", pack)]
    words += ["--as-of", request.as_of.isoformat()] if request.as_of is not None else []
    words += ["--csv-delimiter", request.csv_delimiter] if request.csv_delimiter != "," else []
    words += ["--trust-keys"] if request.trust_keys else []
    words += ["--decisions", str(request.decisions or DECISIONS), "--policy", policy]
    return words + [word for name, value in key.items() for word in ("--row", f"{name}={shown(value)}")]


def decided_text(decision: Decision, before: Decision | None, file: Path) -> str:
    """What was written, and what it takes the place of; with a line feed at the end."""
    row = f"{decision.policy}, {decided_row(decision)}"
    lines = [f"decided {decision.outcome}: {row} (line {decision.number} of {visible(str(file))})"]
    if before is not None:
        lines.append(f"it takes the place of line {before.number}: {before.outcome} by {visible(before.by)}")
    return "\n".join(lines) + "\n"
