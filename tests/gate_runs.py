"""Running the gate over a small project."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.gate.estate import Estate, gather
from engine.gate.examine import Examiner, View
from engine.honesty import promises
from engine.judgeable import check_packs
from engine.load import load_packs
from engine.references import open_references

from . import estates
from .conftest import ROOT


def examiner_of(folder: Path, policies: Path, references: Path, paths: list[Path]) -> tuple[Examiner, Estate, View]:
    packs = load_packs(policies).packs
    judgeable = check_packs(packs).choose([p.id for pack in packs.values() for p in pack.policies.values()])
    declared = {n: r for pack in packs.values() for n, r in pack.references.items()}
    shelf = open_references(declared.values(), [references])
    examiner = Examiner(packs, judgeable.policies, shelf, promises(ROOT / "honesty_tests"))
    estate = gather(paths, {n for pack in packs.values() for n in pack.relations})
    return examiner, estate, examiner.view(estate)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    estates.lay(tmp_path / "project")
    return tmp_path / "project"
