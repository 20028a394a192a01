"""Every way to fill in what is missing, and whether what was decided survives it: the page's one principle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from .evaluate import Judging, judge_policy, outcomes, whole_row
from .frame import Rows
from .generate import Pack
from .reading import Policy, read_pack
from .values import Value

DECIDED = ("pass", "fail", "review", "not_applicable")
Place = tuple[str, int, str]  # relation, row, column


def nulls(pack: Pack) -> list[Place]:
    """The empty cells of the facts, in order."""
    return [
        (relation, number, column)
        for relation, rows in pack.facts.items()
        for number, row in enumerate(rows)
        for column in pack.types[relation]
        if row.get(column) is None
    ]


def filled(pack: Pack, values: dict[Place, Value]) -> Pack:
    facts: dict[str, Rows] = {name: [dict(row) for row in rows] for name, rows in pack.facts.items()}
    for (relation, number, column), value in values.items():
        facts[relation][number][column] = value
    return replace(pack, facts=facts)


def with_few_nulls(pack: Pack, most: int = 5) -> Pack:
    """The pack with all but `most` empty cells, spread over them, filled from their pools."""
    found = nulls(pack)
    kept = {found[at * len(found) // most] for at in range(min(most, len(found)))}
    given: dict[Place, Value] = {}
    for relation, number, column in (place for place in found if place not in kept):
        pool = pack.frame.columns[relation][column].pool
        given[relation, number, column] = pool[number % len(pool)]
    return filled(pack, given)


def completions(pack: Pack) -> Iterator[Pack]:
    """The pack with every empty cell filled, in every way that the columns' pools allow."""
    places = nulls(pack)
    pools = [pack.frame.columns[relation][column].pool for relation, _, column in places]
    for values in itertools.product(*pools):
        yield filled(pack, dict(zip(places, values, strict=True)))


def decided(pack: Pack, policy: Policy) -> tuple[str | None, dict[object, str] | None]:
    """The verdict if it is a decided one, and the decided outcomes of rows or groups by key; None for an error."""
    facts = {name: [whole_row(row, pack.types[name]) for row in rows] for name, rows in pack.facts.items()}
    verdict = judge_policy(policy, facts, pack.as_of, 0, Counter())["verdict"]
    if verdict == "error" or policy.relation not in facts or (policy.each_of and policy.each_of not in facts):
        return None, None
    found = outcomes(Judging(policy, facts, pack.as_of, Counter()))
    assert not isinstance(found, str)
    return verdict if verdict in DECIDED else None, {each.key: each.outcome for each in found}


def broken_promise(pack: Pack, name: str) -> str | None:
    """What a completion changes although it was decided: None if nothing does."""
    policy = read_pack(pack.files)[2][name]
    verdict, before = decided(pack, policy)
    if before is None:
        return None
    for completion in completions(pack):
        now, after = decided(completion, policy)
        if verdict is not None and now != verdict:
            return f"{name}: {verdict} became {now} with {completion.facts}"
        for key, outcome in (after or {}).items():
            if before.get(key, "out of scope") not in ("no_evidence", outcome):
                return f"{name}: {key} was {before.get(key, 'out of scope')}, became {outcome} with {completion.facts}"
        for key, outcome in before.items():
            if outcome != "no_evidence" and key not in (after or {}):
                return f"{name}: {key} was {outcome}, is out of scope with {completion.facts}"
    return None
