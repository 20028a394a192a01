"""`judge --coverage`: what of the facts and of the packs a run never used.

A column counts as read if an expression of a judged policy names it, if it groups (`per`), or picks dated values
(`as_of`). The key of a relation that a policy reads counts as read too: it names witnesses, groups and waived rows, and
that it is unique is what makes counts mean anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .checked import CheckedPolicy
from .evaluate import Queries
from .facts import FactBase, table
from .lang.dialects.duckdb import quote
from .lang.typed import ColumnRef, exists_in, judged_columns, walk
from .lang.views import columns_read
from .limits import Limits
from .model import JUDGED_ON, Pack, Relation
from .verdict import Coverage, PolicyVerdict


def coverage_of(
    base: FactBase,
    packs: Mapping[str, Pack],
    policies: Sequence[CheckedPolicy],
    verdicts: Sequence[PolicyVerdict],
    limits: Limits,
) -> Coverage:
    """What was not used. `policies` are all those of the packs, `verdicts` those of the judged ones.

    Raises EvaluationError if a limit is hit.
    """
    judged = [verdict.checked for verdict in verdicts]
    read = read_columns(judged)
    declared = {name: relation for pack in packs.values() for name, relation in pack.relations.items()}
    present = sorted(base.present & declared.keys())
    used = {f"{one.policy.pack}.{name}" for one in policies for name in one.parameters if name not in one.policy.params}
    shared = {f"{pack.name}.{name}" for pack in packs.values() for name in pack.parameters}
    return Coverage(
        tuple(name for name in present if name not in read),
        tuple(sorted(_unread(Queries(base, limits), declared, read, present))),
        tuple(sorted(shared - used)),
        tuple(sorted(verdict.id for verdict in verdicts if not verdict.counts.certain)),
    )


def read_columns(policies: Sequence[CheckedPolicy]) -> dict[str, set[str]]:
    """The columns that the policies read, by relation; every relation that they read is a key."""
    read: dict[str, set[str]] = {}

    def note(relation: Relation, columns: Sequence[str]) -> None:
        read.setdefault(relation.name, set(relation.key)).update(columns)

    for one in policies:
        policy, rules = one.policy, (one.where, one.must, one.review_if)
        days = [policy.as_of] if policy.as_of not in (None, JUDGED_ON) else []
        note(one.relation, [*judged_columns(*rules), *policy.per, *(day for day in days if day)])
        if one.each_of is not None:
            note(one.each_of, policy.per)
        for exists in exists_in(*rules):
            named = [n.name for n in walk(exists) if isinstance(n, ColumnRef) and n.side == "related"]
            note(one.relations[exists.relation], named)
        for view in one.views.values():
            for name, columns in columns_read(view).items():
                note(one.relations[name], sorted(columns))
    return read


def _unread(
    query: Queries, declared: Mapping[str, Relation], read: Mapping[str, set[str]], present: Sequence[str]
) -> Iterator[str]:
    """Unread columns of relations that are read (of the others nothing is, and they are listed themselves)."""
    for name in present:
        if name not in read:
            continue
        relation = declared[name]
        left = [column for column in relation.columns if column not in read[name]]
        optional = [column for column in left if relation.columns[column].may_be_absent]
        brought = _with_values(query, name, optional) if optional else set()
        yield from (f"{name}.{column}" for column in left if column not in optional or column in brought)


def _with_values(query: Queries, relation: str, columns: Sequence[str]) -> set[str]:
    """Those of some columns that have a value in some row. One that may be absent and has none was not brought."""
    counts = ", ".join(f"count({quote(column)}) > 0 AS {quote(column)}" for column in columns)
    row = query(f"SELECT {counts} FROM {table(relation)}")[0]
    return {column for column in columns if row[column]}
