"""Look-ups in a reference beside the same join written by hand: `python bench/look_ups.py [ROWS]`.

780,000 rows are looked up in a reference of 15,000 by `fiel judge`, and by SQL in DuckDB that counts what differs.
Prints medians of CPU seconds and their ratio, twice: of the join alone, in one process over the same tables, and of
whole processes in turn (of which `judge` starts Python, checks facts and keys, and hashes every file).
"""

from __future__ import annotations

import csv
import hashlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engine.check import check_policy  # noqa: E402
from engine.compile import compile_policy  # noqa: E402
from engine.facts import Table, load, table  # noqa: E402
from engine.load import load_packs  # noqa: E402
from engine.model import LINE  # noqa: E402
from engine.references import open_references  # noqa: E402

REFERENCE_ROWS = 15_000
LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
JOIN = """
select count(*) filter (s.level is not null and not coalesce(r.lo = r.hi and r.lo = s.level, false)) as failed,
       count(*) filter (s.level is null) as unknown, count(*)
from {facts} s
left join (select headword, pos, min(level) lo, max(level) hi from {reference} group by all) r
  on r.headword = s.headword and r.pos = s.pos
"""
BY_HAND = """
import duckdb
c = duckdb.connect(config={{"threads": "1"}})
c.execute("create table r as select * from read_csv('{reference}', header=true, all_varchar=true)")
print(c.execute({join!r}).fetchone())
"""
POLICY = """policy: words.official
title: A level shown is the reference's
for: shown_level
same_as: {reference: made_up, match: {headword: headword, pos: pos}, show: {level: level}}
cannot_see: Senses.
example: {id: 1, headword: a, pos: noun, level: B1}
example_facts: {made_up: [{headword: a, pos: noun, level: B1}]}
cases: [{level: B2, expect: fail}]
"""
RELATIONS = """shown_level:
  row: A level beside a word.
  key: [id]
  columns:
    id: {type: int, unit: none}
    headword: {type: text}
    pos: {type: text}
    level: {type: text}
"""
REFERENCES = """made_up:
  title: Made up for a measurement
  edition: "1"
  file: made-up.csv
  sha256: {digest}
  licence: CC0-1.0
  cite: nobody
  columns: {{headword: headword, pos: pos, level: level}}
  key: [headword, pos]
  checked: 2026-12-01
"""


def lay(folder: Path, rows: int) -> tuple[Path, Path]:
    """Writes the pack, the reference and the facts; gives the reference and the facts."""
    reference = folder / "made-up.csv"
    with reference.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["headword", "pos", "level"])
        for number in range(REFERENCE_ROWS):
            writer.writerow([f"word{number // 2}", ("noun", "verb")[number % 2], LEVELS[number * 7 % 6]])
    pack = folder / "policies" / "words"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text("format: 1\npack: words\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n")
    (pack / "relations.yaml").write_text(RELATIONS)
    digest = hashlib.sha256(reference.read_bytes()).hexdigest()
    (pack / "references.yaml").write_text(REFERENCES.format(digest=digest))
    (pack / "official.yaml").write_text(POLICY)
    facts = folder / "shown_level.parquet"
    duckdb.execute(
        f"""copy (select i::bigint as id, 'word' || (n // 2) as headword,
        case n % 2 when 0 then 'noun' else 'verb' end as pos,
        list_extract(['A1','A2','B1','B2','C1','C2'], ((n * 7 + (i % 1000 = 0)::int) % 6 + 1)::int) as level
        from (select i, (i * 7919) % {REFERENCE_ROWS} as n from range({rows}) t(i))) to '{facts}'"""
    )
    return reference, facts


def seconds(command: list[str], folder: Path) -> float:
    """CPU seconds of a process; it may exit 1, as some rows differ."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout + done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_the_join(folder: Path, facts: Path) -> list[tuple[float, float]]:
    """CPU seconds of the engine's query and of the join by hand, over the same tables on one thread, in turn."""
    packs = load_packs(folder / "policies").packs
    checked, _ = check_policy(packs["words"].policies["official"], packs["words"])
    assert checked is not None
    shelf = open_references(packs["words"].references.values(), [folder])
    tables = [Table(o.reference.relation, {**o.columns, LINE: o.lines}, len(o.lines)) for o in shelf.tables.values()]
    with load([str(facts)], packs["words"].relations, tables=tables, threads=1) as base:
        engine = compile_policy(checked, {name: table(name) for name in base.present}, None).counts
        hand = JOIN.format(facts=table("shown_level"), reference=table("made_up"))

        def took(sql: str) -> float:
            before = time.process_time()
            base.select(sql).fetchall()
            return time.process_time() - before

        return [(took(engine), took(hand)) for _ in range(8)][1:]


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 780_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reference, facts = lay(folder, rows)
        judge = [sys.executable, str(ROOT / "cli.py"), "judge", "--facts", str(facts), "--threads", "1"]
        judge += ["--references", str(folder), "--witnesses", "5"]
        hand = [
            sys.executable,
            "-c",
            BY_HAND.format(reference=reference, join=JOIN.format(facts=f"read_parquet('{facts}')", reference="r")),
        ]
        joins = of_the_join(folder, facts)
        pairs = [(seconds(judge, folder), seconds(hand, folder)) for _ in range(6)][1:]
    print(f"{rows:,} look-ups in {REFERENCE_ROWS:,} rows, CPU seconds")
    for what, found in (("the join alone", joins), ("whole processes", pairs)):
        ours, theirs = (statistics.median(one) for one in zip(*found, strict=True))
        print(f"{what}: fiel {ours:.3f}, by hand {theirs:.3f}, ratio {statistics.median(a / b for a, b in found):.2f}")


if __name__ == "__main__":
    main()
