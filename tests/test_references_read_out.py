"""What is prepared in a reference, and what looking a key up in it answers; the real lists."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.load import load_packs
from engine.model import PREPARE_STEPS
from engine.references import Lookup, ReferenceTable, open_references
from engine.references.prepare import STEPS
from engine.references.shelf import read_table

from .conftest import ROOT, SHARED, need
from .reference_reading import TEXT, read, refusal
from .references import FIXTURES, LEVELS, fixture_vocabulary

# ---- preparing


def test_the_steps_that_may_be_declared_are_those_that_can_be_done() -> None:
    assert tuple(sorted(STEPS)) == PREPARE_STEPS
    assert all(step.__doc__ for step in STEPS.values())


@pytest.mark.parametrize("name", PREPARE_STEPS)
@settings(max_examples=200, deadline=None)
@given(
    text=st.text(min_size=1, max_size=30) | st.text(st.sampled_from("aÄß/ ’“é\u0301ﬁ\u00a0 "), min_size=1, max_size=12)
)
def test_each_step_done_twice_is_done_once(name: str, text: str) -> None:
    once = STEPS[name](text)
    assert once
    assert tuple(part for one in once for part in STEPS[name](one)) == once


@given(st.lists(st.text(st.characters(blacklist_characters="/", blacklist_categories=["Cs"]), min_size=1), min_size=1))
def test_variants_that_were_joined_come_apart(variants: list[str]) -> None:
    assert STEPS["split_slashes"]("/".join(variants)) == tuple(variants)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("split_slashes", "a.m./A.M./am/AM", ("a.m.", "A.M.", "am", "AM")),
        ("split_slashes", "/a//b/", ("a", "b")),
        ("split_slashes", "//", ("//",)),
        ("nfc", "e\u0301", ("é",)),
        ("nfc", "ﬁ", ("ﬁ",)),
        ("nfkc", "ﬁＡ", ("fiA",)),
        ("casefold", "Straße", ("strasse",)),
        ("trim", "\u00a0 a  b\t", ("a  b",)),
        ("single_spaces", "a \u00a0 b", ("a b",)),
        ("straight_quotes", "o’clock “x”", ('o\'clock "x"',)),
    ],
)
def test_a_step_does_what_its_name_says(name: str, before: str, after: tuple[str, ...]) -> None:
    assert STEPS[name](before) == after


def test_steps_are_done_in_the_order_in_which_they_are_declared() -> None:
    data = b"word,level\n a / B ,A1\n / ,A2\n"
    apart = read(data, prepare=[("split_slashes", "word"), ("trim", "word")])
    assert apart.columns["word"] == ("a", "B", None, None)
    assert apart.lines == (2, 2, 3, 3)
    together = read(data, prepare=[("trim", "word"), ("split_slashes", "word")])
    assert together.columns["word"] == ("a ", " B", "/")


def test_nothing_is_prepared_that_is_not_declared() -> None:
    one, data = fixture_vocabulary()
    words = read_table(one, one.file, data).columns["headword"]
    assert {" glonk ", "drindle/drindel", "lumpet’s", "Frell"} <= set(words)
    assert "múnn" in words
    assert "münn" not in words


def test_the_rows_that_preparing_makes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.references.shelf.MAX_ROWS", 1000)
    message, line = refusal(b"word,level\n" + b"a/" * 2000 + b"b,A1\n", prepare=[("split_slashes", "word")])
    assert (message[:16], line) == ("more than 1,000 ", 2)


# ---- looking up


def fixture(*prepare: tuple[str, str]) -> Lookup:
    one, data = fixture_vocabulary(prepare)
    return Lookup(read_table(one, one.file, data))


def look(lookup: Lookup, headword: str | None, pos: str | None) -> tuple[object, ...]:
    answer = lookup.look({"headword": headword, "pos": pos}, "level")
    return (answer.kind, answer.value, answer.line)


def test_a_key_has_the_value_of_its_row_and_the_line() -> None:
    lookup = fixture()
    assert look(lookup, "blimmer", "noun") == ("found", "A1", 2)
    assert look(lookup, "blimmer", "verb") == ("found", "B2", 3)
    assert look(lookup, "blimmer", "adjective") == ("not_in_reference", None, None)
    assert look(lookup, "Blimmer", "noun") == ("not_in_reference", None, None)
    assert look(lookup, "glonk", "noun") == ("not_in_reference", None, None)


def test_an_incomplete_key_is_never_found_even_where_the_file_has_such_a_row() -> None:
    lookup = fixture()
    assert look(lookup, "hobnil", None) == ("incomplete_key", None, None)
    assert look(lookup, "hobnil", "") == ("not_in_reference", None, None)
    assert lookup.look({"headword": "blimmer"}, "level").kind == "incomplete_key"


def test_rows_that_agree_are_one_answer_and_rows_that_differ_are_none() -> None:
    lookup = fixture()
    same = lookup.look({"headword": "krazzle", "pos": "adverb"}, "level")
    assert (same.kind, same.value, same.line, same.cells) == ("found", "B1", 16, ((16, "B1"), (17, "B1")))
    several = lookup.look({"headword": "jarp", "pos": "verb"}, "level")
    assert (several.kind, several.value, several.line) == ("ambiguous_key", None, None)
    assert several.cells == ((14, "B1"), (15, "B2"))


def test_an_empty_cell_is_found_and_is_no_value() -> None:
    assert look(fixture(), "noffle", "noun") == ("found", None, 20)


def test_folding_that_makes_two_keys_one_makes_them_ambiguous() -> None:
    assert look(fixture(), "frell", "noun") == ("found", "B1", 10)
    data = b"word,level\nPolish,A2\npolish,B1\n"
    assert Lookup(read(data)).look({"word": "polish"}, "level").value == "B1"
    assert Lookup(read(data, prepare=[("casefold", "word")])).look({"word": "polish"}, "level").kind == "ambiguous_key"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", ""]), st.sampled_from(["n", "v", ""]), st.sampled_from(["A1", "B1", ""])
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["a", "b", "c", "d", None]),
    st.sampled_from(["n", "v", None]),
)
def test_a_look_up_is_what_reading_the_file_from_top_to_bottom_gives(
    rows: list[tuple[str, str, str]], word: str | None, pos: str | None
) -> None:
    data = "\n".join(["w,p,l", *(",".join(row) for row in rows), ""]).encode()
    columns = {"w": ("w", TEXT), "p": ("p", TEXT), "l": ("l", LEVELS)}
    answer = Lookup(read(data, columns=columns, key=("w", "p"))).look({"w": word, "p": pos}, "l")
    cells = [(n, level or None) for n, (w, p, level) in enumerate(rows, 2) if (w, p) == (word, pos)]
    if word is None or pos is None:
        assert answer.kind == "incomplete_key"
        assert answer.cells == ()
    elif not cells:
        assert answer.kind == "not_in_reference"
    else:
        assert answer.cells == tuple(cells)
        assert (answer.kind == "found") == (len({value for _, value in cells}) == 1)


# ---- lists by sense


def test_a_sense_is_named_by_its_entry_or_by_its_guide_word() -> None:
    data = (FIXTURES / "fixture-senses-1.0.csv").read_bytes()
    columns = {
        "entry": ("Entry", TEXT),
        "headword": ("Base Word", TEXT),
        "pos": ("Part of Speech", TEXT),
        "guideword": ("Guideword", TEXT),
        "level": ("Level", LEVELS),
    }
    by_entry = Lookup(read(data, columns=columns, key=("entry",)))
    assert by_entry.look({"entry": "f-0003"}, "level").value == "B2"
    by_word = Lookup(read(data, columns=columns, key=("headword", "pos")))
    assert by_word.look({"headword": "blim", "pos": "modal verb"}, "level").kind == "ambiguous_key"
    by_sense = Lookup(read(data, columns=columns, key=("headword", "pos", "guideword")))
    assert by_sense.look({"headword": "blim", "pos": "modal verb", "guideword": "POLITE"}, "level").value == "A1"
    # A sense without a guide word cannot be named by one.
    assert by_sense.look({"headword": "blim", "pos": "noun", "guideword": None}, "level").kind == "incomplete_key"


# ---- the real lists


@pytest.fixture(scope="module")
def real() -> Mapping[str, ReferenceTable]:
    folder = need(SHARED / "reference" / "cefr")
    pack = load_packs(ROOT / "policies" / "cefr").packs["cefr"]
    shelf = open_references(pack.references.values(), [folder])
    assert shelf.problems == {}
    return shelf.tables


def as_written(table: ReferenceTable) -> ReferenceTable:
    """The same file with nothing prepared."""
    return read_table(replace(table.reference, prepare=()), table.path, Path(table.path).read_bytes())


def test_the_real_list_has_the_values_and_lines_of_its_file(real: Mapping[str, ReferenceTable]) -> None:
    lookup = Lookup(real["cefrj_vocabulary"])
    assert look(lookup, "abandon", "verb") == ("found", "B1", 4)
    assert look(lookup, "am", "adverb") == ("found", "A1", 3)
    assert look(lookup, "would", "modal auxiliary")[:2] == ("found", "A1")
    assert look(lookup, "went", "verb")[0] == "not_in_reference"
    lines = Path(real["cefrj_vocabulary"].path).read_text("utf-8").splitlines()
    for row, line in enumerate(real["cefrj_vocabulary"].lines):
        assert (real["cefrj_vocabulary"].columns["pos"][row] or "") in lines[line - 1]


def test_the_real_lists_have_the_traits_that_were_counted(real: Mapping[str, ReferenceTable]) -> None:
    plain = as_written(real["cefrj_vocabulary"])
    headwords, pos, level = (plain.columns[name] for name in ("headword", "pos", "level"))
    assert (len(headwords), len(set(headwords)), len(set(zip(headwords, pos, strict=True)))) == (7799, 6867, 7799)
    assert sum("/" in str(word) for word in headwords) == 167
    levels: dict[object, set[object]] = {}
    for word, one in zip(headwords, level, strict=True):
        levels.setdefault(word, set()).add(one)
    assert sum(len(found) > 1 for found in levels.values()) == 571
    folded = {(str(word).casefold(), one) for word, one in zip(headwords, pos, strict=True)}
    assert 7799 - len(folded) == 1
    assert set(level) == {1, 2, 3, 4}
    assert all(unicodedata.is_normalized("NFC", str(word)) for word in headwords)
    other = as_written(real["octanove_vocabulary"])
    words, kinds = other.columns["headword"], other.columns["pos"]
    assert (len(words), len(set(zip(words, kinds, strict=True)))) == (2136, 2076)
    assert (kinds.count(None), sum(str(word) != str(word).strip() for word in words)) == (1, 2)
    assert len(set(zip(headwords, pos, strict=True)) & set(zip(words, kinds, strict=True))) == 95


def test_the_real_lists_have_ambiguous_keys_in_one_and_none_in_the_other(real: Mapping[str, ReferenceTable]) -> None:
    def ambiguous(name: str) -> int:
        lookup = Lookup(real[name])
        return sum(look(lookup, *key)[0] == "ambiguous_key" for key in lookup.rows)

    assert (ambiguous("cefrj_vocabulary"), ambiguous("octanove_vocabulary")) == (0, 23)


def test_json_lines_are_no_json(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"word": w, "level": "A1"}) + "\n" for w in "ab")
    assert "a list of objects was expected" in refusal(lines.encode(), format="json")[0]
