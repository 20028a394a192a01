"""A run as one page of HTML, for people: no script, no request, no clock. Everything that it shows is escaped.

The policy in the page allows one style, by its hash, and nothing else: neither script nor picture nor frame nor font
nor form, whatever a text of the facts says.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..verdict import Run
from .page import page
from .problems import visible

_TEMPLATES = Path(__file__).parent / "templates"


def verdict_html(run: Run) -> str:
    """The run as a page, with a line feed at the end."""
    return rendered("verdict.html.j2", ("verdict.css",), page=page(run))


def rendered(template: str, styles: Sequence[str], more_style: str = "", **values: object) -> str:
    """A page of this template, with a line feed at the end. It gets `style`, and `style_hash` for its policy.

    Styles are those of all pages, then the files that are named, then `more_style`.
    """
    files = [(_TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", *styles)]
    style = "\n" + "".join(files) + more_style
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    values |= {"style": Markup(style), "style_hash": f"sha256-{digest}"}
    return environment().get_template(template).render(**values) + "\n"


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
