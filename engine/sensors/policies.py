"""Policies as documents: what each says of its own limits and of its numbers, as rows and as texts to ask about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..model import Pack, Parameter, Policy
from ..sensor import Record, Rows

_RULE = ("where", "must", "review_if")


def passages(packs: Iterable[Pack]) -> Rows:
    """A row a part of each policy (`PASSAGE` in `engine/sensor.py`), in the order of policies and parameters.

    A parameter of the whole pack has the pack's name in the column `policy`. What is not written is null. `claim_id` is
    what `records` calls the same text.
    """
    return list(_passages(packs))


def _passages(packs: Iterable[Pack]) -> Iterator[Mapping[str, object]]:
    for pack in packs:
        for parameter in pack.parameters.values():
            yield _reason(pack.name, pack.name, parameter)
        for policy in pack.policies.values():
            scope = {"policy": policy.id, "pack": pack.name, "part": "scope", "text": policy.cannot_see}
            yield {"claim_id": policy.id, **scope, "parameter": "", "value": None, "unit": None, "origin": None}
            for parameter in policy.params.values():
                yield _reason(policy.id, pack.name, parameter)


def _reason(policy: str, pack: str, parameter: Parameter) -> Mapping[str, object]:
    return {
        "claim_id": f"{policy}#{parameter.name}",
        "policy": policy,
        "pack": pack,
        "part": "reason",
        "parameter": parameter.name,
        "text": parameter.because,
        "value": values_of(parameter),
        "unit": parameter.unit,
        "origin": parameter.origin,
    }


def values_of(parameter: Parameter) -> str:
    """All values of a parameter, as a reader sees them, those with a day as `value from day`."""
    return ", ".join(one.shown if one.start is None else f"{one.shown} from {one.start}" for one in parameter.values)


def records(packs: Iterable[Pack]) -> list[Record]:
    """What questions are put about: `pack.policy` for the scope, `pack.policy#parameter` for a reason.

    A part that is not written gives no record: there is nothing to ask about.
    """
    found = []
    for pack in packs:
        policies = {policy.id: policy for policy in pack.policies.values()}
        for row in _passages([pack]):
            if row["text"] is None:
                continue
            policy = policies.get(str(row["policy"]))
            found.append(Record(str(row["claim_id"]), str(row["text"]), str(row["part"]), _around(policy, row)))
    return found


def _around(policy: Policy | None, row: Mapping[str, object]) -> str:
    """The rule that the text belongs to, and the number if it is about one."""
    lines = []
    if row["parameter"]:
        unit = f" {row['unit']}" if row["unit"] not in (None, "none") else ""
        lines.append(f"{row['parameter']}: {row['value']}{unit}, origin {row['origin']}")
    if policy is not None:
        lines.append(f"rule: {policy.title}")
        given = ((key, getattr(policy, key)) for key in _RULE)
        lines += [f"{key}: {' '.join(expression.text.split())}" for key, expression in given if expression is not None]
        lines += [f"{one.name} = {values_of(one)}" for one in policy.params.values() if one.name != row["parameter"]]
    return "\n".join(lines)
