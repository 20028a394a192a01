"""A thousand lies about the shipped demo, with the real lists beside the checkout."""

from __future__ import annotations

from engine.gate.inject import ground_of, tell
from tests.conftest import ROOT, SHARED, need
from tests.test_gate import examiner_of


def test_a_thousand_lies_are_noticed() -> None:
    folder = need(SHARED / "reference" / "cefr")
    paths = [ROOT / "README.md", ROOT / "docs", ROOT / "facts"]
    examiner, estate, view = examiner_of(ROOT, ROOT / "policies", folder, paths)
    with examiner:
        assert examiner.examine(view) == []
        telling = tell(examiner, view, ground_of(examiner, view, estate.pages), 1000, seed=1)
    print(f"\ncaught {sum(telling.caught.values())} of {telling.number}, of {telling.possible} that there are")
    assert telling.missed == ()
    assert telling.number == 1000
