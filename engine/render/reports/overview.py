"""The summary of a folder of documents, as one page."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from ...report import Overview
from ..html import rendered
from .claims import vouched
from .json import overview_json
from .svg import bars
from .words import words_in


def overview_html(overview: Overview) -> str:
    """The summary as a page, with a line feed at the end."""
    w = words_in(overview.language)
    page = rendered(
        "overview.html.j2",
        ("report.css",),
        o=overview,
        w=w,
        scores=Markup(bars(_scores(overview), w["distribution"])) if any(e.score for e in overview.entries) else None,
        levels=Markup(bars(_levels(overview), w["levels_together"])),
        link=quote,
        failed=[e for e in overview.entries if e.problem],
    )
    return vouched(page, "index.html", overview.claims)


def _scores(overview: Overview) -> list[tuple[str, int]]:
    """How many documents have a score of each whole number, rounded down."""
    found = [int(float(e.score)) for e in overview.entries if e.score is not None]
    return [
        (str(number), found.count(number)) for number in range(int(float(overview.low)), int(float(overview.high)) + 1)
    ]


def _levels(overview: Overview) -> list[tuple[str, int]]:
    return list(zip(overview.scale.values, overview.levels, strict=True))


__all__ = ["overview_html", "overview_json"]
