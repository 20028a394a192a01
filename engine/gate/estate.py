"""What is under the gate: packs, the files of their references, facts and pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import Problem, UsageError
from ..facts.file_names import display
from ..frozen import dataclass, field

PAGES = frozenset(
    ".md .markdown .mdx .qmd .rmd .html .htm .xhtml .xht .shtml .svg .xml .rss .atom .txt .text .rst .adoc .asciidoc "
    ".org .tex .yaml .yml .toml .tsv .srt .vtt .ipynb .css .js .mjs".split()
)
FACTS = frozenset({".jsonl", ".ndjson", ".csv", ".parquet"})
MAX_PAGE = 32 * 1024 * 1024
"""The largest page that is read."""
_OF_RUNS = FACTS | {".json"}
USUAL = ("README.md", "docs", "facts", "reports")
"""What is looked at if no path is given: those of them that are here."""
_NEVER = frozenset({"node_modules", "__pycache__", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Estate:
    """Pages by name with their bytes; facts as lists of `--facts` arguments that belong together.

    `skipped` are files that nobody reads, by ending.
    """

    pages: Mapping[str, bytes]
    facts: tuple[tuple[str, ...], ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def usual_paths() -> list[Path]:
    """The usual paths that are here. Raises UsageError if there is none."""
    found = [Path(name) for name in USUAL if Path(name).exists()]
    if not found:
        message = f"there is nothing to look at here: none of {', '.join(f'`{name}`' for name in USUAL)}"
        raise UsageError(Problem("nothing-to-examine", message, help="name files or folders: `fiel honesty PATH…`"))
    return found


def gather(paths: Sequence[Path], relations: Iterable[str], references: Iterable[str] = ()) -> Estate:
    """The pages and facts at these paths. `relations` are those that the packs declare, `references` the names of the
    files of references: they are read as such, and neither as pages nor as facts.

    Raises UsageError for a path that is not there, or a page that is too large or cannot be read.
    """
    declared = frozenset(relations)
    pages: dict[str, bytes] = {}
    single: list[str] = []
    folders: dict[str, list[str]] = {}
    runs: list[str] = []
    skipped: dict[str, int] = {}
    own = frozenset(references)
    for path in _files(paths, runs, skipped):
        if path.name in own:
            _count(skipped, "reference")
            continue
        name, ending = display(str(path)), path.suffix.lower()
        if ending in FACTS:
            folders.setdefault(str(path.parent), []).append(str(path))
        elif ending == ".json":
            data = _read(path)
            if _holds_facts(data, declared):
                single.append(str(path))
            else:
                pages[name] = data
        elif ending in PAGES:
            pages[name] = _read(path)
        else:
            _count(skipped, ending or "no ending")
    units = [(one,) for one in single] + [tuple(sorted(files)) for files in folders.values()]
    units += [(one,) for one in runs]
    return Estate(dict(sorted(pages.items())), tuple(sorted(units)), dict(sorted(skipped.items())))


def _count(skipped: dict[str, int], what: str) -> None:
    skipped[what] = skipped.get(what, 0) + 1


def _files(paths: Sequence[Path], runs: list[str], skipped: dict[str, int]) -> Iterator[Path]:
    """Every file, in a fixed order, each once. The folder of a run is put into `runs` and read as facts."""
    seen: set[str] = set()
    for path in paths:
        if not path.exists():
            problem = Problem("no-such-path", f"`{display(str(path))}` does not exist", help="name a file or a folder")
            raise UsageError(problem)
        if not path.is_file() and not path.is_dir():
            raise UsageError(Problem("page-unreadable", f"`{display(str(path))}` is neither a file nor a folder"))
        yield from _below(path, runs, skipped, seen)


def _below(path: Path, runs: list[str], skipped: dict[str, int], seen: set[str]) -> Iterator[Path]:
    """`seen` are real paths: a link that leads back is not followed again."""
    real = os.path.realpath(path)
    if real in seen:
        return
    seen.add(real)
    if path.is_file():
        yield path
        return
    is_run = (path / "run.json").is_file()
    if is_run:
        runs.append(str(path))
    for one in _listed(path):
        if one.name.startswith(".") or one.name in _NEVER:
            _count(skipped, f"{display(one.name)}{'/' if one.is_dir() else ''}")
        elif one.is_dir() or (one.is_file() and not (is_run and one.suffix.lower() in _OF_RUNS)):
            # Pages beside a run are shown like any other.
            yield from _below(one, runs, skipped, seen)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        said = (error.strerror or "input error").lower()
        raise UsageError(Problem("page-unreadable", f"`{display(str(folder))}` cannot be read: {said}")) from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PAGE + 1)
    except OSError as error:
        said = (error.strerror or "input error").lower()
        problem = Problem("page-unreadable", f"`{display(str(path))}` cannot be read: {said}")
        raise UsageError(problem) from None
    if len(data) > MAX_PAGE:
        message = f"`{display(str(path))}` is larger than {MAX_PAGE // 1024 // 1024} MB"
        raise UsageError(Problem("page-unreadable", message, help="leave it out by naming the others"))
    return data


def _holds_facts(data: bytes, declared: frozenset[str]) -> bool:
    """Whether a JSON document is facts: lists of rows by relation.

    One with relations that nobody declares is facts too, so that they are missed aloud.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return any(f'"{name}"'.encode() in data for name in declared)
    if not isinstance(found, dict) or not found:
        return False
    if "format" in found and not isinstance(found["format"], list):
        return False  # a document that Fiel writes: `judge` takes none of these for facts
    if declared & found.keys():
        return True
    return all(isinstance(rows, list) and rows and all(isinstance(r, dict) for r in rows) for rows in found.values())
