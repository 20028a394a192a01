"""Finding references, holding their bytes against the pinned hashes, and reading those that are what they should be."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import Problem, UsageError
from ..facts.bad_values import BadValue
from ..facts.file_names import display
from ..facts.values import csv_converter, json_converter
from ..frozen import dataclass
from ..home import data_folder
from ..limits import Limits
from ..model import Reference
from .prepare import prepared
from .records import Record, Unreadable, records
from .table import ReferenceTable, Shelf

MAX_BYTES = 64 * 1024 * 1024
"""The largest file of a reference. It is held in memory whole, so that what is hashed is what is read."""
MAX_ROWS = 2_000_000
"""The most rows that a reference may have once it is prepared."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file with the name of a reference. Either its bytes and their hash, or why it could not be read."""

    path: str
    data: bytes | None = None
    sha256: str | None = None
    reason: str | None = None


def reference_folders(given: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Where references are looked for: `--references` in order, those of FIEL_REFERENCES, the user's data folder.

    Raises UsageError if a given folder is none. The others may not exist.
    """
    for folder in given:
        if not folder.is_dir():
            message = f"`{display(str(folder))}` is no folder"
            help = "name the folder that holds the files of references"
            raise UsageError(Problem("references-folder", message, where="--references", help=help))
    named = [Path(one) for one in os.environ.get("FIEL_REFERENCES", "").split(os.pathsep) if one]
    return tuple(dict.fromkeys([*given, *named, data_folder() / "references"]))


def open_references(references: Iterable[Reference], folders: Sequence[Path]) -> Shelf:
    """Every reference in the order of names: its table, or the problem with it. Raises nothing for a bad file."""
    tables, problems = {}, {}
    for reference in sorted(references, key=lambda one: one.name):
        opened = open_reference(reference, folders)
        if isinstance(opened, Problem):
            problems[reference.name] = opened
        else:
            tables[reference.name] = opened
    return Shelf(tables, problems)


def open_reference(reference: Reference, folders: Sequence[Path]) -> ReferenceTable | Problem:
    """The table of a reference. The first file with its name and hash is it; one with another hash is passed by."""
    others: list[Found] = []
    for found in candidates(reference, folders):
        if found.data is None or found.sha256 != reference.sha256:
            others.append(found)
            continue
        try:
            return _read_once(reference, found.path, found.data)
        except Unreadable as error:
            return unreadable_problem(found.path, error, reference.format)
    if not others:
        return _missing(reference, folders)
    first = others[0]
    if first.data is None:
        return unreadable_problem(first.path, Unreadable(first.reason or "it cannot be read"), reference.format)
    return _changed(reference, first, len(others) - 1)


def passed_over(reference: Reference, folders: Sequence[Path]) -> list[str]:
    """Why each file was passed over that has the name of a reference and stands before the one that is it."""
    others: list[str] = []
    for found in candidates(reference, folders):
        if found.data is not None and found.sha256 == reference.sha256:
            return others
        others.append(f"passed over {found.path}: {found.reason or 'another hash'}")
    return []


def candidates(reference: Reference, folders: Sequence[Path]) -> Iterator[Found]:
    """The files that have the name of a reference, in the order of the folders."""
    for folder in folders:
        path = folder / reference.file
        if os.path.lexists(path):
            yield read_file(path)


def read_file(path: Path) -> Found:
    """The bytes of a file and their hash, or why there are none. What is no regular file is never opened."""
    shown = shown_path(path)
    try:
        if not path.is_file():
            what = "a link to nothing" if path.is_symlink() and not path.exists() else "no regular file"
            what = what if os.path.lexists(path) else "not there"
            return Found(shown, reason=f"it is {what}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return Found(shown, reason=f"it cannot be read: {(error.strerror or 'input error').lower()}")
    if len(data) > MAX_BYTES:
        return Found(shown, reason=f"it is larger than {MAX_BYTES:,} bytes, the most that a reference may have")
    return Found(shown, data, hashlib.sha256(data).hexdigest())


_read: dict[tuple[str, str, str], ReferenceTable] = {}
"""Tables that this process has read, by what was declared, where it was, and the hash of the bytes."""
_MOST_READ = 16


def _read_once(reference: Reference, path: str, data: bytes) -> ReferenceTable:
    """As `read_table`, but the same bytes under the same declaration are read once in a process."""
    key = repr(reference), path, hashlib.sha256(data).hexdigest()
    if key not in _read:
        if len(_read) >= _MOST_READ:
            _read.clear()
        _read[key] = read_table(reference, path, data)
    return _read[key]


def read_table(reference: Reference, path: str, data: bytes) -> ReferenceTable:
    """The prepared rows of the bytes of a reference, whatever their hash. Raises `Unreadable`."""
    make, limits = csv_converter if reference.format in ("csv", "tsv") else json_converter, Limits()
    converters = {name: make(column, limits) for name, column in reference.columns.items()}
    lines: list[int] = []
    columns: dict[str, list[object]] = {name: [] for name in reference.columns}
    for line, cells in _bounded(prepared(records(data, reference), reference.prepare)):
        for name, convert in converters.items():
            try:
                columns[name].append(convert(cells[name]))
            except BadValue as error:
                raise Unreadable(f"column `{name}`: {error}", line, error.help) from None
        lines.append(line)
    if not lines:
        raise Unreadable("there are headings and no rows", 1)
    return ReferenceTable(reference, path, tuple(lines), {name: tuple(values) for name, values in columns.items()})


def _bounded(rows: Iterable[Record]) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        if number > MAX_ROWS:
            raise Unreadable(f"more than {MAX_ROWS:,} rows, the most that a reference may have", row[0])
        yield row


def shown_path(path: Path) -> str:
    """A path as the user would type it: relative to the current directory if it is below it."""
    absolute, here = os.path.abspath(path), os.getcwd()
    return display(os.path.relpath(absolute, here) if absolute.startswith(here.rstrip(os.sep) + os.sep) else str(path))


def unreadable_problem(path: str, error: Unreadable, format: str) -> Problem:
    line = "" if error.line is None else f", row {error.line}" if format == "xlsx" else f":{error.line}"
    return Problem("reference-unreadable", error.message, where=f"{path}{line}", help=error.help)


def _missing(reference: Reference, folders: Sequence[Path]) -> Problem:
    looked = ", ".join(f"`{shown_path(folder)}`" for folder in folders) or "no folder"
    how = f"`fiel reference fetch {reference.name}`" if reference.obtain else "get it from its publisher, then"
    how += "" if not reference.obtain else ", or, if you have the file,"
    help = f"{how} `fiel reference add {reference.name} --from FILE`; looked in {looked}"
    message = f"the reference `{reference.name}` is not installed: there is no `{reference.file}`"
    return Problem("reference-missing", message, reference.place, help=help)


def _changed(reference: Reference, found: Found, more: int) -> Problem:
    also = f" (and {more} more of that name)" if more else ""
    message = f"`{found.path}`{also} is not the file that `{reference.name}` pins: "
    message += f"sha256 {found.sha256}, pinned {reference.sha256}"
    fetch = (
        f"`fiel reference fetch {reference.name}` gets the pinned file" if reference.obtain else "put the pinned file"
    )
    help = f"{fetch}; for a new edition look at `fiel reference diff {reference.name} FILE`, then pin its hash"
    return Problem("reference-changed", message, reference.place, help=help)
