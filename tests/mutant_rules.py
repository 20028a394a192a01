"""Small packs with a rule that mutants attack."""

from __future__ import annotations

from pathlib import Path

from engine.casework import PolicyTest, run_tests
from engine.check import check_policy
from engine.checked import CheckedPolicy
from engine.load import load_packs
from engine.model import Pack

from . import packs

RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    words: {type: int, unit: word}
    more_words: {type: int, unit: word}
    score: {type: float, unit: none}
    kind: {type: text, one_of: [a, b, c]}
    name: {type: text}
    day: {type: date}
    late: {type: date}
    level: {type: levels, levels: [A1, A2, B1]}
    price: {type: decimal, digits: 6, places: 2, unit: EUR}
    ok: {type: bool}
    sure: {type: bool}
box:
  row: One box of items.
  key: [kind]
  columns:
    kind: {type: text, one_of: [a, b, c]}
note:
  row: One note about an item.
  key: [note]
  columns:
    note: {type: text}
    id: {type: text}
    good: {type: bool}
"""
EXAMPLE = (
    "{id: a1, words: 1, more_words: 1, score: 1, kind: a, name: abc, day: 2026-01-01, late: 2026-01-03, level: A1, "
    "price: 1.00, ok: true, sure: false}"
)
CONVENTION = "origin: convention, because: x"
LAW = "source: s, checked: 2026-01-01"
RULES: dict[str, str] = {
    "plain": f"must: words <= top\nparams: {{top: {{value: 3, unit: word, {CONVENTION}}}}}\n",
    "below": f"must: score < top\nparams: {{top: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "closed": "where: kind in ('a', 'b')\nmust: not (kind = 'a') or ok\n",
    "ladder": f"must: level between low and high\n"
    f"params: {{low: {{value: A1, {CONVENTION}}}, high: {{value: A2, {CONVENTION}}}}}\n",
    "logic": "where: ok\nmust: (ok or sure) and (sure or ok and not sure) and kind = 'a'\nreview_if: sure\n",
    "sums": f"must: words + more_words <= top and words * twice >= low\n"
    f"params: {{top: {{value: 4, unit: word, {CONVENTION}}}, low: {{value: 2, unit: word, {CONVENTION}}}, "
    f"twice: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "days": f"must: days_between(day, late) <= wait and day - interval (step) day <= late\n"
    f"params: {{wait: {{value: 3, unit: day, {CONVENTION}}}, step: {{value: 2, unit: day, {CONVENTION}}}}}\n",
    "texts": "must: starts_with(name, 'ab') and upper(name) != 'ABX' and year(day) >= year(late)\n",
    "instead": f"must: coalesce(words, more_words) <= top\nparams: {{top: {{value: 1, unit: word, {CONVENTION}}}}}\n",
    "dated": "as_of: day\nmust: words <= top\nparams:\n  top:\n    unit: word\n    origin: law\n    values:\n"
    f"      - {{from: 2025-01-01, value: 2, {LAW}}}\n      - {{from: 2026-01-01, value: 1, {LAW}}}\n",
    "related": "must: exists (from note where id = judged.id and good)\n",
    "tolerant": f"must: ok\nallow: few\nparams: {{few: {{value: 2%, {CONVENTION}}}}}\n",
    "counted": f"must: ok\nallow: few\nparams: {{few: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "grouped": "per: [kind]\neach_of: box\nwhere: kind is not null\n"
    "must: count_if(ok) >= least and max(words) filter (where ok) <= top\n"
    f"params: {{least: {{value: 1, unit: none, {CONVENTION}}}, top: {{value: 5, unit: word, {CONVENTION}}}}}\n",
    "named": "per: [id, level]\nwhere: level is not null\nmust: sum(words) <= top\n"
    f"params: {{top: {{value: 5, unit: word, {CONVENTION}}}}}\n",
    "official": "same_as: {reference: [list, second], match: {word: name, class: kind}, show: {level: level}}\n",
    "disputed": "same_as:\n  reference: [list, second]\n  match: {word: name, class: kind}\n"
    "  show: {level: level, id: gloss}\n  on_conflict: review\n",
}
REFERENCE = """{name}:
  title: Made up
  edition: "1"
  file: {name}.csv
  sha256: {digest}
  licence: CC0-1.0
  cite: nobody
  columns:
    {{word: word, class: class, level: {{from: level, type: levels, levels: [A1, A2, B1]}}, gloss: gloss, sort: sort}}
  key: [word, class]
  checked: 2026-12-01
"""
GROUPED = ("grouped", "named")
HELD = "{word: abc, class: a, level: A1, gloss: a1, sort: a1}"


def few_cases(name: str) -> str:
    facts = {
        "related": "example_facts: {note: [{note: n1, id: a1, good: true}]}\n",
        "grouped": "example_facts: {box: [{kind: a}]}\n",
        "official": f"example_facts: {{list: [{HELD}], second: []}}\n",
        "disputed": f"example_facts: {{list: [{HELD}], second: []}}\n",
    }.get(name, "")
    known = "  - {rows: [{}], expect: pass}\n" if name in GROUPED else ""
    return f"cannot_see: x\nexample: {EXAMPLE}\n{facts}cases:\n  - {{rows: absent, expect: no_evidence}}\n{known}"


def failing(name: str) -> str:
    """A case that fails, without which the cases would not be in order."""
    return {
        "plain": "{words: 9, expect: fail}",
        "below": "{score: 9, expect: fail}",
        "closed": "{ok: false, expect: fail}",
        "ladder": "{level: B1, expect: fail}",
        "logic": "{kind: b, expect: fail}",
        "sums": "{words: 9, expect: fail}",
        "days": "{late: 2026-03-01, expect: fail}",
        "texts": "{name: xx, expect: fail}",
        "instead": "{words: 9, expect: fail}",
        "dated": "{words: 9, expect: fail}",
        "related": "{facts: {note: []}, expect: fail}",
        "tolerant": "{ok: false, expect: fail}",
        "counted": "{rows: [{ok: false, repeat: 9}], expect: fail}",
        "grouped": "{rows: [{ok: false}], expect: fail}",
        "named": "{rows: [{words: 9}], expect: fail}",
        "official": "{level: B1, expect: fail}",
        "disputed": "{level: B1, expect: fail}",
    }[name]


def written(folder: Path, name: str, more: str = "") -> Path:
    text = f"policy: t.{name}\ntitle: T\nfor: item\n{RULES[name]}{few_cases(name)}  - {failing(name)}\n{more}"
    root = packs.write(folder, {name: text}, RELATIONS)
    if "same_as" in RULES[name]:
        both = "".join(REFERENCE.format(name=one, digest="ab" * 32) for one in ("list", "second"))
        (root / "t" / "references.yaml").write_text(both, encoding="utf-8")
    return root


def attacked(root: Path) -> PolicyTest:
    (one,) = run_tests([root])
    assert one.cases_ok, [r.differences for r in one.results]
    return one


def loaded(root: Path, name: str) -> tuple[CheckedPolicy, Pack]:
    pack = load_packs(root).packs["t"]
    checked, problems = check_policy(pack.policies[name], pack)
    assert checked is not None, problems
    return checked, pack
