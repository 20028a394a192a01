"""The first set of mutants, written from the grammar: for each form of the language, the forms that stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..frozen import replace
from ..lang import tree
from ..lang.spell import spell
from .change import Change, Operators, Subject
from .lookups import look_up

_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_DIRECTION = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATION = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
_FUNCTIONS = {
    "starts_with": ("ends_with", "contains"),
    "ends_with": ("starts_with", "contains"),
    "contains": ("starts_with", "ends_with"),
    "year": ("month",),
    "month": ("year", "day"),
    "day": ("month",),
}
_AGGREGATES = {
    "sum": ("avg", "max"),
    "avg": ("min", "max"),
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
}
_CONDITIONS = (tree.Compare, tree.Between, tree.In, tree.IsNull, tree.Not, tree.And, tree.Or, tree.Exists)


def _at_places(
    subject: Subject, operator: str, replacements: Callable[[tree.Node], Iterator[tree.Node]]
) -> Iterator[Change]:
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            for new in replacements(node):
                yield subject.rewrite(operator, key, node, new, rebuild(new))


# -- comparisons -----------------------------------------------------------------------------------------------


def boundary(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Compare) and node.op in _BOUNDARY:
            yield replace(node, op=_BOUNDARY[node.op])
        if isinstance(node, tree.Between):
            low, high = _ends(node)
            yield tree.And(node.start, node.end, (replace(low, op=">"), high))
            yield tree.And(node.start, node.end, (low, replace(high, op="<")))

    yield from _at_places(subject, "boundary", new)


def direction(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Compare) and node.op in _DIRECTION:
            yield replace(node, op=_DIRECTION[node.op])

    yield from _at_places(subject, "direction", new)


def negation(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Compare):
            yield replace(node, op=_NEGATION[node.op])
        elif isinstance(node, tree.Not):
            yield node.value
        elif isinstance(node, (*_CONDITIONS, tree.Aggregate)) and _is_condition(node):
            yield tree.Not(node.start, node.end, node)

    yield from _at_places(subject, "negation", new)
    for key, root in subject.trees.items():
        for node, rebuild in _truths(root):
            yield subject.rewrite("negation", key, node, _not(node), rebuild(_not(node)))


def _is_condition(node: tree.Node) -> bool:
    return not isinstance(node, tree.Aggregate) or node.name in ("any", "all")


def _not(node: tree.Node) -> tree.Node:
    return tree.Not(node.start, node.end, node)


def _truths(root: tree.Node) -> Iterator[tuple[tree.Node, tree.Rebuild]]:
    """The names that stand as conditions: columns and parameters that are true or false."""
    for node, rebuild in tree.every_place(root):
        if isinstance(node, (tree.And, tree.Or)):
            for number, item in enumerate(node.items):
                if isinstance(item, tree.Name):
                    items = node.items
                    yield (
                        item,
                        lambda new, r=rebuild, n=node, i=items, k=number: r(  # type: ignore[misc]
                            replace(n, items=(*i[:k], new, *i[k + 1 :]))
                        ),
                    )
    if isinstance(root, tree.Name):
        yield root, lambda new: new


def equality(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Compare) and node.op in ("<=", ">="):
            yield replace(node, op="=")

    yield from _at_places(subject, "equality", new)


def between_end(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Between):
            yield from _ends(node)

    yield from _at_places(subject, "between-end", new)


def _ends(node: tree.Between) -> tuple[tree.Compare, tree.Compare]:
    low = tree.Compare(node.start, node.end, ">=", node.value, node.low)
    return low, tree.Compare(node.start, node.end, "<=", node.value, node.high)


def member(subject: Subject) -> Iterator[Change]:
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if isinstance(node, tree.In) and len(node.members) > 1:
                for number, one in enumerate(node.members):
                    left = replace(node, members=(*node.members[:number], *node.members[number + 1 :]))
                    yield subject.without("member", key, one, rebuild(left), f"is dropped from `{spell(node)}`")


# -- logic -----------------------------------------------------------------------------------------------------


def junction(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.And):
            yield tree.Or(node.start, node.end, node.items)
        elif isinstance(node, tree.Or):
            yield tree.And(node.start, node.end, node.items)

    yield from _at_places(subject, "junction", new)


def dropped_term(subject: Subject) -> Iterator[Change]:
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if isinstance(node, (tree.And, tree.Or)):
                for number, item in enumerate(node.items):
                    left = (*node.items[:number], *node.items[number + 1 :])
                    new = left[0] if len(left) == 1 else replace(node, items=left)
                    yield subject.without("dropped-term", key, item, rebuild(new))


# -- values ----------------------------------------------------------------------------------------------------


def arithmetic(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Arithmetic):
            yield replace(node, op=_ARITHMETIC[node.op])
            yield node.left
            yield node.right

    yield from _at_places(subject, "arithmetic", new)


def shift(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Shift):
            yield replace(node, sign=-node.sign)
            yield replace(node, unit="month" if node.unit == "day" else "day")
            yield node.value

    yield from _at_places(subject, "shift", new)


def function(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if not isinstance(node, tree.Call):
            return
        for name in _FUNCTIONS.get(node.name, ()):
            yield replace(node, name=name)
        if node.name == "days_between" and len(node.args) == 2:
            yield replace(node, args=(node.args[1], node.args[0]))
        if node.name in ("abs", "lower", "upper") and len(node.args) == 1:
            yield node.args[0]
        if node.name == "coalesce":
            yield from node.args
            for number in range(len(node.args) if len(node.args) > 2 else 0):
                yield replace(node, args=(*node.args[:number], *node.args[number + 1 :]))

    yield from _at_places(subject, "function", new)


def aggregate(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if not isinstance(node, tree.Aggregate):
            return
        for name in _AGGREGATES.get(node.name, ()):
            yield replace(node, name=name)
        if node.distinct:
            yield replace(node, distinct=False, argument=None)
        if node.name == "count_if":
            yield replace(node, name="count", argument=None)
        if node.filter is not None:
            yield replace(node, filter=None)
            yield replace(node, filter=_not(node.filter))

    yield from _at_places(subject, "aggregate", new)


def related(subject: Subject) -> Iterator[Change]:
    def new(node: tree.Node) -> Iterator[tree.Node]:
        if isinstance(node, tree.Exists) and node.condition is not None:
            yield replace(node, condition=None)

    yield from _at_places(subject, "related", new)


# -- the policy ------------------------------------------------------------------------------------------------


def scope(subject: Subject) -> Iterator[Change]:
    policy = subject.policy
    if policy.where is not None:
        yield Change("scope", "`where` is dropped", "where", replace(policy, where=None))
        where = subject.trees["where"]
        # Unlike the first, it leaves a row of unknown scope without evidence: a case of such a row does not kill it.
        either = tree.Or(0, 0, (where, _not(where)))
        yield Change("scope", "what is out of scope is judged", "where", policy, trees={"where": either})


def review(subject: Subject) -> Iterator[Change]:
    policy = subject.policy
    if policy.review_if is None:
        return
    yield Change("review", "`review_if` is dropped", "review_if", replace(policy, review_if=None))
    always = tree.TruthLiteral(0, 0, True)
    yield Change("review", "`review_if` is always true", "review_if", policy, trees={"review_if": always})


def silence(subject: Subject) -> Iterator[Change]:
    other = "no_evidence" if subject.policy.if_none == "not_applicable" else "not_applicable"
    key = "if_none" if "if_none" in subject.policy.places else "policy"
    yield Change("silence", f"`if_none` becomes `{other}`", key, replace(subject.policy, if_none=other))


def tolerance(subject: Subject) -> Iterator[Change]:
    if subject.policy.allow is not None:
        yield Change("tolerance", "`allow` is dropped", "allow", replace(subject.policy, allow=None))


def groups(subject: Subject) -> Iterator[Change]:
    policy = subject.policy
    for name in policy.per if len(policy.per) > 1 else ():
        left = tuple(n for n in policy.per if n != name)
        yield Change("groups", f"`{name}` is dropped from `per`", "per", replace(policy, per=left, each_of=None))
    if policy.each_of is not None:
        yield Change("groups", "`each_of` is dropped", "each_of", replace(policy, each_of=None))


GRAMMAR: Operators = {
    "boundary": boundary,
    "direction": direction,
    "negation": negation,
    "equality": equality,
    "between-end": between_end,
    "member": member,
    "junction": junction,
    "dropped-term": dropped_term,
    "arithmetic": arithmetic,
    "shift": shift,
    "function": function,
    "aggregate": aggregate,
    "related": related,
    "scope": scope,
    "review": review,
    "silence": silence,
    "tolerance": tolerance,
    "look-up": look_up,
    "groups": groups,
}
"""By name, in the order in which they are tried."""
