"""`fiel evaluate`: a run against annotated facts, or two. Reads the sides, says what is compared, and hands it on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from .annotated import Reading, Side, opened_side
from .errors import EvaluationError, Problem, UsageError, did_you_mean
from .evaluation import (
    ANNOTATED,
    SIDES,
    Evaluation,
    LeftOut,
    RelationResult,
    ScoreResult,
    Settings,
    Shape,
    measure_relation,
    measure_score,
    shape_of,
)
from .facts import Survey, relations_in
from .frozen import dataclass, field
from .judging import tables_of
from .limits import Limits
from .model import Column, Pack, Relation
from .policies_folder import policies_folder
from .references import open_references, reference_folders
from .refusals import refuse_outputs
from .run_sets import facts_of


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to compare. Each side is facts as `judge` takes them; `scores` are RELATION.COLUMN, with `=…` for the other
    side's."""

    pack: str
    annotated: tuple[str, ...]
    facts: tuple[str, ...]
    facts_b: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    policies: Path | None = None
    references: tuple[Path, ...] = ()
    csv_delimiter: str = ","
    limits: Limits = field(default_factory=Limits)
    outputs: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Number:
    """A number to compare: a column of a relation or view of the runs, and that of the annotated facts."""

    text: str
    of_runs: tuple[Relation, str]
    of_annotated: tuple[Relation, str]

    def of(self, side: str) -> tuple[Relation, str]:
        return self.of_annotated if side == ANNOTATED else self.of_runs


def evaluate_facts(request: EvaluationRequest) -> Evaluation:
    """The evaluation. Raises PolicyError, FactError, EvaluationError or UsageError: then nothing was compared."""
    from .load import load_packs

    folder = policies_folder(request.policies)
    pack = load_packs(folder.path, [request.pack]).whole()[request.pack]
    numbers = [_number(text, pack, request.settings.document) for text in request.scores]
    _refuse_names(request, pack)
    surveys = _surveys(request)
    for survey in surveys.values():
        refuse_outputs(request.outputs, None, survey, folder.path)
    shelf = open_references(pack.references.values() if numbers else (), reference_folders(request.references))
    reading = Reading(
        pack,
        tables_of(shelf),
        shelf.problems,
        request.limits,
        request.csv_delimiter,
        request.settings.document,
        request.settings.covered_by,
    )
    with ExitStack() as stack:
        sides = []
        for name, survey in surveys.items():
            base, side = opened_side(name, survey, reading)
            stack.enter_context(base)
            sides.append(side)
        return _compared(request, pack, numbers, sides)


def _surveys(request: EvaluationRequest) -> dict[str, Survey]:
    sides = {ANNOTATED: request.annotated, "a": request.facts, "b": request.facts_b}
    given = {name: tuple(one for path in paths for one in facts_of(path)) for name, paths in sides.items()}
    return {name: relations_in(paths, limits=request.limits) for name, paths in given.items() if paths or name != "b"}


def _compared(request: EvaluationRequest, pack: Pack, numbers: Sequence[_Number], sides: Sequence[Side]) -> Evaluation:
    _refuse_other_texts(sides)
    shapes, left_out = _chosen(request, pack, sides)
    relations = tuple(
        measure_relation(shape, {side.name: side.looked(shape) for side in sides}, request.settings) for shape in shapes
    )
    scores = tuple(_score(number, sides, request.settings) for number in numbers)
    notes, unsaid = _notes(sides, relations, scores)
    names = tuple(side.name for side in sides)
    files = tuple(file for side in sides for file in side.files)
    return Evaluation(pack.name, request.settings, names, files, relations, left_out, scores, notes, unsaid)


# -- what is compared ------------------------------------------------------------------------------------------


def _refuse_names(request: EvaluationRequest, pack: Pack) -> None:
    """Raises UsageError for a relation or column that the pack does not have."""
    covered = [request.settings.covered_by] if request.settings.covered_by is not None else []
    for name in (*request.relations, *covered):
        if name not in pack.relations:
            help = did_you_mean(name, pack.relations, f"relations of `{pack.name}`")
            raise UsageError(Problem("usage", f"`{name}` is no relation of the pack `{pack.name}`", help=help))
    document = request.settings.document
    for name in covered:
        if document not in pack.relations[name].columns:
            message = f"`{name}` has no column `{document}` to list documents with"
            raise UsageError(Problem("usage", message, help=_near(document, pack.relations[name])))


def _near(column: str, relation: Relation) -> str:
    return did_you_mean(column, relation.columns, f"columns of `{relation.name}`")


def _chosen(request: EvaluationRequest, pack: Pack, sides: Sequence[Side]) -> tuple[list[Shape], tuple[LeftOut, ...]]:
    """The relations that are compared, and those of the facts that are not."""
    annotated = sides[0].present
    wanted = list(dict.fromkeys(request.relations)) or sorted(annotated)
    shapes, left_out = list[Shape](), list[LeftOut]()
    for name in wanted:
        why = _why_left_out(pack.relations[name], request.settings)
        shape = shape_of(pack.relations[name], request.settings)
        if not request.relations and why is None and _same_bytes(name, sides):
            why = "the very same rows are given on every side; name it with `--relation` to compare it"
        if why is not None and request.relations:
            raise UsageError(Problem("usage", f"`{name}` cannot be compared: {why}", help="leave it out"))
        if shape is None or why is not None:
            left_out.append(LeftOut(name, why or ""))
        else:
            shapes.append(shape)
    _refuse_same(request, pack, shapes)
    others = set[str]().union(*(side.present for side in sides[1:])) - annotated
    left_out += [LeftOut(name, "it is not annotated") for name in sorted(others) if name not in wanted]
    not_asked = sorted(annotated - set(wanted))
    left_out += [LeftOut(name, "it was not asked for") for name in not_asked]
    return shapes, tuple(left_out)


def _why_left_out(relation: Relation, settings: Settings) -> str | None:
    shape = shape_of(relation, settings)
    if shape is None:
        return f"it has no column `{settings.document}`; the column of documents is named with `--document`"
    if not shape.columns:
        return "a row of it is a document and nothing else; columns that have to agree are named with `--same`"
    return None


def _same_bytes(name: str, sides: Sequence[Side]) -> bool:
    """Whether every side has the same files of a relation: context, or a run that is compared with itself."""
    digests = [sorted(one.sha256 for one in side.files if one.relation == name) for side in sides]
    return bool(digests[0]) and all(one == digests[0] for one in digests)


def _refuse_same(request: EvaluationRequest, pack: Pack, shapes: Sequence[Shape]) -> None:
    """Raises UsageError if a column of `--same` is one of no relation that is compared."""
    for column in request.settings.same:
        if not any(column in shape.relation.columns for shape in shapes):
            legal = sorted({name for shape in shapes for name in shape.relation.columns})
            message = f"no relation that is compared has the column `{column}`"
            raise UsageError(Problem("usage", message, help=did_you_mean(column, legal, "columns")))


def _refuse_other_texts(sides: Sequence[Side]) -> None:
    """Raises EvaluationError if two runs looked at different texts of one name: a place in one is none in the other."""
    found: dict[str, set[str]] = {}
    for side in sides:
        for document, digests in side.texts.items():
            found.setdefault(document, set()).update(digests)
    changed = sorted(document for document, digests in found.items() if len(digests) > 1)
    if changed:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        message = f"the runs looked at different texts that are called `{changed[0]}`{more}"
        help = "sense the text again that was annotated, byte for byte"
        raise EvaluationError(Problem("evaluation-other-text", message, help=help))


# -- numbers ---------------------------------------------------------------------------------------------------


def _number(text: str, pack: Pack, document: str) -> _Number:
    """`mark.points`, or `mark.points=given.points` where the annotated facts have it elsewhere."""
    first, equals, second = text.partition("=")
    ours = _column(first, pack, document)
    theirs = _column(second, pack, document) if equals else ours
    units = [relation.columns[column].unit for relation, column in (ours, theirs)]
    if units[0] != units[1]:
        message = f"`{first}` is in {units[0]}, and `{second}` in {units[1]}"
        raise UsageError(Problem("usage", message, help="compare numbers of one unit"))
    return _Number(text, ours, theirs)


def _column(text: str, pack: Pack, document: str) -> tuple[Relation, str]:
    name, _, column = text.partition(".")
    judged = pack.judged
    if name not in judged:
        help = did_you_mean(name, judged, f"relations and views of `{pack.name}`")
        raise UsageError(Problem("usage", f"`{name}` is no relation or view of the pack `{pack.name}`", help=help))
    relation = judged[name]
    if not column:
        numbers = [f"`{name}.{one}`" for one, declared in relation.columns.items() if _is_number(declared)]
        help = f"its numbers: {', '.join(numbers) or 'none'}"
        raise UsageError(Problem("usage", f"`{text}` names no column; a number is named as VIEW.COLUMN", help=help))
    if column not in relation.columns:
        help = _near(column, relation)
        raise UsageError(Problem("usage", f"`{text}`: `{column}` is no column of `{name}`", help=help))
    if not _is_number(relation.columns[column]):
        numbers = [one for one, declared in relation.columns.items() if _is_number(declared)]
        help = did_you_mean(column, numbers, f"numbers of `{name}`")
        raise UsageError(Problem("usage", f"`{text}` is {relation.columns[column].type}, and no number", help=help))
    if document not in relation.columns:
        help = "the column of documents is named with `--document`"
        raise UsageError(Problem("usage", f"`{name}` has no column `{document}`", help=help))
    return relation, column


def _is_number(column: Column) -> bool:
    return column.type.is_number


def _score(number: _Number, sides: Sequence[Side], settings: Settings) -> ScoreResult:
    relation, column = number.of_runs
    against = ".".join((number.of_annotated[0].name, number.of_annotated[1]))
    found = {side.name: side.scores(*number.of(side.name)) for side in sides}
    unit = relation.columns[column].unit
    return measure_score(f"{relation.name}.{column}", against, unit, found, settings)


# -- what has to be said ---------------------------------------------------------------------------------------

_PROVENANCE = {
    "constructed": "of constructed runs: their rows were written by hand, and observed by nobody",
    "unstated": "of runs that do not say whether their rows were observed",
}


def _notes(
    sides: Sequence[Side], relations: Sequence[RelationResult], scores: Sequence[ScoreResult]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a reader must know of the rows, and what the figures do not say."""
    notes, unsaid = list[str](), list[str]()
    for side in sides:
        known = {one.provenance or "" for one in side.files}
        words = (
            {**_PROVENANCE, "observed": "of a sensor: no person annotated them"}
            if side.name == ANNOTATED
            else _PROVENANCE
        )
        for provenance in sorted(known & set(words)):
            names = sorted({one.relation for one in side.files if one.provenance == provenance})
            listed = ", ".join(f"`{name}`" for name in names)
            notes.append(f"in {SIDES[side.name]} the rows of {listed} are {words[provenance]}")
    compared = {one.relation for one in relations}
    for side in sides[1:]:
        copies = sorted(name for name in compared if _same_bytes(name, (sides[0], side)))
        notes += [f"`{name}` in {SIDES[side.name]} is the annotation itself, byte for byte" for name in copies]
    nobody = {one.relation for one in sides[0].files if one.provenance is None} & compared
    unsaid += [f"who annotated `{relation}`: no run records it" for relation in sorted(nobody)]
    unsaid += [
        "whether the annotation is right: what the annotators overlooked counts as invented, and how far two of them"
        " would agree is unknown",
        "what other documents would give: the intervals treat these as drawn at random from all that matter",
    ]
    tests = len([one for one in relations if one.paired]) + len([one for one in scores if one.paired])
    if tests > 1:
        unsaid.append(f"which of {tests} tests would fall below 1/20 by chance alone: each is judged by itself")
    return tuple(notes), tuple(unsaid)
