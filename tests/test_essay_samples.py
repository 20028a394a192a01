"""What is recorded of the sample texts is what their authored answers give today, over a real socket."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from . import essay_samples as samples
from .conftest import SHARED, need
from .model_server import KEY, serving

REFERENCES = SHARED / "reference" / "cefr"


@pytest.fixture(scope="module")
def references() -> str:
    pytest.importorskip("spacy")
    return str(need(REFERENCES))


@pytest.mark.parametrize("name", samples.LEVELS if os.environ.get("FIEL_REWRITE") else ["short", "b1"])
def test_a_recorded_run_is_what_its_answer_gives(tmp_path: Path, references: str, name: str) -> None:
    is_what_its_answer_gives(tmp_path, references, name)


def is_what_its_answer_gives(tmp_path: Path, references: str, name: str) -> None:
    """The others are looked at under `make deep`."""
    text = tmp_path / f"{name}.txt"
    text.write_bytes((samples.TEXTS / text.name).read_bytes())
    with serving(samples.model(name)) as server:
        asked = [
            "--provider",
            "anthropic",
            "--model",
            "m",
            "--key-env",
            "MODEL_KEY",
            "--url",
            server.url_of("anthropic"),
        ]
        words = ["run", "cefr", str(text), "--level", samples.LEVELS[name], "--references", references, *asked]
        done = samples.inside(
            *words, "--keep", str(tmp_path / "kept"), "--out", str(tmp_path / "live.html"), MODEL_KEY=KEY
        )
    assert done.returncode in (0, 1, 3, 4), done.stderr
    now = samples.kept(name, tmp_path / "kept" / "marker")
    if os.environ.get("FIEL_REWRITE"):
        samples.keep(name, tmp_path / "kept" / "marker")
    recorded = {
        path.relative_to(samples.RUNS / name).as_posix(): path.read_text("utf-8")
        for path in sorted((samples.RUNS / name).rglob("*"))
        if path.is_file()
    }
    assert recorded == now
