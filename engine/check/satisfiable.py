"""A scope that no row can be in, or that every row is in: both are slips, and neither shows until nothing is judged.

The claims are sound and not complete: "never true" is said only if no row at all can make the scope true, "always true"
only if none can make it false or unknown. Whatever is not followed may be anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from ..checked import CheckedPolicy
from ..errors import Problem
from ..frozen import dataclass, replace
from ..lang.lex import expression_problem
from ..lang.show import show
from ..lang.typed import (
    ColumnRef,
    Compare,
    Constant,
    In,
    IsNull,
    Junction,
    Not,
    Typed,
    conjuncts_of,
    signature,
    walk,
)
from ..model import Expression
from .domains import (
    Key,
    Value,
    Variable,
    World,
    as_value,
    comparisons_in,
    constant_values,
    days_in,
    folded,
    of_column,
    representatives,
)

Truth = bool | None
Row = Mapping[Key, Value]

_MOST_STEPS = 50_000
"""Rows times nodes that are tried for a group of terms; beyond, its terms are taken to be independent."""
_ALL: frozenset[Truth] = frozenset({True, False, None})
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def scope_problems(checked: CheckedPolicy | None) -> list[Problem]:
    """An error if no row can be in the scope of the policy, a note if every row is. Of no policy nothing is said."""
    if checked is None or checked.policy.where is None or checked.where is None:
        return []
    expression, where = checked.policy.where, checked.where
    search = _Search(World(checked.relation, checked.policy.as_of))
    outcomes = search.possible(where)
    if True not in outcomes:
        return [_never(expression, where, search)]
    return [_always(expression, where)] if outcomes == {True} else []


def _never(expression: Expression, where: Typed, search: _Search) -> Problem:
    terms = search.contradiction(conjuncts_of(where))
    shown = list(dict.fromkeys(_text(t) for t in terms))
    start, end = min(t.start for t in terms), max(t.end for t in terms)
    if len(shown) == 1:
        message = f"no row can be in scope: `{shown[0]}` is never true"
        help_text = _why(terms[0], search.world) or "mend the condition, or remove the policy"
    else:
        listed = ", ".join(f"`{text}`" for text in shown[:-1])
        message = f"no row can be in scope: {listed} and `{shown[-1]}` are never true together"
        help_text = "join them with `or` if either will do; else mend or remove one of them"
    return expression_problem(expression, start, end, "where-always-false", message, help_text)


def _always(expression: Expression, where: Typed) -> Problem:
    message = f"every row is in scope: `{_text(where)}` is true whatever the facts say"
    help_text = "remove `where`, or write what was meant to be left out"
    problem = expression_problem(expression, where.start, where.end, "where-always-true", message, help_text)
    return replace(problem, severity="note")


def _text(node: Typed) -> str:
    text = show(node)
    return text if len(text) <= 80 else text[:79] + "…"


def _why(node: Typed, world: World) -> str | None:
    """What the relation says of the columns of a term, as far as it bounds them."""
    names = dict.fromkeys(n.name for n in walk(node) if isinstance(n, ColumnRef) and n.side == "row")
    parts: list[str] = []
    for name in names:
        column = world.relation.columns[name]
        if column.low is not None:
            parts.append(f"`{name}` is at least {column.low}")
        if column.high is not None:
            parts.append(f"`{name}` is at most {column.high}")
        if column.one_of:
            parts.append(f"`{name}` is one of {', '.join(column.one_of[:12])}")
        if column.required and any(isinstance(n, IsNull) for n in walk(node)):
            parts.append(f"`{name}` is required, so never null")
    return f"in {world.relation.name}, {'; '.join(parts)}: mend the condition or the bounds" if parts else None


@dataclass
class _Search:
    """Which outcomes a condition can have."""

    world: World

    def possible(self, node: Typed) -> frozenset[Truth]:
        """The outcomes that some row may give; perhaps more than any row does, never fewer."""
        if isinstance(node, Not):
            return frozenset(None if t is None else not t for t in self.possible(node.value))
        if not isinstance(node, Junction):
            return self.of_group((node,), "and")
        groups = [self.of_group(group, node.op) for group in self._groups(node.items)]
        join = _and if node.op == "and" else _or
        return frozenset(join(chosen) for chosen in product(*groups))

    def of_group(self, items: Sequence[Typed], op: str) -> frozenset[Truth]:
        """The outcomes of terms that share variables, joined by `op`."""
        if len(items) == 1 and isinstance(items[0], (Junction, Not)):
            return self.possible(items[0])
        join = _and if op == "and" else _or
        domains = self._domains(items)
        size = sum(1 for item in items for _ in walk(item))
        if prod(len(d) for d in domains.values()) * size > _MOST_STEPS:
            if len(items) == 1:
                return _ALL
            return frozenset(join(chosen) for chosen in product(*(self.possible(item) for item in items)))
        found: set[Truth] = set()
        for values in product(*domains.values()):
            row = dict(zip(domains, values, strict=True))
            found.add(join(tuple(self.truth(item, row) for item in items)))
            if len(found) == len(_ALL):
                break
        return frozenset(found)

    def contradiction(self, terms: Sequence[Typed]) -> list[Typed]:
        """A smallest part of the terms that is never true together, where all of them are not."""
        kept = list(terms)
        for term in terms:
            fewer = [t for t in kept if t is not term]
            if fewer and not self._may_hold(fewer):
                kept = fewer
        return kept

    def _may_hold(self, terms: Sequence[Typed]) -> bool:
        return all(True in self.of_group(group, "and") for group in self._groups(terms))

    # -- variables ---------------------------------------------------------------------------------------------

    def _groups(self, items: Sequence[Typed]) -> list[list[Typed]]:
        """The items, those that share a variable together."""
        groups: list[tuple[set[Key], list[Typed]]] = []
        for item in items:
            keys, members = {v.key for v in self._variables([item])}, [item]
            apart = []
            for other_keys, others in groups:
                if keys & other_keys:
                    keys, members = keys | other_keys, [*others, *members]
                else:
                    apart.append((other_keys, others))
            groups = [*apart, (keys, members)]
        return [members for _, members in groups]

    def _variables(self, items: Iterable[Typed]) -> Iterator[Variable]:
        for item in items:
            yield from self._of_condition(item)
            day = self.world.day()
            if day is not None and days_in([item]):
                yield day

    def _of_condition(self, node: Typed) -> Iterator[Variable]:
        if isinstance(node, (Junction, Not)):
            for part in node.children():
                yield from self._of_condition(part)
        elif isinstance(node, (Compare, In)) and not self._is_followed(node):
            yield _free(node)
        elif isinstance(node, (Compare, In, IsNull)):
            for part in node.children():
                if folded(part) is None:
                    yield self.world.variable(part)
        elif isinstance(node, ColumnRef):
            yield of_column(self.world.relation.columns[node.name])
        elif not isinstance(node, Constant):
            yield _free(node)

    def _is_followed(self, node: Compare | In) -> bool:
        """Whether all that differs from row to row in a comparison lies on one grid."""
        return len({self.world.variable(side).grid for side in node.children() if folded(side) is None}) <= 1

    def _domains(self, items: Sequence[Typed]) -> dict[Key, list[Value]]:
        """For each variable of the items, values that stand for all."""
        variables = {v.key: v for v in self._variables(items)}
        linked: dict[Key, Key] = {key: key for key in variables}
        constants: dict[Key, list[Value]] = {key: [] for key in variables}
        for node in comparisons_in(items):
            sides = node.children()
            free = [self.world.variable(side) for side in sides if folded(side) is None]
            keys = [v.key for v in free if v.key in variables]
            for key in keys[1:]:
                _link(linked, keys[0], key)
            for side in sides if keys else ():
                constants[keys[0]] += constant_values(side)
        day = self.world.day()
        if day is not None and day.key in constants:
            constants[day.key] += days_in(items)
        pools: dict[Key, list[Value]] = {}
        count: dict[Key, int] = {}
        for key, variable in variables.items():
            root = _root(linked, key)
            pools.setdefault(root, []).extend([*constants[key], *_ends(variable)])
            count[root] = count.get(root, 0) + 1
        return {
            key: representatives(v, pools[_root(linked, key)], count[_root(linked, key)])
            for key, v in variables.items()
        }

    # -- truth -------------------------------------------------------------------------------------------------

    def truth(self, node: Typed, row: Row) -> Truth:
        """The outcome of a condition for one choice of values."""
        if isinstance(node, Junction):
            values = tuple(self.truth(item, row) for item in node.items)
            return _and(values) if node.op == "and" else _or(values)
        if isinstance(node, Not):
            value = self.truth(node.value, row)
            return None if value is None else not value
        if isinstance(node, IsNull):
            return self.value(node.value, row) is None
        if isinstance(node, Compare) and self._is_followed(node):
            return _compared(node.op, self.value(node.left, row), self.value(node.right, row))
        if isinstance(node, In) and self._is_followed(node):
            member = self.value(node.value, row)
            return _or(tuple(_compared("=", member, self.value(m, row)) for m in node.members))
        found = self.value(node, row) if isinstance(node, (ColumnRef, Constant)) else row[_free(node).key]
        assert found is None or isinstance(found, bool)
        return found

    def value(self, node: Typed, row: Row) -> Value:
        constant = folded(node)
        if constant is None:
            return row[self.world.variable(node).key]
        if isinstance(constant, Fraction):
            return constant
        if not constant.dated:
            return as_value(constant.options[0].value, constant.type)
        day = self.world.day()
        today = row[day.key] if day is not None else None
        if not isinstance(today, Fraction):
            return None
        for option in reversed(constant.options):
            if option.start is not None and today >= option.start.toordinal():
                over = option.until is not None and today >= option.until.toordinal()
                return None if over else as_value(option.value, constant.type)
        return None


def _free(node: Typed) -> Variable:
    """A condition that is not followed: it may have any outcome."""
    return Variable(("condition", signature(node)), node.type, node.nullable)


def _ends(variable: Variable) -> list[Value]:
    closed = list(variable.closed or ())
    return [*closed, *(end for end in (variable.low, variable.high) if end is not None)]


def _root(linked: Mapping[Key, Key], key: Key) -> Key:
    while linked[key] != key:
        key = linked[key]
    return key


def _link(linked: dict[Key, Key], one: Key, other: Key) -> None:
    linked[_root(linked, other)] = _root(linked, one)


def _compared(op: str, left: Value, right: Value) -> Truth:
    return None if left is None or right is None else _OPERATORS[op](left, right)


def _and(values: Sequence[Truth]) -> Truth:
    if False in values:
        return False
    return None if None in values else True


def _or(values: Sequence[Truth]) -> Truth:
    if True in values:
        return True
    return None if None in values else False
