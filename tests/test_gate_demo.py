"""The gate over the demo with the real lists, and the workflow that runs it."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from engine import __version__
from engine.errors import FielError
from engine.gate.estate import Estate, gather
from engine.gate.examine import Examiner, View
from engine.gate.inject import ground_of, tell
from engine.gate.lies import KINDS

from . import estates
from .conftest import ROOT, SHARED, Cli, need
from .consoles import Console
from .gate_runs import examiner_of, project

__all__ = ["project"]


LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
MARK = re.compile(
    r'\[([ABC][12])\]\(fiel:\w+@|class="official"[^>]*>([ABC][12])</data>'
    r'|"value":"([ABC][12])","prov|: ([ABC][12]) \(cefrj'
)


# -- the demo, with the real files -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> Iterator[tuple[Examiner, Estate, View]]:
    folder = need(SHARED / "reference" / "cefr")
    paths = [ROOT / "README.md", ROOT / "docs", ROOT / "facts" / "cefr"]
    examiner, estate, view = examiner_of(ROOT, ROOT / "policies", folder, paths)
    with examiner:
        yield examiner, estate, view


def test_the_shipped_demo_passes(demo: tuple[Examiner, Estate, View]) -> None:
    examiner, estate, view = demo
    assert examiner.examine(view) == []
    assert not view.problems
    assert sum(row.marked == "official" for page in view.pages.values() for row in page.shown) >= 36
    assert estate.facts


def test_any_single_level_of_a_page_that_is_changed_is_named_with_its_line_and_both_values(
    demo: tuple[Examiner, Estate, View],
) -> None:
    examiner, estate, view = demo
    changed = 0
    for name, data in estate.pages.items():
        text = data.decode("utf-8")
        for found in MARK.finditer(text):
            group = next(n for n in range(1, 5) if found[n])
            for level in LEVELS:
                if level == found[group]:
                    continue
                lie = text[: found.start(group)] + level + text[found.end(group) :]
                line = text.count("\n", 0, found.start(group)) + 1
                offenders = examiner.examine(examiner.with_page(view, name, lie.encode("utf-8")))
                said = [one.message for one in offenders if one.file == name and abs(one.line - line) <= 1]
                assert said, (name, line, level)
                assert any(found[group] in one and level in one for one in said) or "disagrees" in str(said), said
                changed += 1
    assert changed >= 150


def test_lies_about_the_demo_are_noticed(demo: tuple[Examiner, Estate, View]) -> None:
    examiner, estate, view = demo
    ground = ground_of(examiner, view, estate.pages)
    telling = tell(examiner, view, ground, 84, seed=7)
    assert telling.missed == ()
    assert telling.number == sum(telling.caught.values()) == 84
    assert telling.possible >= 1000


def test_the_gate_of_this_project_through_the_door(cli: Cli, tmp_path: Path) -> None:
    """As CI would run it; then with one level of the facts and one cell of the reference changed."""
    folder = need(SHARED / "reference" / "cefr")
    done = cli("honesty", "--references", folder, "--lies", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    facts = (ROOT / "facts" / "cefr" / "demo.json").read_text("utf-8")
    wrong = tmp_path / "demo.json"
    wrong.write_text(facts.replace('"pos": "adjective", "level": "B2"', '"pos": "adjective", "level": "C1"'))
    done = cli("honesty", wrong, "--references", folder, "--lies", "0")
    assert done.returncode == 1
    assert re.search(
        r"demo\.json:5: cefr\.official_level: .*level C1: differs: the reference has B2 \(cefrj", done.stdout
    )
    shutil.copytree(folder, tmp_path / "lists")
    file = tmp_path / "lists" / "cefrj-vocabulary-profile-1.5.csv"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"addicted,adjective,B2", b"addicted,adjective,C1"))
    done = cli("honesty", "--references", tmp_path / "lists", "--lies", "0")
    assert done.returncode == 2
    assert "reference-changed" in done.stderr
    assert "cefrj-vocabulary-profile-1.5.csv" in done.stderr


def test_a_page_that_cannot_be_read_stops_the_gate(project: Path) -> None:
    (project / "docs" / "large.md").write_bytes(b"x" * (32 * 1024 * 1024 + 1))
    with pytest.raises(FielError, match="page-unreadable"):
        gather([project / "docs"], [])


# -- the workflow ------------------------------------------------------------------------------------------------


def workflow(cli: Cli, project: Path) -> dict[str, object]:
    done = cli("init-ci", cwd=project)
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load((project / ".github" / "workflows" / "fiel.yml").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def test_the_workflow_runs_the_gate_and_fails_on_a_lie(cli: Cli, project: Path, tmp_path: Path) -> None:
    """Its steps are run as they stand, but for those that install and fetch."""
    steps = workflow(cli, project)["jobs"]["honesty"]["steps"]  # type: ignore[index]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[0] == f'python -m pip install "fiel=={__version__}"'
    assert runs[1:] == ["fiel check", "fiel test", "fiel honesty"]  # nothing to fetch: no reference has an address
    console = Console(project, tmp_path / "bin")
    console.env = {**console.env, "FIEL_REFERENCES": str(project / "lists")}
    console.run("fiel check")
    assert console.status == 0
    printed = console.run("fiel honesty --lies 12")
    assert (console.status, "caught 12 of 12" in printed) == (0, True), printed
    page = project / "docs" / "levels.md"
    page.write_text(page.read_text().replace("[B2]", "[C1]", 1))
    printed = console.run(runs[3])
    assert console.status == 1
    assert "docs/levels.md:" in printed


def test_a_workflow_fetches_what_has_an_address(cli: Cli, project: Path) -> None:
    file = project / "policies" / "words" / "references.yaml"
    file.write_text(file.read_text().replace("  licence:", "  obtain: https://example.org/list.csv\n  licence:", 1))
    steps = workflow(cli, project)["jobs"]["honesty"]["steps"]  # type: ignore[index]
    assert any('fiel reference fetch --references "$FIEL_REFERENCES"' in step.get("run", "") for step in steps)


def test_a_workflow_says_what_it_does_not_do(cli: Cli, project: Path, tmp_path: Path) -> None:
    done = cli("init-ci", cwd=project)
    assert "note: `fixture_vocabulary` has no address (`obtain`)" in done.stdout
    bare = tmp_path / "bare"
    bare.mkdir()
    done = cli("init-ci", cwd=bare)
    assert "there is no pack here" in done.stdout
    assert "name paths" in done.stdout
    steps = yaml.safe_load((bare / ".github/workflows/fiel.yml").read_text())["jobs"]["honesty"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[-1] == "fiel honesty"
    assert "fiel check" not in runs
    assert cli("init-ci", "nowhere.md", cwd=bare).returncode == 2
    assert "is a folder" in cli("init-ci", "--out", ".github", cwd=bare).stderr


def test_a_workflow_is_not_written_beside_a_broken_pack(cli: Cli, project: Path) -> None:
    """Its references could not be read, so nobody knows what has to be fetched."""
    file = project / "policies" / "words" / "references.yaml"
    file.write_text(file.read_text().replace("sha256:", "sha265:"))
    done = cli("init-ci", cwd=project)
    assert (done.returncode, (project / ".github").exists()) == (2, False)
    assert "unknown-key" in done.stderr


def test_a_reference_that_changes_while_it_is_used_stops_the_lies(project: Path) -> None:
    examiner, estate, view = examiner_of(project, project / "policies", project / "lists", [project / "docs"])
    with examiner:
        file = project / "lists" / estates.LIST
        file.write_bytes(file.read_bytes() + b"zorp,noun,A1,,,\n")
        with pytest.raises(FielError, match="reference-changed"):
            ground_of(examiner, view, estate.pages)


def test_a_workflow_of_the_user_is_not_replaced(cli: Cli, project: Path) -> None:
    workflow(cli, project)
    assert "already there" in cli("init-ci", cwd=project).stdout
    file = project / ".github" / "workflows" / "fiel.yml"
    file.write_text("name: mine\n")
    done = cli("init-ci", cwd=project)
    assert (done.returncode, file.read_text()) == (2, "name: mine\n")
    assert "cannot-write" in done.stderr


@pytest.mark.parametrize("path", ["a; rm x", "$(x)", "`x`", 'a"b', "a'b", "${{ secrets.X }}"])
def test_no_path_acts_in_the_workflow(cli: Cli, project: Path, path: str) -> None:
    (project / path).touch()
    done = cli("init-ci", path, "--out", "w.yml", cwd=project)
    if done.returncode == 0:
        (run,) = [s["run"] for s in yaml.safe_load((project / "w.yml").read_text())["jobs"]["honesty"]["steps"][-1:]]
        assert shlex.split(run) == ["fiel", "honesty", path]
    else:
        assert done.returncode == 2
        assert "cannot stand in a script" in done.stderr


def test_the_manual_lists_every_kind_of_lie_with_what_makes_it_detectable() -> None:
    page = (ROOT / "docs" / "honesty.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|$", page, re.MULTILINE)
    assert listed == [(name, kind.detectable) for name, kind in KINDS.items()]
