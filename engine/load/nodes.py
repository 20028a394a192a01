"""The tree of a YAML file: scalars that keep their text, lists and mappings, each with its place."""

from __future__ import annotations

from collections.abc import Mapping

from ..frozen import dataclass

_NULLS = frozenset({"null", "Null", "NULL", "~"})


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text of the file. Lines and columns count from 1, the end is exclusive. `refused`: it was reported already."""

    text: str
    style: str
    line: int
    column: int
    end_line: int
    end_column: int
    refused: bool = False

    @property
    def quoted(self) -> bool:
        """Whether the author said by quotes (or by a block) that this is a text."""
        return self.style != "plain"

    @property
    def is_null(self) -> bool:
        return self.style == "plain" and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    line: int
    column: int
    end_line: int
    end_column: int
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping. `keys` has the node of each key, `values` that of its value, in the order of the file."""

    keys: Mapping[str, Scalar]
    values: Mapping[str, Node]
    line: int
    column: int
    end_line: int
    end_column: int
    refused: bool = False


Node = Scalar | Items | Table
