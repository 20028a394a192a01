"""Shared by all tests: where optional data lies, and the rule that nothing is left out in silence."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
"""Optional data beside the checkout: reference files and legal texts that are never part of the project."""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def _cache_of_these_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's own cache stays out of it. What is run in this process (`inside`) shares one."""
    with pytest.MonkeyPatch.context() as here:
        here.setenv("FIEL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs `fiel …` in this process, with an empty cache, and gives what it printed and its exit code.

    Ten times as quick as a process. What a process has of its own is tested with `cli_process`: signals, streams,
    memory, the order of sets, what is imported. The pages of the documentation are processes too (`consoles.py`).
    """
    from engine.cli import main

    def run(
        *args: str | Path, cwd: Path = ROOT, stdin: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        words = [str(arg) for arg in args]
        printed, complaints, given = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(3))
        given.buffer.write((stdin or "").encode("utf-8"))
        given.buffer.seek(0)
        with pytest.MonkeyPatch.context() as here:
            here.chdir(cwd)
            for name, value in {"FIEL_CACHE": str(tmp_path / "cache"), **env}.items():
                here.setenv(name, value)
            for name, stream in (("stdin", given), ("stdout", printed), ("stderr", complaints)):
                here.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as end:
                main(words)
        texts = []
        for stream in (printed, complaints):
            stream.seek(0)
            texts.append(stream.read())
        assert isinstance(end.value.code, int)
        return subprocess.CompletedProcess(words, end.value.code, *texts)

    return run


@pytest.fixture
def cli_process(tmp_path: Path) -> Cli:
    """As `cli`, as a process of its own: `python cli.py …`."""

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


def signals_as_usual() -> None:
    """For a child, before it begins: whatever started the tests in the background may have had signals ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL of its own, with its password in it."""
    from .database import serving

    with serving() as address:
        yield address
