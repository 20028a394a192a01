"""Many variants of one policy over many cases in one or few queries: a variant is a column, a case a number.

Variants that differ in their rows (`per`, `each_of`, `as_of`, or the scope of a group policy) are bundles of their own,
with a query each; all others share the scan, the groups and every part that two of them have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..checked import CheckedPolicy
from ..compile import day_sql, rows_of_groups
from ..evaluate import Queries
from ..frozen import dataclass, field, replace
from ..judging import Settings
from ..lang.dialects import duckdb as dialect
from ..lang.grouping import Grouping
from ..lang.lookups import with_look_ups
from ..lang.lower import CASE, CaseSets, Lowering
from ..lang.typed import AggregateRef, Exists, Junction, Not, Typed, aggregates_in, exists_in, signature
from ..lang.views import broken_keys, cases_with_views, with_views
from ..verdict import Counts
from .base import CaseBase, NumberedCase, case_sets

OUTCOMES = ("pass", "fail", "review", "no_evidence", "no_evidence")
"""What the codes of an outcome stand for. The last is a row that may be out of scope."""

_MOST_COLUMNS = 400
"""Variants of one query: beyond that, planning takes longer than a second query."""
_MOST_LOOK_UPS = 8
"""In one query: the time that planning takes grows with their square."""


@dataclass
class Outcomes:
    """What the queries gave: counts of each case under each variant, and the cases whose groups should not exist
    (`strays`) or in which a view has a null or repeated key (`broken`).

    `rows` has, for the cases that were asked for, each judged row or group: its key and the code of its outcome under
    each variant, None where it is not counted.
    """

    counts: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    strays: set[tuple[int, int]] = field(default_factory=set)
    broken: set[tuple[int, int]] = field(default_factory=set)
    rows: dict[tuple[int, int], list[tuple[dict[str, Any], str]]] = field(default_factory=dict)

    def of(self, case: int, variant: int) -> Counts:
        """The counts of a case under a variant."""
        passed, failed, review, sure, unsure = self.counts.get((case, variant), (0, 0, 0, 0, 0))
        return Counts(passed, failed, review, sure + unsure, passed + failed + review + sure)


def judge_variants(
    variants: Sequence[CheckedPolicy], cases: Sequence[NumberedCase], base: CaseBase, with_rows: Sequence[int] = ()
) -> Outcomes:
    """All variants over all cases. `with_rows` are numbers of cases whose rows are wanted one by one.

    Raises EvaluationError if the database refuses, as for facts.
    """
    found = Outcomes()
    sets, tables = case_sets(cases), base.tables(cases)
    bundles: dict[object, list[int]] = {}
    for number, variant in enumerate(variants):
        there = variant.present(tables)
        if variant.relation.name in there and (variant.each_of is None or variant.each_of.name in there):
            bundles.setdefault(_bundle_key(variant), []).append(number)
    query = Queries(base.base, Settings().limits)
    for numbers in bundles.values():
        for at in range(0, len(numbers), _MOST_COLUMNS):
            some = numbers[at : at + _MOST_COLUMNS]
            _Bundle([variants[n] for n in some], some, tables, sets, query).run(found, with_rows)
    return found


def _bundle_key(variant: CheckedPolicy) -> object:
    policy = variant.policy
    each_of = variant.each_of.name if variant.each_of else None
    scope = signature(variant.where) if policy.per else None
    return policy.per, each_of, policy.as_of, scope, tuple(id(view) for view in variant.views.values())


class _Bundle:
    """Variants over the same rows or groups."""

    def __init__(
        self,
        variants: Sequence[CheckedPolicy],
        numbers: Sequence[int],
        tables: Mapping[str, str],
        sets: CaseSets,
        query: Queries,
    ) -> None:
        self.variants, self.numbers = variants, numbers
        self.one = variants[0]
        # All variants of a bundle read the same views.
        self.tables = with_views(self.one.views, tables, sets)
        self.sets, self.query = cases_with_views(self.one.views, sets), query
        self.strays: str | None = None

    def run(self, found: Outcomes, with_rows: Sequence[int]) -> None:
        source, codes = self._groups() if self.one.policy.per else self._rows()
        distinct = list(dict.fromkeys(codes))
        # Variants that mean the same on every row share a column.
        places = [distinct.index(code) for code in codes]
        listed = ", ".join(distinct)
        each = f"SELECT {CASE}, unnest(range({len(distinct)})) AS _v, unnest([{listed}]) AS _o FROM ({source})"
        counted = f"SELECT {CASE}, _v, _o, count(*) AS _n FROM ({each}) WHERE _o IS NOT NULL GROUP BY ALL"
        tally: dict[tuple[int, int], list[int]] = {}
        for row in self.query(counted):
            tally.setdefault((row[CASE], row["_v"]), [0, 0, 0, 0, 0])[row["_o"]] = row["_n"]
        for number, place in zip(self.numbers, places, strict=True):
            for case in self.sets.cases:
                if (case, place) in tally:
                    found.counts[case, number] = tally[case, place]
        if self.strays is not None:
            stray = {row[CASE] for row in self.query(f"SELECT DISTINCT {CASE} FROM ({self.strays})")}
            found.strays |= {(case, number) for case in stray for number in self.numbers}
        for name, view in self.one.views.items():
            for row in self.query(broken_keys(view, self.tables[name], self.sets)) if name in self.tables else ():
                found.broken |= {(row[CASE], number) for number in self.numbers}
        if with_rows:
            self._one_by_one(source, listed, places, found, with_rows)

    def _one_by_one(
        self, source: str, listed: str, places: Sequence[int], found: Outcomes, with_rows: Sequence[int]
    ) -> None:
        keys = self.one.key
        chosen = ", ".join([CASE, *(dialect.quote(k) for k in keys), f"[{listed}] AS _o"])
        wanted = ", ".join(str(n) for n in with_rows)
        for row in self.query(f"SELECT {chosen} FROM ({source}) WHERE {CASE} IN ({wanted})"):
            key = {k: row[k] for k in keys}
            for number, place in zip(self.numbers, places, strict=True):
                code = row["_o"][place]
                if code is not None:
                    found.rows.setdefault((row[CASE], number), []).append((key, OUTCOMES[code]))

    # -- rows --------------------------------------------------------------------------------------------------

    def _rows(self) -> tuple[str, list[str]]:
        """A SELECT with the case, the key and the distinct parts, and each variant's code over these columns."""
        lowering = Lowering(self.tables, day_sql(self.one, "j", None, self.sets), cases=self.sets)
        parts = [(v.where, v.must, v.review_if) for v in self.variants]
        scan, lowering = with_look_ups(self.tables[self.one.relation.name], "j", _all(parts), lowering)
        scan, lowering = self._with_exists(scan, lowering, exists_in(*_all(parts)), "j")
        columns = _Columns(lowering)
        codes = [
            _code(columns.of(where), columns.of(must), columns.of(review) if review is not None else None)
            for where, must, review in parts
        ]
        keys = [f"j.{dialect.quote(k)}" for k in self.one.relation.key]
        return columns.over([f"j.{CASE}", *keys], f"{scan} AS j"), codes

    def _with_exists(self, scan: str, lowering: Lowering, wanted: Sequence[Exists], alias: str) -> tuple[str, Lowering]:
        """The scan with a column for each distinct `exists`, which then is looked up once for all variants."""
        distinct = {signature(e): e for e in wanted}
        if not distinct:
            return scan, lowering
        names = {s: f"{alias}._x{i}" for i, s in enumerate(distinct)}
        made = [f"{lowering.sql(e)} AS _x{i}" for i, e in enumerate(distinct.values())]
        for at in range(0, len(made), _MOST_LOOK_UPS):
            some = ", ".join(made[at : at + _MOST_LOOK_UPS])
            scan = f"(SELECT {alias}.*, {some} FROM {scan} AS {alias})"
            if len(made) > _MOST_LOOK_UPS:
                scan = self.query.hold(f"SELECT * FROM {scan}")
        return scan, replace(lowering, computed={**lowering.computed, **names})

    # -- groups ------------------------------------------------------------------------------------------------

    def _groups(self) -> tuple[str, list[str]]:
        one, per = self.one, (CASE, *self.one.policy.per)
        trees = [node for v in self.variants for node in (v.must, v.review_if) if node is not None]
        aggregates = tuple(aggregates_in(*trees))
        of_rows = exists_in(*aggregates, one.where)
        scan, rows = self.tables[one.relation.name], rows_of_groups(one, self.tables, None, self.sets)
        scan, rows = self._with_exists(scan, rows, of_rows, "j")
        each_of = self.tables[one.each_of.name] if one.each_of else None
        grouping = Grouping(rows, aggregates, per, scan, one.where, each_of)
        self.strays = grouping.strays()
        day = day_sql(one, "g", None, self.sets)
        groups = Lowering(self.tables, day, aggregates=grouping.columns(), judged="g", cases=self.sets)
        outside = [e for tree in trees for e in _outside_aggregates(tree)]
        scan, groups = self._with_exists(f"({grouping.sql()})", groups, outside, "g")
        columns = _Columns(groups)
        known = "TRUE" if each_of else "_known > 0"
        codes = []
        for v in self.variants:
            review = columns.of(v.review_if) if v.review_if is not None else None
            code = _code("TRUE", columns.of(v.must), review)
            codes.append(f"CASE WHEN _unknown > 0 THEN CASE WHEN {known} THEN 3 ELSE 4 END ELSE {code} END")
        keys = [f"g.{dialect.quote(k)}" for k in per]
        return columns.over([*keys, "g._known", "g._unknown"], f"{scan} AS g"), codes


class _Columns:
    """The distinct expressions of a bundle, each a column, over columns for the distinct terms that they join.

    A variant differs from its policy in a term or two: the others are planned and worked out once for all variants.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.terms: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def of(self, node: Typed | None) -> str:
        """The column of a condition; what is not given is true."""
        if node is None:
            return "TRUE"
        return self.names.setdefault(self._joined(node), f"_e{len(self.names)}")

    def _joined(self, node: Typed) -> str:
        if isinstance(node, Not):
            return f"(NOT {self._joined(node.value)})"
        if isinstance(node, Junction):
            return f"({f' {node.op.upper()} '.join(self._joined(item) for item in node.items)})"
        return self.terms.setdefault(self.lowering.sql(node), f"_t{len(self.terms)}")

    def over(self, keys: Sequence[str], source: str) -> str:
        """A SELECT of the keys and all columns over a source."""
        inner = ", ".join([*keys, *(f"{sql} AS {name}" for sql, name in self.terms.items())])
        outer = ", ".join(["*", *(f"{sql} AS {name}" for sql, name in self.names.items())])
        return f"SELECT {outer} FROM (SELECT {inner} FROM {source})"


def _code(where: str, must: str, review: str | None) -> str:
    """The table of `docs/semantics.md`, section 4, as a code of `OUTCOMES`; null is out of scope."""
    reviewed = f"WHEN {review} THEN 2 WHEN {review} IS NULL THEN 3 " if review is not None else ""
    scope = f"WHEN {where} IS NULL THEN 4 WHEN NOT {where} THEN NULL " if where != "TRUE" else ""
    return f"CASE {scope}{reviewed}WHEN {must} THEN 0 WHEN NOT {must} THEN 1 ELSE 3 END"


def _all(parts: Sequence[tuple[Typed | None, ...]]) -> list[Typed]:
    return [node for part in parts for node in part if node is not None]


def _outside_aggregates(node: Typed) -> list[Exists]:
    """The `exists` that speak of a group, not of its rows."""
    if isinstance(node, AggregateRef):
        return []
    if isinstance(node, Exists):
        return [node]
    return [e for child in node.children() for e in _outside_aggregates(child)]
