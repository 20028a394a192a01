"""Mutants of the second set that misread a rule as a whole: a null as a value, one junction or key as another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..frozen import fields, replace
from ..lang import tree
from ..lang.spell import spell
from ..model import Column
from .change import Change, Subject

_LITERALS: Mapping[str, Callable[[Column], tree.Node]] = {
    "int": lambda c: tree.NumberLiteral(0, 0, "0"),
    "decimal": lambda c: tree.NumberLiteral(0, 0, "0"),
    "float": lambda c: tree.NumberLiteral(0, 0, "0"),
    "text": lambda c: tree.TextLiteral(0, 0, c.one_of[0] if c.one_of else ""),
    "levels": lambda c: tree.TextLiteral(0, 0, c.type.levels[0]),
}
"""What an author puts in the place of a null, by the kind of the column."""


# -- what is unknown -------------------------------------------------------------------------------------------


def null_as_value(subject: Subject) -> Iterator[Change]:
    """A null that is taken for zero, for the first word, for false or for true: at one place, and everywhere."""
    for key, root in subject.trees.items():
        for node, rebuild, columns in subject.names(root):
            column = columns.get(node.name)
            if column is None or column.required:
                continue
            for literal in _stand_ins(column):
                new = tree.Call(node.start, node.end, "coalesce", (node, literal))
                text = f"a null of `{spell(node)}` is taken for {spell(literal)}"
                yield Change("null-as-value", text, key, subject.policy, node.start, {key: rebuild(new)})
    for truth in (False, True):
        yield from _null_everywhere(subject, truth)


def _null_everywhere(subject: Subject, truth: bool) -> Iterator[Change]:
    """What is missing stays unseen in one place as long as another sees it: here no place does."""
    trees, taken = {}, {}
    for key, root in subject.trees.items():
        at: dict[int, tree.Node] = {}
        for node, _, columns in subject.names(root):
            column = columns.get(node.name)
            # A group has its own columns, which are never null: the checker would refuse it otherwise.
            spared = column is None or column.required or column.name in subject.policy.per
            literals = list(_stand_ins(column)) if column is not None and not spared else []
            for literal in literals[-1:] if truth else literals[:1]:
                at[node.start] = literal
                taken[f"{spell(node)} as {spell(literal)}"] = True
        trees[key] = _with_stand_ins(root, at)
    text = f"nulls are taken for values everywhere: {', '.join(taken)}"
    key = "must" if "must" in trees else "where"
    yield Change("null-as-value", text, key, subject.policy, 0, trees)


def _with_stand_ins(node: tree.Node, at: Mapping[int, tree.Node]) -> tree.Node:
    """The tree with `coalesce(name, literal)` for each name that starts at one of the offsets."""
    if isinstance(node, tree.Name):
        return tree.Call(node.start, node.end, "coalesce", (node, at[node.start])) if node.start in at else node
    changes: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tree.Node):
            changes[field.name] = _with_stand_ins(value, at)
        elif isinstance(value, tuple):
            changes[field.name] = tuple(_with_stand_ins(v, at) if isinstance(v, tree.Node) else v for v in value)
    return replace(node, **changes)


def _stand_ins(column: Column) -> Iterator[tree.Node]:
    if column.type.kind == "bool":
        yield tree.TruthLiteral(0, 0, False)
        yield tree.TruthLiteral(0, 0, True)
    elif column.type.kind in _LITERALS:
        yield _LITERALS[column.type.kind](column)


# -- logic -----------------------------------------------------------------------------------------------------


def converse(subject: Subject) -> Iterator[Change]:
    """`not a or b` (if a then b) the wrong way round."""
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if isinstance(node, tree.Or) and len(node.items) == 2:
                for first, second in (node.items, node.items[::-1]):
                    if isinstance(first, tree.Not):
                        turned = tree.Not(second.start, second.end, second)
                        new = replace(node, items=(turned, first.value))
                        yield subject.rewrite("converse", key, node, new, rebuild(new))


def lost_parentheses(subject: Subject) -> Iterator[Change]:
    """`a and (b or c)` read as `(a and b) or c`, and `a or (b and c)` as `(a or b) and c`."""
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if not isinstance(node, (tree.And, tree.Or)):
                continue
            outer, inner = (tree.And, tree.Or) if isinstance(node, tree.And) else (tree.Or, tree.And)
            for number, item in enumerate(node.items):
                others = (*node.items[:number], *node.items[number + 1 :])
                if isinstance(item, inner):
                    for chosen in (item.items[0], item.items[-1]):
                        left = tuple(i for i in item.items if i is not chosen)
                        new = inner(node.start, node.end, (outer(node.start, node.end, (*others, chosen)), *left))
                        yield subject.rewrite("lost-parentheses", key, node, new, rebuild(new))


def empty_rule(subject: Subject) -> Iterator[Change]:
    """A rule that can no longer fail, one that always does, and one whose failures all go to a person."""
    policy, must = subject.policy, subject.trees.get("must")
    if must is None:
        return
    for value, text in ((True, "always holds"), (False, "never holds")):
        yield Change("empty-rule", f"`must` {text}", "must", policy, 0, {"must": tree.TruthLiteral(0, 0, value)})
    wider = replace(policy, review_if=policy.review_if or policy.must)
    negated = {"review_if": tree.Not(0, 0, must)}
    yield Change("empty-rule", "every failure goes to a person", "must", wider, trees=negated)


def scope_for_rule(subject: Subject) -> Iterator[Change]:
    """`where` and `must` in each other's place."""
    trees, policy = subject.trees, subject.policy
    if policy.where is not None and policy.must is not None and not policy.per:
        swapped = {"where": trees["must"], "must": trees["where"]}
        yield Change("scope-for-rule", "`where` and `must` change places", "where", policy, trees=swapped)


def rule_as_scope(subject: Subject) -> Iterator[Change]:
    """A condition of the rule that was put into the scope: rows that fail it are no longer seen."""
    trees, policy = subject.trees, subject.policy
    must = trees.get("must")
    if policy.per or not isinstance(must, tree.And):
        return
    for number, item in enumerate(must.items):
        left = (*must.items[:number], *must.items[number + 1 :])
        rest = left[0] if len(left) == 1 else replace(must, items=left)
        where = tree.And(0, 0, (trees["where"], item)) if "where" in trees else item
        changed = replace(policy, where=policy.where or policy.must)
        text = f"`{spell(item)}` of `must` stands in `where`"
        yield Change("rule-as-scope", text, "must", changed, item.start, {"where": where, "must": rest})
