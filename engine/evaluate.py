"""A plan over facts: runs its queries, within the limits. What the numbers mean is for `explain` to say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from . import canonical
from .database import client
from .errors import EvaluationError, Problem
from .frozen import replace
from .limits import Limits
from .plan import Evaluated, Known, Plan
from .verdict import Counts, value_of

if TYPE_CHECKING:
    import duckdb

_TOLERANCE = 0.05
"""Seconds by which the database's clock may be ahead of ours."""


class Facts(Protocol):
    """What evaluating needs of facts: one SELECT at a time, on a connection that is locked and keeps the time."""

    def select(self, sql: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection: ...

    def hold(self, sql: str) -> str: ...

    def release(self, held: str) -> None: ...


def evaluate(plan: Plan, facts: Facts, limits: Limits, witnesses: int, known: Known | None = None) -> Evaluated:
    """Counts and the first witnesses; of a plan without waivers they may be `known`.

    Raises EvaluationError if a limit is hit or a group should not exist.
    """
    query = Queries(facts, limits)
    refuse_strays(plan, query)
    counts = _with_the_others(_counts(known.counts if known is not None else query(plan.counts)), plan.certain)
    counts = _with_decided(counts, *plan.decided)
    covered: dict[int, int] = {}
    if plan.waived is not None and counts.failed:
        covered = {row["_waiver"]: row["_n"] for row in query(plan.waived)}
        waived = sum(covered.values())
        counts = replace(counts, failed=counts.failed - waived, waived=waived)
    open_rows = counts.in_scope - counts.passed
    shown: Sequence[dict[str, Any]] = []
    if open_rows and witnesses:
        shown = known.shown if known is not None else query(plan.witnesses(witnesses))
    undecided = None
    if counts.no_evidence:
        undecided = next((w for w in shown if w["_o"] == "no_evidence"), None)
        undecided = undecided or (known.undecided if known else query(plan.witnesses(1, "no_evidence")))[0]
    return Evaluated(plan, counts, shown, undecided, query, covered)


def _counts(rows: Sequence[dict[str, Any]]) -> Counts:
    by = {row["_o"]: row["_n"] for row in rows}
    certain = sum(row["_sure"] for row in rows)
    return Counts(by.get("pass", 0), by.get("fail", 0), by.get("review", 0), by.get("no_evidence", 0), certain)


def _with_the_others(counts: Counts, certain: int | None) -> Counts:
    """Rows that were left out pass, so all of them that are in scope are certainly so."""
    others = certain - counts.certain if certain is not None else 0
    return replace(counts, passed=counts.passed + others, certain=counts.certain + others)


def _with_decided(counts: Counts, passed: int, failed: int) -> Counts:
    """Rows that a person decided are out of those to review."""
    return replace(
        counts,
        passed=counts.passed + passed,
        failed=counts.failed + failed,
        review=counts.review - passed - failed,
        decided=passed + failed,
    )


def refuse_strays(plan: Plan, query: Queries) -> None:
    """Raises EvaluationError if a row has a key that `each_of` does not have."""
    if plan.strays is None:
        return
    for row in query(f"{plan.strays} LIMIT 1"):
        columns = plan.checked.relation.columns
        key = ", ".join(f"{n} {canonical.shown(value_of(row[n], columns[n].type))}" for n in plan.key)
        each_of = plan.checked.policy.each_of
        message = f"a row of {plan.checked.relation.name} has the key {key}, which {each_of} does not have"
        raise EvaluationError(Problem("key-not-in-each-of", message, help=f"add the row to {each_of}"))


class Queries:
    """Runs queries within the limits and turns the database's errors into ours."""

    def __init__(self, facts: Facts, limits: Limits) -> None:
        self.facts = facts
        self.limits = limits

    def __call__(self, sql: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        with self._within_limits():
            result = self.facts.select(sql, list(parameters) or None)
            names = [column[0] for column in result.description or ()]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def hold(self, sql: str) -> str:
        """The quoted name of a table that holds what a SELECT gives, for as long as the facts are open."""
        with self._within_limits():
            return self.facts.hold(sql)

    def release(self, held: str) -> None:
        """Drops a table that `hold` made."""
        with self._within_limits():
            self.facts.release(held)

    @contextmanager
    def _within_limits(self) -> Iterator[None]:
        duckdb = client()

        began = time.monotonic()
        try:
            yield
        except duckdb.InterruptException:
            # The database keeps the time; the clock says who interrupted, the limit or the user.
            if not 0 < self.limits.seconds <= time.monotonic() - began + _TOLERANCE:
                raise KeyboardInterrupt from None
            message = f"a query took longer than {self.limits.seconds} s (limit `seconds`)"
            raise EvaluationError(_failed(message, "raise it with `--limit seconds=N`")) from None
        except duckdb.OutOfMemoryException:
            message = f"the query needs more than {self.limits.memory_mb} MB (limit `memory_mb`)"
            raise EvaluationError(_failed(message, "raise it with `--limit memory_mb=N`")) from None
        except duckdb.Error as error:
            first = str(error).strip().split("\n")[0]
            raise EvaluationError(_failed(f"the database refused: {first}", None)) from None


def _failed(message: str, help: str | None) -> Problem:
    return Problem("evaluation-failed", message, help=help)
