"""`judge` as a process: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import jsonschema
import pytest

from . import packs
from .conftest import ROOT, Cli

GOOD = {"item": [packs.ROW]}


def judge(cli: Cli, folder: Path, policy: str, document: object = GOOD, *more: str):  # type: ignore[no-untyped-def]
    root = packs.write(folder, {"rule": policy})
    return cli("judge", "--policies", root, "--facts", packs.facts(folder, document), *more)


# -- verdicts and exit codes -----------------------------------------------------------------------------------


def test_a_pass_exits_0_and_says_what_it_cannot_see(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"))
    assert done.returncode == 0
    assert "PASS  t.rule  1 row, all passed" in done.stdout
    assert "cannot see: x" in done.stdout


def test_a_failure_exits_1_and_shows_the_row_the_number_and_what_would_pass(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"), {"item": [{**packs.ROW, "words": 8}]})
    assert done.returncode == 1
    assert "fail: id a; words 8 word\n        passes if words <= 3 (5 word lower)" in done.stdout
    assert "top 3 word: convention, x" in done.stdout


@pytest.mark.parametrize(
    ("row", "code", "verdict"),
    [
        ({"words": None}, 3, "no_evidence"),
        ({"words": 3, "ok": False}, 4, "review"),
        ({"words": 4, "ok": True}, 1, "fail"),
        ({"words": 3, "ok": True}, 0, "pass"),
    ],
)
def test_the_exit_code_is_that_of_the_verdict(
    cli: Cli, tmp_path: Path, row: dict[str, object], code: int, verdict: str
) -> None:
    rule = packs.policy("words <= top", more="review_if: not ok\n")
    done = judge(cli, tmp_path, rule, {"item": [{**packs.ROW, **row}]}, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (code, verdict)


@pytest.mark.parametrize(
    ("rule", "rows", "says"),
    [
        (packs.policy("words <= top"), [{"words": None}], "unknown: words is null, in `must`"),
        (packs.policy("words <= top and ok"), [{"words": None, "ok": None}], "unknown: words, ok are null, in `must`"),
        (
            packs.policy("words <= top", more="where: ok and kind = 'a'\n"),
            [{"ok": None, "kind": None}],
            "scope unknown: ok, kind are null, in `where`",
        ),
        (
            packs.policy("not exists (from item where id = judged.id and words > top and ok)"),
            [{"words": None, "ok": None}],
            "(ok, words are null there)",
        ),
    ],
)
def test_one_column_is_null_and_several_are(
    rule: str, rows: list[dict[str, object]], says: str, cli: Cli, tmp_path: Path
) -> None:
    done = judge(cli, tmp_path, rule, {"item": [{**packs.ROW, **row} for row in rows]})
    assert says in done.stdout, done.stdout + done.stderr


def test_an_empty_relation_is_no_evidence(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"), {"item": []})
    assert done.returncode == 3
    assert "NO EVIDENCE  t.rule  nothing in scope" in done.stdout


def test_an_absent_relation_is_no_evidence_and_says_so(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"), {"note": []})
    assert done.returncode == 3
    assert "the facts bring no item: nobody looked" in done.stdout


def test_nothing_in_scope_may_be_declared_not_applicable(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top", more="if_none: not_applicable\n"), {"item": []})
    assert done.returncode == 0
    assert "verdict: not applicable" in done.stdout


def test_an_absent_relation_is_no_evidence_whatever_if_none_says(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top", more="if_none: not_applicable\n"), {"note": []})
    assert done.returncode == 3


# -- refusals: exit 2 and nothing judged -----------------------------------------------------------------------


def refused(done, code: str) -> None:  # type: ignore[no-untyped-def]
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{code}: " in done.stderr
    assert "nothing was judged" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("must", "code"),
    [
        ("wrods <= top", "unknown-column"),
        ("read_csv('/etc/passwd') = 1", "unknown-function"),
        ("length(repeat('a', 4000000000)) > 1", "unknown-function"),
        ("(" * 60 + "words <= top" + ")" * 60, "expression-too-deep"),
        ("not " * 100 + "words <= top", "expression-too-deep"),
        (" and ".join(["words <= top"] * 20000), "expression-too-long"),
        ("+".join(["words"] * 240) + " <= top", "expression-too-deep"),
        ("words <= 30", "bare-number"),
    ],
)
def test_a_bad_rule_is_refused(cli: Cli, tmp_path: Path, must: str, code: str) -> None:
    refused(judge(cli, tmp_path, packs.policy(must)), code)


def test_a_repeated_key_of_a_policy_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused(judge(cli, tmp_path, packs.policy("words <= top", more="for: item\n")), "repeated-key")


def test_a_bare_number_after_allow_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top", more="allow: 3\n"))
    refused(done, "wrong-kind")
    assert "declare the number under `params`" in done.stderr


LONG = "x" * 200_000_000


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("facts.json", '{"item": [{"id": "a", "words": 1', "fact-json"),
        ("facts.json", '{"item": [{"id": "a", "score": NaN}]}', "fact-type"),
        ("facts.json", '{"item": [{"id": "a", "words": 1, "wrds": 2}]}', "fact-unknown-column"),
        ("item.jsonl", '{"id": "' + LONG + '"}\n', "fact-limit"),
        ("item.csv", "id\n" + LONG + "\n", "fact-limit"),
        ("facts.json", '{"item": [{"id": "' + LONG + '"}]}', "fact-limit"),
    ],
    ids=["truncated", "nan", "unknown-column", "long-jsonl", "long-csv", "long-json"],
)
def test_bad_facts_are_refused(cli: Cli, tmp_path: Path, name: str, text: str, code: str) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    refused(cli("judge", "--policies", root, "--facts", packs.facts(tmp_path, text, name)), code)


def test_a_repeated_key_of_facts_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused(judge(cli, tmp_path, packs.policy("words <= top"), {"item": [packs.ROW, packs.ROW]}), "fact-repeated-key")


def test_keys_can_be_trusted_and_then_the_verdict_says_so(cli: Cli, tmp_path: Path) -> None:
    both = {"item": [packs.ROW, packs.ROW]}
    done = judge(cli, tmp_path, packs.policy("words <= top"), both, "--trust-keys")
    assert done.returncode == 0
    assert "not checked: keys not checked" in done.stdout


def test_a_misspelt_policy_is_refused_with_the_nearest_name(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"), GOOD, "--policy", "t.rul")
    refused(done, "unknown-policy")
    assert "did you mean `t.rule`?" in done.stderr


def test_a_misspelt_pack_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused(judge(cli, tmp_path, packs.policy("words <= top"), GOOD, "--pack", "tt"), "unknown-pack")


def test_a_run_without_policies_is_refused(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {})
    refused(cli("judge", "--policies", root, "--facts", packs.facts(tmp_path, GOOD)), "no-policies")


def test_a_run_without_facts_is_refused(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top")})
    refused(cli("judge", "--policies", root), "no-facts")


def test_a_broken_neighbour_stops_the_run(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(
        tmp_path, {"rule": packs.policy("words <= top"), "other": packs.policy("wrods <= top", name="other")}
    )
    done = cli("judge", "--policies", root, "--facts", packs.facts(tmp_path, GOOD), "--policy", "t.rule")
    refused(done, "unknown-column")


def test_keys_whose_work_comes_later_are_refused_and_never_ignored(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("words <= top", more="obliges: {procedure: x, authority: y}\n")
    refused(judge(cli, tmp_path, rule), "not-yet")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--as-of", "2026-2-3"),
        ("--witnesses", "-1"),
        ("--threads", "0"),
        ("--limit", "rowz=3"),
        ("--limit", "rows=many"),
        ("--out", "json"),
        ("--out", "xml=f"),
        ("--format", "yaml"),
        ("--polices", "x"),
    ],
)
def test_a_bad_option_exits_2_with_a_line_of_help(cli: Cli, arguments: tuple[str, str]) -> None:
    done = cli("judge", "--facts", "facts/permits/flights.json", *arguments)
    assert done.returncode == 2
    assert "help:" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_policy_judged_on_a_day_errs_without_one(cli: Cli, tmp_path: Path) -> None:
    value = "{from: 2026-01-01, value: 3, source: s, checked: 2026-01-01}"
    params = f"top: {{unit: word, origin: contract, because: x, values: [{value}]}}"
    rule = packs.policy("words <= top", params, "as_of: judged_on\n").replace(
        "{words: 1, expect: pass}", "{words: 1, judged_on: 2026-02-01, expect: pass}"
    )
    done = judge(cli, tmp_path, rule)
    assert done.returncode == 2
    assert "--as-of" in done.stdout
    assert judge(cli, tmp_path, rule, GOOD, "--as-of", "2026-01-01").returncode == 0
    assert judge(cli, tmp_path, rule, GOOD, "--as-of", "2025-12-31").returncode == 3


# -- the same bytes, and whole files ---------------------------------------------------------------------------


def test_threads_and_the_order_of_rows_change_no_byte(cli_process: Cli, tmp_path: Path) -> None:
    rows = [{**packs.ROW, "id": f"i{n}", "words": n % 7, "score": n / 3} for n in range(20_000)]
    rule = packs.policy("words <= top and score <= 1")
    root = packs.write(tmp_path, {"rule": rule.replace("score <= 1", "score <= 0 - 1")})
    printed = set()
    for threads in ("1", "2"):
        random.Random(int(threads)).shuffle(rows)
        path = tmp_path / "item.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
        done = cli_process("judge", "--policies", root, "--facts", path, "--threads", threads, "--format", "json")
        assert done.returncode == 1
        printed.add(done.stdout)
    assert len(printed) == 1


def test_a_verdict_is_canonical_and_fits_its_schema(cli: Cli) -> None:
    schema = json.loads((ROOT / "engine/schemas/verdict.schema.json").read_text())
    for facts in ("facts/permits/flights.json", "facts/prose/csv"):
        done = cli("judge", "--facts", facts, "--format", "json")
        document = json.loads(done.stdout)
        jsonschema.Draft202012Validator(schema).validate(document)
        again = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
        assert done.stdout == again


def test_four_formats_give_one_verdict(cli: Cli) -> None:
    found = {
        cli("judge", "--facts", f"facts/prose/{f}", "--format", "json").stdout
        for f in ("json", "jsonl", "csv", "parquet")
    }
    assert len(found) == 1


def test_out_writes_each_format_and_prints_one(cli: Cli, tmp_path: Path) -> None:
    done = judge(
        cli,
        tmp_path,
        packs.policy("words <= top"),
        GOOD,
        "--out",
        f"json={tmp_path / 'v.json'}",
        "--out",
        f"text={tmp_path / 'v.txt'}",
    )
    assert (tmp_path / "v.txt").read_text() == done.stdout
    assert json.loads((tmp_path / "v.json").read_text())["verdict"] == "pass"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_out_to_a_folder_that_is_not_there_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top"), GOOD, "--out", f"json={tmp_path / 'no' / 'v.json'}")
    assert done.returncode == 2
    assert "cannot-write" in done.stderr


def test_witnesses_are_limited_and_the_rest_are_counted(cli: Cli, tmp_path: Path) -> None:
    rows = [{**packs.ROW, "id": f"i{n}", "words": 9} for n in range(30)] + [{**packs.ROW, "id": "z", "words": None}]
    rule = packs.policy("words <= top")
    for shown in (0, 1, 20, 31):
        done = judge(cli, tmp_path, rule, {"item": rows}, "--format", "json", "--witnesses", str(shown))
        found = json.loads(done.stdout)["policies"][0]
        assert (len(found["witnesses"]), found["more_witnesses"]) == (shown, 31 - shown)


def test_the_reason_is_found_even_if_no_witness_is_shown(cli: Cli, tmp_path: Path) -> None:
    rows = [{**packs.ROW, "words": None}]
    done = judge(cli, tmp_path, packs.policy("words <= top"), {"item": rows}, "--format", "json", "--witnesses", "0")
    assert json.loads(done.stdout)["policies"][0]["reason"] == "null_column"


def test_hostile_text_of_facts_stays_visible_on_the_terminal(cli: Cli, tmp_path: Path) -> None:
    rows = [{**packs.ROW, "id": "a\u001b[31m\u202eb", "words": 9}]
    done = judge(cli, tmp_path, packs.policy("words <= top"), {"item": rows})
    assert "\u001b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_a_time_limit_stops_a_query_and_names_the_setting(cli: Cli, tmp_path: Path) -> None:
    rows = [{**packs.ROW, "id": f"i{n}", "score": n / 7} for n in range(30_000)]
    notes = [{"note": f"n{n}", "id": str(n), "good": None} for n in range(30_000)]
    # Nothing to join by: each row meets each note.
    rule = packs.policy("not exists (from note where length(id) > judged.score and good)", "")
    done = judge(cli, tmp_path, rule, {"item": rows, "note": notes}, "--limit", "seconds=1", "--threads", "1")
    assert done.returncode == 2
    assert "took longer than 1 s (limit `seconds`)" in done.stdout


@pytest.mark.parametrize("case", ["{words: tall, expect: fail}", "{wrds: 3, expect: fail}"])
def test_a_broken_case_stops_judging_as_any_other_problem(cli: Cli, tmp_path: Path, case: str) -> None:
    done = judge(cli, tmp_path, packs.policy("words <= top") + f"  - {case}\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing was judged" in done.stderr


def test_the_day_of_judging_and_the_value_in_force_are_shown(cli: Cli, tmp_path: Path) -> None:
    values = "{from: 2026-01-01, value: 3, source: s}, {from: 2026-06-01, value: 4, source: s}"
    params = f"top: {{unit: word, origin: contract, because: x, values: [{values}]}}"
    rule = packs.policy("words <= top", params, "as_of: judged_on\n").replace(
        "{words: 1, expect: pass}", "{words: 1, judged_on: 2026-02-01, expect: pass}"
    )
    done = judge(cli, tmp_path, rule, GOOD, "--as-of", "2026-02-01")
    assert "judged as of 2026-02-01" in done.stdout
    assert "top 3 word from 2026-01-01 (in force)" in done.stdout
    assert "top 4 word from 2026-06-01: " in done.stdout
