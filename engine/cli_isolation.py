"""`judge --untrusted`: the same command in a child process that cannot outgrow its memory, its time or its disk.

For packs that nobody has read. The language of expressions is the first wall and the locked database the second; this
is the third, because the database's own memory limit does not count every text that a function makes. All that the
child makes lies in a folder that the parent removes, however the child ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import Problem, UsageError
from .leavings import folder_for_now, forget, register
from .limits import Limits

_OVERHEAD_MB = 1024
"""Address space for Python, the database's code and its threads, beside what the database may keep in memory."""
_DEFAULT_SECONDS = 300
_DEFAULT_DISK_MB = 4096
_GRACE_SECONDS = 3
_USAGE_ERROR = 2
_BLOCK = 1 << 20


def judge_isolated(arguments: Sequence[str], limits: Limits, named: Sequence[str] = ()) -> int:
    """Runs `judge` with these arguments in a child, prints what it printed, and gives its exit code.

    `named` are the limits that were given; time and disk have lower defaults here. Nothing is printed of a child that
    was ended. Raises UsageError if it was, or where there are no such limits.
    """
    try:
        import resource  # noqa: F401
    except ImportError:
        message = "this system cannot bound the memory of a process"
        raise UsageError(Problem("cannot-isolate", message, help="judge without `--untrusted`")) from None
    disk = limits.disk_mb if "disk_mb" in named else _DEFAULT_DISK_MB
    seconds = limits.seconds or _DEFAULT_SECONDS
    first, *rest = arguments
    words = [first, "--limit", f"disk_mb={disk}", *rest]
    bounds = (limits.memory_mb + _OVERHEAD_MB, (seconds + _GRACE_SECONDS) * (os.cpu_count() or 1), disk)
    with folder_for_now() as folder:
        printed, said = Path(folder, "printed"), Path(folder, "said")
        with printed.open("wb") as out, said.open("wb") as complaints:
            code = _code_of(words, bounds, folder, out.fileno(), complaints.fileno(), seconds)
        for path, stream in ((printed, sys.stdout), (said, sys.stderr)):
            with path.open(encoding="utf-8", newline="") as file:
                while block := file.read(_BLOCK):
                    stream.write(block)
    return code


def _code_of(
    words: Sequence[str], bounds: tuple[int, int, int], folder: str, out: int, complaints: int, seconds: int
) -> int:
    """The exit code of the child. Raises UsageError if it had to be ended, or was."""
    command = [sys.executable, "-c", _program(bounds, folder), *words]
    child = subprocess.Popen(command, stdout=out, stderr=complaints, env={**os.environ, "TMPDIR": folder})
    register(child, lambda: _end(child))
    try:
        code = child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise UsageError(_ended(f"the run took longer than {seconds} s (limit `seconds`)", "seconds")) from None
    finally:
        _end(child)
        forget(child)
    if code < 0:
        message = f"the run was ended by signal {-code}, most likely for want of memory (limit `memory_mb`)"
        raise UsageError(_ended(message, "memory_mb"))
    return code


def confine(memory_mb: int, cpu_seconds: int, disk_mb: int, folder: str, parent: int) -> None:
    """Bounds this process: its address space, all its processor time, and each file that it writes.

    It ends with its parent, where the system can say when that ends, and removes `folder` then.
    """
    import resource

    for kind, most in (
        (resource.RLIMIT_AS, memory_mb << 20),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, disk_mb << 20),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
    register("folder of an isolated run", lambda: _remove(folder))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before it could be watched
        _remove(folder)
        raise SystemExit(_USAGE_ERROR)


_PR_SET_PDEATHSIG = 1
"""Of Linux: the signal that a process gets when its parent ends."""


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Asks the child to end, so that it removes its private folder, and ends it if it does not."""
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _program(bounds: tuple[int, int, int], folder: str) -> str:
    """Starts this very package, wherever it lies and whatever it is called there."""
    package = __name__.rpartition(".")[0]
    root = Path(__file__).resolve().parents[package.count(".") + 1]
    return (
        f"import sys; sys.path.insert(0, {str(root)!r}); from {package}.cli_isolation import confine; "
        f"confine(*{bounds!r}, {folder!r}, {os.getpid()}); from {package}.cli import main; main()"
    )


def _ended(message: str, limit: str) -> Problem:
    return Problem("isolation-ended", message, help=f"raise it with `--limit {limit}=N`")
