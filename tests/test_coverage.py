"""`judge --coverage`: what of the facts and of the packs nobody used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from . import packs
from .conftest import ROOT, Cli

RELATIONS = (
    packs.RELATIONS
    + """
team:
  row: One team.
  key: [kind]
  columns:
    kind: {type: text}
    size: {type: int, unit: none}
extra:
  row: What nobody reads.
  key: [extra]
  columns:
    extra: {type: text}
    remark: {type: text, may_be_absent: true}
"""
)
SHARED = "least: {value: 0, unit: word, origin: convention, because: x}\n"
NOTES = [{"note": "n", "id": "a", "good": True}]


def coverage(cli: Cli, folder: Path, policies: dict[str, str], facts: object, *more: str) -> Any:
    root = packs.write(folder, policies, RELATIONS)
    (root / "t" / "parameters.yaml").write_text(SHARED, encoding="utf-8")
    path = packs.facts(folder, facts)
    done = cli("judge", "--policies", root, "--facts", path, "--coverage", "--format", "json", *more)
    assert done.returncode in (0, 1, 3), done.stderr
    document = json.loads(done.stdout)
    schema = json.loads((ROOT / "engine/schemas/verdict.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    return document["coverage"]


def test_what_no_policy_read_is_listed_in_order(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("words <= top and not exists (from note where id = judged.id and not good)")
    found = coverage(cli, tmp_path, {"rule": rule}, {"item": [packs.ROW], "note": NOTES, "extra": []})
    assert found == {
        "relations": ["extra"],
        "columns": ["item.day", "item.kind", "item.level", "item.ok", "item.price", "item.score"],
        "parameters": ["t.least"],
        "policies": [],
    }


def test_a_column_of_the_other_relation_of_an_exists_that_is_not_named_is_listed(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("words <= top and exists (from note where good)")
    found = coverage(cli, tmp_path, {"rule": rule}, {"item": [packs.ROW], "note": NOTES})
    assert "note.id" in found["columns"]
    assert not {"note.good", "note.note", "item.id", "item.words"} & set(found["columns"])


def test_scope_review_groups_days_and_tolerances_count_as_read(cli: Cli, tmp_path: Path) -> None:
    value = "{from: 2026-01-01, value: 3, source: s}"
    params = f"top: {{unit: word, origin: contract, because: x, values: [{value}]}}"
    rows = packs.policy("words <= top and words >= least", params, "where: ok\nreview_if: score < 0\nas_of: day\n")
    groups = packs.policy(
        "count_if(price > 0) > 0", "", "per: [kind]\neach_of: team\nwhere: kind is not null\n", name="groups"
    )
    facts = {"item": [packs.ROW], "team": [{"kind": "a", "size": 1}]}
    found = coverage(cli, tmp_path, {"rule": rows, "groups": groups}, facts)
    assert found == {"relations": [], "columns": ["item.level", "team.size"], "parameters": [], "policies": []}


def test_a_policy_of_the_pack_that_is_not_judged_uses_its_parameter_and_reads_no_column(
    cli: Cli, tmp_path: Path
) -> None:
    policies = {"rule": packs.policy("words <= top"), "other": packs.policy("words > least and ok", "", name="other")}
    found = coverage(cli, tmp_path, policies, {"item": [packs.ROW]}, "--policy", "t.rule")
    assert found["parameters"] == []
    assert "item.ok" in found["columns"]


def test_policies_without_a_row_in_scope_are_listed(cli: Cli, tmp_path: Path) -> None:
    policies = {
        "rule": packs.policy("words <= top", more="where: not ok\n"),
        "unknown": packs.policy("words <= top", more="where: score > 0\n", name="unknown"),
        "absent": packs.policy("good", "", for_="note", name="absent").replace(
            packs.EXAMPLE, "{note: n, id: a, good: true}"
        ).replace("{words: 1, expect", "{good: true, expect"),
        "seen": packs.policy("words <= top", name="seen"),
    }  # fmt: skip
    found = coverage(cli, tmp_path, policies, {"item": [{**packs.ROW, "score": None}]})
    assert found["policies"] == ["t.absent", "t.rule", "t.unknown"]


def test_a_column_that_may_be_absent_is_listed_only_if_the_facts_bring_it(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("exists (from extra where extra = judged.id)", "")
    for row, listed in (
        ({"extra": "e"}, False),
        ({"extra": "e", "remark": None}, False),
        ({"extra": "e", "remark": "r"}, True),
    ):
        found = coverage(cli, tmp_path, {"rule": rule}, {"item": [packs.ROW], "extra": [row]})
        assert ("extra.remark" in found["columns"]) is listed


def test_without_the_option_nothing_is_said_and_with_it_all_used_is_said_too(cli: Cli, tmp_path: Path) -> None:
    relations = "item:\n  row: One item.\n  key: [id]\n  columns: {id: {type: text}}\n"
    rule = packs.policy("id != ''", "").replace(packs.EXAMPLE, "{id: a}").replace("{words: 1, expect", "{id: b, expect")
    root, path = packs.write(tmp_path, {"rule": rule}, relations), packs.facts(tmp_path, {"item": [{"id": "a"}]})
    plain = cli("judge", "--policies", root, "--facts", path)
    assert "coverage" not in plain.stdout
    assert json.loads(cli("judge", "--policies", root, "--facts", path, "--format", "json").stdout)["coverage"] is None
    done = cli("judge", "--policies", root, "--facts", path, "--coverage")
    assert "coverage: every relation, column and parameter was read, every policy had a row in scope\n" in done.stdout


def test_text_lists_each_on_a_line(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": packs.policy("words <= top", more="where: not ok\n")}, RELATIONS)
    (root / "t" / "parameters.yaml").write_text(SHARED, encoding="utf-8")
    path = packs.facts(tmp_path, {"item": [packs.ROW], "extra": []})
    done = cli("judge", "--policies", root, "--facts", path, "--coverage")
    lines = [line for line in done.stdout.splitlines() if line.startswith("coverage: ")]
    assert lines[0] == "coverage: no policy read the relation extra"
    assert lines[1] == "coverage: no policy read the column item.day"
    assert lines[-2:] == ["coverage: no policy uses the parameter t.least", "coverage: no row in scope for t.rule"]
