"""A draft is tried before it is written: checked and tested, completed by the cases it lacks, judged over its facts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from .casework import PolicyTest, run_tests
from .checkup import check_paths
from .draft.sample import MOST_ROWS
from .errors import FactError, FielError, InternalError, PolicyError, Problem
from .format.files import format_source, kind_of
from .frozen import dataclass, field, replace
from .leavings import folder_for_now
from .load import shown_path
from .load.reading import EXPRESSION_KEYS, parse_bytes
from .pipeline import Request, judge

_MOST_ROUNDS = 4
"""How often cases are looked for: one that was added may be all that another mutant needs, or its new neighbour."""


@dataclass
class Draft:
    """What is to be written: the text of each file, and what to say of it. Nothing is written before `publish`."""

    root: Path
    pack: str
    today: date
    files: dict[Path, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.root / self.pack


def formatted(path: Path, text: str) -> str:
    """The text of a drafted file in the one form."""
    kind = kind_of(path)
    source = parse_bytes(text.encode("utf-8"), shown_path(path), EXPRESSION_KEYS if kind == "policy" else ())
    if source.problems:
        raise InternalError(f"the draft of `{path.name}` is no YAML: {source.problems[0].message}")
    return format_source(source, kind)


def complete(draft: Draft) -> None:
    """Checks and tests the draft as it would stand, and adds the cases that its mutants call for.

    A mutant for which no case is found is named in `said`. Raises PolicyError for what stands beside the draft.
    """
    for _ in range(_MOST_ROUNDS):
        tested = _tested(draft)
        found = {path: _lines(one) for path, one in tested.items()}
        if not any(found.values()):
            break
        for path, lines in found.items():
            # The cases are the last key of a drafted policy, and each is one line below it.
            added = "".join(f"  {line}\n" for line in lines)
            draft.files[path] = formatted(path, draft.files[path] + added) if lines else draft.files[path]
    else:
        tested = _tested(draft)
    for one in tested.values():
        for survivor in one.attack.survivors if one.attack is not None else ():
            draft.said.append(f"policy {one.policy.id}: no case was found that would notice: {survivor.mutant.name}")


def judge_draft(draft: Draft, argument: str, csv_delimiter: str, cut: bool) -> None:
    """Judges the facts by the draft. Raises FactError if they do not fit it. `cut`: it was made of their beginning."""
    with _staged(draft) as staged:
        policy = f"{draft.pack}.{next(reversed(draft.files)).stem}"
        request = Request(
            (argument,), staged.parent, (draft.pack,), (policy,), csv_delimiter=csv_delimiter, use_cache=False
        )
        try:
            judge(request)
        except FactError as error:
            if not cut:
                raise
            message = f"the draft was made from the first {MOST_ROWS:,} rows, and later ones do not fit it"
            help_text = "make a file of rows of every kind and draft from that; nothing was written"
            raise FactError([*error.problems, Problem("draft-refuted", message, help=help_text)]) from None


def _tested(draft: Draft) -> dict[Path, PolicyTest]:
    """What came of each drafted policy, by the path it would have."""
    with _staged(draft) as staged:
        problems = [p for p in check_paths([staged], draft.today).problems if p.is_error] if _judges(staged) else []
        drafted = {path.name for path in draft.files}
        for one in problems:
            if one.place is not None and Path(one.place.file).name in drafted:
                raise InternalError(f"the draft would not pass `fiel check`: {one.code}: {one.message}")
        if problems:  # of what stood there before
            raise PolicyError(problems)
        paths = [path for path in draft.files if kind_of(path) == "policy"]
        tests = run_tests([staged / path.name for path in paths]) if paths else []
    done = {Path(test.policy.file).name: test for test in tests}
    for test in tests:
        if not test.cases_ok:
            wrong = [d for r in test.results for d in r.differences] or [*test.lacks, "it has no cases"]
            raise InternalError(f"the draft would not pass `fiel test`: {wrong[0]}")
    return {path: done[path.name] for path in paths}


def _judges(staged: Path) -> bool:
    """Whether there is a policy to check: a pack may be without any for a while."""
    return any(kind_of(path) == "policy" for path in staged.glob("*.yaml"))


def _lines(one: PolicyTest) -> list[str]:
    survivors = one.attack.survivors if one.attack is not None else ()
    return list(dict.fromkeys(s.killer.line for s in survivors if s.killer is not None))


@contextmanager
def _staged(draft: Draft) -> Iterator[Path]:
    """The pack as it would be, in a folder of its own. What is raised within names the files that would be written."""
    with folder_for_now() as folder:
        staged = Path(folder) / draft.pack
        if draft.folder.exists():
            shutil.copytree(draft.folder, staged)
        staged.mkdir(exist_ok=True)
        for path, text in draft.files.items():
            (staged / path.name).write_bytes(text.encode("utf-8"))
        try:
            yield staged
        except FielError as error:
            at = {shown_path(staged): shown_path(draft.folder), str(staged): shown_path(draft.folder)}
            raise type(error)([_elsewhere(p, at) for p in error.problems]) from None


def _elsewhere(problem: Problem, at: dict[str, str]) -> Problem:
    """The problem with other folders in it."""

    def put(text: str | None) -> str | None:
        for old, new in at.items():
            text = text.replace(old, new) if text is not None else None
        return text

    place = replace(problem.place, file=put(problem.place.file) or "") if problem.place is not None else None
    message = put(problem.message) or ""
    return replace(problem, message=message, place=place, where=put(problem.where), help=put(problem.help))
