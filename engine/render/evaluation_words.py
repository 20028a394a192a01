"""What an evaluation says in words, for every form of it: figures, tests, documents and rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..canonical import shown
from ..evaluation import (
    CONFIDENCE,
    FEWEST,
    SIDES,
    SIGNIFICANCE,
    Evaluation,
    Figure,
    Item,
    Pair,
    PairedTest,
    RelationResult,
    RunResult,
    ScoreResult,
)

PLACES = 3
"""Digits of a figure in text; JSON has the fraction."""
RUNS = {"a": "run A", "b": "run B"}

_MOST_NAMES = 8


def counted(number: int, noun: str) -> str:
    """`1 document`, `12 documents`: figures, as all else that is counted here."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def decimal_text(value: Fraction, places: int = PLACES) -> str:
    """A fraction in decimals, halves away from zero."""
    scaled = abs(value) * 10**places
    digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    whole, rest = divmod(digits, 10**places)
    sign = "-" if value < 0 and digits else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def figure_text(figure: Figure) -> str:
    """`0.667 (0.500 to 0.833)`; `none` if there was nothing to divide."""
    if figure.value is None:
        return "none"
    interval = figure.interval
    if interval is None:
        return decimal_text(figure.value)
    return f"{decimal_text(figure.value)} ({decimal_text(interval.low)} to {decimal_text(interval.high)})"


def compared_words(result: RelationResult, match: str) -> str:
    """What makes two rows one and the same."""
    named = ", ".join(result.columns)
    if not result.spans:
        return f"the same if they have equal document, {named}"
    same = result.columns[2:]
    spans = "share a character of their spans" if match == "overlap" else "have equal spans"
    return f"the same if they {spans}" + (f" and have equal {', '.join(same)}" if same else "")


def document_lines(result: RelationResult) -> Iterator[str]:
    """How many documents are compared, and which are not."""
    yield f"{counted(len(result.documents.compared), 'document')} compared"
    for side, names in result.documents.not_compared.items():
        yield f"not compared: {_names(names)}: not looked at in {SIDES[side]}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def interval_words(evaluation: Evaluation) -> str:
    """How intervals came about, or that there are none."""
    settings = evaluation.settings
    drawn = f"{settings.samples} resamples of documents, seed {settings.seed}"
    return (
        f"in brackets: {decimal_text(CONFIDENCE * 100, 0)}% intervals, percentiles of {drawn};"
        f" none of fewer than {FEWEST} documents, of which they would say nothing"
    )


def undefined_words(run: RunResult) -> str | None:
    """In how many resamples there was no figure."""
    named = (("precision", run.precision), ("recall", run.recall), ("F1", run.f1))
    some = [f"{name} in {one.interval.undefined}" for name, one in named if one.interval and one.interval.undefined]
    return f"no figure in some resamples, which are left out: {', '.join(some)}" if some else None


def test_words(paired: PairedTest, what: str) -> str:
    """Whether two runs can be told apart. The level is a convention, and said to be one."""
    over = f"over {counted(paired.documents, 'document')}"
    if paired.p is None:
        return f"{what}: none on a side, so the two cannot be compared"
    head = f"{what} is {figure_text(paired.difference)}"
    if not paired.differing:
        return f"{head}; the two are the same in every document, {over}"
    told = "can be told from noise" if paired.told_apart else "cannot be told from noise"
    ways = f"all {paired.ways} ways" if paired.exact else f"{paired.ways} ways that were drawn"
    p = f"p = {paired.p} = {decimal_text(paired.p, 4)}" if paired.p != 1 else "p = 1"
    words = (
        f"{head}; {told} {over}, {paired.differing} of which differ"
        f" ({p}, {ways} to swap the two by document; level {SIGNIFICANCE}, a convention)"
    )
    if paired.least is not None and paired.least >= SIGNIFICANCE:
        words += f"; so few that differ can give no p below {paired.least}"
    return words


def item_words(item: Item) -> str:
    """A row: where it is, its words, and what else it says."""
    place = f" {item.at[0]}-{item.at[1]}" if item.at is not None else ""
    words = f" “{item.text}”" if item.text is not None else ""
    rest = cells_words(item)
    return f"{item.document}{place}{words}" + (f"; {rest}" if rest else "")


def cells_words(item: Item) -> str:
    """The other columns of a row that are not null; its words are said already."""
    said = False
    parts = []
    for name, value in item.columns.items():
        if value is None:
            continue
        if not said and item.text is not None and value == item.text:
            said = True
            continue
        parts.append(f"{name} {shown(value)}")
    return ", ".join(parts)


def pair_words(pair: Pair) -> str:
    """A pair: the annotated row, and where the other is not as it is."""
    differ = differences(pair)
    return item_words(pair.annotated) + (f"; the run: {differ}" if differ else "")


def differences(pair: Pair) -> str:
    """What the run says otherwise than the annotated row: the place with its words, and other columns."""
    a, b = pair.annotated, pair.found
    differ = [f"{b.at[0]}-{b.at[1]} “{b.text or ''}”"] if b.at is not None and a.at != b.at else []
    differ += [
        f"{name} {shown(b.columns.get(name))}"
        for name in a.columns
        if a.columns[name] != b.columns.get(name) and not (a.text is not None and a.columns[name] == a.text)
    ]
    return ", ".join(differ)


def agreement_words(run: RunResult) -> Iterator[str]:
    """Of the pairs, in how many each other column agrees."""
    for one in run.agreement:
        unknown = f", {one.unknown} unknown" if one.unknown else ""
        yield f"{one.column} agrees in {one.agree} of {one.of} pairs{unknown}"


def missing_words(result: ScoreResult) -> Iterator[str]:
    """Documents without the number, which is never taken for 0."""
    for one in result.missing:
        yield f"{one.document}: missing in {' and '.join(SIDES[side] for side in one.sides)}, and not counted"


def unit_words(result: ScoreResult) -> str:
    return f" {result.unit}" if result.unit and result.unit != "none" else ""


def signed(value: Fraction) -> str:
    """A difference with its sign."""
    text = decimal_text(value)
    return text if value <= 0 else f"+{text}"
