"""A tree as written, as text again: what parses to the same tree."""

from __future__ import annotations

from ..errors import InternalError
from . import tree


def spell(node: tree.Node) -> str:
    """The expression on one line, with parentheses wherever a part could be taken for another."""
    if isinstance(node, tree.And):
        return " and ".join(_inside(i) for i in node.items)
    if isinstance(node, tree.Or):
        return " or ".join(_inside(i) for i in node.items)
    if isinstance(node, tree.Not):
        return _negated(node)
    if isinstance(node, tree.Compare):
        return f"{_value(node.left)} {node.op} {_value(node.right)}"
    if isinstance(node, tree.Between):
        return f"{_value(node.value)} between {_value(node.low)} and {_value(node.high)}"
    if isinstance(node, tree.In):
        members = node.list_name.name if node.list_name else f"({', '.join(spell(m) for m in node.members)})"
        return f"{_value(node.value)} in {members}"
    if isinstance(node, tree.IsNull):
        return f"{_value(node.value)} is null"
    if isinstance(node, tree.Arithmetic):
        return f"{_value(node.left)} {node.op} {_value(node.right)}"
    return _atom(node)


def _atom(node: tree.Node) -> str:
    if isinstance(node, tree.Name):
        return f"judged.{node.name}" if node.judged else node.name
    if isinstance(node, tree.NumberLiteral):
        return node.digits
    if isinstance(node, tree.TextLiteral):
        return "'" + node.value.replace("'", "''") + "'"
    if isinstance(node, tree.TruthLiteral):
        return "true" if node.value else "false"
    if isinstance(node, tree.NullLiteral):
        return "null"
    if isinstance(node, tree.Call):
        return f"{node.name}({', '.join(spell(a) for a in node.args)})"
    if isinstance(node, tree.Shift):
        sign = "+" if node.sign > 0 else "-"
        return f"{_value(node.value)} {sign} interval ({spell(node.amount)}) {node.unit}"
    if isinstance(node, tree.Aggregate):
        return _aggregate(node)
    if isinstance(node, tree.Exists):
        where = f" where {spell(node.condition)}" if node.condition is not None else ""
        return f"exists (from {node.relation.name}{where})"
    raise InternalError(f"cannot write {type(node).__name__}")


def _aggregate(node: tree.Aggregate) -> str:
    argument = "*" if node.argument is None else spell(node.argument)
    call = f"{node.name}({'distinct ' if node.distinct else ''}{argument})"
    return call + (f" filter (where {spell(node.filter)})" if node.filter is not None else "")


def _negated(node: tree.Not) -> str:
    inner = node.value
    if isinstance(inner, tree.IsNull):
        return f"{_value(inner.value)} is not null"
    if isinstance(inner, (tree.Name, tree.Call, tree.Exists, tree.Aggregate, tree.TruthLiteral)):
        return f"not {spell(inner)}"
    return f"not ({spell(inner)})"


def _inside(node: tree.Node) -> str:
    return f"({spell(node)})" if isinstance(node, (tree.And, tree.Or)) else spell(node)


def _value(node: tree.Node) -> str:
    """A side of a comparison or an operation."""
    return f"({spell(node)})" if isinstance(node, (tree.Arithmetic, tree.Shift)) else spell(node)
