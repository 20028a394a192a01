"""Decisions of people, read from docs/semantics.md, section 6: which count, and why the others do not."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import values
from .kleene import Row
from .reading import Policy


@dataclass(frozen=True)
class Said:
    """A line of the file of decisions; `row` has values as the JSON verdict shows them."""

    line: int
    policy: str
    policy_sha256: str
    row: Mapping[str, Any]
    row_sha256: str
    outcome: str


def sha256(tree: Any) -> str:
    """Of a tree in the JSON form of section 7."""
    text = json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def rows_with(policy: Policy, key: Mapping[str, Any], rows: Sequence[Row]) -> list[Row]:
    """The rows that show these values, in the order of the relation's key."""
    found = [row for row in rows if all(values.show(policy.types[name], row[name]) == key[name] for name in key)]
    return sorted(found, key=lambda row: [values.order(policy.types[name], row[name]) for name in policy.key])


def digest(policy: Policy, key: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Of the whole row; of a group, of its key and all its rows."""
    shown = [{name: values.show(kind, row[name]) for name, kind in policy.types.items()} for row in rows]
    return sha256({"key": dict(key), "rows": shown} if policy.per else shown[0])


def decide(
    policy: Policy,
    found: Sequence[Any],
    rows: Sequence[Row],
    said: Sequence[Said],
    policy_sha256: str,
    met: Counter[str],
) -> tuple[list[Any], dict[int, str | None]]:
    """The outcomes with what was decided, and for each line why it does not count (None: it does).

    The last line that fits wins, so they are asked from the end.
    """
    left = list(found)
    at = {json.dumps(each.words["key"], sort_keys=True): number for number, each in enumerate(found)}
    why: dict[int, str | None] = {}
    taken: set[int] = set()
    for one in reversed(said):
        place = at.get(json.dumps(dict(one.row), sort_keys=True))
        named = set(one.row) == set(policy.per or policy.key)
        held = rows_with(policy, one.row, rows) if named else []
        if one.policy_sha256 != policy_sha256:
            reason = "policy_changed"
        elif not held and (not policy.per or place is None):
            reason = "no_such_row"
        elif digest(policy, one.row, held) != one.row_sha256:
            reason = "row_changed"
        elif place is None or found[place].outcome != "review":
            reason = "not_in_review"
        elif place in taken:
            reason = "superseded"
        else:
            reason = None
            taken.add(place)
            mark = {"decision": one.line} if one.outcome == "fail" else {}
            left[place] = replace(left[place], outcome=one.outcome, words={**left[place].words, **mark})
            left[place].words["outcome"] = one.outcome
            met[f"decided {one.outcome} of a {'group' if policy.per else 'row'}"] += 1
        why[one.line] = reason
        met[f"decision {reason or 'counts'}"] += 1
    return left, why
