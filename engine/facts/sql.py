"""How the tables of facts are named, and lists of texts written; types, names and literals are the dialect's."""

from __future__ import annotations

from collections.abc import Iterable

from ..lang.dialects.duckdb import quote as name
from ..lang.dialects.duckdb import text_literal as literal
from ..lang.dialects.duckdb import type_name as sql_type
from ..model import ValueType


def table(relation: str) -> str:
    """The quoted name of a relation's table or view. The prefix keeps it apart from the names that the engine makes."""
    return f'"f_{relation}"'


def listed(texts: tuple[str, ...]) -> str:
    """Text literals with commas between."""
    return ", ".join(literal(text) for text in texts)


def unnested(number: int, kind: ValueType) -> str:
    """A column of values from the list that is parameter `number`. Decimals, dates and instants arrive as text."""
    if kind.kind in ("decimal", "date", "instant"):
        return f"unnest(${number}::VARCHAR[])::{sql_type(kind)}"
    return f"unnest(${number}::{sql_type(kind)}[])"


def numbered(rows: str, columns: Iterable[str], number: str) -> str:
    """A SELECT of the rows of a table with their position, from 0, as the column `number`.

    A declared column `rowid` would hide the database's own; then the rows are counted as they are scanned.
    """
    position = "row_number() OVER () - 1" if "rowid" in columns else "rowid"
    return f"SELECT {position} AS {name(number)}, * FROM {rows}"


__all__ = ["listed", "literal", "name", "numbered", "sql_type", "table", "unnested"]
