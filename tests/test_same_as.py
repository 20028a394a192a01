"""`same_as` read a second time, in plain Python, and set beside the engine: docs/semantics.md, section 6."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.check import check_policy
from engine.checked import CheckedPolicy
from engine.facts import from_rows
from engine.judging import Settings, judge_policy, outcomes
from engine.load import load_packs
from engine.model import LINE, Column, Pack, Reference, ValueType
from engine.verdict import PolicyVerdict

Row = Mapping[str, object]

LEVELS = ("A1", "B1", "C1")
RULE = """policy: words.official
title: What is shown is what the reference says
for: shown
where: {where}
same_as:
  reference: [first, second]
  match: {{head: word, kind: kind}}
  show: {{{show}}}{more}
cannot_see: The sense.
example: {{id: 1, word: a, kind: n, level: B1, gloss: g, counted: true}}
example_facts:
  first: [{{head: a, kind: n, level: B1, gloss: g}}]
  second: []
cases:
  - {{level: C1, expect: fail}}
"""
RELATIONS = """shown:
  row: A level beside a word.
  key: [id]
  columns:
    id: {type: int, unit: none}
    word: {type: text}
    kind: {type: text}
    level: {type: %s}
    gloss: {type: text}
    counted: {type: bool}
"""
LEVELS_TYPE = "levels, levels: [A1, B1, C1]"


def reference(name: str, level: ValueType) -> Reference:
    columns = {n: Column(n, ValueType("text")) for n in ("head", "kind", "gloss")} | {"level": Column("level", level)}
    return Reference(
        name, name.title(), "1", f"{name}.csv", "0" * 64, "none", "nobody", ("head", "kind"), columns,
        {n: n for n in columns}, date(2026, 1, 1),
    )  # fmt: skip


def pack_of(folder: Path, shown: str, held: ValueType, show: str = "level: level", more: str = "") -> Pack:
    root = folder / "words"
    root.mkdir(parents=True, exist_ok=True)
    (root / "pack.yaml").write_text("format: 1\npack: words\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n")
    (root / "relations.yaml").write_text(RELATIONS % shown)
    (root / "official.yaml").write_text(RULE.format(where="counted", show=show, more=more))
    loaded = load_packs(folder)
    assert not [p for p in loaded.problems if p.is_error], loaded.problems
    return replace(loaded.packs["words"], references={n: reference(n, held) for n in ("first", "second")})


def checked_in(pack: Pack) -> CheckedPolicy:
    checked, problems = check_policy(pack.policies["official"], pack)
    assert checked is not None, problems
    return checked


def expected(row: Row, held: Mapping[str, Sequence[Row]], show: Mapping[str, str], ask: bool) -> tuple[str, str | None]:
    """The outcome and reason of one row, from the page alone."""
    if row["counted"] is None:
        return "no_evidence", "scope_unknown"
    if not row["counted"]:
        return "out", None
    results = [_of_column(row, held, shown, column) for shown, column in show.items()]
    if ask and any(conflict for _, _, conflict in results):
        return "review", None
    reasons = [reason for outcome, reason, _ in results if outcome == "fail"]
    if reasons:
        return "fail", reasons[0]
    return ("no_evidence", "null_column") if any(o == "no_evidence" for o, _, _ in results) else ("pass", None)


def _of_column(row: Row, held: Mapping[str, Sequence[Row]], shown: str, column: str) -> tuple[str, str | None, bool]:
    if row[shown] is None:
        return "no_evidence", None, False
    if row["word"] is None or row["kind"] is None:
        return "fail", "incomplete_key", False
    found = [
        [r[column] for r in rows if (r["head"], r["kind"]) == (row["word"], row["kind"])] for rows in held.values()
    ]
    having = [values for values in found if values]
    if not having:
        return "fail", "not_in_reference", False
    conflict = len(having) > 1 and (len({*having[0], *having[1]}) > 1 or having[0][0] is None)
    if len(set(having[0])) > 1:
        return "fail", "ambiguous_key", conflict
    return ("pass", None, conflict) if having[0][0] == row[shown] else ("fail", "differs", conflict)


# Few keys and few nulls, so that what is looked up is found, and what is ambiguous or disputed is met by chance.
HEADS = st.sampled_from(["a", "a", "a", "b", "b", "é", None])
KINDS = st.sampled_from(["n", "n", "n", "v", None])
VALUES = st.sampled_from([*LEVELS, *LEVELS, *LEVELS, None])
GLOSSES = st.sampled_from(["g", "g", "g", "h", None])


def two_rows(one: str | None, other: str | None) -> list[dict[str, object]]:
    """Two rows of a reference with one key."""
    return [{"head": "a", "kind": "n", "level": level, "gloss": "g"} for level in (one, other)]


SHOWS_EACH: list[dict[str, object]] = [
    {"word": "a", "kind": "n", "level": level, "gloss": "g", "counted": True} for level in LEVELS
]
HELD = st.lists(
    st.fixed_dictionaries({"head": HEADS, "kind": KINDS, "level": VALUES, "gloss": GLOSSES}), min_size=1, max_size=8
) | st.just([])
SHOWN = st.lists(
    st.fixed_dictionaries(
        {
            "word": HEADS | st.just("A"),
            "kind": KINDS,
            "level": VALUES,
            "gloss": GLOSSES,
            "counted": st.sampled_from([True, True, True, True, True, True, False, None]),
        }
    ),
    min_size=2,
    max_size=12,
)
FORMS = [
    ("text", ValueType("text"), False),
    (LEVELS_TYPE, ValueType("levels", levels=LEVELS), False),
    (LEVELS_TYPE, ValueType("text"), True),
    ("text", ValueType("levels", levels=LEVELS), True),
]
SHOWS = ["level: level", "gloss: gloss", "level: level, gloss: gloss"]


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, str, bool], CheckedPolicy]:
    found = {}
    for number, (shown, held, _) in enumerate(FORMS):
        for show in SHOWS:
            for ask in (False, True):
                folder = tmp_path_factory.mktemp("packs")
                pack = pack_of(folder, shown, held, show, "\n  on_conflict: review" if ask else "")
                found[number, show, ask] = checked_in(pack)
    return found


def stored(rows: Sequence[Row], level: ValueType) -> list[dict[str, object]]:
    ranks = {name: rank for rank, name in enumerate(LEVELS, 1)}
    return [{**row, "level": ranks.get(str(row["level"])) if level.kind == "levels" else row["level"]} for row in rows]


MET: list[tuple[str, str | None]] = [
    ("pass", None), ("out", None), ("review", None), ("fail", "differs"), ("fail", "not_in_reference"),
    ("fail", "ambiguous_key"), ("fail", "incomplete_key"), ("no_evidence", "scope_unknown"),
    ("no_evidence", "null_column"),
]  # fmt: skip


def test_two_readings_of_same_as_agree(packs: dict[tuple[int, str, bool], CheckedPolicy]) -> None:
    met: Counter[object] = Counter()

    @settings(max_examples=150, deadline=None)
    @given(SHOWN, HELD, HELD, st.sampled_from(range(len(FORMS))), st.sampled_from(SHOWS), st.booleans())
    @example(SHOWS_EACH, two_rows("A1", "B1"), [], 1, "level: level", False)
    @example(SHOWS_EACH, two_rows("A1", None), [], 1, "level: level", False)
    @example(SHOWS_EACH, two_rows("B1", "B1"), [], 1, "level: level", True)
    @example(SHOWS_EACH, [], two_rows("B1", "B1"), 1, "level: level", True)
    @example(SHOWS_EACH, two_rows("B1", "B1"), two_rows("C1", "C1"), 1, "level: level", False)
    @example(SHOWS_EACH, two_rows("B1", "B1"), two_rows("C1", "C1"), 1, "level: level", True)
    @example(SHOWS_EACH, two_rows("B1", "B1"), two_rows("B1", None), 1, "level: level", True)
    @example(SHOWS_EACH, two_rows(None, None), two_rows("B1", "B1"), 1, "level: level", True)
    def law(
        rows: list[dict[str, object]],
        first: list[dict[str, object]],
        second: list[dict[str, object]],
        form: int,
        show: str,
        ask: bool,
    ) -> None:
        compare(packs, rows, first, second, form, show, ask, met)

    law()


def test_two_readings_of_same_as_agree_on_many_rows(packs: dict[tuple[int, str, bool], CheckedPolicy]) -> None:
    """Sixty rows at random for each form, shown columns and `on_conflict`; every outcome is met many times."""
    met: Counter[object] = Counter()
    for number, (form, show, ask) in enumerate(packs):
        chance = random.Random(number)

        def cell(*values: object) -> object:
            return chance.choice(values)  # noqa: B023

        def held(n: int) -> list[dict[str, object]]:
            names = {"head": ("a", "a", "b", "b", "é", None), "kind": ("n", "n", "n", "v", None)}
            shown = {"level": (*LEVELS, "B1", None), "gloss": ("g", "g", "h", None)}
            return [{key: cell(*values) for key, values in {**names, **shown}.items()} for _ in range(n)]

        rows = [
            {
                "word": cell("a", "a", "b", "é", "A", None),
                "kind": cell("n", "n", "n", "v", None),
                "level": cell(*LEVELS, "B1", None),
                "gloss": cell("g", "g", "h", None),
                "counted": cell(True, True, True, True, False, None),
            }
            for _ in range(60)
        ]
        compare(packs, rows, held(3 + number % 6), held(number % 5), form, show, ask, met)
    # A law that only meets nulls says nothing.
    assert {one: met[one] for one in MET if met[one] < 20} == {}


def compare(
    packs: dict[tuple[int, str, bool], CheckedPolicy],
    rows: list[dict[str, object]],
    first: list[dict[str, object]],
    second: list[dict[str, object]],
    form: int,
    show: str,
    ask: bool,
    met: Counter[object],
) -> None:
    """Both readings of the same rows; `met` counts what the page says of them."""
    checked = packs[form, show, ask]
    numbered = [{"id": n, **row} for n, row in enumerate(rows)]
    held = {"first": first, "second": second}
    pairs = dict(part.split(": ") for part in show.split(", "))
    wanted = {n: expected(row, held, pairs, ask) for n, row in enumerate(rows)}
    met.update(wanted.values())
    relations = {"shown": checked.relation, **{n: checked.relations[n] for n in held}}
    facts = {
        "shown": stored(numbered, checked.relation.columns["level"].type),
        **{
            n: [{**row, LINE: line} for line, row in enumerate(stored(of, FORMS[form][1]), 2)] for n, of in held.items()
        },
    }
    with from_rows(facts, relations, threads=1) as base:
        got = {key["id"]: outcome for key, outcome in outcomes(checked, base, Settings())}
        verdict = judge_policy(checked, base, Settings(witnesses=500))
    assert got == {n: outcome for n, (outcome, _) in wanted.items() if outcome != "out"}
    assert reasons(verdict) == {n: reason for n, (outcome, reason) in wanted.items() if outcome not in ("out", "pass")}
    for witness in verdict.witnesses:
        row = numbered[witness.key["id"]]  # type: ignore[call-overload]
        for one in witness.looked_up:
            column = one.column
            cells = {
                (line, r[column])
                for line, r in enumerate(held[one.reference], 2)
                if (r["head"], r["kind"]) == (row["word"], row["kind"])
            }
            assert set(one.cells) == cells


def reasons(verdict: PolicyVerdict) -> dict[object, str | None]:
    return {witness.key["id"]: witness.reason for witness in verdict.witnesses}
