"""The queries that judge one policy, and what comes back from them: what passes from `compile` to `explain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .checked import CheckedPolicy
from .frozen import dataclass, field
from .lang.dialects import duckdb as dialect
from .lang.lower import Lowering
from .lang.typed import AggregateRef, Typed
from .verdict import Counts

_RANK = "CASE _o WHEN 'fail' THEN 0 WHEN 'no_evidence' THEN 1 WHEN 'review' THEN 2 ELSE 3 END"


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries of one policy. `counts` gives rows of (outcome, number, number certainly in scope).

    `judged` has a row for each counted row or group: the `key` columns, the `shown` columns, `_o` (outcome), `_w` and
    `_v` (scope and review, three-valued), then a column for each of `conjuncts`, the conditions that `must` joins; of
    groups, the numbers of rows `_known` and `_unknown`, the aggregates, and for each of `null_flags` whether the column
    is null in a row in scope (`_nk0` …) and in a row of unknown scope (`_nu0` …).
    `strays` gives a key that `each_of` does not have. Internal columns begin with `_`, as no name of an author does.

    With waivers `judged` also has the outcome `waived`, and the waiver's number in `_waiver`; `waived` then gives rows
    of (`_waiver`, number), and `counts` is what it is without them. So it is with decisions: `judged` has their outcome
    and, in `_decision`, their line; `decided` is how many of the rows to review passed and failed by them.
    """

    checked: CheckedPolicy
    counts: str
    judged: str
    lowering: Lowering
    scan: str
    """The judged rows, with what the lowering has computed of them beforehand."""
    shown: tuple[str, ...] = ()
    conjuncts: tuple[Typed, ...] = ()
    aggregates: tuple[AggregateRef, ...] = ()
    null_flags: tuple[str, ...] = ()
    strays: str | None = None
    waived: str | None = None
    decided: tuple[int, int] = (0, 0)
    certain: int | None = None
    """Of a plan over some rows or groups, all that may not pass among them: how many of all are certainly in scope."""

    @property
    def key(self) -> tuple[str, ...]:
        return self.checked.key

    @property
    def grouped(self) -> bool:
        return bool(self.checked.policy.per)

    def witnesses(self, limit: int, outcome: str | None = None) -> str:
        """The first `limit` witnesses in their order, all outcomes or one."""
        wanted = f"_o = '{outcome}'" if outcome else "_o <> 'pass'"
        return f"SELECT * FROM ({self.judged}) WHERE {wanted} ORDER BY {witness_order(self.key)} LIMIT {limit}"

    def keys_and_outcomes(self) -> str:
        """The key and outcome of every counted row or group."""
        return f"SELECT {', '.join(dialect.quote(k) for k in self.key)}, _o FROM ({self.judged})"


def witness_order(key: Sequence[str]) -> str:
    """The order of witnesses."""
    return ", ".join([_RANK, *(f"{dialect.quote(k)} ASC NULLS FIRST" for k in key)])


@dataclass(frozen=True, slots=True)
class Known:
    """What the queries of a plan without waivers give, where it is known already: its counts, and its witnesses.

    `undecided` is the first witness without evidence, or nothing.
    """

    counts: Sequence[dict[str, Any]]
    shown: Sequence[dict[str, Any]]
    undecided: Sequence[dict[str, Any]]


class Query(Protocol):
    """Runs one SELECT over the facts: rows as mappings from column to value, in the query's order.

    Raises EvaluationError when a limit is hit or the database refuses.
    """

    def __call__(self, sql: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What the queries of a plan gave. `undecided` is the first witness without evidence, if there is one.

    `covered` has the number of rows or groups that each waiver covers, by its number.
    """

    plan: Plan
    counts: Counts
    witnesses: Sequence[Mapping[str, Any]]
    undecided: Mapping[str, Any] | None
    query: Query
    covered: Mapping[int, int] = field(default_factory=dict)
