"""The kind `spacy`: sentences and tokens of real texts, of a tagger whose files are known."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.sensor import Document
from engine.sensors.tagging import FILES_SHA256, PACKAGE, Tagged, Tagger, _files, digest, paragraphs

from .conftest import ROOT, Cli

WHEEL = "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779"
PACK = {
    "pack.yaml": "format: 1\npack: texts\ntitle: Texts\nversion: 0.1.0\nlicence: CC0-1.0\n",
    "relations.yaml": """\
sentence:
  row: A sentence.
  key: [document, sentence]
  columns:
    document: {type: text}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    text: {type: text}
    judged_by: {type: text, may_be_absent: true}
word:
  row: A token.
  key: [document, token]
  columns:
    document: {type: text}
    token: {type: int, unit: none}
    sentence: {type: int, unit: none}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    text: {type: text}
    lemma: {type: text}
    part_of_speech: {type: text}
    tag: {type: text}
""",
    "sensors.yaml": "tagger: {kind: spacy, reads: documents, fills: [sentence, word]}\n",
}
QUIRKS = {
    "nothing": "",
    "white space": " \r\n\t\u00a0\n",
    "line ends of three kinds": "One line.\r\nTwo lines\rThree\n\n\r\nA new paragraph",
    "tabs": "\tI\thave\ttabs.\t",
    "curly quotes": "“I don’t know,” she said — ‘really’…",
    "no stop at the end": "i went to school and then i go home",
    "all capitals": "MY MOTHER WENT TO THE SHOP. SHE MADE UP HER MIND!!!",
    "emoji": "I ❤️ it 👩‍👩‍👧 so much😀😀 lol :)",
    "a page pasted in": "<p class='x'>Hello&nbsp;<b>world</b></p>\n<script>alert(1)</script>",
    "without width": "\ufeffa\u200bb \u202eabc\u202c \u200b",
    "accents in pieces": "Cafe\u0301 na\u0131\u0308ve \u0301",
}


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger()


def document(text: str) -> Document:
    return Document("d", text, "0" * 64)


def check(text: str, tagged: Tagged) -> None:
    """What holds of every text: all that is visible lies in one token and one sentence, where it is said to be."""
    visible = {at for at, char in enumerate(text) if not char.isspace()}
    held = [at for one in tagged.tokens for at in range(one.start, one.end)]
    assert held == sorted(set(held))
    assert visible <= set(held)
    assert [one.number for one in tagged.tokens] == list(range(1, len(tagged.tokens) + 1))
    assert [one.sentence for one in tagged.tokens] == sorted(one.sentence for one in tagged.tokens)
    assert {one.sentence for one in tagged.tokens} == set(range(1, len(tagged.sentences) + 1))
    for one in tagged.tokens:
        span = tagged.sentences[one.sentence - 1]
        assert text[one.start : one.end] == one.text
        assert span.start <= one.start < one.end <= span.end
        assert one.lemma
        assert one.part_of_speech
        assert one.tag
    for span in tagged.sentences:
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""


@pytest.mark.parametrize("text", QUIRKS.values(), ids=QUIRKS)
def test_whatever_a_learner_hands_in_is_read_and_nothing_visible_is_lost(tagger: Tagger, text: str) -> None:
    tagged = tagger.tag(document(text))
    check(text, tagged)
    assert bool(tagged.tokens) == bool(text.strip())


@settings(max_examples=50, derandomize=True, deadline=None)
@given(text=st.text(st.sampled_from("aI .,!'’\"<>\n\r\t\u2028é\u0301\u200b\u00a0👩\u200d-A1")) | st.text(max_size=30))
def test_no_text_is_too_odd(tagger: Tagger, text: str) -> None:
    check(text, tagger.tag(document(text)))


def test_words_are_read_as_the_notes_say(tagger: Tagger) -> None:
    """Fixed tags of a fixed model: should they change, every verdict over tokens may change."""
    text = "She went home because the childs would had made a cake."
    seen = [(one.text, one.lemma, one.part_of_speech, one.tag) for one in tagger.tag(document(text)).tokens]
    assert seen[:4] == [
        ("She", "she", "PRON", "PRP"),
        ("went", "go", "VERB", "VBD"),
        ("home", "home", "ADV", "RB"),
        ("because", "because", "SCONJ", "IN"),
    ]
    assert ("would", "would", "AUX", "MD") in seen
    assert ("made", "make", "VERB", "VBN") in seen


@pytest.mark.parametrize("quote", "'’´ʼ`")
def test_an_apostrophe_of_any_form_is_one(tagger: Tagger, quote: str) -> None:
    text = f"I{quote}m here and they don{quote}t know."
    tagged = tagger.tag(document(text))
    check(text, tagged)
    assert [one.lemma for one in tagged.tokens][:2] + [one.lemma for one in tagged.tokens][5:7] == "I be do not".split()


def test_a_paragraph_is_read_alike_wherever_it_stands(tagger: Tagger) -> None:
    first, second = "I saw her duck. It flew", "Time flies like an arrow\nfruit flies like bananas"
    alone = tagger.tag(document(second))
    both = tagger.tag(document(f"{first}\r\n \t\r\n{second}"))
    shift = len(first) + 6
    tail = both.tokens[-len(alone.tokens) :]
    assert [(t.start - shift, t.text, t.lemma, t.tag) for t in tail] == [
        (t.start, t.text, t.lemma, t.tag) for t in alone.tokens
    ]
    assert tagger.tag(document(second)) == alone


def test_five_thousand_words_are_read(tagger: Tagger) -> None:
    text = "The little old man went up the long road again. " * 500
    tagged = tagger.tag(document(text))
    assert (len(tagged.tokens), len(tagged.sentences)) == (5500, 500)


def test_a_paragraph_that_would_take_all_memory_is_refused(tagger: Tagger) -> None:
    with pytest.raises(UsageError) as error:
        tagger.tag(document("One.\n\n" + "word " * 20_001))
    (problem,) = error.value.problems
    assert (problem.code, problem.where) == ("paragraph-too-long", "d")
    assert "line 3 has 100,00" in problem.message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a\nb", ["a\nb"]),
        ("a\r\nb", ["a\r\nb"]),
        ("a\n\nb", ["a", "b"]),
        ("a\r\n \r\nb", ["a", "b"]),
        ("a\r\rb\n \t\n\n\nc\n\n", ["a", "b", "c"]),
    ],
)
def test_paragraphs_end_at_blank_lines(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in paragraphs(text)] == parts


def test_the_model_is_the_one_that_was_pinned() -> None:
    assert digest(_files(PACKAGE)[0]) == FILES_SHA256
    for name in ("english", "dev"):
        assert f"sha256:{WHEEL}" in (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")


def install(folder: Path, name: str, change: str | None = None) -> None:
    """The model under another name, as a package that must not be run; `change` is a file to add a byte to."""
    data, version = _files(PACKAGE)
    target = folder / name / f"{name}-{version}"
    shutil.copytree(data, target)
    (folder / name / "__init__.py").write_text("raise SystemExit('this was run')\n", "utf-8")
    (folder / name / "meta.json").write_text(json.dumps({"version": version}), "utf-8")
    if change is not None:
        with (target / change).open("ab") as file:
            file.write(b"\n")


def refused(package: str | None = None) -> tuple[str, str]:
    with pytest.raises(UsageError) as error:
        Tagger(package)
    (problem,) = error.value.problems
    return problem.code, problem.message


def test_a_model_whose_files_changed_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, PACKAGE, "README.md")
    monkeypatch.syspath_prepend(tmp_path)
    assert refused()[0] == refused(PACKAGE)[0] == "tagger-changed"


def test_a_model_of_ones_own_is_used_and_its_digest_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "my_model", "LICENSE")
    monkeypatch.syspath_prepend(tmp_path)
    tagger = Tagger("my_model")
    assert [one.lemma for one in tagger.tag(document("It went.")).tokens] == ["it", "go", "."]
    assert tagger.settings["tagger"] == "my_model"
    assert re.fullmatch("[0-9a-f]{64}", str(tagger.settings["tagger_sha256"]))
    assert tagger.settings["tagger_sha256"] != FILES_SHA256


def test_a_model_that_is_of_no_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy

    install(tmp_path, "broken_model", "config.cfg")
    shutil.rmtree(tmp_path / "broken_model/broken_model-3.8.0/tagger")
    install(tmp_path, "blank_model")
    spacy.blank("en").to_disk(tmp_path / "blank_model/blank_model-3.8.0")
    monkeypatch.syspath_prepend(tmp_path)
    assert refused("broken_model")[0] == "tagger-unfit"
    assert refused("blank_model") == (
        "tagger-unfit",
        "the tagger `blank_model` gives no SENT_START, LEMMA, POS, TAG",
    )
    for name in ("json", "no_such_package", "os.path", "../x"):
        assert refused(name)[0] == "tagger-missing"


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UsageError) as error:
        Tagger()
    assert (error.value.problems[0].code, error.value.problems[0].help) == (
        "missing-extra",
        "pip install 'fiel[english]'",
    )


def lay(folder: Path, files: dict[str, str] = PACK) -> None:
    home = folder / "policies" / "texts"
    home.mkdir(parents=True)
    for name, text in files.items():
        (home / name).write_text(text, "utf-8")


def test_sentences_and_tokens_become_facts(cli: Cli, tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfShe went home.\r\nIt rained")
    (tmp_path / "b.txt").write_text(" \n", "utf-8")
    for out in ("run", "again"):
        done = cli("sense", "texts", "a.txt", "b.txt", "--out", out, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "run/facts/sentence.jsonl").read_text("utf-8").splitlines()]
    assert [(r["document"], r["sentence"], r["start_at"], r["end_at"], r["text"]) for r in rows] == [
        ("a.txt", 1, 0, 14, "She went home."),
        ("a.txt", 2, 16, 25, "It rained"),
    ]
    words = [json.loads(line) for line in (tmp_path / "run/facts/word.jsonl").read_text("utf-8").splitlines()]
    assert sorted((w["token"], w["text"], w["lemma"]) for w in words)[1] == (2, "went", "go")
    record = json.loads((tmp_path / "run/run.json").read_text("utf-8"))
    assert record["settings"]["tagger_sha256"] == FILES_SHA256
    assert [one["document"] for one in record["coverage"]] == ["a.txt", "b.txt"]
    remarks = (tmp_path / "run/diagnostics.jsonl").read_text("utf-8")
    assert json.loads(remarks) == {
        "code": "nothing-to-read",
        "document": "b.txt",
        "message": "there is no word in it",
    }
    for name in ("sentence", "word"):
        first, second = (tmp_path / out / f"facts/{name}.jsonl" for out in ("run", "again"))
        assert first.read_bytes() == second.read_bytes()
    assert cli("judge", "--facts", "run", cwd=tmp_path).returncode == 2  # no policy: nothing was judged
