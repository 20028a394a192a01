"""The words of a report that are not its pack's: one file has them in every language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).resolve().parents[1] / "templates" / "report.words.json"


@cache
def languages() -> Mapping[str, Mapping[str, str]]:
    """The words by language, and by what they are for."""
    found: Mapping[str, Mapping[str, str]] = json.loads(_FILE.read_text("utf-8"))
    return found


def words_in(language: str) -> Mapping[str, str]:
    """The words in this language; in English where nobody wrote them."""
    return languages().get(language, languages()["en"])
