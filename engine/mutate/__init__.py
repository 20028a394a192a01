"""Small changes to a policy, each of which some case has to notice (`docs/mutants.md`)."""

from .run import Attack, Survivor, attack, mutants

__all__ = ["Attack", "Survivor", "attack", "mutants"]
