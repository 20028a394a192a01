"""What would have to hold for a failed row to pass, and how far it is from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, localcontext

from ..checked import CheckedPolicy
from ..lang.numbers import trimmed
from ..lang.show import show, value_text
from ..lang.typed import Coerce, ColumnRef, Compare, Constant, LookUp, Typed
from ..verdict import Value, in_force

_ENOUGH_DIGITS = 400
"""For a float of any size beside a decimal of 38 digits."""
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def passes_if(
    checked: CheckedPolicy, conjuncts: Sequence[Typed], truths: Sequence[bool | None], day: date | None
) -> str | None:
    """The conditions of `must` that do not hold, with the numbers in force: if they held, the row would pass."""
    naming = _in_force_naming(checked, day)
    open_ones = [c for c, truth in zip(conjuncts, truths, strict=True) if truth is not True]
    if any(isinstance(c, LookUp) for c in open_ones):
        return None  # what the references hold is beside it
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
    left, right, op = _plain(node.left), _plain(node.right), node.op
    if isinstance(left, Constant):
        left, right, op = right, left, _FLIPPED.get(op, op)
    if not isinstance(left, ColumnRef) or not isinstance(right, Constant) or op not in _FLIPPED:
        return None
    parameter = checked.parameters.get(right.name or "")
    limit = in_force(parameter, day) if parameter else (right.options[0].value, "")
    value = row.get(left.name)
    if limit is None or not isinstance(limit[0], Decimal) or isinstance(value, bool):
        return None
    if not isinstance(value, (int, float, Decimal)):
        return None
    with localcontext(prec=_ENOUGH_DIGITS):
        gap = abs(Decimal(repr(value) if isinstance(value, float) else value) - limit[0])
    unit = f" {left.unit}" if left.unit and left.unit != "none" else ""
    more = "more than " if op in ("<", ">") else ""
    shown = f"{trimmed(gap):f}"
    return f"{more}{shown}{unit} {'lower' if op.startswith('<') else 'higher'}"


def _plain(node: Typed) -> Typed:
    return _plain(node.value) if isinstance(node, Coerce) else node
