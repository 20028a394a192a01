"""From `--facts` to a locked database: every fact is read, checked and stored before anything is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import BinaryIO

from ..database import client
from ..errors import FactError, InternalError, Problem
from ..limits import Limits
from ..model import Relation
from .bad_values import shown
from .bytes_in import HashedBytes, Stop, limit_problem, reason
from .chunk import CHUNK, Chunk
from .csv_header import read_delimiter
from .factbase import FactBase, FactFile
from .findings import Findings, Spot
from .intake import Intake
from .json_echo import Echo
from .keys import check_keys, without_repeats
from .memory import Memory
from .parquet import examine
from .parquet_files import Links, ParquetFile, Progress, hashed, in_one_line
from .runs import compare_content
from .sources import Source, Survey, relations_in
from .store import Build, Table
from .undeclared import undeclared_help


def load(
    sources: Sequence[str] | Survey,
    relations: Mapping[str, Relation],
    *,
    limits: Limits | None = None,
    trust_keys: bool = False,
    csv_delimiter: str = ",",
    threads: int | None = None,
    use_cache: bool = True,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
    tables: Sequence[Table] = (),
) -> FactBase:
    """Reads the files of `--facts` arguments into a locked database.

    `tables` are put beside the facts, and are in `present` like them.

    `sources` are the arguments, or what `relations_in` made of them. `relations` are the declared ones, by name.
    `progress(file, done, total)` is called with bytes. Raises FactError with all problems up to `limits.problems`, and
    a last one that counts the rest; UsageError for a delimiter that is none.
    """
    bounds = limits or Limits()
    delimiter = read_delimiter(csv_delimiter)
    survey = sources if isinstance(sources, Survey) else relations_in(sources, stdin=stdin, limits=bounds)
    loading = _Loading(survey, relations, bounds, delimiter, progress, use_cache)
    with _store_problems(bounds):
        build = Build({**relations, **{one.relation.name: one.relation for one in tables}}, bounds, threads)
        try:
            files = loading.fill(build)
            if not trust_keys:
                loading.check_keys(build)
            loading.findings.raise_if_any()
            for one in tables:
                build.add_table(one)
            return build.lock(files, keys_checked=not trust_keys)
        except BaseException:
            build.drop()
            raise


def from_rows(
    rows: Mapping[str, Sequence[Mapping[str, object]]],
    relations: Mapping[str, Relation],
    *,
    threads: int | None = None,
    limits: Limits | None = None,
    tables: Sequence[Table] = (),
) -> FactBase:
    """A locked database of typed Python values (see `values`), for cases. Absent columns are null; keys may repeat.

    It lives in memory, for speed: everything outside is as locked as ever, but its own tables could be changed.
    """
    bounds = limits or Limits()
    with _store_problems(bounds):
        beside = {one.relation.name: one.relation for one in tables}
        build = Build({**relations, **beside}, bounds, threads, brief=True)
        try:
            for relation, given in rows.items():
                if relation not in relations:
                    raise InternalError(f"rows of `{relation}`, which is not declared")
                columns = relations[relation].columns
                for at in range(0, max(len(given), 1), CHUNK):
                    chunk = given[at : at + CHUNK]
                    build.insert(relation, {one: [row.get(one) for row in chunk] for one in columns}, len(chunk))
            for one in tables:
                build.add_table(one)
            return build.lock((), keys_checked=False)
        except BaseException:
            build.drop()
            raise


class _Loading:
    """One call of `load`: the files on the one side, the database that is filled on the other."""

    def __init__(
        self,
        survey: Survey,
        relations: Mapping[str, Relation],
        limits: Limits,
        csv_delimiter: str,
        progress: Progress | None,
        use_cache: bool,
    ) -> None:
        self.survey, self.relations, self.limits = survey, relations, limits
        self.csv_delimiter, self.progress = csv_delimiter, progress
        self.findings = Findings(limits.problems)
        self.files: list[FactFile] = []
        self.known_files, self.known_keys = Memory("files", use_cache), Memory("keys", use_cache)
        self._kinds: dict[tuple[str, str], tuple[str, str]] = {}

    def fill(self, build: Build) -> list[FactFile]:
        """Reads all files, text first, then Parquet. What is wrong is in `findings` afterwards."""
        links = Links(build.folder)
        parquet: dict[str, list[ParquetFile]] = {}
        for source in self.survey.files:
            if source.kind != "parquet":
                self._text(build, source)
            elif source.relation is not None and self._declared(source.relation, source):
                one = hashed(source, links, self.findings, self.progress)
                if one is not None:
                    parquet.setdefault(source.relation, []).append(one)
        for relation, files in parquet.items():
            part = examine(
                build.connection, self.relations[relation], files, self.limits, self.findings, self.known_files
            )
            if part is None:
                continue
            build.add_view(self.relations[relation], part)
            self._count_rows(build, relation, files[0].source.shown)
            for one in part.files:
                self.files.append(FactFile(relation, one.source.shown, one.sha256, one.rows))
        return self.files

    def check_keys(self, build: Build) -> None:
        """Looks for repeated keys in what was stored. Relations of Parquet alone are remembered by their digests."""
        for relation, stored in sorted(build.stored.items()):
            declared = self.relations[relation]
            digests = [one.sha256 for one in self.files if one.relation == relation]
            lasting = stored.parquet is not None and not stored.files
            about = without_repeats(declared, digests)
            if not stored.rows or (lasting and self.known_keys.of(about) is True):
                continue
            before = self.findings.count
            check_keys(build, declared, self.findings)
            if lasting and self.findings.count == before:
                self.known_keys.keep(about, True)

    def _declared(self, relation: str, source: Source) -> bool:
        """Whether a pack declares the relation, and this file may bring it; a problem if not."""
        spot = Spot(source.shown)
        if relation not in self.relations:
            help = undeclared_help(relation, source, self.relations)
            message = f"no chosen pack declares the relation {shown(relation)}"
            self.findings.fact_problem("fact-unknown-relation", spot, message, help)
            return False
        if source.folder is not None:
            kind, first = self._kinds.setdefault((source.folder, relation), (source.kind, source.shown))
            if kind != source.kind:
                message = f"{shown(relation)} comes in a second format, after `{first}` in the same folder"
                self.findings.fact_problem("fact-two-formats", spot, message, "keep one, or put them in two folders")
        return True

    def _text(self, build: Build, source: Source) -> None:
        """Reads one JSON, JSON Lines or CSV file into the database."""
        try:
            with self._opened(source) as stream, build.together():
                self._store(build, source, stream)
        except Stop:
            return
        except OSError as error:
            message = f"the file could not be read: {reason(error)}"
            self.findings.fact_problem("fact-file-unreadable", Spot(source.shown), message)

    @contextmanager
    def _opened(self, source: Source) -> Iterator[HashedBytes]:
        limit = self.limits.json_bytes if source.kind == "json" else self.limits.file_bytes
        if source.path is not None:
            with open(source.path, "rb") as file:
                yield HashedBytes(file, limit)
        elif source.kind == "json":
            yield HashedBytes(BytesIO(self.survey.piped or b""), limit)
        else:
            assert self.survey.stdin is not None
            yield HashedBytes(self.survey.stdin, limit)

    def _chunks(self, source: Source, stream: HashedBytes, take: Callable[[int, bytes], int] | None) -> Iterator[Chunk]:
        from .csv_rows import read_csv
        from .json_rows import read_json, read_json_lines

        if source.relation is None:
            return read_json(stream, source.shown, self.limits, self.findings)
        if source.kind == "csv":
            columns = self.relations[source.relation].columns
            return read_csv(
                stream, source.relation, source.shown, self.limits, self.findings, self.csv_delimiter, columns
            )
        return read_json_lines(stream, source.relation, source.shown, self.limits, self.findings, take)

    def _store(self, build: Build, source: Source, stream: HashedBytes) -> None:
        size = os.path.getsize(source.path) if source.path is not None else 0
        intakes: dict[str, Intake] = {}
        refused: set[str] = set()
        if source.relation is not None and not self._declared(source.relation, source):
            return
        take = None
        if source.relation is not None and source.kind == "jsonl":
            intakes[source.relation] = self._intake(build, source, source.relation)
            take = Echo(build, self.relations[source.relation], self.limits, intakes[source.relation]).take
        complete = False
        try:
            for chunk in self._chunks(source, stream, take):
                relation = chunk.relation
                if relation not in intakes and relation not in refused:
                    if source.relation is None and not self._declared(relation, source):
                        refused.add(relation)
                        continue
                    intakes[relation] = self._intake(build, source, relation)
                if relation in refused:
                    continue
                if chunk.rows or not intakes[relation].rows:
                    build.insert(relation, intakes[relation].take(chunk), len(chunk.rows))
                self._count_rows(build, relation, source.shown)
                if self.progress:
                    self.progress(source.shown, stream.count, size)
            complete = True
        finally:
            for intake in intakes.values():
                intake.finish(complete)
        for relation, intake in intakes.items():
            run = source.run
            vouched = (run.sha256, run.provenance) if run is not None else (None, None)
            self.files.append(FactFile(relation, source.shown, stream.sha256, intake.rows, *vouched))
            if run is not None:
                compare_content(run, relation, source.shown, stream.sha256, intake.rows, self.findings)

    def _intake(self, build: Build, source: Source, relation: str) -> Intake:
        made = Intake(self.relations[relation], source.shown, source.kind, self.limits, self.findings)
        build.begin_file(relation, source.shown, made.lines)
        return made

    def _count_rows(self, build: Build, relation: str, file: str) -> None:
        rows = build.stored[relation].rows
        if rows > self.limits.rows:
            limit_problem(self.findings, Spot(file), "rows", self.limits.rows, f"{shown(relation)} has too many rows")
            raise Stop


@contextmanager
def _store_problems(limits: Limits) -> Iterator[None]:
    """Turns what DuckDB says of memory and disk into a problem that names the setting."""
    duckdb = client()

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        limit = "disk_mb" if "temp_directory" in str(error) else "memory_mb"
        raise FactError(
            Problem(
                "fact-limit",
                f"the facts do not fit the limit `{limit}` of {getattr(limits, limit)}",
                where="facts",
                help=f"raise it with `--limit {limit}=…`",
            )
        ) from None
    except (duckdb.Error, OSError) as error:
        # Facts were checked value by value before they got here, so this is the disk, or a file that changed meanwhile.
        said = reason(error) if isinstance(error, OSError) else in_one_line(error)
        raise FactError(
            Problem(
                "fact-store",
                f"the facts could not be stored: {said}",
                where="facts",
                help="is the disk full, or was a file changed meanwhile?",
            )
        ) from None
