"""The kinds that read texts without a model of language: `spacy` and `lexicon`."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import Problem, UsageError
from .sense_task import Task
from .sensor import Document, Observation


def observe_texts(task: Task, documents: Sequence[Document]) -> Observation:
    raise UsageError(Problem("not-yet", f"the kind {task.sensor.kind} is not there yet"))
