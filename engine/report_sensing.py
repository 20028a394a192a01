"""The sensors of a report: of each document a run of each, recorded elsewhere, kept from before, or made now.

What costs nothing is looked at anew each time. An answer of a model is kept, and used again only if the very same
would be asked now; else it is set aside, never thrown away, and never shown as an answer to another question.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import Problem, UsageError
from .frozen import dataclass, replace
from .inputs import Input
from .report import Dropped, RunLine
from .report_setting import Setting
from .run_folder import RECORD, RunFolder, opened_folder
from .run_remarks import dropped_of
from .sense_task import COMPLETE, PENDING, SenseRequest, Task
from .sensing import sense
from .sensor import Document, Sensor


@dataclass(frozen=True, slots=True)
class Sensed:
    """What came of one sensor: its facts, or why there are none. `notes` are for whoever runs the program."""

    line: RunLine
    facts: Path | None = None
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def sensed(
    sensor: Sensor, one: Input, document: Document, setting: Setting, folder: Path, facts: Sequence[str]
) -> Sensed:
    """What a sensor saw in the document. `facts` are those of the sensors before it; `folder` is that of its run."""
    recorded = setting.recorded.get((sensor.name, one.name))
    if recorded is not None:
        return _of_run(sensor, recorded)
    if sensor.kind == "llm":
        return _asked(_Asking(sensor, one, document, setting, folder, tuple(facts) if sensor.given else ()))
    _clear(folder)
    return _looked(sensor, folder, replace(_request(sensor, one, setting), out=folder))


def _request(sensor: Sensor, one: Input, setting: Setting) -> SenseRequest:
    pack = setting.pack
    request = SenseRequest(pack.name, (str(one.path),), sensor.name, setting.policies, loaded=pack)
    return replace(request, references=setting.references)


def _looked(sensor: Sensor, folder: Path, request: SenseRequest) -> Sensed:
    report = sense(request)
    if report.exit_code in (COMPLETE, PENDING):
        return _of_run(sensor, folder)
    dropped = tuple(Dropped(problem.code, problem.message, "", sensor.name) for problem in report.problems)
    line = RunLine(sensor.name, sensor.kind, "observed", facts_of(_record(folder)), "refused")
    return Sensed(line, None, dropped, report.problems)


# -- asking a model --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a model would be asked now, and the folder of its run."""

    sensor: Sensor
    one: Input
    document: Document
    setting: Setting
    folder: Path
    given: tuple[str, ...]

    @property
    def request(self) -> SenseRequest:
        return replace(_request(self.sensor, self.one, self.setting), given=self.given, call=self.setting.call)

    def missing(self, why: str) -> Sensed:
        return Sensed(RunLine(self.sensor.name, self.sensor.kind, "observed", (), why))


def _asked(asking: _Asking) -> Sensed:
    folder, call = asking.folder, asking.setting.call
    if not asking.document.text.strip():
        return asking.missing("nothing-to-read")
    if not os.path.lexists(folder) or _is_empty(folder):
        if call is None:
            return asking.missing("not-asked")
        _clear(folder)
        return _looked(asking.sensor, folder, replace(asking.request, out=folder))
    changed = _changed(asking)
    if changed is None and _record(folder).get("status") == "complete":
        return _of_run(asking.sensor, folder)
    if call is None:
        return asking.missing("not-asked" if changed is None else "asked-otherwise")
    if changed is None:
        return _looked(asking.sensor, folder, replace(asking.request, resume=folder))
    aside = _set_aside(folder)
    note = (
        f"`{folder}` asked something else ({changed} changed since): it is `{aside}` now, and the model is asked anew"
    )
    found = _looked(asking.sensor, folder, replace(asking.request, out=folder))
    return replace(found, notes=(note, *found.notes))


def _changed(asking: _Asking) -> str | None:
    """What the kept run was asked otherwise, in words; None if the same would be asked now, of the same model."""
    from .model_run import changed_since

    record, call = RunFolder(asking.folder).recorded(), asking.setting.call
    for name, now in (("provider", call.provider), ("model_asked", call.model)) if call is not None else ():
        if record.get(name) not in (None, now):
            return "the model"
    return changed_since(Task(asking.setting.pack, asking.sensor, asking.request), record)


def _set_aside(folder: Path) -> Path:
    """Gives the folder of a run a hidden name beside its own. What was paid for is kept."""
    number = 1
    while os.path.lexists(aside := folder.parent / f".{folder.name}-{number}"):
        number += 1
    with opened_folder(folder):
        os.rename(folder, aside)
    return aside


# -- folders of runs -------------------------------------------------------------------------------------------


def _clear(folder: Path) -> None:
    """Takes away an earlier run of a sensor that costs nothing. Raises UsageError for a folder that is no run's."""
    for left in folder.parent.glob(f".{folder.name}-gone-*"):
        shutil.rmtree(left, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    if _is_empty(folder):
        folder.rmdir()
        return
    gone = folder.parent / f".{folder.name}-gone-{secrets.token_hex(4)}"
    with opened_folder(folder):
        # By one rename: a process that is killed leaves a run or none, and no half of one.
        os.rename(folder, gone)
    shutil.rmtree(gone, ignore_errors=True)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def _record(folder: Path) -> Mapping[str, Any]:
    return RunFolder(folder).read(RECORD) or {}


def _of_run(sensor: Sensor, folder: Path) -> Sensed:
    record = _record(folder)
    line = RunLine(sensor.name, sensor.kind, str(record.get("provenance", "observed")), facts_of(record))
    return Sensed(line, folder, dropped_of(sensor.name, folder))


def facts_of(record: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What the record of a run says that a reader should know, in order. Without a model the time says nothing."""
    wanted = ("model", "run_id", "prompt_sha256", "schema_sha256", "finished_at") if record.get("kind") == "llm" else ()
    settings = record.get("settings")
    found = [(name, str(record[name])) for name in wanted if record.get(name) is not None]
    tagger = [(name, str(value)) for name, value in sorted(settings.items())] if isinstance(settings, dict) else []
    return tuple(found + [pair for pair in tagger if pair[0] in ("tagger", "tagger_version", "tagger_sha256", "spacy")])


# -- recorded runs ---------------------------------------------------------------------------------------------


def recorded_runs(
    paths: Sequence[Path], setting: Setting, documents: Mapping[str, tuple[str, str]]
) -> Mapping[tuple[str, str], Path]:
    """The recorded runs by sensor and input. `documents` has for each input the name of its text, and its SHA-256.

    Raises UsageError for a run that is none of this report's, fits no text, or is one of two for the same text.
    """
    found: dict[tuple[str, str], Path] = {}
    for path in paths:
        record = RunFolder(path).read(RECORD)
        if record is None:
            help = "name the folder of a run, which has a `run.json`"
            raise UsageError(Problem("run-folder", f"`{path}` is no folder of a run", help=help))
        sensor, fitting = _sensor_of(path, record, setting), _inputs_of(path, record, documents)
        for name in fitting:
            if (sensor, name) in found:
                message = f"two recorded runs of `{sensor}` looked at `{name}`: `{found[sensor, name]}` and `{path}`"
                raise UsageError(Problem("given-elsewhere", message, help="name one of them"))
            found[sensor, name] = path
    return found


def _sensor_of(path: Path, record: Mapping[str, Any], setting: Setting) -> str:
    name, pack = str(record.get("sensor")), str(record.get("pack"))
    wanted = setting.plan.sensors
    if pack != setting.pack.name or name not in wanted:
        message = f"it is a run of `{pack}.{name}`, which is no sensor of this report"
        help = f"name a run of {', '.join(f'`{setting.pack.name}.{one}`' for one in wanted)}"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help=help))
    if record.get("status") != "complete":
        message = "the recorded run is not complete, so it has no facts"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help="go on with it by `--resume` first"))
    return name


def _inputs_of(path: Path, record: Mapping[str, Any], documents: Mapping[str, tuple[str, str]]) -> list[str]:
    """The inputs with the one text that a run looked at. Copies of it in several folders are each that text."""
    looked = [one for one in record.get("coverage", ()) if isinstance(one, dict)]
    if len(looked) != 1:
        message = f"the recorded run looked at {len(looked)} documents, and a report is on one"
        raise UsageError(Problem("given-elsewhere", message, where=str(path), help="name a run on one text"))
    name, digest = str(looked[0].get("document")), looked[0].get("sha256")
    fitting = [one for one, (called, sha256) in documents.items() if (called, sha256) == (name, digest)]
    if fitting:
        return fitting
    other = next((called for called, sha256 in documents.values() if sha256 == digest), None)
    if other is not None:
        message = f"the recorded run calls its text `{name}`, and here it is `{other}`"
        help = "rename the text: rows of facts bear its name"
    else:
        here = sorted(called for called, _ in documents.values())
        named = f"`{here[0]}`" if len(here) == 1 else f"any of these {len(here)}"
        message = f"the recorded run looked at another text than {named}"
        help = f"its `run.json` says in `coverage` that it looked at `{name}`, with the SHA-256 of that text"
    raise UsageError(Problem("given-elsewhere", message, where=str(path), help=help))
