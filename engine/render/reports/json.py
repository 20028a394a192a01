"""A report as a JSON document, in the canonical form.

Values whose origin matters are marks. The member `fiel` names words that would be taken for a claim and are none;
`fiel_seal` is the seal.
"""

from __future__ import annotations

import json
from typing import Any

from ...attest import Computed, Human, Official, Proposed, Withheld
from ...frozen import fields, is_dataclass
from ...report import Overview, Report, Source
from .. import marks
from .claims import vouched_document
from .legible import legible, replaced

_MARKED = (Official, Proposed, Computed, Human, Withheld)


def report_json(report: Report) -> str:
    """The report as one document, with a line feed at the end."""
    replaces = {"characters_replaced": replaced(report.text) + report.text.count("<!--")}
    return vouched_document({"format": 1, **replaces, **_plain(report)}, report.claims)


def overview_json(overview: Overview) -> str:
    """The summary of a folder as one document."""
    return vouched_document({"format": 1, **_plain(overview)}, overview.claims)


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
