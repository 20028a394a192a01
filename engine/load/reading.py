"""YAML with positions and without surprises: a file becomes a tree of nodes that know where they stand.

A scalar keeps its text; nothing is converted here, so `NO`, `1.10`, `010` and `12:30:45` arrive as they were written,
and the schema of the file decides what they are. Refused, each as a problem with its place: keys given twice, anchors,
aliases, merge keys, tags, directives, further documents, keys that are no plain words, values that are left out,
deep nesting, large files, and bytes that are not UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from ..errors import Place, Problem
from ..home import MAX_FILE_BYTES
from .compose import compose
from .source import Source

EXPRESSION_KEYS = frozenset({"where", "must", "review_if"})
"""The keys of a policy whose values are expressions; there a slip in YAML has an explanation of its own."""

# YAML's printable characters, less those that it takes for line breaks and other tools do not (NEL, LS, PS).
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n)")


def read_source(path: Path, shown: str, expression_keys: Collection[str] | None = ()) -> Source:
    """Read and parse one file. `shown` is its name in messages. All that is wrong is in `problems` of the answer.

    With None for `expression_keys` the file is no YAML, and only read.
    """
    try:
        if not path.is_file():
            return _unread(shown, "`%s` is not a regular file", "put a text file there")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return _unread(shown, f"`%s` cannot be read: {(error.strerror or 'input error').lower()}", None)
    return parse_bytes(data, shown, expression_keys) if expression_keys is not None else decoded(data, shown)


def _unread(shown: str, message: str, help: str | None) -> Source:
    problem = Problem("unreadable-file", message % shown, Place(shown, 1, 1), excerpt="", help=help)
    return Source(shown, "", problems=[problem])


def parse_bytes(data: bytes, shown: str, expression_keys: Collection[str] = ()) -> Source:
    """Parse the bytes of a YAML file."""
    source = decoded(data, shown)
    if not source.problems:
        compose(source, frozenset(expression_keys))
    return source


def read_text(path: Path, shown: str) -> Source:
    """Read a file that is no YAML: its text, or what is wrong with it."""
    return read_source(path, shown, None)


def decoded(data: bytes, shown: str) -> Source:
    """The text of a file, within bounds; what is wrong with it is in `problems`."""
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
