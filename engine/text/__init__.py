"""Texts: their sentences, and where in them a quote stands. Knows no sensor, no policy and no model."""

from .anchor import Anchor, Anchorer, Nearest, NoAnchor
from .composition import Closing, Event, Mark, Opening, compose, lanes
from .normal import normalised
from .sentences import Span, numbered, sentences

__all__ = [
    "Anchor",
    "Anchorer",
    "Closing",
    "Event",
    "Mark",
    "Nearest",
    "NoAnchor",
    "Opening",
    "Span",
    "compose",
    "lanes",
    "normalised",
    "numbered",
    "sentences",
]
