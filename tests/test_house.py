"""The rules of the house, kept by the tools that know them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from .conftest import ROOT

ENGINE = sorted((ROOT / "engine").rglob("*.py"))
DOMAIN_WORDS = re.compile(r"cefr|essay|drone|permits?\b|flight|\btei\b|prose", re.IGNORECASE)


def _run(*command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_code_is_linted_and_formatted() -> None:
    assert _run("ruff", "check", "--no-cache", ".") == ""
    assert _run("ruff", "format", "--no-cache", "--check", ".") == ""


def test_the_engine_is_strictly_typed(tmp_path: Path) -> None:
    assert _run("mypy", "--cache-dir", str(tmp_path), "engine", "cli.py") == ""


def test_imports_point_down() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", ENGINE, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_knows_no_domain(path: Path) -> None:
    assert DOMAIN_WORDS.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", ENGINE, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_stay_small(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 360
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    long = [f.name for f in functions if (f.end_lineno or 0) - f.lineno > 60]
    assert long == []


def test_there_is_no_python_under_policies() -> None:
    assert [p for p in (ROOT / "policies").rglob("*") if p.suffix in (".py", ".pyc")] == []


def test_pinned_requirements_name_no_address_and_hash_everything() -> None:
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?:|file:|index-url|find-links", text), path.name
        blocks = re.split(r"\n(?=\S)", text.strip())
        assert all("--hash=sha256:" in block for block in blocks), path.name


def test_every_extra_that_a_pinned_package_asks_for_is_pinned_with_it() -> None:
    """`pip` takes a plain `name==1.0` for no pin of `name[extra]`: once a newer one appears, set-up would end."""
    pins = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    named = {line.split("==")[0].lower() for line in pins.splitlines() if re.match(r"\w[^ ]*==", line)}
    asked = set()
    for name in {entry.split("[")[0] for entry in named}:
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # of another system
            continue
        needs = [need for need in needs if "extra ==" not in need]
        asked |= {found[0].lower() for need in needs if (found := re.match(r"[\w.-]+\[[\w,-]+\]", need))}
    assert "smart-open[http]" in asked
    assert {extra.replace("_", "-") for extra in asked} <= {entry.replace("_", "-") for entry in named}


def test_the_door_starts_without_heavy_libraries() -> None:
    code = "import sys; sys.argv = ['fiel', '--version']\nfrom engine.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "print(sorted({'duckdb', 'sqlglot', 'yaml', 'rich', 'jsonschema'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
