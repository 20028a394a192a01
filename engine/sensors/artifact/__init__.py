"""The artifact sensor: reads pages that we are about to show back into facts about what they claim."""

from .passage import AMENDED_BY
from .remarks import remark, remark_on_page
from .sense import sense
from .shown import Citation, NoClaim, Sensed, ShownValue
from .words import ClaimWords, claim_words

__all__ = [
    "AMENDED_BY",
    "Citation",
    "ClaimWords",
    "NoClaim",
    "Sensed",
    "ShownValue",
    "claim_words",
    "remark",
    "remark_on_page",
    "sense",
]
