"""Lies told to the gate: seeded falsehoods of many kinds, each of which changes something that is shown or cited.

A kind says what makes its lies detectable (`docs/honesty.md` lists them). A change that would not make anything false
is never made: of a key that is altered, the reference must not hold the shown value.
"""

from .kinds import KINDS
from .lie import FactChange, Ground, Lie, ReferenceChange, ShownFact

__all__ = ["KINDS", "FactChange", "Ground", "Lie", "ReferenceChange", "ShownFact"]
