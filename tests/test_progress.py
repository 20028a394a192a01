"""The progress bar: on a terminal, for work that takes its time; never in a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from .conftest import ROOT

CODE = """
import time
from engine import cli_progress
cli_progress._PATIENCE = {patience}
with cli_progress.progress() as report:
    print(report is None)
    if report is not None:
        report("judging t.rule", 1, 2)
        time.sleep(0.3)
"""


def on_a_terminal(patience: float) -> tuple[str, str]:
    """What is printed, and what a terminal on standard error shows."""
    screen, terminal = pty.openpty()
    code = CODE.format(patience=patience)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=terminal, text=True, timeout=60
    )
    os.close(terminal)
    os.set_blocking(screen, False)
    try:
        shown = os.read(screen, 100_000).decode("utf-8", "replace")
    except (BlockingIOError, OSError):
        shown = ""
    os.close(screen)
    return done.stdout, shown


def test_work_that_takes_its_time_shows_a_bar_on_a_terminal() -> None:
    printed, shown = on_a_terminal(patience=0)
    assert printed == "False\n"
    assert "judging t.rule" in shown


def test_quick_work_shows_none() -> None:
    assert on_a_terminal(patience=60) == ("False\n", "")


def test_a_pipe_never_gets_one() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(patience=0)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
