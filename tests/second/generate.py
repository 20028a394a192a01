"""Packs as YAML text, with facts to judge: one Hypothesis strategy, `packs()`, well-typed over the whole language."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import yaml
from hypothesis import strategies as st

from . import expr, pools, values, write
from .constants import Parameters, pick
from .expr import Node
from .expressions import Maker
from .frame import Frame, Rows, make_facts, make_frame, relations_yaml
from .kleene import Env
from .meaning import meaning
from .pools import Column
from .reading import LOADER, NO_POLICIES, read_policy
from .values import Refused, Type
from .write import Choices, Raw

RULES = ("where", "must", "review_if")


class Drawn:
    """Choices that Hypothesis makes, and can shrink: 0 is the simplest everywhere."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def below(self, count: int) -> int:
        return int(self.draw(_upto(count - 1)))

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent


class Seeded:
    """The same choices from a seed, many times faster and never shrunk."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, count: int) -> int:
        return self.random.randrange(count)

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent


_KNOWN: dict[int, st.SearchStrategy[int]] = {}


def _upto(last: int) -> st.SearchStrategy[int]:
    return _KNOWN.setdefault(last, st.integers(0, last))


@st.composite
def packs(draw: st.DrawFn, principle: bool = False) -> Pack:
    """A pack with one to sixteen policies; with `principle` without `is null` and `coalesce`, and with few nulls."""
    return make_pack(Drawn(draw), principle)


def seeded_pack(seed: int, principle: bool = False) -> Pack:
    return make_pack(Seeded(seed), principle)


@dataclass(frozen=True)
class Pack:
    """A pack of one folder and the facts to judge it on: YAML texts by file name, rows by relation."""

    files: dict[str, str]
    facts: dict[str, Rows]
    as_of: date | None
    frame: Frame = field(repr=False)

    @property
    def types(self) -> dict[str, dict[str, Type]]:
        return self.frame.types

    @property
    def policies(self) -> list[str]:
        return [name for name in self.files if name not in NO_POLICIES]

    def only(self, *policies: str) -> Pack:
        """The same pack with these policies alone, and the shared parameters that they read."""
        kept = {name: text for name, text in self.files.items() if name in ("pack.yaml", "relations.yaml", *policies)}
        texts = " ".join(kept[name] for name in policies)
        read = {name: entry for name, (_, entry) in self.frame.shared.items() if re.search(rf"\b{name}\b", texts)}
        if read:
            kept["parameters.yaml"] = write.yaml(read) + "\n"
        waivers = write.waivers_of(self.files.get("waivers.yaml", ""), policies)
        if waivers:
            kept["waivers.yaml"] = waivers
        return replace(self, files=kept)


def make_pack(choices: Choices, principle: bool = False) -> Pack:
    frame = make_frame(choices, principle)
    facts = make_facts(frame)
    head = {"format": Raw("1"), "pack": "p", "title": "made up", "version": Raw("0.1.0"), "licence": "none",
            "cannot_see": "anything"}  # fmt: skip
    files = {"pack.yaml": write.yaml(head) + "\n", "relations.yaml": relations_yaml(frame) + "\n"}
    for number in range(1 + choices.below(4 if principle else 16)):
        name = f"rule_{number}"
        files[f"{name}.yaml"] = make_policy(frame, name)
    as_of = None if choices.chance(10) else pick(choices, pools.DAYS)
    if isinstance(as_of, date):
        files["waivers.yaml"] = make_waivers(frame, files, as_of)
    pack = Pack(files, facts, as_of if isinstance(as_of, date) else None, frame)
    return pack.only(*pack.policies)


def make_waivers(frame: Frame, files: Mapping[str, str], as_of: date) -> str:
    """Waivers of some policies, a line each: in force, over, or over that very day. No two excuse the same rows."""
    choices, item = frame.choices, frame.columns["item"]
    lines: dict[str, str] = {}
    for name in [each for each in files if each not in NO_POLICIES and choices.chance(35)]:
        tree = yaml.load(files[name], Loader=LOADER)
        for _ in range(1 + choices.below(3)):
            names = [each for each in tree.get("per", frame.keys["item"]) if choices.chance(50)]
            cells = {each: write.in_yaml(item[each].type, pick(choices, item[each].pool)) for each in names}
            until = min(date.max.toordinal(), max(1, as_of.toordinal() + choices.below(4) - 1))
            entry = {"policy": tree["policy"], **({"rows": cells} if cells else {}), "owner": "me", "because": "so"}
            entry |= {"until": Raw(date.fromordinal(until).isoformat()), "at_most": Raw(1 + choices.below(3))}
            lines.setdefault(f"{name} {cells}", f"- {write.in_flow(entry)}\n")
    return "".join(lines.values())


def make_policy(frame: Frame, name: str) -> str:
    """The text of a policy; made again, at most a few times, if the page refuses it for its digits."""
    entries = {name: {"key": key} for name, key in frame.keys.items()}
    for attempt in range(8):
        maker = PolicyMaker(frame, name, plain=attempt == 7)
        tree = maker.tree()
        shared = {each: entry for each, (_, entry) in {**frame.shared, **maker.lent}.items()}
        try:
            read_policy(tree, frame.types, entries, shared)
        except Refused:
            continue
        frame.shared.update(maker.lent)
        rules = {word: Raw(write.rule(tree[word], frame.choices.below(3))) for word in RULES if word in tree}
        return write.yaml({**tree, **rules}) + "\n"
    raise AssertionError("even a plain policy is refused")


@dataclass
class PolicyMaker:
    frame: Frame
    name: str
    plain: bool = False
    lent: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)

    def tree(self) -> dict[str, Any]:
        """The policy as `read_policy` takes it, its expressions as their texts."""
        choices, item = self.frame.choices, self.frame.columns["item"]
        per = self.pick_per()
        as_of = self.pick_as_of(per)
        days = item[as_of].pool if as_of and as_of in item else pools.DAYS[:4]
        self.parameters = Parameters(f"limit_{self.name}", days, as_of is not None, shared=self.frame.shared)
        rows = self.maker(item)
        groups = self.maker({each: item[each] for each in per}, members=rows) if per else rows
        tree: dict[str, Any] = {"policy": f"p.{self.name}", "title": f"rule {self.name}", "for": "item"}
        where = rows.truth(choices.below(2)) if choices.chance(50) and not self.plain else None
        if self.frame.loose in per:
            known: Node = expr.Not(expr.IsNull(expr.Name(str(self.frame.loose))))
            where = known if where is None else expr.Logical("and", known, where)
        must = groups.plain() if self.plain else groups.truth(choices.below(4))
        review = groups.truth(choices.below(2)) if choices.chance(25) and not self.plain else None
        each_of = per == self.frame.per and (choices.chance(85) or self.fails_empty(must, groups))
        if per and not each_of and self.fails_empty(must, groups):
            must = expr.Logical("or", expr.Compare("=", expr.Aggregate("count", None, False, None),
                                                   expr.Literal("number", "0")), must)  # fmt: skip
        if where is not None:
            tree["where"] = self.rule(where)
        if per:
            tree["per"] = per
        if each_of:
            tree["each_of"] = "team"
        tree["must"] = self.rule(must)
        if review is not None:
            tree["review_if"] = self.rule(review)
        if choices.chance(40):
            tree["allow"] = self.allow(as_of)
        if choices.chance(25):
            tree["if_none"] = pick(choices, ("not_applicable", "no_evidence"))
        read = {name for node in (where, must, review) if node is not None for name in mentioned(node)}
        read |= {tree["allow"]} if "allow" in tree else set()
        return self.finish(tree, read, as_of)

    def finish(self, tree: dict[str, Any], read: set[str], as_of: str | None) -> dict[str, Any]:
        """Adds the parameters that something reads; now and then one of them is lent to the pack."""
        everything = self.parameters.everything()
        case = {"expect": Raw("pass")}
        if any("values" in entry for name, entry in everything.items() if name in read):
            tree["as_of"] = as_of
            case |= {"judged_on": Raw("2024-07-01")} if as_of == "judged_on" else {}
        own = {name: entry for name, entry in self.parameters.entries.items() if name in read}
        for name in list(own):
            if self.frame.choices.chance(8):
                self.lent[name] = self.parameters.made_for[name], own.pop(name)
        if own:
            tree["params"] = own
        tree["cannot_see"] = "anything else"
        item = self.frame.columns["item"]
        tree["example"] = {each.name: write.in_yaml(each.type, each.pool[0]) for each in item.values()}
        tree["cases"] = [case]
        return tree

    def maker(self, columns: Mapping[str, Column], members: Maker | None = None) -> Maker:
        return Maker(
            self.frame.choices, self.parameters, columns, self.frame.columns, {}, members, not self.frame.principle
        )

    def rule(self, node: Node) -> str:
        return write.expression(node, self.frame.choices)

    def pick_per(self) -> list[str]:
        if not self.frame.choices.chance(45):
            return []
        if self.frame.loose and self.frame.choices.chance(15):
            return [self.frame.loose]
        return list(self.frame.per)

    def pick_as_of(self, per: Sequence[str]) -> str | None:
        item = self.frame.columns["item"]
        if not self.frame.choices.chance(45) or self.plain:
            return None
        days = [name for name in (per or item) if item[name].type.kind == "date"]
        return pick(self.frame.choices, days) if days and self.frame.choices.chance(75) else "judged_on"

    def allow(self, as_of: str | None) -> str:
        choices = self.frame.choices
        self.parameters.dated = as_of == "judged_on"
        if choices.chance(55):
            share = Column("allow", pools.PART, "share", pools.PARTS)
            return self.parameters.constant(choices, share)
        return self.parameters.constant(choices, Column("allow", values.INT, "none", (0, 1, 2, 3)))

    def fails_empty(self, must: Node, groups: Maker) -> bool:
        """Whether a group without rows may fail, so that a policy without `each_of` is refused."""
        if not groups.members:
            return False
        nothing = dict.fromkeys(groups.columns)
        try:
            env = Env(nothing, nothing, (), None, {}, Counter())
            return meaning(must, groups.scope()).read(env) is not True
        except Refused:
            return True


def mentioned(node: Node) -> set[str]:
    """Every bare name and list in an expression."""
    found = {node.name} if isinstance(node, (expr.Name, expr.InList)) else set()
    return found.union(*(mentioned(each) for each in expr.children(node)))
