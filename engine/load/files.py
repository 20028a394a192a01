"""Which files a pack has, and what else stands where packs are.

A pack is a folder with a `pack.yaml`. Beside it stand the files named in `FILES`, a `README.md`, a folder `prompts`,
and one file a policy. Anything else is a problem: a policy that is skipped because its file is named `x.yml` would be
a success by silence.
"""

from __future__ import annotations

import os
import re
from difflib import SequenceMatcher
from pathlib import Path

from ..errors import Place, Problem, did_you_mean
from ..frozen import dataclass, field
from ..home import MAX_FILE_BYTES
from ..names import NAME, RESERVED

FILES = (
    "pack.yaml",
    "relations.yaml",
    "parameters.yaml",
    "waivers.yaml",
    "references.yaml",
    "sensors.yaml",
    "views.sql",
    "report.yaml",
)
"""The files of a pack that are no policies."""

_NO_PACKS = "a pack is a folder with a `pack.yaml`; name the folder that holds packs, or one pack"
_ALMOST = 0.7
"""How alike the name of a file and that of a pack's own file are, for the one to be taken for the other."""
_POLICY = re.compile(rb"^policy[ \t]*:", re.MULTILINE)


@dataclass
class Contents:
    """What a pack's folder holds: the files of policies, and files of `FILES` under a name that is nearly theirs."""

    policies: list[Path] = field(default_factory=list)
    misnamed: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)


def shown_path(path: Path) -> str:
    """A path as the user would type it: relative to the current directory if it is below it."""
    absolute, here = os.path.abspath(path), os.getcwd()
    below = absolute == here or absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if below else str(path)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def pack_folders(root: Path, problems: list[Problem]) -> dict[str, Path]:
    """The folders of packs by name: those in `root`, or `root` itself. What is no pack is added to `problems`."""
    if root.is_file():
        root = root.parent  # one file of a pack stands for its pack
    if (root / "pack.yaml").exists():
        return {os.path.basename(os.path.abspath(root)): root}
    folders: dict[str, Path] = {}
    try:
        entries = _entries(root)
    except OSError as error:
        problems.append(Problem("no-packs", f"`{shown_path(root)}` cannot be read: {_reason(error)}", help=_NO_PACKS))
        return folders
    if _is_meant_as_pack(entries):
        problems.append(_missing_pack_file(root, entries))
        return folders
    for entry in entries:
        if entry.is_dir() and (entry / "pack.yaml").exists():
            folders[entry.name] = entry
        elif entry.is_dir():
            problems.append(_missing_pack_file(entry, None))
        elif entry.suffix.lower() in (".yaml", ".yml", ".sql", ".py"):
            help = "a policy belongs into the folder of a pack"
            problems.append(file_problem(entry, "unknown-file", "this file belongs to no pack", help))
    if not folders and not problems:
        problems.append(Problem("no-packs", f"there is no pack in `{shown_path(root)}`", help=_NO_PACKS))
    return folders


def contents(folder: Path, is_elsewhere: bool) -> Contents:
    """What stands in the folder of a pack. `is_elsewhere`: packs beside its files are no further problem."""
    found = Contents()
    try:
        entries = _entries(folder)
    except OSError as error:
        found.problems.append(
            _folder_problem(folder, "unreadable-file", f"the folder cannot be read: {_reason(error)}")
        )
        return found
    names = {entry.name for entry in entries}
    for path in entries:
        if path.name in FILES or path.name == "README.md" or (path.name == "prompts" and path.is_dir()):
            continue
        if is_elsewhere and (path / "pack.yaml").exists():
            continue
        meant = _meant(path, names)
        if meant is not None:
            found.misnamed |= {meant}
            message, help = "this file is no policy: it has no `policy`", f"did you mean to call this `{meant}`?"
            found.problems.append(file_problem(path, "unknown-file", message, help))
        elif path.suffix == ".yaml" and NAME.fullmatch(path.stem) and not path.is_dir():
            if path.stem in RESERVED:
                message = f"`{path.stem}` is a word of the language and cannot be a name"
                found.problems.append(file_problem(path, "reserved-name", message, "rename the file"))
            found.policies.append(path)
        else:
            found.problems.append(_unknown_file(path))
    return found


def file_problem(path: Path, code: str, message: str, help: str | None) -> Problem:
    return Problem(code, message, Place(shown_path(path), 1, 1), excerpt="", help=help)


def _folder_problem(folder: Path, code: str, message: str, help: str | None = None) -> Problem:
    """A folder has no lines, so the problem has no place in one."""
    return Problem(code, message, where=shown_path(folder), help=help)


def missing_relations(folder: Path) -> Problem:
    help = """add a `relations.yaml` that declares what the policies judge:
item:
  row: One item.
  key: [item]
  columns:
    item: {type: text}
    size: {type: int, unit: none}"""
    return _folder_problem(folder, "missing-file", "this pack has no `relations.yaml`", help)


def _missing_pack_file(folder: Path, entries: list[Path] | None) -> Problem:
    try:
        entries = entries if entries is not None else _entries(folder)
    except OSError as error:
        return _folder_problem(folder, "unreadable-file", f"the folder cannot be read: {_reason(error)}")
    message = "this folder has no `pack.yaml`, so it is no pack"
    near = next((entry for entry in entries if _meant(entry, set()) == "pack.yaml"), None)
    if near is not None:
        return file_problem(near, "missing-file", message, "did you mean to call this `pack.yaml`?")
    name = os.path.basename(os.path.abspath(folder))
    head = f"format: 1\npack: {name}\ntitle: …\nversion: 0.1.0\nlicence: …"
    help = f"add a `pack.yaml` with these lines, or move the folder elsewhere:\n{head}"
    return _folder_problem(folder, "missing-file", message, help)


def _is_meant_as_pack(entries: list[Path]) -> bool:
    """Whether a folder without `pack.yaml` has other files of a pack, and no packs in it."""
    packs = any((entry / "pack.yaml").exists() for entry in entries)
    return not packs and any(entry.name in FILES or _meant(entry, set()) == "pack.yaml" for entry in entries)


def _meant(path: Path, names: set[str]) -> str | None:
    """The file of a pack that this one is meant to be: one that is not there and whose name is nearly the same."""
    stem, suffix = path.stem.lower(), path.suffix.lower()
    suffix = ".yaml" if suffix == ".yml" else suffix
    for name in FILES:
        own, _, end = name.partition(".")
        if name in names or f".{end}" != suffix:
            continue
        spelt = SequenceMatcher(None, own, stem)
        if spelt.real_quick_ratio() >= _ALMOST and spelt.ratio() >= _ALMOST and path.is_file():
            return name if not _POLICY.search(_beginning(path)) else None
    return None


def has_policies_of(folder: Path, pack: str) -> bool:
    """Whether a file in a folder says that it is a policy of the pack of that name."""
    says = re.compile(rb"^policy[ \t]*:[ \t]*" + re.escape(pack.encode()) + rb"\.", re.MULTILINE)
    try:
        files = [path for path in _entries(folder) if path.suffix == ".yaml" and path.is_file()]
    except OSError:
        return False
    return any(says.search(_beginning(path)) for path in files)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_FILE_BYTES)
    except OSError:
        return b""


def _unknown_file(path: Path) -> Problem:
    stem, suffix = path.stem, path.suffix.lower()
    if path.is_dir():
        help = "packs are not nested; only `prompts` may stand in one"
        return _folder_problem(path, "unknown-file", "a folder that does not belong in a pack", help)
    if suffix == ".py":
        help = "policies are data; a sensor's code belongs outside of `policies`"
        return file_problem(path, "unknown-file", "a pack holds no Python", help)
    if suffix in (".yaml", ".yml"):
        name = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem.lower()).strip("_") or "name"
        help = f"rename it to `{name}.yaml`: small letters, digits and `_`, a letter first"
        message = "policy files end in `.yaml`" if suffix == ".yml" else "the name of this file is no policy's name"
        return file_problem(path, "unknown-file", message, help)
    help = did_you_mean(path.name, [*FILES, "README.md", "prompts"], "files of a pack")
    return file_problem(path, "unknown-file", "this file does not belong in a pack", help)


def _entries(folder: Path) -> list[Path]:
    """What a folder holds, sorted by name, without hidden files. Raises OSError."""
    return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda entry: entry.name)


def _reason(error: OSError) -> str:
    return (error.strerror or "input error").lower()
