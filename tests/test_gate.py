"""The gate: what is true passes, what is made false is named with its place and both values, lies are noticed."""

from __future__ import annotations

import json
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
from engine.gate.inject import choose, ground_of, tell
from engine.gate.lies import KINDS
from engine.gating import GateRequest, gate_json, run_gate
from engine.honesty import promises
from engine.judgeable import check_packs
from engine.load import load_packs
from engine.references import open_references

from . import estates
from .conftest import ROOT, SHARED, Cli, need
from .consoles import Console

LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
MARK = re.compile(
    r'\[([ABC][12])\]\(fiel:\w+@|class="official"[^>]*>([ABC][12])</data>'
    r'|"value":"([ABC][12])","prov|: ([ABC][12]) \(cefrj'
)


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


def honesty(cli: Cli, project: Path, *more: str, lies: str = "0") -> tuple[int, str]:
    done = cli("honesty", "--references", "lists", "--lies", lies, *more, cwd=project)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


# -- the invented project ----------------------------------------------------------------------------------------


def test_what_is_true_passes_and_says_what_was_looked_at(cli: Cli, project: Path) -> None:
    code, said = honesty(cli, project)
    assert code == 0, said
    assert "examined 6 pages (27 values marked official, 1 quote) and 1 file of facts with 6 rows" in said
    assert "fixture_vocabulary 1.0: Made up for tests. Licence: made up" in said
    assert "lies: none told, so nobody knows whether the gate would notice one" in said


def test_every_kind_of_lie_finds_a_place_and_is_noticed(cli: Cli, project: Path) -> None:
    code, said = honesty(cli, project, "--format", "json", lies="200")
    found = json.loads(said.split("\n")[0])["lies"]
    assert (code, found["not_caught"], found["no_place_for"]) == (0, [], [])
    assert set(found["told"]) == set(KINDS)
    assert sum(found["told"].values()) == sum(found["caught"].values()) == 200


def test_a_lie_that_is_not_noticed_is_named_and_fails(cli: Cli, project: Path) -> None:
    """Without the promise that values equal their cells, a flipped level of a page goes through."""
    tests = project / "promises"
    shutil.copytree(ROOT / "honesty_tests", tests)
    (tests / "official_value_equals_its_cell.yaml").unlink()
    code, said = honesty(cli, project, "--tests", "promises", lies="60")
    assert code == 1
    assert re.search(r"docs/levels\.\w+:\d+: NOT CAUGHT: page-level-flipped: [ABC][12] became [ABC][12]", said), said
    assert "detectable, because the shown value is no longer that of the cell" in said


def test_a_seed_says_which_lies_are_told(project: Path) -> None:
    examiner, estate, view = examiner_of(
        project, project / "policies", project / "lists", [project / "docs", project / "facts"]
    )
    with examiner:
        ground = ground_of(examiner, view, estate.pages)
        first, again, other = (choose(ground, 50, seed)[0] for seed in (1, 1, 2))
    assert [lie.identity for lie in first] == [lie.identity for lie in again]
    assert [lie.identity for lie in first] != [lie.identity for lie in other]


def test_the_report_is_the_same_bytes_each_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    request = GateRequest(references=(Path("lists"),), lies=30)
    assert gate_json(run_gate(request)) == gate_json(run_gate(request))


def test_no_lie_is_told_while_there_is_an_offender(cli: Cli, project: Path) -> None:
    page = project / "docs" / "levels.txt"
    page.write_text(page.read_text().replace("A1 (fixture", "A2 (fixture", 1))
    code, said = honesty(cli, project, lies="20")
    assert code == 1
    assert "docs/levels.txt:1: official_value_equals_its_cell: blimmer, noun: value A2, cell A1" in said
    assert "lies: none told while there are offenders" in said


@pytest.mark.parametrize("name", ["levels.md", "levels.html", "levels.json", "levels.txt"])
def test_a_level_without_its_mark_is_an_offender_in_every_form(cli: Cli, project: Path, name: str) -> None:
    page = project / "docs" / name
    extra = {"levels.json": '[{"official level": "B2"}]', "levels.html": "<p>official: B2</p>"}
    page.write_text(extra.get(name, "The official level is B2.\n"))
    code, said = honesty(cli, project)
    assert code == 1
    assert re.search(rf"docs/{name}:1: official_claim_is_looked_up: value B2", said), said


def test_a_reference_that_was_edited_is_no_reference(cli: Cli, project: Path) -> None:
    file = project / "lists" / estates.LIST
    file.write_bytes(file.read_bytes().replace(b"blimmer,noun,A1", b"blimmer,noun,A2"))
    code, said = honesty(cli, project)
    assert code == 2
    assert "reference-changed" in said
    assert str(Path("lists") / estates.LIST) in said


def test_a_reference_that_is_missing_confirms_nothing(cli: Cli, project: Path) -> None:
    (project / "lists" / estates.LIST).unlink()
    code, said = honesty(cli, project)
    assert code == 2
    assert "reference-missing" in said


def test_a_reference_that_nothing_uses_may_be_missing(cli: Cli, project: Path) -> None:
    (project / "lists" / estates.SENSES).unlink()
    (project / "docs" / "levels.md").unlink()
    code, said = honesty(cli, project)
    assert code == 0, said
    assert "not here, and nothing uses it: fixture_senses" in said


def test_a_missing_reference_is_told_once_and_not_for_each_value(cli: Cli, project: Path) -> None:
    (project / "lists" / estates.LIST).unlink()
    code, said = honesty(cli, project)
    assert code == 2
    assert said.count("is not installed") == 1
    assert "offenders: none" in said


def test_an_offender_names_the_key_and_says_what_to_do(cli: Cli, project: Path) -> None:
    page = project / "docs" / "levels.md"
    page.write_text(
        page.read_text().replace("[B1](fiel:fixture_vocabulary", "[C2](fiel:fixture_vocabulary", 1) + "\nofficial C1\n"
    )
    code, said = honesty(cli, project)
    assert code == 1
    assert "drindel, verb: value C2, cell B1" in said
    assert "help: `fiel reference look … --mark`" in said


def test_a_title_with_a_level_in_it_claims_nothing(project: Path) -> None:
    file = project / "policies" / "words" / "references.yaml"
    file.write_text(file.read_text().replace("title: Fixture Vocabulary", "title: Fixture Vocabulary C1/C2"))
    (project / "docs" / "about.md").write_text("The official Fixture Vocabulary C1/C2 is cited here.\n")
    examiner, _, view = examiner_of(project, project / "policies", project / "lists", [project / "docs"])
    with examiner:
        assert examiner.examine(view) == []


def test_a_mark_of_a_shipped_list_says_where_its_pack_is(cli: Cli, project: Path) -> None:
    (project / "docs" / "mine.md").write_text('[A1](fiel:cefrj_vocabulary?headword=go&pos=verb#level "official")\n')
    code, said = honesty(cli, project)
    assert code == 1
    assert "`cefrj_vocabulary` is declared by the pack `cefr` that is shipped with Fiel" in said


def test_nothing_to_look_at_is_no_success(cli: Cli, tmp_path: Path, project: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, code in ((("honesty", "--policies", project / "policies"), "nothing-to-examine"),
                        (("honesty", empty, "--policies", project / "policies"), "nothing-to-examine"),
                        (("honesty", "nowhere", "--policies", project / "policies"), "no-such-path")):  # fmt: skip
        done = cli(*words, cwd=empty)
        assert done.returncode == 2
        assert code in done.stderr


def test_facts_that_nobody_declares_are_refused_and_not_taken_for_a_page(cli: Cli, project: Path) -> None:
    (project / "facts" / "other.json").write_text('{"shwon": [{"id": "a"}]}')
    code, said = honesty(cli, project)
    assert code == 2
    assert "`shwon`" in said
    assert "did you mean `shown`?" in said


def test_rows_without_evidence_are_named_too(cli: Cli, project: Path) -> None:
    file = project / "facts" / "page.json"
    file.write_text(file.read_text().replace('"said": "official"', '"said": null', 1))
    code, said = honesty(cli, project)
    assert code == 1
    assert "facts/page.json:2: words.official_level: id w0" in said


def test_a_gate_with_nothing_to_guard_proves_nothing(cli: Cli, project: Path) -> None:
    for name in ("few_rows", "official_level"):
        (project / "policies" / "words" / f"{name}.yaml").unlink()
    (project / "plain.md").write_text("# A page\n\nIt claims nothing.\n")
    code, said = honesty(cli, project, "plain.md", lies="20")
    assert code == 2
    assert "nothing-to-guard" in said
    code, said = honesty(cli, project, "plain.md")
    assert code == 0


def test_more_lies_than_there_are_is_said(cli: Cli, project: Path) -> None:
    code, said = honesty(cli, project, "docs/levels.txt", lies="5000")
    assert code == 0, said
    assert re.search(r"5,000 lies were asked for, and there are only [0-9]+ to tell", said)


def test_a_policy_that_cannot_judge_is_no_silence(cli: Cli, project: Path) -> None:
    """A rule over what is shown that is in error passes nothing."""
    rule = project / "policies" / "words" / "few_rows.yaml"
    about = 'source: "Act 1/2000, art. 4", checked: 2026-11-30'
    dated = f"origin: law, unit: none, values: [{{from: 2020-01-01, value: 30, {about}}}]"
    text = re.sub(r"longest: \{.*\}", f"longest: {{{dated}}}", rule.read_text())
    rule.write_text(text.replace("must:", "as_of: judged_on\nmust:").replace("null,", "null, judged_on: 2026-01-01,"))
    code, said = honesty(cli, project)
    assert code == 1
    assert "words.few_rows: error: the policy judges as of a given day" in said
    assert honesty(cli, project, "--as-of", "2026-12-01")[0] == 0


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
