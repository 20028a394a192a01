"""Laws of evaluating: which rows are paired, what the figures are, and what chance is said to give."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EvaluationError
from engine.evaluation import (
    Item,
    Looked,
    Settings,
    Tally,
    matching,
    measure_relation,
    measure_score,
    shape_of,
    statistics,
)
from engine.evaluation.matching import match
from engine.evaluation.rows import items_of
from engine.evaluation.statistics import below, figures, interval, paired_test, resampled, words
from engine.model import Column, Relation, ValueType
from engine.render.evaluation_words import decimal_text

INT, TEXT = ValueType("int"), ValueType("text")
SLIP = Relation(
    "slip",
    "One slip.",
    ("document", "start_at", "end_at", "run_id"),
    {
        "document": Column("document", TEXT),
        "start_at": Column("start_at", INT, unit="character"),
        "end_at": Column("end_at", INT, unit="character"),
        "kind": Column("kind", TEXT, one_of=("x", "y")),
        "run_id": Column("run_id", TEXT),
    },
)
FEW = Settings(samples=100)


@st.composite
def rows(draw: st.DrawFn, documents: str = "abc", most: int = 8) -> list[dict[str, object]]:
    found = []
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, 12))
        found.append(
            {
                "document": draw(st.sampled_from(documents)),
                "start_at": start,
                "end_at": start + draw(st.integers(0, 5)),
                "kind": draw(st.sampled_from(["x", "y", None])),
                "run_id": "r",
            }
        )
    return found


def items(some: list[dict[str, object]], setting: Settings = FEW) -> tuple[Item, ...]:
    shape = shape_of(SLIP, setting)
    assert shape is not None
    return items_of(shape, some, "a side")


def measured(a: list[dict[str, object]], b: list[dict[str, object]], setting: Settings = FEW, documents: str = "abc"):  # type: ignore[no-untyped-def]
    shape = shape_of(SLIP, setting)
    assert shape is not None
    sides = {name: Looked(frozenset(documents), items(some, setting)) for name, some in (("annotated", a), ("a", b))}
    [run] = measure_relation(shape, sides, setting).runs
    return run


@given(rows(), st.sampled_from(["exact", "overlap"]))
@settings(max_examples=30, deadline=None)
def test_a_perfect_run_is_perfect_and_nothing_is_none(some: list[dict[str, object]], how: str) -> None:
    run = measured(some, some, replace(FEW, match=how))
    one = Fraction(1) if some else None
    assert (run.precision.value, run.recall.value, run.f1.value) == (one, one, one)
    assert run.tally == Tally(len(some), 0, 0)


@given(rows(), rows(), st.sampled_from(["exact", "overlap"]), st.sampled_from([(), ("kind",)]))
@settings(max_examples=30, deadline=None)
def test_swapping_the_sides_swaps_precision_and_recall(
    a: list[dict[str, object]], b: list[dict[str, object]], how: str, same: tuple[str, ...]
) -> None:
    setting = replace(FEW, match=how, same=same)
    there, back = measured(a, b, setting), measured(b, a, setting)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)
    assert len(there.missed) == len(back.invented)
    assert len(there.pairs) + len(there.missed) == len(a)
    assert len(there.pairs) + len(there.invented) == len(b)


@given(rows(), rows(), st.sampled_from([(), ("kind",)]))
@settings(max_examples=30, deadline=None)
def test_overlap_never_finds_fewer_than_exact(
    a: list[dict[str, object]], b: list[dict[str, object]], same: tuple[str, ...]
) -> None:
    exact, overlap = (measured(a, b, replace(FEW, match=how, same=same)).tally for how in ("exact", "overlap"))
    assert overlap.found >= exact.found


@given(rows(), rows(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_rows_is_without_effect(a: list[dict[str, object]], b: list[dict[str, object]], chance) -> None:  # type: ignore[no-untyped-def]
    setting = replace(FEW, match="overlap")
    before = measured(a, b, setting)
    chance.shuffle(a)
    chance.shuffle(b)
    assert measured(a, b, setting) == before


def shared(a: Item, b: Item) -> int | None:
    """Shared characters of two spans; None if they are no pair."""
    assert a.at is not None
    assert b.at is not None
    if a.at == b.at:
        return a.at[1] - a.at[0]
    common = min(a.at[1], b.at[1]) - max(a.at[0], b.at[0])
    return common if common > 0 else None


def agreeing(a: Item, b: Item) -> int:
    return sum(1 for x, y in zip(a.beside, b.beside, strict=True) if x is not None and x == y)


@given(rows("a", 5), rows("a", 5))
@settings(max_examples=100, deadline=None)
def test_the_pairs_are_the_best_of_all_ways(a: list[dict[str, object]], b: list[dict[str, object]]) -> None:
    left, right = items(a), items(b)
    matched = match(left, right, overlap=True)
    values = [(shared(p.annotated, p.found), agreeing(p.annotated, p.found)) for p in matched.pairs]
    assert all(common is not None for common, _ in values)
    got = (len(values), sum(common or 0 for common, _ in values), sum(same for _, same in values))
    best = (0, 0, 0)
    others = [*right, *[None] * len(left)]
    for chosen in _choices(left, others):
        some = [(x, y) for x, n in zip(left, chosen, strict=True) if (y := others[n]) and shared(x, y) is not None]
        best = max(best, (len(some), sum(shared(x, y) or 0 for x, y in some), sum(agreeing(x, y) for x, y in some)))
    assert got == best


def _choices(left: tuple[Item, ...], others: list[Item | None]) -> list[tuple[int, ...]]:
    """For each row of the left one of those that it may be, or none, no row twice."""
    none = len(others) - len(left)
    may = [
        [none + at, *(n for n, y in enumerate(others) if y is not None and shared(x, y) is not None)]
        for at, x in enumerate(left)
    ]
    return [chosen for chosen in product(*may) if len(set(chosen)) == len(chosen)]


def test_shared_characters_count_for_more_than_values_that_agree() -> None:
    def row(start: int, end: int, kind: str) -> dict[str, object]:
        return {"document": "a", "start_at": start, "end_at": end, "kind": kind, "run_id": "r"}

    [pair] = match(items([row(2, 6, "x")]), items([row(0, 4, "x"), row(3, 6, "y")]), overlap=True).pairs
    assert pair.found.at == (3, 6)
    [pair] = match(items([row(2, 6, "x")]), items([row(0, 4, "y"), row(4, 6, "x")]), overlap=True).pairs
    assert pair.found.at == (4, 6)


def test_what_has_to_agree_and_is_unknown_agrees_with_nothing() -> None:
    row = {"document": "a", "start_at": 0, "end_at": 2, "kind": None, "run_id": "r"}
    assert measured([row], [row], replace(FEW, same=("kind",))).tally == Tally(0, 1, 1)
    assert measured([row], [row]).tally == Tally(1, 0, 0)
    assert [(one.column, one.of, one.unknown) for one in measured([row], [row]).agreement] == [("kind", 0, 1)]


def test_too_many_rows_over_one_another_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"document": "a", "start_at": 0, "end_at": 9, "kind": "x", "run_id": "r"}
    for limit in ("MOST_LOOKS", "MOST_WORK"):
        with monkeypatch.context() as here:
            here.setattr(matching, limit, 99)
            with pytest.raises(EvaluationError) as error:
                match(items([row] * 11), items([row] * 11), overlap=True)
            assert [p.code for p in error.value.problems] == ["evaluation-limit"]


def test_ten_thousand_rows_that_lie_apart_take_a_moment() -> None:
    many = [
        {"document": "a", "start_at": 7 * n, "end_at": 7 * n + 5, "kind": "x", "run_id": "r"} for n in range(10_000)
    ]
    assert len(match(items(many), items(many), overlap=True).pairs) == 10_000


# -- chance ----------------------------------------------------------------------------------------------------


def precision(cells: tuple[int, ...]) -> Fraction | None:
    return Tally(*cells).precision


def f1(cells: tuple[int, ...]) -> Fraction | None:
    return Tally(*cells).f1


cells = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=6)


def test_what_is_drawn_is_the_same_on_every_machine() -> None:
    assert list(islice(words(1, "slip"), 3)) == [4190279595, 3538129229, 2570905398]
    assert list(islice(below(6, words(1, "slip")), 12)) == [3, 5, 0, 0, 5, 1, 0, 0, 3, 0, 0, 3]


def test_draws_are_even() -> None:
    drawn = list(islice(below(3, words(7, "even")), 30_000))
    assert all(9_600 < drawn.count(n) < 10_400 for n in range(3))


def test_draws_that_would_favour_small_numbers_are_drawn_again() -> None:
    # 2**32 is 1 modulo 3, so the last number is left out.
    assert list(islice(below(3, iter([2**32 - 1, 2**32 - 2, 4])), 2)) == [2, 1]


@given(st.tuples(*[st.integers(0, 5)] * 3), st.integers(5, 9), st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_of_documents_that_are_alike_the_interval_is_the_point(one: tuple[int, int, int], n: int, seed: int) -> None:
    for figure in figures([one] * n, [precision, f1], 100, seed, "x"):
        if figure.value is None:
            assert figure.interval is None
        else:
            assert figure.interval is not None
            assert (figure.interval.low, figure.interval.high) == (figure.value, figure.value)


def test_an_interval_is_the_middle_of_the_resamples() -> None:
    middle = interval([Fraction(n) for n in reversed(range(1000))])
    assert middle is not None
    assert (middle.low, middle.high, middle.samples, middle.undefined) == (25, 974, 1000, 0)


def test_resamples_without_a_figure_are_counted_and_from_half_on_there_is_no_interval() -> None:
    some = interval([Fraction(1), Fraction(2), None])
    assert some is not None
    assert (some.samples, some.undefined) == (3, 1)
    assert interval([Fraction(1), None]) is None
    assert interval([]) is None


def test_of_four_documents_there_is_no_interval_and_of_five_there_is() -> None:
    for count in (1, 4, 5):
        [figure] = figures([(1, 1, 0)] * count, [f1], 100, 1, "x")
        assert figure.value == Fraction(2, 3)
        assert (figure.interval is not None) == (count == 5)


def test_a_resample_has_as_many_documents_as_there_are() -> None:
    assert {sum(one) for one in resampled([(1, 0), (0, 1), (1, 0)], 50, 1, "x")} == {3}


@given(cells, st.data())
@settings(max_examples=30, deadline=None)
def test_p_is_the_share_of_all_ways_to_swap_the_runs(first: list[tuple[int, ...]], data: st.DataObject) -> None:
    second = [data.draw(st.tuples(*[st.integers(0, 4)] * 3)) for _ in first]
    test, back = (paired_test(a, b, f1, 100, 1, "x") for a, b in ((first, second), (second, first)))
    assert test.p == back.p

    def difference(swaps: tuple[bool, ...]) -> Fraction | None:
        sides = [[b if swap else a, a if swap else b] for a, b, swap in zip(first, second, swaps, strict=True)]
        figures = [f1(tuple(map(sum, zip(*[one[at] for one in sides], strict=True)))) for at in (0, 1)]
        return None if figures[0] is None or figures[1] is None else abs(figures[0] - figures[1])

    seen = difference((False,) * len(first))
    if seen is None:
        assert test.p is None
        return
    every = [difference(swaps) for swaps in product((False, True), repeat=len(first))]
    assert test.p == Fraction(sum(1 for one in every if one is None or one >= seen), len(every))
    assert test.least is not None
    assert test.p >= test.least


def test_runs_that_are_alike_cannot_be_told_apart() -> None:
    test = paired_test([(1, 2, 0)] * 9, [(1, 2, 0)] * 9, f1, 100, 1, "x")
    assert (test.p, test.differing, test.told_apart) == (1, 0, False)


def test_a_swap_that_leaves_no_figure_is_no_evidence_of_a_difference() -> None:
    nothing, invented = (0, 0, 0), (0, 0, 1)
    assert paired_test([invented, nothing], [nothing, invented], f1, 100, 1, "x").p == 1


def test_a_clear_difference_is_told_and_no_p_is_ever_zero() -> None:
    few = paired_test([(9, 0, 0)] * 6, [(1, 8, 8)] * 6, f1, 100, 1, "x")
    assert (few.p, few.exact, few.told_apart) == (Fraction(2, 64), True, True)
    many = paired_test([(9, 0, 0)] * 20, [(1, 8, 8)] * 20, f1, 100, 1, "x")
    assert (many.p, many.exact, many.ways) == (Fraction(1, 101), False, 100)
    five = paired_test([(9, 0, 0)] * 5, [(1, 8, 8)] * 5, f1, 100, 1, "x")
    assert (five.p, five.least, five.told_apart) == (Fraction(2, 32), Fraction(2, 32), False)


def test_a_p_that_is_drawn_is_near_the_one_that_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = [(n % 4, 2, 1) for n in range(13)], [(4, n % 3, 2) for n in range(13)]
    drawn, again = (paired_test(first, second, f1, 2000, 3, "x") for _ in range(2))
    monkeypatch.setattr(statistics, "MOST_EXACT", 13)
    counted = paired_test(first, second, f1, 2000, 3, "x")
    assert (drawn.exact, counted.exact, drawn) == (False, True, again)
    assert drawn.p is not None
    assert counted.p is not None
    assert counted.p not in (0, 1)
    assert abs(drawn.p - counted.p) < Fraction(1, 25)


# -- numbers by document ---------------------------------------------------------------------------------------


def test_a_number_that_is_missing_is_listed_and_counted_nowhere() -> None:
    half = Fraction(1, 2)
    sides = {"annotated": {"a": half, "b": Fraction(3), "d": Fraction(9)}, "a": {"a": Fraction(1), "b": None}}
    result = measure_score("v.n", "v.n", "point", sides, FEW)
    assert [(one.document, one.runs) for one in result.scores] == [("a", (Fraction(1),))]
    assert [(one.document, one.sides) for one in result.missing] == [("b", ("a",)), ("d", ("a",))]
    assert (result.mean[0].value, result.distance[0].value) == (half, half)
    nothing = measure_score("v.n", "v.n", "point", {"annotated": {"a": None}, "a": {"a": half}}, FEW)
    assert nothing.why_not is not None
    assert nothing.mean == ()


@given(st.lists(st.tuples(*[st.fractions(0, 10, max_denominator=8)] * 3), min_size=5, max_size=8))
@settings(max_examples=25, deadline=None)
def test_means_are_exact_and_two_runs_are_compared_by_their_distance(
    some: list[tuple[Fraction, Fraction, Fraction]],
) -> None:
    names = [str(n) for n in range(len(some))]
    sides = {
        side: dict(zip(names, [one[at] for one in some], strict=True))
        for at, side in enumerate(("annotated", "a", "b"))
    }
    result = measure_score("v.n", "v.n", None, sides, FEW)
    assert result.mean[1].value == sum(b - t for t, _, b in some) / len(some)
    assert result.distance[0].value == sum(abs(a - t) for t, a, _ in some) / len(some)
    assert result.paired is not None
    assert result.distance[1].value is not None
    assert result.paired.difference.value == result.distance[0].value - result.distance[1].value


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(1, 2), 0, "1"),
        (Fraction(-1, 2), 0, "-1"),
        (Fraction(2, 3), 3, "0.667"),
        (Fraction(-1, 10_000), 3, "0.000"),
        (Fraction(19_995, 10_000), 3, "2.000"),
        (Fraction(0), 3, "0.000"),
    ],
)
def test_halves_are_rounded_away_from_zero(value: Fraction, places: int, text: str) -> None:
    assert decimal_text(value, places) == text
