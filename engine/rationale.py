"""`fiel explain`: a rule in words and, for a row of facts, its terms with their values and what would let it pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from . import canonical
from .checked import CheckedPolicy, CheckedWaiver
from .compile import compile_policy
from .decision import Rulings
from .decisions import decide, written_key
from .errors import Problem, UsageError, did_you_mean
from .evaluate import Queries, refuse_strays
from .explain.terms import one_judged, same_key
from .explain.terms import rule_lines as term_tree
from .explain.witnesses import Circumstances, witness_of
from .explain.words import Words
from .facts import FactBase, table
from .facts.values import from_csv
from .frozen import dataclass
from .judging import Settings, refuse_broken_views
from .model import JUDGED_ON, Pack
from .plan import Plan
from .render.lookups import look_up_words
from .render.problems import visible
from .render.records import decision_line
from .render.text import parameter_lines
from .smallest_change import changed_line, smallest_change
from .verdict import Counts, PolicyVerdict, Value, value_of
from .waivers import in_force, values_named, waive

_INDENT = "  "


def rule_lines(checked: CheckedPolicy, pack: Pack) -> Iterator[str]:
    """The rule in words, its numbers with origin and source, and what it cannot see."""
    policy, words = checked.policy, Words(checked.parameters)
    yield f"{policy.id}: {visible(policy.title)}"
    yield ""
    each = f"group of {policy.relation} by {', '.join(policy.per)}" if policy.per else f"row of {policy.relation}"
    yield f"{_INDENT}judges each {each}: {visible(checked.relation.row)}"
    if policy.each_of:
        yield f"{_INDENT}the groups are the rows of {policy.each_of}, also those without a row of {policy.relation}"
    if checked.where is not None:
        yield f"{_INDENT}in scope if {visible(words.condition(checked.where))}"
    yield f"{_INDENT}passes if {visible(words.condition(checked.must))}"
    if checked.review_if is not None:
        yield f"{_INDENT}a person decides if {visible(words.condition(checked.review_if))}"
    yield f"{_INDENT}what is not known and could change the outcome makes it no evidence"
    nothing = "does not apply" if policy.if_none == "not_applicable" else "is no evidence"
    yield f"{_INDENT}with nothing in scope it {nothing}"
    if checked.allow is not None:
        what = "groups" if policy.per else "rows"
        share = f" of the {what} in scope" if checked.allow.unit == "share" else ""
        yield f"{_INDENT}tolerates failures up to {visible(words.parameter(checked.allow))}{share}"
    if policy.as_of is not None:
        day = "the day of judging (--as-of)" if policy.as_of == JUDGED_ON else policy.as_of
        yield f"{_INDENT}takes the numbers in force on {day}"
    yield ""
    for parameter in checked.parameters.values():
        yield from (_INDENT + line for line in parameter_lines(parameter))
        if parameter.because and (parameter.source or parameter.dated):
            yield f"{_INDENT}{_INDENT}because: {visible(parameter.because)}"
    if policy.source is not None:
        yield f"{_INDENT}source: {visible(str(policy.source))}"
        if policy.source.quote:
            yield f"{_INDENT}quote: “{visible(policy.source.quote)}”"
    if policy.because is not None:
        yield f"{_INDENT}because: {visible(policy.because)}"
    spots = {
        "the policy": policy.cannot_see,
        f"relation {policy.relation}": checked.relation.cannot_see,
        f"pack {pack.name}": pack.cannot_see,
    }
    yield from (f"{_INDENT}{owner} cannot see: {visible(spot)}" for owner, spot in spots.items() if spot)


def key_of(checked: CheckedPolicy, words: Sequence[str]) -> dict[str, Any]:
    """The key that `--row` gives: `COLUMN=VALUE` each, or the value alone where the key is one column.

    Values are as they are stored. Raises UsageError.
    """
    key, columns = checked.key, checked.relation.columns
    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or (name not in columns and len(key) == 1):  # a key may hold a `=` itself
            name, text = key[0], word
        if name not in key:
            raise _usage(f"`{visible(name)}` is not among the key columns", did_you_mean(name, key, "key columns"))
        if name in found:
            raise _usage(f"`--row` gives `{name}` twice", "one value for each column of the key")
        try:
            found[name] = from_csv(text, True, columns[name])
        except ValueError as error:
            raise _usage(f"`{name}`: {error}", getattr(error, "help", None)) from None
    if missing := [name for name in key if name not in found]:
        help_text = f"write `--row {' --row '.join(f'{n}=…' for n in key)}`"
        raise _usage(f"`--row` does not give {', '.join(missing)}", help_text)
    return {name: found[name] for name in key}


def _usage(message: str, help: str | None) -> UsageError:
    return UsageError(Problem("no-such-row", message, help=help))


@dataclass(frozen=True, slots=True)
class RowExplained:
    """What became of one row or group: its outcome, None where it is out of scope, and the lines that say why."""

    outcome: str | None
    lines: tuple[str, ...]


def explain_row(
    checked: CheckedPolicy,
    base: FactBase,
    key: Mapping[str, Any],
    judged_on: date | None,
    waivers: Sequence[CheckedWaiver] = (),
    rulings: Rulings | None = None,
) -> RowExplained:
    """The terms of a row or group with their values. `waivers` and `rulings` are all of the policy, in file order.

    Raises UsageError if the facts have no such row, EvaluationError where the policy is in error over these facts.
    """
    plan = compile_policy(checked, {name: table(name) for name in base.present}, judged_on)
    query = Queries(base, Settings().limits)
    refuse_broken_views(checked, {name: table(name) for name in base.present}, query)
    refuse_strays(plan, query)
    decided, uses = decide(plan, rulings, query)
    found = list(_outcome(decided, query, key))
    shown = ", ".join(f"{n} {canonical.shown(v)}" for n, v in _readable(checked, key).items())
    if found and found[0] == "gone":
        what = "group" if plan.grouped else "row"
        raise _usage(f"the facts have no {what} {visible(shown)} of {checked.relation.name}", "name a key of the facts")
    outcome = found[0] if found else None
    lines = [f"{visible(shown)}: {outcome.replace('_', ' ') if outcome else 'out of scope'}"]
    mine = [use for use in uses if dict(use.decision.row) == written_key(_readable(checked, key))]
    lines += [_INDENT + decision_line(use) for use in mine]
    if outcome == "fail":
        lines += [_INDENT + visible(line) for line in _waiver_lines(decided, query, key, judged_on, waivers)]
    lines += [_INDENT + visible(line) for line in term_tree(plan, dict(key), query)]
    if outcome is not None and checked.policy.same_as is not None:
        lines += list(_looked_up(plan, query, key, judged_on, base.present))
    elif outcome not in ("pass", None) and not any(use.applied for use in mine):
        changes = smallest_change(plan, query, key, judged_on)
        line = changed_line(changes, checked.relation.columns)
        unknown = [one.column for one in changes if one.was is None]
        if unknown:
            # What is unknown is to be found out, and not made up.
            advice = f"find out {' and '.join(unknown)}: it would pass with {line}, for example"
            lines.append(_INDENT + visible(advice))
        elif changes:
            lines.append(f"{_INDENT}the smallest change with which it would pass: {visible(line)}")
        elif not plan.grouped:
            lines.append(f"{_INDENT}no change of one or two columns was found with which it would pass")
    return RowExplained(outcome, tuple(lines))


def _looked_up(
    plan: Plan, query: Queries, key: Mapping[str, Any], judged_on: date | None, present: frozenset[str]
) -> Iterator[str]:
    """What the references hold of the row."""
    rows = query(f"SELECT * FROM ({plan.judged}) WHERE {same_key(plan, dict(key))} LIMIT 1", list(key.values()))
    for raw in rows:
        witness = witness_of(plan, query, raw, Circumstances(judged_on, present))
        found = PolicyVerdict(plan.checked, witness.outcome, None, Counts(), 0)
        words = look_up_words(found, witness)
        if words is not None:
            yield _INDENT + words


def _waiver_lines(
    plan: Plan, query: Queries, key: Mapping[str, Any], day: date | None, waivers: Sequence[CheckedWaiver]
) -> Iterator[str]:
    """What the waivers that match a failed row or group make of it. Without a day nobody knows which are in force."""
    holding = [w for w in waivers if day is not None and in_force(w.waiver, day)]
    rows = query(f"SELECT * FROM ({waive(plan, holding).judged}) WHERE {same_key(plan, dict(key))}", list(key.values()))
    covers = next((row.get("_waiver") for row in rows), None)
    named = _readable(plan.checked, key)
    for one in waivers:
        waiver = one.waiver
        if not (waiver.number == covers or values_named(one, plan.checked.relation).items() <= named.items()):
            continue
        said = f"waiver {waiver.number} of {waiver.owner}"
        if day is None:
            yield f"{said} is for such a failure, until {waiver.until}: `--as-of DATE` says whether it covers this one"
        elif not in_force(waiver, day):
            yield f"{said} ended on {waiver.until} and does not cover it"
        elif waiver.number == covers:
            yield f"waived: {said} covers it until {waiver.until}, because: {waiver.because}"
        elif covers is None:
            yield f"{said} is for such a failure, but others take its {waiver.at_most}: it does not cover this one"


def _readable(checked: CheckedPolicy, key: Mapping[str, Any]) -> dict[str, Value]:
    columns = checked.relation.columns
    return {n: value_of(v, columns[n].type) for n, v in key.items()}


def _outcome(plan: Plan, query: Queries, key: Mapping[str, Any]) -> Iterator[str]:
    """The outcome of the row; nothing if it is out of scope, `gone` if there is none."""
    values = list(key.values())
    rows = query(f"SELECT _o FROM ({plan.judged}) WHERE {same_key(plan, dict(key))} LIMIT 1", values)
    yield from (row["_o"] for row in rows)
    if not rows and not query(f"SELECT 1 AS _n FROM {one_judged(plan, dict(key))}", values):
        yield "gone"
