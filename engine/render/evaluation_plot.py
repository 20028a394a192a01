"""Drawings of an evaluation: inline SVG without a script or a colour of its own. Every number also stands in words.

Run A is a filled disc, run B an open square, so that they are told apart without colour. No bar is drawn for an
interval that was not measured. Places are rounded for the drawing only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from ..evaluation import Figure, RelationResult, ScoreResult
from .evaluation_words import RUNS, decimal_text, figure_text
from .problems import visible

_LEFT, _RIGHT = 12, 388
_ROW = 46


def f1_plot(results: Sequence[RelationResult]) -> str:
    """F1 of each run by relation, from 0 to 1, with its interval; empty without any."""
    rows = [(result.relation, run.side, run.f1) for result in results for run in result.runs]
    if not rows:
        return ""
    height = _ROW * len(rows) + 34
    drawn = [_f1_row(number, *row) for number, row in enumerate(rows)]
    ticks = "".join(
        f'<path d="M{_x(Fraction(part, 4))} 4V{height - 24}" class="grid"/>'
        f'<text x="{_x(Fraction(part, 4))}" y="{height - 8}" text-anchor="middle">{label}</text>'
        for part, label in enumerate(("0", "0.25", "0.5", "0.75", "1"))
    )
    title = "F1 by relation, from 0 to 1, with intervals where there are some"
    return _svg(400, height, title, ticks + "".join(drawn))


def _f1_row(number: int, relation: str, side: str, figure: Figure) -> str:
    top = number * _ROW + 18
    text = f"{relation}, {RUNS[side]}: {figure_text(figure)}"
    parts = [f'<text x="{_LEFT}" y="{top}">{_text(text)}</text>']
    line = top + 14
    if figure.interval is not None:
        low, high = _x(figure.interval.low), _x(figure.interval.high)
        parts.append(f'<path d="M{low} {line}H{high}M{low} {line - 5}v10M{high} {line - 5}v10" class="bar"/>')
    if figure.value is not None:
        parts.append(_mark(side, _x(figure.value), str(line)))
    return "".join(parts)


def score_plot(result: ScoreResult) -> str:
    """Each document's number by a run against the annotated one; on the line they are equal. Empty without any."""
    if not result.scores:
        return ""
    values = [value for one in result.scores for value in (one.annotated, *one.runs)]
    low, high = min(values), max(values)
    span = high - low or Fraction(1)
    size, left, top = 260, 56, 12

    def x(value: Fraction) -> str:
        return decimal_text(left + size * (value - low) / span, 1)

    def y(value: Fraction) -> str:
        return decimal_text(top + size - size * (value - low) / span, 1)

    marks = "".join(
        _mark(side, x(one.annotated), y(value))
        for one in result.scores
        for side, value in zip(RUNS, one.runs, strict=False)
    )
    bottom = top + size
    axes = f'<path d="M{left} {top}V{bottom}H{left + size}" class="bar"/>'
    equal = f'<path d="M{left} {bottom}L{left + size} {top}" class="equal"/>' if high > low else ""
    least, most = decimal_text(low), decimal_text(high)
    labels = (
        f'<text x="{left}" y="{bottom + 18}" text-anchor="middle">{least}</text>'
        f'<text x="{left + size}" y="{bottom + 18}" text-anchor="end">{most}</text>'
        f'<text x="{left + size // 2}" y="{bottom + 36}" text-anchor="middle">annotated</text>'
        f'<text x="{left - 6}" y="{bottom}" text-anchor="end">{least}</text>'
        f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{most}</text>'
        f'<text x="{left - 6}" y="{top + size // 2}" text-anchor="end">run</text>'
    )
    title = f"{result.name} by the run against {result.against} as annotated; on the broken line they are equal"
    return _svg(left + size + 16, bottom + 44, title, axes + equal + labels + marks)


def _x(value: Fraction) -> str:
    return decimal_text(_LEFT + value * (_RIGHT - _LEFT), 1)


def _mark(side: str, x: str, y: str) -> str:
    if side == "a":
        return f'<circle cx="{x}" cy="{y}" r="4" class="run-a"/>'
    left, top = (decimal_text(Fraction(one) - 6, 1) for one in (x, y))
    return f'<rect x="{left}" y="{top}" width="12" height="12" class="run-b"/>'


def _svg(width: int, height: int, title: str, content: str) -> str:
    return f'<svg class="plot" viewBox="0 0 {width} {height}" role="img"><title>{_text(title)}</title>{content}</svg>'


def _text(text: str) -> str:
    return escape(visible(text))
