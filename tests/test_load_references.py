"""`references.yaml`: what is built of it, and what is refused with its place and the way to mend it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.load import Loaded, load_packs
from engine.load.parameters import stale_guesses
from engine.model import PREPARE_STEPS, PrepareStep, ValueType

PACK = "format: 1\npack: {name}\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = "shown:\n  row: One.\n  key: [word]\n  columns: {word: {type: text}}\n"
WORDS = f"""\
words:
  title: A list
  edition: "1.5"
  repealed: ["1.4"]
  file: a-list-1.5.csv
  sha256: {"ab" * 32}
  obtain: https://example.org/a-list-1.5.csv
  licence: free
  cite: Somebody, 2026.
  columns:
    headword: Head Word
    level: {{from: CEFR, type: levels, levels: [A1, A2]}}
    rank: {{from: "No.", type: int, unit: none}}
  prepare: [split_slashes: headword, nfc: headword]
  key: [headword]
  checked: 2026-11-30
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(folder: Path, references: str, name: str = "p") -> Loaded:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "pack.yaml").write_text(PACK.format(name=name))
    (folder / name / "relations.yaml").write_text(RELATIONS)
    (folder / name / "references.yaml").write_text(references)
    return load_packs(folder)


def said(loaded: Loaded) -> list[tuple[str, str]]:
    return [(problem.code, f"{problem.message} / {problem.help}") for problem in loaded.problems]


def test_a_reference_is_built_as_its_entry_says(folder: Path) -> None:
    loaded = load(folder, WORDS)
    assert loaded.problems == ()
    pack = loaded.packs["p"]
    one = pack.references["words"]
    assert (one.name, one.edition, one.format, one.sheet) == ("words", "1.5", "csv", None)
    assert (one.repealed, one.checked, one.key) == (("1.4",), date(2026, 11, 30), ("headword",))
    assert one.headings == {"headword": "Head Word", "level": "CEFR", "rank": "No."}
    assert one.columns["headword"].type == ValueType("text")
    assert one.columns["level"].type == ValueType("levels", levels=("A1", "A2"))
    assert (one.columns["rank"].type.kind, one.columns["rank"].unit) == ("int", "none")
    assert not any(column.required or column.may_be_absent for column in one.columns.values())
    assert one.prepare == (PrepareStep("split_slashes", "headword"), PrepareStep("nfc", "headword"))
    assert one.place is not None
    assert one.place.line == 1


@pytest.mark.parametrize(
    ("file", "more", "format"),
    [
        ("a.TSV", "", "tsv"),
        ("a.xlsx", "  sheet: One\n", "xlsx"),
        ("a.txt", "  format: tsv\n", "tsv"),
        ("a.json", "", "json"),
    ],
)
def test_the_format_is_that_of_the_name_unless_it_is_said(folder: Path, file: str, more: str, format: str) -> None:
    loaded = load(folder, WORDS.replace("a-list-1.5.csv\n  sha", f"{file}\n{more}  sha"))
    assert loaded.problems == ()
    assert loaded.packs["p"].references["words"].format == format


@pytest.mark.parametrize(
    ("before", "after", "code", "says"),
    [
        ("split_slashes: h", "split_slash: h", "unknown-step", "did you mean `split_slashes`?"),
        ("nfc: headword", "nfc: hedword", "unknown-column", "did you mean `headword`?"),
        ("nfc: headword", "nfc: level", "step-does-not-apply", "`level` is of type levels"),
        ("nfc: headword]", "nfc: headword, trim: level, split: x]", "step-does-not-apply", "`level`"),
        ("key: [headword]", "key: [headwrod]", "unknown-column", "is no column of this reference"),
        ("type: int, unit", "type: float, unit", "", ""),
        ("key: [headword]", "key: [rank]", "", ""),
        ("unit: none}", "unit: none, required: true}", "unknown-key", "`required`"),
        ("unit: none}", "unit: none, may_be_absent: true}", "unknown-key", "`may_be_absent`"),
        (", unit: none", "", "missing-unit", "unit"),
        ("unit: none", 'unit: "per cent"', "wrong-form", "a unit"),
        ("unit: none", "unit: [none]", "wrong-kind", "a unit"),
        ("unit: none", "unit: none, min: low", "wrong-form", "a number"),
        (', levels: [A1, A2]', "", "missing-key", "levels"),
        ("  licence: free\n", "", "missing-key", "`licence`"),
        ("  cite: Somebody, 2026.\n", "", "missing-key", "`cite`"),
        ("https://", "http://", "wrong-form", "https"),
        ("https://", "file:///", "wrong-form", "https"),
        ("file: a-list-1.5.csv", "file: ../a.csv", "wrong-form", "name of a file"),
        ("file: a-list-1.5.csv", "file: refs/a.csv", "wrong-form", "write `a.csv`; its folder is given with `--refer"),
        ("file: a-list-1.5.csv", r"file: C:\refs\a.csv", "wrong-form", "write `a.csv`; its folder is given with `--r"),
        ("file: a-list-1.5.csv", "file: a-list", "missing-key", "add `format:`"),
        ("file: a-list-1.5.csv", "file: a.csv\n  sheet: One", "key-does-not-apply", "xlsx"),
        ("file: a-list-1.5.csv", "file: a.csv\n  format: cvs", "wrong-value", "did you mean `csv`?"),
        ("ab" * 32, "ab" * 31, "wrong-form", "64 hexadecimal digits"),
        ('repealed: ["1.4"]', 'repealed: ["1.4", "1.5"]', "edition-repealed", "pin the new edition"),
        ("2026-11-30", "2026-11-31", "no-such-day", "2026-11-31"),
        ("from: CEFR, ", "", "missing-key", "`from`"),
        ("words:\n", "select:\n", "reserved-name", "select"),
        ("    headword: Head", "    order: x\n    headword: Head", "reserved-name", "order"),
        ("words:\n", "shown:\n", "name-taken", "also a relation"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_entry_is_said(folder: Path, before: str, after: str, code: str, says: str) -> None:
    assert before in WORDS
    loaded = load(folder, WORDS.replace(before, after))
    if not code:
        assert loaded.problems == ()
        return
    found = said(loaded)
    assert any(one == code and says in text for one, text in found), found
    assert all(problem.place is not None and problem.place.line > 0 for problem in loaded.problems)
    assert any(problem.is_error for problem in loaded.problems)


def test_a_float_names_no_row(folder: Path) -> None:
    loaded = load(folder, WORDS.replace("type: int", "type: float").replace("key: [headword]", "key: [rank]"))
    assert [code for code, _ in said(loaded)] == ["key-column"]


def test_one_file_has_one_hash(folder: Path) -> None:
    other = WORDS.replace("words:", "more:").replace("ab" * 32, "cd" * 32)
    assert [code for code, _ in said(load(folder, WORDS + other))] == ["one-file-two-pins"]
    assert load(folder, WORDS + WORDS.replace("words:", "more:")).problems == ()


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("split_slashes: headword, ", "", "`prepare`"),
        ("Head Word", "Headword", "`columns`"),
        ("ab" * 32, "cd" * 32, "`sha256`"),
        ("2026-11-30", "2026-12-01", "`checked`"),
    ],
)
def test_two_packs_declare_one_reference_in_equal_words(folder: Path, before: str, after: str, what: str) -> None:
    assert load(folder, WORDS).problems == ()
    assert load(folder, WORDS, "q").problems == ()
    loaded = load(folder, WORDS.replace(before, after), "q")
    (found,) = said(loaded)
    assert found[0] == "references-differ"
    assert what in found[1]
    assert str(loaded.problems[0].place).startswith("q/references.yaml:1:1")


def test_every_step_may_be_declared(folder: Path) -> None:
    steps = ", ".join(f"{step}: headword" for step in PREPARE_STEPS)
    loaded = load(folder, WORDS.replace("split_slashes: headword, nfc: headword", steps))
    assert loaded.problems == ()


def test_a_pack_whose_references_cannot_be_read_is_not_used(folder: Path) -> None:
    loaded = load(folder, "- words\n")
    assert loaded.packs == {}
    assert [code for code, _ in said(loaded)] == ["wrong-kind"]


def test_a_reference_that_was_checked_tomorrow_is_told(folder: Path) -> None:
    packs = load(folder, WORDS).packs.values()
    assert stale_guesses(packs, date(2026, 11, 30)) == []
    (problem,) = stale_guesses(packs, date(2026, 11, 29))
    assert (problem.code, str(problem.place)) == ("checked-in-future", "p/references.yaml:1:1")
