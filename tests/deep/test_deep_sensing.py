"""Runs of a model that are killed at many more moments."""

from __future__ import annotations

from pathlib import Path

from ..conftest import Cli
from ..model_runs import home
from ..test_sensing_ends import kill

__all__ = ["home"]


def test_a_process_that_is_killed_at_50_moments_never_leaves_facts_that_pass_for_complete(cli: Cli, home: Path) -> None:
    ended = kill(cli, home, 50)
    print(ended)
    assert len(ended) >= 3  # else the moments were all alike
