"""The policies as they were: those of a git revision, laid out in a private folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .errors import Problem, UsageError
from .home import MAX_FILE_BYTES
from .leavings import private_folder, remove_folder

_CHUNK = 1 << 20


@contextmanager
def earlier_policies(revision: str, folder: Path) -> Iterator[tuple[Path, str]]:
    """The folder of packs as it was, and what it is called. `revision` is another folder, or a git revision.

    Raises UsageError if there is neither, or if git cannot be asked.
    """
    if revision and Path(revision).is_dir():
        yield Path(revision), f"the folder {revision}"
        return
    top = _line(_git(folder, "rev-parse", "--show-toplevel"))
    commit = _line(
        _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", of=revision)
    )
    inside = Path(os.path.relpath(os.path.realpath(folder), os.path.realpath(top))).as_posix()
    private = private_folder()
    try:
        # A pack has the name of its folder, so that stays.
        place = Path(private) / (os.path.basename(os.path.abspath(folder)) or "policies")
        _lay_out(top, commit, inside, place, revision)
        yield place, f"{revision} ({commit[:12]})"
    finally:
        remove_folder(private)


def _git(folder: Path | str, *words: str, of: str | None = None) -> bytes:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=_environment())
    except FileNotFoundError:
        raise UsageError(_problem("git is not installed", "name a folder with the earlier policies")) from None
    if done.returncode:
        if of is not None:
            help_text = "name a commit, a tag, a branch or `HEAD~1`, or a folder with the earlier policies"
            raise UsageError(_problem(f"`{of}` is no folder, and no revision of this repository", help_text))
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it did not say why"]
        said = next((line for line in lines if line.startswith("fatal:")), lines[-1])
        raise UsageError(_problem(f"git refused: {said}", "name a folder with the earlier policies"))
    return done.stdout


def _environment() -> dict[str, str]:
    """Nothing is fetched, nothing is locked, and messages are in English."""
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _line(output: bytes) -> str:
    """The one line that git printed. A path may end with blanks."""
    return os.fsdecode(output.removesuffix(b"\n"))


def _lay_out(top: str, commit: str, inside: str, private: Path, revision: str) -> None:
    """Writes the files of the folder as they are in that commit.

    They are read from the tree itself: an archive of it would leave out, and convert, what `.gitattributes` says. What
    the commit holds no content of, a link or another repository, is refused: its policies would be missing in silence.
    """
    tree = f"{commit}:{'' if inside == '.' else inside}"
    missing = f"`{revision}` has no folder `{inside}`"
    help_text = "name a revision in which the policies stood where they stand now"
    try:
        listed = _git(top, "ls-tree", "-r", "-z", "--full-tree", tree)
    except UsageError:
        raise UsageError(_problem(missing, help_text)) from None
    blobs: list[tuple[str, str]] = []
    for entry in listed.split(b"\0")[:-1]:
        about, _, raw = entry.partition(b"\t")
        mode, kind, name = about.split()[0], about.split()[1], os.fsdecode(raw)
        if ".." in Path(name).parts:
            raise UsageError(_problem(f"`{revision}` names a file `{name}`", "no policy stands there"))
        if kind == b"blob" and mode != b"120000":
            blobs.append((about.split()[2].decode(), name))
        elif not name.endswith(".md"):
            what = "a link" if kind == b"blob" else "another repository"
            message = f"`{name}` of `{inside}` is {what} in `{revision}`, which does not hold what it leads to"
            raise UsageError(_problem(message, "name a folder with the earlier policies"))
    if not blobs:
        raise UsageError(_problem(missing, help_text))
    _write_blobs(top, blobs, private)


def _write_blobs(top: str, blobs: Sequence[tuple[str, str]], private: Path) -> None:
    """The content of each blob into the file of its name, as far as a file of a pack is read."""
    command = ["git", "-C", top, "cat-file", "--batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
    ) as git:
        assert git.stdin is not None
        assert git.stdout is not None
        for blob, name in blobs:
            git.stdin.write(f"{blob}\n".encode())
            git.stdin.flush()
            head = git.stdout.readline().split()
            if len(head) != 3:
                message = f"this repository does not hold the content of `{name}`"
                raise UsageError(_problem(message, "fetch it, or name a folder with the earlier policies"))
            size = int(head[2])
            place = private / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(git.stdout.read(min(size, MAX_FILE_BYTES + 1)))
            left = max(size - MAX_FILE_BYTES - 1, 0) + 1  # what nobody reads, and a line feed
            while left and (skipped := git.stdout.read(min(left, _CHUNK))):
                left -= len(skipped)
        git.stdin.close()


def _problem(message: str, help: str) -> Problem:
    return Problem("no-such-revision", message, help=help)
