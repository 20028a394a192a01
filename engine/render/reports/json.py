"""A report as a JSON document, in the canonical form."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from ...attest import Computed, Human, Official, Proposed, Withheld
from ...canonical import dumps
from ...report import Overview, Report
from .. import marks

_MARKED = (Official, Proposed, Computed, Human, Withheld)


def report_json(report: Report) -> str:
    """The report as one document, with a line feed at the end. Values whose origin matters are marks."""
    return dumps({"format": 1, **_plain(report)})


def overview_json(overview: Overview) -> str:
    """The summary of a folder as one document."""
    return dumps({"format": 1, **_plain(overview)})


def _plain(value: object) -> Any:
    if isinstance(value, _MARKED):
        return json.loads(marks.json(value))
    if is_dataclass(value) and not isinstance(value, type):
        named = [one.name for one in fields(value) if one.name != "claims"]
        return {name: _plain(getattr(value, name)) for name in named}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return value
