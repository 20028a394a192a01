"""Seals: whatever is altered by hand in a sealed page is noticed, and what makes no difference is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.honesty.looking import shown_row
from engine.seal import ALTERED, FITS, MEMBER, NONE, examined, resealed, sealed, sealed_document
from engine.sensors.artifact import sense

from .conftest import Cli
from .estates import lay
from .honest_samples import CLAIM_WORDS, PINNED
from .test_reports import FORMS, report

PAGES = {file: write(report()) for file, write in FORMS.items()}


def seal_of(file: str, page: str) -> str:
    """What the sensor of the gate says of the seal; a page that it cannot read at all is no page that passes."""
    sensed = sense(file, page.encode("utf-8"), CLAIM_WORDS)
    return ALTERED if sensed.unreadable else sensed.sealing


@pytest.mark.parametrize("file", FORMS)
def test_every_form_of_a_report_is_sealed(file: str) -> None:
    assert seal_of(file, PAGES[file]) == FITS


@given(st.sampled_from(sorted(FORMS)), st.data(), st.characters(exclude_categories=["Cs"]))
@settings(max_examples=150, deadline=None)
def test_no_character_of_a_report_is_altered_unnoticed(file: str, data: st.DataObject, other: str) -> None:
    page = PAGES[file]
    at = data.draw(st.integers(0, len(page) - 1))
    changed = data.draw(st.sampled_from([page[:at] + other + page[at + 1 :], page[:at] + page[at + 1 :]]))
    before, after = (text.replace("\r\n", "\n").rstrip() for text in (page, changed))
    same = before == after or (file.endswith("json") and _document(before) == _document(after))
    _, state = examined(changed, "json" if file.endswith("json") else "text")
    assert (state == FITS) == same


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


NEWCOMERS = {
    "a mark cut off": ("r.txt", " (made_up_words 1.0, line 2, gladdle, verb)", ""),
    "the key of a mark": ("r.txt", "line 2, gladdle, verb", "line 2, morven, noun"),
    "the word before a mark": ("r.txt", "- gladdle: ", "- morven: "),
    "a place on the scale": ("r.json", '"band":3', '"band":6'),
    "the mark": ("r.html", "6.15", "9.15"),
    "the mark in text": ("r.txt", "6.15", "9.15"),
    "the mark in Markdown": ("r.md", "6\\.15", "9\\.15"),
    "the mark in JSON": ("r.json", "6.15", "9.15"),
    "what it is for": ("r.html", "aimed at B1", "aimed at C2"),
    "a citation in text": ("r.txt", "sha256 ", "sha256 0"),
}


@pytest.mark.parametrize("what", NEWCOMERS)
def test_what_once_went_unnoticed_is_noticed(what: str) -> None:
    file, was, now = NEWCOMERS[what]
    assert was in PAGES[file]
    assert seal_of(file, PAGES[file].replace(was, now, 1)) == ALTERED


def test_line_ends_and_layout_make_no_difference() -> None:
    page = PAGES["r.html"]
    assert seal_of("r.html", page.replace("\n", "\r\n")) == FITS
    assert seal_of("r.html", page + "\n  \n") == FITS
    assert seal_of("r.json", json.dumps(json.loads(PAGES["r.json"]), indent=2, ensure_ascii=False)) == FITS


@pytest.mark.parametrize("more", ["one more line\n", sealed("x\n"), "<!-- fiel: sealed, sha256 12 -->\n"])
def test_nothing_stands_after_a_seal_and_there_is_one(more: str) -> None:
    page = sealed("some text\n") + more
    sensed = sense("page.md", page.encode(), CLAIM_WORDS)
    assert sensed.sealing != FITS
    assert sensed.sealing == ALTERED or any(one.flaw for one in sensed.shown)


@pytest.mark.parametrize("seal", [3, None, "sha256 12", "sha256 " + "0" * 64, ["x"]])
def test_a_member_that_is_no_seal_does_not_pass_for_one(seal: object) -> None:
    assert examined(json.dumps({"a": 1, MEMBER: seal}), "json")[1] == ALTERED


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_a_text_that_was_sealed_fits_and_sealing_again_changes_nothing(text: str) -> None:
    page = sealed(text)
    assert examined(page, "text")[1] in ((FITS,) if "sealed" not in text.lower() else (FITS, ALTERED))
    assert sealed(page) == page == resealed(page, "text")
    assert resealed("no seal\n" + text.replace("fiel", ""), "text").count("sha256") == text.count("sha256")
    document = sealed_document({"text": text})
    assert sealed_document(document) == document
    assert examined(json.dumps(document), "json")[1] == FITS
    assert examined(text.replace("fiel", ""), "text")[1] == NONE


def test_a_remark_on_a_whole_page_holds_only_where_the_page_is_sealed() -> None:
    page = 'The official level is B1.\n\n<!-- fiel: no claim on this page in "b1", because it is an example -->\n'

    def against(text: str) -> list[str]:
        return [one.flaw or one.value for one in sense("p.md", text.encode(), CLAIM_WORDS).shown]

    assert against(sealed(page)) == []
    assert "a remark on a whole page holds only in a page that is sealed" in against(page)
    assert against(sealed(page.replace("is B1.", "is B1, or B1."))) == ["B1"]
    unnamed = page.replace(' in "b1"', "")
    assert any("names the words" in one for one in against(sealed(unnamed)))


TEXT_MARKS = {
    "B1 (made_up_words 1.0, line 2, gladdle, verb)": "official",
    "B1 (made_up_words 1.0, line 2, gladdle, noun)": "wrong_line",
    "B1 (made_up_words 1.0, line 3, gladdle, verb)": "wrong_line",
    "B2 (made_up_words 1.0, line 2, gladdle, verb)": "differs",
    "B1 (made_up_words 1.0, line 2, gladdle)": None,
    "B1 (made_up_words 1.0, line 2, verb, gladdle)": "wrong_line",
    "B1 (made_up_words 1.0, line 2, gladdle, verb, x)": None,
}


@pytest.mark.parametrize("mark", TEXT_MARKS)
def test_the_key_of_a_mark_in_text_form_is_looked_up(mark: str) -> None:
    [shown] = sense("p.txt", f"morven, noun: {mark}\n".encode(), CLAIM_WORDS).shown
    assert shown_row(shown, PINNED)[12] == TEXT_MARKS[mark]
    assert (shown.flaw is not None) == (TEXT_MARKS[mark] is None)


def test_a_key_with_spaces_reads_back_from_its_mark() -> None:
    [shown] = sense("p.txt", b'A2 (made_up_words 1.0, line 4, "ice cream", noun)\n', CLAIM_WORDS).shown
    assert dict(shown.key) == {"headword": "ice cream", "pos": "noun"}


def test_the_gate_fails_on_an_altered_page_and_on_a_computed_value_without_a_seal(cli: Cli, tmp_path: Path) -> None:
    lay(tmp_path)
    page = tmp_path / "docs" / "score.html"
    text = page.read_text("utf-8")

    def gate() -> tuple[int, str]:
        done = cli("honesty", "--references", "lists", "--lies", "0", cwd=tmp_path)
        return done.returncode, done.stdout

    assert gate()[0] == 0
    page.write_text(text.replace("of 10", "of 20"), encoding="utf-8")
    code, said = gate()
    assert (code, "page_is_as_sealed" in said, "computed_value_is_sealed" in said) == (1, True, True)
    page.write_text(text.split("<!-- fiel: sealed")[0], encoding="utf-8")
    code, said = gate()
    assert (code, "page_is_as_sealed" in said, "computed_value_is_sealed" in said) == (1, False, True)
