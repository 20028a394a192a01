"""Parquet: types, values, names of files, shapes that differ from file to file, and what a changed file does."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import engine.facts.parquet as parquet_stage
from engine.errors import FactError
from engine.facts import load
from engine.facts.parquet_statistics import row_group
from engine.limits import Limits
from engine.model import Column, ValueType
from tests.facts_samples import RELATIONS, codes, only, refused, rows_of, small, write

GOOD = {
    "flight": "'f1'",
    "category": "'open'",
    "flight_date": "DATE '2024-02-29'",
    "height": "10::DOUBLE",
    "mass": "1.5::DECIMAL(7,3)",
    "claim": "'A2'",
    "night": "true",
    "seen_at": "TIMESTAMPTZ '2024-01-01 00:30:00+01'",
    "seats": "2::BIGINT",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parquet(path: str, *rows: dict[str, str], relation: dict[str, str] | None = None) -> str:
    """Writes rows of SQL expressions, each over GOOD; a column given as "" is left out."""
    base = GOOD if relation is None else relation
    selects = []
    for row in rows or ({},):
        columns = {name: text for name, text in (base | row).items() if text}
        selects.append("SELECT " + ", ".join(f'{text} AS "{name}"' for name, text in columns.items()))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    plain = str(Path(path).parent / "written.tmp")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({' UNION ALL '.join(selects)}) TO '{plain}' (FORMAT parquet)")
    os.rename(plain, path)
    return path


def thing(path: str, **columns: str) -> str:
    return parquet(path, relation={"id": "'a'", **columns})


def test_parquet_rows_are_as_the_relation_declares_them() -> None:
    parquet("flight.parquet", {}, {"flight": "'f2'", "height": "(-0.0)::DOUBLE", "claim": "NULL::VARCHAR"})
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        first, second = rows_of(base)
        assert first[:5] == (
            "f1",
            "open",
            date(2024, 2, 29),
            10.0,
            Decimal("1.500"),
        )
        assert first[5:7] == (2, True)
        assert str(first[7]) == "2023-12-31 23:30:00"
        assert first[8:] == (2, None)
        assert str(second[3]) == "0.0"
        assert second[5] is None
        assert base.rows == {"flight": 2}


@pytest.mark.parametrize(
    ("column", "text"),
    [("seats", "2::TINYINT"), ("seats", "2::SMALLINT"), ("seats", "2::INTEGER"), ("mass", "1.5::DECIMAL(2,1)")],
)
def test_narrower_numbers_are_fine(column: str, text: str) -> None:
    parquet("flight.parquet", {column: text})
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        kinds = {row[0]: row[1] for row in base.select("DESCRIBE f_flight").fetchall()}
        assert (kinds["seats"], kinds["mass"]) == ("BIGINT", "DECIMAL(7,3)")


def test_milliseconds_are_read_as_well_as_microseconds(tmp_path: Path) -> None:
    relation = small(Column("at", ValueType("instant")))
    thing("thing.parquet", at="TIMESTAMPTZ '2024-01-01 00:00:00.123456+00'")
    with load(["thing.parquet"], relation, use_cache=False) as base:
        assert str(rows_of(base, "thing")[0][1]) == "2024-01-01 00:00:00.123456"


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("flight", "'f1'::BLOB"),
        ("flight", "1"),
        ("category", "['open']"),
        ("category", "{'a': 1}"),
        ("flight_date", "'2024-02-29'"),
        ("flight_date", "TIMESTAMP '2024-02-29'"),
        ("height", "10::FLOAT"),
        ("height", "10::BIGINT"),
        ("height", "10::DECIMAL(5,2)"),
        ("mass", "1.5::DOUBLE"),
        ("mass", "1.5::DECIMAL(8,3)"),
        ("mass", "1.5::DECIMAL(7,4)"),
        ("mass", "1::BIGINT"),
        ("claim", "2::UTINYINT"),
        ("night", "1"),
        ("night", "'true'"),
        ("seen_at", "TIMESTAMP '2024-01-01'"),
        ("seen_at", "TIMESTAMP_NS '2024-01-01'"),
        ("seen_at", "TIMESTAMP_MS '2024-01-01'"),
        ("seen_at", "'2024-01-01T00:00:00Z'"),
        ("seats", "2::UBIGINT"),
        ("seats", "2::UTINYINT"),
        ("seats", "2::HUGEINT"),
        ("seats", "2::DOUBLE"),
        ("seats", "'2'"),
        ("remarks", "'{}'::JSON"),
    ],
)
def test_another_type_than_the_declared_one_is_refused(column: str, text: str) -> None:
    parquet("flight.parquet", {column: text})
    problem = only(refused("flight.parquet"))
    assert problem.code == "fact-parquet-type"
    assert problem.where == f"flight.parquet, column {column}"


@pytest.mark.parametrize(
    ("column", "text", "code"),
    [
        ("flight", "NULL::VARCHAR", "fact-missing-value"),
        ("flight", "repeat('x', 1000001)", "fact-limit"),
        ("category", "'opn'", "fact-not-listed"),
        ("flight_date", "DATE 'infinity'", "fact-range"),
        ("flight_date", "DATE '10000-01-01'", "fact-range"),
        ("flight_date", "DATE '0001-01-01' - 1", "fact-range"),
        ("height", "'nan'::DOUBLE", "fact-range"),
        ("height", "'inf'::DOUBLE", "fact-range"),
        ("height", "'-inf'::DOUBLE", "fact-range"),
        ("height", "-0.001::DOUBLE", "fact-range"),
        ("height", "1000.6::DOUBLE", "fact-range"),
        ("mass", "-10.001::DECIMAL(7,3)", "fact-range"),
        ("claim", "'C2'", "fact-not-listed"),
        ("claim", "''", "fact-not-listed"),
        ("seen_at", "'infinity'::TIMESTAMPTZ", "fact-range"),
        ("seen_at", "'10000-01-01 00:00:00+00'::TIMESTAMPTZ", "fact-range"),
        ("seen_at", "'0001-01-01 00:00:00+00'::TIMESTAMPTZ - INTERVAL 1 SECOND", "fact-range"),
    ],
)
def test_a_value_that_the_declaration_refuses_is_found_with_its_row(column: str, text: str, code: str) -> None:
    parquet("flight.parquet", {}, {"flight": "'f2'", column: text}, {"flight": "'f3'"})
    problem = only(refused("flight.parquet"))
    assert (problem.code, problem.where) == (code, f"flight.parquet, row 2, column {column}")
    assert "\n" not in problem.message


def test_values_at_the_bounds_are_taken() -> None:
    extreme = {
        "flight_date": "DATE '9999-12-31'",
        "height": "1000.5::DOUBLE",
        "mass": "-10::DECIMAL(7,3)",
        "seen_at": "'9999-12-31 23:59:59.999999+00'::TIMESTAMPTZ",
        "seats": "9223372036854775807",
    }
    parquet("flight.parquet", extreme)
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        assert base.rows == {"flight": 1}


def test_columns_must_be_the_declared_ones() -> None:
    parquet("flight.parquet", {"mass": "", "mas": "1.5"})
    problems = refused("flight.parquet")
    assert codes(problems) == ["fact-missing-column", "fact-unknown-column"]
    assert problems[1].help == "did you mean `mass`?"
    parquet("flight.parquet", {"MASS": "1.5"})
    assert codes(refused("flight.parquet")) == ["fact-unknown-column"]
    parquet("flight.parquet", {"mass": "", "MASS": "1.5::DECIMAL(7,3)"})
    assert codes(refused("flight.parquet")) == ["fact-missing-column", "fact-unknown-column"]


def test_two_columns_of_one_name_are_refused() -> None:
    data = Path(parquet("flight.parquet", {"nihgt": "false"})).read_bytes()
    Path("flight.parquet").write_bytes(data.replace(b"nihgt", b"night"))
    assert codes(refused("flight.parquet")) == ["fact-repeated-entry"]


def test_an_empty_file_makes_the_relation_empty_but_still_shows_its_columns() -> None:
    with duckdb.connect() as connection:
        select = ", ".join(f'{text} AS "{name}"' for name, text in GOOD.items())
        connection.execute(f"COPY (SELECT {select} LIMIT 0) TO 'flight.parquet' (FORMAT parquet)")
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        assert base.present == {"flight"}
        assert base.rows == {"flight": 0}


def test_files_of_one_relation_may_differ_in_width_and_order_without_rounding() -> None:
    relation = small(
        Column("n", ValueType("int"), unit="none"),
        Column("d", ValueType("decimal", 9, 4), unit="none"),
        Column("x", ValueType("text"), may_be_absent=True),
    )
    parquet("d/thing.1.parquet", relation={"id": "'a'", "n": "1::TINYINT", "d": "1.5::DECIMAL(2,1)"})
    parquet("d/thing.2.parquet", relation={"d": "1.2345::DECIMAL(9,4)", "id": "'b'", "n": "9223372036854775807"})
    parquet("d/thing.3.parquet", relation={"id": "'c'", "n": "3::INTEGER", "d": "1::DECIMAL(1,0)", "x": "'x'"})
    with load(["d"], relation, use_cache=False) as base:
        assert rows_of(base, "thing") == [
            ("a", 1, Decimal("1.5000"), None),
            ("b", 2**63 - 1, Decimal("1.2345"), None),
            ("c", 3, Decimal("1.0000"), "x"),
        ]


@pytest.mark.parametrize(
    "name",
    [
        "thing.[ab].parquet",
        "thing.*.parquet",
        "thing.?.parquet",
        "thing.'x'.parquet",
        'thing."x".parquet',
        "thing.{a,b}.parquet",
        "thing.\\.parquet",
        "thing.a=b.parquet",
        "thing. .parquet",
        "thing.é.parquet",
        "thing.\n.parquet",
        "thing.%20.parquet",
        "thing.PARQUET",
        "k=1/[x]*/thing.parquet",
        "http:/x/thing.parquet",
    ],
)
def test_the_name_of_a_file_is_no_pattern(name: str) -> None:
    decoy = small(Column("n", ValueType("int"), unit="none"))
    thing(f"d/{name}", n="1::BIGINT")
    for other in ("thing.a.parquet", "thing.b.parquet", "k=1/x/thing.parquet", "k=1/[x]x/thing.parquet"):
        thing(f"d/{other}", n="2::BIGINT")
    with load([f"d/{name}"], decoy, use_cache=False) as base:
        assert rows_of(base, "thing") == [("a", 1)]
        assert base.files[0].file == f"d/{name}"


def test_a_name_that_is_no_utf8_is_read() -> None:
    path = os.fsdecode(b"d/thing.\xff.parquet")
    thing("d/thing.parquet", n="1::BIGINT")
    os.rename("d/thing.parquet", path)
    relation = small(Column("n", ValueType("int"), unit="none"))
    with load([path], relation, use_cache=False) as base:
        assert rows_of(base, "thing") == [("a", 1)]
        assert base.files[0].file == "d/thing.\\xff.parquet"


def test_columns_that_bear_the_names_of_duckdbs_own_are_read_from_the_file() -> None:
    relation = small(
        Column("filename", ValueType("text")),
        Column("file_row_number", ValueType("int"), unit="none", high=Decimal(10)),
    )
    thing("d/thing.1.parquet", filename="'mine'", file_row_number="7")
    with load(["d"], relation, use_cache=False) as base:
        assert rows_of(base, "thing") == [("a", "mine", 7)]
    thing("d/thing.2.parquet", filename="'mine'", file_row_number="77")
    assert [(p.code, p.where) for p in refused("d", relations=relation)] == [
        ("fact-range", "d/thing.2.parquet, row 1, column file_row_number")
    ]
    thing("d/thing.2.parquet", filename="'mine'", file_row_number="8")
    assert [(p.code, p.where) for p in refused("d", relations=relation)] == [
        ("fact-repeated-key", "d/thing.2.parquet, row 1")
    ]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100, b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_what_is_no_parquet_is_refused(content: bytes) -> None:
    write(Path("flight.parquet"), content)
    problem = only(refused("flight.parquet"))
    assert problem.code == "fact-parquet"
    assert "\n" not in problem.message


def test_a_damaged_file_is_refused_and_named_among_good_ones() -> None:
    for number in (1, 2, 3):
        rows = [{"flight": f"'f{number}_{row}'"} for row in range(50)]
        parquet(f"d/flight.{number}.parquet", *rows)
    data = bytearray(Path("d/flight.2.parquet").read_bytes())
    data[4:200] = b"\xff" * 196
    Path("d/flight.2.parquet").write_bytes(data)
    problem = only(refused("d"))
    assert (problem.code, problem.where) == ("fact-parquet", "d/flight.2.parquet")
    Path("d/flight.3.parquet").write_bytes(Path("d/flight.3.parquet").read_bytes()[:-20])
    assert [p.where for p in refused("d")] == ["d/flight.3.parquet"]


def test_more_rows_than_the_limit_are_refused_before_they_are_read() -> None:
    parquet("d/flight.1.parquet", {}, {"flight": "'f2'"})
    parquet("d/flight.2.parquet", {"flight": "'f3'"})
    assert "`rows`" in only(refused("d", limits=Limits(rows=2))).message


def test_offenders_past_the_limit_are_counted() -> None:
    columns = GOOD | {"flight": "'f' || i", "claim": "'C2'"}
    select = ", ".join(f'{text} AS "{name}"' for name, text in columns.items())
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {select} FROM range(5000) r(i)) TO 'flight.parquet' (FORMAT parquet)")
    problems = refused("flight.parquet", limits=Limits(problems=2))
    assert [p.where for p in problems[:2]] == [f"flight.parquet, row {n}, column claim" for n in (1, 2)]
    assert problems[2].message == "and 4998 more problems of the facts"


def test_text_and_parquet_of_one_relation_are_one_relation() -> None:
    relation = small(Column("n", ValueType("int"), unit="none"))
    thing("d/thing.parquet", n="1::BIGINT")
    write(Path("e/thing.csv"), "id,n\nb,2\n")
    with load(["d", "e"], relation, use_cache=False) as base:
        assert rows_of(base, "thing") == [("a", 1), ("b", 2)]
        assert base.rows == {"thing": 2}
    write(Path("e/thing.csv"), "id,n\nb,2\na,3\n")
    problem = only(refused("d", "e", relations=relation))
    assert (problem.code, problem.where) == ("fact-repeated-key", "e/thing.csv:3, row 2")
    assert "d/thing.parquet, row 1" in problem.message


def test_a_file_that_changed_after_it_was_hashed_is_noticed() -> None:
    relation = small(Column("n", ValueType("int"), unit="none"))
    thing("thing.parquet", n="1::BIGINT")
    with load(["thing.parquet"], relation, use_cache=False) as base:
        assert base.changed_files() == ()
        thing("thing.parquet", n="2::BIGINT")
        assert base.changed_files() == ("thing.parquet",)
        os.unlink("thing.parquet")
        assert base.changed_files() == ("thing.parquet",)


def test_filters_reach_the_file_where_no_cast_is_needed() -> None:
    other = {"flight": "'f2'", "category": "'specific'", "flight_date": "DATE '2020-01-01'", "height": "500::DOUBLE",
             "mass": "100::DECIMAL(7,3)", "seats": "9::BIGINT"}  # fmt: skip
    parquet("flight.parquet", {}, other)
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        for condition in ("height < 100", "category = 'open'", "seats < 5", "mass < 5", "flight_date > '2024-01-01'"):
            plan = base.connection.execute(f"EXPLAIN SELECT flight FROM f_flight WHERE {condition}").fetchall()[0][1]
            assert "Filters:" in plan, plan


# --- what a file says of itself --------------------------------------------------------------------------------------


def lie(path: str, true: bytes, false: bytes) -> None:
    """Changes bytes in the footer of a file, not in its rows."""
    data = bytearray(Path(path).read_bytes())
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = bytes(data[start:-8])
    assert true in footer
    data[start:-8] = footer.replace(true, false)
    Path(path).write_bytes(data)


def many(path: str, select: str, options: str = "") -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, COMPRESSION uncompressed{options})")


NUMBERS = small(Column("n", ValueType("int"), unit="none"), Column("x", ValueType("float"), unit="none"))
HEIGHT = "(CASE i WHEN 777 THEN 500 ELSE i % 10 END)::BIGINT"
SELECT = f"SELECT 'k' || i AS id, {HEIGHT} AS n, (i % 7)::DOUBLE AS x FROM range(5000) r(i)"


@pytest.mark.parametrize(
    ("true", "false", "column"),
    [
        ((500).to_bytes(8, "little"), (9).to_bytes(8, "little"), "n"),
        (struct.pack("<d", 6.0), struct.pack("<d", 5.0), "x"),
        (b"k0", b"k5", "id"),
    ],
)
def test_statistics_that_would_hide_rows_are_refused(true: bytes, false: bytes, column: str) -> None:
    many("thing.parquet", SELECT)
    with load(["thing.parquet"], NUMBERS, use_cache=False):
        pass
    lie("thing.parquet", true, false)
    problem = only(refused("thing.parquet", relations=NUMBERS))
    assert (problem.code, problem.where) == ("fact-parquet", f"thing.parquet, column {column}")
    assert "statistics" in problem.message


def test_a_value_is_judged_by_its_declaration_whatever_the_statistics_say() -> None:
    relation = small(
        Column("n", ValueType("int"), unit="none", high=Decimal(100)), Column("x", ValueType("float"), unit="none")
    )
    many("thing.parquet", SELECT)
    lie("thing.parquet", (500).to_bytes(8, "little"), (9).to_bytes(8, "little"))
    problem = only(refused("thing.parquet", relations=relation))
    assert (problem.code, problem.where) == ("fact-range", "thing.parquet, row 778, column n")


def test_true_statistics_of_every_type_and_of_many_row_groups_are_taken() -> None:
    nulls = "CASE WHEN i % 3 = 0 THEN NULL ELSE {} END"
    values = {name: nulls.format(text) for name, text in GOOD.items()} | {"flight": "'é' || i || chr(92) || 'x41'"}
    columns = ", ".join(f'{text} AS "{name}"' for name, text in values.items())
    many("flight.parquet", f"SELECT {columns} FROM range(10000) r(i)", ", ROW_GROUP_SIZE 2048")
    with load(["flight.parquet"], RELATIONS, use_cache=False) as base:
        assert base.rows == {"flight": 10_000}


@pytest.mark.parametrize("sizes", [[1], [5], [2, 2, 1], [2, 2, 2], [1, 2], [3, 1, 4, 1, 5, 9, 2, 6], [4, 4, 5]])
def test_the_row_group_of_a_row_is_found(sizes: list[int]) -> None:
    expected = [group for group, size in enumerate(sizes) for _ in range(size)]
    found = duckdb.sql(
        f'SELECT {row_group(sizes)} FROM (SELECT i AS "fiel row" FROM range({sum(sizes)}) r(i) ORDER BY i)'
    )
    assert [row[0] for row in found.fetchall()] == expected


def test_a_text_that_is_no_utf8_is_refused() -> None:
    many("thing.parquet", "SELECT 'a' AS id, 1::BIGINT AS n, 1::DOUBLE AS x UNION ALL SELECT 'bQQQb', 2, 2")
    Path("thing.parquet").write_bytes(Path("thing.parquet").read_bytes().replace(b"bQQQb", b"b\xff\xfe\xffb"))
    assert codes(refused("thing.parquet", relations=NUMBERS)) == ["fact-parquet"]


# --- what is remembered ----------------------------------------------------------------------------------------------


@pytest.fixture
def remembering(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what is remembered of files, in a cache of this test's own."""
    monkeypatch.setenv("FIEL_CACHE", str(here / "cache"))
    return here / "cache" / "files"


def read_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were described, from now on."""
    described: list[str] = []
    before = parquet_stage._described

    def noted(connection: Any, relation: Any, file: Any, findings: Any) -> Any:
        described.append(file.source.shown)
        return before(connection, relation, file, findings)

    monkeypatch.setattr(parquet_stage, "_described", noted)
    return described


def test_a_file_that_was_found_good_is_not_examined_again(remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet("flight.parquet", {}, {"flight": "'f2'", "height": "(-0.0)::DOUBLE"})
    described = read_anew(monkeypatch)
    found = []
    for _ in range(2):
        with load(["flight.parquet"], RELATIONS) as base:
            found.append((rows_of(base, "flight"), base.rows, base.files))
            # A negative zero is none, also when it was seen in an earlier run.
            assert base.select("SELECT count_if(signbit(height)) FROM f_flight").fetchone() == (0,)
    assert found[0] == found[1]
    assert described == ["flight.parquet"]
    os.utime("flight.parquet", (1, 1))  # only what is in it counts
    load(["flight.parquet"], RELATIONS).close()
    assert described == ["flight.parquet"]


def test_what_is_remembered_belongs_to_bytes_and_declarations(
    remembering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet("flight.parquet")
    load(["flight.parquet"], RELATIONS).close()
    described = read_anew(monkeypatch)
    stamp = os.stat("flight.parquet")
    parquet("flight.parquet", {"height": "121::DOUBLE"})
    os.utime("flight.parquet", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with pytest.raises(FactError) as refusal:
        load(["flight.parquet"], narrower(120))
    assert [one.code for one in refusal.value.problems] == ["fact-range"]
    assert described == ["flight.parquet"]
    load(["flight.parquet"], RELATIONS).close()
    with pytest.raises(FactError):  # remembered as good for wider bounds only
        load(["flight.parquet"], narrower(120))
    assert described == ["flight.parquet"] * 3


def narrower(most: int) -> dict[str, Any]:
    flight = RELATIONS["flight"]
    columns = {**flight.columns, "height": replace(flight.columns["height"], high=Decimal(most))}
    return {**RELATIONS, "flight": replace(flight, columns=columns)}


def test_what_was_found_bad_or_could_be_written_by_others_is_not_believed(
    remembering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet("flight.parquet", {"claim": "'Z9'"})
    for _ in range(2):
        with pytest.raises(FactError):
            load(["flight.parquet"], RELATIONS)
    assert not remembering.exists()
    parquet("flight.parquet")
    load(["flight.parquet"], RELATIONS).close()
    (entry,) = remembering.iterdir()
    good = entry.read_text()
    described = read_anew(monkeypatch)
    for text in (good[:-2], "{}", "[]", "\xff", good.replace('"about"', '"around"'), good.replace("double", "DOUBLES")):
        entry.write_text(text)
        load(["flight.parquet"], RELATIONS).close()
        assert entry.read_text() == good
    expected = 5 + (good.replace("double", "DOUBLES") != good)
    assert len(described) == expected
    entry.chmod(0o622)
    load(["flight.parquet"], RELATIONS).close()
    assert len(described) == expected + 1
    load(["flight.parquet"], RELATIONS, use_cache=False).close()
    assert len(described) == expected + 2


def test_one_file_that_is_new_has_its_group_examined(remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet("flight.1.parquet")
    load(["flight.1.parquet"], RELATIONS).close()
    parquet("flight.2.parquet", {"flight": "'f2'", "height": "200::DOUBLE"})
    with pytest.raises(FactError) as refusal:
        load(["flight.1.parquet", "flight.2.parquet"], narrower(150))
    assert [one.where for one in refusal.value.problems] == ["flight.2.parquet, row 1, column height"]
