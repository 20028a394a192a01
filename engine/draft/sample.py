"""A sample of facts: the first rows of each relation of a file, read as `judge` reads them, with no type declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import FactError, Problem
from ..facts import Survey, relations_in
from ..facts.bad_values import shown
from ..facts.bytes_in import HashedBytes, Stop
from ..facts.chunk import Chunk
from ..facts.csv_header import read_delimiter
from ..facts.csv_rows import read_csv
from ..facts.findings import Findings
from ..facts.json_rows import read_json, read_json_lines
from ..facts.parquet_files import Links, in_one_line
from ..facts.sources import Source
from ..facts.sql import name as quoted
from ..frozen import dataclass, field
from ..leavings import folder_for_now
from ..limits import Limits

_AS_TEXT = {
    "DATE": "CAST({} AS VARCHAR)",
    "TIMESTAMP WITH TIME ZONE": "strftime(make_timestamp(epoch_us({})), '%Y-%m-%d %H:%M:%S.%f')",
}
"""Types of Parquet whose values are taken as the readers of text give them."""

MOST_ROWS = 10_000
"""The rows of a relation from which a draft is made."""


@dataclass
class Sample:
    """Rows of one relation as they were read. `kind` is that of the file; `types` are those that Parquet declares."""

    relation: str
    kind: str
    file: str
    columns: dict[str, list[object]] = field(default_factory=dict)
    rows: int = 0
    more: bool = False
    types: Mapping[str, str] = field(default_factory=dict)

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Takes rows up to the most that are looked at. A column that a row lacks is null in it."""
        taken = rows[: MOST_ROWS - self.rows]
        self.more = self.more or len(taken) < len(rows)
        for row in taken:
            for name in row:
                self.columns.setdefault(name, [None] * self.rows)
            for name, values in self.columns.items():
                values.append(row.get(name))
            self.rows += 1


def read_samples(survey: Survey, csv_delimiter: str) -> dict[str, Sample]:
    """The samples of all relations of the files, by name. Raises FactError for what cannot be read."""
    limits = Limits()
    findings = Findings(limits.problems)
    delimiter = read_delimiter(csv_delimiter)
    samples: dict[str, Sample] = {}
    for source in survey.files:
        other = samples.get(source.relation or "")
        if other is not None and other.kind != source.kind:
            message = f"{shown(other.relation)} comes in a second format, after `{other.file}`"
            raise FactError(Problem("fact-two-formats", message, where=source.shown, help="draft from one of them"))
        if source.kind == "parquet":
            _parquet(source, samples)
            continue
        assert source.path is not None
        with open(source.path, "rb") as file:
            stream = HashedBytes(file, limits.json_bytes if source.kind == "json" else limits.file_bytes)
            try:
                for chunk in _chunks(source, stream, limits, findings, delimiter):
                    sample = samples.setdefault(chunk.relation, Sample(chunk.relation, source.kind, source.shown))
                    for name in chunk.header or ():
                        sample.columns.setdefault(name, [None] * sample.rows)
                    sample.add(chunk.rows)
                    if sample.more and source.kind != "json":
                        break
            except Stop:
                pass
    findings.raise_if_any()
    return samples


def survey_of(argument: str) -> Survey:
    """The files that an argument means. Raises FactError."""
    if argument == "-" or argument.endswith("=-"):
        message = "a draft is made from a file, since the file is read twice"
        raise FactError(Problem("no-facts", message, help="write the rows into a file first"))
    return relations_in([argument])


def _chunks(source: Source, stream: HashedBytes, limits: Limits, findings: Findings, delimiter: str) -> Iterator[Chunk]:
    if source.relation is None:
        return read_json(stream, source.shown, limits, findings)
    if source.kind == "csv":
        return read_csv(stream, source.relation, source.shown, limits, findings, delimiter)
    return read_json_lines(stream, source.relation, source.shown, limits, findings)


def _parquet(source: Source, samples: dict[str, Sample]) -> None:
    import duckdb

    assert source.path is not None
    assert source.relation is not None
    with folder_for_now() as folder, duckdb.connect() as connection:
        path = Links(folder).plain(source.path) or source.path
        try:
            connection.execute("SET TimeZone = 'UTC'")
            table = "read_parquet(?, hive_partitioning = false)"
            described = connection.execute(f"DESCRIBE SELECT * FROM {table}", [path]).fetchall()
            types = {str(name): str(kind) for name, kind, *_ in described}
            chosen = ", ".join(_AS_TEXT.get(kind, "{}").format(quoted(name)) for name, kind in types.items())
            rows_of = connection.execute(f"SELECT {chosen} FROM {table} LIMIT {MOST_ROWS + 1}", [path])
            rows = [dict(zip(types, row, strict=True)) for row in rows_of.fetchall()]
        except (duckdb.Error, ImportError) as error:
            message = f"no Parquet file, or a broken one: {in_one_line(error)}"
            raise FactError(Problem("fact-parquet", message, where=source.shown)) from None
    known = Sample(source.relation, "parquet", source.shown, {name: [] for name in types}, types=types)
    samples.setdefault(source.relation, known).add(rows)


def folder_name(survey: Survey) -> str:
    """The pack that facts seem to belong to: of `facts/NAME/…` it is NAME, else the beginning of the file's name."""
    path = Path(survey.files[0].path or "")
    return path.parent.name if path.parent.parent.name == "facts" else path.name.split(".", 1)[0]
