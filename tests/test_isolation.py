"""`judge --untrusted` stops what would take all memory or run for hours, within its limits, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from .conftest import ROOT, Cli

RELATION = """{name}:
  row: A thing.
  key: [id]
  columns:
    id: {{type: int, unit: none}}
    g: {{type: text, required: true}}
    t: {{type: text, required: true}}
"""
PACK = "format: 1\npack: bomb\ntitle: What nobody has read\nversion: 0.1.0\nlicence: none\n"
POLICY = """policy: bomb.{name}
title: A rule that takes all there is
for: thing
{rule}
cannot_see: Anything.
example: {{id: 1, g: a, t: b}}
cases: [{{rows: [], expect: no_evidence}}]
"""
ENDLESS = "must: not exists (from other where length(t) > length(judged.t) and id > judged.id)"
LARGE = (
    "per: [g]\nmust: count(distinct upper(t)) >= few\n"
    "params: {few: {value: 0, unit: none, origin: convention, because: So.}}"
)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs limits of a process")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def judged(tmp_path: Path, name: str, rule: str, rows: str) -> list[str]:
    """The command line that judges a rule over facts that are given as SQL."""
    pack = tmp_path / "policies" / "bomb"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text(PACK)
    (pack / "relations.yaml").write_text(RELATION.format(name="thing") + RELATION.format(name="other"))
    (pack / f"{name}.yaml").write_text(POLICY.format(name=name, rule=rule))
    facts = tmp_path / "facts"
    facts.mkdir()
    with duckdb.connect(config={"threads": "1"}) as connection:
        for relation in ("thing", "other"):
            connection.execute(f"COPY ({rows}) TO '{facts}/{relation}.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    command = [sys.executable, str(ROOT / "cli.py"), "judge", "--untrusted", "--threads", "1", "--no-cache"]
    return [*command, "--policies", str(tmp_path / "policies"), "--facts", str(facts)]


def processes(temporary: Path) -> list[int]:
    """Processes that were told to put their temporary files below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={temporary}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # ended meanwhile
            continue
    return found


def nothing_left(temporary: Path) -> bool:
    return not processes(temporary) and list(temporary.iterdir()) == []


def ended(command: list[str], temporary: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(temporary)}, check=False
    )
    assert nothing_left(temporary)
    assert "Traceback" not in done.stderr
    return done


def test_a_rule_that_would_run_for_hours_is_ended(tmp_path: Path, temporary: Path) -> None:
    rows = "SELECT i AS id, 'g' AS g, repeat('a', (i % 97)::INT) AS t FROM range(1000000) s(i)"
    command = judged(tmp_path, "endless", ENDLESS, rows)
    began = time.monotonic()
    done = ended([*command, "--limit", "seconds=2"], temporary)
    assert time.monotonic() - began < 30
    assert (done.returncode, done.stdout) == (2, "")
    assert "isolation-ended: the run took longer than 2 s (limit `seconds`)" in done.stderr


def test_texts_that_the_limit_of_the_database_does_not_count_are_bounded(tmp_path: Path, temporary: Path) -> None:
    rows = "SELECT i AS id, 'g' AS g, b.t FROM range(2048) s(i), (SELECT repeat('Ab', 250000) AS t) b"
    command = judged(tmp_path, "large", LARGE, rows)
    # A block of 2,048 rows makes texts of 1 GB, whatever the database is told to keep.
    done = ended([*command, "--limit", "memory_mb=64"], temporary)
    assert done.returncode == 2
    assert "memory_mb" in done.stdout + done.stderr


def test_a_file_past_the_limit_of_the_disk_ends_the_run(tmp_path: Path, temporary: Path) -> None:
    command = judged(tmp_path, "large", LARGE, "SELECT i AS id, 'g' AS g, 't' AS t FROM range(10) s(i)")
    lines = tmp_path / "facts" / "more" / "thing.jsonl"
    lines.parent.mkdir()
    lines.write_text("".join(f'{{"id": {i + 100}, "g": "g", "t": "{os.urandom(500).hex()}"}}\n' for i in range(4000)))
    done = ended([*command, "--facts", str(lines.parent), "--limit", "disk_mb=1"], temporary)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing was judged" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say when a parent ends")
def test_the_child_ends_with_its_parent_and_leaves_no_file(tmp_path: Path, temporary: Path) -> None:
    rows = "SELECT i AS id, 'g' AS g, repeat('a', (i % 97)::INT) AS t FROM range(1000000) s(i)"
    command = judged(tmp_path, "endless", ENDLESS, rows)
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}) as parent:
        until = time.monotonic() + 30
        while len(processes(temporary)) < 2 or not list(temporary.glob("*/fiel-*")):
            assert time.monotonic() < until
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 30
    while not nothing_left(temporary):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_an_isolated_run_prints_and_exits_as_any_other(cli_process: Cli) -> None:
    plain = cli_process("judge", "--facts", "facts/permits/flights.json")
    isolated = cli_process("judge", "--facts", "facts/permits/flights.json", "--untrusted")
    assert (isolated.returncode, isolated.stdout, isolated.stderr) == (1, plain.stdout, "")


def test_an_isolated_run_reads_standard_input_and_refuses_as_any_other(cli_process: Cli) -> None:
    done = cli_process("judge", "--facts", "-", "--isolate", stdin='{"flight": [{"flght": 1}]}')
    assert (done.returncode, done.stdout) == (2, "")
    assert "fact-unknown-column" in done.stderr
