"""What is the same for every document of a `fiel run`: the pack and its plan, the options, the model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from .attest import Pinned
from .frozen import dataclass, field
from .model import Pack
from .prepared import Prepared
from .report_plan import ReportPlan
from .sense_task import Call


@dataclass(frozen=True, slots=True)
class Setting:
    """The pack and its plan, options by name, the model, and recorded runs by sensor and document."""

    pack: Pack
    plan: ReportPlan
    policies: Path
    options: Mapping[str, str | None]
    references: tuple[Path, ...]
    pinned: Mapping[str, Pinned]
    call: Call | None = None
    as_of: date | None = None
    prepared: Prepared | None = None
    recorded: Mapping[tuple[str, str], Path] = field(default_factory=dict)

    @property
    def language(self) -> str:
        chosen = self.options.get(self.plan.language or "")
        return chosen if chosen in self.plan.languages else self.plan.languages[0]
