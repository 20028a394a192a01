"""One document through the stages that a pack declares: sense → judge → attest → report. What `fiel run` does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from . import canonical
from .errors import Problem, UsageError
from .frozen import dataclass, replace
from .inputs import Input, documents_of
from .pipeline import Request, judged, opened
from .publish import write_whole
from .report import Report
from .report_sensing import Sensed, sensed
from .report_setting import Setting
from .reports import Material, make_report
from .sensor import Document
from .verdict import EXIT_CODES
from .view_rows import rows_of_tables

FAILED = 1
MOST_CHARACTERS = 200_000
"""Of a document with a report: a hundred pages, for which a report takes a minute and over a gigabyte."""
_MOST_ROW = 1024 * 1024
"""Bytes of the row of a document."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The report on a document and the exit code: that of its verdict, 1 if a sensor gave no facts.

    `notes` are for whoever runs the program, not for the reader of the report.
    """

    report: Report
    exit_code: int
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def report_on(one: Input, setting: Setting, folder: Path) -> Reported:
    """The report on one text, with the runs of its sensors in `folder`. Raises FielError for what cannot be judged."""
    [document] = documents_of([str(one.path)])
    if len(document.text) > MOST_CHARACTERS:
        message = f"it has {len(document.text):,} characters, and a report is on {MOST_CHARACTERS:,} at most"
        raise UsageError(Problem("document-too-long", message, where=document.name, help="divide it"))
    asked = _asked(document, setting, folder)
    found: list[Sensed] = []
    for name in setting.plan.sensors:
        facts = [str(asked), *(str(one.facts) for one in found if one.facts is not None)]
        found.append(sensed(setting.pack.sensors[name], one, document, setting, folder / name, facts))
    return _reported(document, setting, asked, found)


def _asked(document: Document, setting: Setting, folder: Path) -> Path:
    """The row of the document, from the options, as a file of facts."""
    row: dict[str, object] = {"document": document.name}
    for option in setting.plan.options:
        row[option.column] = setting.options.get(option.name)
    path = folder / f"{setting.plan.document}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_foreign(path, document)
    write_whole([(path, canonical.dumps(row))])
    return path


def _refuse_foreign(path: Path, document: Document) -> None:
    """Raises UsageError if a file of somebody else's has the place of the row: runs may be kept in any folder."""
    try:
        found = json.loads(path.read_text("utf-8")) if path.stat().st_size <= _MOST_ROW else None
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or "document" not in found:
        message = f"`{path}` is no row of a document that was written by `fiel run`, and would be written over"
        raise UsageError(Problem("run-folder", message, where=document.name, help="keep the runs in another folder"))


def _reported(document: Document, setting: Setting, asked: Path, found: Sequence[Sensed]) -> Reported:
    pack, plan = setting.pack, setting.plan
    facts = (str(asked), *(str(one.facts) for one in found if one.facts is not None))
    ids = tuple(f"{pack.name}.{name}" for name in (*plan.policies, *plan.checks)) if plan.policies else ()
    request = Request(facts, setting.policies, (pack.name,), ids, setting.as_of, references=setting.references)
    request = replace(request, prepared=setting.prepared)
    tables = tuple(dict.fromkeys([*plan.tables, *(pack.policies[name].relation for name in plan.checks)]))
    with opened(request) as session:
        run = judged(session)
        loaded = session.packs[pack.name]
        rows = rows_of_tables(loaded, session.base, tables, request.limits, session.settings.unusable)
        absent = frozenset(set(pack.relations) - set(session.base.present))
    material = Material(
        pack,
        plan,
        setting.language,
        document,
        rows,
        absent,
        run,
        setting.pinned,
        tuple(one.line for one in found),
        tuple(dropped for one in found for dropped in one.dropped),
    )
    problems = tuple(problem for one in found for problem in one.problems)
    notes = tuple(note for one in found for note in one.notes)
    return Reported(make_report(material), FAILED if problems else EXIT_CODES[run.verdict], problems, notes)
