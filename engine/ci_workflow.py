"""`fiel init-ci`: a workflow for GitHub Actions that runs the gate on every push."""

from __future__ import annotations

import os
from pathlib import Path

from . import __version__
from .errors import Problem, UsageError
from .publish import write_whole
from .render.problems import visible

PLACE = Path(".github") / "workflows" / "fiel.yml"

_WORKFLOW = """\
# The gate: packs are sound, their policies are tested, and nothing that is shown as official is false.
# Written by `fiel init-ci`; it is yours to change.
name: fiel
on: [push, pull_request]
permissions:
  contents: read
jobs:
  honesty:
    runs-on: ubuntu-latest
    env:
      FIEL_REFERENCES: ${{{{ github.workspace }}}}/.fiel-references
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install Fiel
        run: python -m pip install "{source}"
      - name: Get the references
        run: |
          mkdir -p "$FIEL_REFERENCES"
          fiel reference fetch --references "$FIEL_REFERENCES"
      - name: Check the packs
        run: fiel check
      - name: Test the policies
        run: fiel test
      - name: Hold what is shown against the references, and tell lies
        run: fiel honesty{paths}
"""
_FETCH = """\
      - name: Get the references
        run: |
          mkdir -p "$FIEL_REFERENCES"
          fiel reference fetch --references "$FIEL_REFERENCES"
"""


_PACKS = """\
      - name: Check the packs
        run: fiel check
      - name: Test the policies
        run: fiel test
"""


def workflow_text(paths: tuple[str, ...], source: str | None, has_references: bool, has_packs: bool) -> str:
    """The workflow. `source` is what pip installs; without references there is nothing to fetch, and without packs of
    one's own nothing to check."""
    quoted = "".join(f" {_quoted(path)}" for path in paths)
    text = _WORKFLOW.format(source=source or f"fiel=={__version__}", paths=quoted)
    text = text if has_references else text.replace(_FETCH, "")
    return text if has_packs else text.replace(_PACKS, "")


def _quoted(path: str) -> str:
    """A path as a word of the shell."""
    return path if path.replace("/", "").replace(".", "").replace("-", "").replace("_", "").isalnum() else f"'{path}'"


def write_workflow(path: Path, text: str) -> bool:
    """Writes it; False if the file is there already in these words. Raises UsageError rather than replace another."""
    if path.is_dir():
        problem = Problem("cannot-write", f"`{visible(str(path))}` is a folder", help="name a file in it: `--out FILE`")
        raise UsageError(problem)
    if path.exists():
        if path.is_file() and path.read_bytes() == text.encode("utf-8"):
            return False
        message = f"`{visible(str(path))}` is there already, with other words"
        raise UsageError(Problem("cannot-write", message, help="remove it first, or name another with `--out FILE`"))
    try:
        os.makedirs(path.parent, exist_ok=True)
    except OSError as error:
        said = (error.strerror or "input error").lower()
        raise UsageError(Problem("cannot-write", f"`{visible(str(path.parent))}` cannot be made: {said}")) from None
    write_whole([(path, text)])
    return True
