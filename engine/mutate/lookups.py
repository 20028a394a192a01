"""Mutants of `same_as`: what is looked up otherwise, and what is taken for a match though it is none."""

from __future__ import annotations

from collections.abc import Iterator

from ..frozen import replace
from ..lang.lookups import FOLDED
from ..model import SameAs
from .change import Change, Subject

_LENIENT = {
    "differs": "any value of the key's cell passes",
    "not_in_reference": "what is not in the reference passes",
    "ambiguous_key": "one of several different cells is enough",
    "incomplete_key": "a value without its whole key passes",
    "nothing_shown": "where nothing is shown the row passes",
    FOLDED: "keys are compared in small letters",
}


def _changed(subject: Subject, operator: str, text: str, same_as: SameAs) -> Change:
    return Change(operator, text, "same_as", replace(subject.policy, same_as=same_as))


def look_up(subject: Subject) -> Iterator[Change]:
    """From the grammar: each part of `same_as` is left out, or turned."""
    same_as = subject.policy.same_as
    if same_as is None:
        return
    for key in same_as.match if len(same_as.match) > 1 else ():
        left = {k: name for k, name in same_as.match.items() if k != key}
        yield _changed(subject, "look-up", f"`{key}` is dropped from `match`", replace(same_as, match=left))
    for shown in same_as.show if len(same_as.show) > 1 else ():
        rest = {name: column for name, column in same_as.show.items() if name != shown}
        yield _changed(subject, "look-up", f"`{shown}` is dropped from `show`", replace(same_as, show=rest))
    if len(same_as.references) > 1:
        for name in same_as.references:
            fewer = tuple(one for one in same_as.references if one != name)
            conflicts = same_as.review_conflicts and len(fewer) > 1
            changed = replace(same_as, references=fewer, review_conflicts=conflicts)
            yield _changed(subject, "look-up", f"the reference `{name}` is dropped", changed)
        if not same_as.review_conflicts:  # else the order decides nothing
            turned = replace(same_as, references=same_as.references[::-1])
            yield _changed(subject, "look-up", "the order of the references is turned", turned)
        other = replace(same_as, review_conflicts=not same_as.review_conflicts)
        text = "is dropped" if same_as.review_conflicts else "is `review`"
        yield _changed(subject, "look-up", f"`on_conflict` {text}", other)


def lenient_look_up(subject: Subject) -> Iterator[Change]:
    """From mistakes: what somebody who compares by hand lets pass."""
    same_as = subject.policy.same_as
    if same_as is None:
        return
    for reason, text in _LENIENT.items():
        yield _changed(subject, "lenient-look-up", text, replace(same_as, lenient=frozenset({reason})))
    every = frozenset(_LENIENT) - {"nothing_shown"}
    yield _changed(subject, "lenient-look-up", "everything that is shown passes", replace(same_as, lenient=every))


def wrong_cell(subject: Subject) -> Iterator[Change]:
    """From mistakes: another column of the reference, or of the judged row, in place of the one that is meant."""
    same_as = subject.policy.same_as
    if same_as is None:
        return
    columns = subject.checked.references[same_as.references[0]].columns
    for shown, column in same_as.show.items():
        for other in columns:
            if other != column and columns[other].type == columns[column].type:
                show = {**same_as.show, shown: other}
                yield _changed(
                    subject, "wrong-cell", f"`{other}` is looked up for `{column}`", replace(same_as, show=show)
                )
    judged = subject.checked.relation.columns
    for key, name in same_as.match.items():
        for other in judged:
            if other != name and judged[other].type == judged[name].type:
                match = {**same_as.match, key: other}
                yield _changed(subject, "wrong-cell", f"`{key}` is taken from `{other}`", replace(same_as, match=match))
