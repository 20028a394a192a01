"""Doing something again whenever a file is saved."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import FielError
from .render.problems import render_problems

_PAUSE = 0.2
"""Seconds between two looks. Asking the system for news of files is not the same anywhere; looking is."""

Print = tuple[tuple[str, int, int], ...]


def watch(paths: Sequence[Path], do: Callable[[], int], rounds: int | None = None) -> int:
    """Calls `do` now and after every change of a YAML file at the paths, until interrupted (or `rounds` times).

    A problem is printed and waited out: the next save may mend it. Gives the last exit code.
    """
    # Looked at before it is tested: what is saved meanwhile is a change.
    seen = _state(paths)
    code = _once(do)
    done = 1
    while rounds is None or done < rounds:
        print("watching: save a file to test again, or interrupt", flush=True)
        while (now := _state(paths)) == seen:
            time.sleep(_PAUSE)
        # An editor may write a file in several steps: the last of them is waited for.
        while (later := _settled(paths)) != now:
            now = later
        seen = now
        print(flush=True)
        code = _once(do)
        done += 1
    return code


def _once(do: Callable[[], int]) -> int:
    try:
        code = do()
    except FielError as error:
        print(render_problems(error.problems), end="", file=sys.stderr)
        code = 2
    sys.stdout.flush()
    return code


def _settled(paths: Sequence[Path]) -> Print:
    time.sleep(_PAUSE / 4)
    return _state(paths)


def _state(paths: Sequence[Path]) -> Print:
    """The YAML files with the time and size of each. A file beside a watched one counts: it is of the same pack."""
    found: set[tuple[str, int, int]] = set()
    for path in paths:
        folder = path if path.is_dir() else path.parent
        for file in folder.rglob("*.yaml"):
            try:
                about = os.stat(file)
            except OSError:
                continue
            found.add((str(file), about.st_mtime_ns, about.st_size))
    return tuple(sorted(found))
