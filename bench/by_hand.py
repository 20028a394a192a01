"""The SQL that a good author would write for the policies of `bench/pack`: counts, twenty witnesses, and checks.

    python bench/by_hand.py FOLDER parquet|jsonl [checked]

With `checked` it also looks for repeated keys, nulls in keys, and values outside their domain, as `fiel judge` does.
Prints the failing rows or groups of each policy.
"""

from __future__ import annotations

import sys

import duckdb

KEYS = {"graded_item": "item_id", "document": "document_id", "entry": "entry_id"}
LEVEL = "enum ('A1', 'A2', 'B1', 'B2', 'C1', 'C2')"
ITEM = """{item_id: 'varchar', document_id: 'varchar', entry_id: 'varchar', level: 'varchar', question: 'varchar',
  answer: 'boolean', p_yes: 'double'}"""
COLUMNS = {
    "graded_item": ITEM,
    "document": "{document_id: 'varchar'}",
    "entry": "{entry_id: 'varchar', level: 'varchar'}",
}
A = """(question = 'empty_scope' and answer and p_yes >= 0.998)
  or (question = 'concrete_scope' and not answer and p_yes <= 0.002)"""
B = "not exists (from entry e where e.entry_id = j.entry_id and e.level = j.level)"
C = """select d.document_id, count(distinct j.entry_id) filter (j.level::level_type >= 'B2'::level_type) as n
  from document d left join graded_item j using (document_id) group by d.document_id having n < 3"""
DOMAINS = """select count(*) from graded_item where document_id is null or item_id is null
  or question not in ('empty_scope', 'concrete_scope') or not p_yes between 0 and 1 or not isfinite(p_yes)
  or level not in ('A1', 'A2', 'B1', 'B2', 'C1', 'C2')"""


def main(folder: str, form: str, checked: bool) -> None:
    c = duckdb.connect(config={"threads": "1"})
    c.execute(f"create type level_type as {LEVEL}")
    for relation, columns in COLUMNS.items():
        read = f"'{folder}/{relation}.parquet'" if form == "parquet" else None
        if read is None:
            c.execute(
                f"create table {relation} as from read_json('{folder}/{relation}.jsonl', "
                f"format='newline_delimited', columns={columns})"
            )
        else:
            c.execute(f"create view {relation} as from {read}")
    if checked:
        for relation, key in KEYS.items():
            query = f"select count(*) from (select 1 from {relation} group by {key} having count(*) > 1)"
            assert c.execute(query).fetchone() == (0,)
        assert c.execute(DOMAINS).fetchone() == (0,)
    first = "order by item_id limit 20"
    counts = [
        c.execute(f"select count(*) from graded_item where {A}").fetchone(),
        c.execute(f"select count(*) from graded_item j where {B}").fetchone(),
        c.execute(f"select count(*) from ({C})").fetchone(),
    ]
    c.execute(f"from graded_item where {A} {first}").fetchall()
    c.execute(f"from graded_item j where {B} {first}").fetchall()
    c.execute(f"{C} order by d.document_id limit 20").fetchall()
    print(*(count[0] for count in counts if count is not None))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "checked" in sys.argv[3:])
