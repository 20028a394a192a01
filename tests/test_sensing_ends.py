"""A run of a model that ends early, is gone on with, or is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from . import sensors
from .conftest import ROOT, Cli, signals_as_usual
from .model_runs import TEXTS, home, rows_of, run_of, words
from .model_server import FAILURES, KEY, Heard, Sent, Server, good, serving
from .sensors_changed import replace_in

__all__ = ["home"]

# -- the end of a process --------------------------------------------------------------------------------------------


def test_a_process_that_is_killed_never_leaves_facts_that_pass_for_complete(cli: Cli, home: Path) -> None:
    """At 8 moments; `tests/deep` has 50."""
    assert sum(kill(cli, home, 8).values()) == 8


def kill(cli: Cli, home: Path, times: int) -> dict[str, int]:
    """How often a run that was killed at a random moment was left in which state.

    Some are then gone on with, and end as if nothing had happened.
    """
    rng = random.Random(20261201)
    replace_in(home, "sensors.yaml", "batch: 2", "batch: 1")
    ended: dict[str, int] = {}
    with serving(_slowly) as server:
        for number in range(times):
            name = f"run{number}"
            child = _process(home, server, name)
            while not (home / name).exists() and child.poll() is None:
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.4))
            child.send_signal(signal.SIGKILL)
            child.wait(60)
            state = _state(cli, home, name)
            ended[state] = ended.get(state, 0) + 1
            if state == "complete" or number % 4:
                continue
            place = ("--resume", name) if (home / name / "run.json").exists() else ("--out", f"{name}-again")
            done = cli(*words(server, "decisions", place=place), cwd=home, MODEL_KEY=KEY)
            assert done.returncode == 0, done.stderr
            assert len(rows_of(home / place[1])) == 6
            assert not list((home / place[1]).glob(".*"))
    return ended


def _slowly(heard: Heard) -> Sent:
    time.sleep(0.05)
    return good(0.9)(heard)


def _process(home: Path, server: Server, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *words(server, "decisions", place=("--out", name))],
        cwd=home,
        env={"MODEL_KEY": KEY, "PATH": "/usr/bin:/bin", "FIEL_CACHE": str(home / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=signals_as_usual,
    )


def _state(cli: Cli, home: Path, name: str) -> str:
    """How a run was left. What is there and can be judged has every row."""
    folder = home / name
    if not folder.exists():
        return "not begun"
    if (folder / "facts").exists() and run_of(folder)["status"] == "complete":
        assert len(rows_of(folder)) == 6
        return "complete"
    done = cli("judge", "--facts", name, cwd=home)
    assert done.returncode == 2
    assert "fact-run-incomplete" in done.stderr or not (folder / "run.json").exists(), done.stderr
    return run_of(folder)["status"] if (folder / "run.json").exists() else "no record"


def test_whoever_decides_sees_the_text_and_only_the_one_that_was_asked_about(cli: Cli, home: Path) -> None:
    policy = sensors.POLICY[: sensors.POLICY.index("for:")].replace("sale_is_paid", "text_is_kind") + UNSURE
    (home / "policies/shop/text_is_kind.yaml").write_text(policy, "utf-8")
    with serving(good(0.5)) as server:
        assert cli(*words(server, "anthropic"), cwd=home, MODEL_KEY=KEY).returncode == 4
    for path in ("run", "run/facts", "run/facts/claim.jsonl"):
        done = cli("review", path, "--policy", "shop.text_is_kind", cwd=home)
        assert done.returncode == 4, done.stderr
        assert "    asked: Is the text kind?\n    about: Sí: “señor” 😀\n" in done.stdout
    path = home / "run/review.jsonl"
    path.write_text(path.read_text("utf-8").replace("You are kind.", "You are mean."), "utf-8")
    done = cli("review", "run", "--policy", "shop.text_is_kind", cwd=home)
    assert (done.returncode, "it is not the one that `run/run.json` recorded" in done.stderr) == (2, True)
    path.unlink()
    done = cli("review", "run", "--policy", "shop.text_is_kind", cwd=home)
    assert (done.returncode, "`run/review.jsonl` cannot be shown" in done.stderr) == (2, True)


UNSURE = """\
for: claim
must: answer
review_if: p_yes between low and high
params:
  low: {value: 0.4, unit: probability, origin: convention, because: Near one half.}
  high: {value: 0.6, unit: probability, origin: convention, because: Near one half.}
cannot_see: Texts in other words.
example:
  {claim_id: a, question: is_kind, answer: true, p_yes: 0.9, model: m, asked_at: 2026-01-01T00:00:00Z, run_id: r}
cases:
  - {answer: false, expect: fail}
  - {p_yes: 0.5, expect: review}
  - {answer: null, expect: no_evidence}
"""


# -- what nobody should have to think of ------------------------------------------------------------------------------


def test_names_of_documents_are_no_commands_to_a_terminal(cli: Cli, home: Path) -> None:
    (home / "texts/new\nline \u202ertl.txt").write_text("Hello.", "utf-8")
    done = cli(
        "sense", "shop", *sorted(str(p) for p in (home / "texts").iterdir()), "--prepare", "--out", "r", cwd=home
    )
    assert done.returncode == 0
    assert not set("\u202e") & set(done.stdout)
    assert done.stdout.count("\n") == 4


def test_a_blank_document_is_not_asked_about_and_not_covered(cli: Cli, home: Path) -> None:
    (home / "texts/blank.txt").write_text(" \n\t\n", "utf-8")
    with serving(good(0.9)) as server:
        assert cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY).returncode == 0
    assert {row["claim_id"] for row in rows_of(home / "run")} == set(TEXTS)
    assert [one["document"] for one in run_of(home / "run")["coverage"]] == sorted(TEXTS)
    (remark,) = (home / "run/diagnostics.jsonl").read_text("utf-8").splitlines()
    assert json.loads(remark)["document"] == "blank.txt"
    done = cli("sense", "shop", "texts/blank.txt", "--prepare", "--out", "none", cwd=home)
    assert (done.returncode, "there is nothing to ask about" in done.stderr) == (2, True)


def test_a_run_does_not_lie_in_what_it_looks_at(cli: Cli, home: Path) -> None:
    done = cli("sense", "shop", "texts", "--prepare", "--out", "texts/run", cwd=home)
    assert (done.returncode, "lies in `texts`, which is looked at" in done.stderr) == (2, True)
    assert sorted(path.name for path in (home / "texts").iterdir()) == sorted(TEXTS)


def test_two_processes_do_not_go_on_with_one_run(cli: Cli, home: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def waits(heard: Heard) -> Sent:
        begun.set()
        assert may_end.wait(60)
        return good(0.9)(heard)

    with serving([FAILURES["broken"][0], waits, good(0.9)]) as server:
        cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
        given = words(server, "decisions", place=("--resume", "run"))
        child = subprocess.Popen(
            [sys.executable, str(ROOT / "cli.py"), *given],
            cwd=home,
            env={**os.environ, "MODEL_KEY": KEY},
            stdout=subprocess.DEVNULL,
        )
        assert begun.wait(60)
        done = cli(*given, cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, "another process is writing to it" in done.stderr) == (2, True)
        may_end.set()
        assert child.wait(60) == 0
        assert len(server.heard) == 3


@pytest.mark.parametrize(
    "kept", ["[]", "x", '{"format":1,"raw":5,"valid":true}', '{"format":1,"valid":true,"usage":{"input_tokens":1e99}}']
)
def test_an_answer_that_was_kept_badly_is_asked_for_anew(cli: Cli, home: Path, kept: str) -> None:
    with serving(good(0.9)) as server:
        cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
        (home / "run/responses/0001.json").write_text(kept, "utf-8")
        for name in (".run.json.a1b2c3d4", "responses/.0002.json.a1b2c3d4"):  # as a kill leaves them
            (home / "run" / name).write_text("{", "utf-8")
        done = cli(*words(server, "decisions", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, len(server.heard)) == (0, 3), done.stderr
    assert len(rows_of(home / "run")) == 6
    assert not list((home / "run").rglob(".*"))


@pytest.mark.parametrize("name", ["run_id", "started_at", "coverage", "requests_sha256", "pack", "format"])
def test_a_record_that_lacks_something_is_not_gone_on_with(cli: Cli, home: Path, name: str) -> None:
    with serving(good(0.9)) as server:
        cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
        record = run_of(home / "run")
        del record[name]
        (home / "run/run.json").write_text(json.dumps(record), "utf-8")
        done = cli(*words(server, "decisions", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, "run-folder" in done.stderr, len(server.heard)) == (2, True, 2)
