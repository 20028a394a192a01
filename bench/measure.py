"""Whole processes, measured side by side: CPU seconds, wall seconds, peak memory, and the ratio of each pair."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Taken:
    """What one process took: CPU (user and system) and wall in seconds, peak memory in MB."""

    cpu: float
    wall: float
    peak_mb: float


def take(command: Sequence[str], env: Mapping[str, str], codes: Sequence[int] = (0, 1)) -> Taken:
    """Runs a process to its end. Raises RuntimeError if it did not do its work."""
    began = time.monotonic()
    with subprocess.Popen(list(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(env)) as child:
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}: {said.decode()[-500:]}")
    wall = time.monotonic() - began
    return Taken(round(used.ru_utime + used.ru_stime, 4), round(wall, 4), round(used.ru_maxrss / 1024, 1))


def pairs(
    name: str, ours: Sequence[str], theirs: Sequence[str], env: Mapping[str, str], runs: int, must: str
) -> dict[str, Any]:
    """Medians over `runs` pairs, run in turns after one of each that does not count."""
    take(ours, env)
    if runs > 1:
        take(theirs, env)
    found = [(take(ours, env), take(theirs, env)) for _ in range(runs)]
    ratio = statistics.median(a.cpu / b.cpu for a, b in found)
    return {
        "work": name,
        "fiel": asdict(_median([a for a, _ in found])),
        "beside": asdict(_median([b for _, b in found])),
        "ratio": round(ratio, 3),
        "must": must,
        "runs": runs,
    }


def _median(found: Sequence[Taken]) -> Taken:
    return Taken(*(statistics.median(getattr(one, field) for one in found) for field in ("cpu", "wall", "peak_mb")))


def row(found: Mapping[str, Any]) -> str:
    """One line of the table."""
    a, b = found["fiel"], found["beside"]
    sides = "".join(f"{x['cpu']:8.2f} {x['wall']:7.2f} {x['peak_mb']:6.0f}  |" for x in (a, b))
    return f"{found['work']:58}|{sides}{found['ratio']:8.2f}  {found['must']}"


HEAD = f"{'work':58}|{'fiel: cpu':>10}{'wall':>6}{'MB':>7} |{'beside: cpu':>11}{'wall':>5}{'MB':>7} |   ratio  must"
