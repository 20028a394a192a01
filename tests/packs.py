"""Small packs and facts written into a folder, for tests that go through the door."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

PACK = "format: 1\npack: t\ntitle: T\nversion: 0.1.0\nlicence: Apache-2.0\n"
RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    words: {type: int, unit: word}
    score: {type: float, unit: none}
    kind: {type: text, one_of: [a, b]}
    day: {type: date}
    level: {type: levels, levels: [A1, A2, B1]}
    price: {type: decimal, digits: 6, places: 2, unit: EUR}
    ok: {type: bool}
note:
  row: One note about an item.
  key: [note]
  columns:
    note: {type: text}
    id: {type: text}
    good: {type: bool}
"""
EXAMPLE = "{id: a, words: 1, score: 1, kind: a, day: 2026-01-01, level: A1, price: 1.00, ok: true}"
ROW = {
    "id": "a",
    "words": 1,
    "score": 1,
    "kind": "a",
    "day": "2026-01-01",
    "level": "A1",
    "price": 1,
    "ok": True,
}
TOP = "top: {value: 3, unit: word, origin: convention, because: x}"


def policy(must: str, params: str = TOP, more: str = "", name: str = "rule", for_: str = "item") -> str:
    """A policy `t.<name>` with one case; `more` is further top-level YAML."""
    written = f"params:\n  {params}\n" if params else ""
    return (
        f"policy: t.{name}\ntitle: T\nfor: {for_}\nmust: >-\n  {must}\n{written}{more}"
        f"cannot_see: x\nexample: {EXAMPLE}\ncases:\n  - {{words: 1, expect: pass}}\n"
    )


def write(folder: Path, policies: Mapping[str, str], relations: str = RELATIONS) -> Path:
    """A folder of packs with the one pack `t`; gives `<folder>/policies`."""
    root = folder / "policies"
    (root / "t").mkdir(parents=True, exist_ok=True)
    (root / "t" / "pack.yaml").write_text(PACK, encoding="utf-8")
    (root / "t" / "relations.yaml").write_text(relations, encoding="utf-8")
    for name, text in policies.items():
        (root / "t" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return root


def facts(folder: Path, document: object, name: str = "facts.json") -> Path:
    """A file of facts as JSON."""
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path
