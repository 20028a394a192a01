"""From folders to packs: every file is read, checked and built, and all problems of all files come back together.

A pack is a folder with a `pack.yaml`. Beside it stand the files named in `FILES`, a `README.md`, a folder `prompts`,
and one file a policy. Anything else is a problem: a policy that is skipped because its file is named `x.yml` would be
a success by silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Place, Problem, did_you_mean, problem_order
from ..model import NAME, RESERVED, Pack, Parameter, Policy, Relation
from .across import check_names, check_shared_relations
from .hints import hint
from .nodes import Scalar
from .parameters import read_parameters
from .policy import ReadPolicy, read_policy
from .reader import Reader
from .reading import EXPRESSION_KEYS, read_source
from .relations import read_relations
from .shape import check_shape
from .source import Source
from .words import shown

LATER_FILES = ("references.yaml", "sensors.yaml", "waivers.yaml", "views.sql")
"""Files whose form is checked and whose work is not done yet."""
FILES = ("pack.yaml", "relations.yaml", "parameters.yaml", *LATER_FILES)
"""The files of a pack that are no policies."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded, and every problem, sorted by place. With an error among them nothing may be judged.

    `unusable` names, for each pack, the relations, parameters and policies that are declared and could not be read:
    whoever misses one of them need not report it again.
    """

    packs: Mapping[str, Pack]
    problems: tuple[Problem, ...]
    unusable: Mapping[str, frozenset[str]] = field(default_factory=dict)


def load_packs(root: Path, only: Sequence[str] | None = None) -> Loaded:
    """Load the packs under `root` (or the one pack that `root` is); `only` names those that are wanted.

    Never raises for an author's mistake. A folder without packs, and a name in `only` that is no pack, are problems.
    """
    problems: list[Problem] = []
    folders = _pack_folders(root, problems)
    if only is not None:
        for name in only:
            if name not in folders:
                message = f"there is no pack {shown(name)} in `{shown_path(root)}`"
                problems.append(Problem("unknown-pack", message, help=did_you_mean(name, folders, "packs")))
        folders = {name: folder for name, folder in folders.items() if name in only}
    works = [_PackWork(name, folder) for name, folder in sorted(folders.items())]
    packs: dict[str, Pack] = {}
    unusable: dict[str, frozenset[str]] = {}
    for work in works:
        pack = work.load()
        problems.extend(work.problems)
        unusable[work.name] = frozenset(work.unusable)
        if pack is not None:
            packs[work.name] = pack
    problems.extend(check_shared_relations(packs.values()))
    return Loaded(packs, tuple(sorted(problems, key=problem_order)), unusable)


def shown_path(path: Path) -> str:
    """A path as the user would type it: relative to the current directory if it is below it."""
    absolute, here = os.path.abspath(path), os.getcwd()
    below = absolute == here or absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if below else str(path)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _entries(folder: Path) -> list[Path]:
    """What a folder holds, sorted by name, without hidden files. Raises OSError."""
    return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda entry: entry.name)


def _pack_folders(root: Path, problems: list[Problem]) -> dict[str, Path]:
    if root.is_file():
        root = root.parent  # one file of a pack stands for its pack
    if (root / "pack.yaml").exists():
        return {os.path.basename(os.path.abspath(root)): root}
    folders: dict[str, Path] = {}
    try:
        entries = _entries(root)
    except OSError as error:
        reason = (error.strerror or "input error").lower()
        problems.append(Problem("no-packs", f"`{shown_path(root)}` cannot be read: {reason}", help=_NO_PACKS))
        return folders
    for entry in entries:
        place = Place(shown_path(entry), 1, 1)
        if entry.is_dir() and (entry / "pack.yaml").exists():
            folders[entry.name] = entry
        elif entry.is_dir():
            help = "add a `pack.yaml`, or move the folder elsewhere"
            message = "this folder has no `pack.yaml`, so it is no pack"
            problems.append(Problem("missing-file", message, place, excerpt="", help=help))
        elif entry.suffix.lower() in (".yaml", ".yml", ".sql", ".py"):
            help = "a policy belongs into the folder of a pack"
            problems.append(Problem("unknown-file", "this file belongs to no pack", place, excerpt="", help=help))
    if not folders and not problems:
        problems.append(Problem("no-packs", f"there is no pack in `{shown_path(root)}`", help=_NO_PACKS))
    return folders


_NO_PACKS = "a pack is a folder with a `pack.yaml`; name the folder that holds packs, or one pack"


class _PackWork:
    """Loading one pack: its files, and what was found in them."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.problems: list[Problem] = []
        self.unusable: set[str] = set()
        self.later: dict[str, Place] = {}
        self.declared: dict[str, list[tuple[str, Place, str]]] = {}

    def load(self) -> Pack | None:
        """The pack, or None if its `pack.yaml` or `relations.yaml` could not be read."""
        policies_at = list(self._files())
        head = self._pack_file()
        relations = self._relations()
        parameters = self._parameters()
        self._later_files()
        policies: dict[str, Policy] = {}
        for path in policies_at:
            read = self._policy(path)
            if read.policy is not None:
                policies[path.stem] = read.policy
            else:
                self.unusable.add(path.stem)
        self.problems.extend(check_names(self.declared))
        if head is None or relations is None:
            return None
        title, version, licence, cannot_see = head
        folder = shown_path(self.folder)
        return Pack(
            self.name, title, version, licence, folder, relations, parameters, policies, cannot_see, dict(self.later)
        )

    def _file_problem(self, path: Path, code: str, message: str, help: str | None) -> None:
        self.problems.append(Problem(code, message, Place(shown_path(path), 1, 1), excerpt="", help=help))

    def _files(self) -> Iterator[Path]:
        """The files of policies; what does not belong in a pack is a problem."""
        try:
            entries = _entries(self.folder)
        except OSError as error:
            reason = (error.strerror or "input error").lower()
            self._file_problem(self.folder, "unreadable-file", f"the folder cannot be read: {reason}", None)
            return
        for path in entries:
            stem, suffix = path.stem, path.suffix
            if path.name in FILES or path.name == "README.md" or (path.name == "prompts" and path.is_dir()):
                continue
            if suffix == ".yaml" and NAME.fullmatch(stem) and not path.is_dir():
                if stem in RESERVED:
                    message = f"`{stem}` is a word of the language and cannot be a name"
                    self._file_problem(path, "reserved-name", message, "rename the file")
                yield path
                continue
            self._unknown_file(path)

    def _unknown_file(self, path: Path) -> None:
        stem, suffix = path.stem, path.suffix.lower()
        if path.is_dir():
            help = "packs are not nested; only `prompts` may stand in one"
            self._file_problem(path, "unknown-file", "a folder that does not belong in a pack", help)
        elif suffix == ".py":
            help = "policies are data; a sensor's code belongs outside of `policies`"
            self._file_problem(path, "unknown-file", "a pack holds no Python", help)
        elif suffix in (".yaml", ".yml"):
            name = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem.lower()).strip("_") or "name"
            help = f"rename it to `{name}.yaml`: small letters, digits and `_`, a letter first"
            message = "policy files end in `.yaml`" if suffix == ".yml" else "the name of this file is no policy's name"
            self._file_problem(path, "unknown-file", message, help)
        else:
            names = [*FILES, "README.md", "prompts"]
            help = did_you_mean(path.name, names, "files of a pack")
            self._file_problem(path, "unknown-file", "this file does not belong in a pack", help)

    def _read(self, name: str, kind: str) -> Reader | None:
        """A file that was read and compared with its schema; None if it is not there. Its problems are kept."""
        path = self.folder / name
        if not path.exists() and not path.is_symlink():
            return None
        source: Source = read_source(path, shown_path(path), EXPRESSION_KEYS if kind == "policy" else ())
        shape = check_shape(source, kind, hint)
        self.problems.extend(source.problems)
        self.problems.extend(shape.problems)
        return Reader(source, shape)

    def _declare(self, keys: Mapping[str, Scalar], what: str, reader: Reader) -> None:
        for name, key in keys.items():
            entry = (what, reader.source.place(key), reader.source.line_text(key.line))
            self.declared.setdefault(name, []).append(entry)

    def _pack_file(self) -> tuple[str, str, str, str | None] | None:
        reader = self._read("pack.yaml", "pack")
        root = reader.root() if reader is not None else None
        if reader is None or root is None:
            return None
        name = reader.scalar(root, "pack")
        if name is not None and name.text != self.name:
            message = f"the folder of this pack is `{self.name}`, not `{name.text}`"
            reader.add_problem("pack-name", message, name, f"write `pack: {self.name}`, or rename the folder")
        elif name is not None:
            reader.check_name(name)
        self.problems.extend(reader.problems)
        title, version, licence = (reader.text(root, key) for key in ("title", "version", "licence"))
        if name is None or title is None or version is None or licence is None or not reader.scalar(root, "format"):
            return None
        return title, version, licence, reader.text(root, "cannot_see")

    def _relations(self) -> dict[str, Relation] | None:
        reader = self._read("relations.yaml", "relations")
        if reader is None:
            help = "add a `relations.yaml` that declares what the policies judge"
            self._file_problem(self.folder, "missing-file", "this pack has no `relations.yaml`", help)
            return None
        relations, declared = read_relations(reader)
        self._declare(declared, "a relation", reader)
        self.unusable |= set(declared) - set(relations)
        self.problems.extend(reader.problems)
        return relations if reader.root() is not None else None

    def _parameters(self) -> dict[str, Parameter]:
        reader = self._read("parameters.yaml", "parameters")
        root = reader.root() if reader is not None else None
        if reader is None or root is None:
            return {}
        parameters, keys = read_parameters(reader, root)
        self._declare(keys, "a parameter of the pack", reader)
        self.unusable |= set(keys) - set(parameters)
        self.problems.extend(reader.problems)
        return parameters

    def _later_files(self) -> None:
        for name in LATER_FILES:
            path = self.folder / name
            if not path.exists() and not path.is_symlink():
                continue
            self.later[name] = Place(shown_path(path), 1, 1)
            reader = self._read(name, name.removesuffix(".yaml")) if name.endswith(".yaml") else None
            root = reader.root() if reader is not None else None
            if name == "references.yaml" and reader is not None and root is not None:
                for key in root.keys.values():
                    reader.check_name(key)
                self._declare(root.keys, "a reference", reader)
                self.problems.extend(reader.problems)

    def _policy(self, path: Path) -> ReadPolicy:
        reader = self._read(path.name, "policy")
        assert reader is not None
        read = read_policy(reader, self.name, path.stem)
        self.declared.setdefault(path.stem, []).append(
            ("a policy", Place(reader.source.file, 1, 1), reader.source.line_text(1))
        )
        for name, key in read.param_keys.items():
            # Parameters of a policy may bear the names of another policy's, not of what the whole pack sees.
            entry = (f"a parameter of {path.stem}", reader.source.place(key), reader.source.line_text(key.line))
            self.declared.setdefault(name, []).append(entry)
        self.problems.extend(reader.problems)
        return read
