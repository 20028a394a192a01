"""What must not be left behind when the process is ended from outside: private folders, unfinished files, children.

Ordinary ends clean up where they began. This is for signals that arrive while the database computes, when no Python
code of the main thread runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_TRIES = 200
_clean_ups: dict[object, Callable[[], object]] = {}


def register(thing: object, clean_up: Callable[[], object]) -> None:
    """Have `clean_up` called if a signal ends the process before `forget(thing)` says that the thing is gone."""
    _clean_ups[thing] = clean_up


def forget(thing: object) -> None:
    _clean_ups.pop(thing, None)


def private_folder() -> str:
    """A new folder that only the user can read; `remove_folder` removes it."""
    import shutil  # noqa: F401  # so that it is there when a signal has the folder removed

    folder = os.path.join(_temporary(), f"fiel-{os.urandom(8).hex()}")
    register(folder, partial(_remove, folder))  # first of all: a signal may arrive right after the folder is made
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        forget(folder)
        raise
    return folder


def _temporary() -> str:
    """The folder for temporary files, as `tempfile` finds it; that module takes longer to load than to ask."""
    loaded = "tempfile" in sys.modules  # then it knows best
    first = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")
    if not loaded and os.name == "posix" and os.path.isdir(first) and os.access(first, os.W_OK | os.X_OK):
        return os.path.abspath(first)
    import tempfile

    return tempfile.gettempdir()


def _remove(folder: str) -> None:
    """Removes a folder in which the main thread may still be writing, until nothing is left of it."""
    import shutil

    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.01)


def remove_folder(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    forget(folder)


@contextmanager
def folder_for_now() -> Iterator[str]:
    """A private folder that is gone afterwards, also if a signal ends the process."""
    folder = private_folder()
    try:
        yield folder
    finally:
        remove_folder(folder)


@contextmanager
def watch_signals() -> Iterator[None]:
    """Within this, an interrupt, a hang-up or a request to end cleans up and ends the process at once.

    The exit code is 128 and the signal's number, as shells have it: 130 for an interrupt.
    """
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        if before[number] is not signal.SIG_IGN:  # as `nohup` has it
            signal.signal(number, _stand_still)
    old_descriptor = signal.set_wakeup_fd(writing)
    threading.Thread(target=_end_at_signal, args=(reading,), daemon=True).start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_descriptor)
        os.close(writing)


def _stand_still(*_: object) -> None:
    """The main thread makes nothing more: the other one is cleaning up and ends the process."""
    while True:
        time.sleep(60)


def _end_at_signal(reading: int) -> None:
    while True:
        arrived = os.read(reading, 1)
        if not arrived:
            os.close(reading)
            return
        if arrived[0] in _SIGNALS:
            break
    for clean_up in list(_clean_ups.values()):
        with suppress(Exception):
            clean_up()
    with suppress(OSError):
        os.write(2, b"fiel: interrupted\n")  # past Python's stream, which the main thread may hold
    os._exit(128 + arrived[0])
