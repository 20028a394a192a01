"""A small project under the gate, written into a folder: an invented list, pages in every form, facts."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from engine.attest import Claim, Computed, Official, Proposed, attest
from engine.canonical import dumps
from engine.honesty import pinned_references
from engine.load import load_packs
from engine.references import open_references
from engine.render import marks
from engine.seal import sealed, sealed_document

from .references import FIXTURES

LIST, SENSES = "fixture-vocabulary-1.0.csv", "fixture-senses-1.0.csv"
RELATIONS = """shown:
  row: A level beside a word.
  key: [id]
  columns:
    id: {type: text}
    word: {type: text}
    kind: {type: text}
    level: {type: levels, levels: [A1, A2, B1, B2, C1, C2]}
    said: {type: text, one_of: [official, proposed]}
"""
POLICY = """policy: words.official_level
title: A level shown as official is that of the list
for: shown
where: said = 'official'
same_as: {reference: fixture_vocabulary, match: {headword: word, pos: kind}, show: {level: level}}
allow: few
params:
  few: {value: 0, unit: none, origin: convention, because: No official level may be false.}
source: {act: "Act 1/2000", article: "3", edition: 2020-01-01}
cannot_see: Senses.
example: {id: a, word: blimmer, kind: noun, level: A1, said: official}
example_facts: {fixture_vocabulary: [{headword: blimmer, pos: noun, level: A1}]}
cases:
  - {level: B1, expect: fail}
  - {level: null, expect: no_evidence}
"""
NUMBER = """policy: words.few_rows
title: A page shows few levels
for: shown
must: length(word) <= longest
params:
  longest: {value: 30, unit: none, origin: law, source: "Act 1/2000, art. 4", checked: 2026-11-30}
cannot_see: Pages.
example: {id: a, word: blimmer, kind: noun, level: A1, said: official}
cases:
  - {word: null, expect: no_evidence}
"""
REFERENCES = """fixture_vocabulary:
  title: Fixture Vocabulary
  edition: "1.0"
  repealed: ["0.9"]
  file: {list}
  sha256: {list_hash}
  licence: made up
  cite: Made up for tests.
  columns: {{headword: headword, pos: pos, level: {{from: CEFR, type: levels, levels: [A1, A2, B1, B2, C1, C2]}}}}
  prepare: [{{split_slashes: headword}}]
  key: [headword, pos]
  checked: 2026-11-30
fixture_senses:
  title: Fixture Senses
  edition: "1.0"
  file: {senses}
  sha256: {senses_hash}
  licence: made up
  cite: Made up for tests.
  columns:
    entry: Entry
    headword: Base Word
    level: {{from: Level, type: levels, levels: [A1, A2, B1, B2, C1, C2]}}
    definition: Definition
  key: [entry]
  checked: 2026-11-30
"""
WORDS = (
    ("blimmer", "noun", "A1"),
    ("blimmer", "verb", "B2"),
    ("drindel", "verb", "B1"),
    ("frell", "adjective", "B2"),
    ("krazzle", "adverb", "B1"),
)


def lay(folder: Path) -> Path:
    """Writes the project; gives the folder of its references."""
    references = folder / "lists"
    references.mkdir(parents=True)
    for name in (LIST, SENSES):
        shutil.copy(FIXTURES / name, references / name)
    pack = folder / "policies" / "words"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text("format: 1\npack: words\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n")
    (pack / "relations.yaml").write_text(RELATIONS)
    (pack / "official_level.yaml").write_text(POLICY)
    (pack / "few_rows.yaml").write_text(NUMBER)
    hashes = {name: hashlib.sha256((FIXTURES / name).read_bytes()).hexdigest() for name in (LIST, SENSES)}
    (pack / "references.yaml").write_text(
        REFERENCES.format(list=LIST, senses=SENSES, list_hash=hashes[LIST], senses_hash=hashes[SENSES])
    )
    _pages(folder, attested(folder, references))
    _facts(folder)
    return references


def attested(folder: Path, references: Path) -> list[tuple[str, str, Official]]:
    """The words with their levels, as official values."""
    declared = load_packs(folder / "policies").packs["words"].references
    pinned = pinned_references(declared.values(), open_references(declared.values(), [references]))
    found = []
    for headword, pos, level in WORDS:
        key = {"headword": headword, "pos": pos}
        one = attest(Claim(level, "fixture_vocabulary", dict(key), "level"), pinned)
        assert isinstance(one, Official), one
        found.append((headword, pos, one))
    return found


def _pages(folder: Path, rows: list[tuple[str, str, Official]]) -> None:
    docs = folder / "docs"
    docs.mkdir()
    proposed = Proposed("C1", "reader", "r1")
    quote = '["to move slowly, on wheels"](fiel:fixture_senses?entry=f-0005#definition "quote")'
    pin = '[Made up for tests\\.](fiel:fixture_senses@1.0?#%40cite "official")'
    sense = 'Of senses: [B1](fiel:fixture_senses@1.0?entry=f-0002#level "official") is said by the entry.'
    table = "\n".join(f"| {word} | {pos} | {marks.markdown(one)} |" for word, pos, one in rows)
    lines = "\n".join(f"{word}, {pos}: {marks.text(one)}" for word, pos, one in rows)
    (docs / "levels.md").write_text(
        f"# Levels\n\n| word | pos | level |\n|---|---|---|\n{table}\n| zorp | noun | {marks.markdown(proposed)} |\n\n"
        f"{sense}\n\nIt means {quote}. The list: {pin}.\n\n```text\n{lines}\n```\n"
    )
    cells = "\n".join(f"<tr><td>{word}</td><td>{pos}</td><td>{marks.html(one)}</td></tr>" for word, pos, one in rows)
    (docs / "levels.html").write_text(
        f"<table>\n{cells}\n<tr><td>zorp</td><td>{marks.html(proposed)}</td></tr>\n</table>\n"
    )
    entries = ",\n".join(f'  {{"word": "{word}", "level": {marks.json(one)}}}' for word, _, one in rows)
    (docs / "levels.json").write_text(f"[\n{entries}\n]\n")
    (docs / "levels.txt").write_text(lines.replace("\n", "\n\n") + "\n")
    computed = Computed("7.47", "words.mark")
    (docs / "score.html").write_text(sealed(f"<p>Score: {marks.html(computed)} of 10</p>\n"))
    (docs / "score.json").write_text(dumps(sealed_document({"score": json.loads(marks.json(computed)), "of": 10})))


def _facts(folder: Path) -> None:
    rows = [
        {"id": f"w{n}", "word": word, "kind": pos, "level": level, "said": "official"}
        for n, (word, pos, level) in enumerate(WORDS)
    ]
    rows.append({"id": "w9", "word": "zorp", "kind": "noun", "level": "C1", "said": "proposed"})
    (folder / "facts").mkdir()
    text = ",\n".join("  " + json.dumps(row) for row in rows)
    (folder / "facts" / "page.json").write_text(f'{{"shown": [\n{text}\n]}}\n')
