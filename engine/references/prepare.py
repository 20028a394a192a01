"""The named steps that prepare a column of a reference. Each is declared in `references.yaml`; none is implicit."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

Step = Callable[[str], tuple[str, ...]]
"""From a text to the texts that stand for it: one, or a row for each of several."""


def split_slashes(text: str) -> tuple[str, ...]:
    """`analyze/analyse` is two variants, a row each. Empty pieces are left out; a text of slashes alone stays."""
    return tuple(dict.fromkeys(piece for piece in text.split("/") if piece)) or (text,)


def nfc(text: str) -> tuple[str, ...]:
    """Composed characters (Unicode form NFC): `é` is one code point."""
    return (unicodedata.normalize("NFC", text),)


def nfkc(text: str) -> tuple[str, ...]:
    """Compatible characters (Unicode form NFKC): a full-width letter is the plain one."""
    return (unicodedata.normalize("NFKC", text),)


def casefold(text: str) -> tuple[str, ...]:
    """Small letters, as Unicode folds them. Keys that differ by case alone become one, and ambiguous if they differ."""
    return (unicodedata.normalize("NFC", text.casefold()),)


def trim(text: str) -> tuple[str, ...]:
    """Without white space around it, and single blanks within."""
    return (" ".join(text.split()),)


def straight_quotes(text: str) -> tuple[str, ...]:
    """`’` and `‘` become `'`, `“` and `”` become `"`."""
    return (text.translate(_QUOTES),)


_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})

STEPS: dict[str, Step] = {
    "casefold": casefold,
    "nfc": nfc,
    "nfkc": nfkc,
    "split_slashes": split_slashes,
    "straight_quotes": straight_quotes,
    "trim": trim,
}
"""By the name that `prepare` uses."""
