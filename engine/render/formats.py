"""What a run looks like in each format. `FORMATS` maps a format's name to the function that renders it.

Those that are seldom asked for are imported when they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..verdict import Run
from .text import verdict_text
from .verdict import verdict_json


def _junit(run: Run) -> str:
    from .junit import verdict_junit

    return verdict_junit(run)


def _sarif(run: Run) -> str:
    from .sarif import verdict_sarif

    return verdict_sarif(run)


def _github(run: Run) -> str:
    from .github import verdict_github

    return verdict_github(run)


def _html(run: Run) -> str:
    from .html import verdict_html

    return verdict_html(run)


FORMATS: Mapping[str, Callable[[Run], str]] = {
    "text": verdict_text,
    "json": verdict_json,
    "junit": _junit,
    "sarif": _sarif,
    "github": _github,
    "html": _html,
}

__all__ = ["FORMATS", "verdict_json", "verdict_text"]
