"""Facts under the gate: the policies over relations whose values are looked up, judged over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from ..checked import CheckedPolicy
from ..errors import Problem
from ..evaluate import Queries
from ..facts import FactBase, Survey, Table, load, located, relations_in
from ..frozen import dataclass
from ..judging import Settings, judge_policy
from ..limits import Limits
from ..model import Relation
from ..render.lookups import look_up_words
from ..render.problems import visible
from ..verdict import PolicyVerdict, Witness
from .offender import Offender

MOST_WITNESSES = 1000
"""Offenders of one policy that are listed."""


def guarding(policies: Sequence[CheckedPolicy]) -> list[CheckedPolicy]:
    """The policies over a relation of which some policy looks a value up: they say what may be shown."""
    shown = {one.policy.relation for one in policies if one.policy.same_as is not None}
    return [one for one in policies if one.policy.relation in shown]


@dataclass(frozen=True, slots=True)
class Unit:
    """Facts that are loaded together, and the policies that are judged over them."""

    sources: tuple[str, ...]
    base: FactBase
    policies: tuple[CheckedPolicy, ...]
    settings: Settings


def load_unit(
    sources: tuple[str, ...],
    policies: Sequence[CheckedPolicy],
    relations: Mapping[str, Relation],
    tables: Sequence[Table],
    as_of: date | None,
    unusable: Mapping[str, Problem],
) -> Unit:
    """The facts of these arguments, locked. Raises FactError. `unusable` are problems of references by name."""
    survey: Survey = relations_in(sources)
    base = load(survey, relations, tables=tables)
    chosen = tuple(one for one in policies if one.policy.relation in one.present({*survey.relations, *one.references}))
    settings = Settings(as_of, MOST_WITNESSES, Limits(), unusable)
    return Unit(sources, base, chosen, settings)


def judge_unit(unit: Unit, policies: Sequence[CheckedPolicy] | None = None) -> list[PolicyVerdict]:
    """The verdicts of the policies over the facts, each witness with the place where it was read."""
    chosen = unit.policies if policies is None else policies
    verdicts = [judge_policy(one, unit.base, unit.settings) for one in chosen]
    return located(verdicts, unit.base, Queries(unit.base, unit.settings.limits))


def offenders_of(verdict: PolicyVerdict) -> list[Offender]:
    """The rows that may not be shown as they are. An unclear one may not either: silence is not evidence."""
    policy = verdict.checked.policy
    if verdict.verdict == "error" or verdict.reason == "absent_relation":
        why = "; ".join(verdict.notes) or (verdict.reason or "it could not be judged").replace("_", " ")
        return [Offender(policy.id, policy.title, "", 0, f"{verdict.verdict.replace('_', ' ')}: {visible(why)}")]
    found = [_offender(verdict, witness) for witness in verdict.witnesses]
    if verdict.more_witnesses:
        found.append(Offender(policy.id, policy.title, "", 0, f"and {verdict.more_witnesses} more rows"))
    return found


def _offender(verdict: PolicyVerdict, witness: Witness) -> Offender:
    policy = verdict.checked.policy
    shown = ", ".join(f"{name} {_text(value)}" for name, value in {**witness.key, **witness.columns}.items())
    words = look_up_words(verdict, witness) or witness.outcome.replace("_", " ")
    at = witness.spot
    return Offender(
        policy.id, policy.title, at.file if at else "", (at.line or at.row) if at else 0, f"{shown}: {words}"
    )


def _text(value: object) -> str:
    from ..canonical import shown

    return visible(shown(value))
