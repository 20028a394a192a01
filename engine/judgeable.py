"""From loaded packs to what can be judged: every policy and waiver of them checked, the chosen ones handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from .checked import CheckedPolicy, CheckedWaiver
from .errors import Place, PolicyError, Problem, UsageError
from .frozen import dataclass
from .model import Pack


@dataclass(frozen=True, slots=True)
class Judgeable:
    """The chosen policies, all policies of their packs, and the waivers of the chosen ones, each in a fixed order."""

    chosen: tuple[CheckedPolicy, ...]
    all: Mapping[str, CheckedPolicy]
    """By id, in the order of packs and files."""
    waivers: tuple[CheckedWaiver, ...]

    @property
    def policies(self) -> tuple[CheckedPolicy, ...]:
        return tuple(self.all.values())

    def refuse_without_day(self, as_of: date | None) -> None:
        """Whether a waiver still holds is a question of the day, so without one nothing is judged."""
        if self.waivers and as_of is None:
            first, number = self.waivers[0].waiver, len(self.waivers)
            more = f" (and {number - 1} more)" if number > 1 else ""
            message = f"`{first.policy}` has a waiver{more}, and a waiver holds until a day"
            help = "give the day of judging with `--as-of YYYY-MM-DD`"
            raise UsageError(Problem("as-of-needed", message, first.place, help=help))


@dataclass(frozen=True, slots=True)
class CheckedPacks:
    """All policies of some packs, by id, and all their waivers."""

    policies: Mapping[str, CheckedPolicy]
    waivers: tuple[CheckedWaiver, ...]

    def choose(self, ids: Sequence[str]) -> Judgeable:
        """What is judged of them, in the order of `ids`."""
        wanted = set(ids)
        waivers = tuple(one for one in self.waivers if one.waiver.policy in wanted)
        return Judgeable(tuple(self.policies[one] for one in ids), self.policies, waivers)


def check_packs(packs: Mapping[str, Pack]) -> CheckedPacks:
    """Checks all of each pack, so that a broken neighbour is never overlooked. Raises PolicyError.

    The parser is imported here: whoever knows that nothing changed does without it.
    """
    from .cases import check_cases
    from .check import check_policy, scope_problems
    from .waivers import check_waivers

    problems: list[Problem] = []
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
    return CheckedPacks(found, tuple(waivers))


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
