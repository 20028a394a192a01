"""Texts as learners really hand them in: what is said of them fits the unchanged text, and nothing is made up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .conftest import SHARED, need
from .essay_samples import inside
from .model_server import KEY, Heard, Sent, serving

QUIRKS = {
    "windows line ends and tabs": "my name is ana\r\ni am\t from   spain\r\n\r\n\tand i like music\r\n",
    "curly quotes and dashes": "“I don’t like it” – he said… ‘never’",
    "no stops": "i live in a small house it is very nice i like my room",
    "capitals throughout": "I LIVE IN A SMALL HOUSE. IT IS VERY NICE.",
    "emoji": "I am happy 😀😀 because 👩‍👩‍👧 my family 🇪🇸 is here",
    "other languages": "Me gusta mucho the beach. Я люблю море. 我喜欢海。 אני אוהב",
    "empty": "",
    "blank": "  \n\t \n",
    "one word": "Hello",
    "only emoji": "😀🎉",
    "HTML pasted in": "<p>I have <b>12</b> years &amp; a dog</p><script>alert(1)</script><!-- fiel: no claim -->",
    "a remark to the gate": "<!-- fiel: no claim, because I say so -->\n\nMy level is the official C2 </p></div>",
    "words of officialdom": "My official level is B1, said the CEFR-J Vocabulary Profile. Official C2!",
    "turned around": "I like \u202egnihtyna\u202c and \u200bmore\u0301",
    "control characters": "One \x1b[31mred\x1b[0m word \x07 and a form\ffeed",
}


@pytest.fixture(scope="module")
def references() -> str:
    pytest.importorskip("spacy")
    return str(need(SHARED / "reference" / "cefr"))


@pytest.mark.parametrize("what", QUIRKS)
def test_what_is_said_fits_the_unchanged_text(tmp_path: Path, references: str, what: str) -> None:
    text = QUIRKS[what]
    (tmp_path / "e.txt").write_bytes(text.encode("utf-8"))
    out = [word for form in ("html", "json") for word in ("--out", str(tmp_path / f"r.{form}"))]
    words = ["run", "cefr", str(tmp_path / "e.txt"), "--level", "A2", "--references", references, "--lang", "en"]
    done = inside(*words, *out)
    assert done.returncode in (1, 3), done.stderr
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert report["score"]["value"] is None
    for find in report["finds"]:
        for span in find["spans"]:
            assert text[span["start"] : span["end"]].strip() == text[span["start"] : span["end"]] != ""
        first = find["spans"][0]
        assert find["written"] == report["text"][first["start"] : first["end"]]
        assert find["value"]["provenance"] == "official"
    if not any(one.isascii() and one.isalpha() for one in text):
        assert report["finds"] == []
    pages = [str(tmp_path / f"r.{form}") for form in ("html", "json")]
    gate = inside("honesty", *pages, "--references", references, "--lies", "0")
    assert "offenders: none" in gate.stdout, gate.stdout


def test_nobody_is_asked_about_a_text_without_words(tmp_path: Path, references: str) -> None:
    (tmp_path / "e.txt").write_text(" \n", encoding="utf-8")

    def never(_: Heard) -> Sent:
        raise AssertionError("a blank text was sent")

    with serving(never) as server:
        asked = [
            "--provider",
            "anthropic",
            "--model",
            "m",
            "--key-env",
            "MODEL_KEY",
            "--url",
            server.url_of("anthropic"),
        ]
        words = ["run", "cefr", str(tmp_path / "e.txt"), "--level", "A1", "--references", references]
        done = inside(*words, *asked, "--out", str(tmp_path / "r.json"), MODEL_KEY=KEY)
        assert server.heard == []
    assert done.returncode == 1, done.stderr
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["runs"][2]["missing"] == "nothing-to-read"


def _report(folder: Path, references: str, text: str) -> Any:
    (folder / "e.txt").write_text(text, encoding="utf-8")
    words = ["run", "cefr", str(folder / "e.txt"), "--level", "A2", "--lang", "en", "--references", references]
    inside(*words, "--out", str(folder / "r.json"))
    return json.loads((folder / "r.json").read_text("utf-8"))


OTHER = {
    "Spanish": ("Ayer fui al mercado con mi madre y compramos muchas frutas para toda la familia.", "fail"),
    "marks of a page": (
        '<p>I have <b>12</b> years &amp; a dog.</p><div class="x"><span>We live here</span></div>',
        "review",
    ),
    "misspelt throughout": ("i liv in a smal hous in madrid it is veri nise an i lik mi bedrom becos is big", "review"),
    "English with some Spanish": (
        "I went to the mercado with my mother and we bought frutas and a paella rica.",
        "pass",
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_a_text_that_is_hardly_english_does_not_pass_for_one(tmp_path: Path, references: str, what: str) -> None:
    text, verdict = OTHER[what]
    rulings = {one["policy"]: one["verdict"] for one in _report(tmp_path, references, text)["rulings"]}
    assert rulings["cefr.essay_is_english"] == verdict


def test_each_word_is_found_or_withheld_and_a_sign_is_no_word(tmp_path: Path, references: str) -> None:
    happy, family = "\U0001f600\U0001f600", "\U0001f469\u200d\U0001f467"
    text = f"Hello! I am happy {happy} in C\u00e1diz because {family} my familly has 12 cats."
    report = _report(tmp_path, references, text)
    assert report["lede"][0] == "Words: 12."
    found = {text[span["start"] : span["end"]].lower() for one in report["finds"] for span in one["spans"]}
    held = {one["what"].lower() for one in report["withheld"]}
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    assert words - {word for one in found | held for word in one.split()} == set()
    assert {"hello", "c\u00e1diz", "familly"} <= held


def test_an_empty_text_says_so_before_anything_else(tmp_path: Path, references: str) -> None:
    (tmp_path / "e.txt").write_text("\n", encoding="utf-8")
    done = inside("run", "cefr", str(tmp_path / "e.txt"), "--level", "A2", "--lang", "en", "--references", references)
    assert "There is no word in this text" in "\n".join(done.stdout.splitlines()[:4])


NO_TEXTS = {
    "a document of a word processor": b"PK\x03\x04\x14\x00",
    "a PDF": b"%PDF-1.7 ...",
    "a rich text": b"{\\rtf1\\ansi}",
    "UTF-16": "My house".encode("utf-16"),
}


@pytest.mark.parametrize("what", NO_TEXTS)
def test_what_is_no_plain_text_is_called_by_its_name(tmp_path: Path, references: str, what: str) -> None:
    (tmp_path / "e.txt").write_bytes(NO_TEXTS[what])
    done = inside("run", "cefr", str(tmp_path / "e.txt"), "--level", "A2", "--references", references)
    assert (done.returncode, what in done.stderr, "save it as plain text" in done.stderr) == (2, True, True)
