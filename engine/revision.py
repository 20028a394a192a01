"""The policies as they were: those of a git revision, laid out in a private folder."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import Problem, UsageError
from .home import MAX_FILE_BYTES
from .leavings import private_folder, remove_folder


@contextmanager
def earlier_policies(revision: str, folder: Path) -> Iterator[tuple[Path, str]]:
    """The folder of packs as it was, and what it is called. `revision` is another folder, or a git revision.

    Raises UsageError if there is neither, or if git cannot be asked.
    """
    if revision and Path(revision).is_dir():
        yield Path(revision), f"the folder {revision}"
        return
    top = _git(folder, "rev-parse", "--show-toplevel").strip()
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", of=revision)
    commit = commit.strip()
    inside = os.path.relpath(os.path.realpath(folder), os.path.realpath(top))
    private = private_folder()
    try:
        _lay_out(top, commit, inside, Path(private), revision)
        yield Path(private) / inside, f"{revision} ({commit[:12]})"
    finally:
        remove_folder(private)


def _git(folder: Path, *words: str, of: str | None = None) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UsageError(_problem("git is not installed", "name a folder with the earlier policies")) from None
    if done.returncode:
        if of is not None:
            help_text = "name a commit, a tag, a branch or `HEAD~1`, or a folder with the earlier policies"
            raise UsageError(_problem(f"`{of}` is no folder, and no revision of this repository", help_text))
        said = (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
        raise UsageError(_problem(f"git refused: {said}", "name a folder with the earlier policies"))
    return done.stdout


def _lay_out(top: str, commit: str, inside: str, private: Path, revision: str) -> None:
    """Writes the files of the folder at that commit; of links nothing, as a policy is a file."""
    (private / inside).mkdir(parents=True, exist_ok=True)
    command = ["git", "-C", top, "archive", "--format=tar", commit, "--", inside]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as archive:
        assert archive.stdout is not None
        try:
            with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
                for member in tar:
                    parts = Path(member.name).parts
                    content = tar.extractfile(member) if member.isfile() else None
                    if content is None or ".." in parts or Path(member.name).is_absolute():
                        continue
                    place = private.joinpath(*parts)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(content.read(MAX_FILE_BYTES + 1))
        except tarfile.TarError:
            pass  # nothing came: said below
        archive.stdout.close()
    if archive.returncode:
        message = f"`{revision}` has no folder `{inside}`"
        raise UsageError(_problem(message, "name a revision in which the policies stood where they stand now"))


def _problem(message: str, help: str) -> Problem:
    return Problem("no-such-revision", message, help=help)
