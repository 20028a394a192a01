"""A small change to a policy, and the mutant that comes of it when the checker accepts the changed policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..check import check_policy
from ..checked import CheckedPolicy
from ..errors import Place
from ..frozen import dataclass, field, replace
from ..lang import tree
from ..lang.parse import parse
from ..lang.spell import spell
from ..lang.typed import signature
from ..model import Column, Expression, Pack, Parameter, Policy

HARMLESS = frozenset(
    {"unused-parameter", "as-of-unused", "name-clash", "lower-bound-without-each-of", "incomplete-match"}
)
"""What the checker asks of an author and a mutant need not keep: its meaning is clear all the same."""

EXPRESSIONS = ("where", "must", "review_if")


@dataclass(frozen=True, slots=True)
class Change:
    """A changed policy. `operator` names the kind of change (`docs/mutants.md`), `text` says what became of what.

    `trees` stand in place of expressions by key, `parameters` in place of the pack's parameters by name. `key` and
    `offset` say where: a key of the policy and, of an expression, the offset into it.
    """

    operator: str
    text: str
    key: str
    policy: Policy
    offset: int = 0
    trees: Mapping[str, tree.Node] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed policy that loads. `name` is its own among the mutants of the policy: the operator and the change."""

    operator: str
    name: str
    place: Place
    checked: CheckedPolicy


@dataclass(frozen=True, slots=True)
class Subject:
    """A policy that is to be changed: its trees by key, and all parameters in its reach by name."""

    policy: Policy
    pack: Pack
    checked: CheckedPolicy

    @property
    def trees(self) -> dict[str, tree.Node]:
        return {key: parse(expression) for key, expression in self.expressions.items()}

    @property
    def expressions(self) -> dict[str, Expression]:
        found = {key: getattr(self.policy, key) for key in EXPRESSIONS}
        return {key: expression for key, expression in found.items() if expression is not None}

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Those that the policy reads."""
        return self.checked.parameters

    def rewrite(self, operator: str, key: str, old: tree.Node, new: tree.Node, root: tree.Node) -> Change:
        """A change of one place of an expression: `root` is the whole with `new` in it."""
        text = f"`{spell(old)}` becomes `{spell(new)}`"
        return Change(operator, text, key, self.policy, old.start, {key: root})

    def without(self, operator: str, key: str, old: tree.Node, root: tree.Node, after: str = "is dropped") -> Change:
        """A change that leaves a part of an expression out."""
        return Change(operator, f"`{spell(old)}` {after}", key, self.policy, old.start, {key: root})

    def with_parameter(self, operator: str, text: str, changed: Parameter) -> Change:
        """A change of a parameter, of the policy or of its pack."""
        if changed.name in self.policy.params:
            policy = replace(self.policy, params={**self.policy.params, changed.name: changed})
            return Change(operator, text, "params", policy)
        return Change(operator, text, "params", self.policy, parameters={changed.name: changed})

    def names(self, root: tree.Node) -> Iterator[tuple[tree.Name, tree.Rebuild, Mapping[str, Column]]]:
        """The names of an expression, with the columns of the relation whose column each would be."""
        inside: list[tuple[int, int, tree.Name]] = []
        for node, rebuild in tree.every_place(root):
            if isinstance(node, tree.Exists):
                inside.append((node.start, node.end, node.relation))
            elif isinstance(node, tree.Name) and not any(node is name for _, _, name in inside):
                around = next((name for start, end, name in inside if start <= node.start < end), None)
                of_related = around is not None and not node.judged
                relation = self.checked.relations.get(around.name) if around and of_related else self.checked.relation
                yield node, rebuild, relation.columns if relation is not None else {}

    def place_of(self, change: Change) -> Place:
        """Where in the file the change is."""
        expression = self.expressions.get(change.key)
        if expression is not None and change.key in change.trees:
            line, column = expression.locate(change.offset)
            return Place(self.policy.file, line, column)
        return self.policy.places.get(change.key) or Place(self.policy.file, 1, 1)


Operators = Mapping[str, Callable[[Subject], Iterator[Change]]]


def mutants_of(subject: Subject, operators: Operators) -> list[Mutant]:
    """The mutants of a policy: one for each meaning, those that load and are not the policy itself.

    Of changes that come to the same the first is kept, in the order of the operators.
    """
    seen: set[object] = {meaning_of(subject.checked)}
    names: dict[str, int] = {}
    found = []
    for operator, changes in operators.items():
        for change in changes(subject):
            pack = replace(subject.pack, parameters={**subject.pack.parameters, **change.parameters})
            trees = {**subject.trees, **change.trees}
            checked, _ = check_policy(change.policy, pack, trees, HARMLESS)
            if checked is None or (meaning := meaning_of(checked)) in seen:
                continue
            seen.add(meaning)
            name = f"{operator}: {change.text}"
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name = f"{name} ({names[name]})"
            found.append(Mutant(operator, name, subject.place_of(change), checked))
    return found


def meaning_of(checked: CheckedPolicy) -> object:
    """Equal for policies that give the same verdict on every set of facts, as far as their trees show it."""
    policy, allow = checked.policy, checked.allow
    tolerance = [(v.value, v.start, v.until) for v in allow.values] + [allow.unit] if allow is not None else None
    return (
        *(signature(node) for node in (checked.where, checked.must, checked.review_if)),
        policy.per,
        policy.each_of,
        policy.as_of,
        policy.if_none,
        tuple(tolerance) if tolerance else None,
    )
