"""`fiel list` and `fiel show`: what the packs hold, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .errors import Problem, UsageError, did_you_mean
from .load.packs import load_packs
from .model import Column, Expression, Pack, Policy, SameAs
from .render.problems import visible
from .render.text import parameter_lines


def _packs(folder: Path) -> dict[str, Pack]:
    return dict(load_packs(folder).whole())


def list_text(folder: Path) -> str:
    """Packs with their relations, references, sensors and policies, a line each."""
    lines: list[str] = []
    for pack in _packs(folder).values():
        lines.append(f"{pack.name} {pack.version}  {visible(pack.title)}")
        for relation in pack.relations.values():
            lines.append(f"  relation {relation.name}  {visible(relation.row)}")
        for reference in pack.references.values():
            lines.append(f"  reference {reference.name} {visible(reference.edition)}  {visible(reference.title)}")
        for view in pack.views.values():
            lines.append(f"  view {view.name}  reads {', '.join(view.reads)}, key {', '.join(view.relation.key)}")
        for sensor in pack.sensors.values():
            lines.append(
                f"  sensor {sensor.name}  {sensor.kind}: reads {sensor.reads}, fills {', '.join(sensor.fills)}"
            )
        for policy in pack.policies.values():
            lines.append(f"  policy {policy.id}  {visible(policy.title)}")
    return "\n".join(lines) + "\n"


def show_text(folder: Path, policy_id: str) -> str:
    """One policy: what it says of which rows, its numbers with their origin, its cases, its blind spot."""
    packs = _packs(folder)
    policies = {p.id: (pack, p) for pack in packs.values() for p in pack.policies.values()}
    if policy_id not in policies:
        message = f"`{policy_id}` is no policy here"
        raise UsageError(Problem("unknown-policy", message, help=did_you_mean(policy_id, policies, "policies")))
    pack, policy = policies[policy_id]
    return "\n".join(_policy(pack, policy)) + "\n"


def _same_as(same_as: SameAs | None) -> str | None:
    """The references, the key and what is shown, on one line."""
    if same_as is None:
        return None
    match = ", ".join(f"{key} = {name}" for key, name in same_as.match.items())
    show = ", ".join(f"{name} is {column}" for name, column in same_as.show.items())
    conflict = ", a person decides where they disagree" if same_as.review_conflicts else ""
    return f"{show} of {', else '.join(same_as.references)} where {match}{conflict}"


def _policy(pack: Pack, policy: Policy) -> Iterator[str]:
    yield policy.id
    yield f"  {visible(policy.title)}"
    yield ""
    relation = pack.judged.get(policy.relation)
    unit = (
        f"group of rows of {policy.relation} by {', '.join(policy.per)}" if policy.per else f"row of {policy.relation}"
    )
    yield f"  for each {unit}" + (f": {visible(relation.row)}" if relation else "")
    clauses: list[tuple[str, Expression | str | None]] = [
        ("where", policy.where),
        ("per", ", ".join(policy.per)),
        ("each_of", policy.each_of),
        ("must", policy.must),
        ("same_as", _same_as(policy.same_as)),
        ("review_if", policy.review_if),
        ("allow", policy.allow),
        ("as_of", policy.as_of),
        ("if_none", policy.if_none),
    ]
    for name, clause in clauses:
        if clause:
            text = clause.text if isinstance(clause, Expression) else clause
            yield f"  {name}: {visible(' '.join(text.split()))}"
    yield ""
    for parameter in policy.params.values():
        yield from (f"  {line}" for line in parameter_lines(parameter))
        if parameter.because and (parameter.source or parameter.dated):
            yield f"    because: {visible(parameter.because)}"
    if policy.source is not None:
        yield f"  source: {visible(str(policy.source))}"
        if policy.source.quote:
            yield f"  quote: “{visible(policy.source.quote)}”"
    yield f"  cannot see: {visible(policy.cannot_see)}"
    tally = Counter(case.expect for case in policy.cases)
    yield f"  cases: {', '.join(f'{n} {outcome}' for outcome, n in sorted(tally.items()))}"
    for waiver in (w for w in pack.waivers if w.policy == policy.id):
        which = ", ".join(f"{name} {visible(cell.text or '')}" for name, cell in waiver.rows.items()) or "any failure"
        why = f"{visible(waiver.owner)}: {visible(waiver.because)}"
        yield f"  waiver {waiver.number}, {which}: at most {waiver.at_most}, until {waiver.until}, {why}"
    if relation is not None:
        yield ""
        yield from (f"  {_column(c)}" for c in relation.columns.values())


def _column(column: Column) -> str:
    parts = [visible(str(column.type))]
    if column.unit and column.unit != "none":
        parts.append(visible(column.unit))
    if column.one_of:
        parts.append("one of " + visible(", ".join(column.one_of)))
    if column.required:
        parts.append("required")
    if column.may_be_absent:
        parts.append("may be absent")
    return f"{column.name}: {', '.join(parts)}" + (f". {visible(column.note)}" if column.note else "")
