"""The elements of HTML: which are blocks, which a reader takes together, and which end others."""

from __future__ import annotations

from ...frozen import dataclass, field
from .attributes import Attributes
from .passage import Passage
from .remarks import read
from .tables import Table

HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
HOLDERS = frozenset("li td th dt dd caption figcaption summary legend label option".split()) | HEADINGS
"""Elements that a reader takes together, whatever blocks are in them."""
STRUCTURE = frozenset(
    "html body main section article header footer nav aside table thead tbody tfoot tr ul ol dl form svg g".split()
)
LISTS = frozenset({"ul", "ol", "dl"})
BLOCKS = STRUCTURE | HOLDERS | frozenset(
    "p div blockquote pre title head address details dialog fieldset figure hr hgroup menu search style script "
    "template text textarea button select noscript iframe object video audio canvas".split()
)  # fmt: skip
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
CLOSED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "tr": (frozenset({"tr", "td", "th"}), frozenset({"table"})),
    "tbody": (frozenset({"thead", "tbody", "tr", "td", "th"}), frozenset({"table"})),
    "tfoot": (frozenset({"thead", "tbody", "tr", "td", "th"}), frozenset({"table"})),
}
APART = frozenset("br img input rt rp tspan textpath mi mn mo mtext ms option".split())
"""Elements that stand apart from the text before them, though they are in its line."""
WITHIN_MARKS = frozenset("a abbr b bdi br cite code em i kbd mark s samp small span strong sub sup u var wbr".split())
"""What may stand in a mark: it changes how the value looks and nothing of what is read."""

DEEPEST = 500
"""Elements in one another. No page that is meant to be read comes near."""


class TooDeep(ValueError):
    """The page cannot be read; the message says where."""


@dataclass
class Excuse:
    """A remark that a block makes no claim."""

    line: int
    because: str
    block: int | None = None
    words: tuple[str, ...] | None = None
    """The claims that it excuses, each as often as it stands here; None: any."""
    everywhere: bool = False
    """Whether it speaks of the whole page."""
    taken: dict[object, str] = field(default_factory=dict)

    def takes(self, spot: object, claim: str) -> bool:
        """Whether it excuses the claim at a spot. A spot that it took before is not counted again."""
        if self.words is None or spot in self.taken:
            return True
        named = read(claim)
        if list(self.taken.values()).count(named) >= [read(one) for one in self.words].count(named):
            return False
        self.taken[spot] = named
        return True


@dataclass
class Open:
    """An element whose end was not read yet."""

    tag: str
    passage: Passage
    attributes: Attributes = ()
    marking: str | None = None
    line: int = 0
    texts: list[str] = field(default_factory=list)
    table: Table | None = None
    block: int | None = None
    """Of a list that a remark stands before: the number of all of it."""
    label: Passage | None = None
    """The summary, legend or caption of what is in this element."""
