"""The formats for machines: what each shows of a run, that it is well formed, and that no verdict is lost in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from lxml import etree

from engine import __version__
from engine.cli_commands import FORMAT_NAMES
from engine.pipeline import judge
from engine.render import FORMATS
from engine.render.text import summary_line
from engine.verdict import Run, Spot, worst

from . import packs, report_run
from .conftest import ROOT, SHARED, Cli, need

GOLDEN = ROOT / "tests" / "golden" / "outputs"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the sample in it."""
    report_run.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    return report_run.sample()


@pytest.mark.parametrize("name", [n for n in FORMAT_NAMES if n not in ("text", "json")])
def test_a_format_renders_the_sample_as_it_is_kept(name: str, run: Run) -> None:
    made = FORMATS[name](run).replace(f'"version":"{__version__}"', '"version":"VERSION"')
    kept = GOLDEN / f"sample.{name}"
    if os.environ.get("FIEL_REWRITE"):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(made, encoding="utf-8")
    assert made == kept.read_text(encoding="utf-8")


def test_the_door_offers_every_format() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES


def test_formats_that_are_seldom_asked_for_cost_no_start() -> None:
    code = "import sys, engine.render; print(sorted({'jinja2', 'xml.etree.ElementTree'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True).stdout == "[]\n"


def test_any_number_of_formats_is_written_at_once(cli: Cli, folder: Path) -> None:
    outs = [word for name in FORMATS for word in ("--out", f"{name}=v.{name}")]
    done = cli("judge", "--facts", "facts", "--as-of", "2026-11-30", "--format", "github", *outs, cwd=folder)
    assert done.returncode == 2
    assert sorted(p.name for p in folder.glob("v.*")) == sorted(f"v.{name}" for name in FORMATS)
    assert (folder / "v.github").read_text(encoding="utf-8") == done.stdout
    for name in FORMATS:
        alone = cli("judge", "--facts", "facts", "--as-of", "2026-11-30", "--format", name, cwd=folder)
        assert (folder / f"v.{name}").read_text(encoding="utf-8") == alone.stdout, name


def test_an_unknown_format_is_refused_with_the_names_of_all(cli: Cli) -> None:
    done = cli("judge", "--facts", "x", "--out", "sarf=v")
    assert "did you mean `sarif`?" in done.stderr
    done = cli("judge", "--facts", "x", "--out", "zzz=v")
    assert all(f"`{name}`" in done.stderr for name in FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_names_each_blind_spot_and_each_row_for_a_person(name: str, run: Run) -> None:
    made = FORMATS[name](run)
    for policy in run.policies:
        assert policy.checked.policy.cannot_see in made
    for spots in run.blind_spots.values():
        assert all(spot in made for spot in spots.values())
    queue = [w for p in run.policies for w in p.witnesses if w.outcome == "review"]
    assert [w.key["loan"] for w in queue] == ["l3", "l4"]
    assert re.search(r"person|[Rr]eview", made)


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("text", "json")])
def test_waived_rows_are_shown_with_owner_reason_and_end(name: str, run: Run) -> None:
    made = FORMATS[name](run)
    for word in ("the head of lending", "The reader was ill.", "2026-12-14"):
        assert word in made


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("text", "json")])
def test_every_waiver_is_listed_those_that_are_over_too(name: str, run: Run) -> None:
    made = FORMATS[name](run)
    assert all(reason in made for reason in ("A gift of long books.", "The till was closed."))
    assert re.search(r"EXPIRED, covers nothing|\"expired\":true|it excuses nothing", made)


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_never_read_is_listed_where_it_was_asked_for(name: str, run: Run) -> None:
    assert run.coverage is not None
    assert "library.old_books_stay" in run.coverage.policies
    bare = FORMATS[name](replace(run, coverage=None))
    assert FORMATS[name](run).count("library.old_books_stay") == bare.count("library.old_books_stay") + 1


# -- no verdict is lost ----------------------------------------------------------------------------------------


def some_runs(run: Run) -> Iterator[Run]:
    """The sample cut down to each single policy, with its rows, with none of them shown, and with none at all.

    The last is what an absent relation gives.
    """
    for policy in run.policies:
        hidden = replace(policy, witnesses=(), more_witnesses=policy.more_witnesses + len(policy.witnesses))
        for one in (policy, hidden, replace(policy, witnesses=(), more_witnesses=0)):
            yield replace(run, policies=(one,), verdict=worst((one.verdict,)))


def test_what_is_not_green_for_the_exit_code_is_not_green_for_junit(run: Run) -> None:
    for one in some_runs(run):
        suites = ElementTree.fromstring(FORMATS["junit"](one)).findall("testsuite")
        bad = sum(int(s.get("failures", 0)) + int(s.get("errors", 0)) for s in suites)
        assert (bad > 0) == (one.exit_code != 0), one.verdict
        marked = [
            c
            for s in suites
            for c in s.iter("testcase")
            if c.find("failure") is not None or c.find("error") is not None
        ]
        assert len(marked) == bad


def test_what_is_not_green_for_the_exit_code_has_a_heavy_result_in_sarif(run: Run) -> None:
    for one in some_runs(run):
        log = json.loads(FORMATS["sarif"](one))["runs"][0]
        heavy = [r for r in log["results"] if r["level"] in ("error", "warning") and not r.get("suppressions")]
        assert bool(heavy) == (one.exit_code != 0), one.verdict
        assert (log["invocations"][0]["executionSuccessful"] is False) == (one.exit_code == 2)
        assert log["invocations"][0]["exitCode"] == one.exit_code


def test_what_is_not_green_for_the_exit_code_has_an_annotation(run: Run) -> None:
    for one in some_runs(run):
        heavy = re.findall(r"^::(?:error|warning) ", FORMATS["github"](one), re.MULTILINE)
        assert bool(heavy) == (one.exit_code != 0), one.verdict


# -- SARIF -----------------------------------------------------------------------------------------------------


def sarif(run: Run) -> dict[str, Any]:
    return json.loads(FORMATS["sarif"](run))["runs"][0]


def test_sarif_is_valid(run: Run) -> None:
    schema = json.loads(need(SHARED / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    checker = jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    for one in (run, *some_runs(run)):
        assert list(checker.iter_errors(json.loads(FORMATS["sarif"](one)))) == []


def test_a_result_of_another_kind_than_fail_has_no_level(run: Run) -> None:
    """SARIF 3.27.10."""
    results = sarif(run)["results"]
    assert {r["kind"] for r in results if r["level"] == "none"} == {"pass", "notApplicable"}
    assert {r["level"] for r in results if r["kind"] != "fail"} == {"none"}


def test_a_result_points_at_the_row_and_relates_to_the_rule(run: Run) -> None:
    result = next(r for r in sarif(run)["results"] if r["properties"].get("key") == {"loan": "l2"})
    place, rule = result["locations"][0]["physicalLocation"], result["relatedLocations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "facts/loan.jsonl", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2},
    }
    assert rule["artifactLocation"]["uri"] == "policies/library/back_in_time.yaml"
    assert rule["region"] == {"startColumn": 7, "startLine": 4}


def test_a_group_points_at_the_rule(run: Run) -> None:
    result = next(r for r in sarif(run)["results"] if r["ruleId"] == "library.few_damages_each")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("few_damages_each.yaml")
    assert "relatedLocations" not in result


def test_a_waived_row_is_a_suppressed_result(run: Run) -> None:
    (result,) = [r for r in sarif(run)["results"] if r.get("suppressions")]
    (suppression,) = result["suppressions"]
    assert suppression["justification"] == "waived by the head of lending until 2026-12-14: The reader was ill."
    assert suppression["properties"]["until"] == "2026-12-14"
    assert (suppression["kind"], suppression["status"]) == ("external", "accepted")


def test_an_error_is_a_notification_of_the_tool(run: Run) -> None:
    (notification,) = sarif(run)["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["associatedRule"]["id"] == "library.one_reader_each"


def test_no_path_of_the_machine_is_in_any_format(run: Run, folder: Path) -> None:
    absolute = judge(replace(report_run.request(), facts=(str(folder / "facts"),), policies=folder / "policies"))
    for name in FORMATS:
        assert str(folder) not in FORMATS[name](replace(absolute, receipt=run.receipt)), name
        assert FORMATS[name](replace(replace(absolute, receipt=run.receipt), chosen=run.chosen)) == FORMATS[name](
            run
        ), name


def test_shipped_policies_are_named_from_where_fiel_lies(cli: Cli, tmp_path: Path) -> None:
    facts = tmp_path / "flights.json"
    facts.write_bytes((ROOT / "facts" / "permits" / "flights.json").read_bytes())
    done = cli("judge", "--facts", facts, "--format", "sarif", cwd=tmp_path)
    assert done.returncode == 1
    assert '"uri":"policies/permits/open_category_height.yaml","uriBaseId":"FIEL"' in done.stdout
    assert str(ROOT) not in done.stdout


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b.jsonl", "a%20b.jsonl"),
        ("50%.jsonl", "50%25.jsonl"),
        ("x:y.jsonl", "x%3Ay.jsonl"),
        ("año#1?.jsonl", "a%C3%B1o%231%3F.jsonl"),
        ("./a/../b.jsonl", "b.jsonl"),
        ("../b.jsonl", "../b.jsonl"),
        ("/elsewhere/b c.jsonl", "file:///elsewhere/b%20c.jsonl"),
    ],
)
def test_paths_are_written_as_uris(run: Run, file: str, uri: str) -> None:
    policy = run.policies[0]
    moved = replace(policy, witnesses=(replace(policy.witnesses[0], spot=Spot(file, 3)),))
    artifact = sarif(replace(run, policies=(moved,)))["results"][0]["locations"][0]["physicalLocation"][
        "artifactLocation"
    ]
    assert artifact["uri"] == uri
    assert ("uriBaseId" in artifact) == (not uri.startswith("file:"))


def test_standard_input_is_no_file(run: Run) -> None:
    policy = run.policies[0]
    moved = replace(policy, witnesses=(replace(policy.witnesses[0], spot=Spot("-", 3, 3)),))
    result = sarif(replace(run, policies=(moved,)))["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("back_in_time.yaml")
    assert "at standard input, line 3, row 3" in result["message"]["text"]


# -- JUnit -----------------------------------------------------------------------------------------------------


def test_junit_is_valid(run: Run) -> None:
    schema = etree.XMLSchema(etree.parse(str(need(SHARED / "schemas" / "JUnit.xsd"))))
    for one in (run, *some_runs(run)):
        schema.assertValid(etree.fromstring(FORMATS["junit"](one).encode("utf-8")))


def test_a_suite_is_a_pack_and_a_test_a_policy(cli: Cli, folder: Path) -> None:
    other = packs.write(folder, {"rule": packs.policy("words <= top")})
    packs.facts(folder / "facts", {"item": [packs.ROW]}, "items.json")
    done = cli(
        "judge", "--policies", other, "--facts", "facts", "--as-of", "2026-11-30", "--format", "junit", cwd=folder
    )
    suites = ElementTree.fromstring(done.stdout).findall("testsuite")
    assert [(s.get("name"), s.get("tests"), s.get("id")) for s in suites] == [("library", "8", "0"), ("t", "1", "1")]


# -- GitHub ----------------------------------------------------------------------------------------------------


def test_an_annotation_stands_at_the_row(run: Run) -> None:
    lines = FORMATS["github"](run).splitlines()
    assert any(
        line.startswith("::error file=facts/loan.jsonl,line=2,title=library.back_in_time::A book comes back")
        for line in lines
    )
    assert lines[-1] == summary_line(run)
    assert lines[-1].startswith(
        "8 policies: 3 fail, 1 pass, 1 review, 1 no evidence, 1 not applicable, 1 error; verdict"
    )
    kinds = [line.split(" ", 1)[0] for line in lines[:-1]]
    assert kinds == sorted(kinds, key=["::error", "::warning", "::notice"].index)
