"""An evaluation as one page of HTML, for people: no script, no request, no clock; all that it shows is escaped."""

from __future__ import annotations

from markupsafe import Markup

from ..evaluation import SIDES, Evaluation, Figure
from . import evaluation_words as words
from .evaluation_plot import f1_plot, score_plot
from .html import rendered


def evaluation_html(evaluation: Evaluation, listed: int) -> str:
    """The evaluation as a page, with at most `listed` rows of a kind, and a line feed at the end."""
    plots = [Markup(score_plot(one)) for one in evaluation.scores]  # drawn here, its texts are escaped
    return rendered(
        "evaluation.html.j2",
        ("verdict.css", "evaluation.css"),
        e=evaluation,
        words=words,
        plain=Figure,
        sides=SIDES,
        listed=listed,
        f1=Markup(f1_plot(evaluation.relations)),
        scores=list(zip(evaluation.scores, plots, strict=True)),
    )
