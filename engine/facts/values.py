"""One literal of a file -> one typed value of a column, the same for JSON, CSV and the cells of cases.

A reader of a file makes raw values (`IntText`, `FloatText`, `str`, `bool`, None, …), this module makes typed ones:

    text str · int int · float float · bool bool · levels the rank as an int, 1 for the lowest
    decimal the str of its digits, with exactly the declared places (`1.50`), without exponent
    date the str `YYYY-MM-DD` · instant the str `YYYY-MM-DD HH:MM:SS.ffffff`, in UTC

`docs/semantics.md`, section 1, "Reading", is the definition.
"""

from __future__ import annotations

from ..limits import Limits
from ..model import Column
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
            try:
                return literal(value)
            except BadValue as error:
                raise _explained(error, value, column, csv=False) from None
        if value is None:
            if column.required:
                raise null_value(column)
            return None
        raise _mismatch(value, column)

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
        try:
            if kind != "bool":
                return literal(value)
            if value not in ("true", "false"):
                raise value_problem("fact-type", f"{shown(value)} is no bool", "a bool is `true` or `false`")
            return value == "true"
        except BadValue as error:
            if value == "":
                error.help = "leave the field empty, without quotes, for null"
            elif str(value) != str(value).strip():
                raise Blanks(error) from None
            raise _explained(error, value, column, csv=True) from None

    return convert


class Blanks(BadValue):
    """A CSV field that is refused and has blanks around it. Told once a column: it is one slip of a writer."""

    def __init__(self, error: BadValue) -> None:
        super().__init__(error.code, str(error), error.help)


def _explained(error: BadValue, value: object, column: Column, csv: bool) -> BadValue:
    """The same problem with better help, if the value is a known slip."""
    if error.code in ("fact-type", "fact-not-listed"):
        from .value_help import meant

        error.help = meant(str(value), column, csv) or error.help
    return error


def _mismatch(value: object, column: Column) -> BadValue:
    """A raw JSON value of another kind than the column's."""
    kind = column.type
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
    message = f"{found} where {expected(kind)} was expected"
    return value_problem("fact-type", message, _mismatch_help(value, column))


def _mismatch_help(value: object, column: Column) -> str | None:
    from .value_help import meant

    kind = column.type
    if isinstance(value, (list, dict)):
        return "a row is flat: a list or an object is better a relation of its own"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if kind.kind == "text" or text in kind.levels:
        return f"put it in quotes: {shown(chr(34) + text + chr(34))}"
    literal = INT if kind.kind == "int" else NUMBER
    if isinstance(value, FloatText) and kind.kind == "int":
        return meant(text, column, csv=False) or "an int is written without point and exponent"
    if isinstance(value, str) and not isinstance(value, (IntText, FloatText)):
        if (kind.is_number and literal.fullmatch(text)) or (kind.kind == "bool" and text in ("true", "false")):
            return "take the quotes away"
    elif kind.kind in ("date", "instant"):
        return f"write {expected(kind)}"
    return meant(text, column, csv=False)
