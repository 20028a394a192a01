"""Broken packs, one mistake each, and what an author is told about it.

Each folder of `broken/` holds the files that differ from those of `broken/base`; `NAME.expected` beside it is the whole
message. `FIEL_REWRITE_EXPECTED=1` writes those files anew: read the difference before you keep it.
"""

from __future__ import annotations

import os
import shutil
from datetime import date
from pathlib import Path

import pytest

from engine.checkup import check_paths
from engine.errors import Problem
from engine.render.problems import render_problems

BROKEN = Path(__file__).parent / "broken"
SAMPLES = sorted(entry.name for entry in BROKEN.iterdir() if entry.is_dir() and entry.name != "base")


def problems_of(sample: str, folder: Path) -> list[Problem]:
    """The problems of the base pack with the files of a sample laid over it."""
    pack = folder / "sky"
    shutil.copytree(BROKEN / "base", pack)
    if sample:
        shutil.copytree(BROKEN / sample, pack, dirs_exist_ok=True)
    return list(check_paths([pack], date(2026, 1, 1)).problems)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_base_pack_has_no_problem(tmp_path: Path) -> None:
    assert render_problems(problems_of("", tmp_path)) == ""


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_broken_pack_is_explained(sample: str, tmp_path: Path) -> None:
    text = render_problems(problems_of(sample, tmp_path))
    assert text, "nothing was noticed"
    golden = BROKEN / f"{sample}.expected"
    if os.environ.get("FIEL_REWRITE_EXPECTED"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_every_expected_message_has_its_sample() -> None:
    assert sorted(path.stem for path in BROKEN.glob("*.expected")) == SAMPLES


def test_one_mistake_gives_few_messages(tmp_path: Path) -> None:
    counts = {sample: len(problems_of(sample, tmp_path / sample)) for sample in SAMPLES}
    assert {sample: count for sample, count in counts.items() if count > 3} == {}
