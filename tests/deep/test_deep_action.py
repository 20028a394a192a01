"""The action for GitHub with every hostile input, and with facts of several lines: each makes its own environment."""

from __future__ import annotations

import pytest

from ..test_hooks_and_action import HOSTILE, Runner, checkout, home, installed, repository, runner
from ..test_hooks_and_action import test_no_input_of_the_action_is_run as hold

__all__ = ["checkout", "home", "installed", "repository", "runner"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_input_of_the_action_is_run(hostile: str, installed: Runner, runner: Runner) -> None:
    hold(hostile, installed, runner)


def test_the_action_judges_facts_of_several_lines_or_none(installed: Runner) -> None:
    code, printed, outputs = installed.run(facts="facts/prose/csv\n\nfacts/permits")
    assert (code, outputs["exit-code"]) == (1, "1"), printed
    code, printed, outputs = installed.run()
    assert (code, outputs) == (0, {}), printed
