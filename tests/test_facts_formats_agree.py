"""The same rows in all four formats give the same tables, in whatever order and however they are split."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import FactError, Problem
from engine.facts import from_rows, load, sql_type
from engine.facts.json_text import decode
from engine.facts.values import from_json
from engine.model import Column, Relation, ValueType
from tests.facts_samples import LEVELS, rows_of

COLUMNS = (
    Column("k", ValueType("int"), required=True, unit="none"),
    Column("t", ValueType("text")),
    Column("i", ValueType("int"), unit="none"),
    Column("d", ValueType("decimal", 38, 4), unit="none"),
    Column("f", ValueType("float"), unit="none"),
    Column("b", ValueType("bool")),
    Column("day", ValueType("date")),
    Column("at", ValueType("instant")),
    Column("level", ValueType("levels", levels=LEVELS)),
)
RELATION = {"thing": Relation("thing", "A thing.", ("k",), {c.name: c for c in COLUMNS})}

# CSV has no NUL; what it cannot say, no format is asked to say here.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6) | st.sampled_from(
    [
        "",
        " ",
        '"',
        '""',
        ",",
        "\n",
        "\r\n",
        "\r",
        "null",
        "NULL",
        "é",
        "e\u0301",
        "😀",
        "\ufeff",
        "\\",
        "\x1a",
        "1",
        "true",
    ]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "t": st.none() | TEXT,
            "i": st.none() | st.integers(-(2**63), 2**63 - 1),
            "d": st.none()
            | st.integers(-(10**38) + 1, 10**38 - 1).map(lambda n: Decimal((n < 0, tuple(map(int, str(abs(n)))), -4))),
            "f": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "b": st.none() | st.booleans(),
            "day": st.none() | st.dates(),
            "at": st.none() | st.datetimes(),
            "level": st.none() | st.sampled_from(LEVELS),
        }
    ),
    max_size=5,
)


def written(value: Any, minutes: int) -> Any:
    """A value as JSON has it; instants with an offset of some minutes, which is the same instant."""
    if isinstance(value, datetime):
        try:
            there = value.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))
        except OverflowError:
            return value.isoformat() + "Z"
        return there.isoformat()
    return value.isoformat() if isinstance(value, date) else value


def as_json(row: Mapping[str, Any], minutes: int) -> str:
    """One object; decimals as their digits, which Python's encoder cannot write."""
    pieces = []
    for name, value in row.items():
        text = format(value, "f") if isinstance(value, Decimal) else json.dumps(written(value, minutes))
        pieces.append(f"{json.dumps(name)}: {text}")
    return "{" + ", ".join(pieces) + "}"


def as_csv(rows: Sequence[Mapping[str, Any]], minutes: int) -> str:
    def field(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        text = format(value, "f") if isinstance(value, Decimal) else str(written(value, minutes))
        quote = isinstance(value, str) and (value == "" or any(sign in value for sign in ',"\r\n'))
        return '"' + text.replace('"', '""') + '"' if quote else text

    lines = [",".join(c.name for c in COLUMNS)] + [",".join(field(row[c.name]) for c in COLUMNS) for row in rows]
    return "\r\n".join(lines) + "\r\n"


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    kinds = {c.name: sql_type(c.type) for c in COLUMNS} | {"at": "TIMESTAMPTZ", "level": "VARCHAR"}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(f'"{c.name}" {kinds[c.name]}' for c in COLUMNS)
        connection.execute(f"CREATE TABLE t ({columns})")
        for row in rows:
            values = [str(row[c.name]) + "+00" if c.name == "at" and row["at"] else row[c.name] for c in COLUMNS]
            values = [format(v, "f") if isinstance(v, Decimal) else v for v in values]
            connection.execute(f"INSERT INTO t VALUES ({', '.join('?' for _ in values)})", values)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


def table_of(path: str, threads: int = 2) -> list[str]:
    """The rows as text, which tells -0.0 from 0.0 and keeps every digit."""
    with load([path], RELATION, use_cache=False, threads=threads) as base:
        return [repr(row) for row in rows_of(base, "thing")]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.integers(-14 * 60, 14 * 60))
def test_the_same_rows_in_four_formats_give_the_same_table(
    folder: Path, rows: list[dict[str, Any]], minutes: int
) -> None:
    numbered = [{"k": number, **row} for number, row in enumerate(rows)]
    objects = [as_json(row, minutes) for row in numbered]
    (folder / "thing.json").write_text('{"thing": [' + ",\n".join(objects) + "]}", encoding="utf-8", newline="")
    (folder / "thing.jsonl").write_text("".join(one + "\n" for one in objects), encoding="utf-8", newline="")
    (folder / "thing.csv").write_text(as_csv(numbered, minutes), encoding="utf-8", newline="")
    write_parquet(folder / "thing.parquet", numbered)
    tables = [table_of(str(folder / f"thing.{end}")) for end in ("json", "jsonl", "csv", "parquet")]
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert len(tables[0]) == len(rows)
    # And the same as the typed values that cases give.
    typed = [{name: one_value(name, value) for name, value in row.items()} for row in numbered]
    with from_rows({"thing": typed}, RELATION) as base:
        assert [repr(row) for row in rows_of(base, "thing")] == tables[0]


def one_value(name: str, value: Any) -> object:
    return from_json(decode(as_json({name: value}, 0))[0][name], RELATION["thing"].columns[name])  # type: ignore[index]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.none() | TEXT, min_size=2, max_size=2), max_size=5), st.sampled_from([",", ";", "\t"]))
def test_what_another_writer_of_csv_makes_is_read_back(folder: Path, rows: list[list[str | None]], sign: str) -> None:
    relation = Relation(
        "pair",
        "",
        ("k",),
        {name: Column(name, ValueType("text"), required=name == "k") for name in ("k", "a", "b")},
    )
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=sign, quoting=csv.QUOTE_ALL)
    writer.writerow(["k", "a", "b"])
    for number, row in enumerate(rows):
        writer.writerow([f"{number:03}", *(value or "" for value in row)])
    path = folder / "pair.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    with load([str(path)], {"pair": relation}, csv_delimiter=sign) as base:
        assert rows_of(base, "pair") == [(f"{n:03}", *(value or "" for value in row)) for n, row in enumerate(rows)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.randoms(use_true_random=False))
def test_order_split_and_threads_change_nothing(folder: Path, rows: list[dict[str, Any]], random: Any) -> None:
    objects = [as_json({"k": number, **row}, 0) for number, row in enumerate(rows)]
    (folder / "thing.1.jsonl").write_text("\n".join(objects), encoding="utf-8", newline="")
    first = table_of(str(folder / "thing.1.jsonl"), threads=1)
    random.shuffle(objects)
    cut = len(objects) // 2
    (folder / "thing.1.jsonl").write_text("\n".join(objects[:cut]), encoding="utf-8", newline="")
    (folder / "thing.2.jsonl").write_text("\n".join(objects[cut:]), encoding="utf-8", newline="")
    assert table_of(str(folder / "thing.?.jsonl")) == first


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from(["json", "jsonl", "csv", "parquet"]))
def test_no_bytes_of_any_kind_end_in_anything_but_facts_or_problems(folder: Path, data: bytes, end: str) -> None:
    path = folder / f"thing.{end}"
    for content in (data, STARTS[end] + data):
        path.write_bytes(content)
        for problem in problems_of(path):
            assert problem.code.startswith("fact-")
            assert problem.where
            assert problem.message.isprintable()


STARTS = {
    "json": b'{"thing": [{"k": 1, ',
    "jsonl": b'{"k": 1, ',
    "csv": b"k,t,i,d,f,b,day,at,level\n",
    "parquet": b"PAR1",
}


def problems_of(path: Path) -> tuple[Problem, ...]:
    try:
        load([str(path)], RELATION, use_cache=False).close()
    except FactError as error:
        return error.problems
    return ()
