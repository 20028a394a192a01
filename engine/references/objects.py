"""A reference in JSON: a list of objects, each with the line on which it begins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ..facts.json_text import SPACE, RepeatedEntry, scan
from .read import Unreadable

Record = tuple[int, Mapping[str, object]]


def rows_of_json(text: str, path: str, headings: Sequence[str]) -> Iterator[Record]:
    """The records of a list of flat objects. Numbers are the text of their digits. Raises Unreadable with the line."""
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]

    def line_at(offset: int) -> int:
        return bisect_right(starts, offset)

    def space(offset: int) -> int:
        found = SPACE.match(text, offset)
        return found.end() if found is not None else offset

    def bad(message: str, offset: int, help: str | None = None) -> Unreadable:
        return Unreadable(message, f"{path}:{line_at(offset)}", help)

    at = space(0)
    if text[at : at + 1] != "[":
        raise bad("a reference in JSON is a list of objects", at, 'write `[{"heading": "value"}]`')
    at = space(at + 1)
    while text[at : at + 1] != "]":
        begins = at
        try:
            row, at = scan(text, at)
        except (ValueError, StopIteration, RecursionError):
            raise bad("this is no JSON", begins) from None
        yield line_at(begins), _cells(row, headings, lambda message, b=begins: bad(message, b))
        at = space(at)
        if text[at : at + 1] == ",":
            at = space(at + 1)
            if text[at : at + 1] == "]":
                raise bad("a comma stands before the end of the list", at)
        elif text[at : at + 1] != "]":
            raise bad("a comma or the end of the list was expected", at)
    if space(at + 1) != len(text):
        raise bad("something stands behind the list", at + 1)


def _cells(row: object, headings: Sequence[str], bad: object) -> dict[str, object]:
    assert callable(bad)
    if not isinstance(row, dict):
        raise bad("a reference in JSON is a list of objects")
    if isinstance(row, RepeatedEntry):
        raise bad(f"`{row.entry}` is given twice")
    found: dict[str, object] = {}
    for heading in headings:
        if heading not in row:
            raise bad(f"the entry `{heading}` is not there: write null for an empty one")
        value = row[heading]
        if isinstance(value, bool):
            value = "true" if value else "false"
        if value is not None and not isinstance(value, str):
            raise bad(f"`{heading}` is no text or number")
        found[heading] = str(value) if value is not None else None
    return found
