"""Help for slips that people bring along from other tools, where the nearest legal word would not help."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from ..errors import did_you_mean
from .nodes import Items, Node, Scalar, Table
from .syntax import spaced
from .words import json_type

_SPACED = frozenset(
    {"a case", "a parameter", "a column", "a relation", "a row: columns by name", "an entry of `values`"}
)
"""Mappings; a text in their place may be a key whose colon has no space after it."""

_KEYS_OF_CASES = {
    "a list of rows, or `absent`": "rows",
    "rows of other relations": "facts",
    "a verdict": "expect",
    "a reason": "reason",
    "a list of keys with their outcomes": "expect_rows",
    "a whole number from 1 to 100000": "repeat",
    "an outcome": "outcome",
}
"""Keys of cases by what is expected after them. (`judged_on` is a word of the language and no column.)"""

_TYPES = {
    "string": "text", "str": "text", "varchar": "text", "char": "text", "enum": "text", "integer": "int",
    "bigint": "int", "long": "int", "number": "decimal", "numeric": "decimal", "double": "float", "real": "float",
    "boolean": "bool", "datetime": "instant", "timestamp": "instant", "time": "instant", "day": "date",
}  # fmt: skip
_DECIMAL = re.compile(r"(?:decimal|numeric|number)\s*\(\s*([0-9]+)(?:\s*,\s*([0-9]+))?\s*\)?")


def hint(title: str, node: Node) -> str | None:
    """Help for a value that is not the thing called `title` in its schema, or None. `node` as for `shape.Hint`."""
    if title == "a list of cases" and isinstance(node, Table) and {"must", "example"} & node.keys.keys():
        return _first_cases(node)
    if not isinstance(node, Scalar):
        return _list_hint(title, node)
    text = node.text
    if title in _SPACED and spaced(text):
        return f"put a space after the colon: `{spaced(text)}`"
    if title == "a language":
        return "write its tag, as `en` or `es-MX`"
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
    if title == "a list of values" and json_type(node) != "null":
        return f"write `value: {text}`, or `values_of: [{text}]`"
    if title == "a list of dated values" and json_type(node) != "null":
        return f"write `value: {text}`, or `values: [{{from: YYYY-MM-DD, value: {text}}}]`"
    if title == "an entry of `values`":
        return f"write `{{from: YYYY-MM-DD, value: {text}}}`; a list without days is `values_of`"
    if title == "the number 1":
        return "this version of Fiel reads format 1"
    if title == "a unit" and "%" in text:
        return "the unit of a part of one is `share`; `2%` is then a value"
    if title == "the name of a file" and "/" in text.replace("\\", "/").rstrip("/"):
        name = text.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return f"write `{name}`; its folder is given with `--references DIR`" if name.strip(".") else None
    if title == "a list of cases":
        return "a case is written `- {column: value, expect: pass}`"
    return None


def policy_hint(policy: str, columns: Collection[str]) -> Callable[[str, Node], str | None]:
    """The hints for the file of a policy, by its id. `columns` are those of the relations of its pack."""

    def find(title: str, node: Node) -> str | None:
        if title == "the id of a policy, `pack.name`":
            return f"write `policy: {policy}`"
        key = _KEYS_OF_CASES.get(title)
        if key is not None and key in columns:
            help = "a column of that name is written in `rows`: `rows: [{" + key + ": …}]`"
            if key in ("repeat", "outcome"):
                help = "a column of that name cannot be given here: rename it, or leave it to the `example`"
            return f"`{key}` is a key of cases here; {help}"
        return hint(title, node)

    return find


def waivers_hint(policies: Sequence[str]) -> Callable[[str, Node], str | None]:
    """The hints for the waivers of a pack. `policies` are the ids of its policies."""

    def find(title: str, node: Node) -> str | None:
        if title == "the id of a policy, `pack.name`" and isinstance(node, Scalar):
            return did_you_mean(node.text, policies, "policies")
        return hint(title, node)

    return find


def _list_hint(title: str, node: Node) -> str | None:
    """Help for a list, or a mapping, that is not the thing called `title`."""
    if title == "the value of a day":
        return "a dated value is one value: a list has no days"
    if title != "a value" or not isinstance(node, Items):
        return None
    texts = [item.text for item in node.items if isinstance(item, Scalar)]
    listed = ", ".join(texts)
    whole = len(texts) == len(node.items) and 0 < len(listed) <= 60
    return f"write `values_of: [{listed if whole else '…'}]`"


def _first_cases(root: Table) -> str:
    """The cases that every policy begins with, over a column of its example that the rule names."""
    example, must, none = (root.values.get(key) for key in ("example", "must", "if_none"))
    columns = list(example.keys) if isinstance(example, Table) else []
    words = re.findall(r"[a-z][a-z0-9_]*", must.text) if isinstance(must, Scalar) else []
    column = next((word for word in words if word in columns), columns[-1] if columns else "column")
    nothing = none.text if isinstance(none, Scalar) else "no_evidence"
    return f"""what the rule stops, and what it does without rows, is shown by cases:
cases:
  - {{{column}: …, expect: fail}}
  - {{rows: [], expect: {nothing}}}"""


def _type_hint(text: str) -> str | None:
    decimal = _DECIMAL.match(text.lower())
    if decimal:
        return f"write `{{type: decimal, digits: {decimal[1]}, places: {decimal[2] or 2}, unit: …}}`"
    known = _TYPES.get(text.lower())
    return f"the type is called `{known}`" if known else None
