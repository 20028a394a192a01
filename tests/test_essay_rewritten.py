"""A sample text as a learner might hand it in otherwise: what a model reports of it lands on the same words.

Each rewriting says for every character what stands in its stead, so where a quote stands afterwards is known without
looking for it. The model quotes as models do, with plain quotes and spaces, and numbers sentences as the plain text has
them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import essay_samples as samples
from .conftest import SHARED, need
from .essay_samples import inside
from .model_server import KEY, Heard, Sent, enveloped, serving

PLAIN = samples.text_of("a2") + "\nMy friend doesn't knows the café, it don't opens early\n"
ALSO = (
    ["doesn't knows", "doesn't know", "grammar", "moderate", "Tras doesn't va el infinitivo."],
    ["it don't opens", "it doesn't open", "grammar", "serious", "La tercera persona lleva doesn't."],
    ["café,", "café.", "punctuation", "minor", "Dos oraciones completas no se unen con una coma."],
)
Rewriting = Callable[[int, str], str]


def _each(**changes: str) -> Rewriting:
    """Writes other things for some characters, which are named by what they are called in a word."""
    names = {"line": "\n", "space": " ", "stop": ".", "quote": "'", "accent": "é", "o": "o"}
    return lambda _, char: next((new for name, new in changes.items() if names[name] == char), char)


REWRITINGS: Mapping[str, Rewriting] = {
    "as it is": lambda _, char: char,
    "line ends of windows": _each(line="\r\n"),
    "line ends of old machines": _each(line="\r"),
    "tabs and many spaces": lambda at, char: ("\t", "   ", "\u00a0")[at % 3] if char == " " else char,
    "curly quotes": _each(quote="\u2019"),
    "a letter and its accent": _each(accent="e\u0301"),
    "no stops": _each(stop=""),
    "a sentence in each line": _each(stop=".\n"),
    "no capitals": lambda _, char: char.lower(),
    "capitals throughout": lambda _, char: char.upper(),
    "emoji": _each(stop=". 😀👩\u200d👩\u200d👧🇪🇸"),
    "other languages": _each(line="\nMe gusta mucho. Я люблю море! 我喜欢海。\n"),
    "HTML": lambda at, char: ("<p>Hi &amp; <b>bye</b> " if at == 0 else "") + ("<br/>\n" if char == "\n" else char),
    "characters without width": _each(o="\u200bo"),
    "turned around": _each(stop=".\u202e"),
}


@dataclass(frozen=True)
class Rewritten:
    """What came of the samples: by rewriting the text, the rows of each relation, and the codes of remarks."""

    texts: dict[str, str]
    rows: dict[str, dict[str, list[dict[str, Any]]]]
    remarks: dict[str, list[str]]


def _said() -> dict[str, list[dict[str, Any]]]:
    """The answer about the plain text: sentences and quotes as they are there."""
    authored = yaml.safe_load((samples.AUTHORED / "a2.yaml").read_text("utf-8"))
    errors = [samples.error_of(PLAIN, *one) for one in (*authored["error"], *ALSO)]
    structures = [
        {"sentence": samples.sentence_of(PLAIN, quote), "quote": quote, "name": name, "level": level}
        | dict.fromkeys(("grammar", "entry"))
        for quote, name, level, *_ in authored["structure"]
    ]
    return {"error": errors, "structure": structures}


SAID = _said()
CASES: Mapping[str, Callable[[str], str]] = {"no capitals": str.lower, "capitals throughout": str.upper}
"""A model copies letters as they are written; all else that is rewritten here it may write in the plain way."""


def _name(what: str) -> str:
    return re.sub("[^a-z]+", "_", what.lower()) + ".txt"


def _text(what: str) -> str:
    return "".join(REWRITINGS[what](at, char) for at, char in enumerate(PLAIN))


def _place(what: str, start: int, end: int) -> tuple[int, int]:
    """Where the characters of the plain text stand in the rewritten one, without what was put before the first."""
    changed = [REWRITINGS[what](at, char) for at, char in enumerate(PLAIN)]
    begin = sum(map(len, changed[:start]))
    begin += len(changed[start]) - len(changed[start].lstrip("\u200b"))
    return begin, sum(map(len, changed[:end]))


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Rewritten:
    """All rewritings, looked at by the lexicon and by a model in two runs."""
    pytest.importorskip("spacy")
    references = ["--references", str(need(SHARED / "reference" / "cefr"))]
    home = tmp_path_factory.mktemp("rewritten")
    texts = {what: _text(what) for what in REWRITINGS}
    (home / "class").mkdir()
    for what, text in texts.items():
        (home / "class" / _name(what)).write_bytes(text.encode("utf-8"))
    essays = ({"document": _name(what), "target": "A2", "language": "es"} for what in texts)
    (home / "essay.jsonl").write_text("".join(json.dumps(one) + "\n" for one in essays), encoding="utf-8")
    case = {samples.numbered(text, samples.sentences(text)): CASES.get(what, str) for what, text in texts.items()}

    def model(heard: Heard) -> Sent:
        [as_written] = [case[shown] for shown in case if f"\n{shown}" in heard.text]
        said = {name: [{**one, "quote": as_written(one["quote"])} for one in rows] for name, rows in SAID.items()}
        return enveloped(heard, json.dumps({"sense": [], **said, "coherence": []}, ensure_ascii=False))

    policies = ["--policies", str(samples.ROOT / "policies")]
    look = ["sense", "cefr", str(home / "class"), *policies, *references, "--out"]
    done = inside(*look, str(home / "lexicon"), "--sensor", "lexicon")
    assert done.returncode == 0, done.stderr
    with serving(model) as server:
        asked = ["--provider", "anthropic", "--model", "m", "--key-env", "MODEL_KEY"]
        given = ["--given", str(home / "lexicon"), "--given", str(home / "essay.jsonl")]
        line = [*look, str(home / "marker"), "--sensor", "marker", "--run", *asked, *given]
        done = inside(*line, "--url", server.url_of("anthropic"), MODEL_KEY=KEY)
    assert done.returncode == 0, done.stderr
    return _read(home, texts)


def _read(home: Path, texts: dict[str, str]) -> Rewritten:
    def lines(path: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (home / path).read_text("utf-8").splitlines()]

    paths = {"candidate": "lexicon/facts/candidate.jsonl"}
    paths |= {name: f"marker/facts/{name}.jsonl" for name in SAID}
    found = {name: lines(path) for name, path in paths.items()}
    remarks = [one for one in lines("marker/diagnostics.jsonl") if one.get("document")]
    rows = {
        what: {name: [row for row in all if row["document"].endswith(_name(what))] for name, all in found.items()}
        for what in texts
    }
    codes = {what: [one["code"] for one in remarks if one["document"].endswith(_name(what))] for what in texts}
    return Rewritten(texts, rows, codes)


@pytest.mark.parametrize("what", REWRITINGS)
def test_what_a_model_reports_lands_on_the_same_words_of_the_unchanged_text(rewritten: Rewritten, what: str) -> None:
    text = rewritten.texts[what]
    for name, said in SAID.items():
        places = {(row["start_at"], row["end_at"]): row for row in rewritten.rows[what][name]}
        expected = set()
        for one in said:
            start = PLAIN.index(one["quote"])
            assert PLAIN.count(one["quote"]) == 1, one["quote"]
            expected.add(_place(what, start, start + len(one["quote"])))
        assert set(places) == expected
        assert all(row["quote"] == text[start:end] for (start, end), row in places.items())
    assert set(rewritten.remarks[what]) <= {"quote-elsewhere", "quote-normalised"}


PARTS_OF_SHORT_FORMS = ("do", "does", "n")
PUT_IN = {"HTML": {"hi", "bye"}, "other languages": {"me"}}
"""English words that a rewriting brings, or that look like it. No name of an element is one."""


@pytest.mark.parametrize("what", REWRITINGS)
def test_entries_are_of_words_that_are_there_and_none_is_of_what_was_put_in(rewritten: Rewritten, what: str) -> None:
    text = rewritten.texts[what]
    found = rewritten.rows[what]["candidate"]
    assert all(row["quote"] == text[row["start_at"] : row["end_at"]] for row in found)
    quotes = unicodedata.normalize("NFC", " ".join(row["quote"].replace("\u200b", "").lower() for row in found))
    quoted = set(re.findall(r"\w+", quotes))
    assert quoted <= {*re.findall(r"\w+", PLAIN.lower()), *PARTS_OF_SHORT_FORMS, *PUT_IN.get(what, ())}
    # Without capitals and stops, or with odd letters, a tagger reads some words otherwise; most it reads as before.
    before, after = ({row["headword"] for row in rewritten.rows[of]["candidate"]} for of in ("as it is", what))
    assert len(before & after) >= 0.8 * len(before)


@pytest.mark.parametrize(
    "what", ["line ends of windows", "line ends of old machines", "tabs and many spaces", "curly quotes"]
)
def test_how_white_space_and_quotes_are_written_changes_no_entry(rewritten: Rewritten, what: str) -> None:
    read, before = (
        [(row["tokens"], row["entry"]) for row in rewritten.rows[of]["candidate"]] for of in (what, "as it is")
    )
    assert read == before
