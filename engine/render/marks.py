"""A value with where it comes from, as HTML, Markdown, text and JSON. The artifact sensor reads back what stands here.

Only an `Official` is marked official, and only `attest` makes one; a test reads the syntax trees for any other place
that writes the marking. A withheld value shows its reason and never what was claimed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import assert_never

from ..attest import Computed, Human, Official, Proposed, Provenance, Withheld
from ..markup import Target, json_text, shown_text, write_target

_PLAIN = re.compile(r'[^\s(),"]+')
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def html(one: Provenance) -> str:
    """An element: `<data class="official" data-reference=… data-key=… data-column=… value="B1">B1</data>`."""
    if isinstance(one, Withheld):
        words = shown_text(f"withheld: {one.reason.replace('_', ' ')}")
        why = {"data-reason": one.reason, "title": shown_text(f"{one.reason}: {one.explanation}"), "value": words}
        return f'<data class="withheld"{_attributes(why)}>{escape(words)}</data>'
    marking, said = _marking(one), dict(_said(one))
    if isinstance(one, Official):
        said = {
            "reference": one.reference,
            "edition": one.edition,
            "key": json_text(dict(one.key)),
            "column": one.column,
            **({"line": str(one.line)} if one.line else {}),
        }
    shown = shown_text(one.value)
    attributes = {f"data-{name}": text if name == "key" else shown_text(text) for name, text in said.items()}
    return f'<data class="{marking}"{_attributes({**attributes, "value": shown})}>{escape(shown)}</data>'


def markdown(one: Provenance) -> str:
    """A link: `[B1](fiel:REFERENCE@EDITION?key=value#column:line "official")`."""
    if isinstance(one, Official):
        target = Target(one.reference, one.key, one.column, one.edition, one.line or None)
    else:
        target = Target(None, dict(_said(one)))
    label = f"withheld: {one.reason.replace('_', ' ')}" if isinstance(one, Withheld) else one.value
    return f'[{_PUNCTUATION.sub(_escaped, shown_text(label))}]({write_target(target)} "{_marking(one)}")'


def text(one: Provenance) -> str:
    """Value and origin on one line: `B1 (REFERENCE EDITION, line 31, abandon, verb)`, the key after the line."""
    if isinstance(one, Withheld):
        return f"withheld ({shown_text(f'{one.reason}: {one.explanation}')})"
    value = _token(one.value)
    if isinstance(one, Official):
        at = "".join([f", line {one.line}", *(f", {_token(part)}" for part in one.key.values())]) if one.line else ""
        return f"{value} ({one.reference} {_token(one.edition)}{at})"
    if isinstance(one, Proposed):
        return f"{value} (proposed by {_token(one.sensor)}, run {_token(one.run)})"
    if isinstance(one, Computed):
        return f"{value} (computed by {_token(one.by)})"
    if isinstance(one, Human):
        return f"{value} (set by {_token(one.by)}, {_token(one.at)})"
    assert_never(one)


def json(one: Provenance) -> str:
    """An object on one line."""
    if isinstance(one, Withheld):
        said: dict[str, object] = {"reason": one.reason, "explanation": one.explanation}
        return json_text({"value": None, "provenance": "withheld", **said})
    said = dict(_said(one))
    if isinstance(one, Official):
        said |= {"edition": one.edition, "key": dict(one.key), "column": one.column}
        said |= {"line": one.line} if one.line else {}
    return json_text({"value": one.value, "provenance": _marking(one), **said})


def _marking(one: Provenance) -> str:
    """The word of the marking. `official` is said of an `Official` and of nothing else."""
    if isinstance(one, Official):
        return "official"
    return {Proposed: "proposed", Computed: "computed", Human: "human", Withheld: "withheld"}[type(one)]


def _said(one: Provenance) -> Mapping[str, str]:
    """What a mark says beside the value."""
    if isinstance(one, Official):
        return {"reference": one.reference}
    if isinstance(one, Proposed):
        return {"sensor": one.sensor, "run": one.run}
    if isinstance(one, Computed):
        return {"by": one.by}
    if isinstance(one, Human):
        return {"by": one.by, "at": one.at}
    return {"reason": one.reason}


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items())


def _token(value: str) -> str:
    """A word that cannot be taken for more than one."""
    return value if _PLAIN.fullmatch(value) and shown_text(value) == value else json_text(value)


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[1]}"
