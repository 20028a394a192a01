"""The columns that a file does not have, in one problem."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import nearest
from ..model import Column, Relation
from .bad_values import loosely, plain, shown
from .findings import Findings, Spot

_LISTED = 12
"""Columns that are named; the others are counted."""


def report_missing(
    relation: Relation, present: Collection[str], spot: Spot, findings: Findings, unknown: str = "`null`"
) -> None:
    """Adds one problem for all columns of a relation that a file must have and does not.

    `present` are the names of the file's columns, declared or not; `unknown` is how the format writes what is unknown.
    """
    missing = [
        column
        for column in relation.columns.values()
        if column.name not in present and (column.required or not column.may_be_absent)
    ]
    if not missing:
        return
    required = [column for column in missing if column.required]
    optional = [column for column in missing if not column.required]
    many = len(missing) > 1
    if not optional:
        help = f"give {'them' if many else 'it'}: required"
    else:
        others = "the others" if required else "them" if many else "it"
        give = f"give {'them' if many else 'it'} ({unknown} is unknown"
        give += f"; {_names(required)}: required)" if required else ")"
        help = f"{give}, or write `may_be_absent: true` for {others} in {_places(optional)}"
    findings.fact_problem(
        "fact-missing-column",
        spot,
        f"the file has no column {_names(missing)} of `{relation.name}`",
        help + _misspelt(missing, [name for name in present if name not in relation.columns]),
    )


def _names(columns: Sequence[Column]) -> str:
    return _listed([f"`{column.name}`" for column in columns])


def _places(columns: Sequence[Column]) -> str:
    """Where the columns are declared: `relations.yaml:4, 5 and 9`."""
    places = [column.place for column in columns if column.place is not None]
    if len(places) < len(columns):
        return "relations.yaml"
    lines: dict[str, list[str]] = {}
    for place in places:
        lines.setdefault(plain(place.file, 200), []).append(str(place.line))
    return " and ".join(f"{file}:{_listed(numbers)}" for file, numbers in lines.items())


def _listed(words: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    if len(words) > _LISTED:
        words = [*words[:_LISTED], f"{len(words) - _LISTED} more"]
    return ", ".join(words[:-1]) + f" and {words[-1]}" if len(words) > 1 else words[0]


def _misspelt(missing: Sequence[Column], unknown: Sequence[str]) -> str:
    """The undeclared names that may be meant for missing columns."""
    names = {loosely(name): name for name in sorted(unknown)[:1000] if len(name) < 100}
    found = [(near, one.name) for one in missing[:_LISTED] if (near := nearest(one.name, names)) is not None]
    return "".join(f"; is {shown(names[near])} meant for `{name}`?" for near, name in found[:3])
