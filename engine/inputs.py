"""What a sensor is pointed at: files, folders of them, texts, and rows of facts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import canonical
from .errors import Problem, UsageError
from .facts import FactBase, load, table
from .facts.file_names import display
from .frozen import dataclass
from .lang.dialects import duckdb as dialect
from .model import Relation
from .run_folder import fact_line
from .sensor import Document, Record
from .verdict import Value, value_of

TEXTS = (".txt", ".md")
MOST_BYTES = 16 * 1024 * 1024
"""Of one document."""
MOST_RECORDS = 100_000
_SAVE_AS = "save it as plain text (.txt) in UTF-8"
_KINDS = {
    b"PK\x03\x04": "a document of a word processor, or an archive",
    b"\xd0\xcf\x11\xe0": "a document of an old word processor",
    b"%PDF-": "a PDF",
    b"{\\rtf": "a rich text",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
"""How files begin that are no texts (the documentation of each format)."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to look at. `name` is the file's own, or its path within the folder that was named, with `/`."""

    name: str
    path: Path

    def data(self) -> bytes:
        """Its bytes. Raises UsageError if it cannot be read, is too large, or has a path that no row could bear."""
        if not _is_text(str(self.path)):
            raise UsageError(_unreadable(self.path, "its path is not UTF-8", "rename it"))
        try:
            if self.path.stat().st_size > MOST_BYTES:
                raise UsageError(_unreadable(self.path, f"over {MOST_BYTES >> 20} MB"))
            return self.path.read_bytes()
        except OSError as error:
            raise UsageError(_unreadable(self.path, (error.strerror or str(error)).lower())) from None


def files_of(inputs: Sequence[str], endings: Sequence[str]) -> list[Input]:
    """The files that are named, whatever their ending, and those with these endings in folders that are named.

    Sorted by name. Raises UsageError for a path that is not there, a folder without any, or a name that stands twice.
    """
    found: dict[str, Input] = {}
    for given in inputs:
        path = Path(given)
        if path.is_dir():
            below = [one for one in _below(path) if one.suffix.lower() in endings]
            if not below:
                help = f"it has no file that ends in {', '.join(endings)}"
                raise UsageError(Problem("no-documents", f"there is nothing to look at in `{given}`", help=help))
            fresh = [Input(_name(one.relative_to(path)), one) for one in below]
        elif path.is_file():
            fresh = [Input(_name(path.relative_to(path.parent)), path)]
        else:
            what = "is neither a file nor a folder" if os.path.exists(given) else "does not exist"
            raise UsageError(Problem("no-such-path", f"`{given}` {what}", help="name a file or a folder"))
        for one in fresh:
            if one.name in found:
                message = f"two documents are called `{one.name}`: `{found[one.name].path}` and `{one.path}`"
                raise UsageError(Problem("document-twice", message, help="rename one, or name the folder of both"))
            found[one.name] = one
    if not found:
        raise UsageError(Problem("no-documents", "there is nothing to look at", help="name files or folders"))
    return [found[name] for name in sorted(found)]


def passed_over(inputs: Sequence[str], endings: Sequence[str]) -> list[Input]:
    """The files in folders that are named which do not have these endings, without hidden ones, sorted by name."""
    folders = [Path(given) for given in inputs if os.path.isdir(given)]
    found = [(folder, one) for folder in folders for one in _below(folder) if one.suffix.lower() not in endings]
    return sorted((Input(_name(one.relative_to(folder)), one) for folder, one in found), key=lambda one: one.name)


def links_to_folders(inputs: Sequence[str]) -> list[Input]:
    """The links to folders in folders that are named, sorted by name. Nobody follows them: they may lead in circles."""
    folders = [Path(given) for given in inputs if os.path.isdir(given)]
    found = [(folder, one) for folder in folders for one in _walk(folder)[1] if one.is_symlink()]
    return sorted((Input(_name(one.relative_to(folder)), one) for folder, one in found), key=lambda one: one.name)


def refuse_within(out: Path, inputs: Sequence[str]) -> None:
    """Raises UsageError if the folder of a run would lie in a folder that is looked at: the next run would see it."""
    place = os.path.realpath(out)
    for given in inputs:
        looked = os.path.realpath(given)
        if os.path.isdir(given) and (place == looked or place.startswith(looked + os.sep)):
            message = f"`{out}` {'is' if place == looked else 'lies in'} `{given}`, which is looked at"
            raise UsageError(Problem("run-folder", message, help="name a folder elsewhere"))


def _below(folder: Path) -> list[Path]:
    return _walk(folder)[0]


def _walk(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files in a folder and below, and the folders, without hidden ones. Raises UsageError for one not listed."""
    files, below = list[Path](), list[Path]()
    for here, folders, names in os.walk(folder, onerror=_unlisted):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        files += [Path(here) / name for name in sorted(names) if not name.startswith(".")]
        below += [Path(here) / name for name in folders]
    return files, below


def _unlisted(error: OSError) -> None:
    """What lies in it would be left out in silence."""
    raise UsageError(_unreadable(error.filename, (error.strerror or str(error)).lower())) from None


def _name(path: Path) -> str:
    """The name of a document as text: bytes of it that are no UTF-8 are escaped."""
    return display(path.as_posix())


def _is_text(path: str) -> bool:
    return display(path) == path


def documents_of(inputs: Sequence[str]) -> list[Document]:
    """The texts that are named. A byte order mark is no part of the text; line ends and all else are left as they are.

    Raises UsageError for what is not UTF-8 or holds a NUL.
    """
    documents = []
    for one in files_of(inputs, TEXTS):
        data = one.data()
        _refuse_other_kinds(one.path, data)
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UsageError(_unreadable(one.path, f"line {line} is not UTF-8", "save it as UTF-8")) from None
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise UsageError(_unreadable(one.path, f"there is a NUL in line {line}", "it may be no text at all"))
        documents.append(Document(one.name, text, hashlib.sha256(data).hexdigest()))
    return documents


def rows_of(base: FactBase, relation: Relation, most: int) -> list[dict[str, Value]]:
    """The rows of a relation in the order of their keys. Raises UsageError if there are more."""
    columns = relation.columns
    listed, order = (", ".join(dialect.quote(name) for name in names) for names in (columns, relation.key))
    rows = base.select(f"SELECT {listed} FROM {table(relation.name)} ORDER BY {order} LIMIT {most + 1}").fetchall()
    if len(rows) > most:
        raise UsageError(Problem("no-documents", f"over {most:,} rows of `{relation.name}`", help="name fewer"))
    return [
        {name: value_of(cell, columns[name].type) for name, cell in zip(columns, cells, strict=True)} for cells in rows
    ]


def facts_records(relation: Relation, inputs: Sequence[str], relations: Mapping[str, Relation]) -> list[Record]:
    """The rows of a relation as texts to ask about. The key of a row is its id."""
    with load(list(inputs), relations) as base:
        if relation.name not in base.present:
            help = f"name facts that bring `{relation.name}`"
            raise UsageError(Problem("no-documents", f"the facts bring no `{relation.name}`", help=help))
        rows = rows_of(base, relation, MOST_RECORDS)
    found = []
    for row in rows:
        key = [canonical.json_value(row[name]) for name in relation.key]
        name = str(key[0]) if len(key) == 1 else json.dumps(key, ensure_ascii=False)
        found.append(Record(name, fact_line(row, relation).strip()))
    return found


def _refuse_other_kinds(path: Path, data: bytes) -> None:
    what = next((what for begins, what in _KINDS.items() if data.startswith(begins)), None)
    if what is not None:
        raise UsageError(_unreadable(path, f"it is {what}, and no plain text in UTF-8", _SAVE_AS))


def _unreadable(path: Path | str, why: str, help: str | None = None) -> Problem:
    return Problem("document-unreadable", why, where=str(path), help=help)
