"""Packs with sensors, and documents, for tests."""

from __future__ import annotations

from pathlib import Path

PACK = "format: 1\npack: shop\ntitle: A shop\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = """\
sale:
  row: A sale.
  key: [number]
  columns:
    number: {type: int, unit: none}
    amount: {type: decimal, digits: 6, places: 2, unit: euro}
    weight: {type: float, unit: kg}
    sold: {type: bool}
    day: {type: date}
    at: {type: instant}
    size: {type: levels, levels: [small, large]}
    note: {type: text, may_be_absent: true}
passage:
  row: What a policy says.
  key: [policy, part, parameter]
  columns:
    policy: {type: text}
    part: {type: text, one_of: [scope, reason]}
    parameter: {type: text}
    text: {type: text}
    value: {type: text}
    unit: {type: text}
    origin: {type: text}
shown:
  row: A value that a page shows.
  key: [document, at]
  columns:
    document: {type: text}
    at: {type: int, unit: none}
    line: {type: int, unit: none}
    marked: {type: text}
    value: {type: text}
claim:
  row: A question about a text.
  key: [claim_id, question, run_id]
  columns:
    claim_id: {type: text}
    question: {type: text, one_of: [is_kind, is_short]}
    answer: {type: bool}
    p_yes: {type: float, min: 0, max: 1, unit: probability}
    model: {type: text}
    asked_at: {type: instant}
    run_id: {type: text}
"""
SENSORS = """\
sales: {kind: table, reads: documents, fills: [sale], columns: {amount: Amount EUR}, query: SELECT * FROM sale}
texts: {kind: policies, reads: policies, fills: [passage]}
pages: {kind: artifact, reads: documents, fills: [shown]}
"""
ASKING = """\
reader:
  kind: llm
  reads: documents
  fills: [claim]
  prompt: prompts/kind.md
  questions:
    is_kind: Is the text kind?
    is_short: Is the text short?
  batch: 2
  review: {from: 0.4, to: 0.6}
  prices: {input_per_million: 3, output_per_million: 15, currency: USD, checked: 2026-11-30}
"""
PROMPT = "Answer the questions about each record.\n\n{{questions}}\n\n{{records}}\n"
POLICY = """\
policy: shop.sale_is_paid
title: A sale has an amount
for: sale
must: amount >= least
params:
  least: {value: 1, unit: euro, origin: convention, because: Nobody sells for less.}
cannot_see: Sales in cash.
example: {number: 1, amount: 2.00, weight: 1.5, sold: true, day: 2026-01-01, at: 2026-01-01T00:00:00Z, size: small}
cases:
  - {amount: 0.99, expect: fail}
  - {amount: 1.00, expect: pass}
  - {amount: null, expect: no_evidence}
  - {rows: [], expect: no_evidence}
"""


def lay(folder: Path, sensors: str = SENSORS, **files: str) -> Path:
    """A folder of packs with the pack `shop`; `files` are further files of it, `__` in a name standing for a point."""
    pack = folder / "policies" / "shop"
    (pack / "prompts").mkdir(parents=True)
    texts = {"pack.yaml": PACK, "relations.yaml": RELATIONS, "sensors.yaml": sensors, "sale_is_paid.yaml": POLICY}
    texts["prompts/kind.md"] = PROMPT
    for name, text in {**texts, **{name.replace("__", "."): text for name, text in files.items()}}.items():
        (pack / name).write_text(text, "utf-8")
    return folder / "policies"
