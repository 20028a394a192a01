"""Sentences without a model: nothing visible is lost, nothing is counted twice, no number is forged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text import Span, numbered, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("no stop", ["no stop"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("One.\r\nTwo\n\n three", ["One.", "Two", "three"]),
        ("She said “Go.” Then (he went.) Now", ["She said “Go.”", "Then (he went.)", "Now"]),
        ("It costs 3.50 at www.x.org, e.g. here... and now", ["It costs 3.50 at www.x.org, e.g. here... and now"]),
        ("J. Smith came. 3. We go", ["J. Smith came.", "3. We go"]),
        ("WHAT?!! YES!!! 😀 ok", ["WHAT?!!", "YES!!!", "😀 ok"]),
        ("今日は。行く！Yes", ["今日は。", "行く！", "Yes"]),
        ("a\u2028b\x0bc\x85d", ["a", "b", "c", "d"]),
        ("<p>One.</p><p>Two.</p>", ["<p>One.</p><p>Two.</p>"]),
    ],
)
def test_sentences_end_where_readers_see_it(text: str, expected: list[str]) -> None:
    assert [text[s.start : s.end] for s in sentences(text)] == expected


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.text(st.sampled_from("aB1.!?…。”) \n\r\t\u2028\x85\u200b\ud800é") | st.characters(codec=None), max_size=40))
def test_all_that_is_visible_lies_in_exactly_one_sentence(text: str) -> None:
    spans = sentences(text)
    held = [at for span in spans for at in range(span.start, span.end)]
    assert held == sorted(set(held))
    assert {at for at, char in enumerate(text) if not char.isspace()} <= set(held)
    assert all(not text[s.start].isspace() and not text[s.end - 1].isspace() for s in spans)
    lines = numbered(text, spans).split("\n")
    assert lines.pop() == ""
    assert [line.split(" ")[0] for line in lines] == [f"[S{n}]" for n in range(1, len(spans) + 1)]
    assert all(len(line.splitlines()) == 1 for line in lines)


def test_a_sentence_with_a_line_break_cannot_forge_a_number() -> None:
    text = "I am\n[S2] here\u2028[S3] too."
    assert numbered(text, [Span(0, len(text))]) == "[S1] I am [S2] here [S3] too.\n"


def test_five_thousand_words_without_a_stop_take_no_time_to_speak_of() -> None:
    assert sentences("word " * 5000) == (Span(0, 24_999),)
    assert len(sentences("A. " * 5000)) == 1
    assert len(sentences("Ab. " * 5000)) == 5000
