"""A scope that is never or always true: claimed only where the second evaluator agrees, over whole grids of rows."""

from __future__ import annotations

import os
from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.check import check_policy, scope_problems
from engine.checked import CheckedPolicy
from engine.load import load_packs

from .conftest import Cli
from .packs import facts, policy, write
from .second.kleene import Env
from .second.reading import LOADER, read_policy
from .second.values import type_of

# Every column has few values, so that a grid of them is all rows there are. Days are the exception: those near the
# days that a rule names stand for all.
COLUMNS = {
    "a": "{type: int, unit: none, min: -1, max: 2}",
    "b": "{type: int, unit: none, min: 0, max: 3, required: true}",
    "c": "{type: text, one_of: [x, y, z]}",
    "d": "{type: text, one_of: [x, y], required: true}",
    "e": "{type: bool}",
    "f": "{type: levels, levels: [low, mid, high]}",
    "g": "{type: decimal, digits: 2, places: 1, unit: none, min: 0, max: 0.4}",
    "h": "{type: date, required: true}",
    "i": "{type: int, unit: none, one_of: [1, 3], required: true}",
}
DAYS = [date(2026, 1, 1) + timedelta(days=n) for n in range(5)]
VALUES: dict[str, list[object]] = {
    "a": [None, -1, 0, 1, 2],
    "b": [0, 1, 2, 3],
    "c": [None, "x", "y", "z"],
    "d": ["x", "y"],
    "e": [None, True, False],
    "f": [None, "low", "mid", "high"],
    "g": [None, *(Fraction(n, 10) for n in range(5))],
    "h": list(DAYS),
    "i": [1, 3],
}
PARAMS = {
    "two": "{value: 2, unit: none, origin: convention, because: x}",
    "half": "{value: 0.5, unit: none, origin: convention, because: x}",
    "fifth": "{value: 0.2, unit: none, origin: convention, because: x}",
    "middle": "{value: mid, origin: convention, because: x}",
    "third": "{value: 2026-01-03, origin: convention, because: x}",
    "few": "{values_of: [x, z], origin: convention, because: x}",
    "moving": "{unit: none, origin: contract, because: x, values: [{from: 2026-01-02, until: 2026-01-03, value: 0},"
    " {from: 2026-01-04, value: 3}]}",
}
OPERATORS = ["=", "!=", "<", "<=", ">", ">="]


class Author:
    """Writes scopes at random."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def condition(self, depth: int) -> str:
        pick = self.random.choice
        if depth and self.random.random() < 0.75:
            word = pick([" and ", " and ", " or "])
            parts = [self.condition(depth - 1) for _ in range(self.random.randint(2, 3))]
            return pick(["", "", "not "]) + f"({word.join(parts)})"
        op = pick(OPERATORS)
        return pick(
            [
                f"{pick('ab')} {op} {pick(['0', '1', 'two', 'half', 'moving'])}",
                f"{pick('ab')} {op} {pick(['i', 'two - 1', 'two + 1', 'two * two'])}",
                f"a {op} b",
                f"c {pick(OPERATORS[:2])} '{pick('xyz')}'",
                f"d {pick(OPERATORS[:2])} '{pick('xy')}'",
                f"c {op} d",
                f"c {pick(['', 'not '])}in {pick(['few', '(' + chr(39) + 'x' + chr(39) + ')'])}",
                pick(["e", "not e", "e = true"]),
                f"f {op} middle",
                f"f {pick(OPERATORS[:2])} '{pick(['low', 'high'])}'",
                f"g {op} {pick(['0', 'half', 'fifth'])}",
                f"g between 0 and {pick(['half', 'fifth'])}",
                f"h {op} third",
                f"{pick('abcdefg')} is {pick(['', 'not '])}null",
                f"i {op} 1",
                f"g * half {op} fifth",
                f"abs(a) {op} {pick(['0', 'two'])}",
                f"length(c) {op} 0",
            ]
        )


def checked_of(where: str, root: Path) -> tuple[CheckedPolicy, str]:
    """The policy with this scope, checked, and its text."""
    names = [n for n in PARAMS if n in where]
    day = "as_of: h\n" if "moving" in where else ""
    params = "params:\n" + "".join(f"  {n}: {PARAMS[n]}\n" for n in names) if names else ""
    text = (
        f"policy: t.rule\ntitle: T\nfor: item\n{day}where: >-\n  {where}\nmust: b >= 0\n{params}cannot_see: x\n"
        f"cases:\n  - {{rows: [], expect: no_evidence}}\n"
    )
    columns = "".join(f"    {n}: {spec}\n" for n, spec in COLUMNS.items())
    relations = f"item:\n  row: x\n  key: [id]\n  columns:\n    id: {{type: text}}\n{columns}"
    packs = load_packs(write(root, {"rule": text}, relations))
    assert [p.message for p in packs.problems if p.is_error] == []
    pack = packs.packs["t"]
    checked, problems = check_policy(pack.policies["rule"], pack)
    assert checked is not None, (where, [p.message for p in problems])
    return checked, text


def outcomes(where: str, text: str) -> set[bool | None]:
    """The outcomes over every row there can be."""
    types = {"item": {n: type_of(yaml.load(spec, LOADER)) for n, spec in [("id", "{type: text}"), *COLUMNS.items()]}}
    rule = read_policy(yaml.load(text, LOADER), types, {"item": {"key": ["id"]}}, {}).where
    assert rule is not None
    named = sorted(set(rule.columns) | ({"h"} if "moving" in where else set()))
    found: set[bool | None] = set()
    for values in product(*(VALUES[n] for n in named)):
        row = {**dict.fromkeys(COLUMNS), **dict(zip(named, values, strict=True))}
        day = row["h"] if "moving" in where else None
        found.add(rule.typed.read(Env(row, row, (), day, {}, Counter())))  # type: ignore[arg-type]
        if len(found) == 3:
            break
    return found


def compared(seed: int, root: Path) -> tuple[str, str]:
    """What was claimed of a random scope and what is so: `never`, `always` or `neither`."""
    random = Random(seed)
    where = Author(random).condition(random.choice([0, 1, 1, 2]))
    checked, text = checked_of(where, root)
    claims = [p.code for p in scope_problems(checked)]
    so = outcomes(where, text)
    truth = "always" if so == {True} else "neither" if True in so else "never"
    claim = {"where-always-false": "never", "where-always-true": "always"}[claims[0]] if claims else "neither"
    if claim != "neither":
        assert claim == truth, where
    return claim, truth


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_no_claim_is_false(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    compared(seed, tmp_path_factory.mktemp("scope"))


def test_few_true_claims_are_missed(tmp_path: Path) -> None:
    """Over fixed seeds: what is missed hangs on arithmetic and functions, which are not followed."""
    tally = Counter(compared(seed, tmp_path) for seed in range(int(os.environ.get("FIEL_SCOPES", "600"))))
    true = {word: sum(n for (_, so), n in tally.items() if so == word) for word in ("never", "always")}
    found = {word: tally[word, word] for word in ("never", "always")}
    print(f"\nfound {found} of {true}")
    assert min(true.values()) > 5
    assert all(found[word] >= 0.9 * true[word] for word in true)


# ---- single claims


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("a > 1 and a < 0", "no row can be in scope: `a > 1` and `a < 0` are never true together"),
        ("e and b >= 0 and not e", "no row can be in scope: `e` and `not e` are never true together"),
        ("b < 0", "no row can be in scope: `b < 0` is never true"),
        ("d is null", "no row can be in scope: `d is null` is never true"),
        ("a < b and b < a", "no row can be in scope: `a < b` and `b < a` are never true together"),
        ("length(c) < 0", "no row can be in scope: `length(c) < 0` is never true"),
        ("c = 'y' and c in few", "no row can be in scope: `c = 'y'` and `c in few` are never true together"),
        ("moving > two + two", "no row can be in scope: `moving > two + two` is never true"),
    ],
)  # fmt: skip
def test_a_scope_that_nothing_is_in_is_an_error(where: str, message: str, tmp_path: Path) -> None:
    found = scope_problems(checked_of(where, tmp_path)[0])
    assert [(p.code, p.message, p.is_error) for p in found] == [("where-always-false", message, True)]
    assert found[0].place is not None
    assert found[0].place.line == (6 if "moving" in where else 5)
    assert found[0].help


@pytest.mark.parametrize(
    "where", ["b >= 0", "d in ('x', 'y')", "d is not null", "b < two or b > 1", "1 <= two", "true"]
)
def test_a_scope_that_everything_is_in_is_a_note(where: str, tmp_path: Path) -> None:
    found = scope_problems(checked_of(where, tmp_path)[0])
    assert [(p.code, p.is_error) for p in found] == [("where-always-true", False)]


@pytest.mark.parametrize("where", ["a >= -1", "e or not e", "c in ('x', 'y', 'z')", "moving >= 0", "b > 0"])
def test_what_a_null_or_a_row_may_change_is_not_claimed(where: str, tmp_path: Path) -> None:
    assert scope_problems(checked_of(where, tmp_path)[0]) == []


def test_judge_refuses_a_scope_that_nothing_is_in(tmp_path: Path, cli: Cli) -> None:
    text = policy("words <= top", more="where: words > top and words < 1\n")
    write(tmp_path, {"rule": text})
    path = facts(tmp_path, {"item": []})
    for command in (["check"], ["judge", "--facts", path]):
        done = cli(*command, cwd=tmp_path)
        assert done.returncode == (1 if command == ["check"] else 2)
        assert "where-always-false" in done.stdout + done.stderr


def test_a_large_condition_takes_little_time(tmp_path: Path) -> None:
    terms = " and ".join(f"({x} > 0 or {y} < 1)" for x, y in product("abg", "abg") if x != y)
    checked, _ = checked_of(f"{terms} and c < d and f = 'low' and g < half and h < third and e", tmp_path)
    assert scope_problems(checked) == []
