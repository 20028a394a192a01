"""`fiel sense` with sensors that ask nobody: tables, databases, policies, pages; and the folder of a run."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from . import sensors
from .conftest import ROOT, Cli

HEAD = "number,Amount EUR,weight,sold,day,at,size\n"
GOOD = HEAD + '1,12.50,1.5,true,2026-01-01,2026-01-01T10:00:00Z,small\n2,,,,,,\n10,"3",1e3,false,2026-01-02,,large\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    sensors.lay(tmp_path)
    (tmp_path / "sales.csv").write_text(GOOD, "utf-8")
    return tmp_path


def run_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return found


def rows_of(folder: Path, relation: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "facts" / f"{relation}.jsonl").read_text("utf-8").splitlines()]


def test_a_table_becomes_facts_that_are_judged(cli: Cli, home: Path) -> None:
    done = cli("sense", "shop", "sales.csv", "--sensor", "sales", "--out", "run", cwd=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "shop.sales looked at 1 document\n  sale: 3 rows\nfacts: run\n"
    lines = (home / "run" / "facts" / "sale.jsonl").read_text("utf-8")
    assert lines.splitlines()[0].startswith('{"number":1,"amount":12.50,"weight":1.5,"sold":true,"day":"2026-01-01"')
    assert [row["number"] for row in rows_of(home / "run", "sale")] == [1, 2, 10]
    record = run_of(home / "run")
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert record["facts"] == {"sale": {"rows": 3, "sha256": digest}}
    assert record["coverage"] == [{"document": "sales.csv", "sha256": hashlib.sha256(GOOD.encode()).hexdigest()}]
    assert (record["status"], record["provenance"], record["kind"]) == ("complete", "observed", "table")
    judged = cli("judge", "--facts", "run", cwd=home)
    assert judged.returncode == 3
    assert "1 without evidence of 3 rows" in judged.stdout


def test_the_same_documents_give_the_same_facts_to_the_byte(cli: Cli, home: Path) -> None:
    for name in ("one", "two"):
        assert cli("sense", "shop", "sales.csv", "--sensor", "sales", "--out", name, cwd=home).returncode == 0
    assert (home / "one/facts/sale.jsonl").read_bytes() == (home / "two/facts/sale.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "1,12.505,,,,,\n", "`12.505` has more than 2 decimals"),
        (HEAD + "1,,,,,,\n1,,,,,,\n", "that of run/facts/sale.jsonl:1"),
        (HEAD + ",1,,,,,\n", "column number"),
        (HEAD + "x,1,,,,,\n", "column number"),
        (HEAD + "1.0,1,,,,,\n", "column number"),
        (HEAD + "1,1,,yes,,,\n", "column sold"),
        (HEAD + "1,1,,,2026-02-30,,\n", "column day"),
        (HEAD + "1,1,,,,,huge\n", "column size"),
        (HEAD + "1,1,1e999,,,,\n", "column weight"),
    ],
)
def test_a_cell_that_does_not_fit_leaves_no_facts(cli: Cli, home: Path, text: str, said: str) -> None:
    (home / "bad.csv").write_text(text, "utf-8")
    done = cli("sense", "shop", "bad.csv", "--sensor", "sales", "--out", "run", cwd=home)
    assert done.returncode == 1
    assert said in done.stderr
    assert "run/facts/sale.jsonl" in done.stderr
    assert sorted(os.listdir(home / "run")) == ["diagnostics.jsonl", "run.json"]
    assert run_of(home / "run")["status"] == "incomplete"
    judged = cli("judge", "--facts", "run", cwd=home)
    assert judged.returncode == 2
    assert "fact-run-incomplete" in judged.stderr


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b"", "it is empty, and headings were expected"),
        ("t.csv", HEAD.replace("Amount EUR", "Amount").encode(), "there is no heading `Amount EUR` for `amount`"),
        ("t.csv", HEAD.replace("day", "number").encode(), "the heading `number` stands 2 times"),
        ("t.csv", HEAD.encode() + b"1,2\n", "line 2: 2 fields, and there are 7 headings"),
        ("t.csv", HEAD.encode() + b'1,"2,,,,,\n', "line 2"),
        ("t.csv", b"\xff\xfe", "no UTF-8"),
        ("t.parquet", b"PAR1nothing", "no Parquet file"),
        ("t.db", b"SQLite format 4", "not a database"),
    ],
)
def test_a_table_that_cannot_be_read_is_said_and_nothing_is_made(
    cli: Cli, home: Path, name: str, data: bytes, said: str
) -> None:
    (home / name).write_bytes(data)
    done = cli("sense", "shop", name, "--sensor", "sales", "--out", "run", cwd=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (home / "run").exists()


def test_parquet_and_sqlite_give_what_csv_gives(cli: Cli, home: Path) -> None:
    kinds = (
        'number BIGINT, "Amount EUR" DECIMAL(6,2), weight DOUBLE, sold BOOLEAN, day DATE, "at" TIMESTAMPTZ, size TEXT'
    )
    values = (
        "(1, 12.5, 1.5, true, '2026-01-01', '2026-01-01T10:00:00Z', 'small'), (2, null, null, null, null, null, null)"
    )
    values += ", (10, 3, 1000, false, '2026-01-02', null, 'large')"
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'Europe/Madrid'")
        database.execute(f"CREATE TABLE sale({kinds})")
        database.execute(f"INSERT INTO sale VALUES {values}")
        database.execute(f"COPY sale TO '{home / 'sales.parquet'}'")
    with sqlite3.connect(home / "sales.sqlite") as other:
        other.execute(f"CREATE TABLE sale({kinds.replace('DECIMAL(6,2)', 'TEXT').replace('BOOLEAN', 'TEXT')})")
        text = values.replace("12.5,", "'12.50',").replace("(10, 3,", "(10, '3',")
        other.execute(f"INSERT INTO sale VALUES {text.replace('true', repr('true')).replace('false', repr('false'))}")
    facts = []
    for number, name in enumerate(("sales.csv", "sales.parquet", "sales.sqlite")):
        done = cli("sense", "shop", name, "--sensor", "sales", "--out", f"run{number}", cwd=home)
        assert done.returncode == 0, done.stderr
        facts.append([{**row, "note": None} for row in rows_of(home / f"run{number}", "sale")])
    assert facts[0] == facts[1] == facts[2]


COLUMNS = {
    "number": "1::BIGINT",
    "Amount EUR": "1.5::DECIMAL(6,2)",
    "weight": "1.5::DOUBLE",
    "sold": "true",
    "day": "DATE '2026-01-01'",
    "at": "TIMESTAMPTZ '2026-01-01T00:00:00Z'",
    "size": "'small'",
}


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("size", "'ab'::BLOB", "`size` is of the type bytes"),
        ("size", "[1, 2]", "`size` is of the type list"),
        ("size", "{'a': 1}", "`size` is of the type dict"),
        ("size", "uuid()", "`size` is of the type UUID"),
        ("size", "INTERVAL 1 DAY", "`size` is of the type timedelta"),
        ("day", "TIME '10:00'", "`day` is of the type time"),
        ("day", "'infinity'::DATE", "`infinity` is no date"),
        ("day", "DATE '0044-03-15 (BC)'", "is no date"),
        ("day", "TIMESTAMP '2026-01-01 00:00:00'", "is no date"),
        ("at", "TIMESTAMP '2026-01-01 00:00:00'", "is no instant"),
        ("at", "'2026-01-01 00:00:00.123456789'::TIMESTAMP_NS", "is no instant"),
        ("at", "'infinity'::TIMESTAMPTZ", "is no instant"),
        ("Amount EUR", "1.5::DOUBLE", "`amount` is a double, and a decimal is exact"),
        ("number", "1.0::DOUBLE", "column number"),
        ("number", "170141183460469231731687303715884105727::HUGEINT", "column number"),
        ("weight", "'nan'::DOUBLE", "column weight"),
        ("weight", "'-inf'::DOUBLE", "column weight"),
        ("sold", "1", "column sold"),
    ],
)
def test_a_value_that_no_fact_can_be_is_never_made_into_another(
    cli: Cli, home: Path, column: str, value: str, said: str
) -> None:
    cells = ", ".join(f'{cell} AS "{name}"' for name, cell in {**COLUMNS, column: value}.items())
    duckdb.sql(f"COPY (SELECT {cells}) TO '{home / 'odd.parquet'}'")
    done = cli("sense", "shop", "odd.parquet", "--sensor", "sales", "--out", "run", cwd=home)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert not (home / "run/facts").exists()


def test_a_name_that_stands_for_other_files_is_refused(cli: Cli, home: Path) -> None:
    cells = ", ".join(f'{cell} AS "{name}"' for name, cell in COLUMNS.items())
    for name in ("a1.parquet", "a*.parquet"):
        duckdb.sql(f"COPY (SELECT {cells}) TO '{home / name}'")
    done = cli("sense", "shop", "a*.parquet", "--sensor", "sales", "--out", "run", cwd=home)
    assert (done.returncode, "its path has a letter that stands for others" in done.stderr) == (2, True)


def test_a_query_reads_and_never_writes(cli: Cli, home: Path) -> None:
    with sqlite3.connect(home / "sales.sqlite") as other:
        other.execute("CREATE TABLE sale(number INTEGER)")
    for query in ("DELETE FROM sale", "DROP TABLE sale", "SELECT 1; DELETE FROM sale"):
        path = home / "policies/shop/sensors.yaml"
        path.write_text(f"sales: {{kind: table, reads: documents, fills: [sale], query: '{query}'}}\n", "utf-8")
        done = cli("sense", "shop", "sales.sqlite", "--out", "run", cwd=home)
        assert (done.returncode, done.stdout) == (2, ""), query
        assert "table-unreadable" in done.stderr


def test_policies_say_what_they_cannot_see_and_why_their_numbers_are_what_they_are(cli: Cli, home: Path) -> None:
    done = cli("sense", "shop", "policies", "--sensor", "texts", "--out", "run", cwd=home)
    assert done.returncode == 0, done.stderr
    rows = {(row["policy"], row["parameter"]): row for row in rows_of(home / "run", "passage")}
    assert rows["shop.sale_is_paid", ""]["text"] == "Sales in cash."
    assert rows["shop.sale_is_paid", "least"] == {
        "policy": "shop.sale_is_paid",
        "part": "reason",
        "parameter": "least",
        "text": "Nobody sells for less.",
        "value": "1",
        "unit": "euro",
        "origin": "convention",
    }
    data = (home / "policies/shop/sale_is_paid.yaml").read_bytes()
    coverage = [{"document": "shop.sale_is_paid", "sha256": hashlib.sha256(data).hexdigest()}]
    assert run_of(home / "run")["coverage"] == coverage


def test_a_broken_pack_is_no_document(cli: Cli, home: Path) -> None:
    (home / "policies/shop/sale_is_paid.yaml").write_text("policy: shop.sale_is_paid\n", "utf-8")
    done = cli("sense", "shop", "policies", "--sensor", "texts", "--out", "run", cwd=home)
    assert done.returncode == 2
    assert not (home / "run").exists()


def test_what_pages_show_becomes_facts(cli: Cli, home: Path) -> None:
    (home / "page.html").write_text(
        '<p>kind: <data class="proposed" data-sensor="s" data-run="r" value="B1">B1</data></p>', "utf-8"
    )
    done = cli("sense", "shop", "page.html", "--sensor", "pages", "--out", "run", cwd=home)
    assert done.returncode == 0, done.stderr
    row = {"document": "page.html", "at": 1, "line": 1, "marked": "proposed", "value": "B1"}
    assert rows_of(home / "run", "shown") == [row]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shop", "--sensor", "sales", "--out", "run"], "there is nothing to look at"),
        (["shop", "absent.csv", "--sensor", "sales", "--out", "run"], "`absent.csv` does not exist"),
        (["shop", "empty", "--sensor", "sales", "--out", "run"], "there is nothing to look at in `empty`"),
        (["shop", "sales.csv", "--sensor", "sles", "--out", "run"], "did you mean `sales`"),
        (["shop", "sales.csv", "--out", "run"], "name one: `--sensor sales`"),
        (["shp", "sales.csv", "--out", "run"], "did you mean `shop`"),
        (["shop", "sales.csv", "--sensor", "sales"], "add `--out DIR`"),
        (["shop", "sales.csv", "--sensor", "sales", "--out", "empty"], "`empty` is there already"),
        (["shop", "sales.csv", "--sensor", "sales", "--out", "no/where/run"], "cannot be made"),
        (["shop", "sales.csv", "sub/sales.csv", "--sensor", "sales", "--out", "run"], "two documents are called"),
        (["shop", "sales.csv", "--sensor", "sales", "--out", "run", "--prepare"], "is of the kind table"),
        (["shop", "sales.csv", "--sensor", "sales", "--resume", "empty"], "is of the kind table"),
        (["shop", "sales.csv", "--sensor", "sales", "--out", "r", "--resume", "empty"], "leave one out"),
        (
            ["shop", "sales.csv", "--sensor", "sales", "--out", "run", "--model", "m"],
            "`--model` is of use with `--run`",
        ),
        (["shop", "sales.csv", "--database-env", "X", "--sensor", "sales", "--out", "run"], "both are named"),
        (["shop", "policies", "--database-env", "X", "--sensor", "texts", "--out", "run"], "is for tables"),
        (["shop", "sales.csv", "--given", "f", "--sensor", "sales", "--out", "run"], "is for sensors that ask a model"),
        (["shop", "--database-env", "NOT_SET", "--sensor", "sales", "--out", "run"], "`NOT_SET` is not set"),
        (["shop", "--database-env", "postgres://me:secret@h/d", "--sensor", "sales", "--out", "run"], "never give"),
    ],
)
def test_a_command_that_cannot_be_meant_makes_nothing(cli: Cli, home: Path, words: list[str], said: str) -> None:
    (home / "empty").mkdir()
    (home / "sub").mkdir()
    (home / "sub/sales.csv").write_text(GOOD, "utf-8")
    done = cli("sense", *words, cwd=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "me:secret" not in done.stderr
    assert not (home / "run").exists()


def test_facts_that_were_changed_after_the_run_are_refused(cli: Cli, home: Path) -> None:
    assert cli("sense", "shop", "sales.csv", "--sensor", "sales", "--out", "run", cwd=home).returncode == 0
    path = home / "run/facts/sale.jsonl"
    path.write_text(path.read_text("utf-8").replace("12.50", "99.50"), "utf-8")
    judged = cli("judge", "--facts", "run", cwd=home)
    assert judged.returncode == 2
    assert "fact-run-mismatch" in judged.stderr


# -- PostgreSQL ------------------------------------------------------------------------------------------------------

ROWS = """CREATE TABLE sale(number bigint, "Amount EUR" numeric(6,2), weight float8, sold bool, day date,
at timestamptz, size text); INSERT INTO sale VALUES
(1, 12.5, 1.5, true, '2026-01-01', '2026-01-01T12:00:00+02:00', 'small'),
(2, null, null, null, null, null, null), (10, 3, 1000, false, '2026-01-02', null, 'large');"""


def test_a_database_of_postgresql_gives_what_the_table_gives(cli: Cli, home: Path, postgres: str) -> None:
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", ROWS, postgres], check=True)
    words = ["sense", "shop", "--sensor", "sales", "--database-env", "SHOP_DB", "--out"]
    done = cli(*words, "run", cwd=home, SHOP_DB=postgres)
    assert (done.returncode, done.stderr) == (0, "")
    assert cli("sense", "shop", "sales.csv", "--sensor", "sales", "--out", "csv", cwd=home).returncode == 0
    assert rows_of(home / "run", "sale") == rows_of(home / "csv", "sale")
    written = b"".join(path.read_bytes() for path in (home / "run").rglob("*") if path.is_file())
    assert b"sesame" not in written  # the password

    path = home / "policies/shop/sensors.yaml"
    for query in ("DELETE FROM sale RETURNING *", "SELECT 1; DROP TABLE sale", "SELECT pg_sleep(1), setval('x', 1)"):
        path.write_text(f'sales: {{kind: table, reads: documents, fills: [sale], query: "{query}"}}\n', "utf-8")
        assert cli(*words[:2], *words[4:], "bad", cwd=home, SHOP_DB=postgres).returncode == 2, query
    count = ["psql", "-qtA", "-c", "SELECT count(*) FROM sale", postgres]
    assert subprocess.run(count, check=True, capture_output=True, text=True).stdout == "3\n"


def test_an_error_of_the_database_shows_no_password(cli: Cli, home: Path, postgres: str) -> None:
    words = ["sense", "shop", "--sensor", "sales", "--database-env", "SHOP_DB", "--out", "run"]
    for address in (postgres.replace("sesame", "wrongword"), "host=127.0.0.1 port=1 password=wrongword", "wrongword"):
        done = cli(*words, cwd=home, SHOP_DB=address)
        assert done.returncode == 2
        assert "table-unreadable" in done.stderr
        assert "wrongword" not in done.stdout + done.stderr


def test_the_shipped_folder_of_tests_is_not_written_to() -> None:
    assert not (ROOT / "run").exists()
