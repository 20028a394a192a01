"""Packs that are loaded and checked, kept in the user's cache: a run on unchanged policies needs no parser.

An entry belongs to the bytes of all files of the packs, their names, where they are seen from, the relations that the
facts bring, and the very code that read them; it holds trees of expressions, not SQL, so that whatever reaches the
database was compiled by this code in this run. An entry that is not exactly as it was written is not believed, and
only what has no problem at all is ever written.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from . import __version__, checked, errors, model, report_plan, sensor
from .checked import CheckedPolicy
from .errors import InternalError, Problem, UsageError
from .frozen import dataclass, is_dataclass, replace
from .home import HOME, MAX_FILE_BYTES, cache_folder
from .judgeable import CheckedPacks
from .lang import query_tree, typed
from .model import Expression, Pack, Policy
from .object_json import Codec, NotKept, Reader, Writer

FOLDER = "plans"
_FORMAT = 1
_MOST_FILES = 100_000
_MOST_ENTRIES = 32
_WHOLE = (".yaml", ".yml", ".sql")
"""Files whose bytes count. Of others the name does: that they are there is a problem, or none."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Packs by name, and what `check_packs` gives of them. No problem was found in them."""

    packs: Mapping[str, Pack]
    checked: CheckedPacks


class _Later(Mapping[str, Any]):
    """Values that are read when they are asked for: of ten thousand policies a run may want one."""

    def __init__(self, texts: Mapping[str, str], read: Callable[[str], Any]) -> None:
        self._texts, self._read = texts, read
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._read(self._texts[name])
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


# -- which entry -----------------------------------------------------------------------------------------------


class _TooMany(Exception):
    pass


def entry_name(root: Path, only: Sequence[str], relations: Sequence[str]) -> str | None:
    """What an entry is called that belongs to these packs as they are now; None where that cannot be said."""
    try:
        parts = [_FORMAT, _code(), os.getcwd(), str(root), sorted(set(only)), sorted(relations), _content(root)]
    except (OSError, _TooMany, UnicodeError):
        return None
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _content(root: Path) -> str:
    """The digest of everything below `root` that loading looks at."""
    digest = hashlib.blake2b()
    left = [_MOST_FILES]
    folder = root.parent if root.is_file() else root
    entries = _entries(folder, left)
    _add_folder(digest, "", folder, entries)
    for name, is_folder in entries:
        if is_folder:
            inside = _entries(folder / name, left)
            _add_folder(digest, name, folder / name, inside)
            if name != "prompts" and ("prompts", True) in inside:
                _add_folder(
                    digest, f"{name}/prompts", folder / name / "prompts", _entries(folder / name / "prompts", left)
                )
    return digest.hexdigest()


def _entries(folder: Path, left: list[int]) -> list[tuple[str, bool]]:
    """The names in a folder, sorted, and whether each is a folder."""
    with os.scandir(folder) as found:
        entries = sorted((one.name, one.is_dir()) for one in found)
    left[0] -= len(entries)
    if left[0] < 0:
        raise _TooMany
    return entries


def _add_folder(digest: Any, within: str, folder: Path, entries: Sequence[tuple[str, bool]]) -> None:
    for name, is_folder in entries:
        place = f"{folder}{os.sep}{name}"
        mark = "folder" if is_folder else "name"
        if is_folder and os.path.exists(os.path.join(place, "pack.yaml")):
            mark = "pack"
        data = b""
        if not is_folder and (name.endswith(_WHOLE) or within.endswith("prompts")):
            mark = "link" if stat.S_ISLNK(os.lstat(place).st_mode) else "file"
            if not stat.S_ISREG(os.stat(place).st_mode):
                raise OSError("no regular file")  # a pipe would have us wait
            with open(place, "rb") as file:
                data = hashlib.blake2b(file.read(MAX_FILE_BYTES + 1)).digest()
        digest.update(json.dumps([within, name, mark]).encode() + b"\n" + data + b"\n")


@cache
def _code() -> list[Any]:
    """What identifies the code that loads and checks: versions, and the names, sizes and times of its files."""
    parser = importlib.machinery.PathFinder.find_spec("sqlglot", sys.path)
    if parser is None or parser.origin is None:
        raise OSError("no parser")
    version = os.stat(os.path.join(os.path.dirname(parser.origin), "_version.py"))
    files: list[tuple[str, int, int]] = []
    folders = [str(HOME / "engine")]
    while folders:
        with os.scandir(folders.pop()) as found:
            for one in found:
                if one.is_dir():
                    folders.append(one.path)
                elif one.name.endswith((".py", ".json")):
                    about = one.stat()
                    files.append((one.path, about.st_size, about.st_mtime_ns))
    parsers = [parser.origin, version.st_size, version.st_mtime_ns]
    return [__version__, sys.version, parsers, sorted(files)]


# -- what is in it ---------------------------------------------------------------------------------------------


@cache
def _codec() -> Codec:
    modules = (model, sensor, report_plan, errors, typed, checked)
    found: set[type] = {query_tree.TypedQuery, query_tree.TypedBlock, query_tree.TypedSource, query_tree.Choice}
    found |= {query_tree.ExistsSelect, query_tree.InSelect}  # the others there are of views as written, and go
    found |= {one for module in modules for one in vars(module).values() if isinstance(one, type) and is_dataclass(one)}
    return Codec(sorted(found, key=lambda one: one.__name__), {Expression: ("text", "file")})


def _expression(text: str, file: str) -> Expression:
    """An expression that was checked before. The way back into its file is for problems, and it has none."""

    def nowhere(_: int) -> NoReturn:
        raise InternalError("the place of a checked expression was asked for")

    return Expression(text, file, nowhere, nowhere)


def keep(name: str, prepared: Prepared) -> None:
    """Writes an entry whole or not at all. A cache that cannot be written is no error."""
    writer = Writer(_codec())
    heads = {pack: replace(one, policies={}) for pack, one in prepared.packs.items()}
    try:
        first = writer.text((heads, prepared.checked.waivers), shared=True)
        lines = [first]
        for pack, one in prepared.packs.items():
            for stem, policy in one.policies.items():
                both = (policy, prepared.checked.policies[policy.id])
                lines += [json.dumps([pack, stem]), writer.text(both)]
    except NotKept:
        return
    body = "\n".join(lines).encode("utf-8", "surrogatepass")
    head = json.dumps({"format": _FORMAT, "entry": name, "digest": hashlib.blake2b(body).hexdigest()})
    path = cache_folder() / FOLDER / f"{name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        import tempfile

        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(head.encode() + b"\n" + body)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
        _make_room(path.parent)
    except OSError:
        return


def _make_room(folder: Path) -> None:
    """Removes the oldest entries beyond a number: each change of a policy leaves one that nobody will ask for again."""
    found = sorted((one for one in folder.glob("*.json")), key=lambda one: (one.stat().st_mtime_ns, one.name))
    for one in found[:-_MOST_ENTRIES]:
        one.unlink(missing_ok=True)


def kept(name: str) -> Prepared | None:
    """What was kept under this name; None if there is no such entry, or it is not exactly as it was written.

    A file that another user owns, or may change, is not believed either.
    """
    body = _body(cache_folder() / FOLDER / f"{name}.json", name)
    if body is None:
        return None
    reader = Reader(_codec(), {"Expression": _expression})
    try:
        first, *lines = body.split("\n")
        heads, waivers = reader.object(first, shared=True)
        texts: dict[str, dict[str, str]] = {pack: {} for pack in heads}
        for which, text in zip(lines[::2], lines[1::2], strict=True):
            pack, stem = json.loads(which)
            texts[pack][stem] = text
    except (NotKept, ValueError, KeyError, TypeError, RecursionError):
        return None
    both: dict[str, tuple[Policy, CheckedPolicy]] = {}

    def of(text: str) -> tuple[Policy, CheckedPolicy]:
        if text not in both:
            try:
                both[text] = reader.object(text)
            except NotKept:
                message = "an entry of the cache is not as Fiel writes it"
                raise UsageError(Problem("cache-unreadable", message, help="`fiel cache clear` removes all")) from None
        return both[text]

    packs = {
        pack: replace(head, policies=_Later(texts[pack], lambda text: of(text)[0])) for pack, head in heads.items()
    }
    policies = {f"{pack}.{stem}": text for pack, some in texts.items() for stem, text in some.items()}
    return Prepared(packs, CheckedPacks(_Later(policies, lambda text: of(text)[1]), waivers))


def _body(path: Path, name: str) -> str | None:
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            others = hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & 0o022)
            if others or not stat.S_ISREG(about.st_mode):
                return None
            head, _, body = file.read().partition(b"\n")
        said = json.loads(head)
        if said != {"format": _FORMAT, "entry": name, "digest": hashlib.blake2b(body).hexdigest()}:
            return None
        return body.decode("utf-8", "surrogatepass")
    except (OSError, ValueError, RecursionError):
        return None
