"""The tree of a view's SELECT: as written, and with types. Conditions and values in it are those of expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..frozen import dataclass, field
from ..model import Column
from .tree import Name, Node
from .typed import Typed, walk

# -- as written ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A relation that rows come from. `join` is from, inner, left or cross; `on` its condition."""

    relation: Name
    alias: Name
    join: str = "from"
    on: Node | None = None


@dataclass(frozen=True, slots=True)
class Block(Node):
    """One SELECT. `items` are (name, value), `groups` the columns after `group by`."""

    items: tuple[tuple[Name, Node], ...]
    sources: tuple[Source, ...]
    distinct: bool = False
    where: Node | None = None
    groups: tuple[Node, ...] = ()
    having: Node | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """SELECTs joined by `union all`, and those that `with` names, which they may read."""

    named: tuple[tuple[Name, Query], ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`case when … then … else … end`. `otherwise` is None where it is not written."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class SelectExists(Node):
    block: Block


@dataclass(frozen=True, slots=True)
class SelectIn(Node):
    """`value in (select …)`, with one item."""

    value: Node
    block: Block


# -- with types ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypedSource:
    relation: str
    alias: str
    join: str
    on: Typed | None


@dataclass(frozen=True, slots=True)
class TypedBlock:
    items: tuple[tuple[str, Typed], ...]
    sources: tuple[TypedSource, ...]
    distinct: bool
    where: Typed | None
    groups: tuple[Typed, ...]
    having: Typed | None

    def nodes(self) -> Iterator[Typed]:
        """Every condition and value of it, those of its sub-queries too."""
        roots = [*(s.on for s in self.sources), self.where, self.having, *self.groups, *(v for _, v in self.items)]
        for root in roots:
            for node in walk(root) if root is not None else ():
                yield node
                if isinstance(node, (InSelect, ExistsSelect)):
                    yield from node.block.nodes()


@dataclass(frozen=True, slots=True)
class TypedQuery:
    """`columns` is what it gives, in the order of the items."""

    named: tuple[tuple[str, TypedQuery], ...]
    blocks: tuple[TypedBlock, ...]
    columns: Mapping[str, Column] = field(default_factory=dict)

    def nodes(self) -> Iterator[Typed]:
        for _, query in self.named:
            yield from query.nodes()
        for block in self.blocks:
            yield from block.nodes()


@dataclass(frozen=True, slots=True)
class Choice(Typed):
    """The value of the first branch whose condition is true, else `otherwise` (None: null)."""

    branches: tuple[tuple[Typed, Typed], ...]
    otherwise: Typed | None

    def children(self) -> tuple[Typed, ...]:
        pairs = tuple(node for branch in self.branches for node in branch)
        return pairs + ((self.otherwise,) if self.otherwise is not None else ())


@dataclass(frozen=True, slots=True)
class ExistsSelect(Typed):
    """Whether the SELECT has a row. Never null."""

    block: TypedBlock


@dataclass(frozen=True, slots=True)
class InSelect(Typed):
    """Whether the SELECT has the value: null if not, and the value or a member is null. `member` is of the SELECT."""

    value: Typed
    member: Typed
    block: TypedBlock

    def children(self) -> tuple[Typed, ...]:
        return (self.value,)
