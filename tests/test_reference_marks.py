"""Marks to paste, what stands in the place of a key, and how to get what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli
from .reference_commands import DATA, NAME, book, entry, home, run

__all__ = ["home"]


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
