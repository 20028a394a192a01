"""What a newcomer gets wrong, and the help: one problem that says what was meant."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from engine.errors import Place
from engine.facts.bad_values import BadValue
from engine.facts.json_text import decode
from engine.facts.values import from_csv, from_json
from engine.model import Column, ValueType
from tests.facts_samples import LEVELS, codes, refused, small, write

from .facts_slips import LINE, SHAPES, THING, here, told

__all__ = ["here"]


# --- missing columns -------------------------------------------------------------------------------------------------


def declared(name: str, line: int, required: bool = False) -> Column:
    return Column(name, ValueType("text"), required, place=Place("p/relations.yaml", line, 3))


CRATE = small(*(declared(name, line) for name, line in (("a", 8), ("b", 9), ("c", 12))), name="crate")


def test_all_missing_columns_of_a_file_are_one_problem_that_names_their_declarations() -> None:
    help = "give them ({} is unknown), or write `may_be_absent: true` for them in p/relations.yaml:8, 9 and 12"
    message = "the file has no column `a`, `b` and `c` of `crate`"
    assert told("x.json", {"crate": [{"id": "1"}, {"id": "2"}]}, CRATE) == (message, help.format("`null`"))
    assert told("crate.csv", "id\n1\n", CRATE) == (message, help.format("an empty field"))


def test_one_missing_column_is_spoken_of_as_one() -> None:
    assert told("crate.jsonl", '{"id": "1", "a": null, "b": null}', CRATE) == (
        "the file has no column `c` of `crate`",
        "give it (`null` is unknown), or write `may_be_absent: true` for it in p/relations.yaml:12",
    )


def test_a_required_column_is_not_told_to_be_absent() -> None:
    relations = small(declared("a", 8, required=True), declared("b", 9))
    _, help = told("thing.csv", "id\n1\n", relations)
    assert help == (
        "give them (an empty field is unknown; `a`: required), "
        "or write `may_be_absent: true` for the others in p/relations.yaml:9"
    )
    assert told("thing.csv", "id,b\n1,\n", relations) == ("the file has no column `a` of `thing`", "give it: required")


def test_a_misspelt_name_is_set_against_the_missing_one() -> None:
    problems = refused(write(Path("a.json"), {"thing": [{"id": "a", "n": 1, "T ": ""}]}), relations=THING)
    assert codes(problems) == ["fact-missing-column", "fact-unknown-column"]
    assert str(problems[0].help).endswith("; is `T ` meant for `t`?")
    assert problems[1].help == "did you mean `t`?"


def test_many_missing_columns_are_counted_not_listed() -> None:
    relations = small(*(declared(f"c{n}", n + 10) for n in range(40)))
    message, help = told("thing.csv", "id\n", relations)
    assert message.endswith("`c11` and 28 more of `thing`")
    assert help is not None
    assert help.endswith(":10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 28 more")


@pytest.mark.parametrize(("content", "message", "help"), SHAPES, ids=lambda v: str(v)[:40])
def test_json_of_another_form_is_told_what_it_is(content: str, message: str, help: str) -> None:
    problems = refused(write(Path("a.json"), content), relations=THING)
    assert (problems[0].message, problems[0].help) == (message, help)
    assert set(codes(problems)) == {"fact-json"}


@pytest.mark.parametrize(
    "content",
    [f'{{"thing": [{LINE}]}}\n', f'{{\n"thing": [\n{LINE}\n]}}\n', f"[{LINE},\n{LINE}]\n", f"[\n{LINE}\n]\n"],
)
def test_a_document_that_is_named_as_lines_is_one_problem(content: str) -> None:
    message, help = told("thing.jsonl", content)
    assert message == "a document, and JSON Lines has one whole row on each line"
    assert help == 'a document `{"relation": [rows]}` is a `.json` file: rename it'


def test_what_is_cut_off_is_no_slip() -> None:
    for text in ('{"thing": [{"n": tr', '{"thing": [{"id": "a"', '{"thing": ['):
        for problem in refused(write(Path("a.json"), text), relations=THING):
            assert problem.help is None or "quotes" not in problem.help


# --- values ----------------------------------------------------------------------------------------------------------

MM = Column("c", ValueType("int"), unit="mm")
FLOAT = Column("c", ValueType("float"), unit="%", low=Decimal(0))
BOOL = Column("c", ValueType("bool"))
DATE = Column("c", ValueType("date"))
INSTANT = Column("c", ValueType("instant"))
TEXT = Column("c", ValueType("text"))
KIND = Column("c", ValueType("text"), one_of=("open", "specific"))
LEVEL = Column("c", ValueType("levels", levels=LEVELS))
VALUES: list[tuple[Column, str, str]] = [
    (MM, "71 mm", "write 71; the unit is declared: mm"),
    (MM, "71mm", "write 71; the unit is declared: mm"),
    (MM, "71.0 mm", "write 71; the unit is declared: mm"),
    (MM, "7.1 cm", "write the number alone, in the declared unit: mm"),
    (FLOAT, "5%", "write 5; the unit is declared: %"),
    (FLOAT, ".5", "write 0.5"),
    (FLOAT, "1,5", "decimals follow a point, and nothing separates thousands"),
    (FLOAT, "1 000", "nothing separates thousands"),
    (MM, "+5", "write 5"),
    (MM, "10.0", "write 10"),
    (BOOL, "yes", "write `true`"),
    (BOOL, "TRUE", "write `true`"),
    (BOOL, "True", "write `true`"),
    (BOOL, "1", "write `true`"),
    (BOOL, "No", "write `false`"),
    (BOOL, "0", "write `false`"),
    (DATE, "1.1.2026", "a date is written YYYY-MM-DD: 2026-01-01"),
    (DATE, "2026/1/31", "a date is written YYYY-MM-DD: 2026-01-31"),
    (DATE, "01/02/2026", "a date is written `YYYY-MM-DD`"),  # whose day and month nobody knows
    (DATE, "31.2.2026", "a date is written `YYYY-MM-DD`"),
    (DATE, "2026-01-01T10:00:00Z", "write the day alone, YYYY-MM-DD: 2026-01-01"),
    (INSTANT, "2026-01-01 10:00", "say of which zone: 2026-01-01T10:00:00Z in UTC, or with `±HH:MM`"),
    (INSTANT, "2026-01-01 10:00:00+01:00", "write 2026-01-01T10:00:00+01:00"),
    (KIND, "Open", "did you mean `open`?"),
    (LEVEL, "b1", "did you mean `B1`?"),
]


@pytest.mark.parametrize(("column", "text", "help"), VALUES, ids=str)
def test_a_value_that_is_nearly_right_is_told_how_to_be_written(column: Column, text: str, help: str) -> None:
    with pytest.raises(BadValue) as error:
        from_csv(text, False, column)
    assert error.value.help == help
    with pytest.raises(BadValue) as error:
        from_json(text, column)
    assert error.value.help == help


@pytest.mark.parametrize("text", ["NA", "-", "n/a", "N/A", "null", "None", "NaN", "?", "–"])
@pytest.mark.parametrize("column", [MM, FLOAT, BOOL, DATE, INSTANT, KIND, LEVEL], ids=lambda c: c.type.kind)
def test_a_word_for_unknown_is_told_how_unknown_is_written(column: Column, text: str) -> None:
    with pytest.raises(BadValue) as error:
        from_csv(text, False, column)
    assert error.value.help == "leave the field empty for what is unknown"
    with pytest.raises(BadValue) as error:
        from_json(text, column)
    assert error.value.help == "write `null` for what is unknown"


def test_a_required_column_is_not_told_to_be_left_empty() -> None:
    with pytest.raises(BadValue) as error:
        from_csv("NA", False, Column("c", ValueType("int"), required=True))
    assert error.value.help == "give it a value: the column is required"


@pytest.mark.parametrize(
    ("column", "text", "help"),
    [
        (TEXT, "12", 'put it in quotes: `"12"`'),
        (TEXT, "1.50", 'put it in quotes: `"1.50"`'),
        (TEXT, "true", 'put it in quotes: `"true"`'),
        (BOOL, "1", "write `true`"),
        (BOOL, "0", "write `false`"),
        (BOOL, '"true"', "take the quotes away"),
        (MM, '"12"', "take the quotes away"),
        (MM, "12.0", "write 12"),
        (MM, "12.5", "an int is written without point and exponent"),
        (DATE, "20260101", 'write a date, `"YYYY-MM-DD"`'),
        (MM, "[1]", "a row is flat: a list or an object is better a relation of its own"),
    ],
)
def test_a_json_value_of_another_kind_is_told_how_to_be_written(column: Column, text: str, help: str) -> None:
    with pytest.raises(BadValue) as error:
        from_json(decode(text)[0], column)
    assert error.value.help == help
