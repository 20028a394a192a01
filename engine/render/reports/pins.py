"""What a page says of a reference itself: each part of its pin is marked, so that the gate can hold it against it."""

from __future__ import annotations

import re
from html import escape

from ...markup import PIN_COLUMNS, Target, json_text, shown_text, write_target
from ...report import Source


def pin_html(source: Source, field: str) -> str:
    """A part of a pin (title, edition, cite, licence, sha256) as an official value, of the column `@title` etc."""
    value = shown_text(str(getattr(source, field)))
    column = PIN_COLUMNS[field]
    about = {"reference": source.reference, "edition": source.edition, "key": json_text({}), "column": column}
    said = "".join(f' data-{name}="{escape(shown_text(text))}"' for name, text in about.items() if name != "key")
    return f'<data class="official"{said} data-key="{{}}" value="{escape(value)}">{escape(value)}</data>'


def pin_markdown(source: Source, field: str) -> str:
    """The same as a link."""
    target = Target(source.reference, {}, PIN_COLUMNS[field], source.edition)
    label = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", shown_text(str(getattr(source, field))))
    return f'[{label}]({write_target(target)} "official")'
