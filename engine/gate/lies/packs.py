"""Lies told in packs: a number without its origin, a source without its edition."""

from __future__ import annotations

from collections.abc import Iterator

from ...frozen import replace
from ...model import Pack, Parameter, Policy
from .lie import Ground, Lie


def _with(pack: Pack, policy: Policy) -> Pack:
    return replace(pack, policies={**pack.policies, policy.id.split(".", 1)[1]: policy})


def _parameters(ground: Ground) -> Iterator[tuple[Pack, Policy | None, Parameter]]:
    for pack in ground.packs.values():
        for parameter in pack.parameters.values():
            yield pack, None, parameter
        for policy in pack.policies.values():
            for parameter in policy.params.values():
                yield pack, policy, parameter


def _changed(pack: Pack, policy: Policy | None, parameter: Parameter) -> Pack:
    if policy is None:
        return replace(pack, parameters={**pack.parameters, parameter.name: parameter})
    return _with(pack, replace(policy, params={**policy.params, parameter.name: parameter}))


def _place(parameter: Parameter) -> str:
    return f"{parameter.place.file}:{parameter.place.line}" if parameter.place is not None else parameter.name


def source_dropped(ground: Ground) -> Iterator[Lie]:
    """A number of law whose source is gone."""
    yield from _law_without(ground, "law-source-dropped", "source", "has a source")


def check_day_dropped(ground: Ground) -> Iterator[Lie]:
    """A number of law that nobody is said to have checked."""
    yield from _law_without(ground, "law-check-day-dropped", "checked", "was checked")


def _law_without(ground: Ground, kind: str, name: str, was: str) -> Iterator[Lie]:
    """Each number of law without what it says under a name, itself and in its values."""
    for pack, policy, one in _parameters(ground):
        if one.origin == "law":
            values = tuple(replace(value, **{name: None}) for value in one.values)  # type: ignore[arg-type]
            changed = _changed(pack, policy, replace(one, values=values, **{name: None}))  # type: ignore[arg-type]
            yield Lie(kind, _place(one), f"{one.name} {was}", "none", pack=changed)


def reason_dropped(ground: Ground) -> Iterator[Lie]:
    """A number that is no law, without why it is what it is."""
    for pack, policy, one in _parameters(ground):
        if one.origin != "law" and one.because is not None:
            changed = _changed(pack, policy, replace(one, because=None, measured_by=None, source=None))
            yield Lie("threshold-reason-dropped", _place(one), f"{one.name} has a reason", "none", pack=changed)


def edition_dropped(ground: Ground) -> Iterator[Lie]:
    """A rule that cites an act without saying of which edition it speaks."""
    for pack in ground.packs.values():
        for policy in pack.policies.values():
            place = policy.places.get("source")
            where = f"{policy.file}:{place.line}" if place is not None else policy.file
            if policy.source is not None and policy.source.edition is not None:
                changed = _with(pack, replace(policy, source=replace(policy.source, edition=None)))
                yield Lie("citation-without-edition", where, f"edition {policy.source.edition}", "none", pack=changed)
