"""What goes wrong, as data: a problem is a message to an author.

    FielError
    ├── PolicyError        load, check, compile: a pack or a policy is not as it should be
    ├── FactError          the facts are not as the relations declare them, or a limit was hit
    ├── EvaluationError    a policy could not be evaluated over good facts
    └── UsageError         the command line asks for something that does not exist
    InternalError          our own bug; the only one that is not the user's to mend

Each carries all the problems that were found, not only the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .frozen import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one line of a file. `line` and `column` count from 1, `column` and `length` in code points."""

    file: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that an author has to know.

    `code` has an entry in `docs/errors.md`. `message` is one line, lower case, with the author's words in backticks.
    `where` is what stands before the message if there is no `place` (a facts file and its row, say). `excerpt` is the
    line of the file that `place` points at. `help` says what to do. A `note` stops nothing.
    """

    code: str
    message: str
    place: Place | None = None
    where: str | None = None
    excerpt: str | None = None
    help: str | None = None
    severity: str = "error"

    @property
    def is_error(self) -> bool:
        return self.severity == "error"


def problem_order(problem: Problem) -> tuple[str, int, int, str, str]:
    """The key by which problems are sorted: file, line, column, then code and message; without a place comes first."""
    place = problem.place or Place(problem.where or "", 0, 0)
    return place.file, place.line, place.column, problem.code, problem.message


class FielError(Exception):
    """Base of all that a user can mend. `problems` is never empty."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("; ".join(f"{p.code}: {p.message}" for p in self.problems))


class PolicyError(FielError):
    """A pack, a policy or an expression is refused."""


class FactError(FielError):
    """Facts are refused. Nothing is judged."""


class EvaluationError(FielError):
    """A policy could not be evaluated over these facts."""


class UsageError(FielError):
    """The command asks for what does not exist."""


class InternalError(Exception):
    """A bug of Fiel's own (exit code 70)."""


def nearest(name: str, legal: Iterable[str]) -> str | None:
    """The legal name closest to `name`, or None if nothing is near. `pack.name` is near to its bare name."""
    legal = sorted(legal)
    named = [one for one in legal if "." in one and one.partition(".")[2] == name]
    if len(named) == 1:
        return named[0]
    from difflib import get_close_matches

    found = get_close_matches(name, legal, n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, legal: Sequence[str] | Iterable[str], what: str = "legal") -> str:
    """A help line: the nearest legal name, or all of them if none is near (the first twelve)."""
    names = sorted(name for name in legal if not name.startswith("_"))
    near = nearest(name, names)
    if near is not None:
        return f"did you mean `{near}`?"
    if not names:
        return f"nothing is {what} here"
    shown = ", ".join(f"`{n}`" for n in names[:12])
    return f"{what}: {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")
