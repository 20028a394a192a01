"""Comments: found in the text of a file, and given to the entries that they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..frozen import dataclass
from ..load.nodes import Scalar
from ..load.source import Source
from .entries import BLOCK_STYLES, Entry, Position

_HEAD_OF_BLOCK = re.compile(r"[|>][-+0-9]*")


@dataclass(frozen=True)
class Comment:
    """`text` begins with its `#`. `alone`: nothing but the dash of an item stands before it on its line."""

    line: int
    column: int
    text: str
    alone: bool

    @property
    def at(self) -> Position:
        return self.line, self.column


def comments_of(source: Source, root: Entry) -> list[Comment]:
    """Every comment of a file, in order: a `#` that stands in no scalar begins one."""
    taken: dict[int, list[tuple[int, int]]] = {}
    for entry in root.walk():
        for scalar in (entry.key, entry.value):
            if isinstance(scalar, Scalar):
                for line, first, last in _span(source, scalar, entry):
                    taken.setdefault(line, []).append((first, last))
    found: list[Comment] = []
    for number, text in enumerate(source.lines, 1):
        column = _outside(text, sorted(taken.get(number, ())))
        if column is not None:
            before = text[: column - 1].strip()
            found.append(Comment(number, column, text[column - 1 :].rstrip(), before in ("", "-")))
    return found


def _span(source: Source, scalar: Scalar, entry: Entry) -> Iterator[tuple[int, int, int]]:
    """The stretches of lines that a scalar takes: line, first column, column after the last."""
    if scalar.style in BLOCK_STYLES:
        head = _HEAD_OF_BLOCK.match(source.line_text(scalar.line), scalar.column - 1)
        yield scalar.line, scalar.column, head.end() + 1 if head else scalar.column + 1
        for line in range(scalar.line + 1, entry.end[0] + 1):
            yield line, 1, len(source.line_text(line)) + 1
        return
    for line in range(scalar.line, scalar.end_line + 1):
        first = scalar.column if line == scalar.line else 1
        last = scalar.end_column if line == scalar.end_line else len(source.line_text(line)) + 1
        yield line, first, last


def _outside(text: str, taken: Sequence[tuple[int, int]]) -> int | None:
    """The column of the first `#` of a line that is in none of the stretches."""
    at = 1
    for first, last in [*taken, (len(text) + 1, len(text) + 1)]:
        found = text.find("#", at - 1, max(first - 1, at - 1))
        if found >= 0:
            return found + 1
        at = max(at, last)
    return None


def attach(source: Source, root: Entry, comments: Sequence[Comment]) -> None:
    """Gives each comment to an entry, and each entry the blank lines above it."""
    alone: dict[tuple[int, str], list[int]] = {}
    for comment in comments:
        owner = None if comment.alone else _beside(root, comment)
        if owner is not None:
            owner.beside.append(comment.text)
            continue
        target, where = _around(root, comment)
        before = alone.setdefault((id(target), where), [])
        texts = target.above if where == "above" else target.below
        if _blank_between(source, before[-1] if before else None, comment.line):
            texts.append("")
        texts.append(comment.text)
        before.append(comment.line)
    for entry in root.walk():
        last = alone.get((id(entry), "above"), [None])[-1]
        if entry is not root and _blank_between(source, last, entry.start[0]):
            entry.above.append("")


def _blank_between(source: Source, before: int | None, line: int) -> bool:
    """Whether a blank line stands above `line`, below the line `before` if there is one."""
    return line > 1 and not source.line_text(line - 1).strip() and (before is None or line - before > 1)


def _beside(root: Entry, comment: Comment) -> Entry | None:
    """The outermost entry that a comment stands behind, or whose key it follows."""
    pending = list(root.children)
    while pending:
        entry = pending.pop(0)
        if entry.start > comment.at or entry.end[0] < comment.line:
            continue
        if entry.start[0] == comment.line or entry.is_flow:
            is_behind = entry.end <= comment.at
            value, key = entry.value, entry.key
            is_head = isinstance(value, Scalar) and value.style in BLOCK_STYLES and value.line == comment.line
            is_head = is_head or (key is not None and key.line == comment.line < value.line)
            if is_behind or is_head:
                return entry
        pending = [*entry.children, *pending]
    return None


def _around(root: Entry, comment: Comment) -> tuple[Entry, str]:
    """The entry that a comment on a line of its own belongs to, and whether it stands above or below (at its end)."""
    inside = root
    while True:
        inner = next((c for c in inside.children if c.start < comment.at < c.end), None)
        if inner is None:
            break
        inside = inner
    if isinstance(inside.value, Scalar) or not inside.children:
        return inside, "above"
    following = next((c for c in inside.children if c.start > comment.at), None)
    if inside.is_flow:
        return (following, "above") if following is not None else (inside, "below")
    before = next((c for c in reversed(inside.children) if c.start < comment.at), None)
    deepest = None if following is not None else inside
    while before is not None and before.children and not before.is_flow and before.column <= comment.column:
        if before.column > inside.column:
            deepest = before
        before = before.children[-1]
    if deepest is not None:
        return deepest, "below"
    assert following is not None
    return following, "above"
