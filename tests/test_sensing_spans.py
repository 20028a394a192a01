"""Sensors that report spans of a text, choose among given rows, and say something of the whole text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import sensors
from .conftest import Cli
from .model_runs import home, is_refused, rows_of, words
from .model_server import KEY, annotating, serving

__all__ = ["home"]

SPANS = """\
marker:
  kind: llm
  reads: documents
  fills: [mark]
  prompt: prompts/marks.md
"""
MARK = """\
mark:
  row: A word that somebody marked.
  key: [document, start_at, end_at]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: none}
    end_at: {type: int, unit: none}
    quote: {type: text}
    colour: {type: text, one_of: [red, blue], required: true}
    weight: {type: int, unit: none, min: 0, max: 9}
    run_id: {type: text}
"""


def spans_of(cli: Cli, home: Path, *found: dict[str, object], text: str = "") -> Any:
    """A run of the sensor `marker` over one text, whose model reports these spans."""
    pack = home / "policies/shop"
    (pack / "sensors.yaml").write_text(SPANS, "utf-8")
    (pack / "prompts/marks.md").write_text("Mark the words.\n{{records}}\n", "utf-8")
    (pack / "relations.yaml").write_text(sensors.RELATIONS + MARK, "utf-8")
    for path in (home / "texts").iterdir():
        path.unlink()
    (home / "texts/a.txt").write_text(text or "He said no.\r\nShe said “no”, twice. No.", "utf-8", newline="")
    with serving(annotating({"mark": list(found)})) as server:
        return cli(*words(server, "anthropic"), cwd=home, MODEL_KEY=KEY)


def test_quotes_become_spans_of_the_unchanged_text(cli: Cli, home: Path) -> None:
    done = spans_of(
        cli,
        home,
        {"sentence": 2, "quote": 'said "no"', "colour": "red", "weight": 3},
        {"sentence": 3, "quote": "He", "colour": "blue", "weight": None},
        {"sentence": 1, "quote": "yes", "colour": "red", "weight": None},
        {"sentence": 9, "quote": "said", "colour": "red", "weight": None},
        {"sentence": 3, "quote": "He", "colour": "blue", "weight": None},
    )
    assert (done.returncode, done.stderr) == (0, "")
    text = (home / "texts/a.txt").read_bytes().decode()
    rows = rows_of(home / "run", "mark")
    assert [(row["quote"], row["sentence"], row["colour"], row["weight"]) for row in rows] == [
        ("He", 1, "blue", None),
        ("said “no”", 2, "red", 3),
    ]
    assert all(text[row["start_at"] : row["end_at"]] == row["quote"] for row in rows)
    remarks = [json.loads(line) for line in (home / "run/diagnostics.jsonl").read_text("utf-8").splitlines()]
    codes = sorted(one["code"] for one in remarks)
    assert codes == [
        "quote-absent",
        "quote-ambiguous",
        "quote-elsewhere",
        "quote-elsewhere",
        "quote-normalised",
        "span-repeated",
    ]


@pytest.mark.parametrize(
    ("span", "code"),
    [
        ({"sentence": 1, "quote": "no", "colour": "green", "weight": 1}, "answer-out-of-range"),
        ({"sentence": 1, "quote": "no", "colour": "red", "weight": 10}, "answer-out-of-range"),
        ({"sentence": 1, "quote": "no", "colour": "red", "weight": 1.5}, "answer-malformed"),
        ({"sentence": 1, "quote": "no", "colour": None, "weight": 1}, "answer-malformed"),
        ({"sentence": 1, "quote": "no", "colour": "red"}, "answer-missing"),
        ({"sentence": 1, "quote": "no", "colour": "red", "weight": 1, "start_at": 3}, "answer-extra"),
        ({"sentence": 1, "quote": "no", "colour": "red", "weight": 1, "document": "b"}, "answer-extra"),
        ({"sentence": "1", "quote": "no", "colour": "red", "weight": 1}, "answer-malformed"),
        ({"sentence": 1, "quote": "", "colour": "red", "weight": 1}, "answer-malformed"),
    ],
)
def test_a_span_that_is_not_as_the_relation_says_is_not_believed(
    cli: Cli, home: Path, span: dict[str, object], code: str
) -> None:
    done = spans_of(cli, home, span)
    assert (done.returncode, code in done.stderr) == (1, True), done.stderr
    is_refused(cli, home)


# -- rows that are given, and choices among them ----------------------------------------------------------------------

CHOOSING = """\
marker:
  kind: llm
  reads: documents
  fills: [sense, mood]
  prompt: prompts/marks.md
  given: {word: [sentence, quote, entry, meaning]}
  among: {sense: {entry: word.entry}}
words: {kind: table, reads: documents, fills: [word]}
"""
WORDS = """\
word:
  row: A word and what it may mean.
  key: [document, start_at, entry]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: none}
    end_at: {type: int, unit: none}
    quote: {type: text}
    entry: {type: text}
    meaning: {type: text}
    level: {type: text, note: "is not shown to the model"}
sense:
  row: What a word means here.
  key: [document, start_at]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: none}
    end_at: {type: int, unit: none}
    quote: {type: text}
    entry: {type: text, required: true}
mood:
  row: How the whole text sounds.
  key: [document]
  columns:
    document: {type: text}
    warmth: {type: int, unit: none, min: 0, max: 10, required: true}
    run_id: {type: text}
"""
TEXT = "The bank of the river. I went to the bank."
GIVEN = """\
document,sentence,start_at,end_at,quote,entry,meaning,level
a.txt,1,4,8,bank,bank.2,the side of a river,secret-level
a.txt,1,4,8,bank,bank.1,a place for money,secret-level
a.txt,2,37,41,bank,bank.1,a place for money,secret-level
other.txt,1,0,4,tree,tree.1,a plant,secret-level
"""


def choose(cli: Cli, home: Path, *senses: dict[str, object], mood: object = 7, given: str = "words") -> Any:
    pack = home / "policies/shop"
    (pack / "sensors.yaml").write_text(CHOOSING, "utf-8")
    (pack / "prompts/marks.md").write_text("Choose.\n{{records}}\n", "utf-8")
    (pack / "relations.yaml").write_text(sensors.RELATIONS + WORDS, "utf-8")
    for path in (home / "texts").iterdir():
        path.unlink()
    (home / "texts/a.txt").write_text(TEXT, "utf-8")
    (home / "word.csv").write_text(GIVEN, "utf-8")
    if not (home / "words").exists():
        assert cli("sense", "shop", "word.csv", "--sensor", "words", "--out", "words", cwd=home).returncode == 0
    with serving(annotating({"sense": list(senses), "mood": [{"warmth": mood}]})) as server:
        more = ("--sensor", "marker", *(("--given", given) if given else ()))
        return cli(*words(server, "anthropic", *more), cwd=home, MODEL_KEY=KEY), server.heard


def test_what_is_chosen_is_one_of_the_given_rows_of_those_words(cli: Cli, home: Path) -> None:
    done, heard = choose(
        cli,
        home,
        {"sentence": 1, "quote": "bank", "entry": "G2"},
        {"sentence": 2, "quote": "the bank", "entry": "G3"},
        {"sentence": 2, "quote": "went", "entry": "G3"},
        {"sentence": 2, "quote": "bank", "entry": "G1"},
        {"sentence": 1, "quote": "river", "entry": "G4"},
        {"sentence": 1, "quote": "of", "entry": "bank.1"},
        given="word.csv",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "secret-level" not in heard[0].text
    assert "G2 word" in heard[0].text
    assert "a place for money" in heard[0].text
    assert "tree" not in heard[0].text
    assert [(row["quote"], row["start_at"], row["entry"]) for row in rows_of(home / "run", "sense")] == [
        ("bank", 4, "bank.2"),
        ("the bank", 33, "bank.1"),
    ]
    remarks = [json.loads(line) for line in (home / "run/diagnostics.jsonl").read_text("utf-8").splitlines()]
    assert [one["code"] for one in remarks] == ["choice-refused"] * 4
    (mood,) = rows_of(home / "run", "mood")
    assert (mood["document"], mood["warmth"]) == ("a.txt", 7)


def test_a_given_row_bears_the_number_of_the_sentence_that_the_model_reads_at_its_place(cli: Cli, home: Path) -> None:
    """Whoever saw the words may have counted sentences in another way."""
    rows = GIVEN.replace("a.txt,1,", "a.txt,8,").replace("a.txt,2,", "a.txt,1,")
    (home / "elsewhere.csv").write_text(rows, "utf-8")
    span = {"sentence": 2, "quote": "bank", "entry": "G3"}
    done, heard = choose(cli, home, span, given="word=elsewhere.csv")
    assert (done.returncode, done.stderr) == (0, "")
    shown = [json.loads(line.partition(" word ")[2]) for line in heard[0].text.splitlines() if " word {" in line]
    assert [(one["sentence"], one["entry"]) for one in shown] == [(1, "bank.1"), (1, "bank.2"), (2, "bank.1")]


@pytest.mark.parametrize("mood", [11, -1, 7.5, None, "7", True])
def test_what_is_said_of_the_whole_text_is_as_the_relation_says(cli: Cli, home: Path, mood: object) -> None:
    done, _ = choose(cli, home, mood=mood, given="word.csv")
    assert (done.returncode, "answer-" in done.stderr) == (1, True), done.stderr


def test_rows_of_another_text_are_not_given(cli: Cli, home: Path) -> None:
    done, heard = choose(cli, home)
    assert (done.returncode, "the given run looked at no such text: `a.txt`" in done.stderr, heard) == (2, True, [])
    record = home / "words/run.json"
    record.write_text(record.read_text("utf-8").replace('"word.csv"', '"a.txt"'), "utf-8")
    done, heard = choose(cli, home)
    assert (done.returncode, "looked at another text of that name" in done.stderr, heard) == (2, True, [])
    (home / "elsewhere.jsonl").write_text(
        json.dumps({**dict.fromkeys(("sentence", "end_at", "quote", "meaning", "level")), "document": "A.txt"})[:-1]
        + ', "start_at": 1, "entry": "e"}\n',
        "utf-8",
    )
    done, heard = choose(cli, home, given="word=elsewhere.jsonl")
    assert (done.returncode, "no row of `word` is about one of these documents" in done.stderr, heard) == (2, True, [])
    done, heard = choose(cli, home, given="")
    assert (done.returncode, "add `--given DIR`: `word`" in done.stderr, heard) == (2, True, [])
