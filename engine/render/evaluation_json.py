"""An evaluation as canonical JSON (`engine/schemas/evaluation.schema.json`): fractions, with decimals beside them."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction

from ..canonical import dumps
from ..evaluation import (
    CONFIDENCE,
    FEWEST,
    SIGNIFICANCE,
    Evaluation,
    Figure,
    Item,
    Pair,
    PairedTest,
    RelationResult,
    RunResult,
    ScoreResult,
    Tally,
)
from .evaluation_words import decimal_text

PLACES = 6
"""Digits of the decimal beside a fraction, halves away from zero."""


def evaluation_json(evaluation: Evaluation) -> str:
    """The whole of it, with every row, and a line feed at the end."""
    settings = asdict(evaluation.settings)
    conventions = {"confidence": CONFIDENCE, "significance": SIGNIFICANCE}
    return dumps(
        {
            "format": 1,
            "pack": evaluation.pack,
            "settings": {**settings, "same": list(evaluation.settings.same)},
            "conventions": {**{name: _fraction(v) for name, v in conventions.items()}, "fewest_documents": FEWEST},
            "sides": list(evaluation.sides),
            "facts": [asdict(one) for one in evaluation.files],
            "relations": [_relation(one) for one in evaluation.relations],
            "scores": [_score(one) for one in evaluation.scores],
            "not_compared": [{"relation": one.relation, "because": one.because} for one in evaluation.left_out],
            "notes": list(evaluation.notes),
            "not_said": list(evaluation.unsaid),
            "without_evidence": evaluation.without_evidence,
        }
    )


def _fraction(value: Fraction | None) -> dict[str, object] | None:
    """Long whole numbers are texts, as in all JSON of Fiel."""
    if value is None:
        return None
    return {
        "numerator": value.numerator,
        "denominator": value.denominator,
        "decimal": decimal_text(value, PLACES),
    }


def _figure(figure: Figure) -> dict[str, object]:
    interval = figure.interval
    return {
        "value": _fraction(figure.value),
        "interval": None
        if interval is None
        else {
            "low": _fraction(interval.low),
            "high": _fraction(interval.high),
            "samples": interval.samples,
            "undefined": interval.undefined,
        },
    }


def _paired(paired: PairedTest | None) -> dict[str, object] | None:
    if paired is None:
        return None
    return {
        "difference": _figure(paired.difference),
        "p": _fraction(paired.p),
        "least_p": _fraction(paired.least),
        "documents": paired.documents,
        "differing": paired.differing,
        "ways": paired.ways,
        "exact": paired.exact,
        "told_from_noise": paired.told_apart,
    }


def _relation(result: RelationResult) -> dict[str, object]:
    return {
        "relation": result.relation,
        "row": result.row,
        "columns": list(result.columns),
        "spans": result.spans,
        "documents": list(result.documents.compared),
        "documents_not_compared": {side: list(names) for side, names in result.documents.not_compared.items()},
        "runs": [_run(one) for one in result.runs],
        "paired": _paired(result.paired),
        "cannot_see": result.cannot_see,
        "no_evidence": result.why_not,
    }


def _run(run: RunResult) -> dict[str, object]:
    return {
        "run": run.side,
        **_tally(run.tally),
        "precision": _figure(run.precision),
        "recall": _figure(run.recall),
        "f1": _figure(run.f1),
        "by_document": {document: _tally(one) for document, one in run.by_document.items()},
        "by_value": {
            column: [{"value": value, **_figures(one)} for value, one in tallies.items()]
            for column, tallies in run.by_value.items()
        },
        "agreement": [asdict(one) for one in run.agreement],
        "found_rows": [_pair(one) for one in run.pairs],
        "missed_rows": [_item(one) for one in run.missed],
        "invented_rows": [_item(one) for one in run.invented],
    }


def _tally(tally: Tally) -> dict[str, object]:
    return {"found": tally.found, "missed": tally.missed, "invented": tally.invented}


def _figures(tally: Tally) -> dict[str, object]:
    return {
        **_tally(tally),
        "precision": _fraction(tally.precision),
        "recall": _fraction(tally.recall),
        "f1": _fraction(tally.f1),
    }


def _pair(pair: Pair) -> dict[str, object]:
    return {"annotated": _item(pair.annotated), "run": _item(pair.found)}


def _item(item: Item) -> dict[str, object]:
    return {
        "document": item.document,
        "span": list(item.at) if item.at is not None else None,
        "text": item.text,
        "columns": dict(item.columns),
    }


def _score(result: ScoreResult) -> dict[str, object]:
    return {
        "score": result.name,
        "against": result.against,
        "unit": result.unit,
        "documents": [
            {
                "document": one.document,
                "annotated": _fraction(one.annotated),
                "runs": [_fraction(value) for value in one.runs],
                "differences": [_fraction(value - one.annotated) for value in one.runs],
            }
            for one in result.scores
        ],
        "missing": [{"document": one.document, "sides": list(one.sides)} for one in result.missing],
        "mean_difference": [_figure(one) for one in result.mean],
        "mean_distance": [_figure(one) for one in result.distance],
        "paired": _paired(result.paired),
        "no_evidence": result.why_not,
    }
