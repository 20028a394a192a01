"""The one place where decisions meet rows, for every command: a plan becomes a plan in which some are decided.

Only what the rule leaves to a person can be decided, and only if policy and row are what the person saw
(`docs/semantics.md`, section 6). Waivers come afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..decision import Decision, DecisionUse, Rulings
from ..frozen import replace
from ..plan import Plan, Query
from .rows import Key, key_of_decision, keys_listed, row_digests, same_key


def decide(plan: Plan, rulings: Rulings | None, query: Query) -> tuple[Plan, tuple[DecisionUse, ...]]:
    """The plan with the decided outcomes, the line of the decision in `_decision` (else null), and what came of each.

    `query` runs on the facts of the plan. Where nothing is decided the plan stays as it is.
    """
    if rulings is None:
        return plan, ()
    why: dict[int, str] = {}
    keys: dict[int, Key] = {}
    for one in rulings.decisions:
        key = key_of_decision(one.row, plan) if one.policy_sha256 == rulings.policy_sha256 else None
        if one.policy_sha256 != rulings.policy_sha256:
            why[one.number] = "policy_changed"
        elif key is None:
            why[one.number] = "no_such_row"
        else:
            keys[one.number] = key
    taken: dict[Key, Decision] = {}
    standing = _standing(plan, list(dict.fromkeys(keys.values())), query)
    for one in reversed(rulings.decisions):
        if one.number in keys:
            reason = _why_not(standing[keys[one.number]], one)
            if reason is None and keys[one.number] in taken:
                reason = "superseded"
            if reason is None:
                taken[keys[one.number]] = one
            else:
                why[one.number] = reason
    uses = tuple(DecisionUse(one, why.get(one.number)) for one in rulings.decisions)
    return (_decided(plan, taken) if taken else plan), uses


_Standing = tuple[str | None, int, str]
"""The outcome of a row or group (None: there is none, or it is out of scope), its number of rows, its digest."""


def _standing(plan: Plan, keys: Sequence[Key], query: Query) -> dict[Key, _Standing]:
    """What the facts say of each key."""
    if not keys:
        return {}
    listed, names = keys_listed(keys, plan, [str(at) for at in range(len(keys))])
    sql = f"SELECT d._at, j._o FROM ({plan.judged}) AS j JOIN {listed} AS d(_at, {names}) ON {same_key('j', plan)}"
    outcomes = {row["_at"]: row["_o"] for row in query(sql)}
    digests = row_digests(plan, keys, query)
    return {
        key: (outcomes.get(at), min(number, 1) if plan.grouped else number, sha256)
        for at, (key, (number, sha256)) in enumerate(zip(keys, digests, strict=True))
    }


def _why_not(standing: _Standing, decision: Decision) -> str | None:
    outcome, number, sha256 = standing
    if number == 0 and outcome is None:
        return "no_such_row"
    if number > 1:
        return "several_rows"
    if sha256 != decision.row_sha256:
        return "row_changed"
    return None if outcome == "review" else "not_in_review"


def _decided(plan: Plan, taken: dict[Key, Decision]) -> Plan:
    lines = [f"CAST({one.number} AS INTEGER)" for one in taken.values()]
    outcomes = [f"'{one.outcome}'" for one in taken.values()]
    listed, names = keys_listed(taken, plan, lines, outcomes)
    outcome = "CASE WHEN d._decision IS NULL THEN j._o ELSE d._outcome END AS _o"
    judged = (
        f"SELECT j.* REPLACE ({outcome}), d._decision FROM ({plan.judged}) AS j "
        f"LEFT JOIN {listed} AS d(_decision, _outcome, {names}) ON j._o = 'review' AND {same_key('j', plan)}"
    )
    passed = sum(1 for one in taken.values() if one.outcome == "pass")
    return replace(plan, judged=judged, decided=(passed, len(taken) - passed))
