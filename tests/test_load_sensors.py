"""`sensors.yaml` with one slip each: what is said of it. (With any error nothing of a pack is used.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.load import load_packs

from . import sensors

QUESTION = "prompt: prompts/kind.md, questions: {is_kind: x}"
LLM = f"kind: llm, reads: documents, fills: [claim], {QUESTION}"
WORD = """\
word:
  row: A word.
  key: [document, start_at]
  columns:
    document: {type: text}
    start_at: {type: int, unit: none}
    entry: {type: text}
    number: {type: int, unit: none}
sense:
  row: A sense.
  key: [document, start_at]
  columns:
    document: {type: text}
    start_at: {type: int, unit: none}
    quote: {type: text}
    entry: {type: text}
"""
PRICES = "{input_per_million: -3, output_per_million: 1, currency: EUR, checked: 2026-11-30}"
SPAN = "kind: llm, reads: documents, fills: [sense], prompt: prompts/marks.md"
SLIPS = {
    "5": "wrong-kind",
    "{kind: lm, reads: documents, fills: [claim]}": "wrong-value",
    "{kind: llm, reads: documents, fills: [claim]}": "missing-key",
    "{kind: llm, reads: documents, fills: []}": "too-few",
    f"{{{LLM.replace('[claim]', '[clam]')}}}": "unknown-relation",
    f"{{{LLM.replace('kind.md', 'kid.md')}}}": "unknown-prompt",
    f"{{{LLM.replace('prompts/kind.md', '../../x.md')}}}": "wrong-form",
    f"{{{LLM.replace('is_kind', 'is_knd')}}}": "question-not-declared",
    f"{{{LLM.replace('x}', '{ask: x, of: scope}}')}}}": "key-does-not-apply",
    f"{{{LLM.replace('documents', 'nothing')}}}": "unknown-relation",
    f"{{{LLM}, cut: 50}}": "wrong-number",
    f"{{{LLM}, batch: 0}}": "out-of-bounds",
    f"{{{LLM}, estimate: {{repeats: 1}}}}": "wrong-number",
    f"{{{LLM}, estimate: guess}}": "wrong-value",
    f"{{{LLM}, review: {{from: 0.6, to: 0.4}}}}": "empty-range",
    f"{{{LLM}, review: {{from: 0.6}}}}": "missing-key",
    f"{{{LLM}, tagger: spacy}}": "key-does-not-apply",
    f"{{{LLM}, colour: red}}": "unknown-key",
    f"{{{LLM}, prices: {PRICES}}}": "wrong-number",
    f"{{{LLM}, given: {{word: [entry]}}}}": "key-does-not-apply",
    "{kind: table, reads: sale, fills: [sale]}": "key-does-not-apply",
    "{kind: table, reads: documents, fills: [sale], columns: {amont: X}}": "unknown-column",
    "{kind: spacy, reads: documents, fills: [sale]}": "column-not-sensed",
    "{kind: policies, reads: documents, fills: [passage]}": "key-does-not-apply",
    "{kind: lexicon, reads: documents, fills: [sale], references: [none], headword: h}": "unknown-reference",
    f"{{{SPAN}, batch: 3}}": "key-does-not-apply",
    f"{{{SPAN}, given: {{wrd: [entry]}}}}": "unknown-relation",
    f"{{{SPAN}, given: {{word: [entri]}}}}": "unknown-column",
    f"{{{SPAN}, given: {{sale: [number]}}}}": "column-not-sensed",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sens: {{entry: word.entry}}}}}}": "unknown-relation",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sense: {{entri: word.entry}}}}}}": "unknown-column",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sense: {{entry: word.entri}}}}}}": "unknown-column",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sense: {{entry: sale.number}}}}}}": "unknown-relation",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sense: {{entry: word.number}}}}}}": "choice-mismatch",
    f"{{{SPAN}, given: {{word: [entry]}}, among: {{sense: {{entry: word}}}}}}": "wrong-form",
}


def load(tmp_path: Path, text: str) -> tuple[set[str], set[str]]:
    """The codes of the errors, and the sensors that could be read."""
    more = {"relations.yaml": sensors.RELATIONS + WORD, "prompts/marks.md": "Mark.\n{{records}}\n"}
    folder = sensors.lay(tmp_path, text, **more)
    loaded = load_packs(folder)
    assert all(p.place is not None for p in loaded.problems)
    pack = loaded.packs.get("shop")
    return {p.code for p in loaded.problems if p.is_error}, set(pack.sensors if pack is not None else ())


@pytest.mark.parametrize("slip", SLIPS, ids=range(len(SLIPS)))
def test_a_slip_is_said(tmp_path: Path, slip: str) -> None:
    codes, _ = load(tmp_path, f"a: {slip}\nb: {{{LLM}}}\n")
    assert SLIPS[slip] in codes, codes


@pytest.mark.parametrize(
    "good",
    [
        f"{{{LLM}}}",
        f"{{{LLM}, cut: 0.25, review: {{from: 0, to: 1}}, estimate: {{repeats: 2}}, batch: 1}}",
        f"{{{SPAN}, given: {{word: [entry, number]}}, among: {{sense: {{entry: word.entry}}}}}}",
        "{kind: table, reads: documents, fills: [sale], columns: {amount: X}}",
        "{kind: policies, reads: policies, fills: [passage]}",
    ],
)
def test_what_has_no_slip_is_read(tmp_path: Path, good: str) -> None:
    assert load(tmp_path, f"a: {good}\n") == (set(), {"a"})
