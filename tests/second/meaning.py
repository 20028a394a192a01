"""An expression becomes a function of a row: types first, then values (docs/semantics.md sections 2, 5 and 11).

`meaning(node, scope)` gives a `Typed`, whose `read(env)` is the value or None for null. What an evaluation meets on its
way (a null here, an overflow there) is counted in `Env.met`, for the coverage table of the generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import expr, values
from .expr import Node
from .kleene import Env, Scope, Truth, Typed, both, either, negation
from .operators import arithmetic, call, compare, step
from .totals import any_or_all, distinct, total_of
from .values import BOOL, INT, TEXT, Parameter, Value


def meaning(node: Node, scope: Scope) -> Typed:
    match node:
        case expr.Literal(kind, text):
            return _literal(kind, text)
        case expr.Name(name):
            return _name(name, scope)
        case expr.Judged(name):
            return Typed(scope.judged[name], lambda env: env.judged[name])
        case expr.Not() | expr.Logical():
            return _logical(node, scope)
        case expr.Compare(op, left, right):
            return compare(op, meaning(left, scope), meaning(right, scope))
        case expr.Between(value, low, high):
            typed, first, last = (meaning(each, scope) for each in (value, low, high))
            return _join(both, [compare(">=", typed, first), compare("<=", typed, last)], "between")
        case expr.In(value, members):
            typed = meaning(value, scope)
            return _join(either, [compare("=", typed, meaning(each, scope)) for each in members], "in")
        case expr.InList(value, name):
            return _in_list(meaning(value, scope), scope.parameters[name])
        case expr.IsNull(value):
            typed = meaning(value, scope)
            return Typed(BOOL, lambda env: typed.read(env) is None, aggregates=typed.aggregates)
        case expr.Arithmetic(op, left, right):
            return arithmetic(op, meaning(left, scope), meaning(right, scope))
        case expr.Step(op, day, count, unit):
            return step(op, meaning(day, scope), meaning(count, scope), unit)
        case expr.Call(name, arguments):
            return call(name, [meaning(each, scope) for each in arguments])
        case expr.Exists(relation, condition):
            return _exists(relation, condition, scope)
        case expr.Aggregate():
            return _aggregate(node, scope)


# Leaves.


def _literal(kind: str, text: str) -> Typed:
    if kind == "number":
        held = values.constant_type(text)
        number = Fraction(text)
        return Typed(held, lambda env: number, constant=True, whole=held.places == 0)
    if kind == "bool":
        return Typed(BOOL, lambda env: text == "true")
    return Typed(TEXT, lambda env: text)


def _name(name: str, scope: Scope) -> Typed:
    if name in scope.columns:
        return Typed(scope.columns[name], lambda env: env.row[name])
    return _parameter(scope.parameters[name])


def _parameter(parameter: Parameter) -> Typed:
    def read(env: Env) -> Value:
        _note_days(parameter, env)
        return parameter.at(env.day)

    # An undated, wide number would not fit 64 bits beside an int: `_align` asks for the values.
    whole = parameter.whole and all(
        values.within_64_bits(int(period.value)) is not None
        for period in parameter.periods
        if isinstance(period.value, Fraction)
    )
    return Typed(parameter.type, read, constant=True, whole=whole)


def _note_days(parameter: Parameter, env: Env) -> None:
    if not parameter.dated:
        return
    if env.day is None:
        env.met["dated value: day unknown"] += 1
        return
    for period in parameter.periods:
        for edge, word in ((period.start, "first day"), (period.until, "until")):
            away = values.days_between(edge, env.day) if edge else None
            if away is not None and -1 <= away <= 1:
                env.met[f"dated value: {('day before', 'on', 'day after')[away + 1]} {word}"] += 1


# Logic.


def _logical(node: expr.Not | expr.Logical, scope: Scope) -> Typed:
    if isinstance(node, expr.Not):
        part = meaning(node.part, scope)
        return Typed(BOOL, lambda env: negation(part.read(env)), aggregates=part.aggregates)
    parts = [meaning(node.left, scope), meaning(node.right, scope)]
    return _join(both if node.op == "and" else either, parts, node.op)


def _join(connect: Callable[[Truth, Truth], Truth], parts: Sequence[Typed], word: str) -> Typed:
    def read(env: Env) -> Truth:
        truths: list[Truth] = [each.read(env) for each in parts]
        answer = truths[0]
        for each in truths[1:]:
            answer = connect(answer, each)
        if None in truths:
            env.met[f"unknown in {word}, {'undecided' if answer is None else 'decided'}"] += 1
        return answer

    return Typed(BOOL, read, aggregates=any(each.aggregates for each in parts))


def _in_list(value: Typed, parameter: Parameter) -> Typed:
    def member(number: Value) -> Typed:
        return replace(_parameter(parameter), read=lambda env: number)

    return _join(either, [compare("=", value, member(each)) for each in parameter.members], "in a list")


# Relations and groups.


def _exists(relation: str, condition: Node | None, scope: Scope) -> Typed:
    columns = scope.relations[relation]
    inner = Scope(columns, scope.columns, {}, scope.relations, scope.parameters)
    asked = meaning(condition, inner) if condition is not None else _literal("bool", "true")

    def read(env: Env) -> Truth:
        env.met[f"exists: {place}"] += 1
        env.met["exists: R is the judged relation"] += columns in (scope.columns, scope.members)
        if relation not in env.facts:
            env.met["exists: R absent"] += 1
            return None
        answer: Truth = False
        for row in env.facts[relation]:
            here = asked.read(replace(env, row=row, judged=env.row, members=()))
            answer = either(answer, here)
        if not env.facts[relation]:
            env.met["exists: R empty"] += 1
        elif answer is None:
            _note_exists(node_names, env, relation)
        return answer

    place = "in a group" if scope.members else "in an aggregate" if scope.grouped else "in a row"
    node_names = names(condition) if condition is not None else ([], [])
    return Typed(BOOL, read)


def names(node: Node) -> tuple[list[str], list[str]]:
    """The bare and the judged names in an expression, each by first mention."""
    bare: list[str] = []
    judged: list[str] = []

    def walk(part: Node) -> None:
        if isinstance(part, (expr.Name, expr.Judged)):
            found = bare if isinstance(part, expr.Name) else judged
            if part.name not in found:
                found.append(part.name)
        for each in expr.children(part):
            walk(each)

    walk(node)
    return bare, judged


def _note_exists(names_in: tuple[list[str], list[str]], env: Env, relation: str) -> None:
    if any(env.row[name] is None for name in names_in[1]):
        env.met["exists: null on the judged side"] += 1
    if any(row.get(name, 0) is None for row in env.facts[relation] for name in names_in[0]):
        env.met["exists: null on the side of R"] += 1


def _aggregate(node: expr.Aggregate, scope: Scope) -> Typed:
    inner = Scope(scope.members, {}, {}, scope.relations, scope.parameters, grouped=True)
    asked = meaning(node.condition, inner) if node.condition is not None else None
    of = meaning(node.argument, inner) if node.argument is not None else None

    def parts(env: Env) -> list[tuple[Truth, Any]]:
        """For each row of the group: does it take part, and what does it bring."""
        env.met[f"{node.name}{' of distinct' * node.distinct}{' with a filter' * (node.condition is not None)}"] += 1
        inside = [replace(env, row=row, judged=row, members=()) for row in env.members]
        found = [(asked.read(here) if asked else True, of.read(here) if of else True) for here in inside]
        for takes, brings in found:
            env.met["null in a filter"] += takes is None
            env.met[f"null in {node.name}"] += brings is None
        return found

    if node.name in ("count", "count_if"):
        return _count(node, parts)
    if node.name in ("any", "all"):
        return Typed(BOOL, lambda env: any_or_all(node.name, parts(env)), aggregates=True)
    assert of is not None
    kind, work = total_of(node.name, of.type)

    def read(env: Env) -> Value:
        found = parts(env)
        taking = [brings for takes, brings in found if takes]
        if not found:
            env.met["aggregate over no rows"] += 1
        if not taking or None in taking or any(takes is None for takes, _ in found):
            return None
        if kind.kind == "decimal" and node.name == "sum" and of.type.kind == "float":
            env.met["sum of floats near 1e14"] += any(9e13 <= abs(each) < 1.1e14 for each in taking)
        return work(taking)

    return Typed(kind, read, aggregates=True)


def _count(node: expr.Aggregate, parts: Callable[[Env], list[tuple[Truth, Any]]]) -> Typed:
    def bounds(env: Env) -> tuple[int, int]:
        found = parts(env)
        if node.distinct:
            possible = [each for takes, each in found if takes is not False]
            return distinct([each for takes, each in found if takes], possible)
        counted = [both(takes, brings) for takes, brings in found]
        return counted.count(True), len(counted) - counted.count(False)

    def read(env: Env) -> int | None:
        low, high = bounds(env)
        return low if low == high else None

    return Typed(INT, read, bounds=bounds, aggregates=True)
