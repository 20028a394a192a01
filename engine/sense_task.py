"""What is to be sensed and what came of it, and the last step of every run: rows become facts, or nothing does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from .errors import FactError, Problem
from .facts import load
from .frozen import dataclass, replace
from .model import Pack, Relation
from .pipeline import Progress
from .run_folder import RunFolder, Staged
from .sensor import Diagnostic, Observation, Sensor

COMPLETE, INCOMPLETE, PENDING = 0, 1, 4
SECONDS = 120
"""To wait for an answer."""


@dataclass(frozen=True, slots=True)
class Call:
    """How a model is asked. The key is in the environment variable `key_env`; here is never more than its name."""

    provider: str
    model: str
    key_env: str | None = None
    url: str | None = None
    timeout: int = SECONDS
    retries: int = 0
    max_cost: str | None = None


@dataclass(frozen=True, slots=True)
class SenseRequest:
    """What to sense. `out` is a new folder, `resume` that of a run to go on with; `prepare` asks nobody anything."""

    pack: str
    inputs: tuple[str, ...] = ()
    sensor: str | None = None
    policies: Path | None = None
    out: Path | None = None
    resume: Path | None = None
    prepare: bool = False
    call: Call | None = None
    references: tuple[Path, ...] = ()
    database_env: str | None = None
    progress: Progress | None = None
    given: tuple[str, ...] = ()
    """Facts that are shown to a model beside the documents."""
    loaded: Pack | None = None
    """The pack, where the caller has loaded it already, without a problem."""


@dataclass(frozen=True, slots=True)
class SenseReport:
    """What came of it. `lines` are for people; `problems` say why there are no facts."""

    exit_code: int
    lines: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """A sensor of a pack, and what it fills."""

    pack: Pack
    sensor: Sensor
    request: SenseRequest

    @property
    def relations(self) -> Mapping[str, Relation]:
        return {name: self.pack.relations[name] for name in self.sensor.fills}

    def record(self, started: datetime, **more: object) -> dict[str, object]:
        """The entries of `run.json` that every run has."""
        return {
            "pack": self.pack.name,
            "sensor": self.sensor.name,
            "kind": self.sensor.kind,
            "provenance": "observed",
            "started_at": started,
            "finished_at": None,
            "facts": {},
            **more,
        }


def publish(
    task: Task, folder: RunFolder, observation: Observation, record: Mapping[str, object], pending: int = 0
) -> SenseReport:
    """Checks the rows as facts of their relations, and shows them only if there is nothing to say against any."""
    folder.write_lines("diagnostics.jsonl", [_remark(one) for one in observation.diagnostics])
    finished = {**record, "finished_at": datetime.now(UTC).replace(microsecond=0)}
    with folder.staged(observation.rows, task.pack.relations) as staged:
        problems = _against(staged, task.pack.relations)
        if problems:
            folder.record({**finished, "status": "incomplete"})
            return SenseReport(INCOMPLETE, (f"no facts were written; see `{folder.path}`",), problems)
        staged.publish(finished)
    lines = [
        f"{task.pack.name}.{task.sensor.name} looked at {counted(len(_looked(record)), 'document')}",
        *(f"  {name}: {counted(len(rows), 'row')}" for name, rows in sorted(observation.rows.items())),
    ]
    if observation.diagnostics:
        lines.append(f"  {counted(len(observation.diagnostics), 'remark')} in `{folder.path / 'diagnostics.jsonl'}`")
    lines.append(f"facts: {folder.path}")
    if pending:
        lines.append(f"{counted(pending, 'answer')} for a person to look at: `fiel review {folder.path}`")
    return SenseReport(PENDING if pending else COMPLETE, tuple(lines))


def _looked(record: Mapping[str, object]) -> Sequence[object]:
    coverage = record["coverage"]
    assert isinstance(coverage, list)
    return coverage


def _against(staged: Staged, relations: Mapping[str, Relation]) -> tuple[Problem, ...]:
    """What the loader of facts has against the rows, with the place as it would be called."""
    try:
        load([str(staged.hidden)], relations, use_cache=False).close()
    except FactError as error:
        hidden, shown = str(staged.hidden), str(staged.folder.path / "facts")
        return tuple(
            replace(p, where=p.where and p.where.replace(hidden, shown), message=p.message.replace(hidden, shown))
            for p in error.problems
        )
    return ()


def _remark(one: Diagnostic) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if value not in (None, {})}


def counted(n: int, word: str) -> str:
    return f"{n:,} {word if n == 1 else word + 's'}"
