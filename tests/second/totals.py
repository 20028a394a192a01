"""What the rows of a group come to (docs/semantics.md section 5): bounds of counts, any and all, sums and the like."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from . import values
from .kleene import Truth, both, either, negation
from .values import FLOAT, Type, Value


def distinct(certain: list[Any], possible: list[Any]) -> tuple[int, int]:
    low = len(set(certain) - {None})
    if None in certain:
        low = max(low, 1)
    return low, len(set(possible) - {None}) + possible.count(None)


def any_or_all(name: str, found: list[tuple[Truth, Any]]) -> Truth:
    answer: Truth = name == "all"
    for takes, brings in found:
        answer = either(answer, both(takes, brings)) if name == "any" else both(answer, either(negation(takes), brings))
    return answer


def total_of(name: str, of: Type) -> tuple[Type, Callable[[list[Any]], Value]]:
    """The type and the work of sum, avg, min or max over values without null, at least one."""
    if name in ("min", "max"):
        pick: Callable[..., Any] = min if name == "min" else max
        return of, lambda taking: pick(taking, key=lambda each: values.order(of, each))
    if of.kind == "float":
        held = values.decimal(37, 12)
    elif of.kind == "int":
        held = values.decimal(30, 0)
    else:
        held = values.decimal(of.digits + 11, of.places)

    def total(taking: list[Any]) -> Fraction | None:
        terms = [values.scaled_float(each) if of.kind == "float" else Fraction(each) for each in taking]
        known = [each for each in terms if each is not None]
        return sum(known, Fraction(0)) if len(known) == len(terms) else None

    def average(taking: list[Any]) -> float | None:
        summed = total(taking)
        return None if summed is None else values.divide(values.nearest_double(summed), float(len(taking)))

    return (FLOAT, average) if name == "avg" else (held, total)
