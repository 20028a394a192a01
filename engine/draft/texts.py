"""Drafts as YAML. Every line that was guessed says so, in a comment that begins with `# guessed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal

from ..format.scalars import may_be_plain, quoted
from ..load.cases import CASE_KEYS
from ..load.nodes import Scalar
from ..load.words import json_type
from ..model import Column, Relation
from .rules import Rule

_MOST_TEXT = 60
"""Characters of a text in an example; a longer one is cut."""


def pack_text(name: str, about: str) -> str:
    """`pack.yaml`."""
    return (
        f"format: 1\npack: {name}\ntitle: Rules about {about}  # guessed: what is the pack about?\nversion: 0.1.0\n"
        "licence: not stated  # guessed: on what terms may others use it?\n"
    )


def relation_text(relation: Relation, remarks: Mapping[str, str], made_up: bool) -> str:
    """One entry of `relations.yaml`, all of it guessed; `made_up`: from nothing but its name."""
    mark = "  # guessed: made up, put a relation of your facts in its place" if made_up else ""
    lines = [
        f"{relation.name}:{mark}",
        f"  row: {relation.row}  # guessed: what is one row?",
        f"  key: [{', '.join(relation.key)}]  # guessed: does this name one row?",
        "  columns:",
    ]
    for column in relation.columns.values():
        remark = remarks.get(column.name, "")
        lines.append(f"    {column.name}: {_column(column)}" + (f"  # guessed: {remark}" if remark else ""))
    lines.append("  cannot_see: not written yet  # guessed: what is in no row?")
    return "\n".join(lines) + "\n"


def repeated_text(relation: Relation) -> str:
    """One entry of `relations.yaml` for a relation that another pack declares: in equal words."""
    lines = [f"{relation.name}:", f"  row: {quoted(relation.row)}", f"  key: [{', '.join(relation.key)}]", "  columns:"]
    lines += [f"    {column.name}: {_column(column)}" for column in relation.columns.values()]
    lines += [f"  cannot_see: {quoted(relation.cannot_see)}"] if relation.cannot_see is not None else []
    return "\n".join(lines) + "\n"


def _column(column: Column) -> str:
    parts = [f"type: {column.type.kind}"]
    if column.type.kind == "decimal":
        parts += [f"digits: {column.type.digits}", f"places: {column.type.places}"]
    if column.type.levels:
        parts.append(f"levels: [{', '.join(map(_text, column.type.levels))}]")
    if column.one_of:
        parts.append(f"one_of: [{', '.join(map(_text, column.one_of))}]")
    if column.unit is not None:
        parts.append(f"unit: {_text(column.unit)}")
    parts += [f"{word}: {end:f}" for word, end in (("min", column.low), ("max", column.high)) if end is not None]
    parts += [f"{word}: true" for word in ("required", "may_be_absent") if getattr(column, word)]
    if column.note is not None:
        parts.append(f"note: {quoted(column.note)}")
    return "{" + ", ".join(parts) + "}"


def policy_text(
    pack: str, name: str, relation: Relation, rule: Rule, example: Mapping[str, object], today: date, made_up: bool
) -> str:
    """A policy over the relation, with the example and the cases that its rule needs. `made_up`: there are no rows."""
    mark = "  # guessed: made up, put a rule of yours in its place" if made_up else ""
    revisit = date.fromordinal(today.toordinal() + 182).isoformat()
    lines = [
        f"policy: {pack}.{name}{mark}",
        f"title: {_text(rule.title)}  # guessed: say it as a sentence",
        f"for: {relation.name}",
        f"must: {rule.must}  # guessed: what has to hold of a row?",
    ]
    if rule.parameter is not None:
        unit = f", unit: {rule.unit}" if rule.unit is not None else ""
        because = f"because: {_text(rule.because)}, revisit: {revisit}"
        lines += ["params:", f"  {rule.parameter}: {{value: {rule.value}{unit}, origin: guess, {because}}}"]
    lines.append("cannot_see: not written yet  # guessed: what does the rule not look at?")
    lines.append("example: " + _row(relation, example))
    lines.append("cases:")
    lines += [f"  - {case}" for case in _cases(relation.columns[rule.column], rule)]
    return "\n".join(lines) + "\n"


def _cases(column: Column, rule: Rule) -> Iterator[str]:
    def given(value: object) -> str:
        differs = f"{column.name}: {cell(value, column)}"
        return f"rows: [{{{differs}}}]" if column.name in CASE_KEYS else differs

    yield f"{{{given(rule.passes)}, expect: pass}}"
    if rule.also is not None:
        yield f"{{{given(rule.also)}, expect: pass}}"
    yield f"{{{given(rule.fails)}, expect: fail}}"
    if not column.required:
        yield f"{{{given(None)}, expect: no_evidence, reason: null_column}}"
    yield "{rows: [], expect: no_evidence, reason: nothing_in_scope}"
    yield "{rows: absent, expect: no_evidence, reason: absent_relation}"


def _row(relation: Relation, values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{n}: {cell(values.get(n), c)}" for n, c in relation.columns.items()) + "}"


def cell(value: object, column: Column) -> str:
    """A typed value as a case writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    kind = column.type.kind
    if kind in ("int", "float", "date", "decimal"):
        return str(value)
    if kind == "instant":
        day, _, time = str(value).partition(" ")
        whole, _, fraction = time.partition(".")
        return f"{day}T{whole}{'.' + fraction if fraction.strip('0') else ''}Z"
    text = str(value)
    return _text(text if column.one_of or kind == "levels" else text[:_MOST_TEXT])


def _text(text: str) -> str:
    """A text that stays one, within brackets."""
    plain = may_be_plain(text, True) and json_type(Scalar(text, "plain", 1, 1, 1, 1)) == "string"
    return text if plain else quoted(text)
