"""What marks write, the sensor reads back exactly: in every form, for every provenance, whatever the texts are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attest import Claim, Computed, Human, Official, Pinned, Proposed, Provenance, Withheld, attest
from engine.markup import NotAMark, Target, read_shown, read_target, shown_text, write_target
from engine.model import Reference
from engine.references import Lookup, ReferenceTable
from engine.render import marks
from engine.sensors.artifact import ShownValue, claim_words, sense

from .honest_samples import CLAIM_WORDS, PINNED, WORDS

HOSTILE = [
    *["B1", "a b", " a", "a  b", '"', '""', '"B1"', "a)b", "](x", "<b>&amp;</b>", "&#66;1", "%41", "\u202eB1", "a\nb"],
    *["\x00", "\u200b", "`x`", "*_~", "\\", "\\n", "|", "'", "é", "e\u0301", "\ud7ff", "😀", "a#b?c=d&e@f:1", "#"],
    *["[x]", "official", "-->", "<!--", "line 3", "withheld", "http://a.b", "www.a.b", "- x", "1. x", "# x"],
]
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=4).map("".join),
)
FORMS = {"html": "page.html", "markdown": "page.md", "text": "page.txt", "json": "page.json"}


def _read_back(one: Provenance, form: str, words: object = CLAIM_WORDS) -> ShownValue:
    written = getattr(marks, form)(one)
    assert "\n" not in written
    assert written.isprintable()
    sensed = sense(FORMS[form], written.encode(), words)  # type: ignore[arg-type]
    assert sensed.unreadable is None
    (shown,) = [row for row in sensed.shown if row.marked != "unmarked"]
    return shown


def _official(value: str, headword: str, pos: str, edition: str) -> tuple[Official, Reference]:
    """An official value of a reference with one row, made by `attest` like any other."""
    reference = replace(WORDS, edition=edition)
    table = ReferenceTable(
        reference, "f.csv", (31,), {"headword": (headword,), "pos": (pos,), "level": (1,), "definition": (value,)}
    )
    claim = Claim(value, reference.name, {"headword": headword, "pos": pos}, "definition")
    found = attest(claim, {reference.name: Pinned(reference, Lookup(table))})
    assert isinstance(found, Official)
    return found, reference


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=150, deadline=None)
@given(value=TEXTS, headword=TEXTS, pos=TEXTS, edition=TEXTS)
def test_an_official_mark_is_read_back_exactly(form: str, value: str, headword: str, pos: str, edition: str) -> None:
    if not value.strip():
        return
    one, reference = _official(value, headword, pos, edition)
    shown = _read_back(one, form, claim_words([reference]))
    assert (shown.form, shown.marked, shown.flaw) == (form, "official", None)
    assert (shown.value, shown.reference, shown.edition, shown.stated_line) == (value, one.reference, edition, 31)
    if form != "text":
        assert (dict(shown.key), shown.column) == (dict(one.key), "definition")


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=150, deadline=None)
@given(value=TEXTS, one=TEXTS, two=TEXTS, kind=st.sampled_from([Proposed, Computed, Human]))
def test_every_other_mark_is_read_back_exactly(form: str, value: str, one: str, two: str, kind: type) -> None:
    given_ = Computed(value, one) if kind is Computed else kind(value, one, two)
    shown = _read_back(given_, form)
    names = {Proposed: ("sensor", "run"), Computed: ("by",), Human: ("by", "at")}[kind]
    assert shown.flaw is None
    assert (shown.marked, shown.value) == (kind.__name__.lower(), value)
    assert shown.by == dict(zip(names, (one, two), strict=False))


@pytest.mark.parametrize("form", FORMS)
@given(claimed=TEXTS, explanation=TEXTS)
@settings(max_examples=50, deadline=None)
def test_what_is_withheld_never_shows_what_was_claimed(form: str, claimed: str, explanation: str) -> None:
    claimed, one = f"zq{claimed}qz", Withheld("differs", f"zq{claimed}qz", explanation)
    written = getattr(marks, form)(one)
    assert claimed not in written
    assert "differs" in written
    assert "withheld" in written
    assert written.isprintable()
    if form == "json":
        assert json.loads(written)["value"] is None


def test_marks_look_as_documented() -> None:
    one = attest(Claim("B1", "made_up_words", {"headword": "gladdle", "pos": "verb"}, "level"), PINNED)
    assert marks.html(one) == (
        '<data class="official" data-reference="made_up_words" data-edition="1.0" data-key="{&quot;headword&quot;:'
        '&quot;gladdle&quot;,&quot;pos&quot;:&quot;verb&quot;}" data-column="level" data-line="2" value="B1">B1</data>'
    )
    assert marks.markdown(one) == '[B1](fiel:made_up_words@1.0?headword=gladdle&pos=verb#level:2 "official")'
    assert marks.text(one) == "B1 (made_up_words 1.0, line 2, gladdle, verb)"
    assert marks.json(one) == (
        '{"value":"B1","provenance":"official","reference":"made_up_words","edition":"1.0",'
        '"key":{"headword":"gladdle","pos":"verb"},"column":"level","line":2}'
    )


@given(TEXTS)
def test_a_shown_text_is_printable_and_reads_back(value: str) -> None:
    assert shown_text(value).isprintable()
    assert read_shown(shown_text(value)) == value


@given(st.none() | TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=3), st.none() | TEXTS, st.none() | st.integers(1, 9))
def test_a_target_reads_back(edition: str | None, query: dict[str, str], column: str | None, line: int | None) -> None:
    target = Target("r", query, column, edition, line if column is not None else None)
    assert read_target(write_target(target)) == target


@given(st.text(max_size=30))
def test_any_target_is_read_or_refused(rest: str) -> None:
    try:
        target = read_target(f"fiel:{rest}")
    except NotAMark:
        return
    assert read_target(write_target(target)) == target
