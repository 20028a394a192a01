"""What would have to hold, in words: written from the typed tree, and read back with the same meaning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.check import check_policy
from engine.lang.show import show
from engine.lang.typed import Typed, signature
from engine.load import load_packs

from . import packs
from .test_expressions import PARAMS

SHOWN = [
    "words <= top",
    "not (words <= top)",
    "not ok and (kind = 'a' or kind is not null)",
    "words between 0 and top",
    "not (words between 0 and top or ok)",
    "kind in ('a', 'b')",
    "not (kind in ('a', 'b'))",
    "(score + 1) * half <= half",
    "score - (half - score) <= half",
    "day + interval (step) day > first",
    "coalesce(words, 0) <= top",
    "length(kind) = length(id)",
    "exists (from note where id = judged.id and (good or judged.ok))",
    "not exists (from note)",
    "grade <= level",
    "kind = 'a'",
]


def typed(tmp_path: Path, must: str) -> Typed:
    pack = load_packs(packs.write(tmp_path, {"rule": packs.policy(must, PARAMS)})).packs["t"]
    policy = pack.policies["rule"]
    read = {n: p for n, p in policy.params.items() if n in must}

    checked, problems = check_policy(replace(policy, params=read), pack)
    assert problems == []
    assert checked is not None
    return checked.must


@pytest.mark.parametrize("must", SHOWN)
def test_an_expression_is_written_as_it_was_read(tmp_path: Path, must: str) -> None:
    node = typed(tmp_path, must)
    assert show(node) == must
    assert signature(typed(tmp_path / "again", show(node))) == signature(node)
