"""`fiel evaluate`: laws of matching and of its figures, a second way to match, and what the command says."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluation.figures import Counts, compare_runs, interval_of_f1, mean_with_interval, total
from engine.evaluation.matching import Item, matched
from engine.render.evaluations import rounded

from .conftest import Cli

SPANS = st.lists(
    st.builds(
        lambda start, length, kind: Item(start, start + length, (), (kind,), f"{start}+{length}"),
        st.integers(0, 12),
        st.integers(1, 6),
        st.sampled_from("ab"),
    ),
    max_size=6,
)
COUNTS = st.builds(Counts, st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))


def _most_pairs(left: list[Item], right: list[Item], overlap: bool) -> int:
    """How many pairs there can be, by trying every order of the right side."""

    def agree(one: Item, other: Item) -> bool:
        spans = (one.start or 0, one.end or 0, other.start or 0, other.end or 0)
        equal = spans[:2] == spans[2:]
        return one.same == other.same and (spans[0] < spans[3] and spans[2] < spans[1] if overlap else equal)

    few, many = sorted((left, right), key=len)
    return max(
        (
            sum(agree(a, b) for a, b in zip(few, order, strict=False))
            for order in itertools.permutations(many, len(few))
        ),
        default=0,
    )


@given(SPANS.filter(lambda one: len(one) <= 5), SPANS.filter(lambda one: len(one) <= 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_there_are_as_many_pairs_as_there_can_be(left: list[Item], right: list[Item], overlap: bool) -> None:
    found = matched(left, right, overlap)
    assert len(found.found) == _most_pairs(left, right, overlap)
    assert len(found.found) + len(found.missed) == len(left)
    assert len(found.found) + len(found.invented) == len(right)


@given(SPANS, SPANS, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_sides_and_orders_change_nothing_but_the_names(
    left: list[Item], right: list[Item], overlap: bool, chance: object
) -> None:
    one, other = matched(left, right, overlap), matched(right, left, overlap)
    assert (len(one.found), len(one.missed), len(one.invented)) == (
        len(other.found),
        len(other.invented),
        len(other.missed),
    )
    assert matched(left[::-1], right[::-1], overlap) == one
    assert len(matched(left, right, True).found) >= len(matched(left, right, False).found)
    assert matched(left, left, overlap).missed == ()


def test_nothing_of_nothing_is_no_figure() -> None:
    assert (Counts().precision, Counts().recall, Counts().f1) == (None, None, None)
    assert (Counts(0, 2, 0).precision, Counts(0, 2, 0).recall) == (None, Fraction(0))
    perfect = Counts(3, 0, 0)
    assert (perfect.precision, perfect.recall, perfect.f1) == (1, 1, 1)
    assert rounded(None) == "none"


@given(COUNTS)
@settings(max_examples=60, deadline=None)
def test_f1_is_the_harmonic_mean(counts: Counts) -> None:
    if counts.precision and counts.recall:
        assert counts.f1 == 2 / (1 / counts.precision + 1 / counts.recall)


@given(st.lists(COUNTS, min_size=5, max_size=9), st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_an_interval_is_the_same_each_time_and_lies_in_order(counts: list[Counts], seed: int) -> None:
    found = interval_of_f1(counts, seed, 200)
    assert found == interval_of_f1(counts, seed, 200)
    if found is not None:
        assert 0 <= found[0] <= found[1] <= 1
    same = [Counts(2, 1, 1)] * len(counts)
    assert interval_of_f1(same, seed, 50) == (total(same).f1, total(same).f1)
    assert interval_of_f1(counts[:4], seed, 200) is None


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=7), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_two_runs_are_compared_alike_from_either_side(pairs: list[tuple[Counts, Counts]], seed: int) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    found, turned = compare_runs(a, b, seed), compare_runs(b, a, seed)
    assert (found is None) == (turned is None)
    if found is not None and turned is not None:
        assert (found.p, found.difference) == (turned.p, -turned.difference)
        assert 0 < found.p <= 1
    alike = compare_runs(a, a, seed)
    assert alike is None or (alike.p, alike.is_told_apart) == (1, False)


def test_a_run_that_is_better_in_every_document_is_told_from_noise() -> None:
    good, bad = [Counts(4, 1, 0)] * 8, [Counts(1, 4, 3)] * 8
    few, many = compare_runs(good[:3], bad[:3], 1), compare_runs(good, bad, 1)
    assert few is not None
    assert many is not None
    assert (few.is_told_apart, many.is_told_apart) == (False, True)
    drawn = compare_runs(good * 2, bad * 2, 1)
    assert drawn is not None
    assert (drawn.exact, drawn.is_told_apart) == (False, True)


def test_figures_are_rounded_half_away_from_zero() -> None:
    numbers = [Fraction(1, 3), Fraction(1, 2000), Fraction(-1, 2000), Fraction(-1, 3000), Fraction(2)]
    assert [rounded(one) for one in numbers] == ["0.333", "0.001", "-0.001", "0.000", "2.000"]
    mean = mean_with_interval([Fraction(1), Fraction(2)], 1, 100)
    assert mean == (Fraction(3, 2), None)


# -- the command -----------------------------------------------------------------------------------------------

PACK = "format: 1\npack: slips\ntitle: Slips\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = """\
text:
  row: A text.
  key: [document]
  columns:
    document: {type: text}
    mark: {type: decimal, digits: 4, places: 2, unit: point}
slip:
  row: A slip.
  key: [document, start_at, end_at, run_id]
  columns:
    document: {type: text}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    quote: {type: text}
    kind: {type: text, one_of: [spelling, grammar]}
    run_id: {type: text}
"""
POLICY = """\
policy: slips.short
title: A slip is short
for: slip
must: end_at >= start_at
cannot_see: What was meant.
example: {document: a, start_at: 0, end_at: 1, quote: x, kind: spelling, run_id: r}
cases: [{start_at: 2, expect: fail}, {rows: absent, expect: no_evidence}]
"""


def lay(folder: Path) -> None:
    pack = folder / "policies" / "slips"
    pack.mkdir(parents=True)
    for name, text in {"pack.yaml": PACK, "relations.yaml": RELATIONS, "short.yaml": POLICY}.items():
        (pack / name).write_text(text, encoding="utf-8")


def facts(folder: Path, name: str, slips: list[tuple[str, int, int, str]], marks: dict[str, float | None]) -> None:
    rows = [
        {"document": d, "start_at": a, "end_at": b, "quote": f"{a}-{b}", "kind": kind, "run_id": name}
        for d, a, b, kind in slips
    ]
    texts = [{"document": d, "mark": None if mark is None else mark} for d, mark in marks.items()]
    (folder / f"{name}.json").write_text(json.dumps({"slip": rows, "text": texts}), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    lay(tmp_path)
    gold = [("a", 0, 2, "spelling"), ("a", 5, 9, "grammar"), ("b", 1, 4, "grammar"), ("only", 0, 1, "grammar")]
    facts(tmp_path, "gold", gold, {"a": 6.5, "b": 4, "c": 5, "only": 1})
    run = [("a", 0, 2, "spelling"), ("a", 6, 9, "grammar"), ("b", 7, 8, "grammar"), ("new", 0, 1, "grammar")]
    facts(tmp_path, "run", run, {"a": 7, "b": 4, "c": None, "new": 2})
    facts(tmp_path, "good", gold[:3], {"a": 6.5, "b": 4, "c": 5})
    return tmp_path


def evaluated(cli: Cli, project: Path, *more: str) -> tuple[int, str]:
    done = cli("evaluate", "slips", "--annotated", "gold.json", "--facts", "run.json", *more, cwd=project)
    assert "Traceback" not in done.stderr
    said = done.stdout + done.stderr
    return done.returncode, "\n".join(" ".join(line.split()) for line in said.splitlines())


def test_found_missed_and_invented_are_counted_and_listed(cli: Cli, project: Path) -> None:
    code, said = evaluated(cli, project)
    assert code == 0
    assert "slip 0.333 0.333 0.333 1 2 2" in said
    for line in ("missed: a: 5-9", "missed: b: 1-4", "invented: a: 6-9", "invented: b: 7-8"):
        assert f"slip, {line}" in said
    assert "annotated and not in the run, counted nowhere: only" in said
    assert "in the run and not annotated, counted nowhere: new" in said
    assert "no intervals: 3 documents are fewer than 5" in said
    assert "0.667 0.667 0.667" in evaluated(cli, project, "--match", "overlap")[1]


def test_values_that_have_to_agree_have_figures_of_their_own(cli: Cli, project: Path) -> None:
    _, said = evaluated(cli, project, "--same", "kind", "--match", "overlap")
    assert "kind spelling 1.000 1.000 1.000" in said
    assert "kind grammar 0.500 0.500 0.500" in said
    assert "did you mean `kind`?" in evaluated(cli, project, "--same", "kinds")[1]


def test_scores_are_compared_where_both_sides_have_one(cli: Cli, project: Path) -> None:
    code, said = evaluated(cli, project, "--score", "text.mark", "--format", "json")
    assert code == 0
    scores = json.loads(said)["scores"]
    assert [one["document"] for one in scores["pairs"]] == ["a", "b"]
    assert scores["missing"] == ["c"]
    assert scores["mean_difference"]["mean"] == {"numerator": 1, "denominator": 4, "rounded": "0.250"}
    assert evaluated(cli, project, "--score", "text.document")[0] == 2
    assert "did you mean `text`?" in evaluated(cli, project, "--score", "txt.mark")[1]


def test_two_runs_are_told_apart_or_not(cli: Cli, project: Path) -> None:
    _, said = evaluated(cli, project, "--facts-b", "good.json")
    assert "slip: F1 0.333, and of the other run 1.000" in said
    assert "cannot be told from noise with 3 documents (p 0.500, every exchange was tried" in said


def test_nobody_looked_is_not_nothing_was_found(cli: Cli, project: Path) -> None:
    (project / "run.json").write_text('{"text": [{"document": "a", "mark": 1}]}', encoding="utf-8")
    code, said = evaluated(cli, project)
    assert code == 2
    assert "nobody looked for it in: facts" in said
    (project / "run.json").write_text('{"slip": [], "text": [{"document": "a", "mark": 1}]}', encoding="utf-8")
    code, said = evaluated(cli, project)
    assert code == 0
    assert "slip none 0.000 0.000 0 2 0" in said
    (project / "run.json").write_text('{"slip": [], "text": [{"document": "z", "mark": 1}]}', encoding="utf-8")
    assert "nothing-to-compare" in evaluated(cli, project)[1]


def test_the_page_and_the_file_say_the_same_and_hostile_texts_do_nothing(cli: Cli, project: Path) -> None:
    text = (project / "gold.json").read_text("utf-8").replace("5-9", "<script>alert(1)</script>\\u202e")
    (project / "gold.json").write_text(text, encoding="utf-8")
    out = ["--out", "html=e.html", "--out", "json=e.json", "--score", "text.mark"]
    assert evaluated(cli, project, *out)[0] == 0
    page = (project / "e.html").read_text("utf-8")
    assert "<script" not in page
    assert "\u202e" not in page
    assert page.count("<svg") == 2
    assert json.loads((project / "e.json").read_text("utf-8"))["figures"][0]["f1"]["rounded"] == "0.333"
    assert "names no form and file" in evaluated(cli, project, "--out", "e.pdf")[1]


def test_a_run_against_itself_is_perfect(cli: Cli) -> None:
    from .conftest import ROOT

    run = "facts/cefr/runs/b1"
    done = cli("evaluate", "cefr", "--annotated", run, "--facts", run, "--same", "category", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "constructed: what stands under `annotated` was written by hand" in done.stdout
    assert "missed:" not in done.stdout
    assert "invented:" not in done.stdout
