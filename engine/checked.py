"""A policy that has passed every check: what `check` gives and `compile` reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .frozen import dataclass, field
from .lang.typed import Typed
from .model import Parameter, Policy, Reference, Relation, View, Waiver


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
    views: Mapping[str, View] = field(default_factory=dict)
    """Those that the policy reads, and those that these read, each behind what it reads itself."""

    @property
    def key(self) -> tuple[str, ...]:
        """What names a row of the verdict: the relation's key, or the `per` columns."""
        return self.policy.per or self.relation.key

    def present(self, given: Collection[str]) -> frozenset[str]:
        """What is not absent where `given` is there: a view is absent if anything that it reads is."""
        found = set(given)
        for name, view in self.views.items():
            if found.issuperset(view.reads):
                found.add(name)
        return frozenset(found)

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
