"""Sentences of docs/semantics.md, each worked by hand, held against the second evaluator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from tests.second import expr, values
from tests.second.evaluate import judge
from tests.second.kleene import Env, Scope
from tests.second.meaning import meaning
from tests.second.pools import LEVELS
from tests.second.values import DATE, FLOAT, HIGHEST, INT, LOWEST, TEXT, Refused, Type, parameter

COLUMNS = {
    "i": INT, "j": INT, "f": FLOAT, "g": FLOAT, "t": TEXT, "d": DATE, "m": values.INSTANT, "b": values.BOOL,
    "l": LEVELS, "c": Type("decimal", 5, 2), "w": Type("decimal", 38, 0),
}  # fmt: skip
PARAMETERS: dict[str, dict[str, Any]] = {
    "two": {"value": "2", "unit": "none"},
    "half": {"value": "0.5", "unit": "none"},
    "tenth": {"value": "0.1", "unit": "none"},
    "whole": {"value": "3", "unit": "none", "type": "int"},
    "mid": {"value": "mid"},
    "words": {"values_of": ["a", "b"]},
    "light": {"values": [{"from": "2022-07-01", "until": "2023-01-01", "value": "true"}]},
}


def value(text: str, row: Mapping[str, Any] | None = None, **facts: Any) -> Any:
    """An expression over one row of the columns above; what is not given is null."""
    full = dict.fromkeys(COLUMNS) | dict(row or {})
    read = {name: parameter(name, entry) for name, entry in PARAMETERS.items()}
    scope = Scope(COLUMNS, {}, {}, {"r": COLUMNS}, read)
    related = {name: [{key: each.get(key) for key in COLUMNS} for each in rows] for name, rows in facts.items()}
    return meaning(expr.parse(text), scope).read(Env(full, full, (), full["d"], related, Counter()))


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        # Kleene: a comparison with null is unknown; false and unknown is false; true or unknown is true.
        ("i > 1", {}, None),
        ("i > 1 and false", {}, False),
        ("i > 1 or true", {}, True),
        ("not i > 1", {}, None),
        ("i is null", {}, True),
        ("i is not null", {}, False),
        # A null bound or member may leave between and in decided.
        ("i between j and two", {"i": 3}, False),
        ("i between j and two", {"i": 2}, None),
        ("i in (j, two)", {"i": 2}, True),
        ("i in (j, two)", {"i": 3}, None),
        ("i not in (j, two)", {"i": 2}, False),
        ("t in words", {"t": "b"}, True),
        ("t not in words", {"t": "c"}, True),
        # Not binds weaker than a comparison, and stronger than `and`.
        ("not i = 1 and b", {"i": 2, "b": True}, True),
        ("b or b and i = 1", {"b": True}, True),
        # Arithmetic is a function of the row.
        ("i + 1", {"i": HIGHEST}, None),
        ("i - 1", {"i": LOWEST}, None),
        ("i + 1 - 1", {"i": HIGHEST}, None),
        ("abs(i)", {"i": LOWEST}, None),
        ("i * j", {"i": 3037000500, "j": 3037000500}, None),
        ("i / 0", {"i": 1}, None),
        ("i / two", {"i": 1}, 0.5),
        ("f * g", {"f": 1e308, "g": 10.0}, None),
        ("f + g = 1", {"f": 0.1, "g": 0.2}, Refused),
        ("f + g > tenth + tenth + tenth", {"f": 0.1, "g": 0.2}, True),
        ("f + g", {"f": 0.1, "g": 0.2}, 0.30000000000000004),
        ("f <= tenth", {"f": 0.1}, True),
        ("i - j - 1", {"i": 5, "j": 3}, 1),
        ("two * i / two", {"i": 3}, 3.0),
        # Constants: an int beside an int, a decimal beside a decimal.
        ("i * two", {"i": 2**62}, None),
        ("i * whole", {"i": 2**62}, None),
        ("two + two + i", {"i": HIGHEST}, Fraction(HIGHEST + 4)),
        ("i * half", {"i": HIGHEST}, Fraction(HIGHEST, 2)),
        ("c + half", {"c": Fraction("0.10")}, Fraction("0.60")),
        ("w > half", {"w": Fraction(1)}, Refused),
        ("w * two", {"w": Fraction(1)}, Refused),
        ("coalesce(i, half)", {}, Refused),
        ("coalesce(c, half)", {}, Fraction("0.5")),
        # Text: nothing is folded, order is by code point.
        ("t < '\U0001f600'", {"t": "\uffff"}, True),
        ("t = '\u00e9'", {"t": "e\u0301"}, False),
        ("length(t)", {"t": "e\u0301\U0001f600"}, 3),
        ("lower(t)", {"t": "\u00c9A"}, "\u00c9a"),
        ("upper(t)", {"t": "\u00dfi"}, "\u00dfI"),
        ("starts_with(t, '')", {"t": "a"}, True),
        ("contains(t, '%')", {"t": "a"}, False),
        ("contains(t, 'it''s')", {"t": "it's"}, True),
        ("coalesce(t, 'x')", {}, "x"),
        # Levels compare in their declared order, which is low, mid, high, B10, B9.
        ("l < mid", {"l": "low"}, True),
        ("l > mid", {"l": "B10"}, True),
        ("l = 'mid'", {"l": "mid"}, True),
        # Dates: a month step clamps to the last day; outside the range is null.
        ("d + interval (1) month", {"d": date(2024, 1, 31)}, date(2024, 2, 29)),
        ("d + interval (1) month - interval (1) month", {"d": date(2024, 1, 31)}, date(2024, 1, 29)),
        ("d - interval (two) day", {"d": date(1, 1, 1)}, None),
        ("d + interval (i) month", {"d": date(2024, 1, 1), "i": HIGHEST}, None),
        ("days_between(d, d + interval (two) day)", {"d": date(2024, 2, 28)}, 2),
        ("utc_day(m)", {"m": values.read_instant("2024-01-01T00:30:00+01:00")}, date(2023, 12, 31)),
        ("year(d) - month(d) - day(d)", {"d": date(2024, 2, 3)}, 2019),
        # Dated parameters: from is inclusive, until is exclusive, a day not known gives null.
        ("light", {"d": date(2022, 6, 30)}, None),
        ("light", {"d": date(2022, 7, 1)}, True),
        ("light", {"d": date(2022, 12, 31)}, True),
        ("light", {"d": date(2023, 1, 1)}, None),
        ("light", {}, None),
    ],
)
def test_an_expression_has_the_value_that_the_page_gives(text: str, row: dict[str, Any], expected: Any) -> None:
    if expected is Refused:
        with pytest.raises(Refused):
            value(text, row)
        return
    found = value(text, row)
    assert (found, type(found)) == (expected, type(expected))


def test_a_stored_or_computed_negative_zero_is_zero() -> None:
    assert str(value("f * g", {"f": -1.0, "g": 0.0})) == "0.0"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], False),
        ([{"i": 1}], True),
        ([{"i": 2}], False),
        ([{"i": None}], None),
        ([{"i": None}, {"i": 1}], True),
        ([{"i": None}, {"i": 2}], None),
    ],
)
def test_exists_is_true_if_one_row_is_and_unknown_if_one_may_be(rows: list[Any], expected: Any) -> None:
    assert value("exists (from r where i = judged.j)", {"j": 1}, r=rows) is expected


def test_exists_over_an_absent_relation_is_unknown_even_without_a_condition() -> None:
    assert value("exists (from r)") is None
    assert value("exists (from r)", r=[]) is False


@pytest.mark.parametrize(
    "text",
    [
        "i = j = 1",
        "i == j",
        "i is true",
        "i::int",
        "i = j or",
        "- i",
        "1e3",
        '"i"',
        "i in ()",
        "(i = 1) = b",
        "i !",
        "'a",
    ],
)
def test_what_the_page_refuses_is_no_expression(text: str) -> None:
    with pytest.raises(expr.ExpressionError):
        expr.parse(text)


@pytest.mark.parametrize(
    ("text", "digits", "places"), [("0.40", 2, 2), ("120", 3, 0), ("0", 1, 0), ("-1.5", 2, 1), ("007", 1, 0)]
)
def test_a_constant_has_as_many_digits_as_it_is_written_with(text: str, digits: int, places: int) -> None:
    assert values.constant_type(text) == Type("decimal", digits, places)


def test_a_percentage_is_a_share_with_two_more_places() -> None:
    assert [values.own_digits(each) for each in ("2%", "0.5%", "100%", "-12.5%")] == ["0.02", "0.005", "1.00", "-0.125"]


def test_a_float_counts_in_a_sum_as_the_double_in_billionths_of_thousandths_rounded_half_away() -> None:
    assert values.scaled_float(5e-13) == Fraction(1, 10**12)
    assert values.scaled_float(-5e-13) == -Fraction(1, 10**12)
    assert values.scaled_float(1e14) is None
    assert values.scaled_float(0.1) == Fraction(1, 10)


# Policies.

RELATIONS = """
item:
  row: one item
  key: [id]
  columns:
    id: {type: int, unit: none}
    team: {type: text, required: true}
    x: {type: int, unit: none}
    ok: {type: bool}
    day: {type: date}
team:
  row: one team
  key: [team]
  columns: {team: {type: text}}
"""


def judged(policy: str, facts: dict[str, Any], as_of: date | None = None, witnesses: int = 20) -> dict[str, Any]:
    files = {"relations.yaml": RELATIONS, "a.yaml": "policy: p.a\nfor: item\n" + policy}
    found = judge(files, facts, as_of, witnesses)["policies"][0]
    assert isinstance(found, dict)
    return found


def items(*rows: Any) -> dict[str, Any]:
    return {"item": [{"id": number, "team": "a", **row} for number, row in enumerate(rows)]}


def outcome(found: dict[str, Any]) -> tuple[str, str | None]:
    return found["verdict"], found["reason"]


SHARE = "must: ok\nallow: few\nparams: {few: {value: 2%, unit: share}}\n"


@pytest.mark.parametrize(("rows", "allowed", "verdict"), [(49, 0, "fail"), (50, 1, "pass")])
def test_two_per_cent_of_49_rows_tolerates_none(rows: int, allowed: int, verdict: str) -> None:
    found = judged(SHARE, items({"ok": False}, *[{"ok": True}] * (rows - 1)))
    assert (found["in_scope"], found["allowed"], found["verdict"]) == (rows, allowed, verdict)


def test_a_tolerance_covers_what_is_unknown_and_what_a_person_decides() -> None:
    policy = "must: ok\nreview_if: x = 1\nallow: some\nparams: {some: {value: 2, unit: none}}\n"
    assert judged(policy, items({"x": 1}, {"x": 0}, {"x": 0, "ok": True}))["verdict"] == "pass"
    assert judged(policy, items({"x": 1}, {"x": 1}, {"x": 1}))["verdict"] == "review"
    assert outcome(judged(policy, items({"x": 1}, {"x": 1}, {"x": 0}))) == ("no_evidence", "null_column")


def test_no_tolerance_passes_where_no_row_is_certainly_in_scope() -> None:
    policy = "where: x = 1\nmust: ok\nallow: some\nparams: {some: {value: 2, unit: none}}\n"
    assert outcome(judged(policy, items({"ok": True}))) == ("no_evidence", "scope_unknown")


def test_an_unknown_scope_is_no_evidence_not_out_of_scope() -> None:
    found = judged("where: x != 1\nmust: ok", items({"ok": True}, {"x": 1}))
    assert outcome(found) == ("no_evidence", "scope_unknown")
    assert (found["in_scope"], found["witnesses"][0]["null_columns"]) == (1, ["x"])


def test_an_unknown_review_if_beside_a_false_must_is_no_evidence() -> None:
    found = judged("must: ok\nreview_if: x = 1", items({"ok": False}))
    assert outcome(found) == ("no_evidence", "null_column")
    assert found["witnesses"][0]["in"] == "review_if"


def test_paid_or_not_paid_with_unknown_paid_is_no_evidence() -> None:
    assert judged("must: ok or not ok", items({}))["verdict"] == "no_evidence"


def test_nothing_in_scope_is_no_evidence_unless_the_policy_says_otherwise() -> None:
    assert outcome(judged("must: ok", items())) == ("no_evidence", "nothing_in_scope")
    assert outcome(judged("must: ok\nif_none: not_applicable", items())) == ("not_applicable", None)
    assert outcome(judged("must: ok\nif_none: not_applicable", {})) == ("no_evidence", "absent_relation")


DATED = "must: x <= cap\nas_of: %s\nparams: {cap: {unit: none, values: [{from: 2024-01-01, value: 1}]}}\n"


def test_a_day_before_the_first_value_has_none_in_force_and_an_unknown_day_none_at_all() -> None:
    known = judged(DATED % "day", items({"x": 1, "day": date(2023, 12, 31)}))
    unknown = judged(DATED % "day", items({"x": 1}))
    assert outcome(known) == ("no_evidence", "no_value_in_force")
    assert outcome(unknown) == ("no_evidence", "date_unknown")
    assert known["witnesses"][0]["columns"] == {"x": 1, "day": "2023-12-31"}
    assert known["witnesses"][0]["parameters"] == {"cap": None}


def test_a_policy_as_of_the_day_of_judging_is_an_error_without_one() -> None:
    assert outcome(judged(DATED % "judged_on", items({"x": 1}))) == ("error", "judged_on_missing")
    assert outcome(judged(DATED % "judged_on", items({"x": 1}), date(2024, 1, 1))) == ("pass", None)


GROUPS = "per: [team]\neach_of: team\n"


def test_each_of_sees_the_group_without_rows() -> None:
    policy = GROUPS + "must: count(*) >= 1"
    found = judged(policy, {**items({}), "team": [{"team": "a"}, {"team": "b"}]})
    assert found["verdict"] == "fail"
    assert found["witnesses"][0] == {
        "outcome": "fail", "key": {"team": "b"}, "rows_in_scope": 0, "rows_of_unknown_scope": 0, "parameters": {},
        "aggregates": [{"aggregate": "count(*)", "value": 0}],
    }  # fmt: skip


def test_a_row_whose_key_is_not_in_each_of_makes_the_policy_an_error() -> None:
    found = judged(GROUPS + "must: count(*) >= 1", {**items({}), "team": []})
    assert (outcome(found), found["in_scope"]) == (("error", "key_not_in_each_of"), 0)


def test_a_row_of_unknown_scope_makes_its_group_no_evidence() -> None:
    found = judged("where: ok\nper: [team]\nmust: count(*) = 0 or max(x) < 9", items({"ok": True, "x": 1}, {"x": 1}))
    assert outcome(found) == ("no_evidence", "scope_unknown")
    assert "aggregates" not in found["witnesses"][0]


@pytest.mark.parametrize(
    ("must", "verdict"),
    [
        ("count_if(ok) >= 1", "pass"),
        ("count_if(ok) >= two", "no_evidence"),
        ("count_if(ok) >= three", "fail"),
        ("count_if(ok) = three", "fail"),
        ("count_if(ok) between 1 and two", "pass"),
        ("three > count_if(ok)", "pass"),
        ("count_if(ok) + 0 >= 1", "no_evidence"),
        ("count_if(ok) <= count(*)", "no_evidence"),
        ("count(distinct x) >= 1", "pass"),
        ("count(distinct x) <= two", "pass"),
        ("count(distinct x) <= 1", "no_evidence"),
        ("any(ok)", "pass"),
        ("all(ok)", "fail"),
        ("sum(x) > 0", "no_evidence"),
        ("sum(x) filter (where x is not null) = two + two", "pass"),
        ("count(*) filter (where ok) >= 1", "pass"),
        ("max(x) filter (where false) > 0", "no_evidence"),
        ("count(*) = half", "fail"),
        ("count(*) != half", "pass"),
    ],
)
def test_counts_have_bounds_and_other_aggregates_are_null_if_a_row_is(must: str, verdict: str) -> None:
    constants = "params: {two: {value: 2, unit: none}, three: {value: 3, unit: none}, half: {value: 2.5, unit: none}}\n"
    rows = items({"ok": True, "x": 2}, {"ok": None, "x": None}, {"ok": False, "x": 2})
    found = judged(f"{GROUPS}must: {must}\n{constants}", {"team": [{"team": "a"}], **rows})
    assert found["verdict"] == verdict


def test_witnesses_come_fails_first_then_by_key_and_the_rest_are_counted() -> None:
    found = judged("must: ok", items({}, {"ok": False}, {}, {"ok": False}), witnesses=3)
    assert [(each["outcome"], each["key"]["id"]) for each in found["witnesses"]] == [
        ("fail", 1), ("fail", 3), ("no_evidence", 0),
    ]  # fmt: skip
    assert found["more_witnesses"] == 1


def test_a_run_has_the_worst_verdict_of_its_policies() -> None:
    files = {
        "relations.yaml": RELATIONS,
        "a.yaml": "policy: p.a\nfor: item\nmust: ok",
        "b.yaml": "policy: p.b\nfor: item\nmust: x = 1",
    }
    assert judge(files, items({"ok": False}), None, 5)["verdict"] == "fail"
    assert judge(files, items({"ok": True, "x": 1}), None, 5)["verdict"] == "pass"
    assert judge(files, items({"ok": True}), None, 5)["verdict"] == "no_evidence"
