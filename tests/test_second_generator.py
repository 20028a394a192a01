"""What the generator makes is what it says: expressions come back from their text, facts from their JSON."""

from __future__ import annotations

import random

import pytest
import yaml

from tests.second import expr, kept, write
from tests.second.constants import Parameters
from tests.second.expressions import Maker
from tests.second.frame import make_frame
from tests.second.generate import RULES, Seeded, seeded_pack
from tests.second.pools import WORDS
from tests.second.reading import LOADER, read_pack
from tests.second.values import Refused


@pytest.mark.parametrize("block", range(4))
def test_an_expression_is_read_back_from_its_text(block: int) -> None:
    deepest = 0
    for seed in range(block * 100, block * 100 + 100):
        choices = Seeded(seed)
        frame = make_frame(choices, principle=False)
        columns = frame.columns["item"]
        parameters = Parameters("limit", columns[next(iter(columns))].pool)
        rows = Maker(choices, parameters, columns, frame.columns)
        groups = Maker(choices, parameters, {each: columns[each] for each in frame.per}, frame.columns, {}, rows)
        for maker in (rows, groups):
            node = maker.truth(3)
            deepest = max(deepest, _depth(node))
            assert expr.parse(write.expression(node)) == node
            assert expr.parse(write.expression(node, choices)) == node
    assert deepest >= 6


def _depth(node: expr.Node) -> int:
    return 1 + max((_depth(each) for each in expr.children(node)), default=0)


@pytest.mark.parametrize("style", [0, 1, 2])
def test_yaml_gives_an_expression_back_whatever_its_style(style: int) -> None:
    for seed in range(60):
        for text in _rules(seed):
            document = f"must: {write.rule(text, style)}\n"
            assert yaml.load(document, Loader=LOADER) == {"must": text}


def _rules(seed: int) -> list[str]:
    pack = seeded_pack(seed)
    trees = [yaml.load(pack.files[name], Loader=LOADER) for name in pack.policies]
    return [tree[word] for tree in trees for word in RULES if word in tree]


def test_text_in_yaml_keeps_every_character() -> None:
    for text in (*WORDS, '"', "#", ": ", "- a", "null", "true", "1"):
        assert yaml.load(f"x: {write.scalar(text)}\n", Loader=LOADER) == {"x": text}


def test_facts_come_back_from_their_json() -> None:
    for seed in range(40):
        pack = seeded_pack(seed)
        assert kept.read_facts(pack.types, write.facts_json(pack.types, pack.facts)) == pack.facts


def test_a_pack_is_the_same_each_time_it_is_made_from_a_seed() -> None:
    for seed in random.Random(1).sample(range(1000), 5):
        first, second = seeded_pack(seed), seeded_pack(seed)
        assert (first.files, first.facts, first.as_of) == (second.files, second.facts, second.as_of)


def test_no_generated_policy_is_refused_by_the_second_evaluator() -> None:
    for seed in range(40):
        try:
            policies = read_pack(seeded_pack(seed).files)[2]
        except Refused as refusal:
            pytest.fail(f"seed {seed}: {refusal}")
        assert policies
