"""How a run ends: signals in mid-query, streams that are closed or full, outputs that cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from . import estates, packs
from .conftest import ROOT, Cli, signals_as_usual

SLOW = (
    "not exists (from note where length(lower(upper(note))) > length(upper(lower(judged.id))) "
    "+ length(lower(id)) and starts_with(lower(upper(lower(note))), 'zzz'))"
)


@pytest.fixture
def slow(tmp_path: Path) -> list[str]:
    """A command that computes for minutes: each of many rows meets each of many notes."""
    root = packs.write(tmp_path, {"rule": packs.policy(SLOW, "")})
    rows = [{**packs.ROW, "id": f"i{n}"} for n in range(6000)]
    notes = [{"note": f"n{n}", "id": str(n), "good": None} for n in range(6000)]
    facts = packs.facts(tmp_path, {"item": rows, "note": notes})
    return [sys.executable, str(ROOT / "cli.py"), "judge", "--policies", str(root), "--facts", str(facts)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_query_at_once_and_leaves_nothing_behind(
    slow: list[str], tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "tmp").mkdir()
    child = subprocess.Popen(
        slow,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "FIEL_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=signals_as_usual,
    )
    try:
        while not list((tmp_path / "tmp").glob("fiel-*/facts.duckdb")):
            assert child.poll() is None, child.communicate()
            time.sleep(0.05)
        time.sleep(1)  # most often it computes by then; should it still read, the signal ends it there
        assert child.poll() is None, child.communicate()
        child.send_signal(number)
        printed, complaints = child.communicate(timeout=100)
    finally:
        child.kill()
    assert (child.returncode, printed) == (128 + number, "")
    assert "interrupted" in complaints
    assert "Traceback" not in complaints
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_signal_in_the_middle_of_the_lies_of_the_gate_leaves_nothing_behind(tmp_path: Path) -> None:
    estates.lay(tmp_path / "project")
    (tmp_path / "tmp").mkdir()
    child = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), "honesty", "--references", "lists", "--lies", "100000"],
        cwd=tmp_path / "project",
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "FIEL_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=signals_as_usual,
    )
    try:
        while not list((tmp_path / "tmp").glob(f"fiel-*/{estates.LIST}")):
            assert child.poll() is None, child.communicate()
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=20)
    finally:
        child.kill()
    assert list((tmp_path / "tmp").iterdir()) == []


def shell(command: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    fiel = f"{sys.executable} {ROOT / 'cli.py'}"
    return subprocess.run(
        ["bash", "-c", command.replace("fiel", fiel, 1)],
        cwd=ROOT,
        env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "FIEL_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("fiel judge --facts facts/permits/flights.json <&-", 1, ""),
        ("fiel judge --facts facts/permits/flights.json >&-", 2, "standard output is closed"),
        ("fiel judge --facts facts/permits/flights.json >/dev/full", 2, "no space left"),
        ("fiel check >/dev/full", 2, "no space left"),
        ("fiel judge --facts x --policies nowhere 2>/dev/full", 2, ""),
        ("fiel judge --facts facts/prose/json >/dev/full 2>/dev/full", 2, ""),
        ("fiel judge --facts - <&-", 2, "fact-file-missing"),
    ],
)
def test_streams_that_are_closed_or_full_never_look_like_a_verdict(
    tmp_path: Path, command: str, code: int, said: str
) -> None:
    done = shell(command, tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "bug of Fiel's own" not in done.stderr


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    done = shell(f"mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir {tmp_path}/gone; fiel list", tmp_path)
    assert done.returncode == 2
    assert "no such file or directory" in done.stderr


def test_outputs_are_written_all_or_none(cli_process: Cli, tmp_path: Path) -> None:
    good, bad = tmp_path / "ok.json", tmp_path / "none" / "x"
    done = cli_process(
        "judge", "--facts", "facts/permits/flights.json", "--out", f"json={good}", "--out", f"text={bad}"
    )
    assert done.returncode == 2
    assert "nothing was written" in done.stderr
    assert list(tmp_path.glob("*ok*")) == []


def test_an_output_follows_a_link_and_keeps_its_mode(cli_process: Cli, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "real.json").chmod(0o600)
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    cli_process("judge", "--facts", "facts/permits/flights.json", "--out", f"json={tmp_path / 'link.json'}")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text().startswith('{"as_of"')
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o600


def test_an_output_to_a_device_does_not_replace_it(cli_process: Cli) -> None:
    done = cli_process("judge", "--facts", "facts/permits/flights.json", "--out", "json=/dev/null")
    assert done.returncode == 1
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/stderr", "/dev/fd/1"])
def test_a_stream_is_no_output(cli_process: Cli, stream: str) -> None:
    done = cli_process("judge", "--facts", "facts/permits/flights.json", "--out", f"json={stream}")
    assert (done.returncode, done.stdout) == (2, "")


def test_facts_from_standard_input_are_not_written_over(tmp_path: Path) -> None:
    facts = tmp_path / "f.json"
    facts.write_bytes((ROOT / "facts/permits/flights.json").read_bytes())
    before = facts.read_bytes()
    assert shell(f"fiel judge --facts - --out json={facts} < {facts}", tmp_path).returncode == 2
    assert facts.read_bytes() == before


@pytest.mark.parametrize(
    "option", ["seconds=999999999999999999", "memory_mb=9300000000", "json_bytes=99999999999999999"]
)
def test_a_limit_beyond_reason_is_refused(cli_process: Cli, option: str) -> None:
    done = cli_process("judge", "--facts", "facts/permits/flights.json", "--limit", option)
    assert done.returncode == 2
    assert "with a whole number up to" in done.stderr


def test_control_characters_of_the_command_line_stay_visible(cli_process: Cli) -> None:
    done = cli_process("judge", "--facts", "x", "--as-of", "\x1b[31m")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
