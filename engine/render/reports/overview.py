"""The summary of a folder of documents, as one page."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from ...report import Overview
from .html import environment
from .json import overview_json
from .svg import bars
from .words import words_in

_TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def overview_html(overview: Overview) -> str:
    """The summary as a page, with a line feed at the end."""
    w = words_in(overview.language)
    style = "\n" + (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return (
        environment()
        .get_template("overview.html.j2")
        .render(
            o=overview,
            w=w,
            style=Markup(style),
            style_hash=f"sha256-{digest}",
            scores=Markup(bars(_scores(overview), w["distribution"]))
            if any(e.score for e in overview.entries)
            else None,
            levels=Markup(bars(_levels(overview), w["levels_together"])),
            link=quote,
            failed=[e for e in overview.entries if e.problem],
        )
        + "\n"
    )


def _scores(overview: Overview) -> list[tuple[str, int]]:
    """How many documents have a score of each whole number, rounded down."""
    found = [int(float(e.score)) for e in overview.entries if e.score is not None]
    return [
        (str(number), found.count(number)) for number in range(int(float(overview.low)), int(float(overview.high)) + 1)
    ]


def _levels(overview: Overview) -> list[tuple[str, int]]:
    return list(zip(overview.scale.values, overview.levels, strict=True))


__all__ = ["overview_html", "overview_json"]
