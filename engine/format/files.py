"""The files of packs, formatted: which they are, that they still say the same, and writing them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..errors import InternalError, Problem, UsageError, problem_order
from ..frozen import dataclass
from ..load.files import FILES, contents, pack_folders, shown_path
from ..load.nodes import Items, Node, Scalar, Table
from ..load.packs import load_packs
from ..load.reading import EXPRESSION_KEYS, parse_bytes
from ..load.shape import check_shape
from ..load.source import Source
from ..load.words import json_type
from .comments import attach, comments_of
from .entries import Entry, entries_of
from .layout import layout


@dataclass(frozen=True)
class Formatted:
    """What became of the files: `changed` with their new text, `same` by name, and what could not be read."""

    changed: tuple[tuple[Path, str], ...]
    same: tuple[str, ...]
    problems: tuple[Problem, ...]


def format_paths(paths: Sequence[Path]) -> Formatted:
    """The one form of every YAML file at these paths: folders of packs, packs, or files of a pack. Writes nothing.

    A file with a problem is left out, and its problems are given. Raises UsageError for a path that is not there.
    """
    changed: dict[Path, str] = {}
    same: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        _refuse(path)
        loaded = load_packs(path)
        files = [path] if path.is_file() else _files(path)
        named = {shown_path(file) for file in files}
        found = [p for p in loaded.problems if p.is_error]
        if path.is_file():
            found = [p for p in found if p.place is not None and p.place.file in named]
        problems += found
        broken = {p.place.file for p in found if p.place is not None}
        for file in files:
            if shown_path(file) in broken:
                continue
            before, after, more = _formatted(file)
            problems += more
            if more:
                continue
            if before == after.encode("utf-8"):
                same.append(shown_path(file))
            else:
                problems += _read_only(file)
                changed[file] = after
    kept = {p.place.file for p in problems if p.place is not None}
    todo = tuple((file, text) for file, text in changed.items() if shown_path(file) not in kept)
    return Formatted(todo, tuple(sorted(set(same))), tuple(sorted(dict.fromkeys(problems), key=problem_order)))


def _refuse(path: Path) -> None:
    if not path.exists():
        help = "name a folder of packs, a pack or a file of one"
        raise UsageError(Problem("no-such-folder", f"`{shown_path(path)}` is not there", help=help))
    if path.is_file() and not (path.suffix == ".yaml" and (path.parent / "pack.yaml").exists()):
        message = f"`{shown_path(path)}` is no file of a pack"
        raise UsageError(Problem("no-such-folder", message, help="a pack is a folder with a `pack.yaml`"))


def _files(root: Path) -> list[Path]:
    """The YAML files of the packs at a path. What does not belong there was reported when the packs were loaded."""
    found: list[Path] = []
    for folder in pack_folders(root, []).values():
        own = [folder / name for name in FILES if name.endswith(".yaml")]
        found += [path for path in own if path.exists()]
        found += contents(folder, False).policies
    return found


def kind_of(path: Path) -> str:
    """The kind of a pack's file, by its name."""
    return path.stem if path.name in FILES else "policy"


def _formatted(path: Path) -> tuple[bytes, str, list[Problem]]:
    """The bytes of a file, its one form, and what hinders it."""
    kind = kind_of(path)
    shown = shown_path(path)
    before = path.read_bytes()  # it was read once already, so it is a file of a legal size
    source = parse_bytes(before, shown, EXPRESSION_KEYS if kind == "policy" else ())
    problems = [*source.problems, *check_shape(source, kind).problems]
    if problems or source.root is None:
        return b"", "", problems
    return before, format_source(source, kind), []


def format_source(source: Source, kind: str) -> str:
    """The one form of a file that was read without a problem.

    Raises InternalError if it would not say the same, or would lose a comment: nothing may be written then.
    """
    root = entries_of(source, kind)
    comments = comments_of(source, root)
    attach(source, root, comments)
    text = layout(root)
    again = parse_bytes(text.encode("utf-8"), source.file, EXPRESSION_KEYS if kind == "policy" else ())
    if again.problems or again.root is None or not _says_the_same(root, source.root, again.root):
        raise InternalError(f"`{source.file}` would not say the same once formatted; nothing was written")
    kept = comments_of(again, entries_of(again, kind))
    if Counter(c.text for c in comments) != Counter(c.text for c in kept):
        raise InternalError(f"`{source.file}` would lose a comment; nothing was written")
    return text


def _says_the_same(root: Entry, before: Node | None, after: Node | None) -> bool:
    """Whether two trees have the same keys, texts and kinds, and quotes where those mean something."""
    sensitive = {id(entry.value) for entry in root.walk() if entry.keeps_quotes}

    def same(one: Node | None, other: Node | None) -> bool:
        if isinstance(one, Table) and isinstance(other, Table):
            if set(one.values) != set(other.values):
                return False
            return all(same(node, other.values[name]) for name, node in one.values.items())
        if isinstance(one, Items) and isinstance(other, Items):
            pairs = zip(one.items, other.items, strict=False)
            return len(one.items) == len(other.items) and all(same(a, b) for a, b in pairs)
        if not isinstance(one, Scalar) or not isinstance(other, Scalar):
            return False
        alike = id(one) not in sensitive or one.quoted == other.quoted
        return alike and one.text == other.text and json_type(one) == json_type(other)

    return same(before, after)


def _read_only(path: Path) -> list[Problem]:
    """A file that its owner made read-only is not replaced, though the folder would allow it."""
    if os.stat(path).st_mode & 0o222:
        return []
    message = f"`{shown_path(path)}` is read-only"
    return [Problem("cannot-write", message, where=shown_path(path), help="allow writing, or name other files")]
