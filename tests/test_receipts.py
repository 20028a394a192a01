"""Receipts: what they hold, that judging again gives the same bytes, and that what somebody changed in one is seen."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.canonical import dumps

from . import packs
from .conftest import ROOT, Cli
from .receipt_samples import ROWS, SCHEMA, again, made, receipt, save, write

__all__ = ["made"]


JUDGE = ("judge", "--facts", "facts.json", "--as-of", "2026-12-01", "--receipt", "r.json")


# -- what a receipt holds --------------------------------------------------------------------------------------


def test_a_receipt_is_canonical_fits_its_schema_and_holds_no_row(made: Path) -> None:
    text = (made / "r.json").read_text(encoding="utf-8")
    found = receipt(made)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert text == dumps(found)
    assert '"b"' not in text
    assert "words" not in text


def test_a_receipt_says_what_made_the_verdict(made: Path) -> None:
    found = receipt(made)
    assert found["verdict"] == "fail"
    assert found["verdict_sha256"] == hashlib.sha256((made / "verdict.json").read_bytes()).hexdigest()
    assert sorted(found["policies"]) == ["t.other", "t.rule"]
    assert sorted(found["parameters"]) == ["t.least", "t.rule.top"]
    assert sorted(found["relations"]) == ["item", "note"]
    digest = hashlib.sha256((made / "facts.json").read_bytes()).hexdigest()
    assert [(f["relation"], f["file"], f["rows"], f["sha256"]) for f in found["facts"]] == [
        ("item", "facts.json", 3, digest),
        ("note", "facts.json", 0, digest),
    ]
    assert [(w["policy"], w["covered"], w["expired"]) for w in found["waivers"]] == [("t.rule", 1, False)]
    arguments = found["arguments"]
    assert (arguments["as_of"], arguments["packs"], arguments["policies_folder"]) == ("2026-12-01", ["t"], "policies")


def test_the_receipt_of_a_sensors_run_names_its_record(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    run = tmp_path / "run"
    (run / "facts").mkdir(parents=True)
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    (run / "facts" / "item.jsonl").write_text(text)
    entry = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "rows": 3}
    record = json.dumps({"format": 1, "status": "complete", "facts": {"item": entry}})
    (run / "run.json").write_text(record)
    assert cli("judge", "--facts", "run", *JUDGE[3:], cwd=tmp_path).returncode == 1
    assert [f["run"] for f in receipt(tmp_path)["facts"]] == [hashlib.sha256(record.encode()).hexdigest()]
    assert cli("replay", "r.json", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["policies/t/r.json", "facts.json", "no/r.json", "-"])
def test_a_receipt_takes_no_place_that_it_may_not_have(cli: Cli, tmp_path: Path, name: str) -> None:
    write(tmp_path)
    before = (tmp_path / "facts.json").read_bytes()
    done = cli(*JUDGE[:-1], name, "--out", "json=v.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert not (tmp_path / "v.json").exists()
    assert (tmp_path / "facts.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_process_that_is_killed_leaves_a_whole_receipt_or_the_one_before(made: Path) -> None:
    command = [sys.executable, str(ROOT / "cli.py"), *JUDGE]
    began = time.monotonic()
    subprocess.run(command, cwd=made, capture_output=True, check=False)
    whole, took = (made / "r.json").read_bytes(), time.monotonic() - began
    seen = set()
    for part in range(6):
        (made / "r.json").write_bytes(b"before")
        process = subprocess.Popen(command, cwd=made, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(took * (0.5 + part / 8))
        process.kill()
        process.wait()
        seen.add((made / "r.json").read_bytes())
    assert seen <= {b"before", whole}


# -- what changes a digest -------------------------------------------------------------------------------------

SAME = [
    ("rule.yaml", "title: T", "title: T   # a comment"),
    ("rule.yaml", "must: >-\n  words <= top", "must: >-\n  words  <=\n  top"),
    ("rule.yaml", "cases:\n", "cases:\n  - {words: 9, expect: fail}\n"),
    ("rule.yaml", "title: T\nfor: item\n", "for: item\ntitle: T\n"),
    ("parameters.yaml", "{value: 0, unit: word,", "{unit: word,   value: 0,"),
    ("waivers.yaml", "owner: me, because: So.", "because: So., owner: me"),
]
OTHER = [
    ("rule.yaml", "title: T", "title: U", "policy t.rule"),
    ("rule.yaml", "title: T", "title: T\nbecause: So.", "policy t.rule"),
    ("rule.yaml", "words <= top", "words < top", "policy t.rule"),
    ("rule.yaml", "cannot_see: x", "cannot_see: y", "policy t.rule"),
    ("rule.yaml", "for: item", "for: item\nif_none: not_applicable", "policy t.rule"),
    ("rule.yaml", "for: item", "for: item\nwhere: ok", "policy t.rule"),
    ("rule.yaml", "for: item", "for: item\nreview_if: not ok", "policy t.rule"),
    ("rule.yaml", "for: item", "for: item\nsource: {act: An act}", "policy t.rule"),
    ("rule.yaml", "value: 3", "value: 4", "parameter t.rule.top"),
    ("rule.yaml", "value: 3", "value: 3.0", "parameter t.rule.top"),
    ("rule.yaml", "unit: word, origin: convention", "unit: word, origin: contract", "parameter t.rule.top"),
    ("rule.yaml", "because: x}", "because: y}", "parameter t.rule.top"),
    ("parameters.yaml", "value: 0", "value: 1", "parameter t.least"),
    ("relations.yaml", "[A1, A2, B1]", "[A1, B1, A2]", "relation item"),
    ("relations.yaml", "words: {type: int, unit: word}", "words: {type: int, unit: word, max: 99}", "relation item"),
    ("relations.yaml", "note:\n  row", "note:\n  cannot_see: Much.\n  row", "relation note"),
    ("pack.yaml", "title: T", "title: U", "pack t"),
    ("pack.yaml", "version: 0.1.0", "version: 0.2.0", "pack t"),
    ("waivers.yaml", "because: So.", "because: Otherwise.", "waiver 1 of the pack t"),
    ("waivers.yaml", "at_most: 1", "at_most: 2", "waiver 1 of the pack t"),
    ("waivers.yaml", "rows: {id: b}, ", "", "waiver 1 of the pack t"),
    ("waivers.yaml", "2027-01-01", "2027-01-02", "waiver 1 of the pack t"),
]


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "policies" / "t" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(("file", "old", "new"), SAME)
def test_what_changes_no_verdict_changes_no_digest(made: Path, file: str, old: str, new: str) -> None:
    edit(made, file, old, new)
    assert again(made) == (0, "same verdict, same bytes: fail, with 1 failure waived\n")


@pytest.mark.parametrize(("file", "old", "new", "what"), OTHER)
def test_what_changes_what_is_judged_or_shown_is_named(made: Path, file: str, old: str, new: str, what: str) -> None:
    edit(made, file, old, new)
    code, text = again(made)
    lines = [line.split(":")[0].strip() for line in text.splitlines()[1:]]
    assert code == 1
    assert [line for line in lines if line not in ("verdict", "bytes of the verdict")] == [what]


def test_a_blank_inside_an_aggregate_is_shown_so_it_counts(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("count(*) = 0 or max(words) <= top", more="per: [kind]\nwhere: kind is not null\n")
    packs.write(tmp_path, {"rule": rule})
    packs.facts(tmp_path, {"item": ROWS})
    assert cli(*JUDGE, cwd=tmp_path).returncode == 1
    edit(tmp_path, "rule.yaml", "max(words)", "max( words )")
    done = cli("replay", "r.json", cwd=tmp_path)
    assert (done.returncode, "policy t.rule: was " in done.stdout) == (1, True)


def test_our_reader_knows_every_word_of_the_schema() -> None:
    """A word of JSON Schema that the reader does not know would be a rule that it does not keep."""
    known = {"$ref", "type", "properties", "required", "additionalProperties", "items", "minItems", "oneOf", "const"}
    known |= {"enum", "pattern", "minimum", "maximum", "description", "title", "$schema", "$defs"}

    def words(rule: dict[str, Any]) -> Iterator[str]:
        yield from rule
        for inner in (*rule.get("properties", {}).values(), *rule.get("$defs", {}).values(), *rule.get("oneOf", ())):
            yield from words(inner)
        for key in ("items", "additionalProperties"):
            yield from words(rule[key]) if isinstance(rule.get(key), dict) else ()
        choice = rule.get("oneOf")
        assert choice is None or choice[0] == {"type": "null"}

    assert set(words(SCHEMA)) <= known


# -- judging again ---------------------------------------------------------------------------------------------


def test_facts_that_changed_are_named(cli: Cli, made: Path) -> None:
    packs.facts(made, {"item": ROWS[:2], "note": []})
    done = cli("replay", "r.json", cwd=made)
    assert done.returncode == 1
    assert done.stdout.startswith("another verdict: pass, with 1 failure waived\n  facts of item in facts.json: was ")
    assert "with 3 rows, is " in done.stdout
    assert "  verdict: was fail, is pass\n" in done.stdout


def test_the_same_rows_in_other_bytes_are_other_inputs(cli: Cli, made: Path) -> None:
    packs.facts(made, json.dumps({"item": ROWS, "note": []}, indent=1))
    done = cli("replay", "r.json", cwd=made)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1,
        "same verdict, same bytes, from other inputs: fail, with 1 failure waived",
    )


def test_a_file_may_lie_elsewhere_if_the_user_says_where(cli: Cli, made: Path) -> None:
    (made / "facts.json").rename(made / "moved.json")
    done = cli("replay", "r.json", cwd=made)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"receipt-not-here: the receipt names `facts.json`, which was looked for in the current folder `{made}`" in (
        done.stderr
    )
    assert "nothing was replayed" in done.stderr
    assert cli("replay", "r.json", "--facts", "moved.json", cwd=made).returncode == 0
    (made / "policies").rename(made / "rules")
    done = cli("replay", "r.json", "--facts", "moved.json", cwd=made)
    assert (done.returncode, "receipt-not-here: the receipt names `policies`" in done.stderr) == (2, True)
    assert cli("replay", "r.json", "--facts", "moved.json", "--policies", "rules", cwd=made).returncode == 0


def test_a_replay_from_another_folder_says_where_it_looked_and_what_to_do(cli: Cli, made: Path) -> None:
    elsewhere = made / "elsewhere"
    elsewhere.mkdir()
    done = cli("replay", "../r.json", cwd=elsewhere)
    assert done.returncode == 2
    assert f"looked for in the current folder `{elsewhere}` and is not there" in done.stderr
    assert "call `fiel replay` in the folder where `fiel judge` was called, or name what is meant" in done.stderr
    named = ("--facts", made / "facts.json", "--policies", made / "policies")
    assert cli("replay", "../r.json", *named, cwd=elsewhere).returncode == 0


def test_a_pattern_of_files_is_replayed_as_a_pattern(cli: Cli, made: Path) -> None:
    assert cli("judge", "--facts", "fa*.json", *JUDGE[3:], cwd=made).returncode in (0, 1)
    assert receipt(made)["arguments"]["facts"] == ["fa*.json"]
    assert cli("replay", "r.json", cwd=made).returncode == 0
    (made / "facts.json").unlink()
    done = cli("replay", "r.json", cwd=made)
    assert (done.returncode, "fa*.json" in done.stderr) == (2, True)


def test_facts_from_standard_input_are_asked_for(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    text = (tmp_path / "facts.json").read_text()
    assert cli("judge", "--facts", "-", *JUDGE[3:], cwd=tmp_path, stdin=text).returncode == 1
    assert [f["file"] for f in receipt(tmp_path)["facts"]] == ["-", "-"]
    done = cli("replay", "r.json", cwd=tmp_path)
    assert (done.returncode, "receipt-facts: " in done.stderr, "--facts FILE" in done.stderr) == (2, True, True)
    assert cli("replay", "r.json", "--facts", "-", cwd=tmp_path, stdin=text).returncode == 0
    assert cli("replay", "r.json", "--facts", "facts.json", cwd=tmp_path).returncode == 0


def test_a_policy_that_came_or_went_is_named(cli: Cli, made: Path) -> None:
    (made / "policies/t/third.yaml").write_text(packs.policy("words <= top", name="third"))
    done = cli("replay", "r.json", cwd=made)
    assert (done.returncode, "  policy t.third: was not there, is " in done.stdout) == (1, True)
    (made / "policies/t/third.yaml").unlink()
    (made / "policies/t/other.yaml").unlink()
    (made / "policies/t/parameters.yaml").unlink()
    done = cli("replay", "r.json", cwd=made)
    assert done.returncode == 1
    assert "  policy t.other: was " in done.stdout
    assert ", is not there\n  parameter t.least: was " in done.stdout


def test_another_version_alone_is_told_and_is_no_difference(cli: Cli, made: Path) -> None:
    found = receipt(made)
    found["engine"]["duckdb"] = "1.0.0"
    save(made, found)
    done = cli("replay", "r.json", cwd=made)
    assert done.returncode == 0
    assert "  version of duckdb: was 1.0.0, is " in done.stdout


def test_the_shipped_packs_are_found_again(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "flights.json").write_bytes((ROOT / "facts/permits/flights.json").read_bytes())
    done = cli("judge", "--facts", "flights.json", "--receipt", "r.json", cwd=tmp_path)
    assert done.returncode == 1
    assert receipt(tmp_path)["arguments"]["policies_folder"] is None
    assert cli("replay", "r.json", cwd=tmp_path).returncode == 0


def test_the_options_that_decide_the_bytes_are_kept(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "note.csv").write_text("note;id;good\nn;b;false\n")
    (tmp_path / "item.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    more = ("--csv-delimiter", ";", "--witnesses", "1", "--trust-keys", "--coverage", "--policy", "t.rule")
    done = cli("judge", "--facts", "item.jsonl", "--facts", "note=note.csv", *JUDGE[3:], *more, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert cli("replay", "r.json", cwd=tmp_path).returncode == 0
