"""A difference made small: fewer policies, rows and columns of rows, shorter expressions, as long as it remains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from . import expr, write
from .kept import Kept
from .reading import LOADER, NO_POLICIES
from .write import Raw

FIXED = NO_POLICIES
RULES = ("where", "must", "review_if")
TYPED = re.compile(r"-?[0-9]+(\.[0-9]+)?%?|true|false|null|[0-9]{4}-[0-9]{2}-[0-9]{2}\Z|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*")


def reduce(pair: Kept, differs: Callable[[Kept], bool], tries: int = 400) -> Kept:
    """The smallest pair found, within so many tries, that still differs."""
    left, progress = tries, True
    while progress and left > 0:
        progress = False
        for smaller in _smaller(pair):
            left -= 1
            if left <= 0:
                break
            if differs(smaller):
                pair, progress = smaller, True
                break
    return pair


def _smaller(pair: Kept) -> Iterator[Kept]:
    policies = [name for name in pair.files if name not in FIXED]
    if len(policies) > 1:
        for name in policies:
            yield _with_policies(pair, {name: pair.files[name]})
        return
    for relation, rows in pair.facts.items():
        for at in range(len(rows)):
            yield Kept(pair.files, {**pair.facts, relation: [*rows[:at], *rows[at + 1 :]]}, pair.as_of)
    name = policies[0]
    tree = yaml.load(pair.files[name], Loader=LOADER)
    lines = pair.files.get("waivers.yaml", "").splitlines(keepends=True)
    for at in range(len(lines)):
        rest = {"waivers.yaml": "".join([*lines[:at], *lines[at + 1 :]])} if len(lines) > 1 else {}
        kept = {key: text for key, text in pair.files.items() if key != "waivers.yaml"} | rest
        yield Kept(kept, pair.facts, pair.as_of)
    for word in ("review_if", "where", "allow", "if_none"):
        if word in tree:
            yield _with_policies(pair, {name: policy_text({key: each for key, each in tree.items() if key != word})})
    for word in RULES:
        for node in _shorter(expr.parse(tree[word])) if word in tree else ():
            yield _with_policies(pair, {name: policy_text({**tree, word: write.expression(node)})})


def _shorter(node: expr.Node) -> Iterator[expr.Node]:
    """Truth values inside a truth value, and the node with one of its truth values made shorter."""
    match node:
        case expr.Logical(op, left, right):
            yield from (left, right)
            yield from (expr.Logical(op, each, right) for each in _shorter(left))
            yield from (expr.Logical(op, left, each) for each in _shorter(right))
        case expr.Not(part):
            yield part
            yield from (expr.Not(each) for each in _shorter(part))
        case expr.Exists(relation, condition) if condition is not None:
            yield from (expr.Exists(relation, each) for each in _shorter(condition))
        case expr.Between(value, low, high):
            yield from (expr.Compare(">=", value, low), expr.Compare("<=", value, high))
        case expr.In(value, members) if len(members) > 1:
            yield from (expr.In(value, (each,)) for each in members)
        case expr.Compare(op, left, right):
            yield from (expr.Compare(op, each, right) for each in _simpler(left))
            yield from (expr.Compare(op, left, each) for each in _simpler(right))
        case expr.Aggregate():
            yield from _simpler(node)


def _simpler(node: expr.Node) -> Iterator[expr.Node]:
    """Parts of a value that may be of its type, and an aggregate without its filter."""
    match node:
        case expr.Arithmetic(_, left, right):
            yield from (left, right)
        case expr.Step(_, date, _, _):
            yield date
        case expr.Call(_, arguments):
            yield from arguments
        case expr.Aggregate(name, argument, distinct, condition):
            if condition is not None:
                yield expr.Aggregate(name, argument, distinct, None)
                yield from (expr.Aggregate(name, argument, distinct, each) for each in _shorter(condition))
            for each in (*_shorter(argument), *_simpler(argument)) if argument is not None else ():
                yield expr.Aggregate(name, each, distinct, condition)


def _with_policies(pair: Kept, policies: dict[str, str]) -> Kept:
    """The pack with these policies alone, and of its shared parameters those that they read."""
    files = {name: text for name, text in pair.files.items() if name in FIXED} | policies
    waivers = write.waivers_of(files.pop("waivers.yaml", ""), list(policies))
    files |= {"waivers.yaml": waivers} if waivers else {}
    shared = yaml.load(files.pop("parameters.yaml", "{}"), Loader=LOADER)
    words = set(re.findall(r"[a-z_0-9]+", " ".join(policies.values())))
    read = {name: _raw(entry) for name, entry in shared.items() if name in words}
    if read:
        files["parameters.yaml"] = write.yaml(read) + "\n"
    return Kept(files, pair.facts, pair.as_of)


def policy_text(tree: dict[str, Any]) -> str:
    """A policy's tree of texts as YAML, without the parameters that nothing reads any more."""
    words = set(re.findall(r"[a-z_0-9]+", " ".join([*(tree.get(word, "") for word in RULES), tree.get("allow", "")])))
    rest = {key: _raw(each) for key, each in tree.items() if key not in ("params", *RULES)}
    params = {name: _raw(entry) for name, entry in tree.get("params", {}).items() if name in words}
    if "as_of" in rest and not any("values" in entry for entry in params.values()):
        del rest["as_of"]
        rest["cases"] = [{"expect": Raw("pass")}]
    rules = {word: Raw(write.rule(tree[word], 0)) for word in RULES if word in tree}
    return write.yaml({**rest, **rules, **({"params": params} if params else {})}) + "\n"


def _raw(tree: Any) -> Any:
    """Texts that look like a number, a date or a truth value are written plain."""
    if isinstance(tree, dict):
        return {key: _raw(each) for key, each in tree.items()}
    if isinstance(tree, list):
        return [_raw(each) for each in tree]
    return Raw(tree) if TYPED.fullmatch(tree) else tree
