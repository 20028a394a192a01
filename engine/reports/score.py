"""The score of a report with its arithmetic, and which of its numbers are guesses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..attest import Computed
from ..canonical import shown
from ..model import Parameter
from ..report import Origin, Part, Score
from ..report_plan import PartPlan
from ..verdict import Value
from .wording import plain, said

if TYPE_CHECKING:
    from .make import Material


def score(of: Material) -> Score | None:
    """The score of the document; without a value where something is missing. None if the pack has no score."""
    plan = of.plan.score
    if plan is None:
        return None
    row = next(iter(of.of(plan.rows)), None)
    value = row[plan.value] if row is not None else None
    parts = tuple(_part(of, one, row) for one in plan.parts)
    origins = tuple(_origins(of.pack.parameters, plan.numbers))
    return Score(
        said(plan.name, of.language) or "",
        Computed(shown(value), f"{of.pack.name}.{plan.rows}") if value is not None else None,
        _limit(of, plan.low),
        _limit(of, plan.high),
        said(plan.formula, of.language) or "",
        parts,
        origins,
    )


def _limit(of: Material, name: str) -> str:
    parameter = of.pack.parameters.get(name)
    return plain(parameter.values[0].value) if parameter is not None else name


def _part(of: Material, plan: PartPlan, row: Mapping[str, Value] | None) -> Part:
    value = row[plan.value] if row is not None else None
    words = said(plan.words, of.language, row) if value is not None else None
    weight = of.pack.parameters.get(plan.weight or "")
    gives = row[plan.gives] if row is not None and plan.gives is not None else None
    numbers = [*([plan.weight] if plan.weight is not None else []), *plan.numbers]
    return Part(
        said(plan.name, of.language) or "",
        plain(value) if value is not None else None,
        plain(weight.values[0].value) if weight is not None else None,
        plain(gives) if gives is not None else None,
        words or _unknown(of, plan, row),
        tuple(_origins(of.pack.parameters, numbers)) if value is not None else (),
    )


def _unknown(of: Material, plan: PartPlan, row: Mapping[str, Value] | None) -> str:
    """Why a part is unknown: the first reason that holds."""
    for one in plan.missing:
        holds = one.if_absent is None or one.if_absent in of.absent
        holds = holds and (one.if_none is None or not of.of(one.if_none))
        holds = holds and (one.if_unknown is None or (row is not None and row.get(one.if_unknown) is None))
        if holds:
            return said(one.words, of.language) or ""
    return ""


def _origins(parameters: Mapping[str, Parameter], names: Sequence[str]) -> Iterator[Origin]:
    for name in dict.fromkeys(names):
        one = parameters[name]
        unit = f" {one.unit}" if one.unit is not None and one.unit != "none" else ""
        value = ", ".join(plain(v.value) for v in one.values) + unit
        revisit = one.revisit.isoformat() if one.revisit is not None else None
        yield Origin(name, value, one.origin, one.because, revisit, one.source or one.values[0].source)
