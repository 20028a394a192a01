"""An evaluation as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluation import Evaluation, Figure, RelationResult, RunResult, ScoreResult, Tally
from . import evaluation_words as words
from .problems import visible

_INDENT = "      "


def evaluation_text(evaluation: Evaluation, listed: int) -> str:
    """The whole of it, with at most `listed` rows of a kind, and a line feed at the end."""
    lines = [f"pack {evaluation.pack}: {_what(evaluation)}"]
    lines += [f"note: {visible(one)}" for one in evaluation.notes]
    lines += [words.interval_words(evaluation), ""]
    for result in evaluation.relations:
        lines += [*_relation(result, evaluation.settings.match, listed), ""]
    for score in evaluation.scores:
        lines += [*_score(score, listed), ""]
    lines += [f"not compared: {one.relation}: {one.because}" for one in evaluation.left_out]
    lines += [f"not said: {one}" for one in evaluation.unsaid]
    if not evaluation.relations and not evaluation.scores:
        lines.append("NO EVIDENCE  nothing was compared")
    return "\n".join(lines) + "\n"


def _what(evaluation: Evaluation) -> str:
    return "two runs against annotated facts" if "b" in evaluation.sides else "a run against annotated facts"


def _relation(result: RelationResult, match: str, listed: int) -> Iterator[str]:
    if result.why_not is not None:
        yield f"NO EVIDENCE  {result.relation}  {result.why_not}"
    else:
        yield f"{result.relation}  {words.compared_words(result, match)}"
    yield f"{_INDENT}{visible(result.row)}"
    yield from (_INDENT + visible(line) for line in words.document_lines(result))
    if result.runs:
        yield from (_INDENT + line for line in _table(result))
    for run in result.runs:
        yield from _more(run, listed)
    if result.paired is not None:
        yield _INDENT + words.test_words(result.paired, "F1 of run A less that of run B")
    if result.cannot_see:
        yield f"{_INDENT}cannot see: {visible(result.cannot_see)}"


def _table(result: RelationResult) -> list[str]:
    """The figures, a line a run, and a line for each value that has to agree."""
    head = ("", "found", "missed", "invented", "precision", "recall", "F1")
    rows: list[Sequence[str]] = [head]
    for run in result.runs:
        figures = (words.figure_text(one) for one in (run.precision, run.recall, run.f1))
        rows.append((words.RUNS[run.side], *map(str, _order(run.tally)), *figures))
        for column, tallies in run.by_value.items():
            for value, tally in tallies.items():
                plain = (words.figure_text(Figure(one)) for one in (tally.precision, tally.recall, tally.f1))
                rows.append((f"  {column} {visible(value)}", *map(str, _order(tally)), *plain))
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if 0 < at < 4 else cell.ljust(width) for at, (cell, width) in enumerate(pairs)
        ).rstrip()
        for pairs in (list(zip(row, widths, strict=True)) for row in rows)
    ]


def _order(tally: Tally) -> tuple[int, int, int]:
    return tally.found, tally.missed, tally.invented


def _more(run: RunResult, listed: int) -> Iterator[str]:
    name = words.RUNS[run.side]
    if (undefined := words.undefined_words(run)) is not None:
        yield f"{_INDENT}{name}: {undefined}"
    for line in words.agreement_words(run):
        yield f"{_INDENT}{name}: {line}"
    lists = (
        ("missed", [words.item_words(one) for one in run.missed]),
        ("invented", [words.item_words(one) for one in run.invented]),
        ("found", [words.pair_words(one) for one in run.pairs]),
    )
    for kind, lines in lists:
        if lines:
            yield f"{_INDENT}{kind} by {name}:"
            yield from (f"{_INDENT}  {visible(line)}" for line in lines[:listed])
            if len(lines) > listed:
                yield f"{_INDENT}  and {len(lines) - listed} more (see --listed)"


def _score(result: ScoreResult, listed: int) -> Iterator[str]:
    against = f" against {result.against}" if result.against != result.name else ""
    unit = words.unit_words(result)
    if result.why_not is not None:
        yield f"NO EVIDENCE  {result.name}{against}  {result.why_not}"
    else:
        yield f"{result.name}{against}  {words.counted(len(result.scores), 'document')}"
    yield from (_INDENT + visible(line) for line in words.missing_words(result))
    for side, mean, distance in zip(words.RUNS.values(), result.mean, result.distance, strict=False):
        yield f"{_INDENT}{side} less annotated, on average: {words.figure_text(mean)}{unit}"
        yield f"{_INDENT}{side} away from annotated, on average: {words.figure_text(distance)}{unit}"
    for one in result.scores[:listed]:
        runs = "; ".join(
            f"{side} {words.decimal_text(value)} ({words.signed(value - one.annotated)})"
            for side, value in zip(words.RUNS.values(), one.runs, strict=False)
        )
        yield f"{_INDENT}{visible(one.document)}: annotated {words.decimal_text(one.annotated)}; {runs}"
    if len(result.scores) > listed:
        yield f"{_INDENT}and {len(result.scores) - listed} more (see --listed)"
    if result.paired is not None:
        yield _INDENT + words.test_words(result.paired, "the distance of run A less that of run B")
