"""For mutants that no case notices: the shortest case that would, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Sequence

from ..cases.base import CaseBase
from ..cases.facts import can_be_written
from ..cases.run import Trial, verdict_of
from ..checked import CheckedPolicy
from ..frozen import dataclass, replace
from ..model import Case
from .candidates import Ground, tiers
from .change import Mutant
from .paste import case_line


@dataclass(frozen=True, slots=True)
class Killer:
    """A case that notices a mutant: the policy's own verdict on it is what it expects."""

    case: Case
    line: str
    got: str
    """The verdict of the mutant."""


def killers(checked: CheckedPolicy, cases: Sequence[Case], survivors: Sequence[Mutant]) -> dict[str, Killer]:
    """For each survivor, by name, the shortest case found that notices it. Names that are missing found none."""
    found: dict[str, Killer] = {}
    ground = Ground(checked, [m.checked for m in survivors], cases)
    for candidates in tiers(ground):
        open_ones = [m for m in survivors if m.name not in found]
        if not open_ones:
            break
        candidates = [one for one in candidates if can_be_written(checked, one)]
        if candidates:
            found |= _of_tier(checked, candidates, open_ones)
    return {m.name: found[m.name] for m in survivors if m.name in found}


def _of_tier(checked: CheckedPolicy, candidates: Sequence[Case], survivors: Sequence[Mutant]) -> dict[str, Killer]:
    """The killers among the candidates: few lines, as that which says most in the fewest words comes first."""
    with CaseBase(checked.relations) as base:
        trial = Trial(checked, base, candidates)
        outcomes = trial.judge([checked, *(m.checked for m in survivors)])
        able: list[tuple[Case, str, dict[str, str]]] = []
        for one in trial.cases:
            expect, _ = verdict_of(checked, one, outcomes, 0)
            got = {m.name: verdict_of(m.checked, one, outcomes, n)[0] for n, m in enumerate(survivors, 1)}
            noticed = {name: verdict for name, verdict in got.items() if verdict != expect}
            if noticed and expect != "error":
                case = replace(one.case, expect=expect)
                able.append((case, case_line(case), noticed))
    found: dict[str, Killer] = {}
    while able:
        case, line, noticed = max(able, key=lambda a: (len(a[2]) / len(a[1]), -len(a[1]), a[1]))
        found |= {name: Killer(case, line, verdict) for name, verdict in noticed.items()}
        able = [(c, text, left) for c, text, n in able if (left := {k: v for k, v in n.items() if k not in found})]
    return found
