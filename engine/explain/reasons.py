"""Why a row or group is undecided: the reasons of `docs/semantics.md`, section 4, in their order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from ..checked import CheckedPolicy
from ..frozen import dataclass
from ..lang.typed import Typed, dated_parameters, exists_in, judged_columns
from ..verdict import in_force


@dataclass(frozen=True, slots=True)
class Undecided:
    """What the reason is found from.

    `is_null(column, unknown_scope)`: is the column null in the row (in a row of the group of that scope)? `day` is the
    day of the row, None if unknown. `present` are the relations that are not absent.
    """

    scope_unknown: bool
    review_unknown: bool
    is_null: Callable[[str, bool], bool]
    day: date | None
    present: frozenset[str]


def reason_of(checked: CheckedPolicy, case: Undecided) -> tuple[str, str, tuple[str, ...]]:
    """The reason, the expression that decides (where, review_if or must) and its null columns, by first mention."""
    if case.scope_unknown:
        return "scope_unknown", "where", _nulls(checked.where, case, unknown_scope=True)
    name, node = ("review_if", checked.review_if) if case.review_unknown else ("must", checked.must)
    nulls = _nulls(node, case, unknown_scope=False)
    return _first_reason(checked, node, case, nulls), name, nulls


def _first_reason(checked: CheckedPolicy, node: Typed | None, case: Undecided, nulls: tuple[str, ...]) -> str:
    dated = dated_parameters(node)
    related = exists_in(node)
    if dated and case.day is None:
        return "date_unknown"
    if any(in_force(checked.parameters[name], case.day) is None for name in dated):
        return "no_value_in_force"
    if any(e.relation not in case.present for e in related):
        return "absent_relation"
    if nulls:
        return "null_column"
    return "related_unknown" if related else "not_computable"


def _nulls(node: Typed | None, case: Undecided, unknown_scope: bool) -> tuple[str, ...]:
    return tuple(name for name in judged_columns(node) if case.is_null(name, unknown_scope))
