"""Relations that nobody declares: which file brings them, and what was meant."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Problem, did_you_mean, nearest
from .bad_values import shown
from .sources import Source, Survey


def undeclared_help(relation: str, source: Source, declared: Iterable[str]) -> str:
    """The nearest declared relation, and how to name the relation of a file whose name gives another."""
    legal = sorted(declared)
    help = did_you_mean(relation[:100], legal, "declared")
    if source.relation is None or source.path is None or not legal:
        return help
    meant = nearest(relation[:100], legal) or (legal[0] if len(legal) == 1 else None)
    file = shown(f"--facts {meant or 'RELATION'}={source.shown}", 240)
    if source.named:
        return help
    return f"{help}{'' if help.endswith('?') else ';'} name the relation of the file: {file}"


def undeclared_relations(survey: Survey, declared: Iterable[str]) -> list[Problem]:
    """A problem for each relation of each file that is not among the declared ones, in the order of files."""
    legal = sorted(declared)
    return [
        Problem(
            "undeclared-relation",
            f"no loaded pack declares the relation {shown(relation)}",
            where=source.shown,
            help=undeclared_help(relation, source, legal),
        )
        for relation, source in survey.brought
        if relation not in legal
    ]
