"""What a draft left to its author: remarks that say `guessed`, and words in the place of what is to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import Place, Problem
from .nodes import Items, Node, Scalar, Table
from .source import Source
from .words import shown

_GUESSED = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*guessed\b:?[ \t]*(.*)")
_STANDS_IN = {"cannot_see": "not written yet", "licence": "not stated"}
_HELP = {
    "cannot_see": "say what nobody looks at, so that a pass is not read as more than it is",
    "licence": "name the terms on which others may use the pack, as `CC0-1.0`",
}


def unfinished(source: Source, kind: str) -> list[Problem]:
    """A note for each line that a draft left open. Nothing is judged otherwise for it."""
    notes: list[Problem] = []
    left_open = "guessed" in source.text
    scalars = list(_scalars(source.root)) if left_open else []
    for number, line in enumerate(source.lines if left_open else (), 1):
        found = _GUESSED.search(line)
        if found is None or any(_holds(scalar, number, found.start() + 1) for scalar in scalars):
            continue
        what = found[1].strip()
        message = f"a guess is left here: {shown(what)}" if what else "a guess is left here"
        place = Place(source.file, number, found.start() + 1, len(line.rstrip()) - found.start())
        notes.append(source.problem("guess-left", message, place, "settle it, then remove the comment", note=True))
    lines = {one.place.line for one in notes if one.place is not None}
    for key, scalar in _declared(source.root, kind):
        if scalar.line not in lines and scalar.text.strip().rstrip(".").lower() == _STANDS_IN[key]:
            message = f"`{key}` is {shown(scalar.text.strip())}"
            notes.append(source.problem("guess-left", message, scalar, _HELP[key], note=True))
    return notes


def _declared(root: Node | None, kind: str) -> Iterator[tuple[str, Scalar]]:
    """The keys for which a word may stand in: of the file, in `relations.yaml` of each entry. (A cell is none.)"""
    tables = [root, *root.values.values()] if isinstance(root, Table) and kind == "relations" else [root]
    for table in tables:
        for name, value in table.values.items() if isinstance(table, Table) else ():
            if name in _STANDS_IN and isinstance(value, Scalar):
                yield name, value


def _scalars(node: Node | None) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from _scalars(item)
    elif isinstance(node, Table):
        yield from node.keys.values()
        for value in node.values.values():
            yield from _scalars(value)


def _holds(scalar: Scalar, line: int, column: int) -> bool:
    return (scalar.line, scalar.column) <= (line, column) < (scalar.end_line, scalar.end_column)
