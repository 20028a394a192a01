"""One document through the stages that a pack declares: sense → judge → attest → report. What `fiel run` does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import canonical
from .attest import Pinned
from .errors import Problem, UsageError
from .frozen import dataclass, replace
from .inputs import Input, documents_of
from .model import Pack
from .pipeline import Request, judged, opened
from .prepared import Prepared
from .report import Dropped, Report, RunLine
from .report_plan import ReportPlan
from .reports import Material, make_report
from .run_folder import RECORD, RunFolder
from .sense_task import COMPLETE, PENDING, Call, SenseRequest
from .sensing import sense
from .sensor import Document, Sensor
from .verdict import EXIT_CODES
from .view_rows import rows_of_tables

_DROPPED = ("quote-absent", "quote-ambiguous", "quote-empty", "quote-surrogate", "span-repeated", "choice-refused")
"""Remarks of a sensor on what was reported and refused. The others are on what was kept."""
_MOST_LINES = 64 * 1024 * 1024
FAILED = 1


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for every document: the pack and its plan, options by name, the model, and recorded runs."""

    pack: Pack
    plan: ReportPlan
    policies: Path
    options: Mapping[str, str | None]
    references: tuple[Path, ...]
    pinned: Mapping[str, Pinned]
    call: Call | None = None
    recorded: tuple[Path, ...] = ()
    as_of: Any = None
    prepared: Prepared | None = None

    @property
    def language(self) -> str:
        chosen = self.options.get(self.plan.language or "")
        return chosen if chosen in self.plan.languages else self.plan.languages[0]


@dataclass(frozen=True, slots=True)
class Reported:
    """The report on a document and the exit code: that of its verdict, 1 if a sensor gave no facts."""

    report: Report
    exit_code: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sensed:
    """What came of one sensor: its facts, or why there are none."""

    line: RunLine
    facts: Path | None = None
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()


def report_on(one: Input, setting: Setting, folder: Path) -> Reported:
    """The report on one text, with the runs of its sensors in `folder`. Raises FielError for what cannot be judged."""
    [document] = documents_of([str(one.path)])
    asked = _asked(document, setting, folder)
    found: list[_Sensed] = []
    for name in setting.plan.sensors:
        facts = [str(asked), *(str(one.facts) for one in found if one.facts is not None)]
        found.append(_sensed(setting.pack.sensors[name], one, document, setting, folder / name, facts))
    return _reported(document, setting, asked, found)


def _asked(document: Document, setting: Setting, folder: Path) -> Path:
    """The row of the document, from the options, as a file of facts."""
    row: dict[str, object] = {"document": document.name}
    for option in setting.plan.options:
        row[option.column] = setting.options.get(option.name)
    path = folder / f"{setting.plan.document}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical.dumps(row), encoding="utf-8")
    return path


# -- sensing ---------------------------------------------------------------------------------------------------


def _sensed(
    sensor: Sensor, one: Input, document: Document, setting: Setting, folder: Path, facts: Sequence[str]
) -> _Sensed:
    """The run of one sensor: a recorded one of this text, one that is there already, or a new one."""
    for path in setting.recorded:
        record = _record(path)
        if record.get("sensor") == sensor.name and record.get("pack") == setting.pack.name:
            _refuse_other_text(path, record, document)
            return _of_run(sensor, path)
    if _covers(_record(folder), document):
        return _of_run(sensor, folder)
    if sensor.kind == "llm" and (setting.call is None or not document.text.strip()):
        return _Sensed(RunLine(sensor.name, sensor.kind, "observed", (), "not-asked"))
    request = SenseRequest(setting.pack.name, (str(one.path),), sensor.name, setting.policies)
    request = replace(request, references=setting.references, loaded=setting.pack, **_place(folder))
    if sensor.kind == "llm":
        request = replace(request, call=setting.call, given=tuple(facts) if sensor.given else ())
    report = sense(request)
    if report.exit_code in (COMPLETE, PENDING):
        return _of_run(sensor, folder)
    record = _record(folder)
    dropped = tuple(Dropped(problem.code, problem.message, "", sensor.name) for problem in report.problems)
    line = RunLine(sensor.name, sensor.kind, "observed", _facts_of(record), "refused")
    return _Sensed(line, None, dropped, report.problems)


def _place(folder: Path) -> dict[str, Any]:
    """Where the run is written: a new folder, or the one of a run that ended early."""
    return {"resume": folder} if (folder / RECORD).exists() else {"out": folder}


def _record(folder: Path) -> Mapping[str, Any]:
    return RunFolder(folder).read(RECORD) or {}


def _covers(record: Mapping[str, Any], document: Document) -> bool:
    looked = {one.get("document"): one.get("sha256") for one in record.get("coverage", ()) if isinstance(one, dict)}
    return record.get("status") == "complete" and looked.get(document.name) == document.sha256


def _refuse_other_text(path: Path, record: Mapping[str, Any], document: Document) -> None:
    if not _covers(record, document):
        message = f"the recorded run looked at another text than `{document.name}`, or is not complete"
        help = "name the run of this very text; its `run.json` says in `coverage` what it looked at"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help=help))


def _of_run(sensor: Sensor, folder: Path) -> _Sensed:
    record = _record(folder)
    line = RunLine(sensor.name, sensor.kind, str(record.get("provenance", "observed")), _facts_of(record))
    return _Sensed(line, folder, tuple(_dropped(sensor, folder)))


def _facts_of(record: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What the record of a run says that a reader should know, in order. Without a model the time says nothing."""
    wanted = ("model", "run_id", "prompt_sha256", "schema_sha256", "finished_at") if record.get("kind") == "llm" else ()
    settings = record.get("settings")
    found = [(name, str(record[name])) for name in wanted if record.get(name) is not None]
    tagger = [(name, str(value)) for name, value in sorted(settings.items())] if isinstance(settings, dict) else []
    return tuple(found + [pair for pair in tagger if pair[0] in ("tagger", "tagger_version", "tagger_sha256", "spacy")])


def _dropped(sensor: Sensor, folder: Path) -> list[Dropped]:
    """What the sensor reported and the program refused, from `diagnostics.jsonl`."""
    path = folder / "diagnostics.jsonl"
    if not path.is_file() or path.stat().st_size > _MOST_LINES:
        return []
    found = []
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            remark = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(remark, dict) and remark.get("code") in _DROPPED:
            found.append(
                Dropped(str(remark["code"]), str(remark.get("message", "")), _shown(remark.get("details")), sensor.name)
            )
    return found


def _shown(details: object) -> str:
    """What was reported, as it was: values that say something, by name."""
    if not isinstance(details, dict):
        return ""
    kept = {name: value for name, value in details.items() if value is not None and name != "nearest"}
    return ", ".join(f"{name}: {value}" for name, value in kept.items())


# -- the report ------------------------------------------------------------------------------------------------


def _reported(document: Document, setting: Setting, asked: Path, found: Sequence[_Sensed]) -> Reported:
    pack, plan = setting.pack, setting.plan
    facts = (str(asked), *(str(one.facts) for one in found if one.facts is not None))
    ids = tuple(f"{pack.name}.{name}" for name in plan.policies)
    request = Request(facts, setting.policies, (pack.name,), ids, setting.as_of, references=setting.references)
    request = replace(request, prepared=setting.prepared)
    with opened(request) as session:
        run = judged(session)
        loaded = session.packs[pack.name]
        rows = rows_of_tables(loaded, session.base, plan.tables, request.limits, session.settings.unusable)
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
    return Reported(make_report(material), FAILED if problems else EXIT_CODES[run.verdict], problems)
