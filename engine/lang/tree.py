"""The tree of an expression as written: no types yet. Every node knows its stretch of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..frozen import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Node:
    """`start` and `end` are offsets into the expression's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A column or a parameter; with `judged`, a column of the judged row, inside an `exists`."""

    name: str
    judged: bool = False
    of: str = ""
    """In a view: what the column is of, `r` in `r.size`; empty for a bare name."""


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """Its digits as written, with a sign if there is one."""

    digits: str


@dataclass(frozen=True, slots=True)
class TextLiteral(Node):
    value: str


@dataclass(frozen=True, slots=True)
class TruthLiteral(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class NullLiteral(Node):
    """Written `null`; legal only behind `is`, where it leaves no node."""


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`op` is one of = != < <= > >=."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Between(Node):
    value: Node
    low: Node
    high: Node


@dataclass(frozen=True, slots=True)
class In(Node):
    """`members` are the written ones; `list_name` is the name in `x in name`."""

    value: Node
    members: tuple[Node, ...]
    list_name: Name | None = None


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    value: Node


@dataclass(frozen=True, slots=True)
class Not(Node):
    value: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    """Two or more items, as written from left to right."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """`op` is one of + - * /."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Shift(Node):
    """`date ± interval (amount) unit`. `sign` is 1 or -1, `unit` day or month."""

    value: Node
    sign: int
    amount: Node
    unit: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    name: str
    args: tuple[Node, ...]
    name_end: int = 0


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """`argument` is None for `count(*)`."""

    name: str
    argument: Node | None
    distinct: bool = False
    filter: Node | None = None


@dataclass(frozen=True, slots=True)
class Exists(Node):
    relation: Name
    condition: Node | None


Rebuild = Callable[[Node], Node]
"""From a node that is to stand in some place to the whole tree with it there."""


def every_place(root: Node) -> Iterator[tuple[Node, Rebuild]]:
    """Each node of a tree, the root first and then from left to right, with the way to put another in its place."""
    yield root, lambda new: new
    for field in fields(root):
        value = getattr(root, field.name)
        if isinstance(value, Node):
            for node, rebuild in every_place(value):
                yield node, _at_field(root, field.name, rebuild)
        elif isinstance(value, tuple):
            for number, item in enumerate(value):
                if isinstance(item, Node):
                    for node, rebuild in every_place(item):
                        yield node, _at_item(root, field.name, number, rebuild)


def _with(root: Node, name: str, value: object) -> Node:
    changes: dict[str, Any] = {name: value}
    return replace(root, **changes)


def _at_field(root: Node, name: str, rebuild: Rebuild) -> Rebuild:
    return lambda new: _with(root, name, rebuild(new))


def _at_item(root: Node, name: str, number: int, rebuild: Rebuild) -> Rebuild:
    def put(new: Node) -> Node:
        items = getattr(root, name)
        return _with(root, name, (*items[:number], rebuild(new), *items[number + 1 :]))

    return put
