"""The tree of an expression with types, units and nullability: what is checked, lowered, explained and mutated.

Operands of a comparison or an operation have been brought to one type by `Constant`s of that type and `Coerce`.
`between` and `in` over counts are gone (they became comparisons), `between` always is.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ..frozen import dataclass, replace
from ..model import ParameterValue, ValueType

ANY_UNIT = "\0any"
"""The unit of the literals 0 and 1, which take any. No author can write it."""

BOOL = ValueType("bool")
INT = ValueType("int")
FLOAT = ValueType("float")
TEXT = ValueType("text")
DATE = ValueType("date")
INSTANT = ValueType("instant")
COUNTS = frozenset({"count", "count_if"})


@dataclass(frozen=True, slots=True)
class Typed:
    """`unit` is None for what is no number; `nullable`: some row may give null; offsets are of the expression."""

    type: ValueType
    unit: str | None
    nullable: bool
    start: int
    end: int

    def children(self) -> tuple[Typed, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class ColumnRef(Typed):
    """`side` is row (the judged row), related (a row of R inside an `exists`) or group (a `per` column)."""

    name: str
    side: str


@dataclass(frozen=True, slots=True)
class Option:
    """A value of a constant and the days on which it is in force (both None: always)."""

    value: ParameterValue
    start: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Constant(Typed):
    """A literal (`name` is None) or a parameter. One option unless `dated`. `type` is what its place wants.

    `whole` is True for a number written without a point.
    """

    name: str | None
    options: tuple[Option, ...]
    dated: bool = False
    whole: bool = False
    fixed: bool = False
    """The parameter says `type:` itself, so its place does not choose."""


@dataclass(frozen=True, slots=True)
class Unary(Typed):
    """A node with one node below it."""

    value: Typed

    def children(self) -> tuple[Typed, ...]:
        return (self.value,)


@dataclass(frozen=True, slots=True)
class Binary(Typed):
    """A node with an operator between two nodes."""

    op: str
    left: Typed
    right: Typed

    def children(self) -> tuple[Typed, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Coerce(Unary):
    """The value as another number type: int to decimal, decimal to a wider one, either to float."""


@dataclass(frozen=True, slots=True)
class Compare(Binary):
    """`op` is one of = != < <= > >=. Both sides are of one type."""


@dataclass(frozen=True, slots=True)
class CountCompare(Typed):
    """A count with bounds against a value without aggregates: `count op right`."""

    op: str
    count: AggregateRef
    right: Typed

    def children(self) -> tuple[Typed, ...]:
        return (self.count, self.right)


@dataclass(frozen=True, slots=True)
class In(Typed):
    value: Typed
    members: tuple[Typed, ...]

    def children(self) -> tuple[Typed, ...]:
        return (self.value, *self.members)


@dataclass(frozen=True, slots=True)
class IsNull(Unary):
    """Whether the value is null; never null itself."""


@dataclass(frozen=True, slots=True)
class Not(Unary):
    """Kleene's `not`."""


@dataclass(frozen=True, slots=True)
class Junction(Typed):
    """`op` is and, or."""

    op: str
    items: tuple[Typed, ...]

    def children(self) -> tuple[Typed, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Arithmetic(Binary):
    """`op` is one of + - * /. Operands are ints for an int result, decimals for a decimal one, else floats."""


@dataclass(frozen=True, slots=True)
class Shift(Typed):
    value: Typed
    sign: int
    amount: Typed
    step: str
    """day or month"""

    def children(self) -> tuple[Typed, ...]:
        return (self.value, self.amount)


@dataclass(frozen=True, slots=True)
class Function(Typed):
    name: str
    args: tuple[Typed, ...]

    def children(self) -> tuple[Typed, ...]:
        return self.args


@dataclass(frozen=True, slots=True)
class Exists(Typed):
    """True if `condition` (None: always true) is true for a row of `relation`; three-valued."""

    relation: str
    condition: Typed | None

    def children(self) -> tuple[Typed, ...]:
        return (self.condition,) if self.condition is not None else ()


@dataclass(frozen=True, slots=True)
class Cells:
    """Where a look-up looks: a column of a reference, in the rows with a key. `types` are those of `keys`."""

    reference: str
    keys: tuple[str, ...]
    types: tuple[ValueType, ...]
    column: str
    type: ValueType


@dataclass(frozen=True, slots=True)
class LookUp(Typed):
    """Whether a shown value is that of the cell with its key: null where nothing is shown, else true or false.

    `keys` are judged columns, in the order of `Cells.keys`; the first of `cells` that has the key decides. `lenient` is
    empty but in mutants: reasons of a failure that pass all the same, and `folded` keys.
    """

    shown: ColumnRef
    keys: tuple[ColumnRef, ...]
    cells: tuple[Cells, ...]
    lenient: frozenset[str] = frozenset()

    def children(self) -> tuple[Typed, ...]:
        return (*self.keys, self.shown)


@dataclass(frozen=True, slots=True)
class Conflict(Unary):
    """Whether two references of a `LookUp` have the key and do not both hold one and the same value. Never null."""


@dataclass(frozen=True, slots=True)
class AggregateRef(Typed):
    """An aggregate over the rows of a group. `argument` is None for `count(*)`. `text` is as the author wrote it."""

    name: str
    argument: Typed | None
    distinct: bool
    filter: Typed | None
    text: str

    @property
    def is_count(self) -> bool:
        return self.name in COUNTS

    def children(self) -> tuple[Typed, ...]:
        return tuple(c for c in (self.argument, self.filter) if c is not None)

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for aggregates that mean the same, wherever they are written."""
        return (self.name, self.distinct, signature(self.argument), signature(self.filter))


def signature(node: Typed | None) -> object:
    """The meaning of a node without its places: equal signatures, equal values on every row."""
    if node is None:
        return None
    own: tuple[object, ...] = ()
    if isinstance(node, ColumnRef):
        own = (node.name, node.side)
    elif isinstance(node, Constant):
        own = (node.name, node.options)
    elif isinstance(node, (Compare, CountCompare, Junction, Arithmetic)):
        own = (node.op,)
    elif isinstance(node, Shift):
        own = (node.sign, node.step)
    elif isinstance(node, Function):
        own = (node.name,)
    elif isinstance(node, Exists):
        own = (node.relation,)
    elif isinstance(node, LookUp):
        own = (node.cells, tuple(sorted(node.lenient)))
    elif isinstance(node, AggregateRef):
        own = (node.name, node.distinct, node.argument is None, node.filter is None)
    return (type(node).__name__, node.type, own, tuple(signature(c) for c in node.children()))


def walk(node: Typed) -> Iterator[Typed]:
    """The node and all below it, in no promised order."""
    pending = [node]
    while pending:
        item = pending.pop()
        yield item
        pending.extend(item.children())


def conjuncts_of(node: Typed) -> tuple[Typed, ...]:
    """The conditions that a condition joins with `and`, or itself; `not (a or b)` joins `not a` and `not b`."""
    if isinstance(node, Junction) and node.op == "and":
        return tuple(part for item in node.items for part in conjuncts_of(item))
    if isinstance(node, Not) and isinstance(node.value, Junction) and node.value.op == "or":
        negated = (replace(node, nullable=i.nullable, start=i.start, end=i.end, value=i) for i in node.value.items)
        return tuple(part for item in negated for part in conjuncts_of(item))
    if isinstance(node, Not) and isinstance(node.value, Not):
        return conjuncts_of(node.value.value)
    return (node,)


def judged_columns(*nodes: Typed | None) -> list[str]:
    """The judged columns that the expressions name, by first mention, expression after expression."""
    names: list[str] = []
    for node in nodes:
        if node is None:
            continue
        found = [n for n in walk(node) if isinstance(n, ColumnRef) and n.side != "related"]
        for column in sorted(found, key=lambda n: n.start):
            if column.name not in names:
                names.append(column.name)
    return names


def dated_parameters(*nodes: Typed | None) -> list[str]:
    """The dated parameters that the expressions name, sorted."""
    return sorted(
        {n.name for node in nodes if node for n in walk(node) if isinstance(n, Constant) and n.dated and n.name}
    )


def parameters_named(*nodes: Typed | None) -> set[str]:
    """All the parameters that the expressions name."""
    return {n.name for node in nodes if node for n in walk(node) if isinstance(n, Constant) and n.name}


def exists_in(*nodes: Typed | None) -> list[Exists]:
    """The `exists` of the expressions, by first mention; each once, though a `between` holds its value twice."""
    found: list[Exists] = []
    for node in nodes:
        each = {(n.start, n.end): n for n in walk(node) if isinstance(n, Exists)} if node is not None else {}
        found += [each[place] for place in sorted(each)]
    return found


def look_ups_in(*nodes: Typed | None) -> list[LookUp]:
    """The distinct look-ups of the expressions, by first mention."""
    found = [n for node in nodes if node is not None for n in walk(node) if isinstance(n, LookUp)]
    return list({signature(n): n for n in sorted(found, key=lambda n: n.start)}.values())


def relations_read(*nodes: Typed | None) -> list[str]:
    """The relations and references that the expressions read besides the judged one, by first mention."""
    looked = [cells.reference for one in look_ups_in(*nodes) for cells in one.cells]
    return list(dict.fromkeys([*(e.relation for e in exists_in(*nodes)), *looked]))


def aggregates_in(*nodes: Typed | None) -> list[AggregateRef]:
    """The distinct aggregates of the expressions, by first mention."""
    found: dict[object, AggregateRef] = {}
    for node in nodes:
        if node is None:
            continue
        refs = [n for n in walk(node) if isinstance(n, AggregateRef)]
        for ref in sorted(refs, key=lambda n: n.start):
            found.setdefault(ref.identity, ref)
    return list(found.values())
