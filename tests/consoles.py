"""Console blocks of Markdown pages: what a page shows is run, and must print just that.

A block of kind `console` holds lines `$ command` with the output below each. A block of another kind that follows a
sentence ending in a path in backticks and a colon or full stop is a file that the page tells the reader to write.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .conftest import ROOT

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"`([\w./-]+\.(?:yaml|json|jsonl|csv|md|sql|txt))`[^`]*(?:`null`[^`]*)?\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block; `path` is the file it stands for, if it stands for one; `at` where its text begins."""

    kind: str
    text: str
    path: str | None
    at: int


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    last = 0
    for found in _FENCE.finditer(page):
        before = page[last : found.start()].strip().rsplit("\n\n", 1)[-1]
        named = _PATH.search(before) if found.group(1) in ("yaml", "json", "csv", "markdown", "sql", "txt") else None
        yield Block(found.group(1), found.group(2), named.group(1) if named else None, found.start(2))
        last = found.end()


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows."""
    command, output = "", ""
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            if command:
                yield command, output
            command, output = line[2:].rstrip("\n"), ""
        else:
            output += line
    if command:
        yield command, output


class Console:
    """A shell in a folder, in which `fiel` is the command of this checkout."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self.folder, self.status = folder, 0
        tools.mkdir(parents=True, exist_ok=True)
        shim = tools / "fiel"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "cli.py"}" "$@"\n')
        shim.chmod(0o755)
        self.env: Mapping[str, str] = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "FIEL_CACHE": str(tools / "cache"),
        }

    def run(self, command: str) -> str:
        """What a command prints, on both streams; `$?` is that of the command before."""
        script = f"(exit {self.status}); {command}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=dict(self.env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        self.status = done.returncode
        return done.stdout
