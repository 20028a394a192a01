"""`test --watch`: every save tests again, and a broken file is waited out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from .conftest import ROOT, signals_as_usual
from .mutant_rules import written


def wait_for(path: Path, words: str, times: int, seconds: float = 100) -> str:
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        text = path.read_text(encoding="utf-8")
        if text.count(words) >= times:
            return text
        time.sleep(0.05)
    raise AssertionError(f"{words!r} was not printed {times} times in {seconds} s:\n{path.read_text()}")


def test_watch_tests_again_on_save_and_ends_when_interrupted(tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file, printed = root / "t" / "plain.yaml", tmp_path / "printed"
    good = file.read_text()
    with printed.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), "test", str(root), "--watch", "--quick"],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "FIEL_CACHE": str(tmp_path / "cache")},
            preexec_fn=signals_as_usual,
        )
        try:
            wait_for(printed, "watching: save a file", 1)
            assert "ok  t.plain" in printed.read_text()
            file.write_text(good.replace("words <= top", "wrods <= top"))
            wait_for(printed, "watching: save a file", 2)
            assert "unknown-column" in printed.read_text()
            file.write_text(good.replace("words: 9, expect: fail", "words: 9, expect: pass"))
            wait_for(printed, "watching: save a file", 3)
            assert "expected pass, got fail" in printed.read_text()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=100) == 130
        finally:
            process.kill()
    assert "Traceback" not in printed.read_text()


def test_what_is_saved_during_the_first_round_is_tested_too(tmp_path: Path) -> None:
    from engine.watch import watch

    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    rounds = []

    def save_once() -> int:
        rounds.append(file.read_text())
        if len(rounds) == 1:
            file.write_text(rounds[0] + "# saved while it was tested\n")
        return 0

    assert watch([root], save_once, rounds=2) == 0
    assert len(rounds) == 2
    assert rounds[1] != rounds[0]
