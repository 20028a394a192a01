"""Bounds on what is read and on what judging may take."""

from __future__ import annotations

from .frozen import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read. Each is a setting, `--limit NAME=VALUE`; hitting one is an error that names it."""

    json_bytes: int = 128 * 1024 * 1024
    """A JSON file, which is held in memory whole. JSON Lines, CSV and Parquet are not."""
    file_bytes: int = 4 * 1024 * 1024 * 1024
    """A JSON Lines or CSV file. (Parquet is judged where it lies.)"""
    line_bytes: int = 16 * 1024 * 1024
    """A line of JSON Lines, a record of CSV, a row of JSON."""
    rows: int = 1_000_000_000
    """The rows of one relation, over all its files."""
    nesting: int = 16
    """Levels of JSON objects and lists inside one another."""
    text_length: int = 1_000_000
    """Code points in one text value."""
    problems: int = 20
    """Fact errors that are listed; the rest are counted."""
    memory_mb: int = 2048
    """What DuckDB may keep in memory before it spills to disk."""
    disk_mb: int = 65536
    """What DuckDB may spill to disk."""
    seconds: int = 0
    """How long one query may take; 0 is no limit."""
