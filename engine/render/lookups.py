"""What the references hold for a row: the official values beside the one that was shown. Only `attest` makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

from ..attest import Official, Proposed, Provenance, Withheld, attest_cells
from ..canonical import shown
from ..verdict import LookedUp, PolicyVerdict, Witness
from . import marks
from .problems import visible


def look_up_words(found: PolicyVerdict, witness: Witness) -> str | None:
    """Why the row fails, or a person decides, and the cells that say so; None if nothing was looked up."""
    return _words(found, witness, marks.text, lambda text: text)


def look_up_html(found: PolicyVerdict, witness: Witness) -> Markup | None:
    """The same as HTML, each official value with its mark."""
    words = _words(found, witness, _with_place, lambda text: str(escape(text)))
    return Markup(words) if words is not None else None


def _with_place(one: Provenance) -> str:
    """A mark; of an official value also where it stands, for whoever reads."""
    place = f" in {one.reference} {one.edition}, line {one.line}" if isinstance(one, Official) else ""
    return marks.html(one) + str(escape(place))


def withheld_cells(found: PolicyVerdict, witness: Witness) -> dict[str, Markup]:
    """The shown columns of a row that a look-up refused, as HTML: withheld, with the reason."""
    same_as = found.checked.policy.same_as
    if same_as is None or witness.outcome not in ("fail", "review", "waived"):
        return {}
    reason = witness.reason or "disputed"
    why = f"the references say otherwise of {', '.join(same_as.show)}"
    return {
        name: Markup(marks.html(Withheld(reason, shown(witness.columns[name]), why)))
        for name in same_as.show
        if witness.columns.get(name) is not None
    }


def _claimed(
    found: PolicyVerdict, witness: Witness, mark: Callable[[Provenance], str], plain: Callable[[str], str]
) -> str:
    """What the row claims, in a page that withholds it elsewhere: a proposal of whoever made the facts."""
    same_as, relation = found.checked.policy.same_as, found.checked.relation.name
    if same_as is None or mark is marks.text:
        return ""
    values = [witness.columns[n] for n in same_as.show if witness.columns.get(n) is not None]
    said = [mark(Proposed(shown(value), relation, "facts")) for value in values]
    return plain("claimed ") + plain(", ").join(said) + plain("; ") if said else ""


def _words(
    found: PolicyVerdict, witness: Witness, mark: Callable[[Provenance], str], plain: Callable[[str], str]
) -> str | None:
    claimed = _claimed(found, witness, mark, plain)
    if witness.reason == "incomplete_key":
        return claimed + plain("incomplete key: a value that is shown as official says of what")
    if not witness.looked_up:
        return None
    said = [(one, list(_cells(found, one, mark, plain))) for one in witness.looked_up if _matters(witness, one)]
    if not any(cells for _, cells in said):
        named = list(dict.fromkeys(f"{one.reference} {visible(one.edition)}" for one in witness.looked_up))
        return claimed + plain(
            f"not in reference: {', '.join(named)} {'has' if len(named) == 1 else 'have'} no such key"
        )
    before = {"differs": "differs: ", "ambiguous_key": "ambiguous key: "}
    disagree = "the references disagree: " if witness.outcome == "review" else "looked up: "
    several = len({one.shown for one in witness.looked_up}) > 1
    parts = [
        plain(f"{one.shown}: " if several else "") + plain("the reference has ") + plain(", ").join(cells)
        for one, cells in said
        if cells
    ]
    return claimed + plain(before.get(witness.reason or "", disagree)) + plain("; ").join(parts)


def _matters(witness: Witness, one: LookedUp) -> bool:
    """Of a row that differs only what differs is told; else everything is."""
    if witness.reason != "differs":
        return True
    return any(value != witness.columns.get(one.shown, witness.key.get(one.shown)) for _, value in one.cells)


def _cells(
    found: PolicyVerdict, one: LookedUp, mark: Callable[[Provenance], str], plain: Callable[[str], str]
) -> Iterator[str]:
    official = attest_cells(one, found.checked.references)
    yield from (mark(value) for value in official)
    if not official:  # the rows of a case are made up, and a cell may be empty
        for line, value in one.cells:
            at = f"line {line}" if line is not None else "of the case"
            yield plain(f"{visible(shown(value))} in {one.reference}, {at}")
