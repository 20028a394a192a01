"""A run as text for a terminal: each verdict, its rows, its numbers with their origin, and what it cannot see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from ..canonical import shown
from ..model import JUDGED_ON, Column, Parameter, Reference
from ..verdict import AggregateValue, PolicyVerdict, Run, Value, Witness, value_in_force
from .problems import visible
from .records import but_words, coverage_lines, decision_lines, waiver_line

LABELS = {
    "fail": "FAIL",
    "pass": "PASS",
    "review": "REVIEW",
    "no_evidence": "NO EVIDENCE",
    "not_applicable": "NOT APPLICABLE",
    "error": "ERROR",
    "waived": "WAIVED",
}
_INDENT = "      "


def verdict_text(run: Run) -> str:
    """The whole report, with a line feed at the end."""
    lines: list[str] = []
    head = [run.chosen] if run.chosen else []
    head += [f"judged as of {run.as_of}"] if run.as_of else []
    lines += [*head, ""] if head else []
    for verdict in run.policies:
        lines += [*_policy(verdict, run.as_of), ""]
    for kind, spots in run.blind_spots.items():
        lines += [f"{kind.removesuffix('s')} {name} cannot see: {visible(spot)}" for name, spot in spots.items()]
    lines += [waiver_line(use) for use in run.waivers]
    lines += decision_lines(run)
    lines += coverage_lines(run.coverage) if run.coverage is not None else []
    lines += [f"not checked: {visible(entry)}" for entry in run.not_checked]
    lines.append(summary_line(run))
    return "\n".join(lines) + "\n"


def summary_line(run: Run) -> str:
    """How many policies have which verdict, and the verdict of the run."""
    tally = ", ".join(
        f"{n} {label.lower()}"
        for verdict, label in LABELS.items()
        if (n := sum(1 for p in run.policies if p.verdict == verdict))
    )
    number = len(run.policies)
    but = f", {words}" if (words := but_words(run)) else ""
    return f"{number} {'policy' if number == 1 else 'policies'}: {tally}; verdict: {LABELS[run.verdict].lower()}{but}"


def _policy(found: PolicyVerdict, as_of: date | None) -> Iterator[str]:
    policy = found.checked.policy
    day = as_of if policy.as_of == JUDGED_ON else None
    yield f"{LABELS[found.verdict]}  {policy.id}  {count_line(found)}"
    yield f"{_INDENT}{visible(policy.title)}"
    for note in found.notes:
        yield f"{_INDENT}{visible(note)}"
    for witness in found.witnesses:
        yield from witness_lines(found, witness)
    if found.more_witnesses:
        yield f"{_INDENT}and {found.more_witnesses} more (see --witnesses)"
    for parameter in found.checked.parameters.values():
        yield from (_INDENT + line for line in parameter_lines(parameter, day))
    if policy.source is not None:
        yield f"{_INDENT}source: {visible(str(policy.source))}"
        if policy.source.quote:
            yield f"{_INDENT}quote: “{visible(policy.source.quote)}”"
    for reference in found.checked.references.values():
        yield f"{_INDENT}{visible(reference_words(reference))}"
    yield f"{_INDENT}cannot see: {visible(policy.cannot_see)}"


def reference_words(reference: Reference) -> str:
    """A reference with what has to be said wherever its values are shown: how to cite it, and its licence."""
    return f"reference {reference.name} {reference.edition}: {reference.cite} Licence: {reference.licence}"


def count_line(found: PolicyVerdict) -> str:
    """How many rows or groups of a policy have which outcome, and how many may fail."""
    counts, n = found.counts, found.counts.in_scope
    if n == 0:
        words = (found.reason or found.verdict).replace("_", " ")
        return words if found.reason else "nothing in scope"
    parts = [
        f"{number} {word}"
        for number, word in (
            (counts.failed, "failed"),
            (counts.no_evidence, "without evidence"),
            (counts.review, "to review"),
            (counts.waived, "waived"),
        )
        if number
    ]
    noun = "group" if found.checked.policy.per else "row"
    total = f"{n} {noun}{'' if n == 1 else 's'}" + (" in scope" if found.checked.policy.where else "")
    line = f"{', '.join(parts)} of {total}" if parts else f"{total}, all passed"
    if counts.decided:
        line += f", {counts.decided} decided by a person"
    if found.checked.policy.allow:
        line += f", {found.allowed} allowed"
    return line


# -- witnesses -------------------------------------------------------------------------------------------------


def witness_lines(found: PolicyVerdict, witness: Witness) -> Iterator[str]:
    """A row or group, why it is undecided, and what would pass."""
    columns = found.checked.relation.columns
    key = ", ".join(f"{n} {_value(v, columns[n])}" for n, v in witness.key.items())
    parts = [f"{n} {_value(v, columns[n])}" for n, v in witness.columns.items()]
    if witness.rows_in_scope is not None:
        number = witness.rows_in_scope
        parts.append(f"{number} row{'' if number == 1 else 's'} in scope")
        if witness.rows_of_unknown_scope:
            parts.append(f"{witness.rows_of_unknown_scope} of unknown scope")
        parts += [_aggregate(a) for a in witness.aggregates]
    parts += [_in_force(found, n, v) for n, v in witness.parameters.items()]
    by = [f"waiver {witness.waiver}"] if witness.waiver is not None else []
    by += [f"decision {witness.decision}"] if witness.decision is not None else []
    label = LABELS[witness.outcome].lower() + (f" ({', '.join(by)})" if by else "")
    yield f"{_INDENT}{label}: {key}" + (f"; {', '.join(parts)}" if parts else "")
    if witness.outcome == "no_evidence":
        yield f"{_INDENT}  {undecided_words(found, witness)}"
    if witness.looked_up or witness.reason == "incomplete_key":
        from .lookups import look_up_words  # most verdicts look nothing up

        yield f"{_INDENT}  {look_up_words(found, witness)}"
    if witness.passes_if:
        far = f" ({visible(witness.distance)})" if witness.distance else ""
        yield f"{_INDENT}  passes if {visible(witness.passes_if)}{far}"


def _in_force(found: PolicyVerdict, name: str, value: str | None) -> str:
    if value is None:
        return f"{name} has no value in force"
    return f"{name} {visible(value)}{_unit(found.checked.parameters[name].unit)}"


def _value(value: Value, column: Column) -> str:
    return visible(shown(value)) + (_unit(column.unit) if value is not None else "")


def _unit(unit: str | None) -> str:
    """A unit behind its number; nothing for none."""
    return f" {visible(unit)}" if unit and unit != "none" else ""


def _aggregate(aggregate: AggregateValue) -> str:
    if aggregate.low is not None:
        return f"{visible(aggregate.text)} between {aggregate.low} and {aggregate.high}"
    unit = _unit(aggregate.unit) if aggregate.value is not None else ""
    return f"{visible(aggregate.text)} is {visible(shown(aggregate.value))}{unit}"


def _is_or_are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


def undecided_words(found: PolicyVerdict, witness: Witness) -> str:
    """Why a row or group is undecided."""
    nulls = ", ".join(witness.null_columns)
    verb = _is_or_are(witness.null_columns)
    where = f"in `{witness.decided_by}`"
    if witness.reason == "scope_unknown":
        return f"scope unknown: {nulls or 'a related row, or a value,'} {verb} null, {where}"
    if witness.reason == "null_column":
        return f"unknown: {nulls} {verb} null, {where}"
    if witness.reason == "date_unknown":
        return f"unknown: {found.checked.policy.as_of} is null, so no dated value applies, {where}"
    if witness.reason == "no_value_in_force":
        names = ", ".join(n for n, v in witness.parameters.items() if v is None)
        as_of = found.checked.policy.as_of or JUDGED_ON
        day = (
            "the day of judging"
            if as_of == JUDGED_ON
            else f"{as_of} {shown({**witness.key, **witness.columns}[as_of])}"
        )
        return f"unknown: {names} has no value in force on {day}, {where}"
    if witness.reason == "absent_relation":
        names = ", ".join(r.relation for r in witness.related)
        return f"unknown: the facts bring no {names}: nobody looked, {where}"
    if witness.reason == "related_unknown":
        rows = "; ".join(
            f"{r.unknown_rows} row{'' if r.unknown_rows == 1 else 's'} of {r.relation} leave it open"
            + (f" ({', '.join(r.null_columns)} {_is_or_are(r.null_columns)} null there)" if r.null_columns else "")
            for r in witness.related
        )
        return f"unknown: {rows or 'a related row leaves it open'}, {where}"
    return f"unknown: not computable (a division by zero, an overflow, or an aggregate over no rows), {where}"


# -- parameters ------------------------------------------------------------------------------------------------


def parameter_lines(parameter: Parameter, day: date | None = None) -> Iterator[str]:
    """A parameter with its value or values, unit, origin and source: a line for each value in force from a day on.

    With a `day` the value in force on it is marked.
    """
    unit, values = _unit(parameter.unit), parameter.values
    if parameter.is_list:
        members = ", ".join(visible(v.shown) for v in values)
        yield f"{parameter.name} ({members}){unit}: {_origin(parameter, {})}"
        return
    chosen = value_in_force(parameter, day) if day is not None else None
    for value in values:
        since = f" from {value.start}" if value.start else ""
        until = f" until {value.until}" if value.until else ""
        extra = {"source": value.source, "checked": value.checked}
        own = "" if value.shown.endswith("%") else unit
        mark = " (in force)" if parameter.dated and value is chosen else ""
        yield f"{parameter.name} {visible(value.shown)}{own}{since}{until}{mark}: {_origin(parameter, extra)}"


def _origin(parameter: Parameter, own: Mapping[str, object]) -> str:
    parts = [parameter.origin]
    source = own.get("source") or parameter.source
    checked = own.get("checked") or parameter.checked
    reason = None if source else parameter.because
    parts += [visible(str(p)) for p in (source, parameter.measured_by, reason) if p]
    if checked:
        parts.append(f"checked {checked}")
    if parameter.revisit:
        parts.append(f"revisit by {parameter.revisit}")
    return ", ".join(parts)
