"""The nouns of lying: what there is to lie about, and one lie."""

from __future__ import annotations

from collections.abc import Mapping

from ...checked import CheckedPolicy
from ...frozen import dataclass, field
from ...model import Pack
from ...references import Lookup
from ...seal import resealed
from ...sensors.artifact import Sensed
from ..facts import Unit


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A row of facts that a policy looks up: its key, and the texts of the columns that are matched and shown.

    `official` is whether it is in the scope of the policy, so shown as official.
    """

    unit: Unit
    checked: CheckedPolicy
    key: Mapping[str, object]
    columns: Mapping[str, str | None]
    official: bool
    place: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What may be lied about, in a fixed order."""

    pages: Mapping[str, bytes]
    sensed: Mapping[str, Sensed]
    facts: tuple[ShownFact, ...]
    packs: Mapping[str, Pack]
    lookups: Mapping[str, Lookup]
    references: Mapping[str, tuple[str, bytes]]
    """The path and bytes of each reference file that is read."""
    texts: dict[str, str] = field(default_factory=dict, repr=False)

    def text(self, page: str) -> str:
        """The text of a page, decoded once."""
        if page not in self.texts:
            self.texts[page] = self.pages[page].decode("utf-8", "replace")
        return self.texts[page]


@dataclass(frozen=True, slots=True)
class FactChange:
    """Columns of one row with other values, as facts are stored."""

    fact: ShownFact
    columns: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ReferenceChange:
    """Another file in the place of a reference; with `pinned` its hash stands in `references.yaml` too."""

    name: str
    data: bytes
    pinned: bool


@dataclass(frozen=True, slots=True)
class PageChange:
    """Other characters in a stretch of a page. With `seals_anew` the liar knows how, and seals a sealed page again."""

    name: str
    text: str = field(repr=False)
    start: int
    end: int
    new: str
    seals_anew: bool = True

    @property
    def data(self) -> bytes:
        """The page with the change in it, made when it is asked for: of thousands of lies few are told."""
        changed = self.text[: self.start] + self.new + self.text[self.end :]
        if self.seals_anew:
            changed = resealed(changed, "json" if self.name.lower().endswith(".json") else "text")
        return changed.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Lie:
    """One falsehood: its kind, where it is told, and what became of what. Just one of the last four is set."""

    kind: str
    place: str
    was: str
    now: str
    page: PageChange | None = None
    fact: FactChange | None = None
    reference: ReferenceChange | None = None
    pack: Pack | None = field(default=None, compare=False)

    @property
    def identity(self) -> tuple[str, str, str, str]:
        return self.kind, self.place, self.was, self.now
