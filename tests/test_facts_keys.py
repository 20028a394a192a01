"""Repeated keys are found across rows, files and formats; what is remembered is only ever that there are none."""

from __future__ import annotations

import json
import random
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.facts import keys, load
from engine.facts.intake import Lines
from engine.limits import Limits
from engine.model import Column, Relation, ValueType
from tests.facts_samples import codes, only, refused, rows_of, small, write

PAIR = {
    "pair": Relation(
        "pair",
        "A pair.",
        ("name", "level"),
        {
            "name": Column("name", ValueType("text"), required=True),
            "level": Column("level", ValueType("levels", levels=("A1", "A2")), required=True),
            "n": Column("n", ValueType("int"), unit="none"),
        },
    )
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIEL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def parquet(path: str, select: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")


def test_a_key_is_all_of_its_columns() -> None:
    rows = [{"name": n, "level": level, "n": 1} for n in ("a", "b") for level in ("A1", "A2")]
    write(Path("a.json"), {"pair": rows})
    with load(["a.json"], PAIR) as base:
        assert base.keys_checked
        assert base.rows == {"pair": 4}
    write(Path("a.json"), json.dumps({"pair": [*rows, rows[2]]}, indent=1))
    problem = only(refused("a.json", relations=PAIR))
    assert problem.code == "fact-repeated-key"
    assert problem.where == "a.json:23, row 5"
    assert problem.message == "the key name `b`, level `A1` is that of a.json:13, row 3"


def test_every_repetition_is_named_with_the_first_of_its_key_across_files() -> None:
    line = '{{"name": "{}", "level": "A1", "n": 1}}\n'.format
    write(Path("b/pair.jsonl"), line("x") + line("y") + line("x"))
    write(Path("a/pair.csv"), 'name,level,n\n"x",A1,1\n"multi\nline",A1,1\nz,A1,2\n"multi\nline",A1,1\n')
    write(Path("c.json"), {"pair": [{"name": "z", "level": "A1", "n": 1}]})
    found = [(p.where, p.message.rpartition(" of ")[2]) for p in refused("c.json", "b", "a", relations=PAIR)]
    assert found == [
        ("a/pair.csv:6, row 4", "a/pair.csv:3, row 2"),
        ("b/pair.jsonl:1, row 1", "a/pair.csv:2, row 1"),
        ("b/pair.jsonl:3, row 3", "a/pair.csv:2, row 1"),
        ("c.json:1, row 1", "a/pair.csv:5, row 3"),
    ]


def test_empty_files_do_not_confuse_where_a_row_comes_from() -> None:
    write(Path("pair.1.jsonl"), "")
    write(Path("pair.2.jsonl"), '{"name": "x", "level": "A1", "n": 1}\n')
    write(Path("pair.3.jsonl"), "")
    write(Path("pair.4.jsonl"), '{"name": "x", "level": "A1", "n": 1}\n')
    write(Path("pair.5.jsonl"), "")
    problem = only(refused("pair.*.jsonl", relations=PAIR))
    assert problem.where == "pair.4.jsonl:1, row 1"
    assert "pair.2.jsonl:1, row 1" in problem.message


def test_keys_that_look_alike_are_not_the_same() -> None:
    names = ["a", "A", "a ", " a", "a\0", "é", "e\u0301", "", "1", "01"]
    write(Path("a.json"), {"pair": [{"name": one, "level": "A1", "n": 1} for one in names]})
    with load(["a.json"], PAIR) as base:
        assert base.rows == {"pair": len(names)}


def test_repetitions_past_the_limit_are_counted() -> None:
    rows = [{"name": "x", "level": "A1", "n": 1}] * 30_000
    write(Path("a.json"), {"pair": rows})
    problems = refused("a.json", relations=PAIR, limits=Limits(problems=2))
    assert [p.where for p in problems[:2]] == ["a.json:1, row 2", "a.json:1, row 3"]
    assert problems[2].message == "and 29997 more problems of the facts"


def test_trusted_keys_are_not_looked_at_and_the_base_says_so() -> None:
    write(Path("a.json"), {"pair": [{"name": "x", "level": "A1", "n": 1}] * 2})
    with load(["a.json"], PAIR, trust_keys=True) as base:
        assert not base.keys_checked
        assert base.rows == {"pair": 2}


def test_shuffled_rows_are_found_the_same() -> None:
    names = [f"n{i % 990}" for i in range(1000)]
    relation = small(Column("n", ValueType("int"), unit="none"))
    counts = set()
    for seed in range(3):
        random.Random(seed).shuffle(names)
        write(Path("thing.jsonl"), "".join(json.dumps({"id": one, "n": 1}) + "\n" for one in names))
        counts.add(len(refused("thing.jsonl", relations=relation, limits=Limits(problems=100))))
    assert counts == {10}


PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["A1", "A2"])), max_size=9)


@settings(max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(PAIRS, st.booleans(), st.sampled_from([2, 4, 20_000]))
def test_keys_in_order_and_in_none_are_told_apart_from_repeated_ones(
    pairs: list[tuple[str, str]], in_order: bool, glimpse: int
) -> None:
    pairs = sorted(pairs) if in_order else pairs
    half = len(pairs) // 2
    write(Path("pair.jsonl"), "".join(json.dumps({"name": n, "level": x, "n": 1}) + "\n" for n, x in pairs[:half]))
    values = ", ".join(f"({position}, '{n}', '{x}')" for position, (n, x) in enumerate(pairs[half:]))
    given = "(VALUES (-1, '', '')" + (f", {values}" if values else "") + ") AS given(row, name, level)"
    parquet("more/pair.parquet", f"SELECT name, level, 1 AS n FROM {given} WHERE row >= 0 ORDER BY row")
    repeated = len(pairs) - len(set(pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_GLIMPSE", glimpse)
        if repeated:
            problems = refused("pair.jsonl", "more", relations=PAIR)
            assert [problem.code for problem in problems] == ["fact-repeated-key"] * repeated
        else:
            with load(["pair.jsonl", "more"], PAIR) as base:
                assert base.rows == {"pair": len(pairs)}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("where", [0, 19_999, 20_000, 399_999])
def test_one_repetition_in_a_long_file_in_order_is_found(threads: int, where: int) -> None:
    rows = f"SELECT i, 1::BIGINT AS n FROM range(400000) t(i) UNION ALL SELECT {where}, 2"
    parquet("thing.parquet", f"SELECT lpad(i::VARCHAR, 9, '0') AS id, n FROM ({rows}) ORDER BY id, n")
    relation = small(Column("n", ValueType("int"), unit="none"))
    problem = only(refused("thing.parquet", relations=relation, threads=threads))
    assert problem.message == f"the key id `{where:09}` is that of thing.parquet, row {where + 1}"


def test_the_line_of_a_row_is_known_however_rows_lie() -> None:
    lines = Lines()
    lines.extend(1, range(2, 5))
    lines.extend(4, [5, 6, 7])
    lines.extend(7, [9, 12, 12])
    lines.extend(10, [13])
    lines.extend(11, [])
    assert [lines.of(row) for row in range(1, 11)] == [2, 3, 4, 5, 6, 7, 9, 12, 12, 13]


# --- Parquet, and what is remembered ---------------------------------------------------------------------------------


def test_a_repeated_key_in_parquet_is_found_within_and_across_files() -> None:
    parquet("pair.1.parquet", "SELECT 'n' || i AS name, 'A1' AS level, 1 AS n FROM range(3) r(i)")
    parquet("pair.2.parquet", "SELECT 'n' || (i % 2 + 2) AS name, 'A1' AS level, 1 AS n FROM range(4) r(i)")
    found = [(p.where, p.message.rpartition(" of ")[2]) for p in refused("pair.*.parquet", relations=PAIR)]
    assert found == [
        ("pair.2.parquet, row 1", "pair.1.parquet, row 3"),
        ("pair.2.parquet, row 3", "pair.1.parquet, row 3"),
        ("pair.2.parquet, row 4", "pair.2.parquet, row 2"),
    ]


def entries(cache: Path) -> list[Path]:
    return sorted((cache / "keys").glob("*")) if (cache / "keys").exists() else []


def test_that_no_key_is_repeated_is_remembered_for_parquet(here: Path) -> None:
    parquet("pair.parquet", "SELECT 'x' AS name, 'A1' AS level, 1 AS n")
    with load(["pair.parquet"], PAIR) as base:
        assert base.keys_checked
    (entry,) = entries(here / "cache")
    assert json.loads(entry.read_text())["about"]["relation"] == "pair"
    with load(["pair.parquet"], PAIR) as base:
        assert base.keys_checked
        assert rows_of(base, "pair") == [("x", 1, 1)]


def test_what_is_remembered_is_believed_only_whole(here: Path) -> None:
    parquet("pair.parquet", "SELECT 'x' AS name, 'A1' AS level, 1 AS n")
    with load(["pair.parquet"], PAIR):
        pass
    (entry,) = entries(here / "cache")
    good = entry.read_text()
    # A bad file whose digest somebody wrote into another entry, or an entry that was cut off, is checked all the same.
    parquet("pair.parquet", "SELECT 'x' AS name, 'A1' AS level, i AS n FROM range(2) r(i)")
    for text in (good, good[:-3], "", "{}", "[" * 100_000, "\xff"):
        entry.write_text(text)
        problems = []
        try:
            load(["pair.parquet"], PAIR).close()
        except Exception as error:
            problems = [p.code for p in error.problems]  # type: ignore[attr-defined]
        assert problems == ["fact-repeated-key"]
    assert len(entries(here / "cache")) == 1


def test_another_key_over_the_same_file_is_checked_anew(here: Path) -> None:
    parquet("pair.parquet", "SELECT 'x' AS name, 'A' || (i + 1) AS level, 1 AS n FROM range(2) r(i)")
    with load(["pair.parquet"], PAIR):
        pass
    by_name = {"pair": Relation("pair", "", ("name",), PAIR["pair"].columns)}
    with pytest.raises(Exception, match="fact-repeated-key"):
        load(["pair.parquet"], by_name)


def test_the_cache_is_left_alone_when_told_so_and_for_text(here: Path) -> None:
    parquet("pair.parquet", "SELECT 'x' AS name, 'A1' AS level, 1 AS n")
    with load(["pair.parquet"], PAIR, use_cache=False):
        pass
    write(Path("a.json"), {"pair": [{"name": "x", "level": "A1", "n": 1}]})
    with load(["a.json"], PAIR), load(["pair.parquet"], PAIR, trust_keys=True):
        pass
    assert entries(here / "cache") == []


def test_a_cache_that_cannot_be_written_is_no_error(here: Path) -> None:
    (here / "cache").write_text("a file where a folder would be")
    parquet("pair.parquet", "SELECT 'x' AS name, 'A1' AS level, 1 AS n")
    with load(["pair.parquet"], PAIR) as base:
        assert base.keys_checked


def test_codes_of_this_page() -> None:
    write(Path("a.json"), {"pair": [{"name": None, "level": "A1", "n": 1}] * 2})
    # Two nulls are no repeated key; each is a missing value.
    assert codes(refused("a.json", relations=PAIR)) == ["fact-missing-value"] * 2
