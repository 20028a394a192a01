"""What the gate finds: a value that may not be shown as it is."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Offender:
    """What was broken (`promise`: a policy or an honesty test), where, and both values in `message`.

    `line` is 0 where there is none.
    """

    promise: str
    title: str
    file: str
    line: int
    message: str
    help: str | None = field(default=None, compare=False)

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file
