"""How the nodes of a file are spoken of in messages, and what an editor takes them for."""

from __future__ import annotations

import re
from datetime import date

from .nodes import Items, Node, Table

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BOOLEANS = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})


SPOKEN = {"integer": "number", "number": "number", "boolean": "truth value", "string": "text", "null": "null"}


def json_type(node: Node) -> str:
    """What an editor takes a node for: the JSON type that YAML 1.2 gives it."""
    if isinstance(node, Table):
        return "object"
    if isinstance(node, Items):
        return "array"
    if node.quoted:
        return "string"
    if node.is_null:
        return "null"
    if node.text in _BOOLEANS:
        return "boolean"
    if _INTEGER.fullmatch(node.text):
        return "integer"
    return "number" if _NUMBER.fullmatch(node.text) else "string"


def spoken(node: Node) -> str:
    if isinstance(node, Table):
        return "a mapping"
    if isinstance(node, Items):
        return "a list"
    found = json_type(node)
    if found == "null":
        return "null"
    return shown(node.text) if found == "string" else f"the {SPOKEN[found]} {shown(node.text)}"


def shown(text: str) -> str:
    """An author's text in a message: one line, at most sixty characters, in backticks."""
    cut = text if len(text) <= 60 else text[:59] + "…"
    return "`" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut) + "`"


def day_written(text: str) -> str | None:
    """A day in another form (`2024-1-2`, `2.1.2024`, `31/1/2024`) as `YYYY-MM-DD`; None if it could be two days."""
    parts = re.split(r"[-/.]", text)
    if not re.fullmatch(r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4}", text):
        return None
    if len(parts[0]) == 4:
        year, month, day = parts
    else:
        first, second, year = parts
        month, day = (second, first) if "." in text or int(first) > 12 else (first, second)
        if "." not in text and int(first) <= 12 and int(second) <= 12 and first != second:
            return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def form_help(text: str) -> str | None:
    day = day_written(text)
    if day is not None:
        return f"write `{day}`"
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")
    if re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name) and name != text and len(name) > 1:
        return f"a name may be `{name}`"
    return None
