"""The tree of a file as it is laid out: entries with their comments, blank lines and the schema of their value.

An entry is a key with its value, or one item of a list. The whole file is an entry without a key.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..frozen import dataclass, field
from ..load.locate import spots_of
from ..load.nodes import Items, Node, Scalar, Table
from ..load.schemas import Resolved, load_schema
from ..load.source import Source

Position = tuple[int, int]
"""Line and column, both from 1."""

_VALUES = frozenset({"a value", "the value of a day", "a value of a column"})
_OF_VALUES = frozenset({"key columns by name"})
BLOCK_STYLES = frozenset({"literal", "folded"})


@dataclass
class Entry:
    """`above` are the comments before it, `""` for a blank line; `beside` that behind it; `below` those at the end
    of what it holds. `keeps_quotes`: a text in quotes and one without are different things here."""

    key: Scalar | None
    value: Node
    rule: Resolved
    parent: str
    keeps_quotes: bool
    children: list[Entry]
    start: Position
    end: Position
    is_flow: bool
    lines: tuple[str, ...] = ()
    """Of a scalar: its text in the lines that the author gave it."""
    above: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """How the schema calls the value."""
        return self.rule.title

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, Items)

    @property
    def column(self) -> int:
        """The column in which the entries of a block stand."""
        return self.value.column

    @property
    def has_comments_inside(self) -> bool:
        if any(text for text in self.below):
            return True
        return any(any(c.above) or c.beside or c.has_comments_inside for c in self.children)

    def walk(self) -> Iterator[Entry]:
        """The entry and all within it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


def entries_of(source: Source, kind: str) -> Entry:
    """The entries of a file that was read and compared with its schema, without comments."""
    assert source.root is not None
    file = f"{kind}.schema.json"
    return _entry(source, None, source.root, Resolved(file, load_schema(file)), "", (1, 1))


def _entry(
    source: Source, key: Scalar | None, value: Node, rule: Resolved, parent: str, start: Position | None = None
) -> Entry:
    rule = _chosen(rule, value)
    children = list(_children(source, value, rule))
    first = start or ((key.line, key.column) if key is not None else (value.line, value.column))
    is_flow = isinstance(value, (Items, Table)) and _sign(source, value) in ("[", "{")
    lines: tuple[str, ...] = ()
    if isinstance(value, Scalar):
        lines, end = _lines(source, value)
    elif children and not is_flow:
        end = children[-1].end
    else:
        end = (value.end_line, value.end_column)
    keeps = rule.title in _VALUES or parent in _OF_VALUES
    return Entry(key, value, rule, parent, keeps, children, first, end, is_flow, lines)


def _chosen(rule: Resolved, value: Node) -> Resolved:
    """Of a schema with a choice, the branch for this kind of node, under the title of the whole."""
    for inner in rule.schema.get("oneOf", ()) if "properties" not in rule.schema else ():
        branch = rule.to(inner)
        wanted = "array" if isinstance(value, Items) else "object" if isinstance(value, Table) else None
        if branch.schema.get("type") == wanted or (wanted is None and branch.schema.get("type") not in _COLLECTIONS):
            return Resolved(branch.file, {**branch.schema, "title": rule.schema.get("title", branch.title)})
    return rule


_COLLECTIONS = ("array", "object")


def _children(source: Source, value: Node, rule: Resolved) -> Iterator[Entry]:
    schema = rule.schema
    if isinstance(value, Items):
        inner = rule.to(schema.get("items", {}))
        for item in value.items:
            yield _entry(source, None, item, inner, rule.title)
    elif isinstance(value, Table):
        own, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, node in value.values.items():
            found = own.get(name, others if isinstance(others, dict) else {})
            yield _entry(source, value.keys[name], node, rule.to(found), rule.title)


def _sign(source: Source, node: Node) -> str:
    return source.line_text(node.line)[node.column - 1 : node.column]


def _lines(source: Source, scalar: Scalar) -> tuple[tuple[str, ...], Position]:
    """A text in the lines in which it was written, without what folding adds, and where it ends."""
    is_block = scalar.style in BLOCK_STYLES
    if scalar.line == scalar.end_line and not is_block:
        return (scalar.text,), (scalar.end_line, scalar.end_column)
    spots = spots_of(source.lines, scalar)[: len(scalar.text)]
    lines: list[str] = [""]
    for at, character in enumerate(scalar.text):
        following = spots[at + 1][0] if at + 1 < len(spots) else spots[at][0]
        if character == " " and following > spots[at][0]:
            lines.append("")
        else:
            lines[-1] += character
    if not is_block:
        return tuple(lines), (scalar.end_line, scalar.end_column)
    last = max((line for (line, _), c in zip(spots, scalar.text, strict=True) if c != "\n"), default=scalar.line)
    if len(set(spots)) <= 1 < len(spots):  # the way back was lost: the parser's end has to do
        last = max(scalar.line, scalar.end_line - 1)
    return tuple(lines), (last, len(source.line_text(last)) + 1)
