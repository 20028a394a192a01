"""How names, types and literals are written in DuckDB."""

from __future__ import annotations

from ..model import ValueType

_FIXED = {
    "text": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "instant": "TIMESTAMP",
}


def sql_type(kind: ValueType) -> str:
    """The DuckDB type of a column. Levels are kept as their rank, from 1; instants as UTC without a zone."""
    if kind.kind == "decimal":
        return f"DECIMAL({kind.digits},{kind.places})"
    if kind.kind == "levels":
        return "UTINYINT" if len(kind.levels) < 256 else "USMALLINT"
    return _FIXED[kind.kind]


def table(relation: str) -> str:
    """The quoted name of a relation's table or view. The prefix keeps it apart from the names that the engine makes."""
    return f'"f_{relation}"'


def name(column: str) -> str:
    """A quoted name."""
    return '"' + column.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text literal. U+0000, which the parser does not take, is put together."""
    pieces = ["'" + piece.replace("'", "''") + "'" for piece in text.split("\0")]
    return pieces[0] if len(pieces) == 1 else "(" + " || chr(0) || ".join(pieces) + ")"


def listed(texts: tuple[str, ...]) -> str:
    """Text literals with commas between."""
    return ", ".join(literal(text) for text in texts)
