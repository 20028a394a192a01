"""What the references hold for a row, in words: the official values beside the one that was shown."""

from __future__ import annotations

from collections.abc import Iterator

from ..canonical import shown
from ..verdict import LookedUp, Witness
from .problems import visible


def look_up_words(witness: Witness) -> str | None:
    """Why the row fails, or a person decides, and the cells that say so; None if nothing was looked up."""
    if witness.reason == "incomplete_key":
        return "incomplete key: a value that is shown as official says of what"
    if not witness.looked_up:
        return None
    cells = [text for one in witness.looked_up for text in _cells(one)]
    if not cells:
        named = ", ".join(f"{one.reference} {visible(one.edition)}" for one in witness.looked_up)
        return f"not in reference: {named} {'has' if len(witness.looked_up) == 1 else 'have'} no such key"
    before = {
        "differs": "differs: the reference has ",
        "ambiguous_key": "ambiguous key: the reference has ",
        None: "the references disagree: " if witness.outcome == "review" else "looked up: ",
    }
    return before.get(witness.reason, "looked up: ") + ", ".join(cells)


def _cells(one: LookedUp) -> Iterator[str]:
    for line, value in one.cells:
        at = f", line {line}" if line is not None else ""
        yield f"{visible(shown(value))} ({one.reference} {visible(one.edition)}{at})"
