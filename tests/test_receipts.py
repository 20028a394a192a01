"""Receipts: what they hold, that judging again gives the same bytes, and that what somebody changed in one is seen."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.canonical import dumps
from engine.errors import FielError
from engine.pipeline import Request, judge
from engine.receipts import read_receipt
from engine.render import verdict_json
from engine.replay import Again, replay, replay_text

from . import packs
from .conftest import ROOT, Cli

SCHEMA = json.loads((ROOT / "engine/schemas/receipt.schema.json").read_text(encoding="utf-8"))
WAIVERS = "- {policy: t.rule, rows: {id: b}, owner: me, because: So., until: 2027-01-01, at_most: 1}\n"
ROWS = [{**packs.ROW, "id": each, "words": words} for each, words in (("a", 1), ("b", 9), ("c", 9))]
RULE = packs.policy("words <= top and not exists (from note where id = judged.id and not good)")
SHARED = "least: {value: 0, unit: word, origin: convention, because: x}\n"


def write(folder: Path) -> None:
    root = packs.write(folder, {"rule": RULE, "other": packs.policy("words >= least", "", name="other")})
    (root / "t" / "parameters.yaml").write_text(SHARED, encoding="utf-8")
    (root / "t" / "waivers.yaml").write_text(WAIVERS, encoding="utf-8")
    packs.facts(folder, {"item": ROWS, "note": []})


JUDGE = ("judge", "--facts", "facts.json", "--as-of", "2026-12-01", "--receipt", "r.json")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with a pack, facts, and the receipt of judging them."""
    write(tmp_path)
    with contextlib.chdir(tmp_path):
        run = judge(Request(facts=("facts.json",), as_of=date(2026, 12, 1), receipt=True, threads=1))
    assert run.receipt is not None
    (tmp_path / "r.json").write_text(dumps(run.receipt), encoding="utf-8")
    (tmp_path / "verdict.json").write_text(verdict_json(run), encoding="utf-8")
    return tmp_path


def again(folder: Path) -> tuple[int, str]:
    """The exit code of replaying in a folder, in this process, and what is printed: 2 and the problems if refused."""
    with contextlib.chdir(folder):
        try:
            done = replay(Path("r.json"), Again(threads=1))
        except FielError as error:
            return 2, " ".join(f"{p.where}: {p.code}: {p.message}" for p in error.problems)
    return done.exit_code, replay_text(done)


def receipt(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    return found


def save(folder: Path, document: object, name: str = "r.json") -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    (folder / name).write_text(text, encoding="utf-8")


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


# -- receipts that somebody wrote ------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document that holds no other."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield path
    for key, each in inner or ():
        yield from leaves(each, (*path, key))


def spoilt(value: Any) -> Any:
    """Another value that could stand in its place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "0" * 64
    if len(value) == 64:
        return value[::-1]
    if value in ("pass", "fail"):
        return "fail" if value == "pass" else "pass"
    try:
        return (date.fromisoformat(value)).replace(year=2026, month=12, day=2).isoformat()
    except ValueError:
        return value + "x"


HARMLESS = {("arguments", "witnesses")}
"""What is in a receipt only to judge again, and gives the same verdict here when it is otherwise."""


def test_every_value_that_somebody_changes_is_seen(made: Path) -> None:
    whole = receipt(made)
    seen = set()
    with contextlib.chdir(made):
        for path in leaves(whole):
            changed = copy.deepcopy(whole)
            inner = changed
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = spoilt(inner[path[-1]])
            save(made, changed, "changed.json")
            try:
                code = replay(Path("changed.json"), Again(threads=1)).exit_code
            except FielError:
                code = 2
            named_only = path[0] == "engine" or path[-1] == "file"
            assert (code == 0) == (path in HARMLESS or named_only), path
            seen.add(code)
    assert seen == {0, 1, 2}


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "receipt-unreadable", "no JSON"),
        ("{", "receipt-unreadable", "line 1"),
        ("[" * 100_000, "receipt-unreadable", "nests too many levels"),
        ("9" * 10_000, "receipt-unreadable", "no JSON"),
        ('{"a": NaN}', "receipt-unreadable", "NaN"),
        ('{"a": 1, "a": 2}', "receipt-unreadable", "twice"),
        ("[]", "receipt-form", "a list, and not an object"),
        ("null", "receipt-form", "and not an object"),
        ("{}", "receipt-form", "`format` is missing"),
        ('{"format": 2}', "receipt-form", "reads format 1"),
        ('{"format": true}', "receipt-form", "`format` is `true`"),
        ('{"format": "1"}', "receipt-form", "`format`"),
    ],
)
def test_what_is_no_receipt_is_refused(tmp_path: Path, text: str, code: str, words: str) -> None:
    save(tmp_path, text)
    status, said = again(tmp_path)
    assert (status, said.startswith(f"r.json: {code}: "), words in said) == (2, True, True), said


def test_a_file_that_is_missing_no_text_too_large_or_no_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "latin1.json").write_bytes(b'{"a": "\xe9"}')
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    for name in (".", "latin1.json", "huge.json", "/dev/zero", "a\0b", "x" * 5000):
        with pytest.raises(FielError, match="receipt-unreadable: "):
            read_receipt(tmp_path / name)
    done = cli("replay", "missing.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.json: receipt-unreadable: there is no such file\n" in done.stderr
    assert done.stderr.endswith("nothing was replayed\n")


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("arguments", "facts"), ["../facts.json"], "receipt-path"),
        (("arguments", "facts"), ["/etc/passwd"], "receipt-path"),
        (("arguments", "facts"), ["item=/etc/passwd"], "receipt-path"),
        (("arguments", "facts"), ["item=x/../../facts.jsonl"], "receipt-path"),
        (("arguments", "facts"), ["..\\facts.json"], "receipt-path"),
        (("arguments", "facts"), ["item=-"], "receipt-facts"),
        (("arguments", "facts"), [], "receipt-form"),
        (("arguments", "facts"), [1], "receipt-form"),
        (("arguments", "facts"), ["a\0b"], "receipt-form"),
        (("arguments", "facts"), ["a\ud800b"], "receipt-form"),
        (("arguments", "policies_folder"), "../policies", "receipt-path"),
        (("arguments", "policies_folder"), "", "receipt-not-here"),
        (("arguments", "facts"), [""], "receipt-not-here"),
        (("arguments", "facts"), ["item="], "receipt-not-here"),
        (("arguments", "facts"), ["x" * 5000], "receipt-not-here"),
        (("arguments", "policies_folder"), "/", "receipt-path"),
        (("arguments", "policies_folder"), "nowhere", "receipt-not-here"),
        (("arguments", "packs"), [], "receipt-form"),
        (("arguments", "packs"), ["u"], "unknown-pack"),
        (("arguments", "policies"), ["t.nothing"], "unknown-policy"),
        (("arguments", "as_of"), "2026-02-30", "receipt-form"),
        (("arguments", "as_of"), None, "as-of-needed"),
        (("arguments", "witnesses"), -1, "receipt-form"),
        (("arguments", "witnesses"), 1.5, "receipt-form"),
        (("arguments", "witnesses"), True, "receipt-form"),
        (("arguments", "witnesses"), 10**30, "receipt-form"),
        (("arguments", "csv_delimiter"), "ab", "csv-delimiter"),
        (("arguments", "more"), 1, "receipt-form"),
        (("verdict_sha256",), "0", "receipt-form"),
        (("verdict",), "passed", "receipt-form"),
        (("policies",), {"t.rule": 1}, "receipt-form"),
        (("facts",), {}, "receipt-form"),
        (("more",), 1, "receipt-form"),
    ],
)
def test_a_receipt_that_asks_for_what_it_may_not_is_refused(
    made: Path, path: tuple[str, ...], value: Any, code: str
) -> None:
    changed = receipt(made)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    save(made, changed)
    status, said = again(made)
    assert (status, f": {code}: " in said) == (2, True), said


def test_hostile_text_in_a_receipt_stays_visible(cli: Cli, made: Path) -> None:
    changed = receipt(made)
    changed["policies"]["a\u001b[31m\u202e\n::error::x"] = "0" * 64
    changed["engine"]["duckdb"] = "\u001b[2J"
    save(made, changed)
    done = cli("replay", "r.json", cwd=made)
    assert done.returncode == 1
    assert not set("\u001b\u202e") & set(done.stdout)
    assert not [line for line in done.stdout.splitlines() if line.startswith("::")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_document_breaks_the_reader_and_what_it_takes_fits_the_schema(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Our own reader and a validator of JSON Schema agree about a receipt with some part replaced."""
    document = copy.deepcopy(_WHOLE)
    inner: Any = document
    path = data.draw(st.sampled_from([p for p in _paths(document) if p]))
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = data.draw(JSON)
    file = tmp_path_factory.getbasetemp() / "drawn.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
    try:
        assert read_receipt(file) == document
    except FielError:
        # Ours also refuses what no schema can: days of no calendar, U+0000, and whole numbers written as 1.0.
        assert not valid or "\\u0000" in json.dumps(document) or _has_whole_float(document)
    else:
        assert valid


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    return any(map(_has_whole_float, value)) if isinstance(value, list) else isinstance(value, float)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _paths(each, (*path, key))


_HEX = "ab" * 32
_WHOLE: dict[str, Any] = {
    "format": 1,
    "engine": {"fiel": "0.1.0", "duckdb": "2", "sqlglot": "3", "python": "3"},
    "arguments": {
        "as_of": "2026-12-01", "packs": ["t"], "policies": [], "policies_folder": None, "facts": ["f.json"],
        "witnesses": 20, "csv_delimiter": ",", "trust_keys": False, "coverage": False,
    },
    "packs": {"t": _HEX}, "policies": {"t.r": _HEX}, "parameters": {}, "relations": {"item": _HEX},
    "references": {"r": {"edition": "1", "sha256": _HEX}},
    "facts": [{"relation": "item", "file": "f.json", "sha256": _HEX, "rows": 3, "run": None}],
    "waivers": [{"pack": "t", "number": 1, "policy": "t.r", "until": "2027-01-01", "sha256": _HEX, "covered": 1,
                 "expired": False}],
    "decisions": [{"policy": "t.r", "sha256": _HEX}],
    "verdict": "pass", "verdict_sha256": _HEX,
}  # fmt: skip


def test_a_receipt_is_made_without_a_door(tmp_path: Path) -> None:
    """What other outputs show of a run is what `--receipt` writes."""
    write(tmp_path)
    with contextlib.chdir(tmp_path):
        run = judge(Request(facts=("facts.json",), as_of=date(2026, 12, 1), receipt=True))
        assert run.receipt is not None
        Path("r.json").write_text(dumps(run.receipt))
        done = replay(Path("r.json"), Again())
    assert (done.exit_code, replay_text(done)) == (0, "same verdict, same bytes: fail, with 1 failure waived\n")
