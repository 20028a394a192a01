"""A report as a JSON document, in the canonical form.

Values whose origin matters are marks. An object whose texts would be taken for a claim, and which claims nothing, says
so in a member `fiel`, as a block of a page does in a remark.
"""

from __future__ import annotations

import json
from typing import Any

from ...attest import Computed, Human, Official, Proposed, Withheld
from ...canonical import dumps
from ...frozen import fields, is_dataclass
from ...report import Overview, Report, Source
from ...sensors.artifact import ClaimWords, remark, sense
from .. import marks
from .legible import legible, replaced
from .words import words_in

_MARKED = (Official, Proposed, Computed, Human, Withheld)
_ROUNDS = 3


def report_json(report: Report) -> str:
    """The report as one document, with a line feed at the end."""
    replaces = {"characters_replaced": replaced(report.text) + report.text.count("<!--")}
    return _excused(
        {"format": 1, **replaces, **_plain(report)}, report.claims, words_in(report.language)["remark_page"]
    )


def overview_json(overview: Overview) -> str:
    """The summary of a folder as one document."""
    because = words_in(overview.language)["remark_page"]
    return _excused({"format": 1, **_plain(overview)}, overview.claims, because)


def _plain(value: object) -> Any:
    if isinstance(value, _MARKED):
        return json.loads(marks.json(value))
    if isinstance(value, Source):
        return {"reference": value.reference, **{name: _plain(one) for name, one in value.pins.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        named = [one.name for one in fields(value) if one.name != "claims"]
        return {name: _plain(getattr(value, name)) for name in named}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    # A remark to the gate is ours to make, also where the author of a text writes one.
    return legible(value).replace("<!--", "<\ufffd--") if isinstance(value, str) else value


def _excused(document: dict[str, Any], claims: ClaimWords, because: str) -> str:
    """The document with a member `fiel` in each object whose texts would be taken for a claim."""
    excuses: dict[int, list[str]] = {}
    for _ in range(_ROUNDS):
        lines: list[str] = []
        owners: list[dict[str, Any]] = []
        _spread(document, document, lines, owners)
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        found = [one for one in sense("report.json", text, claims).shown if one.marked == "unmarked"]
        if not found:
            break
        for one in found:
            owner = owners[min(one.line, len(owners)) - 1]
            excuses.setdefault(id(owner), []).append(one.value)
            owner["fiel"] = remark(excuses[id(owner)], because).removeprefix("fiel: ")
    return dumps(document)


def _spread(value: object, owner: dict[str, Any], lines: list[str], owners: list[dict[str, Any]]) -> None:
    """The document with a line for each scalar, and for each line the object to which it belongs."""

    def put(text: str) -> None:
        lines.append(text)
        owners.append(owner)

    if isinstance(value, dict):
        owner = value
        put("{")
        for number, (name, one) in enumerate(sorted(value.items())):
            put(f"{',' if number else ''}{json.dumps(name)}:")
            _spread(one, value, lines, owners)
        put("}")
    elif isinstance(value, list):
        put("[")
        for number, one in enumerate(value):
            if number:
                put(",")
            _spread(one, owner, lines, owners)
        put("]")
    else:
        # A line break within a text would be counted as one of the document.
        put(json.dumps(" ".join(value.splitlines()) if isinstance(value, str) else value))
