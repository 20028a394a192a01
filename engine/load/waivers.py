"""`waivers.yaml`: dated exceptions. What they say of policies and rows is compared with the pack later."""

from __future__ import annotations

from ..model import Row, Waiver
from .nodes import Items, Node, Scalar, Table
from .reader import Reader


def read_waivers(reader: Reader) -> tuple[Waiver, ...]:
    """The waivers that could be read, numbered from 1 by their place in the file."""
    root = reader.source.root
    waivers = []
    for number, node in enumerate(root.items if isinstance(root, Items) and reader.good(root) else (), 1):
        waiver = _waiver(reader, number, node) if isinstance(node, Table) and reader.good(node) else None
        if waiver is not None:
            waivers.append(waiver)
    return tuple(waivers)


def _waiver(reader: Reader, number: int, table: Table) -> Waiver | None:
    policy, owner, because = (reader.text(table, key) for key in ("policy", "owner", "because"))
    until, at_most = reader.day(table, "until"), reader.text(table, "at_most")
    rows = _rows(reader, table.values.get("rows"))
    if policy is None or owner is None or because is None or until is None or at_most is None or rows is None:
        return None
    place, until_place = (reader.source.place(table.values[key]) for key in ("policy", "until"))
    return Waiver(number, policy, owner, because, until, int(at_most), rows, place, until_place)


def _rows(reader: Reader, node: Node | None) -> Row | None:
    """The cells after `rows`, none if it is not given; None if one of them is bad."""
    if node is None:
        return {}
    if not isinstance(node, Table) or not reader.good(node):
        return None
    cells = {}
    for name, value in node.values.items():
        if not isinstance(value, Scalar) or not reader.good(value):
            return None
        cells[name] = reader.source.cell(node.keys[name], value)
    return cells
