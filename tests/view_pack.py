"""A pack with a view, for tests of what else knows views."""

from __future__ import annotations

from pathlib import Path

RELATIONS = """\
basket:
  row: One basket.
  key: [basket]
  columns:
    basket: {type: text}
line:
  row: One line of a basket.
  key: [line]
  columns:
    line: {type: text}
    basket: {type: text, required: true}
    price: {type: decimal, digits: 8, places: 2, unit: EUR, required: true}
"""
VIEWS = """\
-- key: basket
-- total: decimal(12,2) EUR
create view costs as
select b.basket, sum(l.price * factor) as total
from basket as b join line as l on l.basket = b.basket
where l.price > 0
group by b.basket;
"""
POLICY = """\
policy: shop.dear
title: No basket costs too much
for: costs
must: total <= most
cannot_see: what is paid in cash
params:
  most: {value: 100, unit: EUR, origin: convention, because: The till asks for a second look.}
example_facts:
  basket: [{basket: a}]
cases:
  - facts: {line: [{line: x, basket: a, price: 100.00}]}
    expect: pass
  - facts: {line: [{line: x, basket: a, price: 60.00}, {line: y, basket: a, price: 40.01}]}
    expect: fail
  - facts: {line: absent}
    expect: no_evidence
"""


def lay(folder: Path, views: str = VIEWS, factor: str = "1") -> Path:
    """A folder of packs with the pack `shop`."""
    pack = folder / "policies" / "shop"
    pack.mkdir(parents=True)
    texts = {"relations.yaml": RELATIONS, "views.sql": views, "dear.yaml": POLICY}
    texts["pack.yaml"] = "format: 1\npack: shop\ntitle: Baskets\nversion: 0.1.0\nlicence: CC0-1.0\n"
    texts["parameters.yaml"] = f"factor: {{value: {factor}, unit: none, origin: convention, because: x}}\n"
    for name, text in texts.items():
        (pack / name).write_text(text, "utf-8")
    return folder / "policies"
