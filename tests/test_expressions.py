"""Expressions that are refused: the code, and the words under the caret."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.check import check_policy
from engine.errors import FielError, Problem
from engine.lang.lex import AGGREGATES, FUNCTIONS, KEYWORDS
from engine.lang.parse import parse
from engine.load import load_packs
from engine.model import Expression
from engine.names import NAME, RESERVED

from . import packs

PARAMS = """top: {value: 3, unit: word, origin: convention, because: x}
  half: {value: 0.5, unit: none, origin: convention, because: x}
  cap: {value: 100.00, unit: EUR, origin: convention, because: x}
  step: {value: 2, unit: day, origin: convention, because: x}
  first: {value: 2026-01-01, origin: convention, because: x}
  names: {values_of: [a, b], origin: convention, because: x}
  grade: {value: A2, origin: convention, because: x}"""
UNREAD = frozenset({"unused-parameter", "as-of-unused"})


def problems_of(tmp_path: Path, must: str, more: str = "") -> list[Problem]:
    root = packs.write(tmp_path, {"rule": packs.policy(must, PARAMS, more)})
    loaded = load_packs(root)
    assert loaded.problems == ()
    pack = loaded.packs["t"]
    _, problems = check_policy(pack.policies["rule"], pack)
    return [p for p in problems if p.code not in UNREAD]


def under_caret(problem: Problem) -> str:
    assert problem.place is not None
    assert problem.excerpt is not None
    start = problem.place.column - 1
    return problem.excerpt[start : start + problem.place.length]


REFUSED = [
    ("words = 3", "bare-number", "3"),
    ("words <= 30.5", "bare-number", "30.5"),
    ("words <= -2", "bare-number", "-2"),
    ("words <= 1e3", "bad-number", "1e3"),
    ("words <= .5", "not-in-language", "."),
    ("wrods <= top", "unknown-column", "wrods"),
    ("words <= tpo", "unknown-column", "tpo"),
    ("words <= cap", "unit-mismatch", "words <= cap"),
    ("words + price <= cap", "unit-mismatch", "words + price"),
    ("words * words <= top", "unit-mismatch", "words * words"),
    ("words <= kind", "type-mismatch", "words <= kind"),
    ("kind = 1", "type-mismatch", "kind = 1"),
    ("words = 'a'", "type-mismatch", "words = 'a'"),
    ("ok = 1", "type-mismatch", "ok = 1"),
    ("ok != true", "type-mismatch", "ok != true"),
    ("level = kind", "type-mismatch", "level = kind"),
    ("day = words", "type-mismatch", "day = words"),
    ("score = half", "float-equality", "score = half"),
    ("score in (half)", "float-equality", "score in (half"),
    ("kind = 'c'", "not-one-of", "'c'"),
    ("kind in ('a', 'x')", "not-one-of", "'x'"),
    ("level = 'C9'", "unknown-level", "'C9'"),
    ("level >= 'A2'", "bare-constant", "'A2'"),
    ("kind < 'a'", "bare-constant", "'a'"),
    ("words <= words", "self-comparison", "words <= words"),
    ("words between words and top", "self-comparison", "words between words and top"),
    ("words", "not-a-condition", "words"),
    ("ok and kind", "not-a-condition", "kind"),
    ("not words", "not-a-condition", "words"),
    ("(words <= top) = ok", "not-a-value", "words <= top"),
    ("ok = (words <= top)", "not-a-value", "words <= top"),
    ("words = top = 1", "not-a-value", "words = top"),
    ("words in (null)", "not-a-value", "null"),
    ("null", "not-a-value", "null"),
    ("words = names", "not-a-value", "names"),
    ("kind in grade", "not-a-list", "grade"),
    ("kind in nmes", "unknown-parameter", "nmes"),
    ("kind in ()", "not-in-language", "kind"),
    ("words is true", "not-in-language", "words is true"),
    ("words :: int = 1", "not-in-language", "::"),
    ("words == top", "not-in-language", "=="),
    ("words <> top", "not-in-language", "<>"),
    ('"words" = top', "not-in-language", '"words"'),
    ("words = top -- more", "not-in-language", "--"),
    ("words /* x */ = top", "not-in-language", "/*"),
    ("kind like 'a'", "not-in-language", "like"),
    ("case when ok then ok end", "not-in-language", "case"),
    ("kind || 'x' = 'a'", "not-in-language", "||"),
    ("[words] = top", "not-in-language", "["),
    ("words % top = 0", "not-in-language", "%"),
    ("+ words <= top", "not-in-language", "+"),
    ("- words <= top", "not-in-language", "words"),
    ("(select 1) = 1", "not-in-language", "select"),
    ("exists (select 1)", "not-in-language", "select"),
    ("exists (from note, item)", "bad-syntax", "from"),
    ("exists (from note(1, words) where good)", "unknown-function", "note"),
    ("exists (from count(1, words) where good)", "bad-syntax", "exists"),
    ("judged (ok)", "bad-syntax", "judged"),
    ("exists (from note where judged (id))", "bad-syntax", "judged"),
    ("ok = null (ok)", "bad-syntax", "null"),
    ("true (ok)", "bad-syntax", "true"),
    ("null (ok)", "bad-syntax", "null"),
    ("interval 2", "bad-syntax", "interval"),
    ("words between 0 1", "bad-syntax", "1"),
    ("words not between 0 1 or ok", "bad-syntax", "1"),
    ("min . in (words) is not null", "not-in-language", "min . in (words"),
    ("kind in ('a',)", "bad-syntax", ","),
    ("day + interval (-1) day > first", "wrong-arguments", "day + interval (-1"),
    ("item.words <= top", "not-in-language", "item.words"),
    ("words <= top; ok", "not-in-language", ";"),
    ("current_date > day", "not-in-language", "current_date"),
    ("now() > day", "unknown-function", "now"),
    ("random() < half", "unknown-function", "random"),
    ("getenv('HOME') = 'x'", "unknown-function", "getenv"),
    ("COUNT(*) > 0", "unknown-function", "COUNT"),
    ("len(kind) > 0", "unknown-function", "len"),
    ("read_csv('/etc/passwd')", "unknown-function", "read_csv"),
    ("date '2026-01-01' < day", "bad-syntax", "'2026-01-01'"),
    ("words <=", "bad-syntax", "<="),
    ("words top", "bad-syntax", "top"),
    ("(words <= top", "bad-syntax", "("),
    ("words <= top)", "bad-syntax", ")"),
    ("kind = 'a", "unclosed-text", "'"),
    ("e'a' = kind", "not-in-language", "e'a'"),
    ("count(*) > 0", "misplaced-aggregate", "count(*)"),
    ("exists (from note where count(*) > 0)", "misplaced-aggregate", "count(*)"),
    ("exists (from note where exists (from note))", "nested-exists", "exists (from note)"),
    ("exists (from nte)", "unknown-relation", "nte"),
    ("exists (from note where words = top)", "unknown-column", "words"),
    ("exists (from note where judged.note = id)", "unknown-column", "judged.note"),
    ("judged.words <= top", "judged-outside-exists", "judged.words"),
    ("day + words > first", "type-mismatch", "day + words"),
    ("day + interval (words) day > first", "unit-mismatch", "day + interval (words"),
    ("day + interval (half) day > first", "wrong-arguments", "day + interval (half"),
    ("words + interval (step) day > first", "type-mismatch", "words + interval (step"),
    ("day + interval (step) week > first", "bad-syntax", "week"),
    ("length(words) > 0", "wrong-arguments", "length(words)"),
    ("starts_with(kind, id)", "wrong-arguments", "starts_with(kind, id)"),
    ("coalesce(words) > 0", "wrong-arguments", "coalesce(words)"),
    ("coalesce(words, kind) > 0", "type-mismatch", "coalesce(words, kind)"),
    ("coalesce(words, price) > 0", "type-mismatch", "coalesce(words, price)"),
    ("abs(kind) > 0", "wrong-arguments", "abs(kind)"),
    ("price * price * price * price * price * price * price < cap", "unit-mismatch", "price * price"),
]


@pytest.mark.parametrize(("must", "code", "words"), REFUSED, ids=[m for m, _, _ in REFUSED])
def test_an_expression_is_refused_at_its_place(tmp_path: Path, must: str, code: str, words: str) -> None:
    found = problems_of(tmp_path, must)
    assert [p.code for p in found] == [code]
    assert under_caret(found[0]) == words


HELPED = [
    ("words <= 65", "add `threshold: {value: 65, unit: …, origin: convention, because: …}` under `params`"),
    ("day > 2026-01-01", "a day is a parameter: `params: {first_day: {value: 2026-01-01, origin: …}}`"),
    ("day > '2026-01-01'", "a day is a parameter, written `value: 2026-01-31` without quotes"),
    ("day <= today()", "a rule has no clock; let the facts bring the day, as a column"),
    ("ok = 'true'", "write `ok` or `not ok`"),
    ("ok = 1", "write `ok` or `not ok`"),
    ("level = A2", "did you mean the text `'A2'`?"),
    ("kind = a", "did you mean the text `'a'`?"),
    ('kind = "a"', "a text stands in single quotes, `'a'`; a name is written bare"),
    ("words != null", "write `words is not null`"),
    ("words = null", "write `words is null`"),
    ("words => top", "write `>=`"),
    ("words =< top", "write `<=`"),
    ("ok && ok", "write `and`"),
    ("ok || ok", "between conditions write `or`; texts cannot be joined in a rule"),
    ("day + interval (step) days > first", "an interval ends with `day` or `month`"),
    ("day + interval step day > first", "write `interval (n) day` or `interval (n) month`"),
    ("exists (note where id = judged.id)", "write `exists (from R where …)`"),
    ("exists note", "write `exists (from R where …)`"),
    ("count() > 0", "write `count(*)`"),
    ("count(kind = 'a') > 0", "write `count_if(kind = 'a')`, `count(*)` or `count(distinct x)`"),
    ("count(kind) > 0", "write `count_if(kind is not null)`, `count(*)` or `count(distinct x)`"),
    ("words <= cap", "give the parameter `cap` in word (`unit: word`)"),
    ("words <= price", "let the facts bring `words` in EUR (`unit: EUR` at "),
]


@pytest.mark.parametrize(("must", "help_text"), HELPED, ids=[m for m, _ in HELPED])
def test_a_mistake_that_authors_make_gets_the_help_that_mends_it(tmp_path: Path, must: str, help_text: str) -> None:
    found = problems_of(tmp_path, must)
    assert len(found) == 1
    assert (found[0].help or "").startswith(help_text)


GROUPED = [
    ("words <= top", "not-grouped", "words"),
    ("sum(kind) > 0", "wrong-arguments", "sum(kind)"),
    ("max(count(*)) > 0", "misplaced-aggregate", "count(*)"),
    ("count(words) > 0", "not-in-language", "count(words"),
    ("count(distinct score) = 0", "float-equality", "count(distinct score)"),
    ("sum(distinct words) <= top", "not-in-language", "sum(distinct words"),
    ("any(words)", "not-a-condition", "words"),
    ("ok = any(ok)", "not-a-value", "any(ok)"),
    ("count(*) is null", "wrong-arguments", "count(*) is null"),
    ("count(*) filter (ok) = 0", "bad-syntax", "filter"),
    ("count(*) >= 1", "lower-bound-without-each-of", None),
    ("any(ok)", "lower-bound-without-each-of", None),
    ("not all(ok)", "lower-bound-without-each-of", None),
]


@pytest.mark.parametrize(("must", "code", "words"), GROUPED, ids=[m for m, _, _ in GROUPED])
def test_a_rule_for_groups_is_refused(tmp_path: Path, must: str, code: str, words: str | None) -> None:
    found = [p for p in problems_of(tmp_path, must, "per: [id]\n") if p.code != "not-grouped" or words == "words"]
    assert [p.code for p in found] == [code]
    assert words is None or under_caret(found[0]) == words


@pytest.mark.parametrize(
    "must",
    [
        "count(*) <= step",
        "sum(words) <= top",
        "all(ok)",
        "not any(ok)",
        "max(words) <= top",
        "count(*) = 0 or ok = all(ok)",
    ],
)
def test_a_rule_that_no_empty_group_can_break_needs_no_each_of(tmp_path: Path, must: str) -> None:
    found = problems_of(tmp_path, must, "per: [id]\n")
    assert "lower-bound-without-each-of" not in [p.code for p in found]


def test_a_rule_of_many_terms_is_checked_in_no_time(tmp_path: Path) -> None:
    many = " or ".join(["kind = 'a'"] * 60)
    assert problems_of(tmp_path, f"{many} or all(ok)", "where: kind is not null\nper: [kind]\n") == []


def test_a_long_list_is_checked(tmp_path: Path) -> None:
    members = ", ".join(str(n) for n in range(2_000))
    params = f"{{values_of: [{members}], unit: word, origin: convention, because: x}}"
    rule = packs.policy("words in all_words", f"all_words: {params}")
    pack = load_packs(packs.write(tmp_path, {"rule": rule})).packs["t"]
    assert check_policy(pack.policies["rule"], pack)[1] == []


@pytest.mark.parametrize(
    "where", ["kind is not null", "(kind is not null and words > 0) and ok", "not (kind is null or words is null)"]
)
def test_a_scope_can_show_that_a_group_has_a_key(tmp_path: Path, where: str) -> None:
    assert problems_of(tmp_path, "all(ok)", f"where: {where}\nper: [kind]\n") == []
    assert [p.code for p in problems_of(tmp_path / "x", "all(ok)", "per: [kind]\n")] == ["nullable-group"]


def test_a_typo_in_the_scope_is_one_problem(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "all(ok)", "where: kind is not null and wrods > 0\nper: [kind]\n")
    assert [p.code for p in found] == ["unknown-column"]


def test_no_unit_switches_the_check_of_units_off(tmp_path: Path) -> None:
    params = 'top: {value: 3, unit: "*", origin: convention, because: x}'
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top", params)})
    loaded = load_packs(root)
    found = list(loaded.problems)
    if not found:
        found = check_policy(loaded.packs["t"].policies["rule"], loaded.packs["t"])[1]
    assert found != []


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "wrods <= top and kind = 'c' and words = 7")
    assert [p.code for p in found] == ["unknown-column", "not-one-of", "bare-number"]


def test_places_hold_in_folded_scalars(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "words <= top\n  and\n      wrods\n    <= top")
    assert found[0].place is not None
    assert (found[0].place.line, found[0].place.column) == (7, 7)
    assert under_caret(found[0]) == "wrods"


SIGNS = """( ) , . + - * / = != < <= > >= ; :: -- " [ ] $1 @ % \\ é \0"""
WORDS = st.sampled_from(
    sorted(FUNCTIONS | AGGREGATES | KEYWORDS | RESERVED)
    + SIGNS.split(" ")
    + "words top kind id ok judged day month 0 1 2.5 'a' ''".split(" ")
)


@settings(max_examples=600, deadline=None)
@given(st.lists(WORDS, max_size=24), st.sampled_from(["", " ", "\n"]))
def test_no_text_makes_the_reader_fail_otherwise_than_with_problems(words: list[str], joint: str) -> None:
    text = joint.join(words)
    expression = Expression(text, "f.yaml", lambda at: (1, at + 1), lambda line: text)
    problems: tuple[Problem, ...] = ()
    try:
        parse(expression)
    except FielError as error:
        problems = error.problems
    assert all(p.place is not None and p.message for p in problems)


@pytest.mark.parametrize(
    "name", sorted(FUNCTIONS | {"utc_date", "timestamp", "text", "values_of", "rank", "row", "date"})
)
def test_words_that_are_not_reserved_are_names(name: str) -> None:
    assert NAME.fullmatch(name)
    text = f"{name} = 1 or not {name} in ({name}, 0) or {name} is null or {name} between 0 and {name}"
    parse(Expression(text, "f.yaml", lambda at: (1, at + 1), lambda line: text))


@pytest.mark.parametrize(
    ("must", "code", "helps"),
    [
        ("level = 'C9'", "unknown-level", ["lowest first: A1 < A2 < B1"]),
        ("level + 1 > 0", "type-mismatch", []),
        ("level", "not-a-condition", ["compare it"]),
        ("level >= A2", "bare-constant", ["write `least_level` here", "{least_level: {value: A2, origin: ", "A1 < A2"]),
        ("A2 >= level", "bare-constant", ["write `most_level` here", "{most_level: {value: A2, "]),
        ("level < 'A2'", "bare-constant", ["{most_level: {value: A2, ", "lowest first: A1 < A2 < B1"]),
        ("kind > 'a'", "bare-constant", ["{least_kind: {value: a, "]),
        ("id > 'null'", "bare-constant", ['{least_id: {value: "null", ']),
        ("level = A2", "unknown-column", ["did you mean the text `'A2'`?"]),
        ("level >= A9", "unknown-column", []),
        ("words <= cap", "unit-mismatch", ["parameter `cap` in word (`unit: word`)", "in EUR (`unit: EUR` at "]),
        ("words + price <= cap", "unit-mismatch", ["`words` in EUR", "`price` in word (`unit: word` at "]),
        ("words + words <= cap", "unit-mismatch", ["parameter `cap` in word"]),
        ("day + interval (words) day > first", "unit-mismatch", ["`words` in day (`unit: day` at "]),
    ],
)  # fmt: skip
def test_a_refusal_names_the_ways_to_mend_it(must: str, code: str, helps: list[str], tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, must)
    assert problem.code == code
    assert [part for part in helps if part not in (problem.help or "")] == []
    if "unit: " in (problem.help or "") and " at " in (problem.help or ""):
        assert "policies/t/relations.yaml:" in (problem.help or "")


def test_a_described_level_lists_the_levels_in_order(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, "level + 1 > 0")
    assert "a level (lowest first: A1 < A2 < B1)" in problem.message


def test_the_offered_parameter_mends_the_rule(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, "level >= A2")
    assert problem.help is not None
    entry = problem.help.split("params: {")[1].split("}}")[0].replace("…", "x") + "}"
    root = packs.write(tmp_path / "mended", {"rule": packs.policy("level >= least_level", entry)})
    pack = load_packs(root).packs["t"]
    assert check_policy(pack.policies["rule"], pack)[1] == []
