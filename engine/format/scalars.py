"""Scalars as they are written: plain where that says the same, else in quotes."""

from __future__ import annotations

import re

from ..load.nodes import Scalar
from ..load.words import json_type
from .entries import Entry

_FIRST = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^\s,\[\]{}])")
_NEVER = re.compile(r":(\s|$)|\s#|\s$|\xa0")
_FLOW_SIGNS = re.compile(r"[,\[\]{}]|:(?=['\"])")
_WORDS_OF_OLD_YAML = frozenset("y n yes no on off true false null".split())
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_UNPRINTABLE = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def written(entry: Entry, in_flow: bool) -> str | None:
    """A scalar on one line; None if it has to stand in a block (plain, with signs that lists and mappings use)."""
    scalar = entry.value
    assert isinstance(scalar, Scalar)
    if not scalar.quoted:
        if in_flow and not may_be_plain(scalar.text, True):
            return None if entry.keeps_quotes or json_type(scalar) != "string" else quoted(scalar.text)
        return scalar.text
    if not entry.keeps_quotes and needs_no_quotes(scalar.text) and may_be_plain(scalar.text, in_flow):
        return scalar.text
    return quoted(scalar.text)


def may_be_plain(text: str, in_flow: bool) -> bool:
    """Whether YAML reads the text without quotes as this text."""
    if not text or not _FIRST.match(text) or _NEVER.search(text) or not is_printable(text):
        return False
    return not (in_flow and _FLOW_SIGNS.search(text))


def is_printable(text: str) -> bool:
    """Whether the text is one line of characters that may stand in a file as they are."""
    return not _UNPRINTABLE.search(text)


def needs_no_quotes(text: str) -> bool:
    """Whether no reader of YAML, old or new, takes the text for a number, a day or a truth value."""
    starts_as_word = text[:1].isalpha() or text[:1] == "("
    return starts_as_word and text.lower() not in _WORDS_OF_OLD_YAML


def quoted(text: str) -> str:
    """The text in double quotes; in single ones if it has double quotes or backslashes and is plain otherwise."""
    if ('"' in text or "\\" in text) and "'" not in text and not _UNPRINTABLE.search(text):
        return f"'{text}'"
    escaped = "".join(_ESCAPED.get(c, c) for c in text)
    return '"' + _UNPRINTABLE.sub(lambda m: _escape(m[0]), escaped) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
