"""A run of a sensor that asks a model."""

from __future__ import annotations

from .errors import Problem, UsageError
from .sense_task import SenseReport, Task


def sense_with_model(task: Task) -> SenseReport:
    raise UsageError(Problem("not-yet", f"the kind {task.sensor.kind} is not there yet"))
