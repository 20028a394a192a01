"""Which files an argument of `--facts` means, and which relation each of them holds."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO

from ..frozen import dataclass, field
from ..limits import Limits
from ..names import NAME, RESERVED
from .bad_values import plain, shown
from .bytes_in import HashedBytes, Stop, read_at_most, reason
from .file_names import display, kind_of, neighbours
from .findings import Findings, Spot
from .json_rows import read_json, relation_names
from .runs import Run, compare_files, read_run

_PACKED = frozenset({".gz", ".zst", ".bz2", ".xz", ".zip"})
_NEARLY = {
    ".tsv": "name it `.csv` and give `--csv-delimiter tab`",
    ".jsonlines": "name it `.jsonl`",
    ".parq": "name it `.parquet`",
    ".pq": "name it `.parquet`",
}
"""Ends of names that, in a folder of facts, are taken for facts that were meant: leaving them out would be silent."""

_KIND_HELP = "facts are files that end in `.json`, `.jsonl`, `.csv` or `.parquet`"
_NAMED = re.compile(r"([^=/\\]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """One file of facts. `path` is None for standard input, `relation` for a JSON document, which names its own."""

    shown: str
    path: str | None
    kind: str
    relation: str | None
    run: Run | None = None
    named: bool = False
    """Whether the argument names the relation; otherwise it is the beginning of the file's name."""
    folder: str | None = None
    """The real path of the folder in which the file was found; a link in it may lead elsewhere."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The files that the arguments mean, in the order of their names, and the relations that they seem to bring.

    A JSON document is only skimmed for `relations`: good for choosing packs; `load` says what is wrong with it.
    `piped` holds standard input if a JSON document came from there, so that it can be read again.
    """

    files: tuple[Source, ...]
    relations: frozenset[str]
    brought: tuple[tuple[str, Source], ...] = ()
    """Which relation seems to come from which file, in the order of the files."""
    stdin: BinaryIO | None = field(default=None, compare=False, repr=False)
    piped: bytes | None = field(default=None, repr=False)


def relations_in(sources: Sequence[str], *, stdin: BinaryIO | None = None, limits: Limits | None = None) -> Survey:
    """Finds the files of the arguments and which relations they bring. `load` takes the answer in their place.

    Raises FactError with every argument that means nothing.
    """
    bounds = limits or Limits()
    findings = Findings(bounds.problems)
    search = _Search(bounds, findings)
    if not sources:
        findings.fact_problem(
            "fact-file-missing", Spot("--facts"), "no facts are given", "name a file, a folder or `-`"
        )
    for argument in sources:
        search.argument(argument)
    files = tuple(sorted(search.found, key=lambda source: source.shown))
    piped = None
    if stdin is None and any(source.path is None for source in files):
        findings.fact_problem("fact-file-missing", Spot("-"), "there is no standard input")
    findings.raise_if_any()
    if stdin is not None and any(source.path is None and source.kind == "json" for source in files):
        piped = read_at_most(stdin, bounds.json_bytes + 1)
    brought: list[tuple[str, Source]] = []
    for source in files:
        names = {source.relation} if source.relation else _skimmed(source, piped, bounds, findings)
        brought += [(name, source) for name in sorted(names)]
    findings.raise_if_any()
    return Survey(files, frozenset(name for name, _ in brought), tuple(brought), stdin, piped)


def _skimmed(source: Source, piped: bytes | None, limits: Limits, findings: Findings) -> set[str]:
    """The relations of a JSON document, as far as it can be skimmed.

    A document in which none is found is read in earnest, so that what is wrong with it is said.
    """
    data = piped or b""
    if source.path is not None:
        try:
            with open(source.path, "rb") as file:
                data = read_at_most(file, limits.json_bytes + 1)
        except OSError as error:
            message = f"the file could not be read: {reason(error)}"
            findings.fact_problem("fact-file-unreadable", Spot(source.shown), message)
            return set()
    names = set(relation_names(data.decode("utf-8-sig", "replace")))
    if not names:
        stream = HashedBytes(BytesIO(data), limits.json_bytes)
        with suppress(Stop):
            names = {chunk.relation for chunk in read_json(stream, source.shown, limits, findings)}
    return names


class _Search:
    """Collects the files of all arguments, each once."""

    def __init__(self, limits: Limits, findings: Findings) -> None:
        self.limits, self.findings = limits, findings
        self.found: list[Source] = []
        self._by_path: dict[str | None, str] = {}
        self._runs: dict[str, Run | None] = {}

    def problem(self, code: str, path: str, message: str, help: str | None = None) -> None:
        self.findings.fact_problem(code, Spot(display(path)), message, help)

    def argument(self, argument: str) -> None:
        """A path, `relation=PATH`, `-` or `relation=-`. What exists as a path is a path, `=` or not."""
        named = _NAMED.fullmatch(argument)
        if argument == "-":
            self.add(Source("-", None, "json", None))
        elif _exists(argument) or named is None:
            self.path(argument, None)
        elif NAME.fullmatch(named[1]) and named[1] not in RESERVED:
            if named[2] == "-":
                self.add(Source("-", None, "jsonl", named[1], named=True))
            else:
                self.path(named[2], named[1])
        elif _exists(named[2]) or named[2] == "-":
            self.problem(
                "fact-relation-name", argument, f"{shown(named[1])} is no name of a relation", _name_help(named[1])
            )
        else:
            self.path(argument, None)

    def path(self, path: str, relation: str | None) -> None:
        """A file, a folder, or a glob that matches some."""
        paths = [path] if _exists(path) else sorted(_globbed(path))
        if not paths:
            if glob.has_magic(path):
                self.problem("fact-file-missing", path, "nothing matches the pattern")
            else:
                self.problem("fact-file-missing", path, "there is no such file or folder", neighbours(path))
        for one in paths:
            if os.path.isdir(one):
                self.folder(one, relation)
            else:
                self.file(one, relation, None)

    def file(self, path: str, relation: str | None, run: Run | None) -> None:
        """One file, its kind by the end of its name, its relation by the beginning unless it is named."""
        name = os.path.basename(path)
        kind = kind_of(name)
        named = relation is not None and run is None
        if not os.path.isfile(path):
            what = "a link to nothing" if os.path.islink(path) and not os.path.exists(path) else "no regular file"
            self.problem("fact-file-kind", path, what, "pipe it to `--facts -` or `--facts relation=-` instead")
            return
        if kind is None:
            self.problem(
                "fact-file-kind", path, f"{shown(name)} is no file of facts by its name", _nearly(name) or _KIND_HELP
            )
            return
        if kind == "json":
            if relation is not None:
                help = f"leave `{relation}=` out"
                self.problem("fact-relation-name", path, "a JSON document names its relations itself", help)
                return
        elif relation is None:
            relation = name.split(".", 1)[0]
            if not NAME.fullmatch(relation) or relation in RESERVED:
                help = f"rename the file, or write its relation before it: `relation={plain(display(path), 200)}`"
                self.problem("fact-relation-name", path, f"{shown(relation)} is no name of a relation", help)
                return
        if run is None and (record := _record_beside(os.path.dirname(path) or ".")) is not None:
            run = self.vouching(record, path, kind, relation)
            if run is None:
                return
        folder = os.path.realpath(os.path.dirname(path) or ".")
        self.add(Source(display(path), os.path.realpath(path), kind, relation, run, named, folder))

    def vouching(self, record: str, path: str, kind: str, relation: str | None) -> Run | None:
        """The run of which a file is named alone, if it records the file under that relation; None after a problem."""
        run = self.read(record)
        name = os.path.basename(path)
        if run is None:
            return None
        if kind != "jsonl" or name.removesuffix(".jsonl") not in run.facts or not name.endswith(".jsonl"):
            message = f"a file that `{run.file}` does not record"
            self.problem("fact-run-mismatch", path, message, "take it out of the folder of the run")
            return None
        if relation != name.removesuffix(".jsonl"):
            help = f"leave `{relation}=` out"
            self.problem("fact-relation-name", path, "a sensor's run names its relations itself", help)
            return None
        return run

    def read(self, record: str) -> Run | None:
        """What a `run.json` records, read once."""
        key = os.path.realpath(record)
        if key not in self._runs:
            self._runs[key] = read_run(record, display(record), self.limits, self.findings)
        return self._runs[key]

    def folder(self, path: str, relation: str | None) -> None:
        """The files of a folder that are facts by their names, or of `facts/` if the folder is a sensor's run."""
        try:
            names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        except OSError as error:
            self.problem("fact-file-unreadable", path, f"the folder could not be read: {reason(error)}")
            return
        if os.path.isfile(os.path.join(path, "run.json")):
            self.run(path, os.path.join(path, "run.json"), os.path.join(path, "facts"), relation)
            return
        record = _record_beside(path)
        if record is not None:
            self.run(path, record, path, relation)
            return
        files = [name for name in names if os.path.isfile(os.path.join(path, name))]
        facts = [name for name in files if kind_of(name)]
        forgotten = [name for name in files if _nearly(name)]
        for name in forgotten:
            self.problem("fact-file-kind", os.path.join(path, name), "this file would be left out", _nearly(name))
        if not facts and not forgotten:
            inner = [shown(name) for name in names if os.path.isdir(os.path.join(path, name))]
            help = f"folders inside are not read; name one of {', '.join(inner[:6])}" if inner else _KIND_HELP
            self.problem("fact-folder-empty", path, "the folder holds no file of facts", help)
        for name in facts:
            self.file(os.path.join(path, name), relation, None)

    def run(self, path: str, record: str, inner: str, relation: str | None) -> None:
        """What a sensor wrote: the facts in the folder `inner`, if they are what the file `record` vouches for."""
        if relation is not None:
            self.problem(
                "fact-relation-name", path, "a sensor's run names its relations itself", f"leave `{relation}=` out"
            )
            return
        run = self.read(record)
        if run is None:
            return
        if not os.path.isdir(inner):
            self.problem("fact-run-incomplete", path, "the run has no folder `facts`", "let the sensor finish the run")
            return
        names = sorted(name for name in os.listdir(inner) if not name.startswith("."))
        compare_files(run, display(inner), names, self.findings)
        for name in names:
            if name.removesuffix(".jsonl") in run.facts:
                self.file(os.path.join(inner, name), None, run)

    def add(self, source: Source) -> None:
        """Takes a file in, unless it was already."""
        before = self._by_path.setdefault(source.path, source.shown)
        if any(source.path == other.path for other in self.found):
            what = "standard input" if source.path is None else "the file"
            also = "" if before == source.shown else f", first as {shown(before, 200)}"
            self.problem("fact-file-twice", source.shown, f"{what} is given twice{also}", "name it once")
            return
        self.found.append(source)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL in it
        return False


def _globbed(path: str) -> list[str]:
    try:
        return glob.glob(path, recursive=True) if glob.has_magic(path) else []
    except (ValueError, re.error):
        return []


def _record_beside(folder: str) -> str | None:
    """The `run.json` beside a folder `facts`: then a sensor wrote it, and its facts are what the record vouches for."""
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError):
        return None
    record = os.path.join(os.path.dirname(real), "run.json")
    if os.path.basename(real) != "facts" or not os.path.isfile(record):
        return None
    beside = os.path.normpath(os.path.join(folder, os.pardir, "run.json"))
    return beside if os.path.realpath(beside) == os.path.realpath(record) else record


def _nearly(name: str) -> str | None:
    """What to do with a file that is nearly one of facts, or None."""
    stem, end = os.path.splitext(name)
    if end.lower() in _PACKED and kind_of(stem):
        return "unpack it first"
    return _NEARLY.get(end.lower())


def _name_help(name: str) -> str:
    lower = re.sub(r"[^a-z0-9_]", "_", name.lower())
    kind = "a name begins with a lower-case letter, then lower-case letters, digits and `_`, and is no reserved word"
    return f"did you mean `{lower}`? {kind}" if NAME.fullmatch(lower) and lower not in RESERVED | {name} else kind
