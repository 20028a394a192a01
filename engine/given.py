"""Rows of facts that are shown to a model beside a document: what another sensor saw in the same text."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import canonical
from .errors import FielError, Problem, UsageError
from .facts import FactBase, load
from .inputs import rows_of
from .model import Pack, Relation
from .observing import Given
from .references import open_references, reference_folders
from .run_folder import RECORD, run_of
from .sensor import Document, Sensor
from .text import Span
from .verdict import value_of

MOST_ROWS = 20_000


def given_rows(
    sensor: Sensor,
    facts: Sequence[str],
    pack: Pack,
    documents: Sequence[Document],
    folders: Sequence[Path] = (),
) -> dict[str, Given]:
    """The given rows of each document by label, `G1` and so on: of each relation in the order of their keys, then of
    each reference, found in `folders` or where references are, in the order of its file.

    Raises UsageError if there are no such facts, or if a run among them looked at another text of that name, and
    FielError for a reference that is not there or not whole.
    """
    named = [name for name in sensor.given if name in pack.relations]
    found: dict[str, dict[str, tuple[str, Mapping[str, object]]]] = {one.name: {} for one in documents}
    if not _needs_facts(sensor, facts, named):
        return _with_references(sensor, pack, found, folders)
    for one in facts:
        _refuse_other_texts(Path(one), documents)
    with load(list(facts), pack.relations) as base:
        for name in named:
            _add(found, base, pack.relations[name])
    return _with_references(sensor, pack, found, folders)


def _needs_facts(sensor: Sensor, facts: Sequence[str], named: Sequence[str]) -> bool:
    """Whether facts are to be read. Raises UsageError if they are missing, or nobody is shown them."""
    if not named:
        if facts:
            message = f"`{sensor.name}` is given no rows"
            raise UsageError(
                Problem("usage", message, help="leave `--given` out, or declare `given` in `sensors.yaml`")
            )
        return False
    names = ", ".join(f"`{name}`" for name in named)
    if not facts:
        help = f"run the sensor that fills it first, and add `--given DIR`: {names}"
        raise UsageError(Problem("usage", f"`{sensor.name}` is shown rows of {names}", help=help))
    return True


def _add(found: Mapping[str, dict[str, tuple[str, Mapping[str, object]]]], base: FactBase, relation: Relation) -> None:
    name = relation.name
    if name not in base.present:
        help = "name the facts of the sensor that fills it"
        raise UsageError(Problem("no-documents", f"the given facts bring no `{name}`", help=help))
    rows = rows_of(base, relation, MOST_ROWS)
    for row in rows:
        labels = found.get(str(row["document"]))
        if labels is not None:
            labels[f"G{len(labels) + 1}"] = (name, row)
    if rows and not any(one[0] == name for labels in found.values() for one in labels.values()):
        # A name that is written otherwise would leave the model without any row, in silence.
        help = f"`document` has {', '.join(sorted({repr(row['document']) for row in rows})[:3])}"
        message = f"no row of `{name}` is about one of these documents"
        raise UsageError(Problem("given-elsewhere", message, help=help))


def _with_references(
    sensor: Sensor,
    pack: Pack,
    found: dict[str, dict[str, tuple[str, Mapping[str, object]]]],
    folders: Sequence[Path],
) -> dict[str, Given]:
    """The rows with all those of the references that are given, which are about every document."""
    wanted = [pack.references[name] for name in sensor.given if name in pack.references]
    shelf = open_references(wanted, reference_folders(folders) if wanted else ())
    if shelf.problems:
        raise FielError([shelf.problems[one.name] for one in wanted if one.name in shelf.problems])
    for one in wanted:
        table = shelf.tables[one.name]
        types = [one.columns[name].type for name in table.columns]
        for cells in zip(*table.columns.values(), strict=True):
            row = {name: value_of(cell, kind) for name, cell, kind in zip(table.columns, cells, types, strict=True)}
            for labels in found.values():
                labels[f"G{len(labels) + 1}"] = (one.name, row)
    return dict(found) if sensor.given else {}


def _refuse_other_texts(path: Path, documents: Sequence[Document]) -> None:
    """A run that looked at other words under the same name would give places and words that are not there."""
    run = run_of(path)
    record = (run.read(RECORD) or {}) if run is not None else {}
    looked = {one.get("document"): one.get("sha256") for one in record.get("coverage", ()) if isinstance(one, dict)}
    for document in documents:
        if record and looked.get(document.name) != document.sha256:
            what = "another text of that name" if document.name in looked else "no such text"
            message = f"the given run looked at {what}: `{document.name}`"
            raise UsageError(
                Problem("given-elsewhere", message, where=str(path), help="sense the same documents first")
            )


def lines_of(sensor: Sensor, given: Given, sentences: Sequence[Span] = ()) -> tuple[str, ...]:
    """The rows as a model is shown them: label, relation, and the columns that are shown.

    Another sensor may count sentences otherwise than the text is shown here, in `sentences`. A row that has a place
    bears the number which the model reads at that place, or a quote would be looked for in the wrong sentence.
    """
    starts = [span.start for span in sentences]
    shown = {label: (name, _renumbered(row, starts)) for label, (name, row) in given.items()}
    nth = _occurrences(shown)
    return tuple(
        f"{label} {name} {_cells(row, sensor.given[name], nth.get(label))}" for label, (name, row) in shown.items()
    )


def _occurrences(given: Given) -> dict[str, int]:
    """For rows whose words stand several times in their sentence: at which of the places each is, from 1."""
    places: dict[tuple[object, ...], set[int]] = {}
    at: dict[str, tuple[tuple[object, ...], int]] = {}
    for label, (name, row) in given.items():
        start = row.get("start_at")
        if isinstance(start, int) and "quote" in row:
            words = name, row.get("sentence"), row["quote"]
            places.setdefault(words, set()).add(start)
            at[label] = words, start
    return {
        label: sorted(places[words]).index(start) + 1 for label, (words, start) in at.items() if len(places[words]) > 1
    }


def _renumbered(row: Mapping[str, object], starts: Sequence[int]) -> Mapping[str, object]:
    start = row.get("start_at")
    if "sentence" not in row or not isinstance(start, int):
        return row
    number = bisect_right(starts, start)
    return {**row, "sentence": number} if number else row


def _cells(row: Mapping[str, object], columns: Sequence[str], nth: int | None) -> str:
    cells = {one: canonical.json_value(row[one]) for one in columns}
    return json.dumps({**cells, **({} if nth is None else {"occurrence": nth})}, ensure_ascii=False)
