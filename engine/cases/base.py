"""One database for the facts of many cases, told apart by a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from types import TracebackType

from ..checked import CheckedPolicy
from ..facts import FactBase, from_rows, table
from ..frozen import dataclass, replace
from ..judging import Settings
from ..lang.lower import CASE, CaseSets
from ..model import Case, Column, Relation, ValueType
from .facts import Rows, facts_of

_NUMBER = Column(CASE, ValueType("int"), required=True, unit="none")


@dataclass(frozen=True, slots=True)
class NumberedCase:
    """A case of a policy under a number that no other case of the database has."""

    number: int
    case: Case
    present: frozenset[str]


class CaseBase:
    """The facts of the cases of many policies of one pack. Use it in a `with`: it owns a database.

    Cases are added with the policy they belong to; a case that a policy cannot read raises ValueError.
    """

    def __init__(self, relations: Mapping[str, Relation]) -> None:
        self._relations = relations
        self._rows: dict[str, Rows] = {}
        self._next = 0
        self._base: FactBase | None = None

    def add(self, checked: CheckedPolicy, cases: Sequence[Case]) -> list[NumberedCase]:
        """Numbers the cases and takes their facts. All is stored when the first query is asked."""
        return [self.add_facts(case, facts_of(checked, case)) for case in cases]

    def add_facts(self, case: Case, facts: Mapping[str, Rows]) -> NumberedCase:
        """Numbers one case whose facts are these."""
        number = self._next
        for name, rows in facts.items():
            self._rows.setdefault(name, []).extend({CASE: number, **row} for row in rows)
        self._next += 1
        return NumberedCase(number, case, frozenset(facts))

    @property
    def base(self) -> FactBase:
        """The facts, locked."""
        if self._base is None:
            wider = {
                name: replace(relation, columns={CASE: _NUMBER, **relation.columns})
                for name, relation in self._relations.items()
                if name in self._rows
            }
            # One thread: the rows are few, and starting others takes longer than they save.
            self._base = from_rows(self._rows, wider, limits=Settings().limits, threads=1)
            self._rows = {}
        return self._base

    def tables(self, cases: Sequence[NumberedCase]) -> dict[str, str]:
        """The table of each relation that one of these cases brings, with the rows of these cases only.

        The cases were added one after the other.
        """
        first, last = cases[0].number, cases[-1].number
        chosen = f"WHERE {CASE} BETWEEN {first} AND {last}"
        present = frozenset().union(*(c.present for c in cases))
        return {name: f"(SELECT * FROM {table(name)} {chosen})" for name in sorted(present)}

    def close(self) -> None:
        if self._base is not None:
            self._base.close()

    def __enter__(self) -> CaseBase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def case_sets(cases: Sequence[NumberedCase]) -> CaseSets:
    """Which relations each of these cases brings, and its day."""
    present: dict[str, set[int]] = {}
    days: dict[int, date] = {}
    for one in cases:
        for name in one.present:
            present.setdefault(name, set()).add(one.number)
        if one.case.judged_on is not None:
            days[one.number] = one.case.judged_on
    return CaseSets(tuple(c.number for c in cases), {n: frozenset(s) for n, s in present.items()}, days)
