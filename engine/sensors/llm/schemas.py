"""The JSON Schemas that an answer has to keep, made from the questions or from the relations and from nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from ...model import Column, Relation
from ...sensor import ANCHORED

SENTENCE, QUOTE = "sentence", "quote"
GIVEN = (SENTENCE, QUOTE)
"""What a model says of the place of a span: the number of the sentence, and the words. Positions are computed."""

Schema = dict[str, object]
_TYPES = {"text": "string", "int": "integer", "decimal": "number", "float": "number", "bool": "boolean"}
_BOUNDS = {"minimum": "at least", "maximum": "at most", "minLength": "characters, at least"}
"""What providers do not keep by themselves: they read it in the description, and `answers` checks it."""


def question_schema(questions: Mapping[str, Sequence[str]], repeated: bool) -> Schema:
    """For each label an object with each of its questions: P(yes), or with `repeated` a plain yes or no.

    Labels and names are required properties, so that a provider that keeps to schemas can leave out and add none.
    """
    value: Schema = (
        {"type": "boolean", "description": "true for yes, false for no"}
        if repeated
        else {"type": "number", "minimum": 0, "maximum": 1, "description": "P(yes), also where the answer is no"}
    )
    return _object({label: _object(dict.fromkeys(names, value)) for label, names in questions.items()})


def annotation_schema(relations: Sequence[Relation], chosen: Mapping[str, Collection[str]]) -> Schema:
    """For each relation a list of items: the sentence, the quote, and the columns that no code fills.

    A relation without the column `quote` is about the whole text: its items have neither. `chosen` are the columns of
    each relation that are filled by the label of a given row.
    """
    return _object({one.name: {"type": "array", "items": _item(one, chosen.get(one.name, ()))} for one in relations})


def is_anchored(relation: Relation) -> bool:
    """Whether rows are stretches of a text, and not about the whole of it."""
    return QUOTE in relation.columns


def asked_columns(relation: Relation) -> tuple[Column, ...]:
    """The columns of a relation that are the model's to fill, beside the sentence and the quote."""
    return tuple(one for one in relation.columns.values() if one.name not in ANCHORED)


def portable(schema: Mapping[str, object]) -> Schema:
    """The schema with its bounds in words: providers refuse `minimum` and its like, but read a description."""
    kept: Schema = {}
    words = []
    for key, value in schema.items():
        if key in _BOUNDS and not isinstance(value, Mapping):
            words.append(f"{_BOUNDS[key]} {value}")
        elif key == "properties" and isinstance(value, Mapping):
            kept[key] = {name: portable(one) for name, one in value.items()}
        elif key == "anyOf" and isinstance(value, list):
            kept[key] = [portable(one) for one in value]
        else:
            kept[key] = portable(value) if isinstance(value, Mapping) else value
    if words:
        kept["description"] = "; ".join([*([str(kept["description"])] if "description" in kept else []), *words])
    return kept


def _object(properties: Mapping[str, object]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _item(relation: Relation, chosen: Collection[str]) -> Schema:
    place: Schema = {
        SENTENCE: {"type": "integer", "minimum": 1, "description": "the number n of the sentence [Sn]"},
        QUOTE: {"type": "string", "minLength": 1, "description": "words of that sentence, letter for letter"},
    }
    columns = {one.name: _label(one) if one.name in chosen else _column(one) for one in asked_columns(relation)}
    return _object({**(place if is_anchored(relation) else {}), **columns})


def _label(column: Column) -> Schema:
    """A column that is chosen: its values stand in no schema, so that no text can put words into one."""
    plain: Schema = {"type": "string", "description": "the label of a row that is given beside the text, as G1"}
    return plain if column.required else {"anyOf": [plain, {"type": "null"}]}


def _column(column: Column) -> Schema:
    """One column; of a column that is not required, null as well."""
    words = [*([column.note] if column.note else []), *([f"in {column.unit}"] if _has_unit(column) else [])]
    described: Schema = {"description": "; ".join(words)} if words else {}
    choices = column.type.levels or column.one_of
    if choices is not None:
        values: list[object] = [*choices, *([] if column.required else [None])]
        return {"enum": values, **described} if None in values else {"type": "string", "enum": values, **described}
    plain: Schema = {"type": _TYPES.get(column.type.kind, "string")}
    if column.type.kind in ("date", "instant"):
        plain["format"] = "date" if column.type.kind == "date" else "date-time"
    for key, bound in (("minimum", column.low), ("maximum", column.high)):
        if bound is not None:
            plain[key] = _bound(bound)
    return {**plain, **described} if column.required else {"anyOf": [plain, {"type": "null"}], **described}


def _has_unit(column: Column) -> bool:
    return column.unit is not None and column.unit != "none"


def _bound(bound: Decimal) -> int | float:
    return int(bound) if bound == bound.to_integral_value() else float(bound)
