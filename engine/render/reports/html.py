"""A report as one page of HTML, for people: no script, no request, no clock; everything in it is escaped.

Every block of the page that may speak of values and of references is known by name. The page is read by the sensor of
the honesty gate before it leaves: a block in which words would look like a claim, and which claims nothing (the text
of the author, the legend), says so in a remark. A remark excuses no mark: those are looked up all the same.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...attest import Official, Provenance
from ...report import Find, Report
from .. import marks
from ..problems import visible
from .claims import excused, names_claim
from .legible import replaced
from .marked import MarkedText
from .notices import notices
from .svg import bars, needle
from .words import words_in

_TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def report_html(report: Report) -> str:
    """The report as a page, with a line feed at the end."""
    w = words_in(report.language)
    text = MarkedText(report, w)
    style = _style(report)
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            r=report,
            w=w,
            style=Markup(style),
            style_hash=f"sha256-{digest}",
            paragraphs=[(one, Markup(one.html)) for one in text.paragraphs()],
            is_long=text.is_long,
            replaced=replaced(report.text),
            bars=Markup(bars(_counts(report), w["chart"])),
            needle=Markup(_needle(report)) if report.score is not None and report.score.value is not None else None,
            by_level=_by_level(report),
            official=[one for one in report.finds if isinstance(one.value, Official)],
            held_list=report.withheld,
            held_finds=[one for one in report.finds if not isinstance(one.value, Official)],
            mark=lambda one: Markup(_mark(one)),
            is_official=lambda one: isinstance(one, Official),
            notices=list(notices(report, w)),
            titles={one.reference: one.title for one in report.sources},
            warn=_guesses(report) > 0,
            plain_name=not names_claim(report.document, report.claims),
        )
    )
    return excused(page + "\n", "report.html", report.claims, w)


def _mark(one: Provenance) -> str:
    return marks.html(one)


def _guesses(report: Report) -> int:
    """How many of the numbers that the score rests on are guesses."""
    if report.score is None:
        return 0
    origins = [*report.score.origins, *(one for part in report.score.parts for one in part.origins)]
    return len({one.name for one in origins if one.origin == "guess"})


def _needle(report: Report) -> str:
    assert report.score is not None
    assert report.score.value is not None
    score, value = report.score, report.score.value.value
    return needle(value, score.low, score.high, f"{score.name}: {value} ({score.low}-{score.high})")


def _banded(report: Report) -> list[tuple[int, str, Find]]:
    """Finds with an official value that the scale has, with their place on it and the value that is shown."""
    return [(f.band, f.value.value, f) for f in report.finds if f.band is not None and isinstance(f.value, Official)]


def _counts(report: Report) -> list[tuple[str, int]]:
    banded = [band for band, _, _ in _banded(report)]
    return [(value, banded.count(number)) for number, value in enumerate(report.scale.values, 1)]


def _by_level(report: Report) -> list[tuple[int, list[Find]]]:
    """For each value of the scale that there is, the finds that have it, in the order of their names."""
    found: list[tuple[int, list[Find]]] = []
    for number in range(1, len(report.scale.values) + 1):
        of = sorted((f for band, _, f in _banded(report) if band == number), key=lambda f: (f.name, f.kind or ""))
        found += [(number, of)] if of else []
    return found


def _style(report: Report) -> str:
    """The style, and a line for each value of the scale: what is drawn follows the value that is marked as official."""
    rules = []
    for number, value in enumerate(report.scale.values[:6], 1):
        quoted = re.sub(r"[^A-Za-z0-9. +*-]", "", value)
        line = f"text-decoration-color:var(--s{number});text-decoration-thickness:{0.5 + number / 2:g}px"
        rules.append(f'.said :is(.o,.f):has(>.ref>.lv>data[value^="{quoted}"]){{{line}}}')
        rules.append(f'.lv>data[value^="{quoted}"]{{color:var(--s{number})}}')
        rules.append(
            f'body:has(#f-{number}:not(:checked)) .said .o:has(>.ref>.lv>data[value^="{quoted}"])'
            "{text-decoration-line:none}"
        )
        rules.append(
            f'body:has(#f-{number}:not(:checked)) .said .o>.ref:has(>.lv>data[value^="{quoted}"]){{display:none}}'
        )
    return "\n" + (_TEMPLATES / "report.css").read_text(encoding="utf-8") + "\n".join(rules) + "\n"


@cache
def environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _printable(value: Any) -> Any:
    """Texts of authors and facts with their control characters and marks of direction written out."""
    return visible(value) if type(value) is str else value
