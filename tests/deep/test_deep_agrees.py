"""The differential test at length: `make deep`, in blocks that run side by side and are reported as they end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.second import campaign

PAIRS = int(os.environ.get("FIEL_PAIRS", "100000"))
IN_A_BLOCK = 1000
BLOCKS = max(1, PAIRS // IN_A_BLOCK)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_both_evaluators_agree_on_a_block_of_fresh_pairs(block: int, tallies: Path) -> None:
    first = (int(os.environ["FIEL_SEED"]) + 1) * 10**9 + block * 10**6
    tally = campaign.run(range(first, first + 10**6), min(PAIRS, IN_A_BLOCK), 10)
    (tallies / f"{block:04}.json").write_text(tally.to_json(), encoding="utf-8")
    assert not tally.different, "\n".join(tally.different[:5])
    assert sum(tally.refused.values()) < 0.05 * tally.pairs, tally.refused
