"""A fresh seed for each deep run, the same in all its processes: `FIEL_SEED` repeats one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from tests.second.campaign import ARTEFACTS, Tally


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("FIEL_SEED", str(secrets.randbelow(10**9)))  # workers of xdist inherit it


def _folder() -> Path:
    return ARTEFACTS / f"deep-{os.environ['FIEL_SEED']}"


def pytest_report_header(config: pytest.Config) -> str:
    return f"deep: FIEL_SEED={os.environ['FIEL_SEED']} FIEL_PAIRS={os.environ.get('FIEL_PAIRS', '100000')}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of what all blocks together met."""
    total = Tally()
    for path in sorted(_folder().glob("*.json")):
        total.add(Tally.from_json(path.read_text(encoding="utf-8")))
    if total.pairs:
        terminalreporter.write_line(f"FIEL_SEED={os.environ['FIEL_SEED']}\n{total.table()}")


@pytest.fixture
def tallies() -> Path:
    """Where the blocks of this run leave their counts."""
    _folder().mkdir(parents=True, exist_ok=True)
    return _folder()
