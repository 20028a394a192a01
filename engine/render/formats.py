"""What a run looks like in each format. `FORMATS` maps a format's name to the function that renders it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..verdict import Run
from .text import verdict_text
from .verdict import verdict_json

FORMATS: Mapping[str, Callable[[Run], str]] = {"text": verdict_text, "json": verdict_json}

__all__ = ["FORMATS", "verdict_json", "verdict_text"]
