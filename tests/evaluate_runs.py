"""Evaluations of two sides that are written for a test."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

from .conftest import ROOT, Cli
from .letters import DOCUMENTS, lay, lay_pack, slip

SCHEMA = json.loads((ROOT / "engine" / "schemas" / "evaluation.schema.json").read_text(encoding="utf-8"))
LETTERS = [{"document": name} for name in DOCUMENTS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lay_pack(tmp_path)
    return tmp_path


class Asked:
    """`fiel evaluate letters` in a folder, with one thing changed."""

    def __init__(self, cli: Cli, folder: Path) -> None:
        self.cli, self.folder = cli, folder

    def __call__(self, a: Path, *more: object, annotated: Path | None = None) -> CompletedProcess[str]:
        truth = annotated or self.folder / "truth.json"
        few = () if "--samples" in more else ("--samples", "100")
        words = [str(one) for one in ("--annotated", truth, "--facts", a, *more, *few)]
        return self.cli("evaluate", "letters", *words, cwd=self.folder)

    def json(self, a: Path, *more: object, annotated: Path | None = None) -> Any:
        return self.forms(a, *more, annotated=annotated)[1]

    def forms(self, a: Path, *more: object, annotated: Path | None = None) -> tuple[str, Any, str]:
        """The text, the JSON, which is held against its schema, and the page, of one evaluation."""
        out = [self.folder / f"out.{name}" for name in ("text", "json", "html")]
        done = self(a, *more, *(w for one in out for w in ("--out", f"{one.suffix[1:]}={one}")), annotated=annotated)
        assert done.stderr == ""
        text, written, page = (one.read_text("utf-8") for one in out)
        assert done.stdout == text
        found = json.loads(written)
        jsonschema.validate(found, SCHEMA)
        assert done.returncode == (3 if found["without_evidence"] else 0)
        return text, found, page


@pytest.fixture
def asked(cli: Cli, folder: Path) -> Asked:
    lay(folder / "truth.json", slip=[slip(name, 3, 8) for name in DOCUMENTS], letter=LETTERS)
    return Asked(cli, folder)


def relation(found: Any, name: str = "slip") -> Any:
    [one] = [one for one in found["relations"] if one["relation"] == name]
    return one
