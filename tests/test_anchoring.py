"""It is impossible to highlight what the author did not write: laws of anchoring, against a second, slow anchorer."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text import Anchor, Anchorer, NoAnchor, Span, normalised, sentences
from engine.text.normal import Normal

PIECES = """a b e A é e\u0301 \u0301 \u0323 \u0f73 ’ ' ´ “ " » — - – … . . ... ש ע\u05b8 \u202e \u202b 👩
👨\u200d👩\u200d👧 👍\U0001f3fd ❤\ufe0f 🇪🇸 🇪
ﬁ fi ff 가 \u1100\u1161 \u1161 ² ß Å \u212b \u200b \u200d \ufeff \u00ad""".split()
PIECES += ["👨\u200d👩\u200d👧", "👩"]
PIECES += [" ", " ", " ", "\u00a0", "  ", "\t", "\r\n", "\n", "\r", "\u2028", ". ", "a b", "\x00", "a\r\nb", "e\u0301"]
CLEAN = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
TEXTS = CLEAN | st.lists(st.sampled_from([*PIECES, "\ud800", "\udfff"]), max_size=14).map("".join)


class Naive:
    """Tries every stretch of the text. Written from the definition, not from `engine/text`."""

    WITHOUT_WIDTH = "\u200b\u200d\ufeff\u00ad\u202e\u202b\ufe0f"
    SAME = {"’": "'", "´": "'", "“": '"', "»": '"', "—": "-", "–": "-", "…": "...", "ﬁ": "fi"}

    def __init__(self, text: str, spans: list[Span]) -> None:
        self.text, self.spans = text, spans

    @classmethod
    def raw(cls, text: str) -> str:
        made = ""
        for char in unicodedata.normalize("NFD", text):
            plain = "" if char in cls.WITHOUT_WIDTH else cls.SAME.get(char, char)
            made += " " if plain.isspace() else plain
        while "  " in made:
            made = made.replace("  ", " ")
        return made

    def border(self, at: int) -> bool:
        """Whether a character as a reader sees it may begin at an offset (of the pieces above)."""
        if at in (0, len(self.text)):
            return True
        before, after = self.text[at - 1], self.text[at]
        if before + after == "\r\n":
            return False
        if unicodedata.combining(after) or after in "\u0f73\u200d\ufe0f\U0001f3fd":
            return before in "\t\r\n\u2028\x00\u200b\ufeff\u00ad\u202e\u202b" or "\ud800" <= before <= "\udfff"
        if before == "\u200d":
            return after not in "👩👨👧👍❤🇪🇸"
        if "🇦" <= before <= "🇿" and "🇦" <= after <= "🇿":
            flags = len(self.text[:at]) - len(self.text[:at].rstrip("🇪🇸"))
            return flags % 2 == 0
        return not (after == "\u1161" and before in "가\u1100\u1161")

    def hits(self, quote: str) -> list[tuple[int, int, int]]:
        """(start, end, sentence) of every place."""
        wanted, found = self.raw(quote).strip(" "), []
        borders = [at for at in range(len(self.text) + 1) if self.border(at)]
        for first, start in enumerate(borders[:-1]):
            if not self.raw(self.text[start : borders[first + 1]]) or self.text[start].isspace():
                continue
            number = next((n for n, s in enumerate(self.spans, 1) if s.start <= start < s.end), None)
            for last in range(first + 1, len(borders)):
                end = borders[last]
                visible = self.raw(self.text[borders[last - 1] : end]).strip(" ")
                if number and visible and not self.text[end - 1].isspace():
                    if self.raw(self.text[start:end]).strip(" ") == wanted:
                        found.append((start, end, number))
        return found

    def cuts(self, hit: tuple[int, int, int]) -> bool:
        before, inside, after = (
            self.raw(t) for t in (self.text[: hit[0]], self.text[hit[0] : hit[1]], self.text[hit[1] :])
        )
        return any(len(x) == 2 and x.isalnum() for x in (before[-1:] + inside[:1], inside[-1:] + after[:1]))

    def find(self, sentence: int, quote: str) -> tuple[int, int, str, int] | str:
        if any("\ud800" <= c <= "\udfff" for c in quote):
            return "surrogate"
        if not self.raw(quote).strip(" "):
            return "empty"
        hits = self.hits(quote)
        here = [h for h in hits if h[2] == sentence]
        here = [h for h in here if self.text[h[0] : h[1]] == quote.strip()] or here or hits
        here = [h for h in here if not self.cuts(h)] or here
        if len(here) != 1:
            return "ambiguous" if here else "absent"
        start, end, number = here[0]
        return start, end, "exact" if self.text[start:end] == quote else "normalised", number


@st.composite
def askings(draw: st.DrawFn) -> tuple[str, list[Span], int, str]:
    text = draw(TEXTS)
    spans = list(sentences(text))
    if draw(st.booleans()) and len(text) > 1:  # a tagger's, that may cut anywhere
        cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=3)))
        spans = [Span(a, b) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    start = draw(st.integers(0, len(text)))
    quote = text[start : start + draw(st.integers(0, 8))]
    change = draw(st.sampled_from(["none", "none", "NFC", "NFD", "plain", "other", "outer", "upper", "half"]))
    if change in ("NFC", "NFD"):
        quote = unicodedata.normalize("NFC" if change == "NFC" else "NFD", quote)
    plain = {"plain": normalised(quote), "other": draw(CLEAN), "outer": f" {quote}\n", "half": quote + "\ud83d"}
    quote = {**plain, "upper": quote.upper()}.get(change, quote)
    near = [n for n, s in enumerate(spans, 1) if s.start <= start < s.end] or [0]
    return text, spans, draw(st.sampled_from([*near, *near, -1, 1, 2, 99])), quote


def test_what_is_found_is_what_a_search_of_every_stretch_finds() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=1300, derandomize=True, deadline=None)
    @given(askings())
    def law(asking: tuple[str, list[Span], int, str]) -> None:
        text, spans, sentence, quote = asking
        found = Anchorer(text, spans).find(sentence, quote)
        expected = Naive(text, spans).find(sentence, quote)
        if isinstance(found, NoAnchor):
            assert found.reason == expected
            assert found.nearest is None or found.nearest.text in text
            met[found.reason] += 1
            return
        assert (found.start, found.end, found.how, found.sentence) == expected
        assert found.said_sentence == sentence
        shown = text[found.start : found.end]
        assert Naive.raw(shown) == Naive.raw(quote).strip(" ")
        assert (found.how == "exact") == (shown == quote)
        met[found.how] += 1
        met["wrong sentence"] += found.sentence != sentence
        for name, inside in (
            ("mark", "\u0301"),
            ("carriage return", "\r\n"),
            ("rtl", "ש"),
            ("joined emoji", "👨\u200d👩"),
        ):
            met[name] += inside in shown

    law()
    outcomes = "exact normalised absent ambiguous empty surrogate".split()
    others = ["wrong sentence", "mark", "carriage return", "rtl", "joined emoji"]
    assert {name: met[name] for name in outcomes if met[name] < 20} == {}
    assert {name: met[name] for name in others if met[name] < 4} == {}


ANYTHING = st.text(st.characters(codec=None), max_size=20)
DENSE = st.text(
    st.characters(max_codepoint=0x3FF) | st.characters(categories=["Mn", "Mc", "Cf", "So", "Zs"]), max_size=12
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(ANYTHING | DENSE | TEXTS)
def test_a_text_read_in_pieces_is_normal_as_the_whole_is(text: str) -> None:
    normal = Normal(text)
    assert normal.text.strip(" ") == normalised(text)
    for at in range(len(normal.text)):
        for end in range(at + 1, min(at + 4, len(normal.text)) + 1):
            span = normal.span(at, end)
            if span is not None and not text[span.start].isspace() and not normal.text[at:end].endswith(" "):
                assert normalised(text[span.start : span.end]) == normal.text[at:end]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(ANYTHING | DENSE, st.text(st.characters(codec=None), max_size=3), st.integers(-2, 3))
def test_no_text_and_no_quote_crashes_it(text: str, quote: str, sentence: int) -> None:
    anchorer = Anchorer(text, sentences(text))
    for said in (quote, text, text[1:4], text[-3:]):
        found = anchorer.find(sentence, said)
        assert isinstance(found, NoAnchor) or normalised(text[found.start : found.end]) == normalised(said)


ESSAY = "He said: “I don’t know.” I go\r\nto the café — going there is fun. The shop is big. The shop is old. Me and I."


@pytest.mark.parametrize(
    ("sentence", "quote", "outcome"),
    [
        (1, "“I don’t know.”", ("exact", "“I don’t know.”")),
        (1, '"I don\'t know."', ("normalised", "“I don’t know.”")),
        (2, "go to the cafe\u0301 - going", ("normalised", "go\r\nto the café — going")),
        (2, "  go  ", ("normalised", "go")),
        (4, "big", ("exact", "big")),
        (4, "shop", ("exact", "shop")),
        (1, "shop", "ambiguous"),
        (1, "The shop is", "ambiguous"),
        (99, "is old", ("exact", "is old")),
        (2, "Go", "absent"),
        (3, "cafe", "absent"),
        (1, "\u200b \n", "empty"),
        (1, "\ud83d\ude00", "surrogate"),
    ],
)
def test_a_quote_is_forgiven_its_form_and_nothing_else(sentence: int, quote: str, outcome: object) -> None:
    found = Anchorer(ESSAY, sentences(ESSAY)).find(sentence, quote)
    seen = (found.how, ESSAY[found.start : found.end]) if isinstance(found, Anchor) else found.reason
    assert seen == outcome


def test_a_place_of_whole_words_goes_before_one_that_cuts_a_word() -> None:
    text = "I was going to go. A part of it."
    find = Anchorer(text, sentences(text)).find
    assert find(1, "go") == Anchor(15, 17, "exact", 1, 1)
    assert find(1, "oin") == Anchor(7, 10, "exact", 1, 1)
    assert find(9, "ar") == Anchor(22, 24, "exact", 2, 9)
    text = "don’t, don’t, don't"
    assert Anchorer(text, sentences(text)).find(1, "don't") == Anchor(14, 19, "exact", 1, 1)
    assert find(1, "o") == NoAnchor("ambiguous", find(1, "o").nearest)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("quote", "near", "sentence"),
    [
        ("The shops are big", "The shop is big", 4),
        ("i don't know", "I don’t know", 1),
        ("going their is fun", "going there is fun", 3),
        ("zzz qqq", None, None),
        ("!!!", None, None),
    ],
)
def test_an_absent_quote_comes_with_what_is_nearest(quote: str, near: str | None, sentence: int | None) -> None:
    found = Anchorer(ESSAY, sentences(ESSAY)).find(4, quote)
    assert isinstance(found, NoAnchor)
    assert (found.reason, found.nearest and (found.nearest.text, found.nearest.sentence)) == (
        "absent",
        near and (near, sentence),
    )


def test_neither_white_space_nor_half_a_character_is_shown_beside_a_quote() -> None:
    def shown(text: str, quote: str) -> str | None:
        found = Anchorer(text, [Span(0, len(text))]).find(1, quote)
        return text[found.start : found.end] if isinstance(found, Anchor) else None

    assert shown("a \n \u0301b", "\u0301b") is None
    assert shown("a \u0301b", "a") == "a"
    assert shown("(\r\nout\r\n)", "\nout\r") == "out"
    assert shown("x\u200by\u200b", "y") == "y"
    assert shown("cafe\u0301s", "cafe") is None
    assert shown("🇪🇸🇸🇪", "🇸🇸") is None


def test_of_many_places_one_answer_comes_soon(benchmark_seconds: Callable[[], float]) -> None:
    """A text of one sentence and one letter, quoted thousands of times: the costs are bounded."""
    text = "a" * 10_000
    anchorer = Anchorer(text, [Span(0, len(text))])
    for number in range(2000):
        assert anchorer.find(number % 2, "a" * (1 + number % 3)).reason == "ambiguous"  # type: ignore[union-attr]
    assert benchmark_seconds() < 5


@pytest.fixture
def benchmark_seconds() -> Callable[[], float]:
    import time

    began = time.process_time()
    return lambda: time.process_time() - began


@pytest.mark.parametrize("spans", [[Span(0, 0)], [Span(2, 4), Span(0, 1)], [Span(0, 3), Span(2, 5)], [Span(0, 99)]])
def test_sentences_that_cannot_be_are_refused(spans: list[Span]) -> None:
    with pytest.raises(ValueError, match="empty, out of order or outside"):
        Anchorer("a b c", spans)
