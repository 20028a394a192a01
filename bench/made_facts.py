"""Facts for the measurements, made by DuckDB from a seed: the same values in every run.

    python bench/made_facts.py FOLDER ROWS [parquet|jsonl]

Rows have about twenty to a document, entries come from a list of 15,000, and about one row or document in a thousand
fails each policy of `bench/pack`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

ENTRIES = 15_000
ROWS_OF_A_DOCUMENT = 20
SEED = 20261130
LEVELS = "['A1', 'A2', 'B1', 'B2', 'C1', 'C2']"


def make(folder: Path, rows: int, form: str = "parquet") -> None:
    """Writes `graded_item`, `document` and `entry` into `folder`, as `parquet` or as `jsonl`."""
    end, options = ("jsonl", "format json") if form == "jsonl" else ("parquet", "format parquet")
    documents = max(rows // ROWS_OF_A_DOCUMENT, 1)
    selects = {
        "entry": f"""select 'e' || i as entry_id, {LEVELS}[1 + (hash(i + {SEED}) % 6)::int] as level
            from range({ENTRIES}) t(i) order by i""",
        "document": f"select 'd' || lpad(i::varchar, 9, '0') as document_id from range({documents}) t(i) order by i",
        # A document of the thousandth part shows two entries only. A row of the thousandth part shows a wrong level.
        "graded_item": f"""select 'i' || lpad(i::varchar, 10, '0') as item_id,
              'd' || lpad((i // {ROWS_OF_A_DOCUMENT})::varchar, 9, '0') as document_id, 'e' || e as entry_id,
              {LEVELS}[1 + ((hash(e + {SEED}) % 6)::int + (hash(i * 3 + {SEED}) % 1000 = 0)::int) % 6] as level,
              ['empty_scope', 'concrete_scope'][1 + (i % 2)] as question, hash(i + {SEED}) % 2 = 0 as answer,
              (hash(i * 7 + {SEED}) % 1000000) / 1000000.0::double as p_yes
            from (select i, case when hash(i // {ROWS_OF_A_DOCUMENT} + {SEED}) % 1000 = 0 then i % 2
              else (hash(i * 5 + {SEED}) % {ENTRIES})::bigint end as e from range({rows}) t(i)) order by i""",
    }
    connection = duckdb.connect(config={"threads": "1"})
    for relation, select in selects.items():
        connection.execute(f"copy ({select}) to '{folder}/{relation}.{end}' ({options})")


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])
