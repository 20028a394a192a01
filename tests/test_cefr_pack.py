"""The mark of the pack `cefr`: laws of its views, cases of fusion, and a list with senses."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.facts import Table, from_rows
from engine.limits import Limits
from engine.load import load_packs
from engine.view_rows import rows_of_tables

from .conftest import ROOT, SHARED, need
from .essay_samples import inside

LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
PACK = load_packs(ROOT / "policies", ["cefr"]).packs["cefr"]
GRAMMAR = {"62": "A2.1", "216": None, "140": "B1.1"}
WORDS = [(f"word{n}", LEVELS[n % 6]) for n in range(24)]


def word(number: int, which: int, **more: object) -> dict[str, Any]:
    """A candidate that is the only one at its place. Places are ten characters apart."""
    headword, level = WORDS[which]
    place = {"sentence": 1, "start_at": 10 * number, "end_at": 10 * number + 5, "quote": headword}
    known = {"reference": "cefrj_vocabulary", "entry": f"list:{which}", "headword": headword, "pos": "noun"}
    rest = {"level": LEVELS.index(level) + 1, "guide": None, "gloss": None, "lemma": headword, "tag": "NN"}
    return {"document": "e", "tokens": str(number), **known, **place, **rest, **more}


def error(start: int, severity: int = 3, category: str = "grammar", length: int = 3) -> dict[str, Any]:
    place = {"sentence": 1, "start_at": start, "end_at": start + length, "quote": "x"}
    said = {"correction": "y", "category": category, "severity": severity, "explanation": "z", "language": "es"}
    return {"document": "e", **place, **said, "model": "m", "asked_at": None, "run_id": "r"}


def structure(name: str, level: str, start: int = 1000, **links: object) -> dict[str, Any]:
    place = {"sentence": 1, "start_at": start, "end_at": start + 50, "quote": name}
    none = dict.fromkeys(("grammar", "entry", "reference", "headword", "pos", "guide", "entry_level"))
    said = {"name": name, "level": LEVELS.index(level) + 1, "model": "m", "asked_at": None, "run_id": "r"}
    return {"document": "e", **place, **said, **none, **links}


def marked(
    candidates: list[dict[str, Any]],
    errors: list[dict[str, Any]] | None = None,
    structures: list[dict[str, Any]] | None = None,
    target: str = "B1",
    points: int | None = 6,
    tokens: int = 50,
    sentences: int = 1,
) -> dict[str, Any]:
    """The row of `mark`, with `structure_reading` under `readings`."""
    parts = [
        {"document": "e", "tokens": one["tokens"], "reference": one["reference"], "entry": one["entry"],
         "headword": one["headword"], "token": int(one["tokens"])}
        for one in candidates
    ]  # fmt: skip
    rated = {"document": "e", "points": points, "reason": "x", "language": "es", "model": "m", "run_id": "r"}
    facts: dict[str, list[dict[str, Any]]] = {
        "essay": [{"document": "e", "target": LEVELS.index(target) + 1, "language": "es"}],
        "essay_sentence": [
            {"document": "e", "sentence": n, "start_at": 0, "end_at": 9, "text": "x"} for n in range(1, sentences + 1)
        ],
        "token": [
            {"document": "e", "sentence": 1 + n % sentences, "token": n, "start_at": n, "end_at": n + 1, "text": "x",
             "lemma": "x", "part_of_speech": "NOUN", "tag": "NN"}
            for n in range(tokens)
        ],
        "candidate": candidates,
        "candidate_word": parts,
        "sense": [],
        "error": errors or [],
        "structure": structures or [],
        "coherence": [] if points is None else [rated],
    }  # fmt: skip
    columns = PACK.references["cefrj_grammar"].columns
    cells = {name: tuple(GRAMMAR) if name == "id" else tuple("x" for _ in GRAMMAR) for name in columns}
    cells["level"] = tuple(GRAMMAR.values())  # type: ignore[assignment]  # an empty cell
    table = Table(PACK.references["cefrj_grammar"].relation, {**cells, "_line": tuple(range(2, 5))}, len(GRAMMAR))
    with from_rows(facts, dict(PACK.relations), limits=Limits(), threads=1, tables=[table]) as base:
        rows = rows_of_tables(PACK, base, ["mark", "structure_reading", "reached"], Limits())
    [found] = rows["mark"] or ()
    [reached] = rows["reached"] or ()
    return {**found, "readings": list(rows["structure_reading"] or ()), "reached": reached["level"]}


MANY = [word(n, n) for n in range(24)]


def test_the_mark_is_its_three_parts_by_their_weights_to_the_cent() -> None:
    found = marked(MANY, [error(900, 1), error(910, 2), error(920, 3)], points=7)
    # 0.5 + 1 + 2 in 50 words is 7 in a hundred, which takes 3.5; C2 is reached where B1 was meant.
    assert (found["accuracy"], found["level"], found["range_points"]) == (Decimal("6.5"), "C2", Decimal(10))
    assert found["mark"] == Decimal("0.4") * Decimal("6.5") + Decimal("0.4") * 10 + Decimal("0.2") * 7


@given(
    st.lists(st.integers(0, 23), max_size=6, unique=True),
    st.lists(st.tuples(st.integers(0, 1400), st.integers(1, 3)), max_size=4, unique_by=lambda one: one[0]),
    st.sampled_from(LEVELS),
    st.integers(0, 10),
    st.integers(0, 1400),
)
@settings(max_examples=12, deadline=None)
def test_one_more_serious_error_never_raises_the_mark_and_marks_stay_within_bounds(
    chosen: list[int], errors: list[tuple[int, int]], target: str, points: int, at: int
) -> None:
    words = [word(n, which) for n, which in enumerate(chosen)]
    before = [error(start, severity) for start, severity in errors]
    kinds = [structure("present perfect", "B2", grammar="62"), structure("inversion", "C2", 1200)]
    first = marked(words, before, kinds, target, points)
    second = marked(words, [*before, error(at, category="word_order")], kinds, target, points)
    assert Decimal(0) <= second["mark"] <= first["mark"] <= Decimal(10)


@given(st.lists(st.integers(0, 23), min_size=1, max_size=6), st.integers(1, 4))
@settings(max_examples=10, deadline=None)
def test_repetition_never_raises_the_mark(chosen: list[int], times: int) -> None:
    """Neither a word that is used again, nor a sentence that is written again."""
    words = [word(n, which) for n, which in enumerate(chosen)]
    again = [word(len(chosen) + n, chosen[0]) for n in range(times)]
    assert marked([*words, *again])["mark"] == marked(words)["mark"]
    errors = [error(900)]
    once, often = marked(words, errors, tokens=10), marked(words, errors, tokens=10 * (1 + times), sentences=1 + times)
    assert (once["words"], often["words"]) == (10, 10)
    assert often["mark"] == once["mark"]


def test_the_same_text_earns_more_for_a_lower_level() -> None:
    marks = [marked(MANY[:6], target=target)["mark"] for target in LEVELS]
    assert marks == sorted(marks, reverse=True)
    assert len(set(marks)) > 3


def test_what_is_missing_is_no_zero() -> None:
    assert marked(MANY, points=None)["mark"] is None
    assert marked(MANY, tokens=0)["mark"] is None
    assert marked([], points=0)["mark"] is not None


def test_the_files_level_wins_and_the_proposal_is_kept_beside_it() -> None:
    [one] = marked([], structures=[structure("present perfect", "C2", grammar="62")])["readings"]
    assert (one["decided_by"], one["level"], one["proposed"]) == ("grammar", "A2", "C2")
    [one] = marked([], structures=[structure("third conditional", "B2", grammar="216")])["readings"]
    assert (one["decided_by"], one["level"], one["proposed"]) == ("no_level", "B2", "B2")
    link = {"entry": "l:1", "reference": "cefrj_vocabulary", "pos": "verb", "entry_level": 1}
    [one] = marked([], structures=[structure("reported speech", "B2", headword="tell", **link)])["readings"]
    assert (one["decided_by"], one["level"], one["proposed"]) == ("single_word", "B2", "B2")
    [one] = marked([], structures=[structure("idiom", "B2", headword="make up", **link)])["readings"]
    assert (one["decided_by"], one["level"], one["proposed"]) == ("entry", "A1", "B2")


def test_three_pieces_are_enough_and_a_proposal_is_half_a_piece() -> None:
    words = [word(n, 3 + 6 * n) for n in range(2)]  # two words of B2
    proposals = [structure(f"form {n}", "B2", 1000 + 100 * n) for n in range(2)]
    assert marked(words)["reached"] is None
    assert marked(words, structures=proposals[:1])["reached"] is None
    assert marked(words, structures=proposals)["reached"] == "B2"
    same = [{**proposals[0], "start_at": 1300, "end_at": 1350}, proposals[0]]
    assert marked(words, structures=same)["reached"] is None
    assert marked(words, [error(1010)], proposals)["reached"] is None  # a wrong form shows nothing
    assert marked(words, [error(1010, category="spelling")], proposals)["reached"] == "B2"
    assert marked(words, [error(2)], proposals)["reached"] is None  # nor does a word that an error touches


# -- a list with senses ----------------------------------------------------------------------------------------

SENSES = [
    ("run", "verb", "MOVE", "A1"),
    ("run", "verb", "ORGANISE", "B2"),
    ("shop", "noun", "", "A1"),
    ("small", "adjective", "LITTLE", "A1"),
]


def test_a_list_with_guide_words_is_used_sense_by_sense(tmp_path: Path) -> None:
    """A fixture in the form of an export with guide words, in the place that whoever has one would give it."""
    pytest.importorskip("spacy")
    lists = need(SHARED / "reference" / "cefr")
    shutil.copytree(ROOT / "policies" / "cefr", tmp_path / "policies" / "cefr")
    pack, references = tmp_path / "policies" / "cefr", tmp_path / "references"
    shutil.copytree(lists, references)
    with (references / "senses.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("Base Word", "Part of Speech", "Guideword", "Level"), *SENSES])
    digest = hashlib.sha256((references / "senses.csv").read_bytes()).hexdigest()
    declared = yaml.safe_load((pack / "references.yaml").read_text("utf-8"))
    levels = {"from": "Level", "type": "levels", "levels": list(LEVELS)}
    columns = {"headword": "Base Word", "pos": "Part of Speech", "guide": "Guideword", "level": levels}
    own = {"title": "A fixture with senses", "edition": "1", "file": "senses.csv", "sha256": digest, "licence": "none"}
    own |= {"cite": "Made for a test.", "columns": columns, "key": ["headword", "pos", "guide"]}
    own |= {"prepare": [{"dash_empty": "guide"}]}
    dump = json.loads(json.dumps({**declared, "senses": {**own, "checked": "2026-11-30"}}, default=str))
    (pack / "references.yaml").write_text(yaml.safe_dump(dump, allow_unicode=True), encoding="utf-8")
    sensors = (pack / "sensors.yaml").read_text("utf-8")
    one_list = sensors.replace(
        "references: [cefrj_vocabulary, octanove_vocabulary]",
        "references: [senses, cefrj_vocabulary, octanove_vocabulary]",
    )
    (pack / "sensors.yaml").write_text(one_list, encoding="utf-8")
    (tmp_path / "e.txt").write_text("They run a small shop in the old town.", encoding="utf-8")
    words = ["run", "cefr", "e.txt", "--level", "B1", "--references", "references"]
    done = inside(*words, "--keep", "kept", "--out", "r.json", cwd=tmp_path)
    assert done.returncode in (1, 3), done.stderr
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert "run" in [one["what"] for one in report["withheld"]]
    found = {one["name"]: one for one in report["finds"]}
    assert found["small"]["note"] == "LITTLE"
    assert found["shop"]["value"]["reference"] == "senses"
    assert found["town"]["value"]["reference"] == "cefrj_vocabulary"
    assert found["small"]["value"]["key"] == {"guide": "LITTLE", "headword": "small", "pos": "adjective"}
    rows = [
        json.loads(line) for line in (tmp_path / "kept/lexicon/facts/candidate.jsonl").read_text("utf-8").splitlines()
    ]
    assert {
        (row["headword"], row["guide"], row["level"]) for row in rows if row["quote"] == "run" and row["guide"]
    } == {
        ("run", "MOVE", "A1"),
        ("run", "ORGANISE", "B2"),
    }
