"""The demo of official levels is what the reference says: made anew from it, where it is there, and compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.attest import Claim, Official, Proposed, attest
from engine.honesty import pinned_references
from engine.load import load_packs
from engine.references import open_references
from engine.render import marks

from .conftest import ROOT, SHARED, need

FOLDER = ROOT / "docs" / "levels"
WORDS = (
    ("go", "verb", "A1"),
    ("achieve", "verb", "A2"),
    ("moreover", "adverb", "B1"),
    ("addicted", "adjective", "B2"),
    ("will", "modal auxiliary", "A1"),
    ("will", "noun", "B2"),
    ("March", "noun", "A1"),
    ("march", "noun", "B1"),
    ("analyse", "verb", "B1"),
)
"""Word, part of speech and level of the CEFR-J Vocabulary Profile 1.5; the levels are looked up again here."""
PROPOSED = Proposed("C1", "sense_reader", "made-up-run")


def attested() -> list[tuple[str, str, Official]]:
    """The words with their official level. Skips where the reference is not there."""
    folder = need(SHARED / "reference" / "cefr" / "cefrj-vocabulary-profile-1.5.csv").parent
    references = load_packs(ROOT / "policies").packs["cefr"].references
    one = references["cefrj_vocabulary"]
    pinned = pinned_references([one], open_references([one], [folder]))
    found = []
    for headword, pos, level in WORDS:
        claim = Claim(level, one.name, {"headword": headword, "pos": pos}, "level")
        official = attest(claim, pinned)
        assert isinstance(official, Official), (headword, official)
        found.append((headword, pos, official))
    return found


def markdown(rows: list[tuple[str, str, Official]]) -> str:
    listed = [f"| {word} | {pos} | {marks.markdown(official)} |" for word, pos, official in rows]
    listed.append(f"| workaround | noun | {marks.markdown(PROPOSED)} |")
    table = "\n".join(["| word | part of speech | level |", "|---|---|---|", *listed])
    lines = "\n".join(f"{word}, {pos}: {marks.text(official)}" for word, pos, official in rows)
    cite, licence = rows[0][2].cite, rows[0][2].licence
    return (
        "# Levels of a few words\n\n"
        "Each level bears a mark that says which cell of which edition it is, and `fiel honesty` looks it up.\n"
        f"The last one is a proposal: no list has the word.\n\n{table}\n\n"
        f"The same as plain text, each with its line of the file:\n\n```text\n{lines}\n```\n\n"
        f"Source: {cite} Licence: {licence}\n"
    )


def html(rows: list[tuple[str, str, Official]]) -> str:
    cells = [f"<tr><th>{word}</th><td>{pos}</td><td>{marks.html(one)}</td></tr>" for word, pos, one in rows]
    cells.append(f"<tr><th>workaround</th><td>noun</td><td>{marks.html(PROPOSED)}</td></tr>")
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Levels of a few words</title>\n'
        "<h1>Levels of a few words</h1>\n<table>\n"
        "<caption>What the list says of them; the last level is a proposal</caption>\n"
        + "\n".join(cells)
        + f"\n</table>\n<p>Source: {rows[0][2].cite} Licence: {rows[0][2].licence}</p>\n</html>\n"
    )


def json(rows: list[tuple[str, str, Official]]) -> str:
    entries = ",\n".join(f'  {{"word": "{word}", "level": {marks.json(one)}}}' for word, _, one in rows)
    return f"[\n{entries}\n]\n"


@pytest.mark.parametrize(("name", "make"), [("README.md", markdown), ("levels.html", html), ("levels.json", json)])
def test_the_demo_is_what_the_reference_says(name: str, make: object) -> None:
    assert callable(make)
    text = make(attested())
    path: Path = FOLDER / name
    if os.environ.get("FIEL_REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
