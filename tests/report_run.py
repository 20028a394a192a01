"""One small run with every verdict and outcome: what the tests of formats render."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from engine.pipeline import Request, judge
from engine.verdict import Run

PACK = """format: 1
pack: library
title: What a library promises its readers
version: 0.1.0
licence: Apache-2.0
cannot_see: Readers who never came back.
"""
RELATIONS = """
loan:
  row: One loan of one book.
  key: [loan]
  columns:
    loan: {type: text}
    reader: {type: text, required: true}
    lent_on: {type: date, required: true}
    returned_on: {type: date}
    pages: {type: int, unit: page}
    damaged: {type: bool}
    fee: {type: decimal, digits: 6, places: 2, unit: EUR}
  cannot_see: Loans that were never written down.
reader:
  row: One reader.
  key: [reader]
  columns:
    reader: {type: text}
payment:
  row: One payment.
  key: [payment]
  columns:
    payment: {type: text}
    loan: {type: text, required: true}
"""
EXAMPLE = "{loan: l1, reader: r1, lent_on: 2026-03-01, returned_on: 2026-03-10, pages: 200, damaged: false, fee: 0.00}"
_END = f"example: {EXAMPLE}\ncases:\n  - {{pages: 200, expect: pass}}\n"
POLICIES = {
    "back_in_time": """
title: A book comes back within 28 days
for: loan
must: days_between(lent_on, returned_on) <= longest_loan
params:
  longest_loan: {value: 28, unit: day, origin: convention, because: The rules of the house say four weeks.}
cannot_see: Whether the book came back whole.
""",
    "damage_is_looked_at": """
title: A book that was damaged is looked at by a person
for: loan
must: pages > 0
review_if: damaged
cannot_see: Damage that the reader did not tell.
""",
    "fee_is_paid": """
title: A fee has been paid
for: loan
where: fee > 0
must: exists (from payment where loan = judged.loan)
source: {act: Library Act, article: art. 7(2), edition: 2021-08-05, quote: a fee is due on the day of return}
cannot_see: Payments in cash.
""",
    "few_long_books": """
title: Few books have more than 500 pages
for: loan
must: pages <= most_pages
allow: long_books
params:
  most_pages: {value: 500, unit: page, origin: measured, measured_by: the catalogue, because: Nine in ten are shorter.}
  long_books: {value: 20%, unit: share, origin: guess, because: Nobody has counted., revisit: 2026-12-15}
cannot_see: Large print.
""",
    "few_damages_each": """
title: A reader damages at most 1 book
for: loan
per: [reader]
where: damaged
must: count(*) <= most_damages
params:
  most_damages: {value: 1, unit: none, origin: contract, because: The card says so.}
cannot_see: Loans under another name.
""",
    "fee_has_a_ceiling": """
title: A fee stays under the ceiling of its day
for: loan
as_of: returned_on
must: fee <= ceiling
params:
  ceiling:
    unit: EUR
    origin: law
    values:
      - {from: 2025-01-01, until: 2026-06-01, value: 10, source: "Library Act, art. 8", checked: 2026-11-30}
      - {from: 2026-06-01, value: 12, source: "Library Act, art. 8, as amended", checked: 2026-11-30}
cannot_see: Fees of other libraries.
""",
    "old_books_stay": """
title: Books lent before 1990 are not in scope any more
for: loan
where: lent_on < first_day
if_none: not_applicable
must: pages > 0
params:
  first_day: {value: 1990-01-01, origin: convention, because: The catalogue begins then.}
cannot_see: Books without a date.
""",
    "one_reader_each": """
title: Every reader of a loan is on the list
for: loan
per: [reader]
each_of: reader
must: count(*) >= 0
cannot_see: Readers who moved.
""",
}
WAIVERS = """
- policy: library.back_in_time
  rows: {loan: l4}
  owner: the head of lending
  because: The reader was ill.
  until: 2026-12-14
  at_most: 1
- policy: library.few_long_books
  owner: the head of lending
  because: A gift of long books.
  until: 2026-11-15
  at_most: 1
- policy: library.fee_is_paid
  rows: {loan: l9}
  owner: the head of lending
  because: The till was closed.
  until: 2027-03-31
  at_most: 1
"""
_COLUMNS = ("loan", "reader", "lent_on", "returned_on", "pages", "damaged", "fee")
ROWS: Sequence[dict[str, Any]] = [
    dict(zip(_COLUMNS, row, strict=True))
    for row in (
        ("l1", "r1", "2026-03-02", "2026-03-20", 200, False, 0),
        ("l2", "r1", "2026-03-05", "2026-04-09", 612, False, 2.5),
        ("l3", "r2", "2026-03-09", None, 90, True, 0),
        ("l4", "r2", "2026-03-11", "2026-05-02", 340, True, 11),
        ("l5", "r2", "2026-03-12", "2026-03-15", 150, False, 0),
    )
]
AS_OF = date(2026, 11, 30)


def write(folder: Path, rows: Sequence[dict[str, Any]] = ROWS, strays: bool = True) -> None:
    """The pack and the facts. With `strays` a loan's reader is not on the list, so one policy is in error."""
    root = folder / "policies" / "library"
    root.mkdir(parents=True)
    (root / "pack.yaml").write_text(PACK, encoding="utf-8")
    (root / "relations.yaml").write_text(RELATIONS, encoding="utf-8")
    (root / "waivers.yaml").write_text(WAIVERS, encoding="utf-8")
    for name, text in POLICIES.items():
        end = f"example_facts:\n  reader: [{{reader: r1}}]\n{_END}" if "each_of" in text else _END
        if name == "fee_is_paid":
            end = (
                f"example: {EXAMPLE.replace('0.00', '1.00')}\nexample_facts:\n  payment: [{{payment: p1, loan: l1}}]\n"
            )
            end += "cases:\n  - {pages: 200, expect: pass}\n"
        (root / f"{name}.yaml").write_text(f"policy: library.{name}{text}{end}", encoding="utf-8")
    facts = folder / "facts"
    facts.mkdir()
    (facts / "loan.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    readers = ["r9", *sorted({row["reader"] for row in rows})]
    listed = readers[: -1 if strays else None]
    (facts / "reader.jsonl").write_text("".join(json.dumps({"reader": r}) + "\n" for r in listed), encoding="utf-8")


def request(**options: Any) -> Request:
    """How the sample is judged, its day and coverage too, in the folder that `write` filled."""
    return Request(("facts",), as_of=AS_OF, use_cache=False, coverage=True, **options)


_HASH = "0123456789abcdef" * 4
RECEIPT = {
    "format": 1,
    "engine": {"fiel": "0.1.0", "duckdb": "2.0.1", "python": "3.11"},
    "arguments": {"as_of": "2026-11-30", "packs": ["library"]},
    "policies": {"library.back_in_time": _HASH, "library.fee_is_paid": _HASH[::-1]},
    "references": {"catalogue": {"edition": "2026", "sha256": _HASH}},
    "facts": [{"relation": "loan", "file": "facts/loan.jsonl", "sha256": _HASH, "rows": 5, "run": None}],
    "waivers": [{"pack": "library", "number": 1}],
    "decisions": [],
    "verdict": "fail",
    "verdict_sha256": _HASH,
}


def sample(**options: Any) -> Run:
    """The whole sample, judged in the current folder, which `write` filled; with a receipt that names no version."""
    return replace(judge(request(**options)), receipt=RECEIPT)
