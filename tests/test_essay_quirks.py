"""Texts as learners really hand them in: what is said of them fits the unchanged text, and nothing is made up."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["runs"][2]["missing"] == "not-asked"
