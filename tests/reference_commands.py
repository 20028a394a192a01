"""Running the commands of references in a folder with a list."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from openpyxl import Workbook

from .conftest import Cli
from .references import FIXTURES

PACK = "format: 1\npack: {0}\ntitle: Words\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = """\
shown_level:
  row: A level that a page shows.
  key: [place]
  columns:
    place: {type: text}
    word: {type: text, required: true}
    kind: {type: text}
    level: {type: levels, levels: [A1, A2, B1, B2, C1, C2]}
"""
NAME = "fixture-vocabulary-1.0.csv"
DATA = (FIXTURES / NAME).read_bytes()


def entry(data: bytes = DATA, file: str = NAME) -> str:
    return (
        f"fixture:\n  title: Invented words\n  edition: '1.0'\n  file: {file}\n"
        f"  sha256: '{hashlib.sha256(data).hexdigest()}'\n  licence: CC0-1.0\n  cite: Nobody.\n"
        "  columns:\n    headword: headword\n    pos: pos\n"
        "    level: {from: CEFR, type: levels, levels: [A1, A2, B1, B2, C1, C2]}\n"
        "  prepare: [split_slashes: headword]\n  key: [headword, pos]\n  checked: 2026-11-30\n"
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the pack `words` and the file of its reference in `refs`."""
    pack = tmp_path / "policies" / "words"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text(PACK.format("words"))
    (pack / "relations.yaml").write_text(RELATIONS)
    (pack / "references.yaml").write_text(entry())
    (tmp_path / "refs").mkdir()
    (tmp_path / "refs" / NAME).write_bytes(DATA)
    return tmp_path


def run(cli: Cli, home: Path, *words: str, refs: str | None = "refs") -> tuple[int, str, str]:
    folder = ["--references", refs] if refs else []
    done = cli("reference", *words, *folder, cwd=home, XDG_DATA_HOME=str(home / "data"), FIEL_REFERENCES="")
    assert "bug of Fiel" not in done.stderr
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def book(*rows: list[str | None]) -> bytes:
    workbook = Workbook()
    assert workbook.active is not None
    for row in rows:
        workbook.active.append(row)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()
