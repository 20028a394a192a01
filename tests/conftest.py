"""Shared by all tests: where optional data lies, and the rule that nothing is left out in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
"""Optional data beside the checkout: reference files and legal texts that are never part of the project."""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs `python cli.py …` as a process of its own, with an empty cache, and gives what it printed."""

    def run(
        *args: str | Path, cwd: Path = ROOT, stdin: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *map(str, args)],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            env={**os.environ, "FIEL_CACHE": str(tmp_path / "cache"), **env},
        )

    return run


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """A skip that this machine could have run is a failure: only `absent: …` may be left out."""
    outcome = yield
    report = outcome.get_result()
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not reason.removeprefix("Skipped: ").startswith("absent: "):
        report.outcome = "failed"
        report.longrepr = f"skipped without `absent: …`: {reason}"


def need(path: Path) -> Path:
    """The path of optional data; the test is skipped where it does not exist, and only there."""
    if not path.exists():
        pytest.skip(f"absent: {path.name}")
    return path
