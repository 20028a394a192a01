"""What a sensor that asks or reads policies is pointed at: packs, documents, or rows of facts, as records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import Problem, UsageError
from .inputs import documents_of, facts_records
from .load import load_packs
from .model import Pack
from .sense_task import Task
from .sensor import DOCUMENTS, POLICIES, Document, Record
from .sensors.policies import records


def packs_at(inputs: Sequence[str]) -> Mapping[str, Pack]:
    """The packs at these paths. Raises PolicyError if one of them has a problem, UsageError if there is none."""
    packs: dict[str, Pack] = {}
    for given in inputs or ("policies",):
        for name, pack in load_packs(Path(given)).whole().items():
            if name in packs:
                message = f"the pack `{name}` is given twice"
                raise UsageError(Problem("document-twice", message, where=given, help="name it once"))
            packs[name] = pack
    return dict(sorted(packs.items()))


def coverage_of_packs(packs: Mapping[str, Pack]) -> list[tuple[str, str]]:
    """Each policy with the SHA-256 of its file, and the file of parameters if there is one."""
    looked = []
    for name, pack in packs.items():
        shared = Path(pack.folder) / "parameters.yaml"
        if pack.parameters and shared.is_file():
            looked.append((name, hashlib.sha256(shared.read_bytes()).hexdigest()))
        for policy in pack.policies.values():
            looked.append((policy.id, hashlib.sha256(Path(policy.file).read_bytes()).hexdigest()))
    return sorted(looked)


def records_of(task: Task) -> tuple[list[Record], list[tuple[str, str]], list[Document]]:
    """What a model is asked about, the documents that this covers, with digests, and the texts to anchor in."""
    sensor, inputs = task.sensor, task.request.inputs
    if sensor.reads == POLICIES:
        packs = packs_at(inputs)
        return records(packs.values()), coverage_of_packs(packs), []
    if sensor.reads == DOCUMENTS:
        documents = documents_of(inputs)
        asked = [Record(one.name, one.text) for one in documents]
        return asked, [(one.name, one.sha256) for one in documents], documents
    found = facts_records(task.pack.relations[sensor.reads], inputs, task.pack.relations)
    return found, [(one.id, hashlib.sha256(one.text.encode("utf-8")).hexdigest()) for one in found], []
