"""`judge --untrusted`: the same command in a child process that cannot outgrow its memory or its time.

For packs that nobody has read. The language of expressions is the first wall and the locked database the second; this
is the third, because the database's own memory limit does not count every text that a function makes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import Problem, UsageError
from .leavings import forget, register
from .limits import Limits

_OVERHEAD_MB = 1024
"""Address space for Python, the database's code and its threads, beside what the database may keep in memory."""
_DEFAULT_SECONDS = 300
_GRACE_SECONDS = 3
_USAGE_ERROR = 2


def judge_isolated(arguments: Sequence[str], limits: Limits) -> int:
    """Runs `judge` with these arguments in a child, prints what it printed, and gives its exit code.

    Nothing is printed of a child that was ended. Raises UsageError if it was, or where there are no such limits.
    """
    try:
        import resource
    except ImportError:
        message = "this system cannot bound the memory of a process"
        raise UsageError(Problem("cannot-isolate", message, help="judge without `--untrusted`")) from None
    memory = (limits.memory_mb + _OVERHEAD_MB) * 1024 * 1024
    seconds = limits.seconds or _DEFAULT_SECONDS

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    child = subprocess.Popen(
        [sys.executable, "-c", _program(), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=bound,
    )
    register(child, lambda: _end(child))
    try:
        printed, complaints = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise UsageError(_ended(f"the run took longer than {seconds} s (limit `seconds`)", "seconds")) from None
    finally:
        _end(child)
        forget(child)
    if child.returncode < 0:
        message = f"the run was ended by signal {-child.returncode}, most likely for want of memory (limit `memory_mb`)"
        raise UsageError(_ended(message, "memory_mb"))
    sys.stdout.write(printed.decode("utf-8"))
    sys.stderr.write(complaints.decode("utf-8"))
    return child.returncode


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


def _program() -> str:
    """Starts this very package, wherever it lies and whatever it is called there."""
    package = __name__.rpartition(".")[0]
    root = Path(__file__).resolve().parents[package.count(".") + 1]
    return f"import sys; sys.path.insert(0, {str(root)!r}); from {package}.cli import main; main()"


def _ended(message: str, limit: str) -> Problem:
    return Problem("isolation-ended", message, help=f"raise it with `--limit {limit}=N`")
