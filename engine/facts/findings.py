"""The problems of one load, gathered: the first of them in the order of the files are kept, the rest are counted."""

from __future__ import annotations

from ..errors import FactError, Problem
from ..frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the facts: the file as the user named it, the row (from 1) and, for files of text, the line.

    `at` is a character of that line, from 1. `column` is a name, `rank` its position among the declared ones, which
    orders the problems of a row.
    """

    file: str
    row: int = 0
    line: int | None = None
    column: str | None = None
    rank: int = 0
    at: int | None = None

    def __str__(self) -> str:
        text = self.file if self.line is None else f"{self.file}:{self.line}"
        if self.at is not None:
            text += f":{self.at}"
        if self.row:
            text += f", row {self.row}"
        return text + (f", column {self.column}" if self.column is not None else "")


@dataclass(slots=True)
class Findings:
    """Problems with their spots. However many come, only the first `limit` by (file, row, column) are held."""

    limit: int
    count: int = 0
    _kept: list[tuple[tuple[str, int, int, int, str], Problem]] = field(default_factory=list)

    def fact_problem(self, code: str, spot: Spot, message: str, help: str | None = None) -> None:
        """Adds a problem at a spot."""
        self.add(Problem(code, message, where=str(spot), help=help), spot)

    def add(self, problem: Problem, spot: Spot) -> None:
        """Adds a problem that is made already."""
        self.count += 1
        self._kept.append(((spot.file, spot.row, spot.line or 0, spot.rank, problem.code), problem))
        if len(self._kept) > 8 * max(self.limit, 16):
            self._trim()

    def _trim(self) -> None:
        self._kept.sort(key=lambda entry: entry[0])
        del self._kept[max(self.limit, 1) :]

    def problems(self) -> tuple[Problem, ...]:
        """What is shown: the first ones in order, and a last one that counts those left out."""
        self._trim()
        shown = [problem for _, problem in self._kept]
        rest = self.count - len(shown)
        if rest:
            shown.append(
                Problem(
                    "fact-more",
                    f"and {rest} more {'problem' if rest == 1 else 'problems'} of the facts",
                    where="facts",
                    help=f"mend the first ones, or list more with `--limit problems={min(self.count, 1000)}`",
                )
            )
        return tuple(shown)

    def raise_if_any(self) -> None:
        """Raises `FactError` with all of them if there is one."""
        if self.count:
            raise FactError(self.problems())
