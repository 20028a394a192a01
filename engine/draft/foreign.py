"""Texts that look like a day, a number or a share, written in a way that facts do not have.

Such a column is declared as text, since nothing is read that is not plain; whoever drafts is told what it may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_DIGITS = r"[+-]?[0-9]{1,3}(?:(?:[.,' \u2019\u00a0\u202f][0-9]{3})+|[0-9]*)(?:[.,][0-9]+)?"
_FORMS = (
    ("a share? write it as a number, 0.05 for 5 %", re.compile(rf"{_DIGITS}[ \u00a0\u202f]?[%\u2030]")),
    (
        "a number with its unit? write the number, and the unit here",
        re.compile(rf"{_DIGITS}[ \u00a0\u202f]?([$£€¥]|[A-Za-zµ°]{{1,4}}[²³]?)|[$£€¥][ \u00a0\u202f]?{_DIGITS}"),
    ),
    (
        "a date? write YYYY-MM-DD",
        re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1([0-9]{2}|[0-9]{4})|[0-9]{4}([./-])[0-9]{1,2}\3[0-9]{1,2}"),
    ),
    (
        "an instant? write YYYY-MM-DDTHH:MM:SSZ",
        re.compile(
            r"([0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}),?[T ]+[0-9:.]+.*"
        ),
    ),
    ("a number? write digits and a point, as 1200.50", re.compile(_DIGITS)),
)


def meant_by_texts(values: Iterable[object]) -> str | None:
    """What the author of such texts may have meant, as a question with its mending; None if they are texts.

    More than half of the texts that are not empty have to look alike. A plain number counts with others that are not
    plain: beside `1.200,50` a `7` is one too, and alone it is a code, which is a text.
    """
    texts = [text for text in (str(value).strip() for value in values) if text]
    for meant, form in _FORMS:
        alike = [text for text in texts if form.fullmatch(text)]
        if 2 * len(alike) > len(texts) and any(not _PLAIN.fullmatch(text) for text in alike):
            return meant
    return None
