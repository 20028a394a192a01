"""One side of an evaluation: rows of facts, the documents that somebody looked at, and numbers by document.

Which documents were looked at is what the records of runs say. Facts without a run say it only by their rows, unless a
relation is named that lists the documents: a document of which there is no row may have been found without, or not
looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from . import canonical
from .errors import EvaluationError, FactError, Problem, UsageError
from .evaluation import SIDES, FileUsed, Looked, Scores, Shape, items_of, refuse_two_runs
from .facts import FactBase, Survey, Table, load
from .frozen import dataclass, field
from .limits import Limits
from .model import Pack, Relation
from .run_folder import MOST_BYTES, RECORD
from .view_rows import Rows, rows_of_tables

MOST_ROWS = 200_000
"""Of one relation of one side, that are compared."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How facts are read: the pack, its references as tables, those that cannot be used, and the bounds."""

    pack: Pack
    tables: Sequence[Table] = ()
    unusable: Mapping[str, Problem] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    csv_delimiter: str = ","
    document: str = "document"
    covered_by: str | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of a sensor among the facts: the relations that it brings, and the texts that it looked at, by name."""

    file: str
    relations: frozenset[str]
    texts: Mapping[str, str | None] | None


class Side:
    """One side, while its facts are open."""

    def __init__(self, name: str, survey: Survey, reading: Reading, base: FactBase) -> None:
        self.name, self.reading, self._base = name, reading, base
        self.words = SIDES[name]
        self.present = base.present & set(reading.pack.relations)
        self.files = tuple(
            FileUsed(name, one.relation, one.file, one.sha256, one.rows, one.provenance)
            for one in sorted(base.files, key=lambda one: (one.relation, one.file))
        )
        self._runs = _runs(survey)

    @property
    def texts(self) -> dict[str, set[str]]:
        """The digests of the texts that the runs looked at, by document."""
        found: dict[str, set[str]] = {}
        for run in self._runs:
            for document, digest in (run.texts or {}).items():
                if digest is not None:
                    found.setdefault(document, set()).add(digest)
        return found

    def looked(self, shape: Shape) -> Looked | None:
        """What this side saw of a relation; None if it has no such relation. Raises EvaluationError for bad rows."""
        name = shape.relation.name
        if name not in self.present:
            return None
        if self._base.rows[name] > MOST_ROWS:
            message = f"over {MOST_ROWS:,} rows of `{name}`"
            raise EvaluationError(
                Problem("evaluation-limit", message, where=self.words, help="compare fewer documents")
            )
        rows = self._rows(name)
        refuse_two_runs(shape, rows, self.words)
        items = items_of(shape, rows, self.words)
        seen = {one.document for one in items}
        return Looked(frozenset(self._documents(name, seen)), items)

    def _rows(self, name: str) -> Rows:
        found = rows_of_tables(self.reading.pack, self._base, [name], self.reading.limits, self.reading.unusable)[name]
        return found if found is not None else ()

    def _documents(self, relation: str, seen: set[str]) -> set[str]:
        runs = [run for run in self._runs if relation in run.relations]
        covered = [document for run in runs for document in run.texts or ()]
        twice = sorted(document for document, count in Counter(covered).items() if count > 1)
        if twice:
            message = f"two runs looked at `{twice[0]}` for `{relation}`"
            help = "give one run with `--facts`, and the other with `--facts-b`"
            raise EvaluationError(Problem("evaluation-two-runs", message, where=self.words, help=help))
        vouched = bool(runs) and all(run.texts is not None for run in runs) and self._all_of_runs(relation)
        if vouched:
            strange = sorted(seen - set(covered))
            if strange:
                message = f"`{relation}` has rows about `{strange[0]}`, which its run says that it did not look at"
                help = "the `coverage` of `run.json` lists every document that was looked at"
                raise EvaluationError(Problem("evaluation-coverage", message, where=self.words, help=help))
            return set(covered)
        return seen | set(covered) | self._listed(relation)

    def _all_of_runs(self, relation: str) -> bool:
        return all(one.provenance is not None for one in self.files if one.relation == relation)

    def _listed(self, relation: str) -> set[str]:
        """The documents of the relation that `--covered-by` names."""
        name = self.reading.covered_by
        if name is None:
            return set()
        if name not in self.present:
            message = f"they bring no `{name}` to say which documents were looked at for `{relation}`"
            help = f"add the facts of `{name}`, or leave `--covered-by` out"
            raise EvaluationError(Problem("evaluation-coverage", message, where=self.words, help=help))
        return {canonical.shown(row[self.reading.document]) for row in self._rows(name)}

    def scores(self, relation: Relation, column: str) -> Scores | None:
        """A number of each document; None if nobody looked. Raises EvaluationError if a document has two."""
        pack, limits = self.reading.pack, self.reading.limits
        rows = rows_of_tables(pack, self._base, [relation.name], limits, self.reading.unusable)[relation.name]
        if rows is None:
            return None
        found: dict[str, Fraction | None] = {}
        for row in rows:
            document = canonical.shown(row[self.reading.document])
            if document in found or row[self.reading.document] is None:
                why = "two rows" if document in found else "no name"
                message = f"a document of `{relation.name}` has {why}: {document}"
                help = "a number is compared that each document has once"
                raise EvaluationError(Problem("evaluation-row", message, where=self.words, help=help))
            found[document] = _exact(row[column])
        return found


def _exact(value: object) -> Fraction | None:
    """A number as it is; None if it is null."""
    return Fraction(value) if isinstance(value, (int, float, Decimal)) else None


def opened_side(name: str, survey: Survey, reading: Reading) -> tuple[FactBase, Side]:
    """The facts of a side, which the caller closes. Raises FactError."""
    base = load(
        survey,
        reading.pack.relations,
        limits=reading.limits,
        csv_delimiter=reading.csv_delimiter,
        tables=reading.tables,
    )
    try:
        return base, Side(name, survey, reading, base)
    except BaseException:
        base.close()
        raise


def _runs(survey: Survey) -> list[_Run]:
    """The runs among the files, in the order of their records."""
    relations: dict[str, set[str]] = {}
    records: dict[str, tuple[str, Path]] = {}
    for source in survey.files:
        if source.run is not None and source.path is not None and source.relation is not None:
            relations.setdefault(source.run.file, set()).add(source.relation)
            records[source.run.file] = (source.run.sha256, Path(source.path).parent.parent / RECORD)
    return [_Run(file, frozenset(relations[file]), _texts(file, *record)) for file, record in sorted(records.items())]


def _texts(file: str, sha256: str, path: Path) -> dict[str, str | None] | None:
    """What the record of a run says that it looked at; None if it does not say."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(Problem("run-folder", f"its record has over {MOST_BYTES >> 20} MB", where=file))
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(Problem("run-folder", (error.strerror or str(error)).lower(), where=file)) from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise FactError(
            Problem("facts-changed", "the file changed while it was read", where=file, help="evaluate again")
        )
    coverage = json.loads(data).get("coverage")
    if coverage is None:
        return None
    entries = coverage if isinstance(coverage, list) else [None]
    found: dict[str, str | None] = {}
    for one in entries:
        document = one.get("document") if isinstance(one, dict) else None
        digest = one.get("sha256") if isinstance(one, dict) else None
        if not isinstance(document, str) or not isinstance(digest, str | None):
            message = "an entry of `coverage` names no document"
            help = 'write `{"document": …, "sha256": …}` for each document that was looked at'
            raise FactError(Problem("evaluation-coverage", message, where=file, help=help))
        found[document] = digest
    return found
