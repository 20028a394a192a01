"""The wheel is the checkout under one name: nothing missing, nothing left over, and it judges."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .conftest import ROOT

SHIPPED = ("engine", "policies", "facts", "honesty_tests")


def tracked() -> list[str]:
    """The files of the checkout that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a clean export, since setuptools would reuse what an earlier build left."""
    export = tmp_path_factory.mktemp("export")
    for name in tracked():
        (export / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, export / name)
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(export)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(out.glob("*.tar.gz"))) == 1
    return next(out.glob("*.whl"))


def test_the_wheel_holds_just_what_the_checkout_ships(wheel: Path) -> None:
    inside = {n.removeprefix("fiel/") for n in zipfile.ZipFile(wheel).namelist() if n.startswith("fiel/")}
    assert inside == {name for name in tracked() if name.split("/")[0] in SHIPPED}


def test_the_installed_wheel_judges_its_own_sample_facts(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    done = subprocess.run(
        [sys.executable, "-m", "fiel.engine.cli", "judge", "--facts", str(site / "fiel/facts/permits/flights.json")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site), "FIEL_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL  permits.open_category_height" in done.stdout
