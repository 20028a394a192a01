"""From loaded packs to what can be judged: every policy and waiver of them checked, the chosen ones handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from .cases import check_cases
from .check import check_policy, scope_problems
from .checked import CheckedPolicy, CheckedWaiver
from .errors import Place, PolicyError, Problem, UsageError
from .model import Pack, Policy
from .waivers import check_waivers


@dataclass(frozen=True, slots=True)
class Judgeable:
    """The chosen policies, all policies of their packs, and the waivers of the chosen ones, each in a fixed order."""

    chosen: tuple[CheckedPolicy, ...]
    policies: tuple[CheckedPolicy, ...]
    waivers: tuple[CheckedWaiver, ...]

    def refuse_without_day(self, as_of: date | None) -> None:
        """Whether a waiver still holds is a question of the day, so without one nothing is judged."""
        if self.waivers and as_of is None:
            first, number = self.waivers[0].waiver, len(self.waivers)
            more = f" (and {number - 1} more)" if number > 1 else ""
            message = f"`{first.policy}` has a waiver{more}, and a waiver holds until a day"
            help = "give the day of judging with `--as-of YYYY-MM-DD`"
            raise UsageError(Problem("as-of-needed", message, first.place, help=help))


def check_packs(packs: Mapping[str, Pack], chosen: Sequence[Policy]) -> Judgeable:
    """Checks all of each pack, so that a broken neighbour is never overlooked. Raises PolicyError."""
    problems: list[Problem] = []
    for pack in packs.values():
        problems += _not_yet(pack.later.items(), f"the pack `{pack.name}`")
    found: dict[str, CheckedPolicy] = {}
    waivers: list[CheckedWaiver] = []
    for pack in packs.values():
        for policy in pack.policies.values():
            later = _not_yet(policy.later.items(), f"`{policy.id}`")
            problems += [*later, *(p for p in check_cases(policy, pack) if p.is_error)]
            if later:
                continue
            checked, more = check_policy(policy, pack)
            problems += [p for p in (*more, *scope_problems(checked)) if p.is_error]
            if checked is not None:
                found[policy.id] = checked
        usable, more = check_waivers(pack)
        waivers += usable
        problems += more
    if problems:
        raise PolicyError(problems)
    ids = {policy.id for policy in chosen}
    of_chosen = tuple(w for w in waivers if w.waiver.policy in ids)
    return Judgeable(tuple(found[p.id] for p in chosen), tuple(found.values()), of_chosen)


def _not_yet(later: Iterable[tuple[str, object]], owner: str) -> list[Problem]:
    return [
        Problem(
            "not-yet",
            f"{owner} uses `{key}`, which this version checks for form and cannot judge yet",
            place=place if isinstance(place, Place) else None,
            help="judge without it, or use a version that can",
        )
        for key, place in later
    ]
