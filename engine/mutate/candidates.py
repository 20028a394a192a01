"""Cases that might tell a mutant from its policy: what the policy's own cases say, with one or two things changed.

They come in tiers, the simplest first: no rows, a column at an edge, rows of another relation, several rows, two
columns. A tier is finite and in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal, localcontext
from itertools import combinations, islice

from ..checked import CheckedPolicy
from ..frozen import dataclass, replace
from ..lang.typed import judged_columns, relations_read
from ..model import JUDGED_ON, LINE, Case, CaseRow, Cell, Relation, Row
from .look_up_cases import look_up_facts
from .paste import as_written
from .values import EXACT, NOWHERE, Pool, cell_of, pool_of, values_of

_MOST_ROWS = 1000
"""Rows that are repeated to reach a tolerance or a count."""
_MOST_OF_A_TIER = 4000
_MOST_ROWS_OF_A_TIER = 100_000
"""The rows of all cases of a tier together, repeated ones counted: what is held in memory at once."""


@dataclass(frozen=True)
class Ground:
    """What candidates are made from: the policy, its variants (for their constants and columns) and its cases."""

    checked: CheckedPolicy
    variants: Sequence[CheckedPolicy]
    cases: Sequence[Case]

    @property
    def pool(self) -> Pool:
        return pool_of([self.checked, *self.variants], self._rows())

    def _rows(self) -> Iterator[Row]:
        policy = self.checked.policy
        if policy.example is not None:
            yield policy.example.cells
        for case in self.cases:
            yield case.cells
            for rows in (case.rows, *case.facts.values()):
                for row in rows if isinstance(rows, tuple) else ():
                    yield row.cells
        for listed in policy.example_facts.values():
            for row in listed:
                yield row.cells

    @property
    def columns(self) -> list[str]:
        """The judged columns that the policy or a variant reads, the policy's own first."""
        names: list[str] = []
        for one in (self.checked, *self.variants):
            for name in judged_columns(one.where, one.must, one.review_if):
                names.append(name)
            names += [n for n in (one.policy.as_of, *one.policy.per) if n and n != JUDGED_ON]
        return [n for n in dict.fromkeys(names) if n in self.checked.relation.columns]


def tiers(ground: Ground) -> Iterator[list[Case]]:
    """The candidates, tier after tier. None expects anything yet."""
    pool = ground.pool
    makers = (_plain, _one_column, _facts, _rows, _two_columns, _rows_and_facts, _twins, _two_cells)
    for maker in makers:
        with localcontext(EXACT):
            made = list(islice(_affordable(_distinct(maker(ground, pool), ground.checked)), _MOST_OF_A_TIER))
        yield made


def _affordable(cases: Iterable[Case]) -> Iterator[Case]:
    """As many of the cases as have no more rows together than a tier may have; a case too large is left out."""
    left = _MOST_ROWS_OF_A_TIER
    for number, case in enumerate(cases):
        rows = _rows_in(case)
        if rows <= left:
            left -= rows
            yield case
        if not left or number > 10 * _MOST_OF_A_TIER:
            return


def _rows_in(case: Case) -> int:
    listed = [rows for rows in (case.rows, *case.facts.values()) if isinstance(rows, tuple)]
    return sum(row.repeat for rows in listed for row in rows) + (case.rows is None)


def _distinct(cases: Iterable[Case], checked: CheckedPolicy) -> Iterator[Case]:
    """Those that a file can hold, each once."""
    seen = set()
    for made in cases:
        case = as_written(made, checked)
        if case is None:
            continue
        key = repr((sorted(case.cells.items()), case.rows, sorted(case.facts.items()), case.judged_on))
        if key not in seen:
            seen.add(key)
            yield case


def blank(**parts: object) -> Case:
    """A case that says nothing yet but these parts."""
    case = Case(0, {}, None, {}, "pass", NOWHERE)
    return replace(case, **parts)  # type: ignore[arg-type]


def _seeds(ground: Ground) -> list[Case]:
    """The example and the cases, without what they expect; of those with days of their own the first stands for all."""
    own = [replace(c, number=0, expect="pass", reason=None, expect_rows=(), place=NOWHERE) for c in ground.cases]
    if ground.checked.policy.as_of == JUDGED_ON:
        return own
    return [blank(), *own]


def _dated(ground: Ground, pool: Pool, case: Case) -> Iterator[Case]:
    """The case on every day that matters, where a policy is judged as of a day."""
    yield case
    if ground.checked.policy.as_of == JUDGED_ON:
        for day in sorted(pool.days):
            for moved in (0, -1, 1):
                with suppress(OverflowError):
                    yield replace(case, judged_on=day + timedelta(days=moved))


# -- the tiers -------------------------------------------------------------------------------------------------


def _plain(ground: Ground, pool: Pool) -> Iterator[Case]:
    """No rows, no relation, the example alone; and every case as it is, on other days."""
    day = next((c.judged_on for c in ground.cases if c.judged_on is not None), None)
    has_judged = ground.checked.policy.example is not None
    for rows in ((), "absent") if has_judged else ():
        yield from _dated(ground, pool, blank(rows=rows, judged_on=day))
        for name, listed in _other_relations(ground):
            if listed:
                yield blank(rows=rows, facts={name: ()}, judged_on=day)
    for seed in _seeds(ground):
        yield from _dated(ground, pool, seed)


def _one_column(ground: Ground, pool: Pool) -> Iterator[Case]:
    if ground.checked.policy.per or ground.checked.policy.example is None:
        return
    columns = ground.checked.relation.columns
    for seed in _seeds(ground):
        if seed.rows is not None:
            continue
        for name in ground.columns:
            for cell in values_of(columns[name], pool):
                yield from _tolerated(ground, replace(seed, cells=_put(ground, seed.cells, name, cell)))


def _two_columns(ground: Ground, pool: Pool) -> Iterator[Case]:
    if ground.checked.policy.per or ground.checked.policy.example is None:
        return
    columns = ground.checked.relation.columns
    start = next((s for s in _seeds(ground) if s.rows is None), blank())
    for one, other in combinations(ground.columns, 2):
        for cell in values_of(columns[one], pool):
            for beside in values_of(columns[other], pool):
                cells = _put(ground, _put(ground, start.cells, one, cell), other, beside)
                yield from _tolerated(ground, replace(start, cells=cells))


def _put(ground: Ground, cells: Row, name: str, cell: Cell) -> Row:
    """The cells with one changed; what the example says already is left out."""
    example = ground.checked.policy.example
    changed = {**cells, name: cell}
    if example is not None and example.cells.get(name) == cell and name not in cells:
        changed.pop(name)
    return changed


def _tolerated(ground: Ground, case: Case) -> Iterator[Case]:
    """The case, and so many of its row that a tolerance does not hide it."""
    yield case
    for n in _tolerances(ground):
        if n > 1 and case.rows is None and case.cells:
            yield replace(case, cells={}, rows=(CaseRow(case.cells, n),))


def _tolerances(ground: Ground) -> list[int]:
    """Numbers of rows just above what is tolerated, where that is a number."""
    found = set()
    for one in (ground.checked, *ground.variants):
        if one.allow is not None and one.allow.unit != "share":
            found |= {int(v.value) + 1 for v in one.allow.values if isinstance(v.value, Decimal)}
    return sorted(n for n in found if 1 <= n <= _MOST_ROWS)


# -- several rows ----------------------------------------------------------------------------------------------


def _rows(ground: Ground, pool: Pool) -> Iterator[Case]:
    """Rows of which one is changed, left out, put in or repeated; and shares of failing rows around a tolerance."""
    if ground.checked.policy.example is None:
        return
    yield from _shares(ground)
    for seed in _seeds_of_rows(ground):
        rows = seed.rows if isinstance(seed.rows, tuple) else ()
        for changed in _edited_rows(ground, rows, pool):
            yield replace(seed, rows=changed)


def _seeds_of_rows(ground: Ground) -> list[Case]:
    """The example as the only row, and the cases that give rows."""
    seeds = _seeds(ground)
    day = next((s.judged_on for s in seeds), None)
    return [blank(rows=(CaseRow({}),), judged_on=day), *(s for s in seeds if isinstance(s.rows, tuple))]


def _edited_rows(ground: Ground, rows: Sequence[CaseRow], pool: Pool) -> Iterator[tuple[CaseRow, ...]]:
    relation = ground.checked.relation
    rows = tuple(rows)
    for number, row in enumerate(rows):
        around = rows[:number], rows[number + 1 :]
        yield (*around[0], *around[1])
        for repeat in _repeats(pool, row.repeat):
            yield (*around[0], replace(row, repeat=repeat), *around[1])
        for name in ground.columns:
            for cell in values_of(relation.columns[name], pool):
                new = replace(row, cells=_put(ground, row.cells, name, cell), repeat=1)
                left = (replace(row, repeat=row.repeat - 1),) if row.repeat > 1 else ()
                yield (*around[0], *left, new, *around[1])
                if row.repeat == 1:
                    yield (*around[0], row, new, *around[1])


def _twins(ground: Ground, pool: Pool) -> Iterator[Case]:
    """Two rows that are alike but for a column that parts groups, or that a key has."""
    if ground.checked.policy.example is None:
        return
    columns = ground.checked.relation.columns
    parting = [n for n in dict.fromkeys((*ground.checked.policy.per, *ground.checked.relation.key)) if n in columns]
    for seed in _seeds_of_rows(ground)[:1]:
        for name in ground.columns:
            for cell in values_of(columns[name], pool):
                row = CaseRow(_put(ground, {}, name, cell))
                for other in parting:
                    for apart in values_of(columns[other], pool)[:6]:
                        if apart.text is not None and other != name:
                            yield replace(seed, rows=(row, CaseRow(_put(ground, row.cells, other, apart))))


def _two_cells(ground: Ground, pool: Pool) -> Iterator[Case]:
    """Rows of which one is changed in two columns, or a row more that differs in two."""
    if ground.checked.policy.example is None:
        return
    columns = ground.checked.relation.columns
    for seed in _seeds_of_rows(ground)[:2]:
        rows = seed.rows if isinstance(seed.rows, tuple) else ()
        for one, other in combinations(ground.columns, 2):
            for cell in values_of(columns[one], pool):
                for beside in values_of(columns[other], pool):
                    new = CaseRow(_put(ground, _put(ground, {}, one, cell), other, beside))
                    yield replace(seed, rows=(new, *rows[1:]))
                    yield replace(seed, rows=(*rows, new))


def _repeats(pool: Pool, now: int) -> list[int]:
    """Numbers of rows around each constant, and one more and less than now."""
    near = {int(n) + d for n in pool.numbers if n == n.to_integral_value() and 0 <= n <= _MOST_ROWS for d in (-1, 0, 1)}
    return sorted(n for n in near | {now - 1, now + 1, 2} if 1 <= n <= _MOST_ROWS and n != now)


def _shares(ground: Ground) -> Iterator[Case]:
    """So many rows that one more or one less changes what a share of them is, with few that fail."""
    allows = [one.allow for one in (ground.checked, *ground.variants) if one.allow is not None]
    if not allows:
        return
    totals: set[int] = set()
    limits = {1}
    for allow in allows:
        for value in allow.values:
            number = value.value if isinstance(value.value, Decimal) else Decimal(0)
            if allow.unit == "share" and number > 0:
                totals |= {int(k / number) + d for k in (1, 2) for d in (-1, 0, 1)}
            elif allow.unit != "share":
                limits |= {int(number), int(number) + 1}
                totals |= {int(number) + 2}
    failing = [c.cells for c in ground.cases if c.expect in ("fail", "no_evidence", "review") and c.cells]
    for total in sorted(n for n in totals if 1 <= n <= _MOST_ROWS):
        for wrong in sorted(n for n in limits | {2} if n <= total):
            for cells in failing[:4]:
                good = (CaseRow({}, total - wrong),) if total > wrong else ()
                yield blank(rows=(*good, CaseRow(cells, wrong)), judged_on=None)


# -- rows of other relations -----------------------------------------------------------------------------------


def _other_relations(ground: Ground) -> list[tuple[str, tuple[CaseRow, ...]]]:
    """The other relations that the policy or a variant reads, with the rows that the example gives them."""
    names = []
    for one in (ground.checked, *ground.variants):
        names += relations_read(one.where, one.must, one.review_if)
        names += [one.each_of.name] if one.each_of is not None else []
    judged = ground.checked.policy.relation
    return [(n, ground.checked.policy.example_facts.get(n, ())) for n in dict.fromkeys(names) if n != judged]


def _facts(ground: Ground, pool: Pool) -> Iterator[Case]:
    yield from _look_ups(ground, pool)
    for seed in _seeds(ground):
        for name, listed in _other_relations(ground):
            given = seed.facts.get(name, listed)
            if name not in ground.checked.references:
                yield replace(seed, facts={**seed.facts, name: "absent"})
            yield replace(seed, facts={**seed.facts, name: ()})
            relation = ground.checked.relations.get(name)
            for rows in _edited_facts(relation, given if isinstance(given, tuple) else listed, pool):
                yield replace(seed, facts={**seed.facts, name: rows})


def _look_ups(ground: Ground, pool: Pool) -> Iterator[Case]:
    for cells, held in look_up_facts(ground.checked, pool):
        rows = {name: tuple(CaseRow(row) for row in listed) for name, listed in held.items()}
        given = ground.checked.policy.example_facts
        differing = {name: listed for name, listed in rows.items() if listed != given.get(name)}
        changed: Row = {}
        for name, cell in cells.items():
            changed = _put(ground, changed, name, cell)
        yield blank(cells=changed, facts=differing)


def _edited_facts(relation: Relation | None, rows: Sequence[CaseRow], pool: Pool) -> Iterator[tuple[CaseRow, ...]]:
    for number, row in enumerate(rows if relation is not None else ()):
        for column in relation.columns.values() if relation is not None else ():
            if column.name == LINE:
                continue
            fresh = [cell_of(f"{column.name}2", column)] if column.type.kind == "text" and not column.one_of else []
            for cell in [*values_of(column, pool), *fresh]:
                if cell != row.cells.get(column.name):
                    new = replace(row, cells={**row.cells, column.name: cell})
                    yield (*rows[:number], new, *rows[number + 1 :])
                    yield (*rows, new)
        yield (*rows[:number], *rows[number + 1 :])


def _rows_and_facts(ground: Ground, pool: Pool) -> Iterator[Case]:
    """One column of the judged row together with one change elsewhere."""
    if ground.checked.policy.per or ground.checked.policy.example is None:
        return
    columns = ground.checked.relation.columns
    for name, listed in _other_relations(ground):
        relation = ground.checked.relations.get(name)
        gone = () if name in ground.checked.references else ("absent",)
        for rows in ((), *gone, *islice(_edited_facts(relation, listed, pool), 40)):
            for column in ground.columns:
                for cell in values_of(columns[column], pool)[:12]:
                    yield blank(cells=_put(ground, {}, column, cell), facts={name: rows})
