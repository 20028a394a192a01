"""Marks of HTML, Markdown and JSON, read into rows. What cannot be read is a row with a flaw, never nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...frozen import replace
from ...markup import MARKINGS, PIN_COLUMNS, SCHEME, NotAMark, read_shown, read_target, shown_text
from .attributes import Attributes
from .letters import folded
from .shown import ShownValue
from .words import ClaimWords, patterns

ORIGIN = {"proposed": ("sensor", "run"), "computed": ("by",), "human": ("by", "at"), "withheld": ("reason",)}
_QUOTES = re.compile(r'^(?:"(.*)"|“(.*)”|«\s?(.*?)\s?»)$', re.DOTALL)
_LINE = re.compile(r"[1-9][0-9]{0,17}")


def html_marking(tag: str, attributes: Attributes) -> str | None:
    """The marking of an element, if it is one. `official` makes a mark of any element, the others of `data` only."""
    classes = {word for name, text in attributes if name == "class" for word in (text or "").split()}
    if "official" in {word.lower() for word in classes}:
        return "official"
    if "quote" in classes and tag == "q":
        return "quote"
    named = sorted(classes & set(MARKINGS))
    return named[0] if tag == "data" and len(named) == 1 and named[0] != "quote" else None


def is_half_marked(tag: str, attributes: Attributes) -> bool:
    """Whether an element without a marking has what only marks say: one that lost its class."""
    return tag == "data" and any(name in ("data-reference", "data-key", "data-column") for name, _ in attributes)


def from_html(
    tag: str, marking: str, attributes: Attributes, shown: str, at: ShownValue, words: ClaimWords
) -> ShownValue:
    """The row of an element. `at` holds file, line, form and excerpt."""
    said = {name: text or "" for name, text in reversed(attributes)}
    names = [name for name, _ in attributes]
    try:
        if len(names) != len(set(names)):
            raise NotAMark("an attribute stands twice in the element")
        if tag != ("q" if marking == "quote" else "data"):
            raise NotAMark(f"the class `{marking}` is for the element {'q' if marking == 'quote' else 'data'}")
        if set(said["class"].split()) & set(MARKINGS) != {marking}:
            raise NotAMark("the class does not say one marking")
        if marking != "quote" and said.get("value") != shown:
            is_said = f"is {shown_text(said['value'])}" if "value" in said else "is missing"
            raise NotAMark(f"the attribute `value` {is_said}, not the text that is shown")
        parts = {
            name: read_shown(said[f"data-{name}"])
            for name in ("reference", "edition", "column")
            if f"data-{name}" in said
        }
        key = _html_key(said.get("data-key"), marking)
        line = _line(said.get("data-line"))
        by = {name: read_shown(said[f"data-{name}"]) for name in ORIGIN.get(marking, ()) if f"data-{name}" in said}
        value = _quoted(shown) if marking == "quote" else read_shown(shown)
    except NotAMark as error:
        return _flawed(at, marking, shown, said.get("data-reference"), str(error))
    return _row(
        at, marking, value, parts.get("reference"), parts.get("edition"), key, parts.get("column"), line, by, words
    )


def _html_key(text: str | None, marking: str) -> Mapping[str, str]:
    if text is None:
        if marking in ("official", "quote"):
            raise NotAMark("there is no `data-key`")
        return {}
    return _key(_json(text))


def from_markdown(label: str, href: str, title: str, at: ShownValue, words: ClaimWords) -> ShownValue | None:
    """The row of a link. None if it has nothing to do with marks."""
    is_target = href[: len(SCHEME)].lower() == SCHEME
    if not is_target:
        return None
    try:
        target = read_target(href)
        if title not in MARKINGS:
            raise NotAMark(f"the title of the link is none of {', '.join(MARKINGS)}")
        value = _quoted(label) if title == "quote" else read_shown(label)
    except NotAMark as error:
        marking = title if title in MARKINGS else "official"
        return _flawed(at, marking, label, None, str(error))
    if title in ("official", "quote"):
        return _row(
            at, title, value, target.reference, target.edition, target.query, target.column, target.line, {}, words
        )
    return _row(at, title, value, target.reference, target.edition, {}, target.column, target.line, target.query, words)


def from_json(members: Mapping[str, Any], at: ShownValue, words: ClaimWords) -> ShownValue:
    """The row of an object that has a `provenance`."""
    marking, value = members.get("provenance"), members.get("value")
    shown = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    try:
        if marking not in MARKINGS:
            raise NotAMark(f"the provenance is none of {', '.join(MARKINGS)}")
        if not isinstance(value, str) and not (value is None and marking == "withheld"):
            raise NotAMark("the value is no text")
        reference, edition, column = (members.get(name) for name in ("reference", "edition", "column"))
        if any(part is not None and not isinstance(part, str) for part in (reference, edition, column)):
            raise NotAMark("reference, edition and column are texts")
        key = _key(members.get("key", {}))
        line = members.get("line")
        if line is not None and (type(line) is not int or line < 1):
            raise NotAMark("the line is no number")
        by = {name: str(members[name]) for name in ORIGIN.get(str(marking), ()) if name in members}
    except NotAMark as error:
        return _flawed(at, marking if marking in MARKINGS else "official", shown, None, str(error))
    return _row(at, str(marking), shown, reference, edition, key, column, line, by, words)


def _row(
    at: ShownValue,
    marking: str,
    value: str,
    reference: str | None,
    edition: str | None,
    key: Mapping[str, str],
    column: str | None,
    line: int | None,
    by: Mapping[str, str],
    words: ClaimWords,
) -> ShownValue:
    flaw = None
    if marking in ("official", "quote"):
        flaw = _incomplete(value, reference, key, column, words, marking)
    elif reference is not None or column is not None:
        flaw = f"what is {marking} names no reference"
    elif marking == "withheld" and patterns(words).claim.search(folded(value)[0]) is not None:
        flaw = "what is withheld is shown"
    elif missing := [name for name in ORIGIN[marking] if not by.get(name)]:
        flaw = f"the mark does not say `{missing[0]}`"
    return replace(
        at,
        marked=marking,
        value=value,
        reference=reference,
        edition=edition,
        key=dict(sorted(key.items())),
        column=column,
        stated_line=line,
        by=dict(sorted(by.items())),
        flaw=flaw,
    )


def _incomplete(
    value: str, reference: str | None, key: Mapping[str, str], column: str | None, words: ClaimWords, marking: str
) -> str | None:
    """What an official mark lacks."""
    if not value.strip():
        return "no value is shown"
    if not reference:
        return "the mark names no reference"
    declared = words.declared(reference)
    if declared is None:
        return f"no pack declares a reference `{reference}`"
    if not column:
        return "the mark names no column"
    if column in PIN_COLUMNS.values():
        return None
    if column not in declared.columns:
        return f"{reference} has no column `{column}`"
    for name in sorted(key):
        if name not in declared.key:
            return f"`{name}` is not in the key of {reference}"
    for name in declared.key:
        if not key.get(name):
            return f"the key has no `{name}`"
    return None


def _flawed(at: ShownValue, marking: str, value: str, reference: str | None, why: str) -> ShownValue:
    return replace(at, marked=marking, value=value, reference=reference, flaw=why)


def _line(text: str | None) -> int | None:
    if text is not None and not _LINE.fullmatch(text):
        raise NotAMark("the line is no number")
    return int(text) if text is not None else None


def _key(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict) or any(not isinstance(one, str) for one in value.values()):
        raise NotAMark("the key is no JSON object of texts")
    return value


def _json(text: str) -> object:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise NotAMark("the key names a column twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, NotAMark) else NotAMark("the key is no JSON object") from None


def _quoted(text: str) -> str:
    """The words within the quotation marks."""
    try:
        return read_shown(text)
    except NotAMark:
        found = _QUOTES.match(text)
        return next(part for part in found.groups() if part is not None) if found is not None else text
