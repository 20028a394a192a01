"""Words for the commonest slips in JSON: what stands at a place where something else was expected."""

from __future__ import annotations

import re
from typing import cast

from .bad_values import plain, shown

_BEFORE = re.compile(r",[ \t\n\r]*\Z")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = {"None": "null", "NULL": "null", "nil": "null", "nan": "null", "True": "true", "False": "false"}
_WORDS |= {"TRUE": "true", "FALSE": "false", "Null": "null"}
_QUOTES = "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb`"
_NUMBER = re.compile(r"[+.][0-9]")


def slip(text: str, at: int, name: bool = False) -> tuple[str, str] | None:
    """(message, help) for a slip that is known; `name` if the name of an entry was expected. None for any other."""
    here = text[at : at + 1]
    if here in ("]", "}") and here and _BEFORE.search(text, max(0, at - 1000), at):
        return f"a comma before `{here}`", "take it out"
    if here == "'":
        return "a single quote", "JSON wants double quotes"
    if here and here in _QUOTES:
        return f"the quote U+{ord(here):04X}", 'JSON wants double quotes, straight ones: `"`'
    if _is_comment(text, at):
        return _COMMENT
    word = _WORD.match(text, at)
    if word is not None and len(word[0]) < 60:
        if name:
            return f"the name `{word[0]}` without quotes", f'write `"{word[0]}"`: JSON wants names in double quotes'
        if word[0] in _WORDS:
            return f"`{word[0]}` is no word of JSON", f"write `{_WORDS[word[0]]}`"
        if word.end() < len(text.rstrip()):  # what is cut off was no slip
            return f"the text `{word[0]}` without quotes", "JSON wants texts in double quotes"
    if _NUMBER.match(text, at) and not name:
        return f"a number that begins with `{here}`", "write a digit first, as in `0.5`"
    return None


_COMMENT = ("a comment", "JSON has none; take it out")


def _is_comment(text: str, at: int) -> bool:
    return text[at : at + 1] == "#" or text[at : at + 2] in ("//", "/*")


def after_value(text: str, at: int) -> tuple[str, str] | None:
    """(message, help) for what stands where a comma or a bracket was expected, if the slip is known."""
    here, before = text[at : at + 1], text[max(0, at - 1) : at]
    if before == "0" and here.isdigit():
        return "a number with a leading zero", "take the zero away, or put a text in quotes"
    if before == '"' and here not in '"{[':
        return "a text goes on after its closing quote", 'write a quote inside a text as `\\"`'
    if _is_comment(text, at):
        return _COMMENT
    if here in ('"', "{", "[") and here:
        return f"no comma before `{here}`", "put a comma between two entries"
    return None


def expected_sign(text: str, at: int, sign: str) -> tuple[str, str] | None:
    """(message, help) for a known slip where a document must have `sign`."""
    if sign in ("}", "]"):
        return after_value(text, at)
    return slip(text, at, name=True) if sign == '"' else None


# --- whole documents of another form ---------------------------------------------------------------------------------


def wrong_shape(document: object, more: bool, relation: str, file: str) -> tuple[str, str] | None:
    """(message, help) for a JSON object that is no `{"relation": [rows]}`, if it is known what it is.

    `relation` is the entry that holds no list, `more` says that another object follows.
    """
    if not isinstance(document, dict):
        return None
    entries = cast("dict[str, object]", document)
    name = plain(relation)
    if "verdict" in entries and "policies" in entries:
        return "this is a verdict of Fiel, not facts", "name the facts that it judged"
    if isinstance(entries.get("facts"), dict) and "status" in entries:
        return "this is the record of a sensor's run, not facts", "name the folder that holds it"
    inner = entries.get(relation)
    if more and not isinstance(inner, dict):
        to_do = "give them as `--facts relation=-`" if file == "-" else "rename it to `.jsonl`"
        return "one row follows the other, which is JSON Lines", to_do
    if isinstance(inner, dict):
        tables = [plain(one) for one, rows in inner.items() if isinstance(rows, list)]
        if tables and len(tables) == len(inner):
            return f"{shown(relation)} stands around the relations", f'write `{{"{tables[0]}": [rows]}}` without it'
        return f"{shown(relation)} holds an object, not a list of rows", f'write `{{"{name}": [{{…}}]}}`'
    if len(entries) > 1 and not any(isinstance(one, list) for one in entries.values()):
        return "this looks like a row alone", f'write `{{"{name}": [{{…}}]}}`, if {shown(relation)} is its relation'
    return None


def is_document(row: dict[str, object]) -> bool:
    """Whether a line of JSON Lines is rather a whole document: nothing but lists of objects."""
    return bool(row) and all(
        isinstance(rows, list) and bool(rows) and all(isinstance(one, dict) for one in rows) for rows in row.values()
    )


SPREAD = re.compile(r'\s*(?:[\[{]\s*(?:"[^"]*"\s*:\s*)?[\[{]?\s*|(?:\{\s*"[^"]*"\s*:\s*)?\[.*,\s*)')
"""The first line of a document that is spread over lines."""
