"""Parquet files, and how DuckDB is made to read them: by their literal names, in groups of one shape."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence

from ..frozen import dataclass, field
from .bad_values import shown
from .bytes_in import BLOCK, reason
from .findings import Findings, Spot
from .sources import Source
from .sql import listed, name

FILE, ROW = "fiel file", "fiel row"
"""Names of the columns that say where a row comes from. No declared column can bear them: they hold a space."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """One file. `path` is what DuckDB is given, `stamp` its size, time of change and inode when it was hashed.

    `types` holds the DuckDB type of each column of the file, in its order.
    """

    source: Source
    path: str
    sha256: str
    stamp: tuple[int, int, int]
    rows: int = 0
    types: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Group:
    """Files of one shape, and how each declared column is read from them."""

    files: list[ParquetFile]
    columns: dict[str, str] = field(default_factory=dict)

    def scan(self, columns: Sequence[str]) -> str:
        """A SELECT of declared columns, typed as declared."""
        shown_columns = ", ".join(f"{self.columns[one]} AS {name(one)}" for one in columns)
        return f"SELECT {shown_columns} FROM {reader(self.files)}"

    def scan_with_origin(self, columns: Sequence[str]) -> str:
        """The same with the path of the file and the row in it, from 1."""
        shown_columns = "".join(f", {self.columns[one]} AS {name(one)}" for one in columns)
        if "file_row_number" not in dict(self.files[0].types):
            return (
                f"SELECT {name(FILE)}, file_row_number + 1 AS {name(ROW)}{shown_columns} "
                f"FROM {reader(self.files, f', filename = {listed((FILE,))}')}"
            )
        # A column of that name hides DuckDB's own number; count the rows of each file instead.
        return " UNION ALL ".join(
            f"SELECT {listed((one.path,))} AS {name(FILE)}, row_number() OVER () AS {name(ROW)}{shown_columns} "
            f"FROM {reader([one])}"
            for one in self.files
        )


def reader(files: Sequence[ParquetFile], more: str = "") -> str:
    return f"read_parquet([{listed(tuple(one.path for one in files))}], hive_partitioning = false{more})"


@dataclass(slots=True)
class ParquetPart:
    """The Parquet files of one relation, in groups."""

    groups: list[Group]

    @property
    def files(self) -> list[ParquetFile]:
        return [one for group in self.groups for one in group.files]


class Links:
    """Paths that DuckDB reads literally. It takes `*`, `?` and `[` for patterns; such a file gets a link."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._count = 0

    def plain(self, path: str) -> str | None:
        """The path itself or a link to it; None if the system makes no links."""
        if not re.search(r"[*?\[\]{}\\\x00-\x1f\ud800-\udfff]", path):
            return path
        self._count += 1
        link = os.path.join(self._folder, f"{self._count}.parquet")
        try:
            os.symlink(path, link)
        except OSError:
            return None
        return link


def hashed(source: Source, links: Links, findings: Findings, progress: Progress | None) -> ParquetFile | None:
    """The file with its digest, or None and a problem.

    What could change between this and the end of judging is the file itself: it is read again by every query.
    `FactBase.changed_files` compares the stamp.
    """
    assert source.path is not None
    digest = hashlib.sha256()
    try:
        with open(source.path, "rb") as file:
            before = stamp(os.fstat(file.fileno()))
            done = 0
            while block := file.read(BLOCK):
                digest.update(block)
                done += len(block)
                if progress:
                    progress(source.shown, done, before[0])
            after = stamp(os.stat(source.path))
    except OSError as error:
        findings.fact_problem(
            "fact-file-unreadable", Spot(source.shown), f"the file could not be read: {reason(error)}"
        )
        return None
    if before != after:
        findings.fact_problem(
            "fact-file-changed", Spot(source.shown), "the file changed while it was read", "judge it again"
        )
        return None
    path = links.plain(source.path)
    if path is None:
        help = "rename it without `*`, `?`, `[` and the like"
        findings.fact_problem(
            "fact-file-unreadable", Spot(source.shown), "the name of the file would be read as a pattern", help
        )
        return None
    return ParquetFile(source, path, digest.hexdigest(), before)


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """What tells that a file was changed."""
    return (status.st_size, status.st_mtime_ns, status.st_ino)


def in_one_line(error: Exception, file: ParquetFile | None = None) -> str:
    """The first line of DuckDB's message, without the path that it was given."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if file is not None:
        text = text.replace(file.path, file.source.shown)
    return shown(text.partition(": ")[2] or text, 200)
