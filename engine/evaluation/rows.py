"""From the rows of a relation to what is compared of them. What cannot be compared is refused, not passed over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .. import canonical
from ..errors import EvaluationError, Problem
from ..frozen import dataclass
from ..model import Column, Relation
from .nouns import Item, Settings

RUN_COLUMNS = ("model", "asked_at", "run_id")
"""They say which run gave a row, which is never the same on two sides."""
SPAN = ("start_at", "end_at")
_WORDS = ("quote", "text")
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a relation is compared: its document, then its span or else its key, then the columns of `--same`."""

    relation: Relation
    document: str
    spans: bool
    key: tuple[str, ...]
    same: tuple[str, ...]
    beside: tuple[str, ...]
    """What pairs are compared in besides: columns with closed values, and the rest of the key of what has a span."""
    words: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(SPAN if self.spans else self.key), *self.same)


@dataclass(frozen=True, slots=True)
class Looked:
    """What one side saw: the documents that it looked at, and its rows."""

    documents: frozenset[str]
    items: tuple[Item, ...]


def shape_of(relation: Relation, settings: Settings) -> Shape | None:
    """How a relation is compared; None if no column says of which document a row is."""
    columns, document = relation.columns, settings.document
    if document not in columns:
        return None
    spans = all(name in columns and columns[name].type.kind == "int" for name in SPAN)
    key = tuple(name for name in relation.key if name not in (document, *RUN_COLUMNS))
    same = tuple(name for name in settings.same if name in columns and (spans or name not in key))
    fixed = {document, *RUN_COLUMNS, *(SPAN if spans else key), *same}
    beside = tuple(
        name for name, column in columns.items() if name not in fixed and (is_closed(column) or name in relation.key)
    )
    words = next((name for name in _WORDS if name in columns and columns[name].type.kind == "text"), None)
    return Shape(relation, document, spans, () if spans else key, same, beside, words)


def is_closed(column: Column) -> bool:
    """Whether the values that it may have are listed."""
    return column.one_of is not None or column.type.kind in ("levels", "bool")


def values_in_order(column: Column) -> tuple[str, ...]:
    """The values of a closed column as they are shown."""
    return column.type.levels or column.one_of or ("false", "true")


def items_of(shape: Shape, rows: Iterable[Mapping[str, object]], side: str) -> tuple[Item, ...]:
    """The rows of one side. Raises EvaluationError for a row without a document or a span, and for repeated keys."""
    items, problems = [], []
    for row in rows:
        why = _unusable(shape, row)
        if why is not None:
            problems.append(_problem(shape, side, row, why))
        else:
            items.append(_item(shape, row))
    problems += _repeated(shape, items, side)
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        shown = problems[:_MOST_PROBLEMS]
        if more > 0:
            shown.append(Problem("evaluation-row", f"and {more} more rows like these", where=side))
        raise EvaluationError(shown)
    return tuple(items)


def refuse_two_runs(shape: Shape, rows: Iterable[Mapping[str, object]], side: str) -> None:
    """Raises EvaluationError if two runs speak of one document: which of them would be compared?"""
    if "run_id" not in shape.relation.columns:
        return
    runs: dict[str, set[str]] = {}
    for row in rows:
        runs.setdefault(canonical.shown(row[shape.document]), set()).add(canonical.shown(row["run_id"]))
    for document, ids in sorted(runs.items()):
        if len(ids) > 1:
            listed = ", ".join(f"`{one}`" for one in sorted(ids)[:4])
            message = f"`{document}` has rows of {len(ids)} runs in `{shape.relation.name}`: {listed}"
            help = "give one run with `--facts`, and the other with `--facts-b`"
            raise EvaluationError(Problem("evaluation-two-runs", message, where=side, help=help))


def _unusable(shape: Shape, row: Mapping[str, object]) -> str | None:
    if row[shape.document] is None:
        return f"`{shape.document}` is null, so it is of no document"
    if not shape.spans:
        return None
    start, end = (row[name] for name in SPAN)
    if not isinstance(start, int) or not isinstance(end, int):
        return "the span is not whole: " + ", ".join(f"`{name}` is null" for name in SPAN if row[name] is None)
    if start < 0 or end < start:
        return f"the span from {start} to {end} is none"
    return None


def _problem(shape: Shape, side: str, row: Mapping[str, object], why: str) -> Problem:
    key = ", ".join(f"{name} {canonical.shown(row[name])}" for name in shape.relation.key)
    help = "mend the facts: a row that cannot be compared would be neither found nor missed"
    return Problem("evaluation-row", f"`{shape.relation.name}` with {key}: {why}", where=side, help=help)


def _repeated(shape: Shape, items: Sequence[Item], side: str) -> list[Problem]:
    """Rows that differ only in their run, or in nothing, where the key says that there is one."""
    if shape.spans:
        return []
    counts = Counter((one.document, one.key) for one in items)
    listed = ", ".join(f"`{name}`" for name in (shape.document, *shape.key))
    return [
        Problem(
            "evaluation-row",
            f"`{shape.relation.name}` has {count} rows with the same {listed}: {', '.join((document, *key))}",
            where=side,
            help="compare the rows of one run; the columns of the run do not count",
        )
        for (document, key), count in sorted(counts.items())
        if count > 1
    ]


def _item(shape: Shape, row: Mapping[str, object]) -> Item:
    start, end = (row[name] for name in SPAN) if shape.spans else (None, None)
    at = (start, end) if isinstance(start, int) and isinstance(end, int) else None
    left_out = {shape.document, *RUN_COLUMNS, *(SPAN if shape.spans else ())}
    words = row[shape.words] if shape.words is not None else None
    return Item(
        canonical.shown(row[shape.document]),
        at,
        tuple(canonical.shown(row[name]) for name in shape.key),
        tuple(_value(row[name]) for name in shape.same),
        words if isinstance(words, str) else None,
        {name: value for name, value in row.items() if name not in left_out},
        tuple(_value(row[name]) for name in shape.beside),
        canonical.dumps(dict(row)),
    )


def _value(value: object) -> str | None:
    return None if value is None else canonical.shown(value)
