"""How long judging takes beside SQL written by hand, over the same Parquet rows, in pairs in one run.

    python bench/judge_rows.py [ROWS]        (default 1,000,000)

Prints medians of CPU seconds (user and system, whole process) and the ratio of each pair. Both sides count failing rows
of the same two-branch filter and fetch twenty of them in key order; Fiel also loads and checks the policy, checks every
value and key, and tells unknown from false.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5

MAKE = """
import duckdb
duckdb.connect().execute('''copy (select 'c' || lpad((i // 2)::varchar, 10, '0') as claim_id,
  case when i % 2 = 0 then 'empty_scope' else 'concrete_scope' end as question, hash(i) % 2 = 0 as answer,
  (hash(i * 7) % 1000000) / 1000000.0::double as p_yes, 'm' as model,
  make_timestamp(1700000000000000 + i)::timestamptz as asked_at, 'r1' as run_id
  from range({rows}) t(i)) to '{path}' (format parquet)''')
"""
BY_HAND = """
import duckdb
c = duckdb.connect(config={{'threads': '1'}})
w = '''where (question = 'empty_scope' and answer and p_yes >= 0.8)
  or (question = 'concrete_scope' and not answer and p_yes <= 0.2)'''
print(c.execute(f"select count(*) from '{path}' {{w}}").fetchall())
print(c.execute(f"select * from '{path}' {{w}} order by claim_id, question, run_id limit 20").fetchall())
"""


def cpu_of(command: list[str], env: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/prose_claim.parquet"
        subprocess.run([sys.executable, "-c", MAKE.format(rows=rows, path=path)], check=True)
        env = {**os.environ, "FIEL_CACHE": f"{folder}/cache"}
        judge = [sys.executable, str(ROOT / "cli.py"), "judge", "--facts", path, "--threads", "1"]
        judge += ["--policies", str(ROOT / "policies"), "--policy", "prose.scope_is_concrete"]
        sides = {
            "fiel, first time": [*judge, "--no-cache"],
            "fiel, keys known": judge,
            "fiel, --trust-keys": [*judge, "--trust-keys"],
        }
        hand = [sys.executable, "-c", BY_HAND.format(path=path)]
        print(f"{rows:,} rows, medians of {RUNS} pairs, CPU seconds")
        for name, command in sides.items():
            cpu_of(command, env)
            pairs = [(cpu_of(command, env), cpu_of(hand, env)) for _ in range(RUNS)]
            ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"  {name:20} {ours:6.2f}   SQL by hand {theirs:6.2f}   ratio {ratio:5.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000_000)
