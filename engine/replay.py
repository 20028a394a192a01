"""`fiel replay`: judges again what a receipt speaks of, and says whether it gives the same bytes, or what differs.

A receipt is what somebody hands us. Nothing in it is believed, and no file is read because a receipt names it, unless
it lies below the current folder or the user names it too.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO

from .errors import Problem, UsageError
from .frozen import dataclass, field
from .home import SHIPPED_POLICIES
from .limits import Limits
from .pipeline import Progress, Request, judge
from .receipts import Difference, differences, read_receipt
from .render.problems import visible

SAME, DIFFERS = 0, 1


@dataclass(frozen=True, slots=True)
class Again:
    """How to judge again: in place of what the receipt says of folders and files, and what it does not say."""

    policies: Path | None = None
    facts: tuple[str, ...] = ()
    references: tuple[Path, ...] = ()
    decisions: Path | None = None
    threads: int | None = None
    use_cache: bool = True
    limits: Limits = field(default_factory=Limits)
    stdin: BinaryIO | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """The receipt that was given, that of judging again, and what differs."""

    old: dict[str, Any]
    new: dict[str, Any]
    found: tuple[Difference, ...]

    @property
    def exit_code(self) -> int:
        """Another version of a program that gives the same bytes is told, and is no difference."""
        return DIFFERS if any(not one.of_version for one in self.found) else SAME


def replay(path: Path, again: Again) -> Replay:
    """Judges again. Raises UsageError if the receipt cannot be read or replayed, and what judging raises."""
    old = read_receipt(path)
    arguments = old["arguments"]
    request = Request(
        facts=again.facts or tuple(_facts(path, arguments["facts"])),
        policies=again.policies or _folder(path, arguments["policies_folder"]),
        packs=tuple(arguments["packs"]),
        policy_ids=tuple(arguments["policies"]),
        as_of=date.fromisoformat(arguments["as_of"]) if arguments["as_of"] is not None else None,
        witnesses=arguments["witnesses"],
        threads=again.threads,
        trust_keys=arguments["trust_keys"],
        csv_delimiter=arguments["csv_delimiter"],
        use_cache=again.use_cache,
        limits=again.limits,
        stdin=again.stdin,
        progress=again.progress,
        coverage=arguments["coverage"],
        references=again.references,
        decisions=again.decisions or _decisions(path, arguments.get("decisions")),
        receipt=True,
    )
    new = judge(request).receipt
    assert new is not None
    return Replay(old, dict(new), differences(old, new))


def _facts(path: Path, named: list[str]) -> Iterator[str]:
    """The files that the receipt names, refused if the user has to name them."""
    for argument in named:
        relation, sign, file = argument.partition("=")
        place = file if sign and "/" not in relation else argument
        if place == "-":
            message = "the facts came from standard input, and a receipt holds no rows"
            help = "give the same facts again: `--facts FILE`, or `--facts -` to pipe them in"
            raise UsageError(Problem("receipt-facts", message, where=str(path), help=help))
        if _leads_away(place):
            raise UsageError(_away(path, argument, f"--facts {argument}"))
        if not place or not (
            os.path.exists(place) or glob.has_magic(place)
        ):  # a pattern that matches nothing says so itself
            raise UsageError(_not_here(path, place, "--facts FILE"))
        yield argument


def _folder(path: Path, named: str | None) -> Path:
    if named is None:
        return SHIPPED_POLICIES
    if _leads_away(named):
        raise UsageError(_away(path, named, f"--policies {named}"))
    if not named or not os.path.exists(named):
        raise UsageError(_not_here(path, named, "--policies DIR"))
    return Path(named)


def _decisions(path: Path, named: str | None) -> Path | None:
    if named is None:
        return None
    if _leads_away(named):
        raise UsageError(_away(path, named, f"--decisions {named}"))
    if not named or not os.path.exists(named):
        raise UsageError(_not_here(path, named, "--decisions FILE"))
    return Path(named)


def _leads_away(place: str) -> bool:
    """Whether a path may lead out of the current folder."""
    return os.path.isabs(place) or ".." in place.replace("\\", "/").split("/")


def _away(path: Path, named: str, option: str) -> Problem:
    message = f"the receipt names `{named}`, which does not lie below this folder"
    return Problem("receipt-path", message, where=str(path), help=f"if it is to be read, say so: `{option}`")


def _not_here(path: Path, named: str, option: str) -> Problem:
    try:
        here = f"the current folder `{Path.cwd()}`"
    except OSError:  # somebody removed it
        here = "the current folder"
    message = f"the receipt names `{named}`, which was looked for in {here} and is not there"
    help = f"call `fiel replay` in the folder where `fiel judge` was called, or name what is meant: `{option}`"
    return Problem("receipt-not-here", message, where=str(path), help=help)


def replay_text(done: Replay) -> str:
    """What is the same and what is not, a line each, with a line feed at the end."""
    real = [one for one in done.found if not one.of_version]
    same_bytes = done.old["verdict_sha256"] == done.new["verdict_sha256"]
    verdict = done.new["verdict"].replace("_", " ")
    if same_bytes and done.old["verdict"] == done.new["verdict"]:
        head = f"same verdict, same bytes{', from other inputs' if real else ''}: {verdict}"
    elif done.old["verdict"] == done.new["verdict"]:
        head = f"same verdict, other bytes: {verdict}"
    else:
        head = f"another verdict: {verdict}"
    waived = [one for one in done.new["waivers"] if one["covered"]]
    if waived:
        rows = sum(one["covered"] for one in waived)
        head += f", with {rows} failure{'' if rows == 1 else 's'} waived"
    decided = sum(1 for one in done.new["decisions"] if one["applied"])
    if decided:
        head += f", with {decided} row{'' if decided == 1 else 's'} decided by a person"
    return "".join(f"{line}\n" for line in [head, *_lines(done.found, visible)])


def _lines(found: tuple[Difference, ...], show: Callable[[str], str]) -> Iterator[str]:
    for one in found:
        if one.old is None:
            yield f"  {show(one.what)}: was not there, is {show(str(one.new))}"
        elif one.new is None:
            yield f"  {show(one.what)}: was {show(one.old)}, is not there"
        else:
            yield f"  {show(one.what)}: was {show(one.old)}, is {show(one.new)}"
