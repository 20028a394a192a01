"""What the readers of text formats hand over: rows in batches, with where they came from."""

from __future__ import annotations

from collections.abc import Sequence

from ..frozen import dataclass

CHUNK = 10_000
"""Rows that are converted and stored at once."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of one relation as a reader found them: raw values by column, and the line on which each row begins.

    The row at an index in `broken` was reported already and is empty. `header` lists the columns of a format that names
    them apart from the rows. `depth` is how many objects and lists stand around a value.
    """

    relation: str
    first_row: int
    lines: Sequence[int]
    rows: Sequence[dict[str, object]]
    broken: frozenset[int] = frozenset()
    header: tuple[str, ...] | None = None
    depth: int = 0
