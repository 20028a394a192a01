"""Reports on documents: what they show is attested, the text comes out as it went in, and the gate reads them back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attest import Claim, Computed, Official, Proposed, Withheld, attest
from engine.honesty.looking import shown_row
from engine.markup import PIN_COLUMNS
from engine.render.reports import overview_html, overview_json, report_html, report_json, report_markdown, report_text
from engine.render.reports.legible import legible
from engine.render.reports.words import languages
from engine.report import (
    Correction,
    Dropped,
    Entry,
    Find,
    Headings,
    Held,
    Origin,
    Overview,
    Part,
    Proposal,
    Report,
    Ruling,
    RunLine,
    Scale,
    Score,
    Source,
    Span,
)
from engine.seal import resealed
from engine.sensors.artifact import sense

from .honest_samples import CLAIM_WORDS, LEVELS, PINNED, WORDS

FORMS = {"r.html": report_html, "r.md": report_markdown, "r.json": report_json, "r.txt": report_text}
HEADINGS = Headings("Report", "Words", "word", "Forms", "form", "Slips", "slip", "kind")
TEXT = "I gladdle at morven.\r\n\r\nIt is my official B1 level, in two weeks."
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m official B2 </p></div>--> \"'`"


def official(headword: str, pos: str, level: str) -> Official | Withheld:
    return attest(Claim(level, WORDS.name, {"headword": headword, "pos": pos}, "level"), PINNED)


def source() -> Source:
    claims = {part: Claim(getattr(WORDS, part), WORDS.name, {}, column) for part, column in PIN_COLUMNS.items()}
    return Source(WORDS.name, WORDS.title, {part: attest(claim, PINNED) for part, claim in claims.items()})


def report(text: str = TEXT, **changes: object) -> Report:
    """A report with something in each part of it."""
    origin = Origin("step", "2 point", "guess", "Nobody knows.", "2027-06-30")
    made = Report(
        "made_up",
        "1",
        "en",
        "en",
        "essay.txt",
        text,
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        HEADINGS,
        ("aimed at B1",),
        ("The text has 12 words.",),
        Scale("level", LEVELS),
        (
            Find("o1", (Span(2, 9),), "gladdle", "gladdle", "verb", official("gladdle", "verb", "B1"), 3),
            Find("o2", (Span(13, 19),), "morven", "morven", "noun", official("morven", "noun", "A1"), 1, "of a day"),
            Find("o3", (Span(20, 20),), "x", "absent", "noun", official("absent", "noun", "C1"), None),
        ),
        (
            Proposal("p1", Span(0, 12), "I gladdle at", "glad verb", Proposed("C1", "marker", "r1"),
                     official("gladdle", "noun", "B2"), 4, "The file counts.", "Gladness"),
            Proposal("p2", Span(5, 19), "ddle at morven", "other", Proposed("B2", "marker", "r1"), None, 4, "Half."),
        ),
        (Correction("e1", Span(10, 19), "at morven", "in morven", ("grammar", "grave"), 3, "No es at.", "es"),),
        Score("Mark", Computed("6.15", "made_up.mark"), "0", "10", "a and b",
              (Part("Range", "8", "0.4", "3.2", "Up to B1.", (origin,)), Part("Rest", None, None, None, "Unknown."))),
        (Held("twice", "The list says two things.", (Span(0, 1),), (official("twice", "noun", "A2"),)),),
        (Dropped("quote-absent", "the quote is not in the text", HOSTILE, "marker"),),
        (Ruling("made_up.rule", "A rule", "fail", None, (("fail", 1),), "what it cannot see"),),
        "fail",
        ("Whether it is true.",),
        (source(),),
        (RunLine("marker", "llm", "constructed", (("model", "m"), ("run_id", "r1"), ("prompt_sha256", "ab"))),),
        True,
        CLAIM_WORDS,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def offences(file: str, page: str) -> list[str]:
    """What the gate would have against a page: claims without a mark, marks that are flawed or not confirmed.

    A page that was altered is sealed anew: that its seal does not fit is another matter (`test_seals.py`).
    """
    found = []
    sensed = sense(file, resealed(page, "json" if file.endswith("json") else "text").encode("utf-8"), CLAIM_WORDS)
    assert sensed.unreadable is None
    for one in sensed.shown:
        answer = shown_row(one, PINNED)[12]
        if one.marked == "unmarked" or one.flaw or (one.marked == "official" and answer != "official"):
            found.append(f"{one.line} {one.marked} {one.value} {one.flaw} {answer}")
    return found + [f"{one.line} excuses nothing" for one in sensed.no_claims if not one.excused]


@pytest.mark.parametrize("file", FORMS)
def test_the_gate_has_nothing_against_any_form(file: str) -> None:
    page = FORMS[file](report())
    assert offences(file, page) == []
    assert sum(one.marked == "official" for one in sense(file, page.encode(), CLAIM_WORDS).shown) >= 3
    empty = report("", finds=(), proposals=None, corrections=None, score=None, withheld=(), dropped=(), sources=())
    assert offences(file, FORMS[file](empty)) == []


MARK = re.compile(r'<data class="official"[^>]*>[^<]*</data>')


def _altered(page: str) -> Iterator[tuple[str, str]]:
    """The page with one thing of one official mark altered, for every thing of every mark."""
    for mark in MARK.finditer(page):
        whole = mark[0]
        shown = whole[whole.index(">") + 1 : whole.rindex("<")]
        for other in ("Z9", "A2" if shown != "A2" else "B1"):
            new = whole.replace(f'value="{shown}"', f'value="{other}"').replace(f">{shown}<", f">{other}<")
            yield f"{shown} is {other}", page[: mark.start()] + new + page[mark.end() :]
        yield f"{shown} is said otherwise", page.replace(whole, whole.replace(f">{shown}<", ">C2<"), 1)
        for word in ("proposed", "computed", ""):
            new = whole.replace('class="official"', f'class="{word}"')
            yield f"{shown} is called {word}", page[: mark.start()] + new + page[mark.end() :]
        for name in re.findall(r' (data-[a-z]+)="', whole):
            for value in ("made-up", ""):
                new = re.sub(rf' {name}="[^"]*"', f' {name}="{value}"', whole)
                yield f"{shown}: {name}={value}", page[: mark.start()] + new + page[mark.end() :]
        if 'data-column="level"' in whole:
            yield f"{shown} without its mark", page[: mark.start()] + shown + page[mark.end() :]


def test_whatever_is_altered_by_hand_in_an_official_value_of_a_page_is_noticed() -> None:
    page, tried = report_html(report()), 0
    for what, altered in _altered(page):
        if altered != page:
            tried += 1
            assert offences("r.html", altered), what
    assert tried > 150


@pytest.mark.parametrize("field", PIN_COLUMNS)
@pytest.mark.parametrize("file", ["r.html", "r.md", "r.json"])
def test_a_citation_that_was_altered_is_noticed_in_every_form_with_marks(file: str, field: str) -> None:
    page = FORMS[file](report())
    spots = {
        "r.html": rf'<data [^>]*"@{field}"[^>]*>',
        "r.md": rf"\[[^\]]*\]\(fiel:[^)]*#%40{field} ",
        "r.json": rf'"@{field}"[^}}]*',
    }
    found = re.search(spots[file], page)
    assert found is not None
    value = str(getattr(WORDS, field))
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", value) if file == "r.md" else value
    at = page.index(escaped, max(found.start() - 200, 0) if file == "r.json" else found.start())
    assert offences(file, page[:at] + "X" + page[at + 1 :])


@pytest.mark.parametrize("file", ["r.md", "r.json", "r.txt"])
def test_a_level_that_was_altered_is_noticed_in_the_other_forms(file: str) -> None:
    page = FORMS[file](report())
    spots = {"r.md": r"\[B1\]\(fiel", "r.json": r'"value":"B1"', "r.txt": r"B1 \(made_up_words"}
    assert re.search(spots[file], page)
    assert offences(file, re.sub(spots[file], lambda found: found[0].replace("B1", "B2"), page, count=1))


def test_a_remark_excuses_the_words_that_it_names_and_no_others() -> None:
    page = report_html(report())
    remark = next(one for one in re.findall(r"<!-- fiel: [^>]*-->", page) if "two weeks" in one)
    assert '"b1"' in remark
    assert offences("r.html", page.replace("in two weeks.", "in two weeks, level C1."))


class _Said(HTMLParser):
    """The text of the paragraphs of the marked text, without labels and notes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[str] = []
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = dict(attrs).get("class") or ""
        if tag not in ("input", "meta", "path", "rect", "circle", "br"):
            self.stack.append(f"{tag}.{name}")
        if tag == "p" and "div.said" in self.stack:
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop().partition(".")[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        hidden = any(one.startswith(("a.ref", "span.card")) for one in self.stack)
        if any(one.startswith("div.said") for one in self.stack) and not hidden and "p." in self.stack:
            self.paragraphs[-1] += data


LETTERS = st.text(
    st.one_of(
        st.sampled_from("ab \t\n\r<>&\"'é\u0301\u200b\u202e\u05d0\x1b\x85\u2028😀"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=60,
).filter(lambda text: "\0" not in text)


@given(LETTERS, st.lists(st.tuples(st.integers(0, 59), st.integers(1, 30)), max_size=5))
@settings(max_examples=60, deadline=None)
def test_without_labels_and_notes_a_paragraph_is_what_was_written(text: str, places: list[tuple[int, int]]) -> None:
    spans = [Span(start, min(start + length, len(text))) for start, length in places if start < len(text)]
    marks = tuple(
        Correction(f"e{n}", span, text[span.start : span.end], "x", ("t",), 1 + n % 3, "w", "es")
        for n, span in enumerate(spans, 1)
    )
    finds = (
        (Find("o1", tuple(spans[:2]), "x", "gladdle", "verb", official("gladdle", "verb", "B1"), 3),) if spans else ()
    )
    finds = finds if len(set(spans[:2])) == len(spans[:2]) else ()
    reader = _Said()
    reader.feed(report_html(report(text, corrections=marks, finds=finds, proposals=(), withheld=(), dropped=())))
    lines = [line for line in re.split(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", text) if line]
    assert reader.paragraphs == [legible(line) for line in lines]
    assert len(legible(text)) == len(text)


@pytest.mark.parametrize("file", FORMS)
def test_what_a_model_or_a_learner_writes_does_nothing(file: str) -> None:
    hostile = report(
        HOSTILE + TEXT,
        document=HOSTILE,
        finds=(),
        corrections=(Correction("e1", Span(0, 8), HOSTILE, HOSTILE, (HOSTILE,), 3, HOSTILE, "es"),),
        proposals=(Proposal("p1", Span(1, 9), HOSTILE, HOSTILE, Proposed("B1", "marker", "r"), None, 1, HOSTILE),),
        blind=(HOSTILE,),
    )
    page = FORMS[file](hostile)
    assert offences(file, page) == []
    if file == "r.html":
        assert "<script" not in page
        assert page.count("<style>") == 1
    if file == "r.json":
        assert json.loads(page)["text"] == legible(HOSTILE + TEXT)
    if file in ("r.md", "r.txt"):
        assert "\x1b" not in page
        assert "\u202e" not in page
    if file == "r.md":
        assert re.search(r"(?<!\\)<script", page) is None


def test_nobody_looked_is_not_nothing_was_found() -> None:
    looked, nobody = report(corrections=(), proposals=()), report(corrections=None, proposals=None)
    for write in (report_html, report_markdown, report_text):
        assert "Nothing was reported here" in write(looked)
        assert "Nobody looked" not in write(looked)
        assert write(nobody).count("Nobody looked") == 2
    assert json.loads(report_json(nobody))["corrections"] is None
    assert json.loads(report_json(looked))["corrections"] == []


def test_a_score_that_is_missing_is_no_zero_and_has_no_needle() -> None:
    made = report()
    assert made.score is not None
    missing = report(score=replace(made.score, value=None))
    page = report_html(missing)
    assert "It is not zero" in page
    assert 'class="needle"' not in page
    assert 'class="needle"' in report_html(made)


def test_guesses_are_said_to_be_guesses_and_a_constructed_run_to_be_constructed() -> None:
    for write in (report_html, report_markdown, report_text):
        page = write(report())
        assert "uncalibrated guess" in page
        assert "Constructed sample" in page
        assert "2027" in page
    assert json.loads(report_json(report()))["constructed"] is True


def test_a_long_text_keeps_its_notes_in_the_lists() -> None:
    assert 'class="card"' in report_html(report())
    assert 'class="card"' not in report_html(report(TEXT + " word" * 1_600))


def test_every_language_has_every_word() -> None:
    en, *others = languages().values()
    assert all(set(one) == set(en) for one in others)
    assert all(text.strip() for one in languages().values() for text in one.values())


def test_forms_are_the_same_bytes_each_time() -> None:
    for write in FORMS.values():
        assert write(report()) == write(report())


def test_the_page_about_a_folder_links_reports_and_says_what_failed() -> None:
    entries = (
        Entry("a & b.txt", "a & b.html", "6.15", "pass", "12 words.", (3, 2, 1, 0, 0, 0), 4),
        Entry("<b>.txt", None, None, "error", "", problem="document-unreadable: line 1 is not UTF-8"),
        Entry("c.txt", "c.html", None, "no_evidence", "2 words.", (1, 0, 0, 0, 0, 0), None),
    )
    overview = Overview(
        "made_up", "en", HEADINGS, Scale("level", LEVELS), entries, "0", "10", "Mark", levels=(1, 0, 2, 0, 0, 0)
    )
    page = overview_html(overview)
    assert 'href="a%20%26%20b.html"' in page
    assert "line 1 is not UTF-8" in page
    assert "<b>.txt" not in page
    assert page.count("<svg") == 2
    assert offences("index.html", page) == []
    assert json.loads(overview_json(overview))["entries"][1]["problem"]
