"""The artifact sensor: reads pages that we are about to show back into facts about what they claim."""

from .sense import sense
from .shown import Citation, NoClaim, Sensed, ShownValue
from .words import ClaimWords, claim_words

__all__ = ["Citation", "ClaimWords", "NoClaim", "Sensed", "ShownValue", "claim_words", "sense"]
