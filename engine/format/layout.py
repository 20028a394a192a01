"""From entries to lines: the one form of a file.

Keys stand in the order of the schema (of a row: as the author wrote them). What a case, a column, a parameter or a
list holds stands on one line if it fits, else a row fills lines and anything else is a block. What has a comment inside
is a block. Two spaces indent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..load.nodes import Items, Scalar, Table
from .entries import BLOCK_STYLES, Entry
from .scalars import is_printable, quoted, written

WIDTH = 120

_BLOCKS = frozenset(
    {
        "the pack",
        "the relations",
        "a relation",
        "the columns of a relation",
        "the parameters",
        "the parameters of a policy",
        "a list of dated values",
        "a policy",
        "a list of cases",
        "a list of exclusions",
        "the references",
        "a reference",
        "columns by name",
        "the waivers",
        "a waiver",
        "the sensors",
        "a report",
        "a sensor",
        "questions by name",
    }
)
"""What never stands on one line, by its title in the schema."""
_ROWS = frozenset({"a row: columns by name", "a case"})
_EXPRESSION = "an expression"


def layout(root: Entry) -> str:
    """The text of a file. The entries are put in order on the way."""
    header = _header(root)
    _settle(root)
    lines = [*header, *_children(root, 0), *_tail(root.below, 0)]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _header(root: Entry) -> list[str]:
    """The comments at the top that belong to the file: what a blank line parts from the first key, and an editor's."""
    first = root.children[0] if root.children else root
    above = first.above
    last = max((at for at, text in enumerate(above) if not text and any(above[:at])), default=-1)
    while last + 1 < len(above) and above[last + 1].startswith("# yaml-language-server:"):
        last += 1
    header = above[: last + 1]
    first.above = above[last + 1 :]
    while header and not header[0]:
        header.pop(0)
    return header


def _settle(entry: Entry) -> None:
    """Order, and a place for each comment that has none in this form."""
    entry.children = _ordered(entry)
    for child in entry.children:
        _settle(child)
    for child in entry.children:
        if child.key is None and len(child.children) == 1 and isinstance(child.value, Table):
            # A comment behind the one key of an item stands behind the item.
            child.beside += child.children[0].beside
            child.children[0].beside = []
        if len(child.beside) > 1:
            child.above += child.beside[:-1]
            child.beside = child.beside[-1:]
        if child.key is None and child.children and _is_block(child, 0):
            # The first key stands behind the dash, so what is above it goes above the item.
            child.above += [*child.children[0].above, *child.beside]
            child.children[0].above, child.beside = [], []
    if entry.children:
        first = entry.children[0]
        while first.above and not first.above[0]:
            first.above.pop(0)


def _ordered(entry: Entry) -> list[Entry]:
    own = list(entry.rule.schema.get("properties", ()))
    if not isinstance(entry.value, Table) or not own:
        return entry.children

    def place(child: Entry) -> int:
        assert child.key is not None
        return own.index(child.key.text) if child.key.text in own else -1

    return sorted(entry.children, key=place)


# -- blocks ----------------------------------------------------------------------------------------------------


def _is_block(entry: Entry, room: int) -> bool:
    """Whether an item is laid out as a block, with `room` columns taken before it."""
    text = _flow(entry)
    fits = text is not None and room + len(text) <= WIDTH
    return not fits and not (text is not None and _fills(entry))


def _children(entry: Entry, indent: int) -> Iterator[str]:
    for child in entry.children:
        yield from _tail(child.above, indent)
        yield from _item(child, indent) if child.key is None else _pair(child, indent)


def _tail(comments: Sequence[str], indent: int) -> list[str]:
    return [" " * indent + text if text else "" for text in comments]


def _beside(entry: Entry) -> str:
    return f"  {entry.beside[0]}" if entry.beside else ""


def _item(entry: Entry, indent: int) -> Iterator[str]:
    start = " " * indent + "- "
    if isinstance(entry.value, Scalar):
        yield from _scalar(entry, start, indent)
        return
    text = _flow(entry)
    if text is not None and len(start) + len(text) <= WIDTH:
        yield start + text + _beside(entry)
    elif text is not None and _fills(entry):
        *lines, last = _filled(entry, start)
        yield from [*lines, last + _beside(entry)]
    else:
        # The first key stands behind the dash; what is above it, or behind the item, goes above the item.
        first = entry.children[0]
        yield from _tail([*first.above, *entry.beside], indent)
        first.above = []
        lines = [*_children(entry, indent + 2), *_tail(entry.below, indent + 2)]
        yield start + lines[0].lstrip()
        yield from lines[1:]


def _pair(entry: Entry, indent: int) -> Iterator[str]:
    assert entry.key is not None
    start = " " * indent + f"{entry.key.text}:"
    if isinstance(entry.value, Scalar):
        yield from _scalar(entry, start + " ", indent)
        return
    text = _flow(entry)
    if text is not None and len(start) + 1 + len(text) <= WIDTH:
        yield f"{start} {text}{_beside(entry)}"
        return
    yield start + _beside(entry)
    if text is not None and _fills(entry):
        yield from _filled(entry, " " * (indent + 2))
    else:
        yield from _children(entry, indent + 2)
        yield from _tail(entry.below, indent + 2)


# -- on one line, or filling lines -----------------------------------------------------------------------------


def _flow(entry: Entry) -> str | None:
    """The value on one line; None if it has to be a block."""
    if isinstance(entry.value, Scalar):
        return written(entry, True)
    forced = entry.title in _BLOCKS or (entry.title == "rows of other relations" and entry.parent == "a policy")
    if (forced and entry.children) or entry.has_comments_inside:
        return None
    parts = _parts(entry)
    if parts is None:
        return None
    opening, closing = "[]" if isinstance(entry.value, Items) else "{}"
    return f"{opening}{', '.join(parts)}{closing}"


def _parts(entry: Entry) -> list[str] | None:
    parts: list[str] = []
    for child in entry.children:
        text = _flow(child)
        if text is None:
            return None
        parts.append(text if child.key is None else f"{child.key.text}: {text}")
    return parts


def _fills(entry: Entry) -> bool:
    """Whether what does not fit on one line goes on in the next: rows of columns, and lists of words."""
    if not all(isinstance(child.value, Scalar) for child in entry.children):
        return False
    return entry.is_list or entry.title in _ROWS


def _filled(entry: Entry, start: str) -> Iterator[str]:
    opening, closing = "[]" if entry.is_list else "{}"
    line, parts = start + opening, _parts(entry) or []
    for number, part in enumerate(parts):
        piece = part + (closing if number == len(parts) - 1 else ",")
        if number and len(line) + 1 + len(piece) > WIDTH:
            yield line
            line = " " * (len(start) + 1) + piece
        else:
            line += (" " if number else "") + piece
    yield line


# -- scalars ---------------------------------------------------------------------------------------------------


def _scalar(entry: Entry, start: str, indent: int) -> Iterator[str]:
    """A scalar behind its key or dash: on the line, or as a block below it."""
    scalar = entry.value
    assert isinstance(scalar, Scalar)
    text = written(entry, False)
    assert text is not None
    inner = " " * (indent + 2)
    if "\n" in scalar.text:
        block = _block_of_lines(entry)
        if block is None:
            yield start + quoted(scalar.text) + _beside(entry)
        else:
            yield start + block[0] + _beside(entry)
            yield from (inner + line if line else "" for line in block[1:])
        return
    keeps_lines = entry.title == _EXPRESSION and len(entry.lines) > 1
    if entry.keeps_quotes or (not keeps_lines and len(start) + len(text) <= WIDTH):
        yield start + text + _beside(entry)
        return
    lines = _broken(entry, len(inner))
    if (len(lines) == 1 and len(start) + len(text) <= WIDTH) or not _may_fold(lines):
        yield start + text + _beside(entry)
        return
    yield start + ">-" + _beside(entry)
    yield from (inner + line for line in lines)


def _broken(entry: Entry, indent: int) -> list[str]:
    """The lines of a folded text: the author's where all of them fit, else filled anew."""
    if len(entry.lines) > 1 and all(indent + len(line) <= WIDTH for line in entry.lines):
        return list(entry.lines)
    lines: list[str] = []
    for part in " ".join(entry.lines).split(" "):
        if lines and lines[-1].strip() and part and indent + len(lines[-1]) + 1 + len(part) <= WIDTH:
            lines[-1] += f" {part}"
        elif lines and (not part or not lines[-1].strip() or lines[-1].endswith(" ")):
            lines[-1] += f" {part}"  # several spaces are kept together
        else:
            lines.append(part)
    return lines


def _may_fold(lines: Sequence[str]) -> bool:
    """Whether `>-` gives these lines back, joined by spaces."""
    return all(line and line == line.strip() and is_printable(line) for line in lines)


def _block_of_lines(entry: Entry) -> list[str] | None:
    """A text with line breaks as a block: its head, then its lines. None if only quotes can hold it."""
    scalar = entry.value
    assert isinstance(scalar, Scalar)
    body = scalar.text.removesuffix("\n")
    plain = is_printable(body.replace("\n", "").replace("\t", ""))
    if not body or body.endswith("\n") or body[0] in " \t\n" or not plain or scalar.style not in BLOCK_STYLES:
        return None
    if any(line != line.rstrip() for line in body.split("\n")):
        return None
    ends = "" if scalar.text.endswith("\n") else "-"
    lines = [line.rstrip("\n") for line in entry.lines]
    if scalar.style == "folded" and "\n" not in body and _may_fold(lines):
        return [f">{ends}", *lines]
    return [f"|{ends}", *body.split("\n")]
