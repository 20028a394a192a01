"""Where reference files are, and whether they are those that are pinned."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import Problem
from ..model import Reference
from .read import Unreadable, read_table
from .table import ReferenceTable, Shelf

MOST_BYTES = 64 * 1024 * 1024
"""The largest reference file that is read."""

VARIABLE = "FIEL_REFERENCES"


def own_folder() -> Path:
    """The user's own folder of references: where `fetch` and `add` put them. It may not exist yet."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "fiel" / "references"


def reference_folders(given: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The folders in which references are looked for, in order: those given, of FIEL_REFERENCES, the user's own."""
    named = [Path(one) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one]
    return tuple(dict.fromkeys([*given, *named, own_folder()]))


def open_references(references: Iterable[Reference], folders: Sequence[Path]) -> Shelf:
    """Finds, compares and reads each reference. What is missing, changed or unreadable is a problem of the shelf."""
    tables: dict[str, ReferenceTable] = {}
    problems: dict[str, Problem] = {}
    for reference in references:
        found = open_reference(reference, folders)
        if isinstance(found, Problem):
            problems[reference.name] = found
        else:
            tables[reference.name] = found
    return Shelf(tables, problems)


def open_reference(reference: Reference, folders: Sequence[Path]) -> ReferenceTable | Problem:
    """One reference, read; or why it cannot be used."""
    found = find(reference, folders)
    if isinstance(found, Problem):
        return found
    path, data = found
    try:
        return read_table(reference, str(path), data)
    except Unreadable as error:
        return Problem("reference-unreadable", str(error), where=error.where, help=error.help)


def find(reference: Reference, folders: Sequence[Path]) -> tuple[Path, bytes] | Problem:
    """The first file of that name with the pinned hash, and its bytes.

    A file with another hash is passed over: a later folder may have the right one. If none has, the first is named.
    """
    changed: Problem | None = None
    for folder in folders:
        path = folder / reference.file
        try:
            if not path.is_file():
                continue
            if path.stat().st_size > MOST_BYTES:
                changed = changed or _too_large(reference, path)
                continue
            data = path.read_bytes()
        except OSError as error:
            changed = changed or _not_read(reference, path, error)
            continue
        digest = hashlib.sha256(data).hexdigest()
        if digest == reference.sha256:
            return path, data
        changed = changed or _changed(reference, path, digest)
    return changed or _missing(reference, folders)


def _changed(reference: Reference, path: Path, digest: str) -> Problem:
    message = (
        f"`{reference.name}` {reference.edition} is not the file that is pinned: "
        f"its hash is {digest}, and {reference.sha256} is pinned"
    )
    help = f"`fiel reference fetch {reference.name}` gets the pinned file; `fiel reference diff` compares the two"
    return Problem("reference-changed", message, where=str(path), help=help)


def _too_large(reference: Reference, path: Path) -> Problem:
    message = f"`{reference.name}` is larger than {MOST_BYTES // 1024 // 1024} MB, which no reference may be"
    return Problem("reference-unreadable", message, where=str(path), help="is it the right file?")


def _not_read(reference: Reference, path: Path, error: OSError) -> Problem:
    said = (error.strerror or "input error").lower()
    return Problem("reference-unreadable", f"`{reference.name}` cannot be read: {said}", where=str(path))


def _missing(reference: Reference, folders: Sequence[Path]) -> Problem:
    listed = ", ".join(f"`{folder}`" for folder in folders)
    message = f"`{reference.name}` ({reference.file}, edition {reference.edition}) is in none of the reference folders"
    get = f"`fiel reference fetch {reference.name}`" if reference.obtain else "`fiel reference add`"
    return Problem("reference-missing", message, help=f"{get} puts it there; looked in {listed}")
