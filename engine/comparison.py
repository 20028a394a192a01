"""Two versions of a policy: which rows the new one lets pass that the old one did not, and the reverse.

What is compared are generated rows: the cases of both versions, and rows with one or two values at an edge of a
constant of either. That is no proof, and every report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .cases.base import CaseBase
from .cases.facts import can_be_written, cases_of, facts_of
from .cases.run import Trial, verdict_of
from .checked import CheckedPolicy
from .frozen import dataclass, replace
from .lang.typed import ColumnRef, exists_in, judged_columns, look_ups_in, walk
from .model import JUDGED_ON, Case, Parameter
from .mutate.candidates import Ground, tiers
from .mutate.change import meaning_of
from .mutate.paste import case_line

_LENIENT = {"error": 0, "fail": 1, "no_evidence": 2, "review": 3, "pass": 4, "not_applicable": 4}
"""How much a verdict asks for: more is more lenient. What does not apply asks for as little as a pass."""

_TIERS = 5
"""Tiers of candidates that are compared: up to two columns at once."""


@dataclass(frozen=True, slots=True)
class Move:
    """A generated case on which the two versions differ, as a line of YAML, with both verdicts."""

    line: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A parameter that is not what it was; a text for each side, None where it is not there."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of one policy. `kind`: added removed loosened tightened both changed incomparable unchanged.

    `changed`: it reads otherwise, and no generated row shows a difference; `tried` is how many were. `incomparable`: it
    reads columns that are not what they were, or a view that is another one, and nothing was found that it loosens.
    `reasons` are what the new version gives as reasons that the old one did not.
    """

    policy: str
    kind: str
    moves: tuple[Move, ...] = ()
    parameters: tuple[ParameterChange, ...] = ()
    tried: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def loosens(self) -> bool:
        return self.kind in ("loosened", "both", "removed", "incomparable")

    @property
    def ok(self) -> bool:
        """False if something is let through and nobody says why."""
        return not self.loosens or bool(self.reasons)


def compare(old: CheckedPolicy, new: CheckedPolicy) -> Comparison:
    """The two versions of one policy, over the relations of the new one."""
    parameters = tuple(_parameters(old.parameters, new.parameters))
    reasons = tuple(_reasons(old, new))
    same_views = _views_of(old) == _views_of(new)
    if same_views and meaning_of(old) == meaning_of(new) and old.relation == new.relation:
        kind = "changed" if parameters else "unchanged"
        return Comparison(new.policy.id, kind, (), parameters, 0, reasons)
    if not comparable(old, new):
        return Comparison(new.policy.id, "incomparable", (), parameters, 0, reasons)
    moves, tried = _moves(old, new)
    looser = any(_LENIENT[m.new] > _LENIENT[m.old] for m in moves)
    tighter = any(_LENIENT[m.new] < _LENIENT[m.old] for m in moves)
    kind = {(True, True): "both", (True, False): "loosened", (False, True): "tightened"}.get(
        (looser, tighter), "changed"
    )
    if not same_views and not looser:
        kind = "incomparable"  # rows of a view are not made up, so what it lets through may not have been met
    return Comparison(new.policy.id, kind, tuple(_simplest(moves)), parameters, tried, reasons)


def _views_of(checked: CheckedPolicy) -> object:
    """All that the rows of the views which a policy reads depend on, beside the facts."""
    values = {n: checked.parameters[n] for view in checked.views.values() for n in view.parameters}
    return [
        [(view.form, view.relation, view.drops) for view in checked.views.values()],
        [(name, one.unit, one.kind, [v.value for v in one.values]) for name, one in sorted(values.items())],
    ]


def comparable(old: CheckedPolicy, new: CheckedPolicy) -> bool:
    """True if all that the old version reads is there, and of the same type, in the relations of the new one."""
    if old.policy.relation != new.policy.relation:
        return False
    nodes = [n for n in (old.where, old.must, old.review_if) if n is not None]
    read = {(old.policy.relation, name) for name in (*judged_columns(*nodes), *old.key)}
    read |= {(old.policy.relation, old.policy.as_of)} if old.policy.as_of not in (None, JUDGED_ON) else set()
    read |= {(old.each_of.name, name) for name in old.each_of.key} if old.each_of is not None else set()
    for one in exists_in(*nodes):
        read |= {(one.relation, n.name) for n in walk(one) if isinstance(n, ColumnRef) and n.side == "related"}
    for looked in look_ups_in(*nodes):
        read |= {(cells.reference, name) for cells in looked.cells for name in (*cells.keys, cells.column)}
    for relation, column in read:
        before, now = (side.relations.get(relation) for side in (old, new))
        if before is None or now is None or column is None or column not in now.columns:
            return False
        was, is_now = before.columns[column], now.columns[column]
        if (was.type, was.unit) != (is_now.type, is_now.unit):
            return False
    return old.each_of is None or old.each_of.key == new.relations[old.each_of.name].key


def under(old: CheckedPolicy, new: CheckedPolicy) -> CheckedPolicy:
    """The old version over the relations of the new one, with which it is `comparable`."""
    each_of = new.relations[old.each_of.name] if old.each_of is not None else None
    return replace(old, relation=new.relation, relations=new.relations, each_of=each_of)


def _moves(old: CheckedPolicy, new: CheckedPolicy) -> tuple[list[Move], int]:
    """The cases on which the versions differ, and how many were tried."""
    variant = under(old, new)
    seeds = [*_usable(cases_of(new.policy), new), *_usable(cases_of(old.policy), new)]
    found: list[Move] = []
    tried = 0
    for number, made in enumerate(tiers(Ground(new, [variant], seeds))):
        candidates = [one for one in made if can_be_written(new, one)]
        if number == _TIERS or not candidates:
            continue
        with CaseBase(new.relations) as base:
            trial = Trial(new, base, candidates)
            outcomes = trial.judge([new, variant])
            tried += len(candidates)
            for one in trial.cases:
                now, _ = verdict_of(new, one, outcomes, 0)
                before, _ = verdict_of(variant, one, outcomes, 1)
                if now != before:
                    found.append(Move(case_line(replace(one.case, expect=now)), before, now))
    return found, tried


def _usable(cases: Sequence[Case], checked: CheckedPolicy) -> list[Case]:
    """The cases that the relations of the new version can hold: columns, values and rows of other relations."""
    return [case for case in cases if _fits(case, checked)]


def _fits(case: Case, checked: CheckedPolicy) -> bool:
    if any(checked.relations.get(name) is None for name in case.facts):
        return False
    for name, rows in case.facts.items():
        needed = {c.name for c in checked.relations[name].columns.values() if c.required}
        if any(not needed <= set(row.cells) for row in rows if not isinstance(row, str)):
            return False
    try:
        facts_of(checked, case)
    except (ValueError, KeyError):
        return False
    return True


def _simplest(moves: Sequence[Move]) -> Iterator[Move]:
    """For each pair of verdicts, the shortest line that shows it."""
    best: dict[tuple[str, str], Move] = {}
    for move in moves:
        known = best.get((move.old, move.new))
        if known is None or (len(move.line), move.line) < (len(known.line), known.line):
            best[move.old, move.new] = move
    yield from (best[key] for key in sorted(best))


# -- parameters and reasons ------------------------------------------------------------------------------------


def _parameters(old: Mapping[str, Parameter], new: Mapping[str, Parameter]) -> Iterator[ParameterChange]:
    for name in sorted({*old, *new}):
        before, now = (_shown(side[name]) if name in side else None for side in (old, new))
        if before != now:
            yield ParameterChange(name, before, now)


def _shown(parameter: Parameter) -> str:
    values = []
    for value in parameter.values:
        days = (f" from {value.start}" if value.start else "") + (f" until {value.until}" if value.until else "")
        values.append(f"{value.shown}{days}" + (f" ({value.source})" if value.source else ""))
    unit = f" {parameter.unit}" if parameter.unit and parameter.unit != "none" else ""
    about = [parameter.origin, *(t for t in (parameter.source, parameter.measured_by, parameter.because) if t)]
    return f"{', '.join(values)}{unit}: {', '.join(about)}"


def _reasons(old: CheckedPolicy, new: CheckedPolicy) -> Iterator[str]:
    """What the new version says for itself and the old one nowhere did: a `because`, or the source of a law.

    Words that went to another key, or to a parameter of another name, are no new reason; nor are blanks.
    """
    known = {" ".join(text.split()) for text in _said(old)}
    for text in dict.fromkeys(_said(new)):
        if " ".join(text.split()) not in known:
            yield text


def _said(checked: CheckedPolicy) -> Iterator[str]:
    """Every reason and source of a policy and of the parameters that it reads."""
    if checked.policy.because:
        yield checked.policy.because
    for _, one in sorted(checked.parameters.items()):
        texts = {one.because, one.source, one.measured_by, *(v.source for v in one.values)}
        yield from sorted(text for text in texts if text)
    if checked.policy.source is not None:
        yield str(checked.policy.source)
