"""Packs of many policies over one relation, their facts, and one query each by hand.

    python bench/many_policies.py FOLDER NUMBER few|many      (runs the queries by hand)
    python bench/many_policies.py FOLDER NUMBER facts         (makes so many facts)

`few`: the policies have ten distinct `where`s, on a text; `many`: each has its own, on a float. `whole`: each is as
large as a real one, with two branches, a middle zone, four parameters and five cases, and expressions of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

SEED = 20261130
PACK = """format: 1
pack: many
title: Many policies over one relation
version: 0.1.0
licence: Apache-2.0
"""
RELATIONS = """reading:
  row: One answer of a model.
  key: [id]
  columns:
    id: {type: int, unit: none}
    question: {type: text, required: true}
    answer: {type: bool, required: true}
    p_yes: {type: float, unit: probability, note: null in one row of a thousand}
    weight: {type: float, unit: none}
"""
POLICY = """policy: many.p{number}
title: A model does not contradict question {number}
for: reading
where: {where}
must: not ((answer and p_yes >= high) or (not answer and p_yes <= low))
params:
  high: {{value: {high}, unit: probability, origin: convention, because: About one row in a thousand fails.}}
  low: {{value: {low}, unit: probability, origin: convention, because: About one row in a thousand fails.}}
{more}cannot_see: Whether the text is true, and questions that were left out of the facts.
example: {{id: 1, question: q{question}, answer: true, p_yes: 0.5, weight: 0.99}}
cases:
  - {{p_yes: {high}, expect: fail}}
  - {{answer: false, p_yes: {low}, expect: fail}}
  - {{p_yes: null, expect: no_evidence}}
  - {{rows: [], expect: no_evidence}}
"""

WHOLE = """policy: many.p{number}
title: The stated scope of question {number} names something concrete that the rule does not look at
for: reading
where: question in ('empty_{number}', 'concrete_{number}')
must: not ((question = 'empty_{number}' and answer and p_yes >= strong_yes)
      or (question = 'concrete_{number}' and not answer and p_yes <= strong_no))
review_if: p_yes between review_from and review_to
params:
  strong_yes:  {{value: 0.8, unit: probability, origin: convention, because: A strong yes of question {number}.}}
  strong_no:   {{value: 0.2, unit: probability, origin: convention, because: A strong no of question {number}.}}
  review_from: {{value: 0.4, unit: probability, origin: convention, because: Below it the answer is no.}}
  review_to:   {{value: 0.6, unit: probability, origin: convention, because: Above it the answer is yes.}}
cannot_see: Whether the text is true, and questions that were left out of the facts.
example: {{id: 1, question: empty_{number}, answer: false, p_yes: 0.1, weight: 0.99}}
cases:
  - {{answer: true, p_yes: 0.8, expect: fail}}
  - {{answer: true, p_yes: 0.79, expect: pass}}
  - {{p_yes: 0.4, expect: review}}
  - {{p_yes: null, expect: no_evidence}}
  - {{rows: [], expect: no_evidence}}
"""


def rule(number: int, wheres: str) -> tuple[str, str, str]:
    """The scope and the two thresholds of a policy."""
    where = f"question = 'q{number % 10}'" if wheres == "few" else f"weight >= {least(number)}"
    return where, f"{0.998 + number % 100 / 100000:.5f}", f"{0.002 - number % 100 / 100000:.5f}"


def least(number: int) -> str:
    return f"{number % 5000 / 10000:.4f}"


def make_pack(folder: Path, number: int, wheres: str) -> None:
    """Writes the pack `many` below `folder`."""
    pack = folder / "many"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text(PACK)
    (pack / "relations.yaml").write_text(RELATIONS)
    for one in range(number):
        if wheres == "whole":
            (pack / f"p{one}.yaml").write_text(WHOLE.format(number=one))
            continue
        where, high, low = rule(one, wheres)
        more = ""
        if wheres == "many":
            where = "weight >= least"
            more = f"  least: {{value: {least(one)}, unit: none, origin: convention, because: Each has its own.}}\n"
        text = POLICY.format(number=one, where=where, high=high, low=low, question=one % 10, more=more)
        (pack / f"p{one}.yaml").write_text(text)


def make_facts(folder: Path, rows: int) -> None:
    """Writes `reading.parquet` into `folder`."""
    import duckdb

    duckdb.connect(config={"threads": "1"}).execute(
        f"""copy (select i as id, 'q' || i % 10 as question, hash(i + {SEED}) % 2 = 0 as answer,
          case when hash(i * 3 + {SEED}) % 1000 > 0 then (hash(i * 7 + {SEED}) % 1000000) / 1000000.0::double end
          as p_yes, (hash(i * 5 + {SEED}) % 1000000) / 1000000.0::double as weight from range({rows}) t(i) order by i)
        to '{folder}/reading.parquet' (format parquet)"""
    )


def by_hand(folder: str, number: int, wheres: str) -> None:
    import duckdb

    c = duckdb.connect(config={"threads": "1"})
    failed = 0
    for one in range(number):
        where, high, low = rule(one, wheres)
        must = f"not ((answer and p_yes >= {high}) or (not answer and p_yes <= {low}))"
        found = c.execute(
            f"select count(*), count(*) filter (not ({must})), count(*) filter (({must}) is null) "
            f"from '{folder}/reading.parquet' where {where}"
        ).fetchone()
        assert found is not None
        failed += found[1]
        query = f"from '{folder}/reading.parquet' where {where} and not ({must}) order by id limit 20"
        c.execute(query).fetchall()
    print(failed)


if __name__ == "__main__":
    if sys.argv[3] == "facts":
        make_facts(Path(sys.argv[1]), int(sys.argv[2]))
    else:
        by_hand(sys.argv[1], int(sys.argv[2]), sys.argv[3])
