"""A case as the line of YAML that an author pastes, and the pasting itself."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Case, CaseRow
from .values import row_written


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
