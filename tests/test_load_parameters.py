"""Parameters: their types, their days, their origins."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Problem
from engine.load.hints import hint
from engine.load.nodes import Table
from engine.load.parameters import read_parameters, stale_guesses
from engine.load.reader import Reader
from engine.load.reading import parse_bytes
from engine.load.shape import check_shape
from engine.model import Pack, Parameter

WHY = "origin: convention, because: So."


def read(text: str) -> tuple[dict[str, Parameter], list[Problem]]:
    source = parse_bytes(text.encode(), "parameters.yaml")
    shape = check_shape(source, "parameters", hint)
    reader = Reader(source, shape)
    assert isinstance(source.root, Table)
    parameters, _ = read_parameters(reader, source.root)
    return parameters, [*source.problems, *shape.problems, *reader.problems]


def one(inner: str) -> Parameter:
    parameters, problems = read(f"p: {{{inner}, {WHY}}}\n")
    assert problems == []
    return parameters["p"]


def codes(inner: str, why: str = WHY) -> list[str]:
    _, problems = read(f"p: {{{inner}, {why}}}\n")
    return [problem.code for problem in problems]


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("value: 120, unit: m", "number", Decimal(120)),
        ("value: 0.40, unit: m", "number", Decimal("0.40")),
        ("value: -5, unit: none", "number", Decimal(-5)),
        ("value: 010, unit: none", "number", Decimal(10)),
        ("value: 2%, unit: share", "number", Decimal("0.02")),
        ("value: 12.5%, unit: share", "number", Decimal("0.125")),
        ("value: 100%, unit: share", "number", Decimal("1.00")),
        ("value: 0.02, unit: share", "number", Decimal("0.02")),
        ("value: 3, type: int, unit: day", "int", Decimal(3)),
        ("value: 3, type: float, unit: day", "float", Decimal(3)),
        ("value: true", "bool", True),
        ("value: false", "bool", False),
        ('value: "true"', "text", "true"),
        ("value: 2022-07-01", "date", date(2022, 7, 1)),
        ("value: 2022-07-01, type: text", "text", "2022-07-01"),
        ("value: 2022-07-01T12:00:00+02:00, type: instant", "instant", datetime(2022, 7, 1, 10, tzinfo=UTC)),
        ("value: B1", "text", "B1"),
        ("value: NO", "text", "NO"),
        ("value: on", "text", "on"),
        ('value: "5"', "text", "5"),
        ("value: 5, type: text", "text", "5"),
        ("value: 12:30", "text", "12:30"),
    ],
)
def test_the_type_follows_from_type_unit_or_value(written: str, kind: str, value: object) -> None:
    parameter = one(written)
    assert parameter.kind == kind
    assert parameter.values[0].value == value
    assert type(parameter.values[0].value) is type(value)


def test_a_number_keeps_its_own_digits() -> None:
    assert str(one("value: 0.40, unit: m").values[0].value) == "0.40"
    assert str(one("value: 40%, unit: share").values[0].value) == "0.40"
    assert one("value: 2%, unit: share").values[0].shown == "2%"
    assert one("value: 2%") == one("value: 2%, unit: share")


@given(st.from_regex(r"-?[0-9]{1,25}(\.[0-9]{1,13})?", fullmatch=True))
def test_no_number_is_rounded(text: str) -> None:
    value = one(f"value: {text}, unit: m").values[0].value
    assert isinstance(value, Decimal)
    assert value == Decimal(text)
    assert format(value, "f").lstrip("-").lstrip("0") == text.lstrip("-").lstrip("0") or value == 0


@given(st.from_regex(r"[0-9]{1,20}(\.[0-9]{1,13})?", fullmatch=True))
def test_a_percentage_is_a_hundredth_exactly(text: str) -> None:
    value = one(f"value: {text}%, unit: share").values[0].value
    assert isinstance(value, Decimal)
    assert value.as_tuple().digits == Decimal(text).as_tuple().digits or value == 0
    assert Decimal(text).as_tuple().exponent == int(value.as_tuple().exponent) + 2


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("value: 5", "missing-unit"),
        ("value: 0.5, type: float", "missing-unit"),
        ("value: 2%, unit: m", "wrong-number"),
        ("value: 2%, unit: probability", "wrong-number"),
        ("value: 1e3, unit: m", "wrong-number"),
        ("value: +5, unit: m", "wrong-number"),
        ("value: .5, unit: m", "wrong-number"),
        ("value: 1_000, unit: m", "wrong-number"),
        ('value: "1,000", unit: m', "wrong-number"),
        ('value: "120", unit: m', "wrong-number"),
        ('value: "3", type: int, unit: day', "wrong-number"),
        ('value: "true", type: bool', "wrong-form"),
        ("value: 0x1F, unit: m", "wrong-number"),
        ("value: .nan, unit: m", "wrong-number"),
        ("value: many, unit: m", "wrong-number"),
        (f"value: {'9' * 39}, unit: m", "wrong-number"),
        (f"value: 0.{'0' * 38}1, unit: m", "wrong-number"),
        ("value: 1.5, type: int, unit: m", "wrong-number"),
        (f"value: {2**63}, type: int, unit: m", "wrong-number"),
        ("value: yes, type: bool", "wrong-form"),
        ("value: True", "wrong-form"),
        ("value: 2022-02-30", "no-such-day"),
        ("value: 20220201, type: date", "no-such-day"),
        ("value: 2022-07-01T12:00:00, type: instant", "wrong-form"),
        ("value: 2022-07-01T25:00:00Z, type: instant", "wrong-form"),
        ("value: x, type: text, unit: m", "key-does-not-apply"),
        ("values_of: [1, 1], unit: m", "repeated-item"),
        ("values_of: [1, 1.0], unit: m", "repeated-item"),
        ("values_of: [a, true]", "mixed-values"),
        ("values_of: []", "too-few"),
        ("values_of: [a, null]", "wrong-kind"),
        ("value: null", "wrong-kind"),
        ("value: [a]", "wrong-kind"),
        ("value: a, values_of: [b]", "keys-exclude"),
        ("type: text", "missing-key"),
    ],
)
def test_a_value_that_is_not_what_it_should_be_is_refused(written: str, code: str) -> None:
    assert codes(written) == [code]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("65 mm", "write `value: 65, unit: mm`"),
        ("65mm", "write `value: 65, unit: mm`"),
        ("-1.5 m/s", "write `value: -1.5, unit: m/s`"),
        ("4 °C", "write `value: 4, unit: °C`"),
        ("2 %", "write `2%`"),
        ("1.1.2026", "write `2026-01-01`"),
        ("2026/1/2", "write `2026-01-02`"),
        ("31/1/2026", "write `2026-01-31`"),
        ("1/31/2026", "write `2026-01-31`"),
        ("01/02/2026", "write the day so"),
        ("30.2.2026", "write the day so"),
        ("1e3", "write its digits, with a point and without exponent, sign `+` or separators"),
        ("+5", "write its digits, with a point and without exponent, sign `+` or separators"),
        ("1_000", "write its digits, with a point and without exponent, sign `+` or separators"),
    ],
)
def test_a_text_that_looks_like_a_number_or_a_day_is_refused_unless_it_is_said_to_be_a_text(
    text: str, help: str
) -> None:
    _, problems = read(f"p: {{value: {text}, {WHY}}}\n")
    assert [problem.code for problem in problems] == ["wrong-form"]
    assert problems[0].help == f"{help}; put it in quotes if the text is meant"
    assert one(f'value: "{text}"').kind == "text"
    assert one(f"value: {text}, type: text").values[0].value == text


def test_decimals_follow_a_point_also_in_a_block() -> None:
    for unit in ("", "  unit: mm\n"):
        _, problems = read(f"p:\n  value: 64,9\n{unit}  origin: convention\n  because: So.\n")
        assert next(problem.help for problem in problems) in (
            "decimals follow a point: `64.9`",
            "decimals follow a point: `64.9`; put it in quotes if the text is meant",
        )


def test_each_of_several_values_is_looked_at() -> None:
    _, problems = read(f"p: {{values_of: [65 mm, 7, 80 mm], {WHY}}}\n")
    assert [problem.code for problem in problems] == ["wrong-form"] * 2


@pytest.mark.parametrize("text", ["1.2.3", "12:30", "3rd floor", "2019/947", "a1", "art. 4(1)", "1-2", "B1"])
def test_other_texts_with_digits_are_texts(text: str) -> None:
    assert one(f"value: {text}").values[0].value == text


@pytest.mark.parametrize(
    ("written", "help"),
    [
        ("value: [g1, g2]", "write `values_of: [g1, g2]`"),
        ("value: []", "write `values_of: […]`"),
        ("values_of: a", "write `value: a`, or `values_of: [a]`"),
        ("values: a", "write `value: a`, or `values: [{from: YYYY-MM-DD, value: a}]`"),
        ("values: [{from: 2020-01-01, value: [a]}]", "a dated value is one value: a list has no days"),
    ],
)
def test_one_value_and_several_have_keys_of_their_own(written: str, help: str) -> None:
    _, problems = read(f"p: {{{written}, {WHY}}}\n")
    assert [(problem.code, problem.help) for problem in problems] == [("wrong-kind", help)]


def test_a_number_of_38_digits_is_accepted() -> None:
    assert one(f"value: {'9' * 38}, unit: m").values[0].value == Decimal("9" * 38)


def test_a_list_has_one_value_for_each_member() -> None:
    parameter = one("values_of: [a, b, NO]")
    assert parameter.is_list
    assert [value.value for value in parameter.values] == ["a", "b", "NO"]


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ("{from: 2020-01-01, value: 1}, {from: 2020-01-01, value: 2}", "values-overlap"),
        ("{from: 2021-01-01, value: 1}, {from: 2020-01-01, value: 2}", "values-overlap"),
        ("{from: 2020-01-01, until: 2021-01-02, value: 1}, {from: 2021-01-01, value: 2}", "values-overlap"),
        ("{from: 2020-01-01, until: 2020-01-01, value: 1}", "values-overlap"),
        ("{from: 2020-01-01, until: 2019-01-01, value: 1}", "values-overlap"),
        ("{from: 2020-01-01, until: 2020-12-31, value: 1}, {from: 2021-01-01, value: 2}", "gap-in-values"),
        ("{from: 2020-01-01, until: 2021-01-01, value: 1}, {from: 2021-01-01, value: 2}", None),
        ("{from: 2020-01-01, value: 1}, {from: 2021-01-01, until: 2022-01-01, value: 2}", None),
    ],
)
def test_dated_values_neither_overlap_nor_fall_and_a_gap_is_noted(entries: str, code: str | None) -> None:
    assert codes(f"unit: m, values: [{entries}]") == ([code] if code else [])


def test_a_gap_is_a_note_and_the_parameter_stands() -> None:
    entries = "{from: 2020-01-01, until: 2020-12-31, value: 1}, {from: 2021-01-01, value: 2}"
    parameters, problems = read(f"p: {{unit: m, values: [{entries}], {WHY}}}\n")
    assert [problem.is_error for problem in problems] == [False]
    assert len(parameters["p"].values) == 2


@pytest.mark.parametrize(
    ("why", "missing"),
    [
        ("origin: law", ["source"]),
        ("origin: law, source: An act", []),
        ("origin: measured", ["measured_by"]),
        ("origin: measured, measured_by: bench/x.md", []),
        ("origin: contract", ["because"]),
        ("origin: convention", ["because"]),
        ("origin: guess", ["because", "revisit"]),
        ("origin: guess, because: So.", ["revisit"]),
        ("origin: guess, because: So., revisit: 2030-01-01", []),
    ],
)
def test_an_origin_is_accompanied_by_what_it_needs(why: str, missing: list[str]) -> None:
    _, problems = read(f"p: {{value: 1, unit: m, {why}}}\n")
    assert [problem.code for problem in problems] == ["origin-incomplete"] * len(missing)
    for problem, key in zip(problems, missing, strict=True):
        assert f"no `{key}`" in problem.message


def test_law_may_name_its_source_at_each_value() -> None:
    entries = "{from: 2020-01-01, value: 1, source: A}, {from: 2021-01-01, value: 2}"
    _, problems = read(f"p: {{unit: m, values: [{entries}], origin: law}}\n")
    assert [problem.code for problem in problems] == ["origin-incomplete"]
    assert problems[0].place is not None
    assert problems[0].place.column > 60
    assert codes(f"unit: m, values: [{entries}]", "origin: law, source: B") == []


def pack_with(text: str) -> Pack:
    parameters, problems = read(text)
    assert problems == []
    return Pack("x", "x", "1", "x", "x", {}, parameters, {})


def test_a_guess_is_stale_the_day_after_it_was_to_be_looked_at() -> None:
    pack = pack_with("p: {value: 1, unit: m, origin: guess, because: So., revisit: 2026-06-30}\n")
    assert stale_guesses([pack], date(2026, 6, 30)) == []
    assert [problem.code for problem in stale_guesses([pack], date(2026, 7, 1))] == ["past-revisit"]


def test_what_was_checked_in_the_future_was_not_checked() -> None:
    entries = "{from: 2020-01-01, value: 1, source: A, checked: 2026-07-02}"
    pack = pack_with(f"p: {{unit: m, values: [{entries}], origin: law, checked: 2026-07-02}}\n")
    assert [problem.code for problem in stale_guesses([pack], date(2026, 7, 1))] == ["checked-in-future"] * 2
    assert stale_guesses([pack], date(2026, 7, 2)) == []


def test_parameters_may_be_read_from_a_file_without_entries_only_as_a_problem(tmp_path: Path) -> None:
    source = parse_bytes(b"{}\n", "parameters.yaml")
    assert [problem.code for problem in check_shape(source, "parameters").problems] == ["too-few"]
