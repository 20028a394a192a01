"""An evaluation as text, as JSON and as a page with a plot."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path

from ..canonical import dumps
from ..evaluation.figures import FEWEST, LEVEL
from ..evaluation.nouns import Evaluation, Figures, Listed
from .problems import visible

_TEMPLATES = Path(__file__).parent / "templates"
_UNSEEN = (
    "these figures cannot say whether the annotations are right, nor how far two annotators would agree",
    "documents are drawn for the intervals, not items; figures are exact, and rounded to three places for the eye",
)


def rounded(value: Fraction | None) -> str:
    """Three places, half away from zero; `none` where there is no such figure."""
    if value is None:
        return "none"
    scaled = abs(value) * 2000 + 1
    thousandths = scaled.numerator // (2 * scaled.denominator)
    sign = "-" if value < 0 and thousandths else ""
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03}"


def evaluation_text(one: Evaluation) -> str:
    """The evaluation for a terminal."""
    return "\n".join(visible(line) for line in _lines(one)) + "\n"


def _lines(one: Evaluation) -> Iterator[str]:
    many = f"{len(one.documents)} document{'' if len(one.documents) == 1 else 's'}"
    yield f"{one.pack}: {many} on all sides, spans {one.match}{_same(one)}"
    for side in one.constructed:
        yield f"constructed: what stands under `{side}` was written by hand"
    if one.only_annotated:
        yield f"annotated and not in the run, counted nowhere: {', '.join(one.only_annotated)}"
    if one.only_run:
        yield f"in the run and not annotated, counted nowhere: {', '.join(one.only_run)}"
    for name, why in one.not_compared.items():
        yield f"not compared: {name}, {why}"
    yield ""
    rows: list[tuple[str, ...]] = [("", "precision", "recall", "F1", "95 % of F1", "found", "missed", "invented")]
    rows += [_row(figures) for figures in one.figures]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(
            cell.ljust(widths[n]) if n == 0 else cell.rjust(widths[n]) for n, cell in enumerate(row)
        ).rstrip()
    if len(one.documents) < FEWEST:
        yield f"no intervals: {len(one.documents)} documents are fewer than {FEWEST}, of which they would say nothing"
    yield from _details(one)
    yield from _score_lines(one)
    yield ""
    yield from (f"cannot see: {text}" for text in _UNSEEN)


def _same(one: Evaluation) -> str:
    return f", with the same {' and '.join(one.same)}" if one.same else ""


def _row(figures: Figures) -> tuple[str, ...]:
    counts = figures.counts
    name = f"{figures.relation}" if figures.of is None else f"  {figures.of}"
    interval = "" if figures.interval is None else f"{rounded(figures.interval[0])} to {rounded(figures.interval[1])}"
    numbers = (str(counts.found), str(counts.missed), str(counts.invented))
    return (name, rounded(counts.precision), rounded(counts.recall), rounded(counts.f1), interval, *numbers)


def _details(one: Evaluation) -> Iterator[str]:
    for figures in one.figures:
        if figures.of is not None:
            continue
        for what, items in (("missed", figures.missed), ("invented", figures.invented)):
            yield from (f"{figures.relation}, {what}: {item.document}: {item.text}" for item in items)
        yield from _compared(figures)


def _compared(figures: Figures) -> Iterator[str]:
    """Whether two runs can be told apart."""
    if figures.other is not None:
        yield f"{figures.relation}: F1 {rounded(figures.counts.f1)}, and of the other run {rounded(figures.other.f1)}"
    found = figures.comparison
    if found is not None:
        how = "every exchange was tried" if found.exact else "4,096 exchanges were drawn"
        told = "can be told from noise" if found.is_told_apart else "cannot be told from noise"
        yield (
            f"{figures.relation}: a difference of {rounded(found.difference)} {told} with {found.documents} documents "
            f"(p {rounded(found.p)}, {how}; {rounded(LEVEL)} is a convention)"
        )


def _score_lines(one: Evaluation) -> Iterator[str]:
    if one.scores is None:
        return
    yield ""
    yield f"{one.scores.column}: annotated, run, difference"
    for document, mine, theirs in one.scores.pairs:
        yield f"  {document}  {rounded(mine)}  {rounded(theirs)}  {rounded(theirs - mine)}"
    if one.scores.missing:
        yield f"  unknown on one side, counted nowhere: {', '.join(one.scores.missing)}"
    for name, found in (("mean difference", one.scores.mean), ("mean size of the difference", one.scores.absolute)):
        if found is not None:
            interval = f", 95 % from {rounded(found[1][0])} to {rounded(found[1][1])}" if found[1] is not None else ""
            yield f"  {name} {rounded(found[0])}{interval}"


# -- JSON ------------------------------------------------------------------------------------------------------


def evaluation_json(one: Evaluation) -> str:
    """The evaluation as a document; every figure as numerator, denominator, and rounded."""
    scores = None
    if one.scores is not None:
        scores = {
            "column": one.scores.column,
            "pairs": [{"document": d, "annotated": _exact(a), "run": _exact(b)} for d, a, b in one.scores.pairs],
            "missing": list(one.scores.missing),
            "mean_difference": _mean(one.scores.mean),
            "mean_absolute_difference": _mean(one.scores.absolute),
        }
    return dumps(
        {
            "format": 1,
            "pack": one.pack,
            "documents": list(one.documents),
            "only_annotated": list(one.only_annotated),
            "only_run": list(one.only_run),
            "match": one.match,
            "same": list(one.same),
            "seed": one.seed,
            "samples": one.samples,
            "constructed": list(one.constructed),
            "not_compared": dict(one.not_compared),
            "figures": [_figures_json(figures) for figures in one.figures],
            "scores": scores,
            "cannot_see": list(_UNSEEN),
        }
    )


def _figures_json(one: Figures) -> dict[str, object]:
    comparison = None
    if one.comparison is not None:
        comparison = {
            "difference": _exact(one.comparison.difference),
            "p": _exact(one.comparison.p),
            "exact": one.comparison.exact,
            "documents": one.comparison.documents,
            "told_apart": one.comparison.is_told_apart,
        }
    counts = {"found": one.counts.found, "missed": one.counts.missed, "invented": one.counts.invented}
    return {
        "relation": one.relation,
        "of": one.of,
        "counts": counts,
        "precision": _exact(one.counts.precision),
        "recall": _exact(one.counts.recall),
        "f1": _exact(one.counts.f1),
        "interval": None if one.interval is None else [_exact(part) for part in one.interval],
        "found": _listed(one.found),
        "missed": _listed(one.missed),
        "invented": _listed(one.invented),
        "other_f1": _exact(one.other.f1) if one.other is not None else None,
        "comparison": comparison,
    }


def _listed(items: Sequence[Listed]) -> list[dict[str, object]]:
    return [{"document": one.document, "text": one.text} for one in items]


def _exact(value: Fraction | None) -> object:
    if value is None:
        return None
    return {"numerator": value.numerator, "denominator": value.denominator, "rounded": rounded(value)}


def _mean(found: tuple[Fraction, tuple[Fraction, Fraction] | None] | None) -> object:
    if found is None:
        return None
    return {"mean": _exact(found[0]), "interval": None if found[1] is None else [_exact(part) for part in found[1]]}


# -- a page ----------------------------------------------------------------------------------------------------


def evaluation_html(one: Evaluation) -> str:
    """The evaluation as one page without a script: the plot, then all of the text."""
    style = "\n" + (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    text = escape(evaluation_text(one))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>Evaluation: {escape(one.pack)}</title>\n<style>{style}</style>\n</head>\n<body><div class="page">\n'
        f'<h1>Evaluation of {escape(one.pack)}</h1>\n<figure>{_plot(one)}<figcaption class="note">F1, with the middle '
        f"95 % where there are documents enough.</figcaption></figure>\n{_scatter(one)}\n"
        f'<div class="scroll" tabindex="0" role="region" aria-label="Figures"><pre>{text}</pre></div>\n'
        "</div></body>\n</html>\n"
    )


def _plot(one: Evaluation) -> str:
    rows = []
    for number, figures in enumerate(one.figures):
        y = 20 + 26 * number
        f1 = figures.counts.f1
        name = escape(visible(figures.relation if figures.of is None else figures.of))
        rows.append(f'<text x="0" y="{y + 4}" font-size="13">{name}</text>')
        if figures.interval is not None:
            low, high = (_at(part) for part in figures.interval)
            rows.append(f'<path d="M{low} {y}H{high}" stroke="currentColor" stroke-width="2"/>')
        if f1 is not None:
            rows.append(f'<circle cx="{_at(f1)}" cy="{y}" r="5" fill="currentColor"/>')
        rows.append(f'<text x="560" y="{y + 4}" font-size="13">{rounded(f1)}</text>')
    height = 40 + 26 * len(one.figures)
    axis = "".join(
        f'<path d="M{_at(Fraction(n, 4))} 4V{height - 22}" stroke="currentColor" opacity=".3"/>' for n in range(5)
    )
    labels = "".join(
        f'<text x="{_at(Fraction(n, 4))}" y="{height - 6}" font-size="11" text-anchor="middle">'
        f"{rounded(Fraction(n, 4))}</text>"
        for n in range(5)
    )
    drawn = f"<title>F1 of each relation</title>{axis}{''.join(rows)}{labels}"
    return f'<svg viewBox="0 0 620 {height}" role="img">{drawn}</svg>'


def _at(share: Fraction) -> int:
    return 200 + int(share * 340)


def _scatter(one: Evaluation) -> str:
    """The scores of the run over those that were annotated; on the line they are equal."""
    if one.scores is None or not one.scores.pairs:
        return ""
    values = [value for _, mine, theirs in one.scores.pairs for value in (mine, theirs)]
    low, high = min(values), max(values)
    width = high - low or Fraction(1)

    def place(value: Fraction) -> int:
        return 30 + int((value - low) / width * 240)

    points = "".join(
        f'<circle cx="{place(mine)}" cy="{300 - place(theirs)}" r="4" fill="currentColor">'
        f"<title>{escape(visible(d))}</title></circle>"
        for d, mine, theirs in one.scores.pairs
    )
    return (
        '<figure><svg viewBox="0 0 300 300" role="img"><title>Scores of the run over annotated ones</title>'
        f'<path d="M30 270V30M30 270H270M30 270L270 30" fill="none" stroke="currentColor" opacity=".4"/>{points}</svg>'
        f'<figcaption class="note">{escape(one.scores.column)} of the run over that of the annotations, '
        f"from {rounded(low)} to {rounded(high)}.</figcaption></figure>"
    )


FORMATS = {"text": evaluation_text, "json": evaluation_json, "html": evaluation_html}
