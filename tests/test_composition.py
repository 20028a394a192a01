"""Marks over a text: whatever they are, the text comes out as it went in, and the pieces nest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import Closing, Mark, Opening, compose, lanes

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    text = draw(TEXTS)
    places = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(places, places).filter(lambda pair: pair[0] < pair[1]), max_size=12))
    return text, [Mark(f"m{n}", start, end) for n, (start, end) in enumerate(pairs)]


@given(marked())
def test_the_text_comes_out_as_it_went_in_and_the_pieces_nest(given_: tuple[str, list[Mark]]) -> None:
    text, marks = given_
    opened: list[Mark] = []
    said: dict[str, list[str]] = {mark.name: [] for mark in marks}
    ends: dict[str, list[tuple[bool, bool]]] = {mark.name: [] for mark in marks}
    whole = ""
    for event in compose(text, marks):
        if isinstance(event, Opening):
            longer = all(one.end - one.start >= event.mark.end - event.mark.start for one in opened)
            assert longer, "the longest stands outside"
            opened.append(event.mark)
            said[event.mark.name].append("")
            ends[event.mark.name].append((event.first, False))
        elif isinstance(event, Closing):
            assert opened.pop() is event.mark
            ends[event.mark.name][-1] = (ends[event.mark.name][-1][0], event.last)
        else:
            assert event
            whole += event
            for mark in opened:
                said[mark.name][-1] += event
    assert (whole, opened) == (text, [])
    for mark in marks:
        pieces = said[mark.name]
        assert "".join(pieces) == text[mark.start : mark.end]
        assert all(pieces), "no piece is empty"
        assert [first for first, _ in ends[mark.name]] == [n == 0 for n in range(len(pieces))]
        assert [last for _, last in ends[mark.name]] == [n == len(pieces) - 1 for n in range(len(pieces))]


@given(marked())
def test_marks_that_overlap_have_lanes_of_their_own_the_shortest_first(given_: tuple[str, list[Mark]]) -> None:
    _, marks = given_
    found = lanes(marks)
    for one in marks:
        below = set()
        for other in marks:
            if one is not other and one.start < other.end and other.start < one.end:
                assert found[one.name] != found[other.name]
                if (other.end - other.start, other.start, other.name) < (one.end - one.start, one.start, one.name):
                    below.add(found[other.name])
        assert found[one.name] == min(set(range(1, len(below) + 2)) - below), "the first lane that is free"


def test_where_two_cross_the_shorter_is_closed_and_opened_again() -> None:
    long, short = Mark("long", 0, 6), Mark("short", 4, 8)
    assert list(compose("abcdefgh", [short, long])) == [
        Opening(long, True),
        "abcd",
        Opening(short, True),
        "ef",
        Closing(short, False),
        Closing(long, True),
        Opening(short, False),
        "gh",
        Closing(short, True),
    ]


@pytest.mark.parametrize("marks", [[Mark("a", 1, 1)], [Mark("a", 2, 4)], [Mark("a", -1, 2)], [Mark("a", 0, 1)] * 2])
def test_a_mark_that_is_none_is_refused(marks: list[Mark]) -> None:
    with pytest.raises(ValueError, match="`a`"):
        list(compose("abc", marks))


def test_a_long_text_with_many_marks() -> None:
    marks = [Mark(f"m{n}", 10 * n, 10 * n + 5 + n % 24) for n in range(5000)]
    assert sum(1 for _ in compose("x" * 60000, marks)) > 15000
    text = "".join(chr(97 + n % 26) for n in range(60000))
    assert "".join(one for one in compose(text, marks) if isinstance(one, str)) == text
    assert max(lanes(marks).values()) == 4
