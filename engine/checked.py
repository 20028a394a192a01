"""A policy that has passed every check: what `check` gives and `compile` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .lang.typed import Typed
from .model import Parameter, Policy, Reference, Relation, Waiver


@dataclass(frozen=True, slots=True)
class CheckedPolicy:
    """A policy whose expressions are typed. `parameters` are those that it reads, by name, sorted.

    `relation` is the judged one, `relations` are all that its pack can read, references among them.
    """

    policy: Policy
    relation: Relation
    where: Typed | None
    must: Typed
    review_if: Typed | None
    parameters: Mapping[str, Parameter]
    relations: Mapping[str, Relation]
    each_of: Relation | None = None
    references: Mapping[str, Reference] = field(default_factory=dict)
    """Those that the policy reads, by name."""

    @property
    def key(self) -> tuple[str, ...]:
        """What names a row of the verdict: the relation's key, or the `per` columns."""
        return self.policy.per or self.relation.key

    @property
    def allow(self) -> Parameter | None:
        """The parameter that says how many rows may fail."""
        return self.parameters[self.policy.allow] if self.policy.allow else None


@dataclass(frozen=True, slots=True)
class CheckedWaiver:
    """A waiver whose policy exists and whose values fit. `stored` are the values of `rows` as facts are stored."""

    pack: str
    waiver: Waiver
    stored: Mapping[str, object]
