"""A progress bar on a terminal for work of over two seconds; nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 2.0
"""Seconds before the bar appears."""


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """A function to report (what, done, total) to, or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(time.monotonic())
    try:
        yield bar.report
    finally:
        bar.close()


class _Bar:
    """Stays silent until the patience is over, then draws on standard error."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.live: object | None = None

    def report(self, what: str, done: int, total: int) -> None:
        if time.monotonic() - self.began < _PATIENCE:
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if self.live is None:
            shown = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            shown.start()
            self.task = shown.add_task(what, total=None)
            self.live = shown
        assert isinstance(self.live, Progress)
        self.live.update(self.task, description=what, completed=done, total=total or None)

    def close(self) -> None:
        if self.live is not None:
            self.live.stop()  # type: ignore[attr-defined]  # a rich Progress, imported only when drawn
