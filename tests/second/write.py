"""Trees, values and packs as text: expressions with few parentheses, YAML, JSON.

`expression(node, choices)` gives a text with `parse(text) == node`; `choices` varies spelling (redundant parentheses,
`not (x in …)` or `x not in …`), None writes plainly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Protocol

from . import expr, values
from .expr import Node
from .values import Type, Value

OR, AND, NOT, PREDICATE, SUM, PRODUCT, PRIMARY = range(7)


class Choices(Protocol):
    """Where variety comes from: Hypothesis, which can shrink it, or a seeded random number generator."""

    def below(self, count: int) -> int: ...

    def chance(self, percent: int) -> bool: ...


def expression(node: Node, choices: Choices | None = None, least: int = OR) -> str:
    """The text of a tree; in parentheses if it binds weaker than `least`."""
    text, strength = _bare(node, choices)
    redundant = choices is not None and strength > OR and not isinstance(node, expr.Literal) and choices.chance(4)
    return f"({text})" if strength < least or redundant else text


def _bare(node: Node, choices: Choices | None) -> tuple[str, int]:
    def at(part: Node, least: int) -> str:
        return expression(part, choices, least)

    match node:
        case expr.Not(expr.Between() | expr.In() | expr.InList() | expr.IsNull() as part) if _inside(choices):
            return _predicate(part, choices, "not "), PREDICATE
        case expr.Not(part):
            return f"not {at(part, NOT)}", NOT
        case expr.Logical(op, left, right):
            level = OR if op == "or" else AND
            return f"{at(left, level)} {op} {at(right, level + 1)}", level
        case expr.Compare(op, left, right):
            return f"{at(left, SUM)} {op} {at(right, SUM)}", PREDICATE
        case expr.Between() | expr.In() | expr.InList() | expr.IsNull():
            return _predicate(node, choices, ""), PREDICATE
        case expr.Arithmetic(op, left, right):
            level = SUM if op in "+-" else PRODUCT
            return f"{at(left, level)} {op} {at(right, level + 1)}", level
        case expr.Step(op, day, count, unit):
            return f"{at(day, SUM)} {op} interval ({at(count, SUM)}) {unit}", SUM
        case _:
            return _primary(node, choices), PRIMARY


def _inside(choices: Choices | None) -> bool:
    return choices is None or not choices.chance(25)


def _predicate(node: Node, choices: Choices | None, negated: str) -> str:
    def at(part: Node) -> str:
        return expression(part, choices, SUM)

    match node:
        case expr.Between(value, low, high):
            return f"{at(value)} {negated}between {at(low)} and {at(high)}"
        case expr.In(value, members):
            return f"{at(value)} {negated}in ({', '.join(at(each) for each in members)})"
        case expr.InList(value, name):
            return f"{at(value)} {negated}in {name}"
        case expr.IsNull(value):
            return f"{at(value)} is {negated}null"
        case _:
            raise AssertionError(node)


def _primary(node: Node, choices: Choices | None) -> str:
    match node:
        case expr.Literal("text", text):
            return "'" + text.replace("'", "''") + "'"
        case expr.Literal(_, text) | expr.Name(text):
            return text
        case expr.Judged(name):
            return f"judged.{name}"
        case expr.Call(name, arguments):
            return f"{name}({', '.join(expression(each, choices) for each in arguments)})"
        case expr.Exists(relation, condition):
            where = "" if condition is None else f" where {expression(condition, choices)}"
            return f"exists (from {relation}{where})"
        case expr.Aggregate(name, argument, distinct, condition):
            inside = "*" if argument is None else ("distinct " if distinct else "") + expression(argument, choices)
            tail = "" if condition is None else f" filter (where {expression(condition, choices)})"
            return f"{name}({inside}){tail}"
        case _:
            raise AssertionError(node)


# YAML.

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*\Z")


def scalar(text: str) -> str:
    """A text as a YAML scalar: plain where that is safe, else in double quotes."""
    if PLAIN.match(text) and text.lower() not in ("null", "true", "false", "yes", "no"):
        return text
    return '"' + "".join(_escaped(each) for each in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isascii() and char.isprintable():
        return char
    if char.isprintable():
        return char
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else f"\\u{ord(char):04x}"


def rule(text: str, style: int, indent: str = "") -> str:
    """An expression as the value of a key: folded, in double quotes, or plain."""
    simple = text.isascii() and text.isprintable()
    if simple and style == 2 and re.match(r"[a-z(]", text) and not re.search(r": | #|:$", text):
        return text
    if simple and style != 1:
        words, lines = text.split(" "), [""]
        for word in words:
            # Spaces at an end would be lost in folding, so a line breaks only at one space between two words.
            fits = len(lines[-1]) + len(word) < 60 or not word or not lines[-1] or lines[-1].endswith(" ")
            lines = [*lines[:-1], lines[-1] + (" " if lines[-1] else "") + word] if fits else [*lines, word]
        if " ".join(lines) == text and not any(line.startswith(" ") or line.endswith(" ") for line in lines):
            return ">-\n" + "\n".join(f"{indent}  {line}" for line in lines)
    return '"' + "".join(_escaped(each) for each in text) + '"'


def yaml(tree: Any, indent: str = "") -> str:
    """A tree of mappings, lists and texts as block YAML; a text that starts with a newline is written as it is."""
    lines = []
    for name, value in tree.items():
        if isinstance(value, Mapping):
            lines.append(f"{indent}{name}: {{}}" if not value else f"{indent}{name}:\n{yaml(value, indent + '  ')}")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            lines.append(f"{indent}{name}: {_flow(value)}")
        elif isinstance(value, Raw):
            lines.append(f"{indent}{name}: {value}")
        else:
            lines.append(f"{indent}{name}: {scalar(value)}")
    return "\n".join(lines)


class Raw(str):
    """YAML that is already written."""


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_flow(each)}" for name, each in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    return value if isinstance(value, Raw) else scalar(value)


def in_flow(value: Any) -> str:
    """A tree of mappings, lists and texts on one line."""
    return _flow(value)


def waivers_of(text: str, policies: Sequence[str]) -> str:
    """The lines of a `waivers.yaml`, a waiver each, that are of these policies (named by their files)."""
    heads = tuple(f"- {{policy: p.{name.removesuffix('.yaml')}," for name in policies)
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith(heads))


# Values as YAML and as JSON.


def in_yaml(kind: Type, value: Value) -> str:
    if value is None:
        return Raw("null")
    if isinstance(value, bool):
        return Raw("true" if value else "false")
    if isinstance(value, str):
        return Raw('"' + "".join(_escaped(each) for each in value) + '"')
    return Raw(as_number(kind, value) if kind.kind in values.NUMBERS else value_text(kind, value))


def as_number(kind: Type, value: Value) -> str:
    return values.show_decimal(value, kind.places) if isinstance(value, Fraction) else repr(value)


def value_text(kind: Type, value: Value) -> str:
    if isinstance(value, datetime):
        return values.show_instant(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def in_json(kind: Type, value: Value, spelling: int = 0) -> str:
    """The value as JSON; `spelling` varies how numbers and instants are written, not what they are."""
    if value is None:
        return "null"
    if kind.kind in values.NUMBERS:
        return _spelt_number(kind, as_number(kind, value), spelling)
    if isinstance(value, datetime) and spelling % 3 == 1 and value.year > 1:
        return json.dumps((value - timedelta(hours=5, minutes=30)).isoformat() + "-05:30")
    return json.dumps(value if isinstance(value, (str, bool)) else value_text(kind, value))


def _spelt_number(kind: Type, text: str, spelling: int) -> str:
    if kind.kind == "float" and text.endswith(".0") and "e" not in text and spelling % 3 == 1:
        return text[:-2] if text != "-0.0" else text  # 10 is 10.0, as it is an exact double
    if kind.kind == "decimal" and kind.places and spelling % 3 == 1:
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        return f"{sign}{digits.replace('.', '').lstrip('0') or '0'}e-{kind.places}"
    return text


def facts_json(types: Mapping[str, Mapping[str, Type]], facts: Mapping[str, Sequence[Mapping[str, Value]]]) -> str:
    """Facts as one JSON document, a row a line; a column that a row lacks is left out."""
    relations = []
    for relation, rows in facts.items():
        kinds = types[relation]
        lines = [
            "{" + ", ".join(f'"{name}": {in_json(kinds[name], value, at)}' for name, value in row.items()) + "}"
            for at, row in enumerate(rows)
        ]
        relations.append(f'"{relation}": [' + ",\n  ".join(lines) + "]")
    return "{" + ",\n ".join(relations) + "}\n"
