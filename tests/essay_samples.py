"""The sample texts of the pack `cefr`, and what a careful model would answer about each, written by hand.

`tests/samples/NAME.yaml` has the answer; the server that speaks for the model looks at the given rows as a model would,
to name what it chooses by its label. Where an answer does not say which entry an ambiguous word is, the first part of
speech of `ORDER` is taken.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.text import numbered, sentences

from .conftest import ROOT
from .model_server import Behaviour, Heard, Sent, enveloped

TEXTS = ROOT / "facts" / "cefr" / "texts"
RUNS = ROOT / "facts" / "cefr" / "runs"
AUTHORED = ROOT / "tests" / "samples"
LEVELS = {"short": "A1", "a1": "A1", "a2": "A2", "b1": "B1", "b2": "B2", "c1": "C1", "c2": "C2"}
ORDER = (
    "be-verb have-verb do-verb infinitive-to preposition conjunction determiner pronoun adverb verb adjective noun"
).split()
MEANT = {"but": "conjunction", "that": "conjunction", "as": "conjunction", "than": "conjunction", "so": "adverb"}
_GIVEN = re.compile(r"^(G[0-9]+) ([a-z_]+) (\{.*\})$", re.MULTILINE)
TIME = "2026-12-01T12:00:00Z"


@dataclass(frozen=True)
class Done:
    """What came of a command that was run in this process, where the tagger is loaded once for all tests."""

    returncode: int
    stdout: str
    stderr: str


def inside(*argv: str, cwd: Path = ROOT, **environment: str) -> Done:
    """Runs `fiel …` in this process, as its door does."""
    from engine.cli import _guarded

    out, err, before = io.StringIO(), io.StringIO(), (Path.cwd(), dict(os.environ))
    os.environ.pop("FIEL_REFERENCES", None)
    os.environ.update(environment)
    os.chdir(cwd)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = _guarded(list(argv))
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])
    return Done(code, out.getvalue(), err.getvalue())


def text_of(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_bytes().decode("utf-8")


def sha256_of(name: str) -> str:
    return hashlib.sha256((TEXTS / f"{name}.txt").read_bytes()).hexdigest()


def model(name: str) -> Behaviour:
    """Speaks for the model about one sample."""

    def behave(heard: Heard) -> Sent:
        return enveloped(heard, json.dumps(answer(name, heard), ensure_ascii=False))

    return behave


def answer(name: str, heard: Heard) -> dict[str, Any]:
    """The answer about one sample, in the form that was asked for."""
    said = yaml.safe_load((AUTHORED / f"{name}.yaml").read_text("utf-8"))
    text, given = text_of(name), [(m[1], m[2], json.loads(m[3])) for m in _GIVEN.finditer(heard.text)]
    assert numbered(text, sentences(text)) in heard.text
    drop = said.get("drop", {})
    return {
        "sense": [*_senses(given), *drop.get("sense", [])],
        "error": [*(error_of(text, *one) for one in said["error"]), *drop.get("error", [])],
        "structure": [_structure(text, given, *one) for one in said.get("structure", [])],
        "coherence": [_coherence(*said["coherence"])] if "coherence" in said else [],
    }


def sentence_of(text: str, quote: str) -> int:
    found = [n for n, span in enumerate(sentences(text), 1) if quote in text[span.start : span.end]]
    assert found, quote
    return found[0]


def error_of(text: str, quote: str, correction: str, category: str, severity: str, why: str) -> dict[str, Any]:
    kind = {"category": category, "severity": severity, "explanation": why, "language": "es"}
    return {"sentence": sentence_of(text, quote), "quote": quote, "correction": correction, **kind}


def _structure(
    text: str, given: list[tuple[str, str, Any]], quote: str, name: str, level: str, item: str | None = None,
    headword: str | None = None, pos: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    number = sentence_of(text, quote)
    grammar = next((label for label, of, row in given if of == "cefrj_grammar" and row["id"] == item), None)
    entry = next(
        (
            label
            for label, of, row in given
            if of == "candidate" and (row["headword"], row["pos"], row["sentence"]) == (headword, pos, number)
        ),
        None,
    )
    assert (item is None) == (grammar is None), item
    assert (headword is None) == (entry is None), headword
    return {"sentence": number, "quote": quote, "name": name, "level": level, "grammar": grammar, "entry": entry}


def _coherence(points: int, reason: str) -> dict[str, Any]:
    return {"points": points, "reason": reason, "language": "es"}


def _senses(given: list[tuple[str, str, Any]]) -> list[dict[str, Any]]:
    """A choice for each word of which there are several entries."""
    places: dict[tuple[int, str, int], list[tuple[str, Any]]] = {}
    for label, of, row in given:
        if of == "candidate":
            places.setdefault((row["sentence"], row["quote"], row.get("occurrence", 1)), []).append((label, row))
    chosen = []
    for (sentence, quote, _), rows in places.items():
        if len({(row["headword"], row["pos"]) for _, row in rows}) < 2:
            continue
        meant = MEANT.get(quote.lower())
        known = [
            (row["pos"] != meant, ORDER.index(row["pos"]), number, label)
            for number, (label, row) in enumerate(rows)
            if row["pos"] in ORDER
        ]
        if known:
            chosen.append({"sentence": sentence, "quote": quote, "entry": min(known)[3]})
    return chosen


def keep(name: str, run: Path) -> None:
    """Writes what a run left as the recorded run of a sample: with a fixed time and name, and said to be constructed.

    Requests stay out: they hold what references say, which is not ours to hand on.
    """
    for path, text in kept(name, run).items():
        place = RUNS / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def kept(name: str, run: Path) -> dict[str, str]:
    """The files of the recorded run by path."""
    record = json.loads((run / "run.json").read_text("utf-8"))
    run_id = f"marker-{name}"
    files = {}
    for path in sorted((run / "facts").iterdir()):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        rows = [{**row, "run_id": run_id, "asked_at": TIME, "model": "constructed"} for row in rows]
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        files[f"facts/{path.name}"] = text
        record["facts"][path.stem]["sha256"] = hashlib.sha256(text.encode("utf-8")).hexdigest()
    record |= {"provenance": "constructed", "run_id": run_id, "started_at": TIME, "finished_at": TIME}
    record |= {"model": "constructed", "model_asked": "constructed", "provider": None}
    files["diagnostics.jsonl"] = (run / "diagnostics.jsonl").read_text("utf-8")
    files["review.jsonl"] = ""
    files["run.json"] = json.dumps(record, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"
    return files
