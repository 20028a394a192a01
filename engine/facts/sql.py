"""How the tables of facts are named, and lists of texts written; types, names and literals are the dialect's."""

from __future__ import annotations

from ..lang.dialects.duckdb import quote as name
from ..lang.dialects.duckdb import text_literal as literal
from ..lang.dialects.duckdb import type_name as sql_type


def table(relation: str) -> str:
    """The quoted name of a relation's table or view. The prefix keeps it apart from the names that the engine makes."""
    return f'"f_{relation}"'


def listed(texts: tuple[str, ...]) -> str:
    """Text literals with commas between."""
    return ", ".join(literal(text) for text in texts)


__all__ = ["listed", "literal", "name", "sql_type", "table"]
