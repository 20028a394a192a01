"""What can be done with a connection over facts: nothing but read them. Every road of the list is tried."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from engine.errors import EvaluationError, FactError
from engine.facts import FactBase, from_rows, load
from engine.limits import Limits
from tests.conftest import ROOT
from tests.facts_samples import RELATIONS, ROW, codes, refused, write

# `{here}` is the folder of the facts, which also holds secret.txt and other.parquet.
OUTSIDE = """
SELECT * FROM read_csv('{here}/secret.txt')
SELECT * FROM read_text('{here}/secret.txt')
SELECT * FROM read_blob('{here}/secret.txt')
SELECT * FROM read_json('{here}/secret.txt')
SELECT * FROM read_parquet('{here}/other.parquet')
SELECT * FROM read_parquet('{here}/*.parquet')
SELECT * FROM glob('{here}/*')
SELECT * FROM glob('/etc/*')
SELECT * FROM sniff_csv('{here}/secret.txt')
SELECT * FROM parquet_metadata('{here}/other.parquet')
SELECT * FROM parquet_schema('{here}/other.parquet')
SELECT * FROM '{here}/secret.txt'
SELECT * FROM '{here}/other.parquet'
FROM '/etc/passwd'
SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')
SELECT * FROM read_csv('https://127.0.0.1:9/x.csv')
SELECT * FROM read_parquet('s3://bucket/x.parquet')
SELECT * FROM read_duckdb('{here}/other.duckdb')
SELECT * FROM query('SELECT * FROM read_text(''{here}/secret.txt'')')
SELECT getenv('HOME')
SELECT * FROM a_host_variable
SELECT * FROM RELATIONS
SELECT * FROM duckdb_secrets()
SELECT * FROM postgres_scan('', '', '')
SELECT * FROM sqlite_scan('{here}/other.duckdb', 't')
COPY f_flight TO '{here}/out.csv'
COPY (SELECT 1) TO '{here}/out.parquet' (FORMAT parquet)
COPY f_flight FROM '{here}/secret.txt'
EXPORT DATABASE '{here}/exported'
IMPORT DATABASE '{here}/exported'
ATTACH '{here}/other.duckdb'
ATTACH '{here}/new.duckdb'
ATTACH 'http://127.0.0.1:9/x.duckdb'
INSTALL httpfs
FORCE INSTALL httpfs
LOAD httpfs
LOAD '{here}/secret.txt'
UPDATE EXTENSIONS
CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')
CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')
SET threads = 1
SET memory_limit = '100GB'
SET enable_external_access = true
SET lock_configuration = false
SET allowed_paths = ['{here}/secret.txt']
SET allowed_directories = ['/']
SET python_enable_replacements = true
SET autoload_known_extensions = true
SET temp_directory = '{here}'
SET max_temp_directory_size = '100GB'
SET TimeZone = 'Europe/Madrid'
SET GLOBAL threads = 1
SET max_execution_time = 5
RESET threads
RESET enable_external_access
RESET lock_configuration
PRAGMA threads = 1
PRAGMA enable_profiling
PRAGMA enable_logging
CALL enable_logging()
CALL enable_profiling()
PRAGMA import_database('{here}')
""".strip().splitlines()

CHANGES = """
ATTACH ':memory:' AS other
CREATE TABLE t (a INT)
CREATE VIEW v AS SELECT 1
CREATE OR REPLACE VIEW f_flight AS SELECT 1
CREATE MACRO m(a) AS a
CREATE SCHEMA s
CREATE SEQUENCE q
CREATE TYPE mood AS ENUM ('a')
CREATE INDEX i ON f_flight (flight)
DROP TABLE f_flight
DROP VIEW f_flight
ALTER TABLE f_flight RENAME TO g
ALTER TABLE f_flight ADD COLUMN z INT
INSERT INTO f_flight (flight) VALUES ('x')
UPDATE f_flight SET night = false
DELETE FROM f_flight
TRUNCATE f_flight
COMMENT ON TABLE f_flight IS 'x'
""".strip().splitlines()

# Allowed by DuckDB in a locked, read-only database; closed by `select`.
TEMPORARY = """
CREATE TEMP TABLE t (a INT)
CREATE TEMP VIEW f_flight AS SELECT 1
CREATE TEMP MACRO m(a) AS a
SET search_path = 'temp'
SET VARIABLE x = 1
PREPARE p AS SELECT 1
CHECKPOINT
VACUUM
BEGIN
PRAGMA version
CALL pragma_version()
EXPLAIN SELECT 1
SELECT 1; SELECT 2
LOAD json
COPY (SELECT 1) TO '{spill}/x.csv'
COPY (SELECT 1) TO '{here}/flight.parquet' (FORMAT parquet, USE_TMP_FILE false)
""".strip().splitlines()


NULLS = {
    "category": "VARCHAR",
    "flight_date": "DATE",
    "height": "DOUBLE",
    "mass": "DECIMAL(7,3)",
    "claim": "VARCHAR",
    "night": "BOOLEAN",
    "seen_at": "TIMESTAMPTZ",
    "seats": "BIGINT",
}
PARQUET_ROW = "SELECT 'f1' AS flight, " + ", ".join(f"NULL::{kind} AS {name}" for name, kind in NULLS.items())


def facts(kind: str) -> FactBase:
    """Facts of one row, in the current folder, with a secret and other files beside them."""
    Path("secret.txt").write_text("a secret beside the facts")
    with duckdb.connect("other.duckdb") as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS a")
        other.execute("COPY t TO 'other.parquet' (FORMAT parquet)")
        other.execute(f"COPY ({PARQUET_ROW}) TO 'flight.parquet' (FORMAT parquet)")
    if kind == "cases":
        return from_rows({"flight": [{"flight": "f1"}]}, RELATIONS)
    write(Path("flight.json"), {"flight": [dict(ROW)]})
    return load([f"flight.{kind}"], RELATIONS, use_cache=False)


@pytest.fixture(params=["json", "parquet", "cases"])
def base(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FactBase]:
    monkeypatch.chdir(tmp_path)
    with facts(request.param) as opened:
        yield opened


def accepted(run: Callable[[str], object], statements: list[str]) -> list[str]:
    """The statements that were not refused."""
    here = Path.cwd()
    taken = []
    for statement in statements:
        try:
            run(statement.format(here=here, spill=here / "spill"))
        except (duckdb.Error, EvaluationError):
            continue
        taken.append(statement)
    return taken


def one_row(base: FactBase) -> bool:
    return base.connection.execute("SELECT flight FROM f_flight").fetchall() == [("f1",)]


def test_facts_can_be_read(base: FactBase) -> None:
    assert base.select("SELECT flight FROM f_flight WHERE flight = $1", ["f1"]).fetchall() == [("f1",)]
    assert base.connection.execute("SELECT count(*) FROM f_flight").fetchall() == [(1,)]


def test_no_road_leads_out_of_the_database(base: FactBase, tmp_path: Path) -> None:
    a_host_variable = base.connection.execute("SELECT 1")  # would be found by its name if host variables could be read
    before = sorted(os.listdir(tmp_path))
    assert accepted(lambda sql: base.connection.execute(sql).fetchall(), OUTSIDE) == []
    assert sorted(os.listdir(tmp_path)) == before
    assert one_row(base)
    assert a_host_variable is not None


def test_the_facts_cannot_be_changed(base: FactBase) -> None:
    assert accepted(base.select, CHANGES) == []
    if base.files:  # those of cases live in memory, and only `select` protects them
        assert accepted(lambda sql: base.connection.execute(sql).fetchall(), CHANGES) == []
    assert one_row(base)


def test_select_runs_one_select_and_nothing_else(base: FactBase) -> None:
    assert accepted(lambda sql: base.select(sql).fetchall(), [*OUTSIDE, *TEMPORARY, "", ";", "nonsense"]) == []
    assert base.changed_files() == ()
    assert one_row(base)


def test_a_parquet_file_that_is_written_over_is_at_least_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB lets COPY write over a file that may be read (2.0.1). If this fails, the lock got better: say so there."""
    monkeypatch.chdir(tmp_path)
    with facts("parquet") as base:
        base.connection.execute(f"COPY (SELECT 1) TO '{tmp_path}/flight.parquet' (FORMAT parquet, USE_TMP_FILE false)")
        assert base.changed_files() == ("flight.parquet",)


def test_the_settings_are_those_that_were_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"flight": [dict(ROW)]})
    limits = Limits(memory_mb=512, disk_mb=100, seconds=3)
    with load([path], RELATIONS, limits=limits, threads=1) as base:
        found = dict(base.select("SELECT name, value FROM duckdb_settings()").fetchall())
    assert found["memory_limit"] == "512.0 MiB"
    assert found["max_temp_directory_size"] == "100.0 MiB"
    assert found["max_execution_time"] == "3000"
    assert found["threads"] == "1"
    assert found["TimeZone"] == "UTC"
    assert found["access_mode"].lower() == "read_only"
    for name in ("lock_configuration",):
        assert found[name] == "true"
    for name in (
        "enable_external_access",
        "python_enable_replacements",
        "autoload_known_extensions",
        "autoinstall_known_extensions",
        "allow_community_extensions",
        "allow_unsigned_extensions",
    ):
        assert found[name] == "false", name


def test_a_query_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"flight": [dict(ROW)]})
    with load([path], RELATIONS, limits=Limits(seconds=1)) as base:
        with pytest.raises(duckdb.InterruptException):
            base.select("SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE i * j % 7 = 3").fetchall()
        assert base.select("SELECT count(*) FROM f_flight").fetchall() == [(1,)]


def test_the_folder_is_private_and_goes_with_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = write(tmp_path / "a.json", {"flight": [dict(ROW)]})
    with load([path], RELATIONS) as base:
        (folder,) = (tmp_path / "temporary").iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        base.close()
        assert not folder.exists()
    write(tmp_path / "a.json", "{")
    assert codes(refused(path)) == ["fact-json"]
    write(tmp_path / "a.json", {"flight": [{}]})
    assert "fact-missing-column" in codes(refused(path))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_base_that_is_forgotten_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"flight": [dict(ROW)]})
    (tmp_path / "temporary").mkdir()
    script = """
        import sys
        from engine.facts import load
        from tests.facts_samples import RELATIONS
        base = load([sys.argv[1]], RELATIONS)
        print(base.rows)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "a.json")],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "{'flight': 1}\n", done.stderr
    assert list((tmp_path / "temporary").iterdir()) == []


def test_memory_that_does_not_suffice_is_a_problem_that_names_the_limit(tmp_path: Path) -> None:
    rows = ({"flight": f"f{i}", "remarks": os.urandom(200).hex()} for i in range(20_000))
    with pytest.raises(FactError) as error:
        from_rows({"flight": list(rows)}, RELATIONS, limits=Limits(memory_mb=2, disk_mb=1))
    (problem,) = error.value.problems
    assert problem.code == "fact-limit"
    assert "`memory_mb`" in problem.message or "`disk_mb`" in problem.message


def test_a_disk_that_cannot_be_written_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.json", {"flight": [dict(ROW)]})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert codes(refused(path)) == ["fact-store"]
