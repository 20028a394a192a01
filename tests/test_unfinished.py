"""What a draft left open is noted by `check` until somebody settles it, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.load.reading import parse_bytes
from engine.load.unfinished import unfinished

from .conftest import Cli


def notes(text: str, kind: str = "policy") -> list[tuple[int, int, str]]:
    found = unfinished(parse_bytes(text.encode(), "f.yaml"), kind)
    assert all(not p.is_error and p.help for p in found)
    return [(p.place.line, p.place.column, p.message) for p in found if p.place is not None]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("a: b  # guessed: what?\n", "policy", [(1, 7, "a guess is left here: `what?`")]),
        ("#guessed\na: b\n", "policy", [(1, 1, "a guess is left here")]),
        ("cannot_see: not written yet\n", "policy", [(1, 13, "`cannot_see` is `not written yet`")]),
        ("cannot_see: not written yet  # guessed: x\n", "policy", [(1, 30, "a guess is left here: `x`")]),
        ("licence: Not stated.\n", "pack", [(1, 10, "`licence` is `Not stated.`")]),
        ("r:\n  cannot_see: not written yet\n", "relations", [(2, 15, "`cannot_see` is `not written yet`")]),
    ],
)
def test_what_is_left_is_noted_where_it_stands(text: str, kind: str, expected: list[object]) -> None:
    assert notes(text, kind) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a: b  # was guessed, and is settled\n",
        'a: "x # guessed: in a text"\n',
        "a: |\n  x\n  # guessed: in a block\nb: c\n",
        "a: b#guessed\n",
        "licence: CC0-1.0\ncannot_see: Nothing is not written yet.\n",
        "example: {licence: not stated, cannot_see: not written yet}\n",
        "[",
        "",
    ],
)
def test_texts_and_cells_are_left_alone(text: str) -> None:
    assert notes(text) == []


def test_check_notes_every_guess_of_a_draft_and_goes_on(tmp_path: Path, cli: Cli) -> None:
    assert cli("new", "pack", "mine", cwd=tmp_path).returncode == 0
    done = cli("check", cwd=tmp_path)
    drafted = "".join(p.read_text("utf-8") for p in (tmp_path / "policies/mine").iterdir())
    assert done.returncode == 0
    assert done.stdout.count("note: guess-left") == drafted.count("# guessed") > 8
    for path in (tmp_path / "policies/mine").iterdir():
        settled = [line.split("  # guessed")[0] for line in path.read_text("utf-8").split("\n")]
        path.write_text("\n".join(settled).replace("not written yet", "Wear.").replace("not stated", "CC0-1.0"))
    assert cli("check", cwd=tmp_path).stdout == "1 policy in 1 pack: 0 problems, 0 notes\n"
