"""Where the witnesses of a verdict were read: the file as the user named it, the row, and the line if it has one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.pipeline import Request, judge
from engine.verdict import Run, Spot

from . import packs

OPEN = "id: {type: text}\n    words: {type: int, unit: word}"
RELATIONS = f"item:\n  row: One item.\n  key: [id]\n  columns:\n    {OPEN}\n"
RULE = (
    "policy: t.rule\ntitle: T\nfor: item\nmust: words <= top\nparams:\n  " + packs.TOP + "\n"
    "cannot_see: x\nexample: {id: a, words: 1}\ncases:\n  - {words: 1, expect: pass}\n"
)


def run_of(folder: Path, *facts: str | Path, rule: str = RULE, relations: str = RELATIONS, **options: object) -> Run:
    root = packs.write(folder, {"rule": rule}, relations)
    request = Request(tuple(map(str, facts)), root, witnesses=1000, use_cache=False, **options)  # type: ignore[arg-type]
    return judge(request)


def spots(run: Run) -> dict[object, Spot | None]:
    return {w.key["id"]: w.spot for policy in run.policies for w in policy.witnesses}


def jsonl(path: Path, rows: Mapping[str, int]) -> Path:
    path.write_text("".join(json.dumps({"id": k, "words": v}) + "\n" for k, v in rows.items()), encoding="utf-8")
    return path


def parquet(path: Path, rows: Mapping[str, int]) -> Path:
    values = ", ".join(f"('{k}', {v}::BIGINT)" for k, v in rows.items())
    duckdb.sql(f"SELECT * FROM (VALUES {values}) AS t(id, words)").write_parquet(str(path))
    return path


def test_a_row_of_json_lines_has_its_line(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "item.jsonl", {"a": 1, "b": 9, "c": 2, "d": 8})
    assert spots(run_of(tmp_path, path)) == {"b": Spot(str(path), 2, 2), "d": Spot(str(path), 4, 4)}


def test_a_row_of_csv_has_the_line_on_which_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "item.csv"
    path.write_text('id,words\n"a\nb",1\nc,9\n', encoding="utf-8")
    assert spots(run_of(tmp_path, path)) == {"c": Spot(str(path), 2, 4)}


def test_a_row_of_a_json_document_has_its_line(tmp_path: Path) -> None:
    path = packs.facts(tmp_path, '{"item": [\n{"id": "a", "words": 1},\n\n{"id": "b",\n"words": 9}]}')
    assert spots(run_of(tmp_path, path)) == {"b": Spot(str(path), 2, 4)}


def test_a_row_of_parquet_has_its_number(tmp_path: Path) -> None:
    path = parquet(tmp_path / "item.parquet", {"a": 1, "b": 2, "c": 9})
    assert spots(run_of(tmp_path, path)) == {"c": Spot(str(path), 3)}


def test_rows_of_several_files_and_kinds_are_told_apart(tmp_path: Path) -> None:
    empty, one, two = tmp_path / "item.a.jsonl", tmp_path / "item.b.jsonl", tmp_path / "item.c.jsonl"
    jsonl(empty, {})
    jsonl(one, {"a": 9, "b": 1})
    jsonl(two, {"c": 1, "d": 9})
    (tmp_path / "more").mkdir()
    three = parquet(tmp_path / "more" / "item.d.parquet", {"e": 9})
    four = parquet(tmp_path / "more" / "item.e.parquet", {"f": 1, "g": 9})
    assert spots(run_of(tmp_path, empty, one, two, three, four)) == {
        "a": Spot(str(one), 1, 1),
        "d": Spot(str(two), 2, 2),
        "e": Spot(str(three), 1),
        "g": Spot(str(four), 2),
    }


def test_of_a_key_that_two_rows_have_no_place_is_said(tmp_path: Path) -> None:
    path = tmp_path / "item.jsonl"
    path.write_text('{"id": "a", "words": 9}\n{"id": "a", "words": 8}\n{"id": "b", "words": 9}\n', encoding="utf-8")
    assert spots(run_of(tmp_path, path, trust_keys=True)) == {"a": None, "b": Spot(str(path), 3, 3)}


def test_a_group_has_no_place(tmp_path: Path) -> None:
    rule = RULE.replace("must: words <= top", "per: [id]\nmust: max(words) <= top")
    run = run_of(tmp_path, jsonl(tmp_path / "item.jsonl", {"a": 9}), rule=rule)
    assert spots(run) == {"a": None}
    assert run.verdict == "fail"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("{type: decimal, digits: 9, places: 3, unit: none}", ["1.5", "0.000", "-7.001"]),
        ("{type: date}", ['"2024-02-29"', '"0001-01-01"', '"9999-12-31"']),
        ("{type: instant}", ['"2024-01-01T00:30:00.000001+01:00"', '"1999-12-31T23:59:59Z"', '"2024-01-01T00:30:00Z"']),
        ("{type: int, unit: none}", ["9223372036854775807", "-1", "0"]),
        ("{type: bool}", ["true", "false"]),
        ("{type: levels, levels: [low, mid, high]}", ['"mid"', '"high"', '"low"']),
    ],
)
def test_keys_of_every_type_are_found_again(tmp_path: Path, kind: str, values: list[str]) -> None:
    relations = (
        f"item:\n  row: One item.\n  key: [id]\n  columns:\n    id: {kind}\n    words: {{type: int, unit: word}}\n"
    )
    example = values[0].strip('"').replace("+01:00", "Z")
    rule = RULE.replace("{id: a, ", f"{{id: {example}, ")
    path = tmp_path / "item.jsonl"
    path.write_text("".join(f'{{"id": {value}, "words": 9}}\n' for value in values), encoding="utf-8")
    found = spots(run_of(tmp_path, path, rule=rule, relations=relations))
    assert sorted(s.line or 0 for s in found.values() if s) == list(range(1, len(values) + 1))


def test_a_column_may_be_called_like_the_number_that_the_database_gives_its_rows(tmp_path: Path) -> None:
    relations = RELATIONS + "    rowid: {type: text, may_be_absent: true}\n"
    path = tmp_path / "item.jsonl"
    path.write_text('{"id": "a", "words": 1, "rowid": "x"}\n{"id": "b", "words": 9, "rowid": "y"}\n', encoding="utf-8")
    rule = RULE.replace("{id: a, words: 1}", "{id: a, words: 1, rowid: x}")
    assert spots(run_of(tmp_path, path, rule=rule, relations=relations)) == {"b": Spot(str(path), 2, 2)}


def test_standard_input_is_a_file_called_like_its_argument(tmp_path: Path) -> None:
    from io import BytesIO

    run = run_of(tmp_path, "item=-", stdin=BytesIO(b'{"id": "a", "words": 1}\n{"id": "b", "words": 9}\n'))
    assert spots(run) == {"b": Spot("-", 2, 2)}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=5), st.integers(0, 6)), min_size=1, unique_by=lambda p: p[0]))
def test_every_witness_is_found_whatever_its_key(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("facts")
    path = jsonl(folder / "item.jsonl", dict(rows))
    expected = {k: Spot(str(path), n, n) for n, (k, words) in enumerate(rows, 1) if words > 3}
    assert spots(run_of(folder, path)) == expected
