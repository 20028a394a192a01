"""References that are shown beside a text, and one choice that fills several columns."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from . import sensors
from .conftest import Cli
from .model_runs import home, rows_of, words
from .model_server import KEY, annotating, serving

__all__ = ["home"]

LIST = "id,item,level\ng1,present perfect,B1\ng2,used to,B1\ng3,will,\n"
REFERENCES = """\
items:
  title: A list of items
  edition: "1"
  file: items.csv
  sha256: {sha}
  licence: CC0-1.0
  cite: Made for a test.
  columns: {{id: id, item: item, level: level}}
  key: [id]
  checked: 2026-11-30
"""
SENSORS = """\
marker:
  kind: llm
  reads: documents
  fills: [form]
  prompt: prompts/marks.md
  given: {items: [item]}
  among: {form: {link: items.id, item: items.item}}
"""
FORM = """\
form:
  row: A form that somebody saw.
  key: [document, start_at, end_at, name]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: none}
    end_at: {type: int, unit: none}
    quote: {type: text}
    name: {type: text}
    note: {type: text}
    link: {type: text}
    item: {type: text}
"""


def lay(home: Path, sensors_yaml: str = SENSORS) -> None:
    pack = home / "policies" / "shop"
    digest = hashlib.sha256(LIST.encode()).hexdigest()
    (home / "lists").mkdir(exist_ok=True)
    (home / "lists" / "items.csv").write_text(LIST, encoding="utf-8")
    (pack / "references.yaml").write_text(REFERENCES.format(sha=digest), encoding="utf-8")
    (pack / "sensors.yaml").write_text(sensors_yaml, encoding="utf-8")
    (pack / "prompts/marks.md").write_text("Mark.\n{{records}}\n", encoding="utf-8")
    (pack / "relations.yaml").write_text(sensors.RELATIONS + FORM, encoding="utf-8")


def test_a_reference_is_shown_and_one_choice_fills_all_columns_from_it(cli: Cli, home: Path) -> None:
    lay(home)
    forms = [
        {"sentence": 1, "quote": "You are", "name": "a", "note": "1", "link": "G2"},
        {"sentence": 1, "quote": "kind", "name": "b", "note": "2", "link": None},
        {"sentence": 1, "quote": "are", "name": "c", "note": "3", "link": "G9"},
        {"sentence": 1, "quote": "are", "name": "d", "note": "4", "link": "g2"},
        {"sentence": 1, "quote": "kind", "name": "b", "note": "5", "link": None},
    ]
    with serving(annotating({"form": forms})) as server:
        line = words(server, "anthropic", "--references", "lists")
        line[2] = "texts/a.txt"
        done = cli(*line, cwd=home, MODEL_KEY=KEY)
        heard = server.heard[0]
    assert (done.returncode, done.stderr) == (0, "")
    assert 'G2 items {"item": "used to"}' in heard.text
    assert "B1" not in heard.text
    item = heard.schema["properties"]["form"]["items"]
    assert set(item["properties"]) == {"sentence", "quote", "name", "note", "link"}
    found = [(row["name"], row["link"], row["item"], row["note"]) for row in rows_of(home / "run", "form")]
    assert found == [("a", "g2", "used to", "1"), ("b", None, None, "2")]
    remarks = [json.loads(line) for line in (home / "run/diagnostics.jsonl").read_text("utf-8").splitlines()]
    assert [one["code"] for one in remarks] == ["choice-refused", "choice-refused", "span-repeated"]
    assert "with other values" in remarks[2]["message"]


def test_a_reference_that_is_not_there_is_said_before_anything_is_asked(cli: Cli, home: Path) -> None:
    lay(home)
    with serving(annotating({"form": []})) as server:
        done = cli(*words(server, "anthropic"), cwd=home, MODEL_KEY=KEY)
        assert server.heard == []
    assert (done.returncode, "reference-missing" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("items: [item]", "itemz: [item]", "unknown-relation"),
        ("items: [item]", "items: [itm]", "unknown-column"),
        ("items.id", "items.idd", "unknown-column"),
        ("items.id,", "things.id,", "unknown-relation"),
    ],
)
def test_what_is_given_is_there(cli: Cli, home: Path, before: str, after: str, code: str) -> None:
    lay(home, SENSORS.replace(before, after))
    done = cli("check", "policies/shop", cwd=home)
    assert (done.returncode, code in done.stdout) == (1, True), done.stdout
