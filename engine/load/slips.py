"""Keys that stand one level too far out or in, and keys that were meant for others: what an author had in mind."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher

from ..errors import nearest
from ..names import NAME
from .nodes import Node, Scalar, Table
from .schemas import Resolved, belongs, types_of
from .source import Source
from .words import json_type

_TABLE = {"type": "object"}
_STRONG = 0.7
"""From here on two spellings are one word. (`shall` and `allow` are as near as 0.6, `ensure` and `source` as 0.67.)"""

_ELSEWHERE = {
    "must": "shall should require requires required assert rule condition constraint check expression",
    "where": "when if filter scope condition",
    "for": "relation table entity on",
    "policy": "id name",
    "pack": "id name",
    "title": "description summary label name",
    "cases": "tests examples",
    "cannot_see": "blind limits limitations",
    "params": "parameters constants",
    "because": "reason why rationale",
    "columns": "fields attributes",
    "row": "description",
    "key": "keys id primary_key",
    "one_of": "enum values allowed",
    "digits": "precision",
    "places": "scale",
    "value": "is equals",
    "expect": "expected verdict result outcome then",
}
"""What a key is called in other tools, or by somebody who writes it from memory."""


def meant_keys(unknown: Collection[str], given: Collection[str], rule: Resolved) -> dict[str, str]:
    """For unknown keys the key that was meant, where that can be told; a key that is missing comes first.

    `unknown` are those among the keys `given` that `rule` does not have.
    """
    free = {key for key in rule.schema.get("properties", {}) if key not in given}
    missing = missing_keys(given, rule)
    meant: dict[str, str] = {}
    unclear = []
    for name in unknown:
        found = _meant(name, missing, free)
        if found is None:
            unclear.append(name)
            continue
        meant[name] = found
        free.discard(found)
        missing = [key for key in missing if key != found]
    if set(meant.values()) & _choices(rule):
        missing = [key for key in missing if key not in _choices(rule)]
    unclear = [name for name in unclear if belongs(name, but=rule.title) is None and NAME.fullmatch(name)]
    if unclear and missing and (len(missing) == 1 or set(missing) <= _choices(rule)):
        meant[unclear[0]] = missing[0]
    return meant


def _choices(rule: Resolved) -> set[str]:
    return {choice["required"][0] for choice in rule.schema.get("oneOf", ())}


def missing_keys(given: Collection[str], rule: Resolved) -> list[str]:
    """The keys that are needed and not given; of several that exclude one another all, if none is given."""
    missing = [key for key in rule.schema.get("required", ()) if key not in given]
    choices = [choice["required"][0] for choice in rule.schema.get("oneOf", ())]
    return missing if any(key in given for key in choices) else [*missing, *choices]


def _meant(name: str, missing: Collection[str], free: Collection[str]) -> str | None:
    near = nearest(name, missing)
    if near is not None:
        return near
    near = nearest(name, free)
    if near is not None and SequenceMatcher(None, near, name).ratio() >= _STRONG:
        return near
    return other_word(name, missing) or other_word(name, free)


def other_word(name: str, keys: Collection[str]) -> str | None:
    """The one of `keys` for which `name` is another word, or None."""
    return next((key for key, words in _ELSEWHERE.items() if key in keys and name in words.split()), None)


def not_indented(source: Source, table: Table, rule: Resolved) -> Iterator[tuple[Scalar, list[str]]]:
    """Keys without a value, each with the names that stand below it and were meant to stand in it."""
    if not any(map(_is_left_out, table.values.values())):
        return
    names = list(table.keys)
    properties = rule.schema.get("properties", {})
    for at, name in enumerate(names):
        inner = _inner(name, rule)
        if inner is None or not _is_left_out(table.values[name]):
            continue
        followers = []
        for later in names[at + 1 :]:
            same_column = table.keys[later].column == table.keys[name].column
            legal = later in inner.schema.get("properties", {}) or "properties" not in inner.schema
            here = later in properties or ("properties" not in rule.schema and not legal)
            if here or not legal or not same_column or not NAME.fullmatch(later):
                break
            followers.append(later)
        if followers and source.withdraw("empty-value", table.keys[name]):
            yield table.keys[name], followers


def _inner(name: str, rule: Resolved) -> Resolved | None:
    """What the schema says of the mapping (or the list of mappings) after a key; None if it is neither."""
    schema = rule.schema.get("properties", {}).get(name, rule.schema.get("additionalProperties"))
    inner = rule.to(schema) if isinstance(schema, dict) else None
    if inner is not None and types_of(inner.schema) == {"array"}:
        inner = inner.to(inner.schema["items"])
        return Resolved(inner.file, _TABLE) if types_of(inner.schema) == {"object"} else None
    return inner if inner is not None and types_of(inner.schema) == {"object"} else None


def _is_left_out(node: Node) -> bool:
    return isinstance(node, Scalar) and node.refused and node.style == "plain" and node.text == ""


def indented_keys(source: Source, table: Table, rule: Resolved) -> Mapping[str, tuple[Scalar, str]]:
    """Missing keys that stand too far to the right: the key as it stands there, and what it fell into."""
    found: dict[str, tuple[Scalar, str]] = {}
    for key in missing_keys(table.keys, rule):
        for name, value in table.values.items():
            at = (
                _in_text(source, key, value) if isinstance(value, Scalar) else _in_table(source, key, value, name, rule)
            )
            if at is not None:
                found.setdefault(key, (at, name))
    return found


def _in_text(source: Source, key: str, scalar: Scalar) -> Scalar | None:
    """The key in a line that belongs to a block text."""
    if scalar.style not in ("literal", "folded"):
        return None
    return key_in_lines(source, {key}, scalar)


def key_in_lines(source: Source, keys: Collection[str], scalar: Scalar) -> Scalar | None:
    """The first line after the first of a scalar that begins with one of `keys` and a colon."""
    for line in range(scalar.line + 1, scalar.end_line + 1):
        found = re.match(r" +([a-z][a-z0-9_]*)\s*:(?:\s|$)", source.line_text(line))
        if found and found[1] in keys:
            return Scalar(found[1], "plain", line, found.start(1) + 1, line, found.end(1) + 1)
    return None


def _in_table(source: Source, key: str, value: Node, name: str, rule: Resolved) -> Scalar | None:
    """The key among the names of a mapping whose values are of another kind than the value that stands there."""
    inner = _inner(name, rule)
    if inner is None or not isinstance(value, Table) or key not in value.keys:
        return None
    legal, at = inner.schema.get("additionalProperties"), value.keys[key]
    if source.line_text(at.line)[: at.column - 1].strip() or key in inner.schema.get("properties", {}):
        return None
    if isinstance(legal, dict) and json_type(value.values[key]) in types_of(inner.to(legal).schema):
        return None
    return at
