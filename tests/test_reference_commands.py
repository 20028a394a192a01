"""`fiel reference` from the outside: what it prints, its exit codes, and that it leaves no half-written file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.load import load_packs
from engine.references.compare import differences
from engine.references.shelf import read_table

from .conftest import ROOT, SHARED, Cli, need
from .reference_commands import DATA, NAME, book, home, run
from .references import FIXTURES, fixture_vocabulary, reference

__all__ = ["home"]


LEVEL = """\
policy: words.level
title: A level is that of the list
for: shown_level
same_as: {reference: fixture, match: {headword: word, pos: kind}, show: {level: level}}
cannot_see: Anything else.
example: {place: a, word: x, kind: noun, level: A1}
example_facts: {fixture: [{headword: x, pos: noun, level: A1}]}
cases:
  - {level: A2, expect: fail}
  - {rows: [], expect: no_evidence}
"""


def test_list_says_where_each_file_is_or_what_is_wrong_with_it(cli: Cli, home: Path) -> None:
    code, out, _ = run(cli, home, "list")
    assert (code, out) == (0, f"fixture 1.0  (words)  refs/{NAME}\n  Invented words. CC0-1.0\n")
    assert "missing" in run(cli, home, "list", refs=None)[1]
    (home / "refs" / NAME).write_bytes(DATA + b"x,y,A1,,,\r\n")
    assert "changed" in run(cli, home, "list")[1]


def test_verify_counts_and_exits_by_what_it_found(cli: Cli, home: Path) -> None:
    code, out, err = run(cli, home, "verify")
    assert (code, err) == (0, "")
    assert "20 records, 23 rows once prepared, 20 keys (headword, pos)" in out
    assert "2 keys on several rows, 1 of them with different values; 1 row without a whole key" in out
    assert "level: A1 6, A2 4, B1 8, B2 3, C1 1, none 1" in out
    (home / "refs" / NAME).write_bytes(DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2"))
    code, out, err = run(cli, home, "verify", "fixture")
    assert (code, out) == (1, "")
    assert "reference-changed" in err
    assert run(cli, home, "verify", refs=None)[0] == 2
    code, _, err = run(cli, home, "verify", "fixtur")
    assert (code, "did you mean `fixture`?" in err) == (2, True)


def test_nothing_to_verify_is_no_success(cli: Cli, home: Path) -> None:
    (home / "policies" / "words" / "references.yaml").unlink()
    code, _, err = run(cli, home, "verify")
    assert (code, "nothing was verified" in err) == (2, True)
    assert run(cli, home, "list")[:2] == (0, "the packs declare no reference\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (
            ["headword=blimmer", "pos=noun"],
            0,
            "level: A1 (fixture 1.0, line 2, blimmer, noun)\nInvented words. CC0-1.0\nNobody.\n",
        ),
        (["pos=verb", "headword=drindel"], 0, "level: B1 (fixture 1.0, line 5, drindel, verb)\n"),
        (["headword=jarp", "pos=verb"], 1, "level: no value: B1 or B2 (fixture 1.0, lines 14, 15)\n"),
        (["headword=krazzle", "pos=adverb"], 0, "level: B1 (fixture 1.0, line 16, krazzle, adverb)\n"),
        (["headword=noffle", "pos=noun"], 1, "level: empty (fixture 1.0, line 20)\n"),
        (["headword=went", "pos=verb"], 1, "not in fixture 1.0: headword=went, pos=verb\n"),
        (["headword=blimmer"], 2, ""),
        (["headword=blimmer", "pos="], 2, ""),
        (["headword=blimmer", "pos=noun", "pos=verb"], 2, ""),
        (["headword=blimmer", "level=A1"], 2, ""),
        (["blimmer"], 2, ""),
    ],
)
def test_look_prints_the_value_with_its_line_or_says_why_there_is_none(
    words: list[str], code: int, says: str, cli: Cli, home: Path
) -> None:
    found, out, err = run(cli, home, "look", "fixture", *words)
    assert (found, out.startswith(says)) == (code, True), out
    assert (code == 2) == ("reference-what" in err)


def test_look_says_nothing_from_a_file_that_was_changed(cli: Cli, home: Path) -> None:
    (home / "refs" / NAME).write_bytes(DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2"))
    code, out, err = run(cli, home, "look", "fixture", "headword=blimmer", "pos=noun")
    assert (code, out) == (2, "")
    assert "reference-changed" in err


def test_diff_lists_the_shown_values_that_would_change_and_no_moved_line(cli: Cli, home: Path) -> None:
    new = DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2").replace(b"frell,adjective,B2,,,\r\n", b"")
    new = new.replace(b"jarp,verb,B2", b"jarp,verb,B1") + b"zimp,noun,C1,,,\r\n"
    (home / "new.csv").write_bytes(new)
    code, out, _ = run(cli, home, "diff", "fixture", "new.csv")
    assert (code, out) == (
        1,
        "changed  blimmer, noun  level: A1 (line 2) -> A2 (line 2)\n"
        "gone     frell, adjective  level: B2 (line 8) -> not in it\n"
        "changed  jarp, verb  level: B1 or B2 (lines 14, 15) -> B1 (line 13)\n"
        "new      zimp, noun  level: not in it -> C1 (line 21)\n"
        "4 shown values would change: 2 changed, 1 gone, 1 new\n",
    )
    assert run(cli, home, "diff", "fixture", f"refs/{NAME}")[:2] == (0, "no shown value would change\n")
    assert run(cli, home, "diff", "new.csv", "new.csv")[0] == 2
    assert run(cli, home, "diff", "new.csv", f"refs/{NAME}")[0] == 1
    assert run(cli, home, "diff", "new.csv", "new.csv", "--as", "fixture")[0] == 0
    assert run(cli, home, "diff", "fixture", "none.csv")[0] == 2
    (home / "new.csv").write_bytes(DATA.replace(b"CEFR", b"Level"))
    code, _, err = run(cli, home, "diff", "fixture", "new.csv")
    assert (code, "new.csv:1: reference-unreadable" in err) == (2, True)


def test_diff_with_facts_lists_only_what_the_facts_show(cli: Cli, home: Path) -> None:
    (home / "policies" / "words" / "level.yaml").write_text(LEVEL)
    new = DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2").replace(b"blimmer,verb,B2", b"blimmer,verb,C1")
    new += b"glonk,null,A1,,,\r\n"  # a part of speech that is called `null` is not one that is missing
    (home / "new.csv").write_bytes(new)
    rows = [
        {"place": "1", "word": "blimmer", "kind": "noun", "level": "A1"},
        {"place": "2", "word": "glonk", "kind": None, "level": "A1"},
    ]
    (home / "facts.json").write_text(json.dumps({"shown_level": rows}))
    code, out, err = run(cli, home, "diff", "fixture", "new.csv", "--facts", "facts.json")
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == "changed  blimmer, noun  level: A1 (line 2) -> A2 (line 2)"
    assert out.splitlines()[1] == "1 shown value would change: 1 changed, 0 gone, 0 new"
    (home / "facts.json").write_text('{"shown_level": [{"place": "1"}]}')
    assert run(cli, home, "diff", "fixture", "new.csv", "--facts", "facts.json")[0] == 2
    (home / "policies" / "words" / "level.yaml").unlink()
    code, _, err = run(cli, home, "diff", "fixture", "new.csv", "--facts", "facts.json")
    assert (code, "no policy compares" in err) == (2, True)


def test_add_puts_the_pinned_file_into_the_users_own_folder_and_no_other_file(cli: Cli, home: Path) -> None:
    code, out, _ = run(cli, home, "add", "fixture", "--from", f"refs/{NAME}", refs=None)
    own = home / "data" / "fiel" / "references"
    assert code == 0
    assert "CC0-1.0" in out
    assert [path.name for path in own.iterdir()] == [NAME]
    assert run(cli, home, "verify", refs=None)[0] == 0
    (home / "other.csv").write_bytes(DATA[:-1])
    code, _, err = run(cli, home, "add", "fixture", "--from", "other.csv", refs="more")
    assert (code, "not-the-pinned-file" in err) == (2, True)
    assert list((home / "more").iterdir()) == []
    assert run(cli, home, "add", "--from", f"refs/{NAME}")[0] == 2
    assert run(cli, home, "add", "fixture", "--from", f"refs/{NAME}", "--title", "x")[0] == 2


def test_fetch_of_what_is_there_asks_nobody(cli: Cli, home: Path) -> None:
    code, out, _ = run(cli, home, "fetch", "fixture")
    assert (code, out.startswith("already there: fixture 1.0")) == (0, True)
    code, _, err = run(cli, home, "fetch", "fixture", refs="more")
    assert (code, "no-address" in err) == (2, True)


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("senses.csv", (FIXTURES / "fixture-senses-1.0.csv").read_bytes()),
        ("senses.tsv", b"Entry\tBase Word\tLevel\nf-1\tblim, to\tA1\n"),
        ("senses.json", b'[{"Entry": "f-1", "Base Word": "null", "Level": "A1"}]'),
        ("senses.xlsx", book(["Entry", "Base Word", "Level"], ["f-1", "blim", "A1"])),
    ],
)
def test_add_prints_an_entry_that_reads_the_file_it_was_made_from(file: str, data: bytes, cli: Cli, home: Path) -> None:
    (home / file).write_bytes(data)
    columns = ["--columns", "entry=Entry,headword=Base Word", "--columns", "level=Level", "--key", "entry"]
    said = ["--title", "no", "--edition", "1.10", "--licence", "a: b # c", "--cite", 'O’Neill, "x"\\']
    words = ["--from", file, *columns, "--levels", "level=A1,A2,B1,B2,C1,C2", "--prepare", "nfc=headword", *said]
    code, out, err = run(cli, home, "add", "senses", *words, refs=None)
    assert code == 0, err
    (home / "policies" / "words" / "references.yaml").write_text(out)
    loaded = load_packs(home / "policies")
    assert loaded.problems == ()
    one = loaded.packs["words"].references["senses"]
    assert (one.title, one.edition, one.licence, one.cite) == ("no", "1.10", "a: b # c", 'O’Neill, "x"\\')
    assert run(cli, home, "verify", refs=str(home))[0] == 0


def test_an_entry_with_nothing_said_is_refused_until_somebody_says_it(cli: Cli, home: Path) -> None:
    words = ["--from", f"refs/{NAME}", "--columns", "headword=headword,pos=pos", "--key", "headword,pos"]
    code, out, _ = run(cli, home, "add", *words, refs=None)
    assert (code, out.splitlines()[0]) == (0, "fixture_vocabulary_1_0:")
    (home / "policies" / "words" / "references.yaml").write_text(out)
    problems = load_packs(home / "policies").problems
    assert {problem.code for problem in problems} == {"empty-value"}
    assert len(problems) == 4


@pytest.mark.parametrize(
    "words",
    [
        ["--columns", "headword"],
        ["--columns", "a=headword,a=pos", "--key", "a"],
        ["--columns", "a=headword"],
        ["--columns", "a=headword", "--key", "b"],
        ["--columns", "A=headword", "--key", "A"],
        ["--columns", "order=headword", "--key", "order"],
        ["--columns", "a=headwrod", "--key", "a"],
        ["--columns", "a=headword", "--key", "a", "--levels", "b=A1,A2"],
        ["--columns", "a=headword,l=CEFR", "--key", "a", "--levels", "l=A1,A2"],
        ["--columns", "a=headword", "--key", "a", "--prepare", "trimm=a"],
        ["--columns", "a=headword", "--key", "a", "--prepare", "trim"],
    ],
)
def test_an_entry_that_would_not_fit_is_not_printed(words: list[str], cli: Cli, home: Path) -> None:
    code, out, err = run(cli, home, "add", "--from", f"refs/{NAME}", *words, refs=None)
    assert (code, out) == (2, "")
    assert "help: " in err


@pytest.mark.parametrize("words", [[], ["lst"], ["look"], ["fetch"], ["diff", "a"], ["add", "x"]])
def test_a_command_that_says_too_little_is_usage(words: list[str], cli: Cli, home: Path) -> None:
    assert run(cli, home, *words, refs=None)[0] == 2


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_diff_finds_nothing_between_a_file_and_itself_and_finds_each_flipped_level(data: st.DataObject) -> None:
    one, before = fixture_vocabulary()
    rows = before.decode().split("\r\n")
    at = data.draw(st.integers(1, len(rows) - 2))
    for level in ("A1", "A2", "B1", "B2", "C1"):
        if f",{level}," in rows[at]:
            rows[at] = rows[at].replace(f",{level},", ",C2,")
            break
    after = "\r\n".join(rows).encode()
    first, second = read_table(one, "a", before), read_table(one, "b", after)
    assert list(differences(first, first)) == []
    found = list(differences(first, second))
    unkeyed, was_ambiguous = rows[at].startswith("hobnil"), rows[at].startswith("jarp")
    assert len(found) == (0 if before == after or unkeyed or was_ambiguous else 1)


def test_a_reference_of_keys_alone_is_compared_too() -> None:
    from engine.model import ValueType

    columns = {"word": ("word", ValueType("text"))}
    first = read_table(reference(b"word\na\nb\n", columns), "a", b"word\na\nb\n")
    second = read_table(reference(b"word\nb\nc\n", columns), "b", b"word\nb\nc\n")
    assert [(one.kind, one.key) for one in differences(first, second)] == [("gone", ("a",)), ("new", ("c",))]


# ---- the real lists


def test_the_real_list_says_the_level_of_a_word_with_its_line_and_citation(cli: Cli, tmp_path: Path) -> None:
    folder = need(SHARED / "reference" / "cefr")
    key = ["headword=abandon", "pos=verb"]
    done = cli("reference", "look", "cefrj_vocabulary", *key, "--references", folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("level: B1 (cefrj_vocabulary 1.5, line 4, abandon, verb)\n")
    assert "Compiled by Yukio Tono" in done.stdout
    assert cli("reference", "verify", "--references", folder, cwd=ROOT).returncode == 0
