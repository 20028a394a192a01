"""Why a row or group has its outcome, in the words of `docs/semantics.md`, section 4, and what would pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from .check import CheckedPolicy
from .lang.show import show, value_text
from .lang.typed import ColumnRef, Compare, Constant, Typed, dated_parameters, exists_in, judged_columns
from .model import JUDGED_ON
from .verdict import Value, in_force


@dataclass(frozen=True, slots=True)
class Undecided:
    """What the reason of a `no_evidence` is found from.

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


def day_of(checked: CheckedPolicy, row: Mapping[str, Value], judged_on: date | None) -> date | None:
    """The day that picks dated values for this row or group; None if it is unknown or nothing is dated."""
    as_of = checked.policy.as_of
    if as_of is None:
        return None
    day = judged_on if as_of == JUDGED_ON else row.get(as_of)
    return day if isinstance(day, date) else None


def dated_values(checked: CheckedPolicy, day: date | None) -> dict[str, str | None]:
    """The dated parameters that the policy reads, with the value in force as shown, None if none is."""
    found: dict[str, str | None] = {}
    for name in dated_parameters(checked.where, checked.must, checked.review_if):
        value = in_force(checked.parameters[name], day)
        found[name] = value[1] if value else None
    return found


def passes_if(
    checked: CheckedPolicy, conjuncts: Sequence[Typed], truths: Sequence[bool | None], day: date | None
) -> str:
    """What of `must` does not hold, with the numbers in force: if it held, the row would pass."""
    open_ones = [c for c, truth in zip(conjuncts, truths, strict=True) if truth is not True]
    naming = _in_force_naming(checked, day)
    texts = [show(c, naming) for c in open_ones]
    if len(texts) > 1:
        texts = [f"({t})" if " or " in t else t for t in texts]
    return " and ".join(texts)


def _in_force_naming(checked: CheckedPolicy, day: date | None) -> Callable[[Constant], str]:
    def name(constant: Constant) -> str:
        parameter = checked.parameters.get(constant.name or "")
        if parameter is None or parameter.is_list:
            return value_text(constant.options[0].value, constant.type.kind)
        found = in_force(parameter, day)
        if found is None:
            return constant.name or "?"
        return value_text(found[0], constant.type.kind)

    return name


def distance(
    checked: CheckedPolicy, conjuncts: Sequence[Typed], row: Mapping[str, Value], day: date | None
) -> str | None:
    """How far a column is from its limit, as `11 m lower`, where `must` compares one column with one number."""
    if len(conjuncts) != 1 or not isinstance(conjuncts[0], Compare):
        return None
    node = conjuncts[0]
    column, constant = node.left, node.right
    op = node.op
    if isinstance(column, Constant):
        column, constant = constant, column
        op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
    while hasattr(column, "value") and not isinstance(column, ColumnRef):
        column = column.value
    if not isinstance(column, ColumnRef) or not isinstance(constant, Constant) or op in ("=", "!="):
        return None
    parameter = checked.parameters.get(constant.name or "")
    found = in_force(parameter, day) if parameter else (constant.options[0].value, "")
    value = row.get(column.name)
    if found is None or not isinstance(found[0], Decimal) or isinstance(value, bool):
        return None
    if not isinstance(value, (int, float, Decimal)):
        return None
    gap = abs(Decimal(repr(value) if isinstance(value, float) else value) - found[0])
    unit = f" {column.unit}" if column.unit and column.unit != "none" else ""
    more = "more than " if op in ("<", ">") else ""
    shown = f"{gap.normalize():f}" if gap != gap.to_integral_value() else f"{gap.to_integral_value():f}"
    return f"{more}{shown}{unit} {'lower' if op.startswith('<') else 'higher'}"
