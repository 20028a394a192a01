"""The pages do what they say: their files are written, their commands run, and their output compared.

With FIEL_REWRITE=1 the pages are given the output that the commands print now.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from engine.check import check_policy
from engine.load import load_packs

from .conftest import ROOT
from .consoles import Console, blocks, commands

NAMES = "authoring changes evaluate facts mutants outputs policies records references reports review sensors views"
NAMES += " sensors-text"
PAGES = ["README.md", *(f"docs/{name}.md" for name in NAMES.split())]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_commands_print(page: str, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    home, work = Console(ROOT, tmp_path / "bin"), Console(tmp_path / "work", tmp_path / "bin")
    work.folder.mkdir()
    console, seen, now = home, 0, list[tuple[int, str, str]]()
    for block in blocks(text):
        if block.path is not None:
            console = work
            (work.folder / block.path).parent.mkdir(parents=True, exist_ok=True)
            (work.folder / block.path).write_text(block.text, encoding="utf-8")
        elif block.kind == "console":
            printed = [(command, console.run(command)) for command, _ in commands(block)]
            seen += len(printed)
            now.append((block.at, block.text, "".join(f"$ {command}\n{output}" for command, output in printed)))
    assert seen > 0
    assert not any("bug of Fiel" in output for _, _, output in now)
    if os.environ.get("FIEL_REWRITE"):
        for at, shown, output in reversed(now):
            text = text[:at] + output + text[at + len(shown) :]
        (ROOT / page).write_text(text, encoding="utf-8")
    for _, shown, output in now:
        assert output == shown or os.environ.get("FIEL_REWRITE"), page


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert target.startswith(("http", "fiel:")) or (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_expression_of_the_manual_is_legal(tmp_path: Path) -> None:
    """The manual's examples are checked as rules of the relations that the manual declares."""
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    written = {b.path: b.text for b in blocks(page) if b.path}
    for path, content in written.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    found = [line for b in blocks(page) if b.kind == "sql" for line in b.text.splitlines() if line.strip()]
    assert len(found) >= 10
    template = (tmp_path / "policies/orders/delivered_in_time.yaml").read_text(encoding="utf-8")
    for number, expression in enumerate(found):
        folder = tmp_path / f"try{number}"
        shutil.copytree(tmp_path / "policies", folder)
        rule = re.sub(r"^must: .*$", f"must: >-\n  {expression}", template, flags=re.MULTILINE)
        (folder / "orders/delivered_in_time.yaml").write_text(rule, encoding="utf-8")
        pack = load_packs(folder).packs["orders"]
        _, problems = check_policy(pack.policies["delivered_in_time"], pack)
        left = [p for p in problems if p.code not in ("unused-parameter", "as-of-unused")]
        assert left == [], expression
