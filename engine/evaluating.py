"""`fiel evaluate`: facts of a run held against annotated facts of the same documents, relation by relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from .canonical import shown
from .errors import PolicyError, Problem, UsageError, did_you_mean
from .evaluation.figures import Counts, compare_runs, interval_of_f1, mean_with_interval, total
from .evaluation.matching import Item, matched
from .evaluation.nouns import Evaluation, Figures, Listed, Scores
from .facts import load
from .judging import tables_of
from .limits import Limits
from .load import load_packs
from .model import Pack, Relation
from .policies_folder import policies_folder
from .references import open_references, reference_folders
from .run_folder import RECORD, run_of
from .verdict import Value
from .view_rows import Rows, rows_of_tables

_OF_RUNS = ("run_id", "model", "asked_at", "sentence")
"""Columns that tell runs apart, or follow from others: no item is another because of them."""
_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """What is held against what. Each of the facts is as `judge --facts` takes it."""

    pack: str
    annotated: tuple[str, ...]
    facts: tuple[str, ...]
    other: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    overlap: bool = False
    same: tuple[str, ...] = ()
    score: str | None = None
    policies: Path | None = None
    references: tuple[Path, ...] = ()
    seed: int = 1
    samples: int = 1000


@dataclass(frozen=True, slots=True)
class _Side:
    """The facts of one side: rows by relation (None: nobody looked), the documents, and whether they were made up."""

    rows: Mapping[str, Rows | None]
    documents: frozenset[str]
    constructed: bool = False
    scores: Rows | None = field(default=None)


def evaluate(request: EvaluateRequest) -> Evaluation:
    """Raises UsageError if there is nothing to compare, and what is wrong with facts, packs and references."""
    folder = policies_folder(request.policies)
    loaded = load_packs(folder.path, [request.pack])
    errors = [p for p in loaded.problems if p.is_error]
    if errors:
        raise PolicyError(errors)
    pack = loaded.packs[request.pack]
    view, column = _score_of(request, pack)
    sides = {
        name: _side(facts, pack, view, request)
        for name, facts in (("annotated", request.annotated), ("facts", request.facts), ("other", request.other))
        if facts
    }
    annotated, run, other = sides["annotated"], sides["facts"], sides.get("other")
    both = annotated.documents & run.documents
    both = both & other.documents if other is not None else both
    if not both:
        help = "each side has to have looked at the same texts, under the same names"
        raise UsageError(Problem("nothing-to-compare", "no document is on all sides", help=help))
    names, not_compared = _relations(request, pack, sides)
    columns = {column for name in names for column in pack.relations[name].columns}
    for name in request.same:
        if name not in columns:
            help = did_you_mean(name, columns, "columns of what is compared")
            raise UsageError(Problem("usage", f"`--same {name}`: nothing that is compared has it", help=help))
    figures = [one for name in names for one in _figures(pack.relations[name], sides, sorted(both), request)]
    if not figures and view is None:
        help = "; ".join(f"`{name}`: {why}" for name, why in not_compared.items()) or "no relation has a document"
        raise UsageError(Problem("nothing-to-compare", "no relation is on all sides", help=help))
    return Evaluation(
        pack.name,
        tuple(sorted(both)),
        tuple(sorted(annotated.documents - both)),
        tuple(sorted(run.documents - both)),
        tuple(figures),
        not_compared,
        _scores(annotated, run, sorted(both), f"{view}.{column}", request) if view is not None else None,
        tuple(name for name, one in sides.items() if one.constructed),
        "overlap" if request.overlap else "exact",
        request.same,
        request.seed,
        request.samples,
    )


def _score_of(request: EvaluateRequest, pack: Pack) -> tuple[str | None, str]:
    if request.score is None:
        return None, ""
    view, _, column = request.score.partition(".")
    known = pack.judged
    if view not in known:
        help = did_you_mean(view, known, "relations and views")
        raise UsageError(Problem("usage", f"`{view}` is no relation or view of `{pack.name}`", help=help))
    columns = known[view].columns
    if column not in columns or "document" not in columns or not columns[column].type.is_number:
        numbers = [name for name, one in columns.items() if one.type.is_number]
        help = did_you_mean(column, numbers, "numbers") if "document" in columns else "it has no column `document`"
        raise UsageError(Problem("usage", f"`{request.score}` is no number of a document", help=help))
    return view, column


def _side(facts: Sequence[str], pack: Pack, view: str | None, request: EvaluateRequest) -> _Side:
    needed = {read for one in pack.views.values() for read in one.reads if read in pack.references} if view else set()
    shelf = open_references([pack.references[name] for name in sorted(needed)], reference_folders(request.references))
    runs = [run for one in facts if (run := run_of(Path(one))) is not None]
    records = [run.read(RECORD) or {} for run in runs]
    covered = {str(one["document"]) for record in records for one in record.get("coverage", ()) if "document" in one}
    with load(list(facts), pack.relations, tables=tables_of(shelf)) as base:
        names = [name for name, one in pack.relations.items() if "document" in one.columns]
        rows = rows_of_tables(pack, base, names, Limits())
        scored = rows_of_tables(pack, base, [view], Limits(), shelf.problems)[view] if view is not None else None
    seen = {str(row["document"]) for found in rows.values() for row in found or () if row["document"] is not None}
    return _Side(rows, frozenset(covered | seen), any(r.get("provenance") == "constructed" for r in records), scored)


def _relations(request: EvaluateRequest, pack: Pack, sides: Mapping[str, _Side]) -> tuple[list[str], dict[str, str]]:
    """The relations that are compared, and why others that were annotated are not."""
    with_documents = sides["annotated"].rows
    for name in request.relations:
        if name not in with_documents:
            help = did_you_mean(name, with_documents, "relations about documents")
            raise UsageError(Problem("usage", f"`{name}` is no relation about documents", help=help))
    wanted = request.relations or tuple(name for name, rows in with_documents.items() if rows is not None)
    found, not_compared = [], {}
    for name in wanted:
        missing = [side for side, one in sides.items() if one.rows[name] is None]
        if missing:
            not_compared[name] = f"nobody looked for it in: {', '.join(missing)}"
        elif request.relations or "start_at" in pack.relations[name].columns:
            found.append(name)
    return found, not_compared


def _figures(
    relation: Relation, sides: Mapping[str, _Side], documents: Sequence[str], request: EvaluateRequest
) -> list[Figures]:
    request = replace(request, same=tuple(name for name in request.same if name in relation.columns))
    made = [_one(relation, sides, documents, request, None, None)]
    for name in request.same:
        column = relation.columns[name]
        for value in column.one_of or column.type.levels or ():
            one = _one(relation, sides, documents, request, name, value)
            made += [one] if one.counts != Counts() else []
    return made


def _one(
    relation: Relation,
    sides: Mapping[str, _Side],
    documents: Sequence[str],
    request: EvaluateRequest,
    column: str | None,
    value: str | None,
) -> Figures:
    """The figures of a relation, or of its items with one value of a column."""
    items = {
        side: _items(relation, one.rows[relation.name] or (), request.same, column, value)
        for side, one in sides.items()
    }
    results = [
        (d, matched(items["annotated"].get(d, ()), items["facts"].get(d, ()), request.overlap)) for d in documents
    ]
    counts = [Counts(len(m.found), len(m.missed), len(m.invented)) for _, m in results]
    other = None
    if "other" in sides:
        beside = [matched(items["annotated"].get(d, ()), items["other"].get(d, ()), request.overlap) for d in documents]
        other = [Counts(len(m.found), len(m.missed), len(m.invented)) for m in beside]
    return Figures(
        relation.name,
        None if column is None else f"{column} {value}",
        total(counts),
        interval_of_f1(counts, request.seed, request.samples),
        tuple(Listed(d, i.text) for d, m in results for i in m.missed)[:_MOST_LISTED],
        tuple(Listed(d, i.text) for d, m in results for i in m.invented)[:_MOST_LISTED],
        tuple(Listed(d, i.text) for d, m in results for i, _ in m.found)[:_MOST_LISTED],
        total(other) if other is not None else None,
        compare_runs(counts, other, request.seed) if other is not None else None,
    )


def _items(
    relation: Relation, rows: Rows, same: Sequence[str], column: str | None, value: str | None
) -> dict[str, list[Item]]:
    has_span = "start_at" in relation.columns and "end_at" in relation.columns
    keys = [name for name in relation.key if name not in (*_OF_RUNS, "document", *same)] if not has_span else []
    found: dict[str, list[Item]] = {}
    for row in rows:
        if column is not None and shown(row[column]) != value:
            continue
        start, end = (row.get("start_at"), row.get("end_at")) if has_span else (None, None)
        start, end = (one if isinstance(one, int) else None for one in (start, end))
        agreeing = tuple(shown(row[name]) for name in same)
        words = str(row["quote"]) if row.get("quote") is not None else ", ".join(shown(row[name]) for name in keys)
        text = f"{words} ({', '.join(agreeing)})" if agreeing else words
        key = tuple(shown(row[name]) for name in keys)
        found.setdefault(str(row["document"]), []).append(Item(start, end, key, agreeing, text))
    return found


def _scores(annotated: _Side, run: _Side, documents: Sequence[str], name: str, request: EvaluateRequest) -> Scores:
    column = name.partition(".")[2]
    mine, theirs = (_numbers(one.scores or (), column) for one in (annotated, run))
    pairs = tuple((d, mine[d], theirs[d]) for d in documents if d in mine and d in theirs)
    differences = [b - a for _, a, b in pairs]
    return Scores(
        name,
        pairs,
        tuple(d for d in documents if d not in mine or d not in theirs),
        mean_with_interval(differences, request.seed, request.samples),
        mean_with_interval([abs(one) for one in differences], request.seed, request.samples),
    )


def _numbers(rows: Rows, column: str) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for row in rows:
        value: Value = row[column]
        if value is not None:
            found[str(row["document"])] = Fraction(str(value))
    return found
