"""`fiel check`: every problem of packs and policies at once, sorted by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from .cases.check import check_cases
from .check import check_policy, scope_problems
from .checked import CheckedPolicy
from .errors import Problem, UsageError, problem_order
from .frozen import dataclass, field
from .load.packs import load_packs, shown_path
from .load.parameters import stale_guesses
from .model import Pack
from .waivers import check_waivers, days_of_waivers

_OF_THE_PACK = frozenset({"pack", "relations", "parameters", "references", "report", "sensors", "waivers"})


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was checked, and what was found, without repetitions.

    `loaded` has the packs of each path, `checked` the policies without an error, by file.
    """

    packs: int
    policies: int
    problems: tuple[Problem, ...]
    loaded: tuple[tuple[Path, Mapping[str, Pack]], ...] = ()
    checked: Mapping[str, CheckedPolicy] = field(default_factory=dict)


def check_paths(paths: Sequence[Path], today: date | None) -> Checkup:
    """Checks folders of packs, packs, and single files (with the pack around them).

    Without `today` nothing is said of guesses and waivers whose day is over. Raises UsageError for a path that is not
    there, and where there is nothing to check.
    """
    problems: list[Problem] = []
    packs = policies = 0
    every: list[tuple[Path, Mapping[str, Pack]]] = []
    checked: dict[str, CheckedPolicy] = {}
    for path in paths:
        if not path.exists():
            message = f"`{shown_path(path)}` is not there"
            help_text = _meant_path(path) or "name a folder of packs, a pack or a policy file"
            raise UsageError(Problem("no-such-folder", message, help=help_text))
        if path.is_file() and not (path.suffix == ".yaml" and (path.parent / "pack.yaml").exists()):
            message = f"`{shown_path(path)}` is no file of a pack"
            raise UsageError(Problem("no-such-folder", message, help="a pack is a folder with a `pack.yaml`"))
        loaded = load_packs(path)
        found = list(loaded.problems)
        every.append((path, loaded.packs))
        for name, pack in loaded.packs.items():
            found += _pack(pack, loaded.unusable.get(name, frozenset()), checked)
        if today is not None:
            found += stale_guesses(loaded.packs.values(), today)
            found += days_of_waivers(loaded.packs.values(), today)
        packs += len(loaded.packs)
        policies += sum(len(p.policies) for p in loaded.packs.values())
        problems += _of_file(found, path) if path.is_file() else found
    if not policies and not any(p.is_error for p in problems):
        message = "there is no policy to check"
        raise UsageError(Problem("no-policies", message, help="a pack holds a file for each policy"))
    ordered = tuple(sorted(dict.fromkeys(problems), key=problem_order))
    return Checkup(packs, policies, ordered, tuple(every), checked)


def _meant_path(path: Path) -> str | None:
    """Help for the name of a policy or a pack where a path is taken; None if no file has it."""
    pack, point, name = path.name.partition(".")
    if len(path.parts) != 1:
        return None
    roots = (Path("policies"), Path(), Path(".."))
    if point:
        tries = [root / pack / f"{name}.yaml" for root in roots]
    else:
        tries = [root / pack for root in roots if (root / pack / "pack.yaml").is_file()]
        tries += [file for root in roots for file in sorted(root.glob(f"*/{pack}.yaml"))]
    found = [one for one in tries if one.exists() and any((at / "pack.yaml").exists() for at in (one, one.parent))]
    return f"paths are taken here; did you mean `{shown_path(found[0])}`?" if found else None


def _pack(pack: Pack, unusable: frozenset[str], checked: dict[str, CheckedPolicy]) -> list[Problem]:
    """The problems of a pack; its policies without an error are put into `checked`."""
    found: list[Problem] = []
    for policy in pack.policies.values():
        found += check_cases(policy, pack, unusable)
        if policy.relation in unusable or policy.each_of in unusable:
            continue
        one, problems = check_policy(policy, pack)
        found += scope_problems(one)
        if one is not None:
            checked[policy.file] = one
        found += [p for p in problems if not _follows(p, unusable)]
    _, problems = check_waivers(pack, unusable)
    return [*found, *problems]


def _follows(problem: Problem, unusable: frozenset[str]) -> bool:
    """True if the problem is only that something is missing whose own problem is listed already."""
    if problem.code not in ("unknown-relation", "unknown-reference", "unknown-column", "unknown-parameter"):
        return False
    return any(f"`{name}`" in problem.message for name in unusable)


def _of_file(problems: Sequence[Problem], path: Path) -> list[Problem]:
    """The problems of a policy's file and of what it rests on; of the pack's other policies nothing is said.

    A file of the pack itself stands for the pack: all that rests on it is spoken of.

    The files of the pack itself stay: a policy over a relation that cannot be read is not in order.
    """
    if path.stem in _OF_THE_PACK:
        return list(problems)
    file = shown_path(path)
    others = {shown_path(p) for p in path.parent.glob("*.yaml") if p.stem not in _OF_THE_PACK} - {file}
    return [p for p in problems if p.place is None or p.place.file not in others]
