"""A case as the line of YAML that an author pastes."""

from __future__ import annotations

from collections.abc import Mapping

from ..checked import CheckedPolicy
from ..frozen import replace
from ..load.cases import CASE_KEYS
from ..model import Case, CaseRow
from .values import row_written


def as_written(case: Case, checked: CheckedPolicy) -> Case | None:
    """The case in a form that a file can hold, None if there is none.

    A column named like a key of a case is written in `rows`; there `repeat` is the number of rows, and no column.
    """
    if any(name in CASE_KEYS for name in case.cells):
        case = replace(case, cells={}, rows=(CaseRow(case.cells),))
    for name, rows in ((checked.policy.relation, case.rows), *case.facts.items()):
        for row in rows if isinstance(rows, tuple) else ():
            if "repeat" in row.cells or (row.repeat > 1 and "repeat" in checked.relations[name].columns):
                return None
    return case


def case_line(case: Case) -> str:
    """The case as an item of `cases`, on one line."""
    extra: dict[str, str] = {}
    if isinstance(case.rows, str):
        extra["rows"] = case.rows
    elif case.rows is not None:
        extra["rows"] = rows_written(case.rows)
    if case.facts:
        extra["facts"] = facts_written(case.facts)
    if case.judged_on is not None:
        extra["judged_on"] = case.judged_on.isoformat()
    extra["expect"] = case.expect
    return f"- {row_written(case.cells, extra)}"


def rows_written(rows: tuple[CaseRow, ...]) -> str:
    """Rows as a YAML flow list; `repeat` only where a row stands for more than one."""
    listed = [row_written(row.cells, {"repeat": str(row.repeat)} if row.repeat > 1 else None) for row in rows]
    return f"[{', '.join(listed)}]"


def facts_written(facts: Mapping[str, tuple[CaseRow, ...] | str]) -> str:
    """Rows of other relations as a YAML flow mapping."""
    parts = [f"{name}: {rows if isinstance(rows, str) else rows_written(rows)}" for name, rows in facts.items()]
    return "{" + ", ".join(parts) + "}"
