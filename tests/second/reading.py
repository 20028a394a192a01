"""A pack's YAML texts become policies whose expressions are functions (docs/semantics.md, as far as reading goes)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from . import expr, values
from .kleene import Scope, Typed
from .meaning import meaning, names
from .values import Parameter, Type, Value

NO_POLICIES = ("pack.yaml", "relations.yaml", "parameters.yaml", "waivers.yaml")
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # every scalar a text


@dataclass(frozen=True)
class Rule:
    """One expression of a policy and what it names, each by first mention."""

    word: str
    typed: Typed
    columns: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    relations: tuple[str, ...]
    aggregates: tuple[tuple[expr.Aggregate, Typed], ...]
    exists: tuple[Related, ...]


@dataclass(frozen=True)
class Related:
    """The condition of an exists; `of_members` if it stands inside an aggregate, `columns` are those of R it names."""

    relation: str
    condition: Typed
    of_members: bool
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    name: str
    relation: str
    key: tuple[str, ...]
    types: Mapping[str, Type]
    where: Rule | None
    must: Rule
    review_if: Rule | None
    per: tuple[str, ...]
    each_of: str | None
    allow: Parameter | None
    as_of: str | None
    if_none: str

    @property
    def rules(self) -> list[Rule]:
        return [each for each in (self.where, self.must, self.review_if) if each]

    @property
    def dated(self) -> list[Parameter]:
        """The dated parameters that its expressions read, by first mention."""
        found: list[Parameter] = []
        for rule in self.rules:
            found += [each for each in rule.parameters if each.dated and each not in found]
        return found


def read_pack(files: Mapping[str, str]) -> tuple[dict[str, dict[str, Type]], dict[str, Any], dict[str, Policy]]:
    """The types of the relations' columns, the entries of relations.yaml, and the policies, of a pack's YAML texts."""
    trees = {name: yaml.load(text, Loader=LOADER) for name, text in files.items()}
    entries = trees["relations.yaml"]
    types = {
        name: {column: values.type_of(spec) for column, spec in entry["columns"].items()}
        for name, entry in entries.items()
    }
    shared = trees.get("parameters.yaml") or {}
    policies = [read_policy(tree, types, entries, shared) for name, tree in trees.items() if name not in NO_POLICIES]
    return types, entries, {each.name: each for each in policies}


@dataclass(frozen=True)
class Waiver:
    """A dated exception; `rows` are the values of the columns that it names."""

    number: int
    policy: str
    until: date
    most: int
    rows: Mapping[str, Value]


def read_waivers(files: Mapping[str, str], policies: Mapping[str, Policy]) -> list[Waiver]:
    """The waivers of a pack in file order."""
    tree = yaml.load(files.get("waivers.yaml", "[]"), Loader=LOADER)
    found = []
    for number, entry in enumerate(tree, 1):
        types = policies[entry["policy"]].types
        rows = {name: values.read(types[name], text) for name, text in entry.get("rows", {}).items()}
        until, most = date.fromisoformat(entry["until"]), int(entry["at_most"])
        found.append(Waiver(number, entry["policy"], until, most, rows))
    return found


def read_policy(
    tree: dict[str, Any], types: Mapping[str, Mapping[str, Type]], entries: Mapping[str, Any], shared: Mapping[str, Any]
) -> Policy:
    relation = tree["for"]
    columns = types[relation]
    parameters = {name: values.parameter(name, entry) for name, entry in {**shared, **tree.get("params", {})}.items()}
    per = tuple([tree["per"]] if isinstance(tree.get("per"), str) else tree.get("per", ()))
    rows = Scope(columns, {}, {}, types, parameters)
    grouped = Scope({name: columns[name] for name in per}, {}, columns, types, parameters) if per else rows

    def rule(word: str, scope: Scope) -> Rule | None:
        return read_rule(word, tree[word], scope, columns) if word in tree else None

    must = rule("must", grouped)
    assert must is not None
    return Policy(
        tree["policy"], relation, tuple(entries[relation]["key"]), columns,
        rule("where", rows), must, rule("review_if", grouped), per, tree.get("each_of"),
        parameters[tree["allow"]] if "allow" in tree else None, tree.get("as_of"), tree.get("if_none", "no_evidence"),
    )  # fmt: skip


def read_rule(word: str, text: str, scope: Scope, columns: Mapping[str, Type]) -> Rule:
    node = expr.parse(text)
    named: list[str] = []
    parameters: list[str] = []
    relations: list[str] = []
    aggregates: list[expr.Aggregate] = []
    exists: list[tuple[expr.Exists, bool]] = []

    def walk(part: expr.Node, related: Mapping[str, Type] | None, of_members: bool = False) -> None:
        """`related` are the columns that bare names mean inside an exists; elsewhere bare names are judged columns."""
        match part:
            case expr.Name(name):
                if name not in (columns if related is None else related):
                    parameters.append(name)
                elif related is None:
                    named.append(name)
            case expr.InList(_, name):
                parameters.append(name)
            case expr.Judged(name):
                named.append(name)
            case expr.Exists(relation, _):
                relations.append(relation)
                exists.append((part, of_members))
                related = scope.relations[relation]
            case expr.Aggregate():
                aggregates.append(part)
                of_members = True
        for each in expr.children(part):
            walk(each, related, of_members)

    walk(node, None)
    typed = tuple((each, meaning(each, scope)) for each in dict.fromkeys(aggregates))
    read = tuple(scope.parameters[name] for name in dict.fromkeys(parameters))
    asked = tuple(_related(each, of_members, scope) for each, of_members in dict.fromkeys(exists) if each.condition)
    return Rule(word, meaning(node, scope), tuple(dict.fromkeys(named)), read, tuple(relations), typed, asked)


def _related(node: expr.Exists, of_members: bool, scope: Scope) -> Related:
    assert node.condition is not None
    columns = scope.relations[node.relation]
    judged = scope.members if of_members else scope.columns
    inner = Scope(columns, judged, {}, scope.relations, scope.parameters)
    bare = tuple(name for name in names(node.condition)[0] if name in columns)
    return Related(node.relation, meaning(node.condition, inner), of_members, bare)
