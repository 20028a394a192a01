"""Texts: their sentences, and where in them a quote stands. Knows no sensor, no policy and no model."""

from .anchor import Anchor, Anchorer, Nearest, NoAnchor
from .normal import normalised
from .sentences import Span, numbered, sentences

__all__ = ["Anchor", "Anchorer", "Nearest", "NoAnchor", "Span", "normalised", "numbered", "sentences"]
