"""A report as one page of HTML, for people: no script, no request, no clock; everything in it is escaped.

What is official is marked, and drawn by its mark. What would look like a claim and is none (words of the author, the
legend) is named in a remark at the end of the page, which is sealed (`claims.py`).
"""

from __future__ import annotations

import re

from markupsafe import Markup

from ...attest import Official
from ...report import Find, Report
from .. import marks
from ..html import rendered
from .claims import names_claim, vouched
from .legible import replaced
from .marked import MarkedText
from .notices import notices
from .svg import bars, needle
from .words import words_in


def report_html(report: Report) -> str:
    """The report as a page, with a line feed at the end."""
    w = words_in(report.language)
    text = MarkedText(report, w)
    shown = report.score is not None and report.score.value is not None
    page = rendered(
        "report.html.j2",
        ("report.css",),
        _colours(report),
        r=report,
        w=w,
        notices=list(notices(report, w)),
        paragraphs=[(one, Markup(one.html)) for one in text.paragraphs()],
        is_long=text.is_long,
        replaced=replaced(report.text),
        bars=Markup(bars(_counts(report), w["chart"])),
        needle=Markup(_needle(report)) if shown else None,
        by_level=_by_level(report),
        official=[one for one in report.finds if isinstance(one.value, Official)],
        held_list=report.withheld,
        held_finds=[one for one in report.finds if not isinstance(one.value, Official)],
        mark=lambda one: Markup(marks.html(one)),
        is_official=lambda one: isinstance(one, Official),
        titles={one.reference: one.title for one in report.sources},
        warn=report.score is not None and bool(report.score.guesses),
        plain_name=not names_claim(report.document, report.claims),
    )
    return vouched(page, "report.html", report.claims)


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


def _colours(report: Report) -> str:
    """A line of style for each value of the scale: what is drawn follows the value that is marked as official."""
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
    return "\n".join(rules) + "\n"
