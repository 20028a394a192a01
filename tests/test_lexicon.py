"""The kind `lexicon`: every entry of a reference that words of a text may be, and no other."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sensor import Sensor
from engine.sensors.lexicon import Entry, Lexicon
from engine.sensors.tagging import Token

from .conftest import SHARED, Cli, need

SENSES = """\
id,word,kind,level,guide
e01,go,verb,A1,MOVE
e02,go,verb,B2,BECOME
e03,go,noun,B1,TRY
e04,make up your mind,verb,B1,DECIDE
e05,make up,verb,B2,INVENT
e06,make,verb,A1,PRODUCE
e07,mind,noun,B1,BRAIN
e08,addicted,adjective,B2,NEEDING
e09,addict,verb,C1,
e10,mother-in-law,noun,B2,
e11,get on somebody's nerves,verb,C1,ANNOY
e12,ice cream,noun,A1,
e13,tell somebody off,verb,B2,
e14,Polish,adjective,A2,
e15,polish,verb,B2,
e16,o'clock,adverb,A1,
e17,your,determiner,A1,
e18,up,adverb,A2,
e19,bank,noun,A2,MONEY
e20,bank,noun,B1,RIVER
e21,check-in,noun,B1,
e22,check in,verb,A2,
e23,look,verb,A1,
e24,open,adjective,A1,
e25,,verb,A1,
e26,one's somebody's,noun,C2,
e27,be off,interjection,B2,
e28,one's own,adjective,B1,
"""
SENSOR = """\
finder:
  kind: lexicon
  reads: documents
  fills: [candidate]
  references: [senses]
  headword: word
  part_of_speech: kind
  parts_of_speech:
    noun: [NOUN, PROPN]
    verb: [VERB]
    adjective: [ADJ]
    adverb: [ADV, RP]
    determiner: [PRP$]
  as_written:
    adjective: [VBN]
    adverb: [NN, NNP]
  placeholders:
    your: [PRP$, POS]
    one's: [PRP$, POS]
    somebody's: [PRP$, POS]
    somebody: [PRON, NOUN, PROPN]
  entry: id
  longest_gap: 3
  gaps_in: [verb]
"""
RELATIONS = """\
candidate:
  row: An entry that words may be.
  key: [document, tokens, entry]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    quote: {type: text}
    tokens: {type: text}
    lemma: {type: text}
    tag: {type: text}
    reference: {type: text}
    entry: {type: text}
    word: {type: text}
    level: {type: levels, levels: [A1, A2, B1, B2, C1, C2]}
    guide: {type: text}
"""
REFERENCES = """\
senses:
  title: Made up for tests
  edition: "1"
  file: senses.csv
  sha256: {digest}
  licence: CC0-1.0
  cite: nobody
  columns:
    id: id
    word: word
    kind: kind
    level: {{from: level, type: levels, levels: [A1, A2, B1, B2, C1, C2]}}
    guide: guide
  key: [word, kind]
  checked: 2026-12-01
"""
PACK = "format: 1\npack: senses\ntitle: Senses\nversion: 0.1.0\nlicence: CC0-1.0\n"


def lay(folder: Path, sensor: str = SENSOR, relations: str = RELATIONS) -> None:
    home = folder / "policies" / "senses"
    home.mkdir(parents=True)
    digest = hashlib.sha256(SENSES.encode()).hexdigest()
    files = {"pack.yaml": PACK, "relations.yaml": relations, "sensors.yaml": sensor}
    for name, text in {**files, "references.yaml": REFERENCES.format(digest=digest)}.items():
        (home / name).write_text(text, "utf-8")
    (folder / "lists").mkdir()
    (folder / "lists" / "senses.csv").write_text(SENSES, "utf-8")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "facts/candidate.jsonl").read_text("utf-8").splitlines()]


TEXT = """He finally made up his mind. She makes the story up, and they went on. I made Tom's\r\nmind up.

HE IS ADDICTED TO ICE-CREAM\u00a0AND his mother in law gets on his bloody nerves. I can’t make my own mind up.
They told the little boys off at 5 o’clock. The polish bank. I have opened it. Make it, up. We checked in.
My own brother-in-law had a go at your   story. He made friends give up. Be off!
Ice - cream is cold.
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    from engine.sense_task import SenseRequest
    from engine.sensing import sense

    home = tmp_path_factory.mktemp("senses")
    lay(home)
    (home / "essay.txt").write_bytes(TEXT.encode())
    request = SenseRequest(
        "senses", (str(home / "essay.txt"),), policies=home / "policies", out=home / "run", references=(home / "lists",)
    )
    report = sense(request)
    assert (report.exit_code, report.problems) == (0, ())
    return rows_of(home / "run")


def entries_at(rows: list[dict[str, Any]], quote: str) -> list[str]:
    return sorted(row["entry"] for row in rows if " ".join(row["quote"].split()) == quote)


@pytest.mark.parametrize(
    ("quote", "entries"),
    [
        ("went", ["e01", "e02"]),
        ("go", ["e03"]),
        ("made up", ["e05"]),
        ("made up his mind", ["e04"]),
        ("makes the story up", ["e05"]),
        ("ADDICTED", ["e08"]),
        ("ICE-CREAM", ["e12"]),
        ("mother in law", ["e10"]),
        ("gets on his bloody nerves", ["e11"]),
        ("told the little boys off", ["e13"]),
        ("o’clock", ["e16"]),
        ("polish", ["e14"]),
        ("bank", ["e19", "e20"]),
        ("checked in", ["e22"]),
        ("your", ["e17"]),
        ("My own", ["e28"]),
        ("opened", []),
        ("Make it, up", []),
        ("made friends give up", []),
        ("Be off", []),
        ("Ice - cream", []),
    ],
)
def test_an_entry_is_found_in_each_of_its_forms(found: list[dict[str, Any]], quote: str, entries: list[str]) -> None:
    assert quote in " ".join(TEXT.split())
    assert entries_at(found, quote) == entries


def test_a_candidate_says_where_it_stands_and_what_it_may_be(found: list[dict[str, Any]]) -> None:
    row = next(row for row in found if row["entry"] == "e04")
    assert TEXT[row["start_at"] : row["end_at"]] == row["quote"] == "made up his mind"
    assert {k: row[k] for k in ("document", "sentence", "tokens", "lemma", "tag", "reference", "word", "level")} == {
        "document": "essay.txt",
        "sentence": 1,
        "tokens": "3 4 5 6",
        "lemma": "make up his mind",
        "tag": "VBD RP PRP$ NN",
        "reference": "senses",
        "word": "make up your mind",
        "level": "B1",
    }
    gapped = next(row for row in found if row["quote"] == "makes the story up")
    assert (gapped["tokens"], gapped["lemma"]) == ("9 12", "make up")
    assert {row["guide"] for row in found if row["quote"] == "bank"} == {"MONEY", "RIVER"}
    for one in found:
        assert TEXT[one["start_at"] : one["end_at"]] == one["quote"]
        assert one["quote"] == one["quote"].strip() != ""


def sense(cli: Cli, home: Path, out: str = "run") -> Any:
    return cli("sense", "senses", "a.txt", "--references", "lists", "--out", out, cwd=home)


def test_what_can_never_be_found_is_said(cli: Cli, tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "a.txt").write_text("Nothing of it is here.", "utf-8")
    done = sense(cli, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "candidate: 0 rows" in done.stdout
    assert rows_of(tmp_path / "run") == []
    remarks = [json.loads(line) for line in (tmp_path / "run/diagnostics.jsonl").read_text("utf-8").splitlines()]
    assert [(one["code"], one["message"]) for one in remarks] == [
        ("entries-left-out", "1 entry of `senses` cannot be found: each has no headword"),
        (
            "entries-left-out",
            "1 entry of `senses` cannot be found: each has no word of its own",
        ),
        (
            "entries-left-out",
            "1 entry of `senses` cannot be found: each is a `interjection`, for which no tag stands",
        ),
    ]
    record = json.loads((tmp_path / "run/run.json").read_text("utf-8"))
    assert record["settings"]["references"] == {"senses": hashlib.sha256(SENSES.encode()).hexdigest()}


@pytest.mark.parametrize(
    ("change", "code", "part"),
    [
        (("    noun: [NOUN", "    nuon: [NOUN"), "unknown-part-of-speech", "did you mean `noun`?"),
        (("gaps_in: [verb]", "gaps_in: [verbs]"), "unknown-part-of-speech", "did you mean `verb`?"),
        (("    adverb: [NN, NNP]", "    adverbs: [NN]"), "unknown-part-of-speech", "did you mean `adverb`?"),
        (("headword: word", "headword: words"), "unknown-column", "did you mean `word`?"),
        (("references: [senses]", "references: [sense]"), "unknown-reference", "did you mean `senses`?"),
        (("entry: id", "tagger: no_such_model"), "tagger-missing", "no_such_model"),
        (("longest_gap: 3", "longest_gap: 21"), "out-of-bounds", "from 0 to 20"),
        (("    your: [PRP$, POS]", "    your mind: [PRP$]"), "wrong-name", "a word"),
    ],
)
def test_a_slip_in_a_sensor_is_said(cli: Cli, tmp_path: Path, change: tuple[str, str], code: str, part: str) -> None:
    assert change[0] in SENSOR
    lay(tmp_path, SENSOR.replace(*change))
    (tmp_path / "a.txt").write_text("I go.", "utf-8")
    done = sense(cli, tmp_path)
    assert done.returncode == 2
    assert "sensors.yaml:" in done.stderr
    assert f": {code}: " in done.stderr
    assert part in done.stderr
    assert not (tmp_path / "run" / "facts").exists()


def test_a_column_that_nobody_fills_is_said(cli: Cli, tmp_path: Path) -> None:
    lay(tmp_path, relations=RELATIONS + "    sense_of: {type: text}\n")
    (tmp_path / "a.txt").write_text("I go.", "utf-8")
    done = sense(cli, tmp_path)
    assert done.returncode == 2
    assert "column-not-sensed: a sensor of the kind lexicon cannot fill `sense_of` of `candidate`" in done.stderr


@pytest.mark.parametrize(("damage", "code"), [("gone", "reference-missing"), ("edited", "reference-changed")])
def test_without_the_pinned_list_nothing_is_looked_at(cli: Cli, tmp_path: Path, damage: str, code: str) -> None:
    lay(tmp_path)
    (tmp_path / "a.txt").write_text("I go.", "utf-8")
    path = tmp_path / "lists" / "senses.csv"
    path.unlink() if damage == "gone" else path.write_text(SENSES.replace("A1", "A2"), "utf-8")
    done = sense(cli, tmp_path)
    assert (done.returncode, code in done.stderr) == (2, True)
    assert not (tmp_path / "run").exists()


TAGS = ("NOUN", "VERB", "ADJ", "PUNCT", "PRON")


def tokens_of(text: list[tuple[str, str, str]]) -> list[Token]:
    """Tokens of (form, lemma, tag), one space apart."""
    made, at = list[Token](), 0
    for number, (form, lemma, tag) in enumerate(text, 1):
        made.append(Token(number, 1, at, at + len(form), form, lemma, tag, tag.lower()))
        at += len(form) + 1
    return made


def naive(entry: Entry, sensor: Sensor, tokens: list[Token]) -> set[tuple[int, ...]]:
    """Every choice of tokens that the words of an entry may be, tried one after another."""
    words = entry.headword.split()

    def fits(word: str, token: Token) -> bool:
        stands_for = sensor.placeholders.get(word)
        own = word in (token.text, token.lemma)
        return own or (stands_for is not None and bool({token.part_of_speech, token.tag, token.lemma} & {*stands_for}))

    def has_part(token: Token) -> bool:
        return entry.part is not None and token.part_of_speech in sensor.parts_of_speech[entry.part]

    def is_part(word: str, token: Token) -> bool:
        written = word == token.text and token.part_of_speech in sensor.as_written.get(entry.part or "", ())
        return word not in sensor.placeholders and (entry.part is None or has_part(token) or written)

    found = set()
    for places in itertools.combinations(range(len(tokens)), len(words)):
        chosen = [tokens[n] for n in places]
        within = [tokens[n] for n in range(places[0], places[-1]) if n not in places]
        most = sensor.longest_gap if not sensor.gaps_in or entry.part in sensor.gaps_in else 0
        if (
            all(map(fits, words, chosen))
            and any(map(is_part, words, chosen))
            and len(within) <= most
            and not any(one.part_of_speech == "PUNCT" or has_part(one) for one in within)
        ):
            found.add(tuple(one.number for one in chosen))
    return found


@st.composite
def searches(draw: st.DrawFn) -> tuple[Sensor, list[Entry], list[Token]]:
    word = st.sampled_from("a b your".split())
    parts = [None] if draw(st.booleans()) else ["noun", "verb"]
    heads = draw(st.lists(st.lists(word, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=4))
    entries = [Entry(n, "r", f"r:{n}", one, draw(st.sampled_from(parts)), {}) for n, one in enumerate(heads)]
    sensor = Sensor(
        "s",
        "lexicon",
        "documents",
        (),
        part_of_speech=None if parts == [None] else "part",
        parts_of_speech={} if parts == [None] else {"noun": ("NOUN",), "verb": ("VERB",)},
        as_written={"noun": ("ADJ",)} if parts != [None] and draw(st.booleans()) else {},
        placeholders={"your": ("PRON",)} if draw(st.booleans()) else {},
        longest_gap=draw(st.integers(0, 3)),
        gaps_in=draw(st.sampled_from([(), ("verb",)])) if parts != [None] else (),
    )
    token = st.tuples(st.sampled_from("a b your x".split()), st.sampled_from("a b x".split()), st.sampled_from(TAGS))
    return sensor, entries, tokens_of(draw(st.lists(token, max_size=7)))


def test_what_is_found_is_among_all_choices_and_nothing_is_missed() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=450, derandomize=True, deadline=None)
    @given(searches())
    def law(search: tuple[Sensor, list[Entry], list[Token]]) -> None:
        sensor, entries, tokens = search
        lexicon = Lexicon(entries, sensor, lambda text: (text,))
        found: dict[int, list[tuple[int, ...]]] = {one.number: [] for one in entries}
        for candidate in lexicon.candidates(tokens):
            found[candidate.entry.number].append(tuple(token.number for token in candidate.tokens))
        for entry in entries:
            words, places = entry.headword.split(), found[entry.number]
            if len(words) == 1:  # a stand-in alone is a word like others
                choices = naive(entry, replace(sensor, placeholders={}), tokens)
                assert sorted(places) == sorted(choices)
                met["word"] += bool(places)
            elif all(word in sensor.placeholders for word in words):
                assert places == []
                met["left out"] += 1
            else:
                choices = naive(entry, sensor, tokens)
                assert len(places) == len(set(places))
                assert set(places) <= choices
                first = next(n for n, word in enumerate(words) if word not in sensor.placeholders)
                at, seen = {one[first] for one in choices}, {one[first] for one in places}
                assert seen <= at
                assert entry.part is not None or seen == at  # of several choices the nearest has to be of the part
                met["phrase"] += bool(places)
                met["gap"] += any(one[-1] - one[0] >= len(one) for one in places)
            met["none"] += not places

    law()
    assert {name: met[name] for name in ("word", "phrase", "gap", "none", "left out") if met[name] < 12} == {}


def test_the_gap_is_that_of_all_words_and_the_longest_comes_first() -> None:
    entries = [Entry(n, "r", n, head, None, {}) for n, head in enumerate(["a b", "a", "a b c", "b"])]
    sensor = Sensor("s", "lexicon", "documents", (), longest_gap=1)
    lexicon = Lexicon(entries, sensor, lambda text: (text,))

    def seen(text: str) -> list[str]:
        return [one.entry.headword for one in lexicon.candidates(tokens_of([(c, c, "NOUN") for c in text.split()]))]

    assert seen("a x b c") == ["a b c", "a b", "a", "b"]
    assert seen("a x b x c") == ["a b", "a", "b"]
    assert seen("b a") == ["b", "a"]


CEFR = """She made up his mind, went home and is addicted to ice-cream. He used to live next door to a police officer.

They look at each other. My brother-in-law is fed up with the check-in desk. I’m a full-time student, according to HIM.
It would be face to face. The analyses were analysed. Good morning!
"""


def test_the_real_list_is_searched(cli: Cli, tmp_path: Path) -> None:
    lists = need(SHARED / "reference" / "cefr")
    (tmp_path / "essay.txt").write_text(CEFR, "utf-8")
    done = cli(
        "sense", "cefr", tmp_path / "essay.txt", "--sensor", "lexicon", "--references", lists, "--out", tmp_path / "r"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 remarks" in done.stdout  # two entries of one list have no part of speech that could stand for a tag
    seen = {
        (" ".join(row["quote"].split()), row["headword"], row["pos"], row["level"]) for row in rows_of(tmp_path / "r")
    }
    assert {
        ("made", "make", "verb", "A1"),
        ("went", "go", "verb", "A1"),
        ("addicted", "addicted", "adjective", "B2"),
        ("ice-cream", "ice cream", "noun", "A1"),
        ("used to", "used to", "modal auxiliary", "B1"),
        ("next door", "next door", "adverb", "B1"),
        ("police officer", "police officer", "noun", "A2"),
        ("each other", "each other", "pronoun", "A1"),
        ("brother-in-law", "brother-in-law", "noun", "B2"),
        ("fed up", "fed up", "adjective", "B2"),
        ("check-in desk", "check-in desk", "noun", "B1"),
        ("’m", "be", "be-verb", "A1"),
        ("’m", "'m", "be-verb", "A1"),
        ("full-time", "full-time", "adjective", "B1"),
        ("according to", "according to", "preposition", "B1"),
        ("would", "would", "modal auxiliary", "A1"),
        ("face to face", "face to face", "adverb", "B1"),
        ("Good morning", "good morning", "interjection", "A1"),
    } <= seen
    assert not any(headword in ("make-up", "ice hockey") for _, headword, _, _ in seen)
    judged = cli("judge", "--facts", tmp_path / "r")
    assert "fact-" not in judged.stderr + judged.stdout
