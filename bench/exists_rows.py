"""How long `exists` takes over rows whose keys may be null, beside the two-valued join that one would write by hand.

    python bench/exists_rows.py [ROWS]        (default 20,000 on each side)

Prints CPU seconds (user and system, whole process). The join by hand answers less: it cannot tell unknown from false.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from judge_rows import ROOT, cpu_of

PACK = "format: 1\npack: b\ntitle: B\nversion: 0.1.0\nlicence: Apache-2.0\n"
RELATIONS = """
item: {row: i, key: [id], columns: {id: {type: text}, ok: {type: bool}}}
note: {row: n, key: [note], columns: {note: {type: text}, id: {type: text}, good: {type: bool}}}
"""
POLICY = """
policy: b.rule
title: No note fits
for: item
must: not exists (from note where id = judged.id and good = judged.ok)
cannot_see: x
example: {id: a, ok: true}
example_facts: {note: []}
cases: [{ok: true, expect: pass}]
"""
BY_HAND = """
import duckdb
query = "select count(*) from read_json('{folder}/item.jsonl') i where exists (select 1 from "
query += "read_json('{folder}/note.jsonl') n where n.id = i.id and n.good = i.ok)"
print(duckdb.connect().execute(query).fetchall())
"""


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "policies" / "b"
        pack.mkdir(parents=True)
        for name, text in {"pack": PACK, "relations": RELATIONS, "rule": POLICY}.items():
            (pack / f"{name}.yaml").write_text(text)
        items = ({"id": f"i{n}", "ok": True} for n in range(rows))
        notes = (
            {"note": f"n{n}", "id": None if n % 2 else f"x{n}", "good": None if n % 3 else True} for n in range(rows)
        )
        for name, facts in {"item": items, "note": notes}.items():
            (Path(folder) / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in facts))
        judge = [sys.executable, str(ROOT / "cli.py"), "judge", "--policies", f"{folder}/policies"]
        for name in ("item", "note"):
            judge += ["--facts", f"{folder}/{name}.jsonl"]
        hand = [sys.executable, "-c", BY_HAND.format(folder=folder)]
        ours, theirs = cpu_of(judge, dict(os.environ)), cpu_of(hand, dict(os.environ))
        print(f"{rows:,} rows on each side, CPU seconds: fiel {ours:.2f}, two-valued join by hand {theirs:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 20_000)
