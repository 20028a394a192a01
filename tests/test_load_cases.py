"""Cases against the relations they speak of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.cases.check import MAX_CASE_ROWS, check_cases
from engine.errors import Problem
from engine.load import load_packs

BASE = Path(__file__).parent / "broken" / "base"


@pytest.fixture
def sky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(BASE, tmp_path / "sky")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "sky"


def problems(sky: Path, cases: str, head: str = "") -> list[Problem]:
    """What is said of the cases `cases` (lines of YAML) in the policy of the base pack, `head` added to it."""
    text = (BASE / "height.yaml").read_text("utf-8")
    text = text[: text.index("cases:")] + f"{head}\ncases:\n{cases}\n"
    (sky / "height.yaml").write_text(text, "utf-8")
    loaded = load_packs(sky)
    assert loaded.problems == ()
    pack = loaded.packs["sky"]
    return check_cases(pack.policies["height"], pack, loaded.unusable["sky"])


def codes(sky: Path, cases: str, head: str = "") -> list[str]:
    return [problem.code for problem in problems(sky, cases, head)]


@pytest.mark.parametrize(
    "case",
    [
        "- {height: 120, expect: pass}",
        "- {height: null, day: null, grade: null, expect: no_evidence, reason: null_column}",
        "- {rows: [], expect: not_applicable, reason: nothing_in_scope}",
        "- {rows: absent, expect: no_evidence, reason: absent_relation}",
        "- {rows: [{height: 1, repeat: 100000}], expect: pass}",
        "- {rows: [{}, {height: 130}], expect: fail, expect_rows: [{flight: f1, outcome: fail}]}",
        "- {facts: {permit: absent}, expect: pass}",
        "- {facts: {permit: [{permit: p, flight: f1, expires: null}]}, expect: pass}",
        "- {remarks: text of a column that may be absent, expect: pass}",
        '- {flight: "007", expect: pass}',
        "- {flight: 007, expect: pass}",
        "- {expect: error}",
    ],
)
def test_a_good_case_is_accepted(sky: Path, case: str) -> None:
    assert codes(sky, case) == []


@pytest.mark.parametrize(
    ("case", "code", "text"),
    [
        ("- {hieght: 1, expect: pass}", "unknown-column", "hieght"),
        ("- {rows: [{hieght: 1}], expect: pass}", "unknown-column", "hieght"),
        ("- {reeson: x, expect: pass}", "unknown-column", "reeson"),
        ("- {repeat: 2, expect: pass}", "unknown-column", "repeat"),
        ("- {height: tall, expect: pass}", "case-value", "tall"),
        ('- {height: "1", expect: pass}', "case-value", '"1"'),
        ("- {height: 1.25, expect: pass}", "case-value", "1.25"),
        ("- {height: -1, expect: pass}", "case-value", "-1"),
        ("- {height: .nan, expect: pass}", "case-value", ".nan"),
        ("- {night: yes, expect: pass}", "case-value", "yes"),
        ("- {day: 2024-02-30, expect: pass}", "case-value", "2024-02-30"),
        ("- {grade: lowest, expect: pass}", "case-value", "lowest"),
        ("- {category: opne, expect: pass}", "case-value", "opne"),
        ("- {flight: null, expect: pass}", "case-value", "null"),
        ("- {facts: {permt: []}, expect: pass}", "unknown-relation", "pass"),
        ("- {facts: {permt: absent}, expect: pass}", "unknown-relation", "pass"),
        ("- {facts: {flight: []}, expect: pass}", "judged-in-facts", "pass"),
        ("- {facts: {permit: [{permit: p, flight: f1}]}, expect: pass}", "incomplete-row", "{permit: p, flight: f1}"),
        ("- {facts: {permit: [{permit: p, flight: f1, expires: soon}]}, expect: pass}", "case-value", "soon"),
        ("- {expect: pass, expect_rows: [{height: 80, outcome: pass}]}", "not-in-key", "height"),
        ("- {expect: pass, expect_rows: [{flight: null, outcome: pass}]}", "case-value", "null"),
        ("- {expect: pass, reason: differs}", "reason-does-not-fit", "pass"),
        ("- {expect: fail, reason: null_column}", "reason-does-not-fit", "fail"),
        ("- {judged_on: 2024-01-01, expect: pass}", "judged-on-unused", "pass"),
        ("- {rows: [{repeat: 100000}, {}], expect: pass}", "too-many-rows", "pass"),
    ],
)
def test_a_bad_case_is_refused_where_it_is_bad(sky: Path, case: str, code: str, text: str) -> None:
    (problem,) = problems(sky, case)
    assert problem.code == code
    assert problem.place is not None
    line = (sky / "height.yaml").read_text().split("\n")[problem.place.line - 1]
    found = line[problem.place.column - 1 :][: problem.place.length]
    assert found == text


def test_a_column_that_bears_a_word_of_cases_can_be_written_where_the_word_has_no_meaning(sky: Path) -> None:
    relations = (sky / "relations.yaml").read_text()
    more = "    repeat: {type: text}\n    outcome: {type: text}\n    reason: {type: text}\n    expect: {type: text}\n"
    (sky / "relations.yaml").write_text(relations.replace("    grade:", more + "    grade:", 1))
    text = (BASE / "height.yaml").read_text("utf-8")
    given = text.replace("grade: low}", "grade: low, repeat: a, outcome: b, reason: c, expect: d}")
    more_cases = """  - {repeat: weekly, outcome: x, expect: pass}
  - {rows: [{reason: x, expect: y, outcome: z}], expect: pass, reason: null_column}
  - {expect: pass, expect_rows: [{flight: f1, outcome: pass}]}
"""
    (sky / "height.yaml").write_text(given + more_cases.replace(", reason: null_column", ""))
    loaded = load_packs(sky)
    pack = loaded.packs["sky"]
    assert (loaded.problems, check_cases(pack.policies["height"], pack)) == ((), [])
    for case in ("{rows: [{repeat: 1}], expect: pass}", "{rows: [{}, {repeat: 3}], expect: pass}"):
        (sky / "height.yaml").write_text(f"{given}  - {case}\n")
        pack = load_packs(sky).packs["sky"]
        assert [problem.code for problem in check_cases(pack.policies["height"], pack)] == ["word-of-cases"]


def test_a_misspelt_key_of_a_case_is_recognised(sky: Path) -> None:
    (problem,) = problems(sky, "- {expct_rows: 1, expect: pass}")
    assert problem.help == "did you mean `expect_rows`, a key of a case?"


def test_the_rows_of_a_case_are_bounded_in_sum(sky: Path) -> None:
    half = MAX_CASE_ROWS // 2
    assert codes(sky, f"- {{rows: [{{repeat: {half}}}, {{repeat: {half}}}], expect: pass}}") == []
    assert codes(sky, f"- {{rows: [{{repeat: {half}}}, {{repeat: {half + 1}}}], expect: pass}}") == ["too-many-rows"]


def test_every_case_has_a_day_where_the_day_of_judging_counts(sky: Path) -> None:
    cases = "- {judged_on: 2024-01-01, expect: pass}\n- {expect: pass}"
    assert codes(sky, cases, "as_of: judged_on") == ["judged-on-missing"]


def test_the_rows_expected_of_groups_are_named_by_their_groups(sky: Path) -> None:
    case = "- {expect: pass, expect_rows: [{category: open, outcome: pass}]}"
    assert codes(sky, case, "per: [category]") == []
    assert codes(sky, case) == ["not-in-key"]
    case = "- {expect: pass, expect_rows: [{flight: f1, outcome: pass}]}"
    assert codes(sky, case, "per: [category]") == ["not-in-key"]


def test_the_example_is_full_and_typed(sky: Path) -> None:
    path = sky / "height.yaml"
    text = path.read_text()
    path.write_text(text.replace(", grade: low", ", grad: low").replace("height: 80", "height: high"))
    pack = load_packs(sky).packs["sky"]
    found = check_cases(pack.policies["height"], pack)
    assert sorted(problem.code for problem in found) == ["case-value", "incomplete-row", "unknown-column"]


def test_a_policy_without_an_example_is_refused(sky: Path) -> None:
    path = sky / "height.yaml"
    lines = path.read_text().split("\n")
    path.write_text("\n".join(line for line in lines if not line.startswith("example:")))
    pack = load_packs(sky).packs["sky"]
    assert [problem.code for problem in check_cases(pack.policies["height"], pack)] == ["missing-key"]


@pytest.mark.parametrize("cases", ["cases: []\n", ""])
def test_a_policy_without_cases_is_refused(sky: Path, cases: str) -> None:
    text = (BASE / "height.yaml").read_text("utf-8")
    (sky / "height.yaml").write_text(text[: text.index("cases:")] + cases)
    (problem,) = load_packs(sky).problems
    assert problem.is_error
    assert problem.code in ("too-few", "missing-key")


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("- {height: 1}", "missing-key"),
        ("- {height: 1, expect: passed}", "wrong-value"),
        ("- {height: 1, expect: pass, reason: bored}", "wrong-value"),
        ("- {rows: absnt, expect: pass}", "wrong-value"),
        ("- {rows: 3, expect: pass}", "wrong-kind"),
        ("- {rows: [{repeat: 0}], expect: pass}", "out-of-bounds"),
        ("- {rows: [{repeat: 100001}], expect: pass}", "out-of-bounds"),
        ("- {rows: [{repeat: 1.5}], expect: pass}", "wrong-kind"),
        ('- {rows: [{repeat: "2"}], expect: pass}', "wrong-kind"),
        ("- {height: [1], expect: pass}", "wrong-kind"),
        ("- {height: 1, rows: [], expect: pass}", "cells-beside-rows"),
        ("- {judged_on: 2024-02-30, expect: pass}", "no-such-day"),
        ("- {expect: pass, expect_rows: [{outcome: pass}]}", "too-few"),
        ("- {expect: pass, expect_rows: [{flight: f1}]}", "missing-key"),
        ("- pass", "wrong-kind"),
    ],
)
def test_a_case_of_the_wrong_form_is_refused_when_loading(sky: Path, case: str, code: str) -> None:
    text = (BASE / "height.yaml").read_text("utf-8")
    (sky / "height.yaml").write_text(text[: text.index("cases:")] + f"cases:\n{case}\n")
    assert code in [problem.code for problem in load_packs(sky).problems]
