"""Waivers against the policies and relations that they speak of, and against a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from ..checked import CheckedWaiver
from ..errors import Place, Problem, did_you_mean
from ..model import Pack, Policy, Relation, Waiver
from ..verdict import Value, value_of

MAX_TURNS = 100
"""How often the waivers of one policy may turn to other columns: each turn is one more pass over the failed rows."""

NEAR_END = timedelta(days=14)
"""How long before its end a waiver is spoken of."""


def check_waivers(pack: Pack, unusable: Iterable[str] = ()) -> tuple[list[CheckedWaiver], list[Problem]]:
    """The waivers of a pack in file order, those that can be used, and every problem.

    `unusable` names policies and relations that were declared and could not be read; of them nothing is said.
    """
    work = _Work(pack, frozenset(unusable))
    for waiver in pack.waivers:
        work.waiver(waiver)
    work.turns()
    return work.checked, work.problems


def in_force(waiver: Waiver, day: date) -> bool:
    """Whether a waiver still holds on a day: `until` is the first on which it does not."""
    return day < waiver.until


def days_of_waivers(packs: Iterable[Pack], today: date) -> list[Problem]:
    """Waivers that are over, and notes of those that soon will be. Never part of a verdict."""
    from ..load.words import shown

    problems = []
    for waiver in (waiver for pack in packs for waiver in pack.waivers):
        left = waiver.until - today
        if not in_force(waiver, today):
            message = f"waiver {waiver.number} of `{waiver.policy}` ended on {waiver.until} and covers nothing"
            help = f"remove it, or let {shown(waiver.owner)} renew it, with a new `until` and a new `because`"
            problems.append(Problem("waiver-expired", message, waiver.until_place, help=help))
        elif left <= NEAR_END:
            days = f"{left.days} day{'' if left.days == 1 else 's'}"
            message = f"waiver {waiver.number} of `{waiver.policy}` ends on {waiver.until}, in {days}"
            help = f"mend what it excuses before then, or ask {shown(waiver.owner)}"
            problems.append(Problem("waiver-ends-soon", message, waiver.until_place, help=help, severity="note"))
    return problems


def values_named(waiver: CheckedWaiver, relation: Relation) -> dict[str, Value]:
    """The values of the columns that a waiver names, as a verdict has them, by name."""
    return {name: value_of(stored, relation.columns[name].type) for name, stored in sorted(waiver.stored.items())}


class _Work:
    def __init__(self, pack: Pack, unusable: frozenset[str]) -> None:
        self.pack, self.unusable = pack, unusable
        self.checked: list[CheckedWaiver] = []
        self.problems: list[Problem] = []
        self.first: dict[object, Waiver] = {}

    def problem(self, code: str, message: str, place: Place | None, help: str | None) -> None:
        self.problems.append(Problem(code, message, place, help=help))

    def waiver(self, waiver: Waiver) -> None:
        policy = self._policy(waiver)
        relation = self.pack.judged.get(policy.relation) if policy is not None else None
        if policy is None or relation is None:
            return  # a policy over what is no relation has a problem of its own
        before = len(self.problems)
        stored = {name: self._value(waiver, name, policy, relation) for name in waiver.rows}
        if len(self.problems) > before or self._repeated(waiver, stored):
            return
        self.checked.append(CheckedWaiver(self.pack.name, waiver, stored))

    def _policy(self, waiver: Waiver) -> Policy | None:
        policies = {policy.id: policy for policy in self.pack.policies.values()}
        found = policies.get(waiver.policy)
        pack, _, name = waiver.policy.partition(".")
        if found is None and not (pack == self.pack.name and name in self.unusable):
            if pack != self.pack.name:
                message = f"the waiver speaks of `{waiver.policy}`, and this is the pack `{self.pack.name}`"
                near = did_you_mean(f"{self.pack.name}.{name}", policies, "here")
                help = f"write it into the `waivers.yaml` of `{pack}`; {near}"
            else:
                message = f"the waiver speaks of `{waiver.policy}`, which is no policy of the pack"
                help = did_you_mean(waiver.policy, policies, "policies")
            self.problem("waiver-policy", message, waiver.place, help)
        return found

    def _value(self, waiver: Waiver, name: str, policy: Policy, relation: Relation) -> object:
        """The stored value of a cell after `rows`; None after a problem."""
        from ..facts.values import from_yaml

        key: Sequence[str] = policy.per or relation.key
        cell, column = waiver.rows[name], relation.columns.get(name)
        if name not in key:
            named = "the columns of `per`" if policy.per else f"the key of {relation.name}"
            message = f"`rows` of waiver {waiver.number} names `{name}`, which is not among {named}"
            self.problem("not-in-key", message, cell.name_place, did_you_mean(name, key, "key columns"))
            return None
        if column is None:
            return None  # a column of `per` that is none: a problem of the policy
        try:
            return from_yaml(cell.text, cell.quoted, column)
        except ValueError as error:
            message = f"`{name}` of waiver {waiver.number}: {error}"
            self.problem("waiver-value", message, cell.place, getattr(error, "help", None))
            return None

    def _repeated(self, waiver: Waiver, stored: dict[str, object]) -> bool:
        """Two waivers for the same rows of one policy would add up, and neither cap would be the true one."""
        same = waiver.policy, tuple(sorted(stored.items()))
        first = self.first.setdefault(same, waiver)
        if first is waiver:
            return False
        message = f"waiver {waiver.number} excuses the same rows of `{waiver.policy}` as waiver {first.number}"
        self.problem("repeated-waiver", message, waiver.place, "keep one of the two, with the cap that is meant")
        return True

    def turns(self) -> None:
        columns: dict[str, frozenset[str]] = {}
        turned: Counter[str] = Counter()
        for one in self.checked:
            policy, names = one.waiver.policy, frozenset(one.stored)
            turned[policy] += columns.get(policy, names) != names
            columns[policy] = names
            if turned[policy] == MAX_TURNS + 1:
                message = f"the waivers of `{policy}` turn to other columns more than {MAX_TURNS} times"
                help = "put those that name the same columns one after another"
                self.problem("waivers-mixed", message, one.waiver.place, help)
