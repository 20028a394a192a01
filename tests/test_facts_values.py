"""Single literals: what JSON, CSV and YAML text become, and what is refused (`docs/semantics.md`, section 1)."""

from __future__ import annotations

import json
import math
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.facts.bulk import json_bulk
from engine.facts.json_text import decode
from engine.facts.literals import read_decimal
from engine.facts.values import BadValue, from_csv, from_json, from_yaml, json_converter
from engine.limits import Limits
from engine.model import Column, ValueType
from tests.facts_samples import LEVELS

TEXT = Column("c", ValueType("text"))
INT = Column("c", ValueType("int"))
FLOAT = Column("c", ValueType("float"))
DECIMAL = Column("c", ValueType("decimal", 5, 2))
WIDE = Column("c", ValueType("decimal", 38, 0))
BOOL = Column("c", ValueType("bool"))
DATE = Column("c", ValueType("date"))
INSTANT = Column("c", ValueType("instant"))
LEVEL = Column("c", ValueType("levels", levels=LEVELS))

GOOD = [
    (TEXT, '"a"', "a"),
    (TEXT, '""', ""),
    (TEXT, '"a\\u0000b"', "a\0b"),
    (TEXT, '"\\ud83d\\ude00"', "😀"),
    (TEXT, '"e\\u0301"', "e\u0301"),
    (TEXT, "null", None),
    (INT, "0", 0),
    (INT, "-0", 0),
    (INT, "9223372036854775807", 2**63 - 1),
    (INT, "-9223372036854775808", -(2**63)),
    (FLOAT, "10", 10.0),
    (FLOAT, "1e3", 1000.0),
    (FLOAT, "-0.0", 0.0),
    (FLOAT, "-0", 0.0),
    (FLOAT, "1e-999999999", 0.0),
    (FLOAT, "9007199254740992", 2.0**53),
    (FLOAT, "10000000000000000000000", 1e22),
    (FLOAT, "9007199254740993.0", 2.0**53),
    (DECIMAL, "1.5", "1.50"),
    (DECIMAL, "150e-2", "1.50"),
    (DECIMAL, "1.5e2", "150.00"),
    (DECIMAL, "-0.0", "0.00"),
    (DECIMAL, "0e999999999999999999999", "0.00"),
    (DECIMAL, "-999.99", "-999.99"),
    (DECIMAL, "1.500000", "1.50"),
    (DECIMAL, "1." + "0" * 100_000, "1.00"),
    (WIDE, "9" * 38, "9" * 38),
    (WIDE, "1e37", "1" + "0" * 37),
    (BOOL, "true", True),
    (BOOL, "false", False),
    (DATE, '"0001-01-01"', "0001-01-01"),
    (DATE, '"2024-02-29"', "2024-02-29"),
    (INSTANT, '"2024-01-01T00:00:00Z"', "2024-01-01 00:00:00.000000"),
    (INSTANT, '"2024-01-01T00:30:00.5+01:00"', "2023-12-31 23:30:00.500000"),
    (INSTANT, '"2024-01-01T23:30:00.123456-00:45"', "2024-01-02 00:15:00.123456"),
    (LEVEL, '"A1"', 1),
    (LEVEL, '"B1"', 3),
]

BAD = [
    (TEXT, "1", "fact-type"),
    (TEXT, "true", "fact-type"),
    (TEXT, "[]", "fact-type"),
    (TEXT, '"\\ud800"', "fact-text"),
    (TEXT, '"x\\udfffy"', "fact-text"),
    (TEXT, "NaN", "fact-type"),
    (INT, "10.0", "fact-type"),
    (INT, "1e3", "fact-type"),
    (INT, '"1"', "fact-type"),
    (INT, "true", "fact-type"),
    (INT, "9223372036854775808", "fact-range"),
    (INT, "-9223372036854775809", "fact-range"),
    (INT, "1" * 100_000, "fact-range"),
    (FLOAT, '"1"', "fact-type"),
    (FLOAT, "true", "fact-type"),
    (FLOAT, "NaN", "fact-type"),
    (FLOAT, "-Infinity", "fact-type"),
    (FLOAT, "1e309", "fact-range"),
    (FLOAT, "1e999999999", "fact-range"),
    (FLOAT, "9" * 100_000, "fact-range"),
    (FLOAT, "9007199254740993", "fact-range"),
    (DECIMAL, "1.005", "fact-range"),
    (DECIMAL, "1000", "fact-range"),
    (DECIMAL, "1e999999999", "fact-range"),
    (DECIMAL, "1e-999999999", "fact-range"),
    (DECIMAL, "1e99999999999999999999999", "fact-range"),
    (DECIMAL, "0." + "1" * 100_000, "fact-range"),
    (DECIMAL, '"1.5"', "fact-type"),
    (WIDE, "1" + "0" * 38, "fact-range"),
    (BOOL, "1", "fact-type"),
    (BOOL, '"true"', "fact-type"),
    (DATE, '"2024-02-30"', "fact-range"),
    (DATE, '"0000-01-01"', "fact-range"),
    (DATE, '"20240101"', "fact-type"),
    (DATE, '"2024-W01-1"', "fact-type"),
    (DATE, '"٢٠٢٤-01-01"', "fact-type"),
    (DATE, "20240101", "fact-type"),
    (INSTANT, '"2024-01-01 00:00:00Z"', "fact-type"),
    (INSTANT, '"2024-01-01T00:00:00"', "fact-type"),
    (INSTANT, '"2024-01-01T00:00:00z"', "fact-type"),
    (INSTANT, '"2024-01-01T00:00:00.1234567Z"', "fact-type"),
    (INSTANT, '"2024-01-01T23:59:60Z"', "fact-range"),
    (INSTANT, '"2024-01-01T24:00:00Z"', "fact-range"),
    (INSTANT, '"2024-01-01T00:00:00+24:00"', "fact-range"),
    (INSTANT, '"0001-01-01T00:00:00+00:01"', "fact-range"),
    (INSTANT, '"9999-12-31T23:59:59-00:01"', "fact-range"),
    (LEVEL, '"a1"', "fact-not-listed"),
    (LEVEL, "1", "fact-type"),
]


def read(text: str, column: Column) -> object:
    return from_json(decode(text)[0], column)


@pytest.mark.parametrize(("column", "text", "value"), GOOD, ids=lambda v: str(v)[:30])
def test_a_literal_of_json_becomes_its_value(column: Column, text: str, value: object) -> None:
    found = read(text, column)
    assert found == value
    assert type(found) is type(value)
    if isinstance(found, float):
        assert math.copysign(1, found) == math.copysign(1, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("column", "text", "code"), BAD, ids=lambda v: str(v)[:30])
def test_a_literal_that_is_none_of_the_type_is_refused(column: Column, text: str, code: str) -> None:
    with pytest.raises(BadValue) as error:
        read(text, column)
    assert error.value.code == code
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize(("column", "text", "code"), BAD, ids=lambda v: str(v)[:30])
def test_no_literal_takes_long_to_be_refused(column: Column, text: str, code: str) -> None:
    start = time.perf_counter()
    with pytest.raises(BadValue):
        read(text, column)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(("column", "text", "value"), GOOD, ids=lambda v: str(v)[:30])
def test_a_whole_column_at_once_gives_the_same_as_one_by_one(column: Column, text: str, value: object) -> None:
    raw = decode(text)[0]
    for values in ([raw], [None, raw, None], [raw] * 3):
        found = json_bulk(column, Limits())(values)
        if found is not None:  # it may decline, never differ
            assert found == [None if one is None else value for one in values]


def test_a_whole_column_is_taken_at_once_in_the_ordinary_case() -> None:
    for column, text in ((TEXT, '"a"'), (INT, "5"), (FLOAT, "1.5"), (DECIMAL, "1.5"), (BOOL, "true"), (LEVEL, '"A1"')):
        assert json_bulk(column, Limits())([decode(text)[0], None]) is not None


@pytest.mark.parametrize(("column", "text", "code"), BAD, ids=lambda v: str(v)[:30])
def test_a_whole_column_at_once_takes_nothing_that_is_refused_alone(column: Column, text: str, code: str) -> None:
    assert json_bulk(column, Limits())([decode(text)[0]]) is None


def test_bounds_are_inclusive_and_exact() -> None:
    tenth = Column("c", ValueType("decimal", 5, 2), low=Decimal("0.1"), high=Decimal("0.3"))
    assert read("0.1", tenth) == "0.10"
    assert read("0.3", tenth) == "0.30"
    for text in ("0.09", "0.31"):
        with pytest.raises(BadValue, match=r"outside 0\.1 to 0\.3"):
            read(text, tenth)
    whole = Column("c", ValueType("int"), low=Decimal("0.5"))
    assert read("1", whole) == 1
    with pytest.raises(BadValue, match=r"below 0\.5"):
        read("0", whole)
    double = Column("c", ValueType("float"), high=Decimal("0.1"))
    assert read("0.1", double) == 0.1
    with pytest.raises(BadValue, match=r"above 0\.1"):
        read("0.10000000000000002", double)


def test_a_number_in_quotes_is_told_to_lose_them() -> None:
    with pytest.raises(BadValue) as error:
        read('"1"', INT)
    assert error.value.help == "take the quotes away"


def test_a_level_that_is_near_is_offered() -> None:
    with pytest.raises(BadValue) as error:
        read('"A11"', LEVEL)
    assert error.value.help == "did you mean `A1`?"


@pytest.mark.parametrize("column", [TEXT, INT, FLOAT, DECIMAL, BOOL, DATE, INSTANT, LEVEL])
def test_null_is_refused_only_where_a_value_is_required(column: Column) -> None:
    assert from_json(None, column) is None
    assert from_csv("", False, column) is None
    assert from_yaml(None, False, column) is None
    required = Column("c", column.type, required=True)
    for reader in (
        lambda: from_json(None, required),
        lambda: from_csv("", False, required),
        lambda: from_yaml(None, False, required),
    ):
        with pytest.raises(BadValue, match="required"):
            reader()


@pytest.mark.parametrize(
    ("text", "quoted", "column", "value"),
    [
        ("1.10", False, TEXT, "1.10"),
        ("NO", False, TEXT, "NO"),
        ("010", False, TEXT, "010"),
        ("true", False, TEXT, "true"),
        ("true", False, BOOL, True),
        ("7", False, INT, 7),
        ("7", False, FLOAT, 7.0),
        ("1e3", False, FLOAT, 1000.0),
        ("1.10", False, DECIMAL, "1.10"),
        ("2024-01-01", False, DATE, "2024-01-01"),
        ("2024-01-01", True, DATE, "2024-01-01"),
        ("2024-01-01T00:00:00Z", False, INSTANT, "2024-01-01 00:00:00.000000"),
        ("A2", False, LEVEL, 2),
        ("A2", True, LEVEL, 2),
    ],
)
def test_cells_of_cases_are_read_by_their_column(text: str, quoted: bool, column: Column, value: object) -> None:
    assert from_yaml(text, quoted, column) == value


@pytest.mark.parametrize(
    ("text", "quoted", "column"),
    [
        ("7", True, INT),
        ("true", True, BOOL),
        ("yes", False, BOOL),
        ("True", False, BOOL),
        ("010", False, INT),
        ("+7", False, INT),
        (".5", False, FLOAT),
        (".inf", False, FLOAT),
        ("1_000", False, INT),
        ("0x1F", False, INT),
        ("12:30:45", False, INT),
    ],
)
def test_cells_of_cases_have_no_yaml_surprises(text: str, quoted: bool, column: Column) -> None:
    with pytest.raises(ValueError, match=r"expected|is no"):
        from_yaml(text, quoted, column)


@pytest.mark.parametrize(
    ("text", "quoted", "column", "value"),
    [
        ("", True, TEXT, ""),
        ("", False, TEXT, None),
        ("12", True, INT, 12),
        ("1.50", False, DECIMAL, "1.50"),
        ("true", False, BOOL, True),
    ],
)
def test_fields_of_csv_are_read_by_their_column(text: str, quoted: bool, column: Column, value: object) -> None:
    assert from_csv(text, quoted, column) == value


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("TRUE", BOOL),
        ("1", BOOL),
        (" 1", INT),
        ("1 ", INT),
        ("007", INT),
        ("1,5", DECIMAL),
        ("", INT),
        ("nan", FLOAT),
        ("٣", INT),
    ],
)
def test_fields_of_csv_are_not_repaired(text: str, column: Column) -> None:
    with pytest.raises(BadValue):
        from_csv(text, True, column)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**6), max_value=10**6), st.integers(0, 6))
def test_a_decimal_keeps_its_value_or_is_refused(number: Decimal, places: int) -> None:
    text = json.dumps(float(number)) if number == Decimal(str(float(number))) else format(number, "f")
    exact = Decimal(text)
    try:
        found = read_decimal(text, 12, places)
    except BadValue:
        assert exact != round(exact, places) or abs(exact) >= Decimal(10) ** (12 - places)
    else:
        assert found is not None
        assert Decimal(found) == exact
        assert len(found.partition(".")[2]) == places
        assert not (exact == 0 and found.startswith("-"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_nearest_double_of_its_text(number: float) -> None:
    assert read(json.dumps(number), FLOAT) == number


@given(st.integers(-(2**70), 2**70))
def test_a_whole_number_beside_a_float_is_exact_or_refused(number: int) -> None:
    try:
        assert int(read(str(number), FLOAT)) == number  # type: ignore[call-overload]
    except BadValue:
        assert int(float(number)) != number


@given(st.lists(st.none() | st.integers(-(2**66), 2**66) | st.floats(width=16) | st.text(max_size=3) | st.booleans()))
def test_a_whole_column_is_never_read_otherwise_than_value_by_value(values: list[object]) -> None:
    raw = decode(json.dumps(values))[0]
    assert isinstance(raw, list)
    for column in (TEXT, INT, FLOAT, DECIMAL, BOOL, LEVEL, DATE):
        found = json_bulk(column, Limits(text_length=2))(raw)
        if found is not None:
            convert = json_converter(column, Limits(text_length=2))
            assert found == [convert(one) for one in raw]
