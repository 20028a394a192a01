"""Answers of models: all that was asked, once each, with a probability; or a reason why the batch is refused."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sensor import Prices, Record
from engine.sensors.llm.answers import Answer, BadAnswer, annotations_of, answers_of, share_of_yes
from engine.sensors.llm.asking import build_requests
from engine.sensors.llm.calls import Usage
from engine.sensors.llm.cost import cost_of, cost_text, likely_cost, most_cost, tokens_of, total
from engine.sensors.llm.strict_json import NotJson, parse

from .test_llm_asking import MARKER, SENSOR, SPANS, records

(REQUEST,) = build_requests(SENSOR, (), records("a", "b"))
(MARKED,) = build_requests(MARKER, (SPANS,), [Record("d", "text")])
ITEM = {
    "sentence": 1,
    "quote": "a text",
    "kind": "name",
    "level": "A1",
    "score": Decimal("9.25"),
    "seen": "2026-11-30",
    "sure": None,
    "note": None,
}


def answered(**changes: object) -> dict[str, dict[str, object]]:
    """A whole answer; `R1_empty=…` changes one."""
    given = {label: {"empty": Decimal("0.7"), "known": 0} for label in ("R1", "R2")}
    whole: dict[str, dict[str, object]] = {label: dict(inner) for label, inner in given.items()}
    for name, value in changes.items():
        label, _, question = name.partition("_")
        whole[label][question] = value
    return whole


def code_of(payload: object, request: object = REQUEST) -> str:
    with pytest.raises(BadAnswer) as caught:
        answers_of(request, payload)  # type: ignore[arg-type]
    return caught.value.code


def test_answers_come_in_the_order_in_which_they_were_asked_whatever_order_they_came_in() -> None:
    payload = {label: dict(reversed(inner.items())) for label, inner in reversed(answered().items())}
    assert answers_of(REQUEST, payload) == (
        Answer("r1", "empty", Decimal("0.7")),
        Answer("r1", "known", Decimal(0)),
        Answer("r2", "empty", Decimal("0.7")),
        Answer("r2", "known", Decimal(0)),
    )
    listed = {"answers": [{"id": one.id, "p_yes": Decimal("0.25")} for one in reversed(REQUEST.asked)]}
    assert {one.p_yes for one in answers_of(REQUEST, listed)} == {Decimal("0.25")}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (True, "answer-malformed"),
        ("0.5", "answer-malformed"),
        (None, "answer-malformed"),
        ([], "answer-malformed"),
        (Decimal("NaN"), "answer-out-of-range"),
        (float("nan"), "answer-out-of-range"),
        (math.inf, "answer-out-of-range"),
        (Decimal("-Infinity"), "answer-out-of-range"),
        (2, "answer-out-of-range"),
        (-1, "answer-out-of-range"),
        (Decimal("1.0000000000000000000001"), "answer-out-of-range"),
        (Decimal("-1e-300"), "answer-out-of-range"),
    ],
)
def test_a_value_that_is_no_probability_is_refused_in_both_forms(value: object, code: str) -> None:
    assert code_of(answered(R2_known=value)) == code
    listed = [{"id": one.id, "p_yes": value if one.id == "R2.known" else 0} for one in REQUEST.asked]
    assert code_of({"answers": listed}) == code


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (None, "answer-malformed"),
        ([], "answer-malformed"),
        ("yes", "answer-malformed"),
        ({}, "answer-missing"),
        ({"R1": 1}, "answer-malformed"),
        ({**answered(), "R3": {"empty": 0}}, "answer-extra"),
        ({**answered(), "r1": {}}, "answer-extra"),
        ({"answers": []}, "answer-missing"),
        ({"answers": {}}, "answer-extra"),
        ({"answers": [1]}, "answer-malformed"),
        ({"answers": [{"id": 1, "p_yes": 0}]}, "answer-malformed"),
        ({"answers": [{"id": "R1.empty"}]}, "answer-missing"),
        ({"answers": [{"id": "R1.empty", "p_yes": 0, "because": "x"}]}, "answer-extra"),
        ({"answers": [{"id": "R1.empty", "p_yes": 0}] * 2}, "answer-repeated"),
        ({"answers": [], "model": "m"}, "answer-extra"),
        ({**answered(), "answers": []}, "answer-extra"),
    ],
)
def test_anything_but_exactly_what_was_asked_is_refused(payload: object, code: str) -> None:
    assert code_of(payload) == code


def test_a_question_that_does_not_apply_to_a_record_may_not_be_answered() -> None:
    (request,) = build_requests(SENSOR, (), [Record("r1", "a", "reason")])
    assert code_of({"R1": {"known": 0, "empty": 0}}, request) == "answer-extra"


@given(st.floats(0, 1))
def test_p_yes_is_the_float_that_was_said_in_its_shortest_form(value: float) -> None:
    said = parse(json.dumps(value))
    answer = answers_of(REQUEST, answered(R1_empty=said))[0].p_yes
    assert float(answer) == value
    assert str(answer) == str(abs(Decimal(repr(value))))


def test_digits_that_no_float_has_are_not_kept() -> None:
    long = parse("0.1000000000000000055511151231257827")
    assert str(answers_of(REQUEST, answered(R1_empty=long))[0].p_yes) == "0.1"
    assert str(answers_of(REQUEST, answered(R1_empty=parse("-0.0")))[0].p_yes) == "0.0"


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda i: (
            st.lists(i, max_size=3)
            | st.dictionaries(
                st.sampled_from(["R1", "R2", "answers", "id", "p_yes", "empty", "known", "span"]), i, max_size=4
            )
        ),
    )
)
def test_whatever_comes_is_read_or_refused(payload: object) -> None:
    for read in (lambda: answers_of(REQUEST, payload), lambda: annotations_of(MARKED, payload)):
        with suppress(BadAnswer):
            read()


# ---- repeats


def test_an_answer_to_a_repeat_is_yes_or_no() -> None:
    request = replace(REQUEST, repeat=1)
    yes = {label: {"empty": True, "known": False} for label in ("R1", "R2")}
    assert [one.p_yes for one in answers_of(request, yes)] == [Decimal(1), Decimal(0)] * 2
    assert code_of(answered(), request) == "answer-malformed"
    listed = {"answers": [{"id": one.id, "p_yes": Decimal("0.5")} for one in REQUEST.asked]}
    assert {one.p_yes for one in answers_of(request, listed)} == {Decimal(1)}
    assert code_of({"answers": [{"id": one.id, "p_yes": True} for one in REQUEST.asked]}, request) == "answer-malformed"


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_the_share_of_yes_is_p_yes(said: list[bool]) -> None:
    (share,) = share_of_yes([(Answer("r", "q", Decimal(one)),) for one in said])
    assert float(share.p_yes) == float(Fraction(sum(said), len(said)))
    assert 0 <= share.p_yes <= 1


def test_repeats_that_answer_different_questions_are_refused() -> None:
    with pytest.raises(BadAnswer):
        share_of_yes([(Answer("r", "q", Decimal(1)),), (Answer("r", "p", Decimal(1)),)])
    assert share_of_yes([]) == ()


# ---- spans


def test_spans_come_with_the_values_of_their_columns() -> None:
    found = annotations_of(MARKED, {"span": [ITEM]})
    assert found == {"span": (ITEM,)}
    assert annotations_of(MARKED, {"span": []}) == {"span": ()}


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("sentence", 0, "answer-malformed"),
        ("sentence", True, "answer-malformed"),
        ("sentence", "1", "answer-malformed"),
        ("sentence", Decimal("1.0"), "answer-malformed"),
        ("quote", "", "answer-malformed"),
        ("quote", " \n", "answer-malformed"),
        ("quote", None, "answer-malformed"),
        ("kind", "thing", "answer-out-of-range"),
        ("kind", None, "answer-malformed"),
        ("level", "B1", "answer-out-of-range"),
        ("score", 10, "answer-out-of-range"),
        ("score", Decimal("-0.01"), "answer-out-of-range"),
        ("score", Decimal("1.001"), "answer-out-of-range"),
        ("score", True, "answer-malformed"),
        ("score", "1", "answer-malformed"),
        ("score", Decimal("NaN"), "answer-out-of-range"),
        ("seen", "30.11.2026", "answer-malformed"),
        ("seen", "2026-02-30", "answer-malformed"),
        ("sure", 1, "answer-malformed"),
        ("sure", "true", "answer-malformed"),
        ("note", 1, "answer-malformed"),
        ("start_at", 3, "answer-extra"),
        ("document", "other", "answer-extra"),
        ("more", 1, "answer-extra"),
    ],
)
def test_a_value_that_its_column_does_not_take_refuses_the_answer(column: str, value: object, code: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        annotations_of(MARKED, {"span": [ITEM, {**ITEM, column: value}]})
    assert caught.value.code == code
    assert "item 2 of `span`" in caught.value.message


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, "answer-missing"),
        ({"span": [], "other": []}, "answer-extra"),
        ({"span": {}}, "answer-malformed"),
        ({"span": [1]}, "answer-malformed"),
        ({"span": [{k: v for k, v in ITEM.items() if k != "note"}]}, "answer-missing"),
        ({"span": [ITEM] * 10_001}, "answer-too-large"),
    ],
)
def test_spans_of_another_shape_are_refused(payload: object, code: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        annotations_of(MARKED, payload)
    assert caught.value.code == code


# ---- JSON from outside


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1, "a": 1}',
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1" * 65,
        "1e1000000000000000000000",
        "0." + "0" * 100 + "1",
        "1e500",
        "[" * 40 + "]" * 40,
        "[" * 100_000,
        '"\\ud800"',
        '{"\\udfff": 1}',
        "[1] 2",
        "{'a': 1}",
        "\ufeff[]",
    ],
)
def test_json_that_cannot_be_trusted_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)


def test_json_keeps_what_numbers_say() -> None:
    assert parse('{"a": [0.1, 1, 1e-3, true, null, "é"]}') == {
        "a": [Decimal("0.1"), 1, Decimal("0.001"), True, None, "é"]
    }
    assert isinstance(parse("0.1"), Decimal)


# ---- costs

PRICES = Prices(Decimal(3), Decimal(15), "USD", date(2026, 11, 30))


def test_a_cost_is_exact_and_shown_rounded_up() -> None:
    assert cost_of(Usage(4100, 310), PRICES) == Decimal("0.01695")
    assert cost_text(Decimal("0.01695")) == "0.01695"
    assert cost_text(Decimal("0.017")) == "0.0170"
    assert cost_text(Decimal(0)) == "0.0000"
    assert cost_text(Decimal(1200)) == "1200.0000"
    assert cost_text(Decimal("0.0000000001")) == "0.00000001"
    fine = replace(PRICES, input_per_million=Decimal("0.123456789012345678901234567891"))
    assert cost_of(Usage(10**9, 0), fine) == Decimal("123.456789012345678901234567891")


@given(st.text(max_size=200))
def test_the_bound_of_a_request_is_above_its_bytes_and_the_estimate_not_above_the_bound(text: str) -> None:
    (request,) = build_requests(SENSOR, (), records(text))
    tokens = tokens_of([request])
    assert tokens.most_input >= len(request.system.encode()) + len(request.user.encode())
    assert tokens.likely_input <= tokens.most_input
    assert tokens.most_output == SENSOR.most_output
    assert likely_cost(tokens, PRICES) <= most_cost(tokens, PRICES)


def test_tokens_of_several_requests_add_up() -> None:
    requests = build_requests(SENSOR, (), records("a", "b", "c"))
    each = [tokens_of([one]) for one in requests]
    assert tokens_of(requests).likely_input == sum(one.likely_input for one in each)
    assert tokens_of(requests, 10).most_output == 20
    assert tokens_of([]).most_input == 0
    assert total([Usage(1, 2), Usage(3, 4)]) == Usage(4, 6)
