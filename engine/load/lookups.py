"""`same_as`: which references, by which key, and what is shown."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Place
from ..model import SameAs
from .nodes import Items, Scalar, Table
from .reader import Reader


def read_same_as(reader: Reader, root: Table) -> SameAs | None:
    """The value of `same_as`; None if it is not there, or a part of it is bad (which was reported)."""
    table = reader.table(root, "same_as")
    if table is None:
        return None
    named = list(_references(table.values.get("reference")))
    match, show = reader.table(table, "match"), reader.table(table, "show")
    if match is None or show is None or not named or not all(reader.good(node) for node in named):
        return None
    if not all(
        isinstance(node, Scalar) and reader.good(node) for node in (*match.values.values(), *show.values.values())
    ):
        return None
    places = {f"reference {node.text}": reader.source.place(node) for node in named}
    places |= {key: reader.source.place(table.values[key]) for key in ("match", "show")}
    if "on_conflict" in table.keys:
        places["on_conflict"] = reader.source.place(table.keys["on_conflict"])
    for word, pairs in (("match", match), ("show", show)):
        places |= dict(_places(reader, word, pairs))
    return SameAs(
        tuple(node.text for node in named),
        _texts(match),
        _texts(show),
        "on_conflict" in table.keys,
        places=places,
    )


def _references(node: object) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Items):
        yield from (item for item in node.items if isinstance(item, Scalar))


def _texts(table: Table) -> dict[str, str]:
    return {name: node.text for name, node in table.values.items() if isinstance(node, Scalar)}


def _places(reader: Reader, word: str, table: Table) -> Iterator[tuple[str, Place]]:
    for name, key in table.keys.items():
        yield f"{word} {name}", reader.source.place(key)
        yield f"{word}.{name}", reader.source.place(table.values[name])
