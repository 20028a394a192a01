"""One literal of a file -> one typed value of a column, the same for JSON, CSV and the cells of cases.

A reader of a file makes raw values (`IntText`, `FloatText`, `str`, `bool`, None, …), this module makes typed ones:

    text str · int int · float float · bool bool · levels the rank as an int, 1 for the lowest
    decimal the str of its digits, with exactly the declared places (`1.50`), without exponent
    date the str `YYYY-MM-DD` · instant the str `YYYY-MM-DD HH:MM:SS.ffffff`, in UTC

`docs/semantics.md`, section 1, "Reading", is the definition.
"""

from __future__ import annotations

from ..model import Column, Limits, ValueType
from .bad_values import BadValue, expected, null_value, shown, value_problem
from .literals import INT, NUMBER, Converter, literal_reader


class IntText(str):
    """The digits of a JSON number without point and exponent."""

    __slots__ = ()


class FloatText(str):
    """The digits of a JSON number with a point or an exponent."""

    __slots__ = ()


class NotANumber(str):
    """`NaN`, `Infinity` or `-Infinity`: what Python's reader of JSON lets through and JSON does not have."""

    __slots__ = ()


def from_yaml(text: str | None, quoted: bool, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a cell of a case. Plain scalars are read like JSON's; text keeps what is written (`1.10`).

    Raises ValueError with a message for the author.
    """
    raw: object = text
    kind = column.type.kind
    if text is not None and not quoted:
        if kind == "bool" and text in ("true", "false"):
            raw = text == "true"
        elif kind in ("int", "decimal", "float"):
            raw = IntText(text) if INT.fullmatch(text) else FloatText(text) if NUMBER.fullmatch(text) else text
    return json_converter(column, limits or Limits())(raw)


def from_json(value: object, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a JSON value as `json_rows` reads it: numbers are `IntText` or `FloatText`."""
    return json_converter(column, limits or Limits())(value)


def from_csv(text: str, was_quoted: bool, column: Column, limits: Limits | None = None) -> object:
    """The typed value of a CSV field: an empty unquoted one is null, `""` is empty text."""
    return csv_converter(column, limits or Limits())(None if text == "" and not was_quoted else text)


def json_converter(column: Column, limits: Limits) -> Converter:
    """The converter of a column for raw JSON values. Built once a file, called for every value."""
    literal = literal_reader(column, limits)
    accepted = {
        "int": frozenset({IntText}),
        "decimal": frozenset({IntText, FloatText}),
        "float": frozenset({IntText, FloatText}),
        "bool": frozenset({bool}),
    }.get(column.type.kind, frozenset({str}))

    def convert(value: object) -> object:
        if type(value) in accepted:
            return literal(value)
        if value is None:
            if column.required:
                raise null_value(column)
            return None
        raise _mismatch(value, column.type)

    return convert


def csv_converter(column: Column, limits: Limits) -> Converter:
    """The converter of a column for CSV fields: text, or None for an empty unquoted field."""
    literal = literal_reader(column, limits)
    kind = column.type.kind

    def convert(value: object) -> object:
        if value is None:
            if column.required:
                raise null_value(column)
            return None
        if kind == "bool":
            if value not in ("true", "false"):
                raise value_problem("fact-type", f"{shown(value)} is no bool", "a bool is `true` or `false`")
            return value == "true"
        return literal(value)

    return convert


def _mismatch(value: object, kind: ValueType) -> BadValue:
    """A raw JSON value of another kind than the column's."""
    if isinstance(value, NotANumber):
        return value_problem("fact-type", f"{shown(value)} is no number of JSON", "write `null` for what is not known")
    if isinstance(value, bool):
        found = f"`{str(value).lower()}`, a bool"
    elif isinstance(value, (IntText, FloatText)):
        found = f"the number {shown(value)}"
    elif isinstance(value, str):
        found = f"the text {shown(value)}"
    else:
        found = "a list" if isinstance(value, list) else "an object"
    help = "take the quotes away" if isinstance(value, str) and kind.is_number and NUMBER.fullmatch(value) else None
    if isinstance(value, FloatText) and kind.kind == "int":
        help = "an int is written without point and exponent"
    return value_problem("fact-type", f"{found} where {expected(kind)} was expected", help)
