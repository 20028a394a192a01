"""An evaluation as one page of HTML, for people: no script, no request, no clock; all that it shows is escaped."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

from markupsafe import Markup

from ..evaluation import SIDES, Evaluation, Figure
from . import evaluation_words as words
from .evaluation_plot import f1_plot, score_plot
from .html import environment

_TEMPLATES = Path(__file__).parent / "templates"


def evaluation_html(evaluation: Evaluation, listed: int) -> str:
    """The evaluation as a page, with at most `listed` rows of a kind, and a line feed at the end."""
    style = "\n" + "".join((_TEMPLATES / name).read_text("utf-8") for name in ("verdict.css", "evaluation.css"))
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    template = environment().get_template("evaluation.html.j2")
    plots = [Markup(score_plot(one)) for one in evaluation.scores]  # drawn here, its texts are escaped
    return (
        template.render(
            e=evaluation,
            words=words,
            plain=Figure,
            sides=SIDES,
            listed=listed,
            f1=Markup(f1_plot(evaluation.relations)),
            scores=list(zip(evaluation.scores, plots, strict=True)),
            style=style,
            style_hash=f"sha256-{digest}",
        )
        + "\n"
    )
