"""The pack `prose` over its constructed corpus: which outcome each answer has, and what it does with nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Cli

CLAIMS = ROOT / "facts/prose/claims"
SCOPE, GIVEN, SINGLE = "prose.scope_is_concrete", "prose.reason_is_given", "prose.reason_singles_out_its_number"
AGREES = "prose.answer_agrees_with_probability"
EXPECTED = {
    SCOPE: {
        ("lending.everything_else", "concrete_scope"): "fail",
        ("lending.everything_else", "empty_scope"): "fail",
        ("lending.other_errors", "concrete_scope"): "fail",  # at the cut itself
        ("lending.other_errors", "empty_scope"): "fail",
        ("lending.vague", "concrete_scope"): "review",
        ("lending.vague", "empty_scope"): "review",
        ("lending.zone_ends", "empty_scope"): "review",
    },
    GIVEN: {
        ("lending.fee_is_paid#least_fee", "reason_given"): "fail",
        ("lending.unsaid#n", "reason_given"): "no_evidence",
        ("lending.vague#share", "reason_given"): "review",
    },
    SINGLE: {
        ("lending.fee_is_paid#least_fee", "neighbour_fits"): "fail",
        ("lending.vague#share", "neighbour_fits"): "review",
    },
    AGREES: {
        ("lending.confident_no", "empty_scope"): "fail",
        ("lending.unsaid#n", "reason_given"): "no_evidence",
    },
}
"""Every answer that is not a pass."""
VERDICTS = {SCOPE: "fail", GIVEN: "fail", SINGLE: "pass", AGREES: "fail", "prose.one_model_a_run": "pass"}


def judged(cli: Cli, *words: str | Path) -> dict[str, dict[str, Any]]:
    done = cli("judge", "--pack", "prose", "--format", "json", *words)
    return {one["policy"]: one for one in json.loads(done.stdout)["policies"]}


def test_each_answer_of_the_corpus_has_its_outcome(cli: Cli) -> None:
    found = judged(cli, "--facts", CLAIMS)
    for policy, expected in EXPECTED.items():
        witnesses = found[policy]["witnesses"]
        outcomes = {(w["key"]["claim_id"], w["key"]["question"]): w["outcome"] for w in witnesses}
        assert outcomes == expected, policy
    assert {policy: found[policy]["verdict"] for policy in VERDICTS} == VERDICTS


def test_the_corpus_has_both_polarities_of_each_question_and_says_that_it_is_constructed() -> None:
    rows = [json.loads(line) for line in (CLAIMS / "facts/prose_claim.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) >= 20
    said = {(row["question"], row["answer"]) for row in rows}
    questions = {"empty_scope", "concrete_scope", "reason_given", "neighbour_fits"}
    assert said >= {(question, answer) for question in questions for answer in (True, False)}
    record = json.loads((CLAIMS / "run.json").read_text("utf-8"))
    assert record["provenance"] == "constructed"


@pytest.mark.parametrize("rows", [[], None])
def test_nothing_is_never_a_pass(cli: Cli, tmp_path: Path, rows: list[object] | None) -> None:
    texts = {"claim_id": "p.a", "policy": "p.a", "part": "scope", "parameter": "", "text": "Stains."}
    facts = {"rule_text": [{**texts, "value": None, "unit": None, "origin": None}]}
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(facts if rows is None else {**facts, "prose_claim": rows}), "utf-8")
    found = judged(cli, "--facts", path)
    assert {one["verdict"] for name, one in found.items() if name != "prose.every_text_is_asked_about"} <= {
        "no_evidence",
        "not_applicable",
    }
    asked = "no_evidence" if rows is None else "fail"  # nobody looked; somebody looked, and did not ask
    assert found["prose.every_text_is_asked_about"]["verdict"] == asked


def test_the_texts_of_our_own_policies_are_all_asked_about(cli: Cli, tmp_path: Path) -> None:
    """The requests of a run cover every text that the other sensor of the pack finds."""
    run, texts = tmp_path / "run", tmp_path / "texts"
    assert cli("sense", "prose", "policies", "--prepare", "--out", run).returncode == 0
    assert cli("sense", "prose", "policies", "--sensor", "rule_texts", "--out", texts).returncode == 0
    asked = set()
    for path in sorted((run / "requests").iterdir()):
        asked |= {one["record"] for one in json.loads(path.read_text("utf-8"))["records"]}
    lines = (texts / "facts/rule_text.jsonl").read_text("utf-8").splitlines()
    written = {row["claim_id"] for row in map(json.loads, lines) if row["text"] is not None}
    assert asked == written
    assert len(asked) > 20


@pytest.mark.parametrize("form", ["text", "json", "html", "sarif"])
def test_every_output_says_that_nobody_observed_these_answers(cli: Cli, form: str) -> None:
    done = cli("judge", "--pack", "prose", "--facts", CLAIMS, "--format", form)
    assert "is of a constructed run: its rows were written by hand" in done.stdout


def test_a_run_says_how_its_rows_came_about_or_every_output_says_that_it_does_not(cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(CLAIMS, tmp_path / "run")
    record = json.loads((tmp_path / "run/run.json").read_text("utf-8"))
    for provenance, said in (
        ("observed", None),
        (None, "of a run that does not say whether its rows were observed"),
        ("constructd", "fact-run: `provenance` is one of observed, constructed, human"),
    ):
        (tmp_path / "run/run.json").write_text(json.dumps({**record, "provenance": provenance}), "utf-8")
        done = cli("judge", "--pack", "prose", "--facts", tmp_path / "run")
        assert (said or "") in done.stdout + done.stderr
        assert ("not checked" in done.stdout) == (provenance is None)
