"""Runs of sensors that ask a model, for tests: a home with documents, the command, and what a run left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import sensors
from .conftest import Cli
from .model_server import Server

PROVIDERS = ("anthropic", "decisions")
TEXTS = {"a.txt": "You are kind.", "b.txt": "Go away, now.", "c.txt": "Sí: “señor” 😀"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    sensors.lay(tmp_path, sensors.ASKING)
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "texts" / name).write_text(text, "utf-8")
    return tmp_path


def words(server: Server | None, provider: str, *more: str, place: tuple[str, str] = ("--out", "run")) -> list[str]:
    url = "http://127.0.0.1:9" if server is None else server.url_of(provider)
    call = ["--provider", provider, "--model", "model-1", "--key-env", "MODEL_KEY", "--url", url]
    return ["sense", "shop", "texts", "--run", *call, *place, *more]


def run_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return found


def rows_of(folder: Path, relation: str = "claim") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "facts" / f"{relation}.jsonl").read_text("utf-8").splitlines()]


def is_refused(cli: Cli, home: Path, name: str = "run") -> None:
    """Neither the run nor anything in it is taken for facts."""
    assert not (home / name / "facts").exists()
    for path in (name, f"{name}/facts", f"{name}/facts/claim.jsonl"):
        assert cli("judge", "--facts", path, cwd=home).returncode == 2
