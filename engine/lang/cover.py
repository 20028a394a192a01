"""A condition on rows, simple enough for a scan to use, that is true of every row which a policy may not pass.

A row may be left out if it is out of scope, or if it passes: where it is in scope, `must` is true and `review_if` is
false. What may not be left out is brought into a disjunction of conjunctions of atoms, each an expression against
constants; an atom is met by what is unknown, too. An atom that has no such form is left out of its conjunction, which
then keeps more rows: a cover may keep too much, and never too little.

Conjunctions of one shape, of many policies, become one: the widest constant, the union of lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..frozen import dataclass
from .lower import Lowering
from .typed import Arithmetic, Coerce, ColumnRef, Compare, Constant, In, IsNull, Junction, Not, Typed, walk

_MOST_CONJUNCTIONS = 32
_MOST_MEMBERS = 64
_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CHEAP = (Arithmetic, Coerce, Compare, In, IsNull)
_RANGES = frozenset({"<", "<=", ">", ">="})


class TooWide(Exception):
    """A policy whose cover would keep everything, or is too long to be of use."""


Atoms = Mapping[tuple[str, str, bool], frozenset[str]]
"""Of one conjunction: (expression, operator, whether it may be null) to the SQL of its constants."""


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Atoms that are all met. Those of one `shape` can be merged."""

    atoms: Atoms

    @property
    def shape(self) -> tuple[tuple[str, str, bool], ...]:
        return tuple(sorted(self.atoms))

    def sql(self) -> str:
        return "(" + " AND ".join(_atom_sql(*key, self.atoms[key]) for key in self.shape) + ")"


def merged(conjunctions: Iterable[Conjunction]) -> list[Conjunction]:
    """One conjunction for each shape, that is true where any of its kind is; in a fixed order."""
    found: dict[tuple[tuple[str, str, bool], ...], dict[tuple[str, str, bool], frozenset[str]]] = {}
    for one in conjunctions:
        into = found.setdefault(one.shape, {})
        for key, constants in one.atoms.items():
            into[key] = into.get(key, frozenset()) | constants
    return [Conjunction(found[shape]) for shape in sorted(found)]


def cover(where: Typed | None, must: Typed, review_if: Typed | None, lowering: Lowering) -> list[Conjunction]:
    """The conjunctions of one policy: true of each row that is not a pass, as far as it is in or of unknown scope.

    Raises TooWide where there is nothing to be gained.
    """
    work = _Work(lowering)
    scope: list[dict[tuple[str, str, bool], frozenset[str]]] = [{}]
    wanted = work.met(must, False)
    if review_if is not None:
        wanted = wanted + work.met(review_if, True)
    if where is not None:
        scope = work.met(where, True)
    parts = _product(scope, wanted)
    if where is not None:
        parts += [{key: frozenset()} for key in work.unknowns(where)]
    if len(parts) > _MOST_CONJUNCTIONS or not all(parts):
        raise TooWide
    return [Conjunction(part) for part in parts]


Part = dict[tuple[str, str, bool], frozenset[str]]


class _Work:
    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering

    def met(self, node: Typed, wanted: bool) -> list[Part]:
        """Conjunctions, one of which is met wherever `node` has the wanted value or is unknown."""
        if isinstance(node, Not):
            return self.met(node.value, not wanted)
        if isinstance(node, Junction):
            parts = [self.met(item, wanted) for item in node.items]
            if (node.op == "and") == wanted:
                found: list[Part] = [{}]
                for part in parts:
                    found = _product(found, part)
                return found
            return _bounded([one for part in parts for one in part])
        return [self.atom(node, wanted)]

    def atom(self, node: Typed, wanted: bool) -> Part:
        """An atom, or none, which is met by every row."""
        if isinstance(node, Compare):
            return self._compare(node, wanted)
        if isinstance(node, In) and wanted and all(_is_constant(m) for m in node.members):
            return self._with(node.value, "=", node.members)
        if isinstance(node, IsNull) and _of_row(node.value):
            key = (self.lowering.sql(node.value), "null" if wanted else "known", False)
            return {key: frozenset()}
        if isinstance(node, ColumnRef):  # a truth value
            return {(self.lowering.sql(node), "=", node.nullable): frozenset({"TRUE" if wanted else "FALSE"})}
        return {}

    def _compare(self, node: Compare, wanted: bool) -> Part:
        left, right, op = node.left, node.right, node.op
        if _is_constant(left):
            left, right, op = right, left, _FLIPPED[op]
        if not _is_constant(right):
            return {}
        op = op if wanted else _NEGATED[op]
        return self._with(left, op, (right,)) if op != "!=" else {}

    def _with(self, value: Typed, op: str, constants: Sequence[Typed]) -> Part:
        if not _of_row(value):
            return {}
        key = (self.lowering.sql(value), op, value.nullable or not isinstance(value, ColumnRef))
        return {key: frozenset(self.lowering.sql(one) for one in constants)}

    def unknowns(self, node: Typed) -> list[tuple[str, str, bool]]:
        """Atoms, one of which is met wherever a condition is unknown: a value that it reads is null.

        Raises TooWide if that can come of something else.
        """
        if isinstance(node, (Not, Junction)):
            return list(dict.fromkeys(key for child in node.children() for key in self.unknowns(child)))
        if isinstance(node, IsNull) or not node.nullable:
            return []
        if isinstance(node, ColumnRef):
            return [(self.lowering.sql(node), "null", False)]
        if isinstance(node, Compare) and _of_row(node):
            sides = (node.left, node.right)
            return [(self.lowering.sql(one), "null", False) for one in sides if not _is_constant(one)]
        if isinstance(node, In) and _of_row(node) and all(_is_constant(m) for m in node.members):
            return [(self.lowering.sql(node.value), "null", False)]
        raise TooWide


def _product(left: list[Part], right: list[Part]) -> list[Part]:
    found: list[Part] = []
    for one in left:
        for other in right:
            both = dict(one)
            for key, constants in other.items():
                # Of two atoms of one shape one is enough.
                both.setdefault(key, constants)
            found.append(both)
    return _bounded(found)


def _bounded(parts: list[Part]) -> list[Part]:
    if len(parts) > _MOST_CONJUNCTIONS:
        raise TooWide
    return parts


def _is_constant(node: Typed) -> bool:
    """A literal or a parameter that has one value on every day."""
    return isinstance(node, Constant) and not node.dated and node.options[0].value is not None


def _of_row(node: Typed) -> bool:
    """Whether a value is of the judged row alone, and cheap."""
    return all(
        (isinstance(one, ColumnRef) and one.side == "row") or _is_constant(one) or isinstance(one, _CHEAP)
        for one in walk(node)
    )


def _atom_sql(value: str, op: str, nullable: bool, constants: frozenset[str]) -> str:
    if op == "null":
        return f"({value} IS NULL)"
    if op == "known":
        return f"({value} IS NOT NULL)"
    listed = sorted(constants)
    if op in _RANGES:
        widest = "greatest" if op in ("<", "<=") else "least"
        bound = listed[0] if len(listed) == 1 else f"{widest}({', '.join(listed)})"
        met = f"{value} {op} {bound}"
    elif len(listed) > _MOST_MEMBERS:
        return "TRUE"
    else:
        met = f"{value} IN ({', '.join(listed)})"
    return f"({met} OR {value} IS NULL)" if nullable else f"({met})"
