"""From documents to facts: what `fiel sense` does. A sensor observes; the folder of its run vouches for the facts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime

from .errors import Problem, UsageError, did_you_mean
from .inputs import documents_of, files_of, refuse_within
from .load import load_packs
from .model import Pack
from .policies_folder import policies_folder
from .run_folder import new_folder, refuse_taken
from .sense_task import SenseReport, SenseRequest, Task, publish
from .sensor import Observation, Sensor
from .sensors.policies import passages
from .subjects import coverage_of_packs, packs_at


def sense(request: SenseRequest) -> SenseReport:
    """Runs a sensor. Raises UsageError, PolicyError or FactError for what is wrong before it looks at anything."""
    task = _task(request)
    _refuse_other_options(request, task.sensor)
    if task.sensor.kind == "llm":
        from .model_run import sense_with_model

        return sense_with_model(task)
    _refuse_model_options(request, task.sensor)
    assert request.out is not None
    refuse_taken(request.out)
    refuse_within(request.out, request.inputs)
    observation, looked = _observe(task)
    if not looked:
        raise UsageError(Problem("no-documents", "there is nothing to look at", help="name files or folders"))
    with new_folder(request.out) as folder:
        started = datetime.now(UTC).replace(microsecond=0)
        record = task.record(
            started,
            provider=None,
            model=None,
            settings=dict(observation.settings),
            coverage=[{"document": name, "sha256": digest} for name, digest in looked],
        )
        folder.record({**record, "status": "incomplete"})
        return publish(task, folder, observation, record)


def _task(request: SenseRequest) -> Task:
    if request.loaded is not None:
        return Task(request.loaded, _sensor(request.loaded, request), request)
    folder = policies_folder(request.policies)
    pack = load_packs(folder.path, [request.pack]).whole()[request.pack]
    return Task(pack, _sensor(pack, request), request)


def _sensor(pack: Pack, request: SenseRequest) -> Sensor:
    """The sensor that is named; or the only one, of those that ask a model if that is what is wanted."""
    if not pack.sensors:
        help = "a pack declares its sensors in `sensors.yaml`"
        raise UsageError(Problem("no-sensor", f"the pack `{pack.name}` has no sensor", help=help))
    if request.sensor is not None:
        if request.sensor not in pack.sensors:
            help = did_you_mean(request.sensor, pack.sensors, "sensors")
            message = f"`{request.sensor}` is no sensor of the pack `{pack.name}`"
            raise UsageError(Problem("no-sensor", message, help=help))
        return pack.sensors[request.sensor]
    asks = request.prepare or request.call is not None
    fitting = [one for one in pack.sensors.values() if (one.kind == "llm") == asks]
    if len(fitting) != 1 and len(pack.sensors) == 1:
        fitting = list(pack.sensors.values())  # what does not fit is said of it
    if len(fitting) != 1:
        named = ", ".join(f"`--sensor {name}`" for name in pack.sensors)
        raise UsageError(Problem("no-sensor", f"the pack `{pack.name}` has several sensors", help=f"name one: {named}"))
    return fitting[0]


def _refuse_other_options(request: SenseRequest, sensor: Sensor) -> None:
    """What a sensor does not take is refused: left out in silence, it would seem to have had its say."""
    if request.database_env is not None and sensor.kind != "table":
        message = f"`--database-env` is for tables, and `{sensor.name}` is of the kind {sensor.kind}"
        raise UsageError(Problem("usage", message, help="leave it out"))
    if request.database_env is not None and request.inputs:
        message = "rows come from a database or from files, and both are named"
        raise UsageError(Problem("usage", message, help="leave `--database-env` or the files out"))
    if request.given and sensor.kind != "llm":
        message = f"`--given` is for sensors that ask a model, and `{sensor.name}` is of the kind {sensor.kind}"
        raise UsageError(Problem("usage", message, help="leave it out"))


def _refuse_model_options(request: SenseRequest, sensor: Sensor) -> None:
    given = "--prepare" if request.prepare else "--run" if request.call else "--resume" if request.resume else None
    if given is not None:
        message = f"`{given}` is for sensors that ask a model, and `{sensor.name}` is of the kind {sensor.kind}"
        raise UsageError(Problem("usage", message, help="leave it out; this sensor costs nothing"))
    if request.out is None:
        raise UsageError(Problem("usage", "there is no place for the run", help="add `--out DIR`, a new folder"))


def _observe(task: Task) -> tuple[Observation, Sequence[tuple[str, str]]]:
    """What a sensor without a model sees, and the documents that it looked at, with digests."""
    kind, request = task.sensor.kind, task.request
    if kind == "policies":
        packs = packs_at(request.inputs)
        rows = passages(packs.values())
        return Observation(dict.fromkeys(task.sensor.fills, rows)), coverage_of_packs(packs)
    if kind == "table":
        return _tables(task)
    if kind == "artifact":
        return _pages(task)
    from .text_sensing import observe_texts

    documents = documents_of(request.inputs)
    return observe_texts(task, documents), [(one.name, one.sha256) for one in documents]


def _tables(task: Task) -> tuple[Observation, Sequence[tuple[str, str]]]:
    from .table_sensing import FILES, rows_of_database, rows_of_files

    request, sensor = task.request, task.sensor
    if len(sensor.fills) != 1:
        message = f"`{sensor.name}` fills {len(sensor.fills)} relations, and a table has the rows of one"
        raise UsageError(Problem("usage", message, help="declare a sensor for each"))
    relation = task.relations[sensor.fills[0]]
    if request.database_env is not None:
        rows, looked = rows_of_database(sensor, relation, _secret(request.database_env))
    else:
        found = [(one.name, one.path) for one in files_of(request.inputs, FILES)]
        rows, looked = rows_of_files(sensor, relation, found)
    return Observation({relation.name: rows}), looked


def _secret(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        message = f"the environment variable `{name}` is not set"
        raise UsageError(Problem("no-secret", message, help="set it to the address of the database"))
    return value


def _pages(task: Task) -> tuple[Observation, Sequence[tuple[str, str]]]:
    from .sensors.artifact import claim_words
    from .sensors.pages import shown_rows

    pages: dict[str, bytes] = {}
    looked: list[tuple[str, str]] = []
    for one in files_of(task.request.inputs, (".html", ".htm", ".md", ".json", ".txt")):
        pages[one.name] = one.data()
        looked.append((one.name, hashlib.sha256(pages[one.name]).hexdigest()))
    words = claim_words(task.pack.references.values(), [task.pack])
    rows, remarks = shown_rows(pages, words)
    if remarks:
        raise UsageError([Problem("page-unreadable", one.message, where=one.document) for one in remarks])
    return Observation(dict.fromkeys(task.sensor.fills, rows), remarks), looked
