"""`fiel run` again and on whole folders: what is kept, what is made anew, and that no answer stands for another."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from . import essay_samples as samples
from .conftest import SHARED, need
from .essay_samples import Done, inside
from .model_server import KEY, Behaviour, Heard, Sent, enveloped, serving

EMPTY = {"sense": [], "error": [], "structure": [], "coherence": []}


@pytest.fixture(scope="module")
def references() -> str:
    pytest.importorskip("spacy")
    return str(need(SHARED / "reference" / "cefr"))


def _class(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        shutil.copy(samples.TEXTS / f"{name}.txt", folder / f"{name}.txt")
    return folder


def _index(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "index.json").read_text("utf-8"))
    return found


def test_each_text_of_a_folder_has_a_report_or_a_reason(tmp_path: Path, references: str) -> None:
    folder, out = _class(tmp_path / "class", "a1", "short"), tmp_path / "out"
    (folder / "group").mkdir()
    (folder / "group" / "index.txt").write_text("She lives in Madrid and she likes tea.", encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"a\xff\xfe")
    (folder / "late.docx").write_bytes(b"PK\x03\x04")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    done = inside("run", "cefr", str(folder), "--level", "A1", "--references", references, "--out", str(out))
    assert (done.returncode, "3 of 5 reports" in done.stdout) == (2, True)
    assert "bad.txt: document-unreadable" in done.stderr
    assert "late.docx: document-unreadable" in done.stderr
    assert "passed over, since they are no texts: photo.jpg" in done.stderr
    index = _index(out)
    pages = {one["document"]: one["page"] for one in index["entries"]}
    assert pages == {
        "a1.txt": "a1.html",
        "bad.txt": None,
        "group/index.txt": "group/index.html",
        "late.docx": None,
        "short.txt": "short.html",
    }
    assert (out / "group/index.html").is_file()
    assert "3 de 5 documentos tienen informe" in (out / "index.html").read_text("utf-8")
    together = [sum(entry["bands"][at] for entry in index["entries"] if entry["bands"]) for at in range(6)]
    assert 0 < index["levels"][0] < together[0]  # words that texts share are counted once
    assert inside("honesty", str(out), "--references", references, "--lies", "0").returncode == 0


def test_a_text_that_changed_is_looked_at_anew_and_one_that_went_takes_its_page_along(
    tmp_path: Path, references: str
) -> None:
    folder, out = _class(tmp_path / "class", "a1", "short"), tmp_path / "out"
    line = ["run", "cefr", str(folder), "--level", "A1", "--references", references, "--out", str(out)]
    assert inside(*line).returncode == 3
    (folder / "a1.txt").write_text("He lived in Rome and liked coffee very much.", encoding="utf-8")
    (folder / "short.txt").unlink()
    done = inside(*line)
    assert (done.returncode, "1 of 1 reports" in done.stdout) == (3, True), done.stderr
    assert "lived in Rome" in (out / "a1.json").read_text("utf-8")
    assert not (out / "short.html").exists()
    assert "removed, since its text has no report any more" in done.stderr
    (out / "index.json").write_text(json.dumps({"entries": [{"page": "../class/a1.html"}, {"page": 3}, 4]}), "utf-8")
    (folder / "a1.html").write_text("mine", encoding="utf-8")
    inside(*line)
    assert (folder / "a1.html").read_text("utf-8") == "mine"


def test_recorded_runs_go_to_the_texts_that_they_looked_at(tmp_path: Path, references: str) -> None:
    folder, out = _class(tmp_path / "class", "a1", "a2"), tmp_path / "out"
    line = ["run", "cefr", str(folder), "--level", "A1", "--references", references, "--out", str(out)]
    recorded = [word for name in ("a2", "a1") for word in ("--recorded", str(samples.RUNS / name))]
    done = inside(*line, *recorded)
    assert done.returncode == 0, done.stderr
    assert all(one["score"] is not None for one in _index(out)["entries"])
    for more, said in (
        (["--recorded", str(samples.RUNS / "b1")], "another text than any of these 2"),
        (["--recorded", str(samples.RUNS / "a1")], "two recorded runs of `marker`"),
        (["--recorded", str(out / "runs" / "a1.txt")], "no folder of a run"),
    ):
        refused = inside(*line, *recorded, *more)
        assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr


def _recorded(folder: Path, **changes: object) -> Path:
    """A copy of the recorded run on `a1` with something changed in its record."""
    shutil.copytree(samples.RUNS / "a1", folder)
    record = json.loads((folder / "run.json").read_text("utf-8"))
    (folder / "run.json").write_text(json.dumps({**record, **changes}), encoding="utf-8")
    return folder


UNFIT: dict[str, tuple[dict[str, object], str]] = {
    "of another sensor": ({"sensor": "reader"}, "no sensor of this report"),
    "of another pack": ({"pack": "prose"}, "no sensor of this report"),
    "that is not complete": ({"status": "incomplete"}, "not complete"),
    "without documents": ({"coverage": []}, "looked at 0 documents"),
    "of a text under another name": (
        {"coverage": [{"document": "b.txt", "sha256": samples.sha256_of("a1")}]},
        "calls its text `b.txt`, and here it is `a1.txt`",
    ),
}


@pytest.mark.parametrize("what", UNFIT)
def test_a_recorded_run_that_does_not_fit_is_refused(tmp_path: Path, references: str, what: str) -> None:
    changes, said = UNFIT[what]
    run = _recorded(tmp_path / "run", **changes)
    words = ["run", "cefr", str(samples.TEXTS / "a1.txt"), "--level", "A1", "--references", references]
    done = inside(*words, "--recorded", str(run))
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("left", [None, "{", "[]"])
def test_a_run_that_does_not_say_what_it_refused_is_refused(tmp_path: Path, references: str, left: str | None) -> None:
    remarks = _recorded(tmp_path / "run") / "diagnostics.jsonl"
    remarks.unlink() if left is None else remarks.write_text(left, encoding="utf-8")
    words = ["run", "cefr", str(samples.TEXTS / "a1.txt"), "--level", "A1", "--references", references]
    done = inside(*words, "--recorded", str(tmp_path / "run"))
    assert (done.returncode, "what the run refused cannot be read" in done.stderr) == (2, True), done.stderr


# -- answers that are kept -------------------------------------------------------------------------------------


class _Class:
    """A text with a folder in which answers are kept, and a model that is asked about it."""

    def __init__(self, folder: Path, references: str) -> None:
        self.text, self.kept, self.out = folder / "e.txt", folder / "kept", folder / "r.json"
        self.references = references
        self.heard = 0

    def run(self, text: str, *more: str, model: str | None = "m", behaviour: Behaviour | None = None) -> Done:
        self.text.write_text(text, encoding="utf-8")
        self.out.unlink(missing_ok=True)
        words = ["run", "cefr", str(self.text), "--references", self.references, "--keep", str(self.kept)]
        words += ["--out", str(self.out), "--level", "A1", *more]
        with serving(behaviour or _nothing) as server:
            url = server.url_of("anthropic")
            asked = ["--provider", "anthropic", "--model", model or "", "--key-env", "MODEL_KEY", "--url", url]
            done = inside(*words, *(asked if model is not None else ()), MODEL_KEY=KEY)
            self.heard = len(server.heard)
        return done

    @property
    def marker(self) -> dict[str, Any]:
        report = json.loads(self.out.read_text("utf-8"))
        return next(run for run in report["runs"] if run["sensor"] == "marker")


def _nothing(heard: Heard) -> Sent:
    return enveloped(heard, json.dumps(EMPTY))


@pytest.fixture
def one(tmp_path: Path, references: str) -> _Class:
    return _Class(tmp_path, references)


HOUSE, CAT = "We live in a small house.", "My cat sleeps in the garden."


def test_the_same_question_is_not_asked_twice(one: _Class) -> None:
    one.run(HOUSE)
    assert one.heard == 1
    one.run(HOUSE)
    assert one.heard == 0
    one.run(HOUSE, model=None)
    assert one.marker["missing"] is None


CHANGES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "the text": ((CAT,), {}),
    "the level": ((HOUSE, "--lang", "en"), {}),
    "the model": ((HOUSE,), {"model": "n"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_answer_to_another_question_is_set_aside_and_never_shown(one: _Class, what: str) -> None:
    words, how = CHANGES[what]
    one.run(HOUSE)
    if what == "the text":
        one.run(*words, model=None)
        assert one.marker["missing"] == "asked-otherwise"
    done = one.run(*words, **how)
    assert one.heard == 1
    assert one.marker["missing"] is None
    assert "is asked anew" in done.stderr
    assert (one.kept / ".marker-1" / "facts" / "error.jsonl").is_file()
    if what == "the text":
        one.run(*words, **how)
        assert one.heard == 0


def test_a_run_that_was_refused_is_asked_again(one: _Class) -> None:
    def cut(heard: Heard) -> Sent:
        return enveloped(heard, "{")

    assert one.run(HOUSE, behaviour=cut).returncode == 1
    assert one.marker["missing"] == "refused"
    one.run(HOUSE)
    assert (one.heard, one.marker["missing"]) == (1, None)


@pytest.mark.parametrize("left", ["empty", "unfinished", "gone"])
def test_what_a_killed_process_left_does_not_stand_in_the_way(one: _Class, left: str) -> None:
    one.run(HOUSE, model=None)
    place = one.kept / "words"
    if left == "gone":
        place.rename(one.kept / ".words-gone-0123")
    else:
        shutil.rmtree(place)
        place.mkdir()
    if left == "unfinished":
        (place / "run.json").write_text('{"format": 1, "status": "incomplete"}', encoding="utf-8")
    (one.kept / "marker").mkdir()
    assert one.run(HOUSE).returncode in (1, 3)
    assert sorted(path.name for path in one.kept.iterdir()) == ["essay.jsonl", "lexicon", "marker", "words"]


def test_a_folder_that_is_no_run_is_left_alone(one: _Class) -> None:
    (one.kept / "words").mkdir(parents=True)
    (one.kept / "words" / "mine.txt").write_text("mine", encoding="utf-8")
    done = one.run(HOUSE, model=None)
    assert (done.returncode, "run-folder" in done.stderr) == (2, True)
    assert (one.kept / "words" / "mine.txt").read_text("utf-8") == "mine"


# -- what is refused -------------------------------------------------------------------------------------------


def test_reports_are_not_written_among_the_texts(tmp_path: Path, references: str) -> None:
    folder = _class(tmp_path / "class", "a1")
    line = ["run", "cefr", str(folder), "--level", "A1", "--references", references]
    for more in (["--out", str(folder)], ["--out", str(tmp_path / "o"), "--keep", str(folder / "kept")]):
        done = inside(*line, *more)
        assert (done.returncode, "which is looked at" in done.stderr) == (2, True), done.stderr
    assert [path.name for path in folder.iterdir()] == ["a1.txt"]


def test_a_folder_that_is_not_there_is_what_is_said(tmp_path: Path, references: str) -> None:
    done = inside("run", "cefr", str(tmp_path / "no"), "--references", references, "--out", str(tmp_path / "o"))
    assert (done.returncode, "no-such-path" in done.stderr) == (2, True)


# -- words that stand twice in a sentence ----------------------------------------------------------------------

CAN = "I can open a can of beans."


def _choosing(quote: str, sentence: int = 1, occurrence: int = 2) -> Behaviour:
    """Chooses the first `can` as a verb or the second one as a noun, and quotes it as said."""

    def behave(heard: Heard) -> Sent:
        rows = re.findall(r"^(G\d+) candidate (\{.*\})$", heard.text, re.MULTILINE)
        given = [(label, json.loads(row)) for label, row in rows]
        wanted = ("can", "modal auxiliary" if occurrence == 1 else "noun", occurrence)
        [label] = [one for one, row in given if (row["quote"], row["pos"], row.get("occurrence")) == wanted]
        choice = {"sentence": sentence, "quote": quote, "entry": label}
        return enveloped(heard, json.dumps({**EMPTY, "sense": [choice]}))

    return behave


@pytest.mark.parametrize("occurrence", [1, 2])
def test_of_a_word_that_stands_twice_in_its_sentence_the_chosen_row_says_where(one: _Class, occurrence: int) -> None:
    one.run(CAN, behaviour=_choosing("can", occurrence=occurrence))
    [row] = [json.loads(line) for line in (one.kept / "marker/facts/sense.jsonl").read_text("utf-8").splitlines()]
    assert (row["start_at"], row["tokens"]) == ((2, "2") if occurrence == 1 else (13, "5"))


@pytest.mark.parametrize(("quote", "sentence"), [("a", 1), ("can", 9), ("n", 1)])
def test_a_choice_does_not_say_where_other_words_stand(one: _Class, quote: str, sentence: int) -> None:
    one.run(CAN, behaviour=_choosing(quote, sentence))
    assert (one.kept / "marker/facts/sense.jsonl").read_text("utf-8") == ""
    assert any(code in (one.kept / "marker/diagnostics.jsonl").read_text("utf-8") for code in ("quote-", "choice-"))


# -- what was made of a folder is evaluated --------------------------------------------------------------------


def _kept_class(tmp_path: Path, references: str) -> Path:
    """Reports on two texts whose model found one slip in each, and on a third that it never answered about."""
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    for name, text in {"a": HOUSE, "b": CAT, "c": "Never answered."}.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")

    def finds(heard: Heard) -> Sent:
        if "Never answered" in heard.text:
            return enveloped(heard, "{")
        word = "house" if "house" in heard.text else "cat"
        slip = {"sentence": 1, "quote": word, "correction": "x", "category": "spelling", "severity": "minor"}
        slip |= {"explanation": "Es otra.", "language": "es"}
        return enveloped(heard, json.dumps({**EMPTY, "error": [slip]}))

    with serving(finds) as server:
        asked = ["--provider", "anthropic", "--model", "m", "--key-env", "MODEL_KEY"]
        asked += ["--url", server.url_of("anthropic"), "--references", references, "--out", str(out)]
        assert inside("run", "cefr", str(folder), "--level", "A1", *asked, MODEL_KEY=KEY).returncode == 1
    return out


def test_a_folder_of_reports_is_evaluated_by_its_runs(tmp_path: Path, references: str) -> None:
    out, people = _kept_class(tmp_path, references), tmp_path / "people"
    people.mkdir()
    for name, place in (("essay", "essay.jsonl"), ("error", "marker/facts/error.jsonl")):
        texts = [path.read_text("utf-8") for path in sorted(out.glob(f"runs/*/{place}"))]
        (people / f"{name}.jsonl").write_text("".join(texts), encoding="utf-8")
    line = ["evaluate", "cefr", "--annotated", str(people), "--relation", "error", "--covered-by", "essay"]
    for facts in (out, out / "runs"):
        done = inside(*line, "--facts", str(facts), "--format", "json")
        assert done.returncode == 0, done.stderr
        [error] = json.loads(done.stdout)["relations"]
        assert error["documents"] == ["a.txt", "b.txt"]
        assert "c.txt" in json.dumps(error)
    page = inside(*line, "--facts", str(out / "a.json"))
    assert (page.returncode, "it is a report, which shows facts and holds none" in page.stderr) == (2, True)
    index = _index(out)
    index["entries"] = [one for one in index["entries"] if one["document"] != "b.txt"]
    (out / "index.json").write_text(json.dumps(index), encoding="utf-8")
    gone = inside(*line, "--facts", str(out), "--format", "json")
    assert json.loads(gone.stdout)["relations"][0]["documents"] == ["a.txt"]
    shutil.rmtree(out / "runs" / "a.txt")
    shutil.rmtree(out / "runs" / "b.txt")
    left = inside(*line, "--facts", str(out / "runs" / "c.txt"))
    assert left.returncode in (2, 3)


def test_a_number_without_its_column_is_answered_with_those_that_there_are(references: str) -> None:
    run = str(samples.RUNS / "a1")
    done = inside("evaluate", "cefr", "--annotated", run, "--facts", run, "--score", "mark")
    assert (done.returncode, "`mark.mark`" in done.stderr, "``" in done.stderr) == (2, True, False)
