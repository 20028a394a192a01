"""The table of `make bench`: Fiel beside SQL written by hand for DuckDB, in pairs, one thread, whole processes.

    python bench/run.py [--large] [--runs N] [--out FILE]

Writes the figures, with versions and the load of the machine, to `bench/results/`. `--large` measures 10,000,000 rows
and 10,000 files of policies too, `--huge` 100,000,000 rows (Fiel alone, 12 GB of disk).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from many_policies import make_pack
from measure import HEAD, pairs, row, take

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHON = sys.executable
JUDGE = [PYTHON, str(ROOT / "cli.py"), "judge", "--threads", "1"]


class Bench:
    """One run of the measurements in a folder of their own."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder, self.runs = folder, runs
        # As installed: with compiled modules, whatever the shell of whoever measures says.
        self.env = {**os.environ, "FIEL_CACHE": str(folder / "cache"), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)

    def made(self, script: str, *words: object) -> None:
        """In a process of its own: the peak of a child is never below what its parent held when it began."""
        take([PYTHON, str(HERE / script), *map(str, words)], self.env)

    def three_policies(self, rows: int, runs: int) -> Iterator[dict[str, Any]]:
        facts = self.folder / f"parquet-{rows}"
        facts.mkdir()
        self.made("made_facts.py", facts, rows)
        judge = [*JUDGE, "--policies", str(HERE / "pack"), "--facts", str(facts)]
        hand = [PYTHON, str(HERE / "by_hand.py"), str(facts), "parquet"]
        must = "<= 1.5" if rows <= 1000 else "<= 1.3"
        yield pairs(f"A+B+C, {rows:,} rows, keys and policies known", judge, hand, self.env, runs, must)
        if rows > 1000:
            name = f"A+B+C, {rows:,} rows, cold, beside SQL with the same checks"
            yield pairs(name, [*judge, "--no-cache"], [*hand, "checked"], self.env, runs, must)
        shutil.rmtree(facts)

    def json_lines(self, rows: int, runs: int) -> Iterator[dict[str, Any]]:
        facts = self.folder / "jsonl"
        facts.mkdir()
        self.made("made_facts.py", facts, rows, "jsonl")
        judge = [*JUDGE, "--policies", str(HERE / "pack"), "--facts", str(facts)]
        hand = [PYTHON, str(HERE / "by_hand.py"), str(facts), "jsonl"]
        yield pairs(f"A+B+C, {rows:,} rows of JSON Lines, beside read_json", judge, hand, self.env, runs, "<= 3")
        shutil.rmtree(facts)

    def hundred_policies(self, rows: int, runs: int) -> Iterator[dict[str, Any]]:
        facts = self.folder / "readings"
        facts.mkdir()
        self.made("many_policies.py", facts, rows, "facts")
        for wheres, said, must in (("few", "10 wheres", "<= 0.1"), ("many", "100 wheres on a float", "<= 0.33")):
            packs = self.folder / wheres
            make_pack(packs, 100, wheres)
            judge = [*JUDGE, "--policies", str(packs), "--facts", str(facts)]
            hand = [PYTHON, str(HERE / "many_policies.py"), str(facts), "100", wheres]
            name = f"100 policies, {said}, {rows:,} rows, beside a query each"
            yield pairs(name, judge, hand, self.env, runs, must)

    def start(self) -> Iterator[dict[str, Any]]:
        help_of = [PYTHON, str(ROOT / "cli.py"), "--help"]
        yield pairs("fiel --help, beside python -c pass", help_of, [PYTHON, "-c", "pass"], self.env, 11, "<= 6")

    def files(self, number: int) -> Iterator[dict[str, Any]]:
        packs, facts = self.folder / f"files-{number}", self.folder / "few-readings"
        make_pack(packs, number, "whole")
        facts.mkdir(exist_ok=True)
        self.made("many_policies.py", facts, 10, "facts")
        # One policy is judged; all are loaded and checked, as a broken neighbour is never overlooked.
        judge = [*JUDGE, "--policies", str(packs), "--facts", str(facts), "--policy", "many.p0"]
        nothing = [PYTHON, "-c", "import duckdb"]
        bars = ("<= 15 s", "<= 1 s") if number == 10_000 else ("", "")
        cold = pairs(f"{number:,} files of policies, cold", [*judge, "--no-cache"], nothing, self.env, 1, bars[0])
        yield {**cold, "ratio": 0.0}
        warm = pairs(f"{number:,} files of policies, unchanged", judge, nothing, self.env, self.runs, bars[1])
        yield {**warm, "ratio": 0.0}

    def mutants(self) -> Iterator[dict[str, Any]]:
        command = [PYTHON, str(HERE / "mutants.py"), "at-once"]
        found = [subprocess.run(command, capture_output=True, text=True, env=self.env, check=True).stdout.split()]
        found += [subprocess.run(command, capture_output=True, text=True, env=self.env, check=True).stdout.split()]
        together, apart = (min(float(each[at]) for each in found) for at in (0, 1))
        work = (
            f"{int(found[0][2]):,} mutants x cases, {float(found[0][2]) / together:,.0f} a second, beside a query each"
        )
        sides = [{"cpu": round(one, 4), "wall": round(one, 4), "peak_mb": 0.0} for one in (together, apart)]
        ratio = round(together / apart, 3)
        yield {
            "work": work,
            "fiel": sides[0],
            "beside": sides[1],
            "ratio": ratio,
            "must": ">= 10,000 a second",
            "runs": 2,
        }

    def huge(self, rows: int) -> Iterator[dict[str, Any]]:
        facts = self.folder / "huge"
        facts.mkdir()
        self.made("made_facts.py", facts, rows)
        judge = [*JUDGE, "--policies", str(HERE / "pack"), "--facts", str(facts), "--trust-keys"]
        taken = take([*judge, "--limit", "memory_mb=1000", "--limit", f"rows={rows}"], self.env)
        sides = {"cpu": taken.cpu, "wall": taken.wall, "peak_mb": taken.peak_mb}
        nothing = {"cpu": 0.0, "wall": 0.0, "peak_mb": 0.0}
        work = f"A+B+C, {rows:,} rows, --trust-keys, 1 GB"
        yield {"work": work, "fiel": sides, "beside": nothing, "ratio": 0.0, "must": "<= 1200 MB", "runs": 1}
        shutil.rmtree(facts)

    def all(self, large: bool, huge: bool) -> Iterator[dict[str, Any]]:
        yield from self.start()
        yield from self.three_policies(1000, 7)
        yield from self.three_policies(1_000_000, self.runs)
        yield from self.hundred_policies(1_000_000, self.runs)
        yield from self.json_lines(1_000_000, 1)
        yield from self.files(1000)
        yield from self.mutants()
        if large:
            yield from self.three_policies(10_000_000, self.runs)
            yield from self.files(10_000)
        if huge:
            yield from self.huge(100_000_000)


def versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("duckdb", "sqlglot", "PyYAML")},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--large", action="store_true")
    options.add_argument("--huge", action="store_true")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--out", type=Path, default=HERE / "results" / "latest.json")
    given = options.parse_args()
    about = versions()
    print(", ".join(f"{name} {version}" for name, version in about.items()))
    print(HEAD, flush=True)
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for one in Bench(Path(folder), given.runs).all(given.large, given.huge):
            found.append(one)
            print(row(one), flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    command = f"python bench/run.py{' --large' * given.large}{' --huge' * given.huge} --runs {given.runs}"
    result = {"command": command, "versions": about, "rows": found}
    given.out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written to {given.out}")


if __name__ == "__main__":
    main()
