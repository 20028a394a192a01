"""Comparisons, arithmetic and functions, over parts whose types are known (docs/semantics.md sections 2, 5 and 11)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from . import values
from .kleene import Env, Truth, Typed
from .values import BOOL, DATE, FLOAT, INT, TEXT, Refused, Type, Value


def _as(kind: Type, typed: Typed, convert: Callable[[Any], Any]) -> Typed:
    def read(env: Env) -> Any:
        value = typed.read(env)
        return None if value is None else convert(value)

    return replace(typed, type=kind, read=read, constant=False, whole=False)


def _number_as_written(typed: Typed) -> bool:
    """A literal, or a parameter that does not say `type: int`: beside a float it is one."""
    return typed.constant and typed.type.kind == "decimal"


def align(parts: Sequence[Typed], in_coalesce: bool = False) -> list[Typed]:
    """Operands brought to one type: floats, ints, decimals (each its own), or levels."""
    kinds = [each.type.kind for each in parts]
    if "float" in kinds:
        if in_coalesce and any(each.type.kind != "float" and not _number_as_written(each) for each in parts):
            raise Refused("a float beside another type in coalesce")
        return [_as(FLOAT, each, values.nearest_double) for each in parts]
    if "int" in kinds:
        mended = [_as(INT, each, int) if each.whole else each for each in parts]
        if all(each.type.kind == "int" for each in mended):
            return mended
        if in_coalesce:
            raise Refused("an int beside a decimal in coalesce")
        return [_as(values.decimal(19, 0), each, Fraction) if each.type.kind == "int" else each for each in mended]
    leveled = [each.type for each in parts if each.type.kind == "levels"]
    if leveled:
        return [replace(each, type=leveled[0]) for each in parts]
    if "decimal" in kinds and in_coalesce:
        held = parts[0].type
        for each in parts:
            held = values.together(held, each.type)
        return [replace(each, type=held, constant=False, whole=False) for each in parts]
    return list(parts)


def compare(op: str, left: Typed, right: Typed) -> Typed:
    if left.bounds and not right.aggregates:
        return _bounded(op, left, right)
    if right.bounds and not left.aggregates:
        return _bounded({"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left)
    first, second = align([left, right])
    if first.type.kind == second.type.kind == "decimal":
        values.together(first.type, second.type)
    if first.type.kind == "float" and op in ("=", "!="):
        raise Refused("an equality on floats")
    kind = first.type

    def read(env: Env) -> Truth:
        a, b = first.read(env), second.read(env)
        if a is None or b is None:
            env.met[f"null {'left' if a is None else 'right'} of a comparison"] += 1
            return None
        _note_comparison(op, kind, a, b, env)
        return holds(op, values.order(kind, a), values.order(kind, b))

    return Typed(BOOL, read, aggregates=left.aggregates or right.aggregates)


def holds(op: str, left: Any, right: Any) -> bool:
    match op:
        case "=":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def _bounded(op: str, count: Typed, other: Typed) -> Typed:
    """A count with bounds against a value: true or false only if it is so for every whole number within."""
    bounds = count.bounds
    assert bounds is not None
    compare(op, replace(count, bounds=None), other)  # only for what it refuses

    def read(env: Env) -> Truth:
        limit = other.read(env)
        if limit is None:
            env.met["null beside a count"] += 1
            return None
        low, high = bounds(env)
        answers = {holds(op, number, limit) for number in range(low, high + 1)}
        if low < high:
            env.met["count bounds straddle the threshold" if len(answers) > 1 else "count bounds on one side"] += 1
        return answers.pop() if len(answers) == 1 else None

    return Typed(BOOL, read, aggregates=True)


def _note_comparison(op: str, kind: Type, a: Any, b: Any, env: Env) -> None:
    if kind.kind == "text" and (a < b) != (a.encode("utf-16-be") < b.encode("utf-16-be")):
        env.met["text: astral against U+E000 to U+FFFF"] += 1
    if kind.kind == "text" and a != b and "\u0301" in a + b and len(a) != len(b):
        env.met["text: combining"] += 1
    if kind.kind == "levels" and op not in ("=", "!=") and (a < b) != (values.order(kind, a) < values.order(kind, b)):
        env.met["levels: declared order against text order"] += 1
    if kind.kind == "float" and a != b and abs(a - b) < 1e-15 < abs(a):
        env.met["float: 0.1 + 0.2 at the boundary"] += 1
    if kind.kind == "decimal" and min(abs(a), abs(b)) >= 10**37:
        env.met["decimal: 38 digits compared"] += 1
    if kind.kind == "int" and abs(abs(a) - 2**63) <= 1 and abs(a - b) <= 1:
        env.met["int: compared at the ends of 64 bits"] += 1


# Arithmetic and functions: null if an argument is null.


def arithmetic(op: str, left: Typed, right: Typed) -> Typed:
    aggregates = left.aggregates or right.aggregates
    if op == "/":
        first, second = (_as(FLOAT, each, values.nearest_double) for each in (left, right))
        return _null_in(FLOAT, [first, second], values.divide, "/", aggregates)
    first, second = align([left, right])
    work: Callable[[Any, Any], Any] = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op]
    if first.type.kind == "decimal":
        return _null_in(values.result_type(op, first.type, second.type), [first, second], work, op, aggregates)
    bound: Callable[[Any], Any] = values.finite if first.type.kind == "float" else values.within_64_bits
    return _null_in(first.type, [first, second], lambda a, b: bound(work(a, b)), op, aggregates)


def _null_in(kind: Type, parts: Sequence[Typed], work: Callable[..., Any], word: str, aggregates: bool) -> Typed:
    def read(env: Env) -> Any:
        arguments = [each.read(env) for each in parts]
        if None in arguments:
            env.met[f"null in {word}"] += 1
            return None
        answer = work(*arguments)
        if answer is None:
            env.met[f"{word} gives null ({parts[0].type.kind})"] += 1
        return answer

    return Typed(kind, read, aggregates=aggregates)


def step(op: str, day: Typed, count: Typed, unit: str) -> Typed:
    sign = 1 if op == "+" else -1

    def read(env: Env) -> date | None:
        start, number = day.read(env), count.read(env)
        if start is None or number is None:
            env.met["null in interval"] += 1
            return None
        reached = values.step_date(start, sign * int(number), unit)
        if reached is None:
            env.met["interval: date out of range"] += 1
        elif unit == "month" and reached.day != start.day:
            env.met["interval: month end clamped"] += 1
        return reached

    return Typed(DATE, read, aggregates=day.aggregates or count.aggregates)


def _ascii(text: str, first: str, last: str, shift: int) -> str:
    return "".join(chr(ord(each) + shift) if first <= each <= last else each for each in text)


def _day_of(moment: datetime) -> date:
    return moment.date()


FUNCTIONS: dict[str, tuple[Type, Callable[..., Any]]] = {
    "length": (INT, len),
    "lower": (TEXT, lambda text: _ascii(text, "A", "Z", 32)),
    "upper": (TEXT, lambda text: _ascii(text, "a", "z", -32)),
    "starts_with": (BOOL, str.startswith),
    "ends_with": (BOOL, str.endswith),
    "contains": (BOOL, lambda text, part: part in text),
    "year": (INT, lambda day: day.year),
    "month": (INT, lambda day: day.month),
    "day": (INT, lambda day: day.day),
    "utc_day": (DATE, _day_of),
    "days_between": (INT, values.days_between),
}


def call(name: str, parts: list[Typed]) -> Typed:
    aggregates = any(each.aggregates for each in parts)
    if name == "coalesce":
        parts = align(parts, in_coalesce=True)
        return Typed(parts[0].type, lambda env: _first(each.read(env) for each in parts), aggregates=aggregates)
    if name == "abs":
        kind = parts[0].type
        bound: Callable[[Any], Any] = values.within_64_bits if kind.kind == "int" else lambda number: number
        return _null_in(kind, parts, lambda number: bound(abs(number)), "abs", aggregates)
    kind, work = FUNCTIONS[name]
    return _null_in(kind, parts, work, name, aggregates)


def _first(found: Iterable[Value]) -> Value:
    return next((each for each in found if each is not None), None)
