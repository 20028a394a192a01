"""The relations of a pack and their facts at random: `item` is judged, `other` is looked up, `team` has the groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import pools, values, write
from .constants import pick
from .pools import Column
from .values import Type, Value
from .write import Choices, Raw

Rows = list[dict[str, Value]]
NEVER_ABSENT = frozenset(("word_a", "units_a", "score_a", "flag_a", "begun_a"))  # columns that every row writes


@dataclass(frozen=True)
class Frame:
    """The relations of a pack: `item` is judged, `other` is looked up, `team` has the groups' keys."""

    choices: Choices
    columns: Mapping[str, Mapping[str, Column]]
    keys: Mapping[str, Sequence[str]]
    per: Sequence[str]
    loose: str | None
    principle: bool
    shared: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, dict[str, Type]]:
        return {name: {each.name: each.type for each in columns.values()} for name, columns in self.columns.items()}


def make_frame(choices: Choices, principle: bool) -> Frame:
    catalogue = list(pools.CATALOGUE.values())
    picked = {each.name: _smaller(choices, each) for each in catalogue if choices.chance(30)}
    if len(picked) < 3:
        picked.update({each.name: _smaller(choices, each) for each in (pick(choices, catalogue) for _ in range(3))})
    grouping = list(pools.GROUPING.values())
    per = {each.name: replace(_smaller(choices, each), required=True) for each in
           (pick(choices, grouping) for _ in range(1 + choices.chance(25)))}  # fmt: skip
    loose = _smaller(choices, pick(choices, [each for each in grouping if each.name not in per]))
    if "begun_a" in picked and choices.chance(15):
        picked["begun_a"] = replace(picked["begun_a"], required=True)
    key = pick(choices, pools.KEYS)
    item = {each.name: each for each in (*key, *per.values(), loose, *picked.values())}
    shared = {each.name: each for each in item.values() if choices.chance(60) and each not in key}
    other = {"number": Column("number", values.INT, "none", tuple(range(9)), True), **shared}
    team = {**per, "note": replace(pools.CATALOGUE["flag_a"], name="note")}
    keys = {"item": [each.name for each in key], "other": ["number"], "team": list(per)}
    loose_name = None if principle else loose.name
    return Frame(choices, {"item": item, "other": other, "team": team}, keys, list(per), loose_name, principle)


def _smaller(choices: Choices, column: Column) -> Column:
    """The column with two to four values of its pool, neighbours, so that rows and parameters collide."""
    start, count = choices.below(len(column.pool)), 2 + choices.below(3)
    found = [column.pool[(start + each) % len(column.pool)] for each in range(count)]
    return replace(column, pool=tuple(dict.fromkeys(found)))


def relations_yaml(frame: Frame) -> str:
    tree: dict[str, Any] = {}
    for name, columns in frame.columns.items():
        tree[name] = {
            "row": f"one {name}",
            "key": list(frame.keys[name]),
            "columns": {each.name: _column_yaml(each, each.name in frame.keys[name]) for each in columns.values()},
        }
    return write.yaml(tree)


def _column_yaml(column: Column, key: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"type": column.type.kind}
    if column.type.kind == "decimal":
        found.update(digits=Raw(column.type.digits), places=Raw(column.type.places))
    if column.type.kind == "levels":
        found["levels"] = list(column.type.levels)
    if column.unit:
        found["unit"] = column.unit
    if column.required and not key:
        found["required"] = Raw("true")
    elif not key and not column.required and column.name not in NEVER_ABSENT:
        found["may_be_absent"] = Raw("true")
    return found


# Facts.


def make_facts(frame: Frame) -> dict[str, Rows]:
    choices = frame.choices
    nulls = (10, 25)[choices.below(2)] if frame.principle else (0, 12, 30)[choices.below(3)]
    facts: dict[str, Rows] = {}
    for name, columns in frame.columns.items():
        if choices.chance(5):
            continue
        most = 1 + choices.below(4 if frame.principle else 8)
        if name == "item" and not frame.principle and frame.keys[name] == ["id_i"] and choices.chance(20):
            most = 48 + choices.below(5)  # where two per cent begin to tolerate one
        facts[name] = [] if choices.chance(8) else [_row(choices, columns, nulls) for _ in range(most)]
    if "team" in facts:
        facts["team"] += [
            {name: row[name] if name in frame.per else True for name in frame.columns["team"]}
            for row in facts.get("item", ())
        ]
        if facts["team"] and choices.chance(10):
            facts["team"] = facts["team"][: choices.below(len(facts["team"]))]  # a group that each_of does not know
    if len(facts.get("item", ())) >= 48:
        for at, row in enumerate(facts["item"]):
            row["id_i"] = at
    return {name: _once(rows, frame.keys[name]) for name, rows in facts.items()}


def _row(choices: Choices, columns: Mapping[str, Column], nulls: int) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for each in columns.values():
        if not each.required and choices.chance(nulls):
            if each.name in NEVER_ABSENT or choices.chance(80):
                found[each.name] = None
        else:
            found[each.name] = pick(choices, each.pool)
    return found


def _once(rows: Rows, key: Sequence[str]) -> Rows:
    """The rows whose key did not come before."""
    seen: dict[tuple[Value, ...], dict[str, Value]] = {}
    for row in rows:
        seen.setdefault(tuple(row[name] for name in key), row)
    return list(seen.values())
