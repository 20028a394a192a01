"""What a person decided of a row that a policy leaves to a person, and what came of it in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .frozen import dataclass

OUTCOMES = ("pass", "fail")


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of a file of decisions (`engine/schemas/decision.schema.json`). Its provenance is a person.

    `number` is its line, from 1, and `sha256` the digest of that line with its line feed. `row` is the key of the row
    or group, as canonical JSON has its values. The two other digests say of what policy and what row it speaks.
    """

    number: int
    policy: str
    policy_sha256: str
    row: Mapping[str, object]
    row_sha256: str
    outcome: str
    by: str
    at: str
    because: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Rulings:
    """The decisions on one policy, in file order, and the digest that the policy has now."""

    policy_sha256: str
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True)
class DecisionUse:
    """A decision and what came of it in a run: `why` is None if it counts, else one of `WHY_NOT`."""

    decision: Decision
    why: str | None = None

    @property
    def applied(self) -> bool:
        return self.why is None


WHY_NOT: Mapping[str, str] = {
    "policy_not_judged": "the policy was not judged",
    "not_judged": "the policy judged no row",
    "policy_changed": "the policy is not what it was",
    "no_such_row": "the row is not there",
    "several_rows": "several rows have its key",
    "row_changed": "the row is not what it was",
    "not_in_review": "the rule leaves the row to nobody now",
    "superseded": "a later one took its place",
}
"""Why a decision has no effect, and the words for it. Of several the first holds."""
