"""Drawings of a report: inline SVG without a script, whose every number also stands in words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import cos, radians, sin


def needle(value: str, low: str, high: str, title: str) -> str:
    """A balance needle that points at a value on a scale. Its place is rounded for the drawing only."""
    share = (Fraction(Decimal(value)) - Fraction(Decimal(low))) / max(
        Fraction(Decimal(high)) - Fraction(Decimal(low)), Fraction(1, 1000)
    )
    share = min(max(share, Fraction(0)), Fraction(1))
    center, top, radius = 136.0, 16.0, 112.0

    def point(part: float, r: float) -> tuple[float, float]:
        angle = radians(152 - 124 * part)
        return center + r * cos(angle), top + r * sin(angle)

    arc = "M{:.1f} {:.1f}A{:.0f} {:.0f} 0 0 0 {:.1f} {:.1f}".format(
        *point(0, radius), radius, radius, *point(1, radius)
    )
    ticks = "".join(
        "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*point(n / 20, radius), *point(n / 20, radius - (6 if n % 2 == 0 else 3)))
        for n in range(21)
    )
    tip, foot = point(float(share), radius - 5), point(float(share), 0)
    texts = "".join(
        f'<text x="{point(part, radius + 12)[0]:.1f}" y="{point(part, radius + 16)[1]:.1f}" '
        f'text-anchor="middle" font-size="12">{escape(label)}</text>'
        for part, label in ((0.0, low), (1.0, high))
    )
    return (
        f'<svg class="needle" viewBox="0 0 272 152" role="img"><title>{escape(title)}</title>'
        f'<g fill="none" stroke="currentColor"><path d="{arc}"/><path d="{ticks}"/></g>'
        f'<path d="M{foot[0] - 2.4:.1f} {foot[1]:.1f}L{tip[0]:.1f} {tip[1]:.1f}L{foot[0] + 2.4:.1f} {foot[1]:.1f}Z" '
        f'fill="currentColor"/><circle cx="136" cy="16" r="5" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<path d="M92 7h88" stroke="currentColor"/>{texts}</svg>'
    )


def bars(counts: Sequence[tuple[str, int]], title: str) -> str:
    """A bar for each value, longest for the greatest count, with its name and its count."""
    greatest = max([count for _, count in counts] + [1])
    rows = []
    for number, (name, count) in enumerate(counts):
        y = 8 + 24 * number
        width = round(170 * count / greatest)
        rows.append(
            f'<text x="0" y="{y + 12}" font-size="13" class="lv b{number + 1}">{escape(name)}</text>'
            f'<rect class="b b{number + 1}" x="40" y="{y}" width="{width}" height="14"/>'
            f'<text x="{width + 46}" y="{y + 12}" font-size="13">{count}</text>'
        )
    height = 12 + 24 * len(counts)
    return (
        f'<svg class="dist" viewBox="0 0 256 {height}" role="img"><title>{escape(title)}</title>{"".join(rows)}</svg>'
    )
