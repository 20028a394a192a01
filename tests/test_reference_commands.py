"""`fiel reference` from the outside: what it prints, its exit codes, and that it leaves no half-written file."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from engine.load import load_packs
from engine.references.compare import differences
from engine.references.shelf import read_table

from .conftest import ROOT, SHARED, Cli, need
from .references import FIXTURES, fixture_vocabulary, reference

PACK = "format: 1\npack: {0}\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = """\
shown_level:
  row: A level that a page shows.
  key: [place]
  columns:
    place: {type: text}
    word: {type: text, required: true}
    kind: {type: text}
    level: {type: levels, levels: [A1, A2, B1, B2, C1, C2]}
"""
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
NAME = "fixture-vocabulary-1.0.csv"
DATA = (FIXTURES / NAME).read_bytes()


def entry(data: bytes = DATA, file: str = NAME) -> str:
    return (
        f"fixture:\n  title: Invented words\n  edition: '1.0'\n  file: {file}\n"
        f"  sha256: '{hashlib.sha256(data).hexdigest()}'\n  licence: CC0-1.0\n  cite: Nobody.\n"
        "  columns:\n    headword: headword\n    pos: pos\n"
        "    level: {from: CEFR, type: levels, levels: [A1, A2, B1, B2, C1, C2]}\n"
        "  prepare: [split_slashes: headword]\n  key: [headword, pos]\n  checked: 2026-11-30\n"
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the pack `words` and the file of its reference in `refs`."""
    pack = tmp_path / "policies" / "words"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text(PACK.format("words"))
    (pack / "relations.yaml").write_text(RELATIONS)
    (pack / "references.yaml").write_text(entry())
    (tmp_path / "refs").mkdir()
    (tmp_path / "refs" / NAME).write_bytes(DATA)
    return tmp_path


def run(cli: Cli, home: Path, *words: str, refs: str | None = "refs") -> tuple[int, str, str]:
    folder = ["--references", refs] if refs else []
    done = cli("reference", *words, *folder, cwd=home, XDG_DATA_HOME=str(home / "data"), FIEL_REFERENCES="")
    assert "bug of Fiel" not in done.stderr
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


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


def book(*rows: list[str | None]) -> bytes:
    workbook = Workbook()
    assert workbook.active is not None
    for row in rows:
        workbook.active.append(row)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


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


# ---- marks, and what there is in the place of a key


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        (
            "html",
            '<data class="official" data-reference="fixture" data-edition="1.0" '
            'data-key="{&quot;headword&quot;:&quot;blimmer&quot;,&quot;pos&quot;:&quot;noun&quot;}" '
            'data-column="level" data-line="2" value="A1">A1</data>',
        ),
        ("markdown", '[A1](fiel:fixture@1.0?headword=blimmer&pos=noun#level:2 "official")'),
        (
            "json",
            '{"value":"A1","provenance":"official","reference":"fixture","edition":"1.0",'
            '"key":{"headword":"blimmer","pos":"noun"},"column":"level","line":2}',
        ),
        ("text", "A1 (fixture 1.0, line 2, blimmer, noun)"),
    ],
)
def test_a_mark_to_paste_is_all_that_stands_on_standard_output(form: str, mark: str, cli: Cli, home: Path) -> None:
    code, out, err = run(cli, home, "look", "fixture", "headword=blimmer", "pos=noun", "--mark", form)
    assert (code, out, err) == (0, mark + "\n", "Invented words. CC0-1.0\nNobody.\n")


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("jarp verb", "several rows have this key, with different values of level"),
        ("noffle noun", "its level is empty"),
        ("went verb", "it is not in the list"),
        ("blimmer nuon", "it is not in the list (fixture 1.0); it has headword=blimmer with pos: noun, verb"),
    ],
)
def test_what_has_no_value_has_no_mark(key: str, why: str, cli: Cli, home: Path) -> None:
    headword, pos = key.split()
    code, out, err = run(cli, home, "look", "fixture", f"headword={headword}", f"pos={pos}", "--mark", "markdown")
    assert (code, out) == (1, "")
    assert f"no mark for headword={headword}, pos={pos}: {why}" in err
    (home / "refs" / NAME).write_bytes(DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2"))
    code, out, err = run(cli, home, "look", "fixture", "headword=blimmer", "pos=noun", "--mark", "markdown")
    assert (code, out, "reference-changed" in err) == (2, "", True)


def test_a_file_of_keys_gives_a_mark_a_line_and_names_what_has_none(cli: Cli, home: Path) -> None:
    (home / "keys.csv").write_text("note,pos,headword\n1,verb,drindel\n2,verb,jarp\n3,,blimmer\n4,noun,blimmer\n")
    code, out, err = run(cli, home, "look", "fixture", "--keys", "keys.csv", "--mark", "text")
    assert (code, out) == (1, "B1 (fixture 1.0, line 5, drindel, verb)\nA1 (fixture 1.0, line 2, blimmer, noun)\n")
    assert "keys.csv:3: no mark for headword=jarp, pos=verb: several rows" in err
    assert "keys.csv:4: no mark for headword=blimmer, pos=: a part of the key is empty" in err
    (home / "keys.csv").write_text("headword,pos\nblimmer,noun\n")
    assert run(cli, home, "look", "fixture", "--keys", "keys.csv", "--mark", "text")[0] == 0


@pytest.mark.parametrize(
    "text", ["", "headword\nblimmer\n", "headword,pos,pos\na,b,c\n", "headword,pos\n", "headword,pos\na,b,c\n", '"a']
)
def test_a_file_that_holds_no_keys_is_refused_before_anything_is_printed(text: str, cli: Cli, home: Path) -> None:
    (home / "keys.csv").write_text(text)
    code, out, err = run(cli, home, "look", "fixture", "--keys", "keys.csv", "--mark", "text")
    assert (code, out) == (2, "")
    assert "keys-unreadable" in err
    assert "  help: " in err


def test_a_mark_is_of_one_column_and_the_options_of_marks_need_it(cli: Cli, home: Path) -> None:
    key = ["headword=blimmer", "pos=noun"]
    code, _, err = run(cli, home, "look", "fixture", *key, "--mark", "text", "--column", "levl")
    assert (code, "did you mean `level`?" in err) == (2, True)
    assert "options-exclude" in run(cli, home, "look", "fixture", *key, "--column", "level")[2]
    assert "options-exclude" in run(cli, home, "look", "fixture", "--keys", "keys.csv")[2]
    assert "options-exclude" in run(cli, home, "look", "fixture", *key, "--keys", "keys.csv", "--mark", "text")[2]
    assert "the key of `fixture` is not whole" in run(cli, home, "look", "fixture", "--mark", "text")[2]
    two = "    level: CEFR\n    other: CEFR\n"
    pinned = home / "policies" / "words" / "references.yaml"
    pinned.write_text(entry().replace("    level: {from: CEFR, type: levels, levels: [A1, A2, B1, B2, C1, C2]}\n", two))
    code, out, err = run(cli, home, "look", "fixture", *key, "--mark", "text")
    assert (code, out, "add `--column NAME`; columns: `level`, `other`" in err) == (2, "", True)
    assert run(cli, home, "look", "fixture", *key, "--mark", "text", "--column", "other")[0] == 0


@pytest.mark.parametrize(
    ("headword", "pos", "near"),
    [
        ("blimmer", "n", "it has headword=blimmer with pos: noun, verb"),
        ("Blimmer", "noun", "nearest key: headword=blimmer pos=noun"),
        ("BLIMMER", "n", "it has headword=blimmer with pos: noun, verb"),
        ("krazzel", "adverb", "nearest key: headword=krazzle pos=adverb"),
        ("krazzel", "n", "it has headword=krazzle with pos: adverb"),
        ("qqqq", "noun", None),
    ],
)
def test_a_key_that_is_not_there_is_answered_with_what_is(
    headword: str, pos: str, near: str | None, cli: Cli, home: Path
) -> None:
    code, out, _ = run(cli, home, "look", "fixture", f"headword={headword}", f"pos={pos}")
    first = f"not in fixture 1.0: headword={headword}, pos={pos}\n"
    assert (code, out) == (1, first + (f"  {near}\n" if near else ""))


# ---- what was passed over, and how to get what is not there


def test_a_file_that_was_passed_over_is_named(cli: Cli, home: Path) -> None:
    (home / "old").mkdir()
    (home / "old" / NAME).write_bytes(DATA + b"x,y,A1,,,\r\n")
    for action in ("list", "verify"):
        code, out, _ = run(cli, home, action, "--references", "old")
        assert code == 0
        assert f"refs/{NAME}" in out.splitlines()[0]
        assert f"note: passed over old/{NAME}: another hash" in out
        done = cli("reference", action, "--references", "refs", "--references", "old", cwd=home)
        assert "passed over" not in done.stdout


def test_list_says_how_to_get_what_is_missing_or_changed(cli: Cli, home: Path) -> None:
    add = "`fiel reference add fixture --from FILE`, or name the folder that has it with `--references DIR`"
    assert run(cli, home, "list", refs=None)[1].endswith(f"  help: {add}\n")
    pinned = home / "policies" / "words" / "references.yaml"
    pinned.write_text(entry() + "  obtain: https://example.org/list.csv\n")
    (home / "refs" / NAME).write_bytes(DATA + b"x,y,A1,,,\r\n")
    assert run(cli, home, "list")[1].endswith(f"  help: `fiel reference fetch fixture` or {add}\n")
    assert "help:" not in run(cli, home, "verify")[1]


@pytest.mark.parametrize(
    ("file", "data", "headings"),
    [
        ("new.csv", b"Word,Level\na,A1\n", "its headings: `Word`, `Level`"),
        ("new.tsv", b"Word\tLevel\na\tA1\n", "its headings: `Word`, `Level`"),
        ("new.json", b'[{"Word": "a", "Level": "A1"}]', "its headings: `Word`, `Level`"),
        ("new.xlsx", book(["Word", "Level"], ["a", "A1"]), "its headings: `Word`, `Level`"),
        ("new.csv", b"\0", "its headings cannot be read"),
        ("new.json", b"[", "its headings cannot be read"),
        ("new.txt", b"a", "its headings cannot be read"),
        ("new.xlsx", b"a", "its headings cannot be read"),
    ],
)
def test_adding_a_list_that_nobody_declared_says_how_to_declare_it(
    file: str, data: bytes, headings: str, cli: Cli, home: Path
) -> None:
    (home / file).write_bytes(data)
    code, out, err = run(cli, home, "add", "fixtures", "--from", file)
    assert (code, out) == (2, "")
    assert "did you mean `fixture`? to declare a new list, add `--columns NAME=HEADING,… --key NAME,…`; " in err
    assert headings in err
    assert "did you mean" not in run(cli, home, "add", "own", "--from", file)[2]
