"""YAML with positions and without surprises: a file becomes a tree of nodes that know where they stand.

A scalar keeps its text; nothing is converted here, so `NO`, `1.10`, `010` and `12:30:45` arrive as they were written,
and the schema of the file decides what they are. Refused, each as a problem with its place: keys given twice, anchors,
aliases, merge keys, tags, directives, further documents, keys that are no plain words, values that are left out,
deep nesting, large files, and bytes that are not UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..errors import Place, Problem
from ..home import MAX_FILE_BYTES
from ..model import Cell, Expression

MAX_NESTING = 16
MAX_PROBLEMS = 200
"""After so many problems of one file the rest is left: looking for the nearest name takes its time."""

EXPRESSION_KEYS = frozenset({"where", "must", "review_if"})
"""The keys of a policy whose values are expressions; there a slip in YAML has an explanation of its own."""

_NULLS = frozenset({"null", "Null", "NULL", "~"})
# YAML's printable characters, less those that it takes for line breaks and other tools do not (NEL, LS, PS).
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n)")


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


@dataclass
class Source:
    """One file that was read: its name as the user would type it, its text, and the tree (None if there is none)."""

    file: str
    text: str
    root: Node | None = None
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def lines(self) -> list[str]:
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    def line_text(self, line: int) -> str:
        """The text of a line, counted from 1; empty beyond the end of the file."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def place(self, node: Node) -> Place:
        """Where a node stands, as far as its first line goes."""
        end = node.end_column if node.end_line == node.line else len(self.line_text(node.line).rstrip()) + 1
        return self.clipped(node.line, node.column, max(1, end - node.column))

    def clipped(self, line: int, column: int, length: int = 1) -> Place:
        """A place; one that a parser gives beyond the end of the file is the end of the last line with text."""
        if line > len(self.lines) or (line == len(self.lines) and not self.lines[-1].strip()):
            line = max((n for n, text in enumerate(self.lines, 1) if text.strip()), default=1)
            column, length = len(self.line_text(line)) + 1, 1
        return Place(self.file, line, column, length)

    def problem(
        self, code: str, message: str, at: Node | Place, help: str | None = None, note: bool = False
    ) -> Problem:
        place = at if isinstance(at, Place) else self.place(at)
        return Problem(
            code, message, place, None, self.line_text(place.line), help, severity="note" if note else "error"
        )

    def expression(self, scalar: Scalar) -> Expression:
        """The expression in a scalar. The way back from an offset to the file is worked out when it is asked for."""
        spots: list[tuple[int, int]] = []

        def locate(offset: int) -> tuple[int, int]:
            from .locate import spots_of

            if not spots:
                spots.extend(spots_of(self.lines, scalar))
            return spots[min(max(offset, 0), len(spots) - 1)]

        return Expression(scalar.text, self.file, locate, self.line_text)

    def cell(self, key: Scalar, scalar: Scalar) -> Cell:
        text = None if scalar.is_null else scalar.text
        return Cell(text, scalar.quoted, self.place(scalar), self.place(key))


def read_source(path: Path, shown: str, expression_keys: Collection[str] = ()) -> Source:
    """Read and parse one file. `shown` is its name in messages. All that is wrong is in `problems` of the answer."""
    try:
        if not path.is_file():
            return _unread(shown, "`%s` is not a regular file", "put a text file there")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return _unread(shown, f"`%s` cannot be read: {(error.strerror or 'input error').lower()}", None)
    return parse_bytes(data, shown, expression_keys)


def _unread(shown: str, message: str, help: str | None) -> Source:
    problem = Problem("unreadable-file", message % shown, Place(shown, 1, 1), excerpt="", help=help)
    return Source(shown, "", problems=[problem])


def parse_bytes(data: bytes, shown: str, expression_keys: Collection[str] = ()) -> Source:
    """Parse the bytes of a YAML file."""
    if len(data) > MAX_FILE_BYTES:
        message = f"`{shown}` is larger than {MAX_FILE_BYTES:,} bytes"
        help = "split it; facts and references belong in files of their own"
        return Source(
            shown, "", problems=[Problem("file-too-large", message, Place(shown, 1, 1), excerpt="", help=help)]
        )
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_utf8(data, error.start, shown)
    source = Source(shown, text)
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        source.problems.append(_unprintable(source, bad.start()))
        return source
    from .compose import compose

    compose(source, frozenset(expression_keys))
    return source


def _not_utf8(data: bytes, start: int, shown: str) -> Source:
    before = data[:start].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    what = "this file is UTF-16" if wide else f"byte 0x{data[start]:02x} is not UTF-8"
    # The excerpt is what can be read of the line, so that an author finds the place.
    end = data.find(b"\n", start)
    excerpt = (
        None
        if wide
        else before.rsplit("\n", 1)[-1]
        + data[start : end if end >= 0 else None].decode("utf-8", "replace").rstrip("\r")
    )
    place = Place(shown, line, column)
    problem = Problem("not-utf8", what, place, None, excerpt, "save the file as UTF-8")
    return Source(shown, "", problems=[problem])


def _unprintable(source: Source, index: int) -> Problem:
    line = source.text.count("\n", 0, index) + 1
    place = Place(source.file, line, index - (source.text.rfind("\n", 0, index) + 1) + 1)
    character = source.text[index]
    if character == "\r":
        return source.problem(
            "unprintable-character",
            "a carriage return stands here without a line feed",
            place,
            "end lines with a line feed",
        )
    code = f"{ord(character):04X}"
    help = f'remove it, or write it as "\\u{code}" in double quotes' if ord(character) <= 0xFFFF else "remove it"
    return source.problem("unprintable-character", f"the character U+{code} may not stand in a file", place, help)
