"""The gate: what is true passes, what is made false is named with its place and both values, lies are noticed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from engine.gate.inject import choose, ground_of
from engine.gate.lies import KINDS
from engine.gating import GateRequest, gate_json, run_gate

from . import estates
from .conftest import ROOT, Cli
from .gate_runs import examiner_of, project

__all__ = ["project"]


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
