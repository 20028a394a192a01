"""The attack on a policy: its mutants over its cases, which of them nobody noticed, and what would notice them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import localcontext

from ..cases.run import Trial
from ..cases.variants import Outcomes
from ..checked import CheckedPolicy
from ..frozen import dataclass
from ..model import Exclusion, Pack
from .change import Mutant, Subject, mutants_of
from .grammar import GRAMMAR
from .mistakes import MISTAKES
from .proofs import same_meaning
from .solve import Killer, killers
from .values import EXACT

OPERATORS = {**GRAMMAR, **MISTAKES}

MOST_SOUGHT = 100
"""Survivors for which a case is looked for at once. Those of a long rule have cases in common: some are added first."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no case notices, and the case that would, if one was found. `sought`: one was looked for."""

    mutant: Mutant
    killer: Killer | None
    sought: bool = True


@dataclass(frozen=True, slots=True)
class Attack:
    """What came of the mutants of one policy. `killed` of `total` were noticed by a case.

    `total` leaves out the `equivalent` ones, which are proved to mean what the policy means, and the `excluded` ones,
    for which the policy gives a reason. `idle` are exclusions that name no mutant that would survive.
    """

    total: int
    killed: int
    survivors: tuple[Survivor, ...]
    equivalent: int
    excluded: tuple[Exclusion, ...]
    idle: tuple[Exclusion, ...]

    @property
    def ok(self) -> bool:
        return not self.survivors and not self.idle


def mutants(checked: CheckedPolicy, pack: Pack) -> list[Mutant]:
    """All mutants of a policy, those of the grammar first."""
    with localcontext(EXACT):
        return mutants_of(Subject(checked.policy, pack, checked), OPERATORS)


def attack(trial: Trial, tried: Sequence[Mutant], outcomes: Outcomes) -> Attack:
    """What came of the mutants: they are the variants 1, 2, … of the outcomes."""
    checked = trial.checked
    alive = [m for number, m in enumerate(tried, 1) if not trial.notices(m.checked, number, outcomes)]
    differing = [m for m in alive if not same_meaning(checked, m.checked)]
    by_name = {e.mutant: e for e in checked.policy.exclusions}
    survivors = [m for m in differing if m.name not in by_name]
    excluded = tuple(by_name[m.name] for m in differing if m.name in by_name)
    sought = survivors[:MOST_SOUGHT]
    solved = killers(checked, [one.case for one in trial.cases], sought) if sought else {}
    return Attack(
        total=len(tried) - (len(alive) - len(differing)) - len(excluded),
        killed=len(tried) - len(alive),
        survivors=tuple(Survivor(m, solved.get(m.name), n < MOST_SOUGHT) for n, m in enumerate(survivors)),
        equivalent=len(alive) - len(differing),
        excluded=excluded,
        idle=tuple(e for e in checked.policy.exclusions if e not in excluded),
    )
