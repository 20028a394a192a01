"""Help for slips that people bring along from other tools, where the nearest legal word would not help."""

from __future__ import annotations

import re

from .nodes import Node, Scalar
from .words import json_type

_TYPES = {
    "string": "text", "str": "text", "varchar": "text", "char": "text", "enum": "text", "integer": "int",
    "bigint": "int", "long": "int", "number": "decimal", "numeric": "decimal", "double": "float", "real": "float",
    "boolean": "bool", "datetime": "instant", "timestamp": "instant", "time": "instant", "day": "date",
}  # fmt: skip
_DECIMAL = re.compile(r"(?:decimal|numeric|number)\s*\(\s*([0-9]+)(?:\s*,\s*([0-9]+))?\s*\)?")


def hint(title: str, node: Node) -> str | None:
    """Help for a value that is not the thing called `title` in its schema, or None."""
    if not isinstance(node, Scalar):
        return None
    text = node.text
    if title == "a type":
        return _type_hint(text)
    if title == "a column":
        return f"write `{{type: {text}}}`" if json_type(node) == "string" else None
    if title == "a parameter":
        number = json_type(node) in ("integer", "number") or text.endswith("%")
        unit = " unit: …," if number else ""
        return f"write `{{value: {text},{unit} origin: convention, because: …}}`"
    if title == "the name of a parameter" and re.match(r"[-.0-9]", text):
        return "declare the number under `params`, with `unit`, `origin` and `because`, and write its name here"
    if title == "the number 1":
        return "this version of Fiel reads format 1"
    if title == "a unit" and "%" in text:
        return "the unit of a part of one is `share`; `2%` is then a value"
    if title == "a list of cases":
        return "a case is written `- {column: value, expect: pass}`"
    return None


def _type_hint(text: str) -> str | None:
    decimal = _DECIMAL.match(text.lower())
    if decimal:
        return f"write `{{type: decimal, digits: {decimal[1]}, places: {decimal[2] or 2}, unit: …}}`"
    known = _TYPES.get(text.lower())
    return f"the type is called `{known}`" if known else None
