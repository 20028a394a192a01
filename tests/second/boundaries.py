"""Comparisons at places that chance finds too rarely."""

from __future__ import annotations

from dataclasses import replace

from . import expr
from .constants import pick
from .expr import Node
from .expressions import Maker
from .pools import CATALOGUE


def boundary(maker: Maker) -> Node | None:
    """What chance brings about too rarely: 0.1 + 0.2 against 0.3, sums near 1e14, days between, parts of a date."""
    source = maker.members.columns if maker.members else maker.columns
    constant = maker.parameters.constant
    ways: list[tuple[Node, str]] = []
    if {"score_a", "score_b"} <= maker.columns.keys():
        total = expr.Arithmetic("+", expr.Name("score_a"), expr.Name("score_b"))
        ways += [(total, constant(maker.choices, maker.columns["score_a"]))] * 3
    for name in ("flow_a", "flow_b"):
        if maker.members and name in source:
            summed = expr.Aggregate("sum", expr.Name(name), False, maker.filter())
            ways.append((summed, constant(maker.choices, source[name])))
    days = [expr.Name(each.name) for each in maker.columns.values() if each.type.kind == "date"]
    if days:
        between = expr.Call("days_between", (pick(maker.choices, days), pick(maker.choices, days)))
        part = expr.Call(pick(maker.choices, ("year", "month", "day")), (pick(maker.choices, days),))
        ways.append((between, constant(maker.choices, replace(CATALOGUE["wait_d"], name=""))))
        ways.append((part, constant(maker.choices, replace(CATALOGUE["units_a"], name="", pool=(2024, 1, 31, 29)))))
    flows = [expr.Name(name) for name in ("flow_a", "flow_b") if name in maker.columns]
    if flows:
        total = expr.Arithmetic(pick(maker.choices, "+-"), pick(maker.choices, flows), pick(maker.choices, flows))
        ways.append((total, constant(maker.choices, maker.columns[flows[0].name])))
    words = [expr.Name(each.name) for each in maker.columns.values() if each.type.kind == "text"]
    if words:
        small = replace(CATALOGUE["units_a"], name="")
        ways.append((expr.Call("length", (pick(maker.choices, words),)), constant(maker.choices, small)))
    if not ways:
        return None
    value, limit = pick(maker.choices, ways)
    return maker.legal(value, expr.Name(limit))
