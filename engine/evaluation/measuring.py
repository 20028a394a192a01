"""Figures: what two sides share, with intervals, and a test where there are two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from ..frozen import replace
from .matching import Matched, match
from .nouns import (
    Agreement,
    Documents,
    Item,
    Pair,
    RelationResult,
    RunResult,
    Score,
    ScoreResult,
    Settings,
    Tally,
    Unscored,
)
from .rows import Looked, Shape, is_closed, values_in_order
from .statistics import Cells, figures, paired_test

ANNOTATED = "annotated"
SIDES = {ANNOTATED: "the annotated facts", "a": "the facts of run A", "b": "the facts of run B"}
"""Every side, in words."""
Scores = Mapping[str, Fraction | None]
"""A number by document; None: it is null there."""


def measure_relation(shape: Shape, sides: Mapping[str, Looked | None], settings: Settings) -> RelationResult:
    """One relation: `annotated`, `a` and perhaps `b`. A side that is None has no such relation: nobody looked."""
    relation, documents = shape.relation, _documents(sides)
    why_not, runs, paired = _why_not(sides, documents), list[RunResult](), None
    if why_not is None:
        wanted = frozenset(documents.compared)
        rows = {
            name: [one for one in looked.items if one.document in wanted]
            for name, looked in sides.items()
            if looked is not None
        }
        truth = rows.pop(ANNOTATED)
        runs = [_run(shape, name, truth, found, documents.compared, settings) for name, found in rows.items()]
    if len(runs) == 2:
        first, second = ([one.cells for one in run.by_document.values()] for run in runs)
        paired = paired_test(first, second, _f1, settings.samples, settings.seed, relation.name)
    return RelationResult(
        relation.name,
        relation.row,
        shape.columns,
        shape.spans,
        documents,
        tuple(runs),
        paired,
        relation.cannot_see,
        why_not,
    )


def _run(
    shape: Shape, name: str, truth: Sequence[Item], found: Sequence[Item], documents: Sequence[str], settings: Settings
) -> RunResult:
    """One run beside the annotation."""
    matched = match(truth, found, settings.match == "overlap")
    tallies = {document: Tally() for document in documents}
    for pair in matched.pairs:
        tallies[pair.annotated.document] += Tally(found=1)
    for item in matched.missed:
        tallies[item.document] += Tally(missed=1)
    for item in matched.invented:
        tallies[item.document] += Tally(invented=1)
    cells = [one.cells for one in tallies.values()]
    precision, recall, f1 = figures(
        cells, (_precision, _recall, _f1), settings.samples, settings.seed, shape.relation.name
    )
    return RunResult(
        name,
        sum(tallies.values(), Tally()),
        precision,
        recall,
        f1,
        tallies,
        _by_value(shape, matched),
        _agreement(shape, matched.pairs),
        matched.pairs,
        matched.missed,
        matched.invented,
    )


def _why_not(sides: Mapping[str, Looked | None], documents: Documents) -> str | None:
    absent = [name for name, looked in sides.items() if looked is None]
    if absent:
        return f"nobody looked: {' and '.join(SIDES[name] for name in absent)} bring none"
    return None if documents.compared else "no document was looked at on every side"


def _by_value(shape: Shape, matched: Matched) -> dict[str, dict[str, Tally]]:
    """For each closed column that has to agree, what was found, missed and invented of each value."""
    found: dict[str, dict[str, Tally]] = {}
    for at, name in enumerate(shape.same):
        column = shape.relation.columns[name]
        if not is_closed(column):
            continue
        tallies = found[name] = {value: Tally() for value in values_in_order(column)}
        for item, tally in (
            *((pair.annotated, Tally(found=1)) for pair in matched.pairs),
            *((item, Tally(missed=1)) for item in matched.missed),
            *((item, Tally(invented=1)) for item in matched.invented),
        ):
            value = item.same[at]
            if value is not None:
                tallies[value] += tally
    return found


def _agreement(shape: Shape, pairs: Sequence[Pair]) -> tuple[Agreement, ...]:
    """Of the pairs, how many have the same value of each other column that is compared."""
    found = []
    for at, name in enumerate(shape.beside):
        values = [(pair.annotated.beside[at], pair.found.beside[at]) for pair in pairs]
        known = [(a, b) for a, b in values if a is not None and b is not None]
        agree = sum(1 for a, b in known if a == b)
        found.append(Agreement(name, agree, len(known), len(values) - len(known)))
    return tuple(found)


def _documents(sides: Mapping[str, Looked | None]) -> Documents:
    looked = {name: one.documents if one is not None else frozenset[str]() for name, one in sides.items()}
    everywhere = frozenset.intersection(*looked.values())
    anywhere = frozenset[str]().union(*looked.values())
    missing = {name: tuple(sorted(anywhere - here)) for name, here in looked.items()}
    return Documents(tuple(sorted(everywhere)), {name: some for name, some in missing.items() if some})


# The numbers of a document are those of `Tally.cells`.


def _precision(cells: Cells) -> Fraction | None:
    return Tally(*cells).precision


def _recall(cells: Cells) -> Fraction | None:
    return Tally(*cells).recall


def _f1(cells: Cells) -> Fraction | None:
    return Tally(*cells).f1


def measure_score(
    name: str, against: str, unit: str | None, sides: Mapping[str, Scores | None], settings: Settings
) -> ScoreResult:
    """A number by document on each side. A document without it somewhere is listed, and counted nowhere."""
    absent = [side for side, scores in sides.items() if scores is None]
    if absent:
        why = f"nobody looked: {' and '.join(SIDES[one] for one in absent)} do not give it"
        return ScoreResult(name, against, unit, why_not=why)
    known = {side: scores for side, scores in sides.items() if scores is not None}
    documents = sorted(set[str]().union(*known.values()))
    scores, missing = list[Score](), list[Unscored]()
    for document in documents:
        values = {side: some.get(document) for side, some in known.items()}
        given = {side: value for side, value in values.items() if value is not None}
        if len(given) == len(values):
            annotated = given.pop(ANNOTATED)
            scores.append(Score(document, annotated, tuple(given.values())))
        else:
            missing.append(Unscored(document, tuple(side for side in values if side not in given)))
    if not scores:
        why = "no document has it on every side"
        return ScoreResult(name, against, unit, missing=tuple(missing), why_not=why)
    return _scored(ScoreResult(name, against, unit, tuple(scores), tuple(missing)), settings)


def _scored(result: ScoreResult, settings: Settings) -> ScoreResult:
    """With its figures. Differences are made whole numbers by their common denominator, so that sums are exact."""
    runs = range(len(result.scores[0].runs))
    differences = [[one.runs[run] - one.annotated for one in result.scores] for run in runs]
    scale = lcm(*(value.denominator for some in differences for value in some))

    def mean(cells: Cells) -> Fraction:
        return Fraction(cells[0], cells[1] * scale)

    def distance(cells: Cells) -> Fraction:
        return Fraction(cells[2], cells[1] * scale)

    columns = [[(int(d * scale), 1, abs(int(d * scale))) for d in some] for some in differences]
    measured = [
        figures(cells, (mean, distance), settings.samples, settings.seed, f"{result.name}:{result.against}")
        for cells in columns
    ]
    paired = None
    if len(columns) == 2:
        # Of two runs the one that is nearer to the annotation is better, so the distances are what is compared.
        first, second = ([(0, 1, cells[2]) for cells in some] for some in columns)
        paired = paired_test(
            first, second, distance, settings.samples, settings.seed, f"{result.name}:{result.against}"
        )
    return replace(
        result, mean=tuple(one[0] for one in measured), distance=tuple(one[1] for one in measured), paired=paired
    )
