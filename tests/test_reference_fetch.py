"""Fetching and adding references: the pinned file or nothing, whatever the server does, which is a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.references import fetch as fetching
from engine.references.fetch import fetch
from engine.references.shelf import MAX_BYTES
from engine.references.store import add_file, arriving

from .conftest import ROOT
from .references import fixture_vocabulary

REFERENCE, DATA = fixture_vocabulary()


class Publisher(BaseHTTPRequestHandler):
    """Gives the file at `/good`, and something that is wrong in one way at every other path."""

    protocol_version = "HTTP/1.1"
    sent = 0

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        what = self.path.strip("/").partition("/")[0].replace("-", "_")
        getattr(self, f"give_{what}")()

    def body(self, data: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def move(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def give_good(self) -> None:
        self.body(DATA)

    def give_wrong(self) -> None:
        self.body(DATA.replace(b"blimmer,noun,A1", b"blimmer,noun,A2"))

    def give_page(self) -> None:
        self.body(b"<!doctype html><p>The file has moved.")

    def give_truncated(self) -> None:
        self.body(DATA[:100], len(DATA))

    def give_longer(self) -> None:
        self.body(DATA + b"x", len(DATA) + 1)

    def give_moved(self) -> None:
        self.move("/good")

    def give_to_file(self) -> None:
        self.move(f"file://{ROOT}/tests/fixtures/references/fixture-vocabulary-1.0.csv")

    def give_to_ftp(self) -> None:
        self.move("ftp://127.0.0.1/good")

    def give_to_data(self) -> None:
        self.move("data:text/plain,x")

    def give_to_elsewhere(self) -> None:
        self.move("http://example.org/good")

    def give_circle(self) -> None:
        self.move("/circle")

    def give_chain(self) -> None:
        self.move(self.path + "/more")

    def give_gone(self) -> None:
        self.send_error(404)

    def give_huge(self) -> None:
        self.body(b"x", 1024**3)

    def give_endless(self) -> None:
        """A gigabyte that does not say so beforehand."""
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for _ in range(1024):
                self.wfile.write(b"x" * 1024 * 1024)
                type(self).sent += 1
        except OSError:
            pass

    def give_broken_chunks(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"40\r\n" + DATA[:10])
        self.close_connection = True

    def give_nonsense(self) -> None:
        self.wfile.write(b"I am no server\r\n\r\n")
        self.close_connection = True

    def give_slow(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(DATA)))
        self.end_headers()
        self.wfile.write(DATA[:200])
        self.wfile.flush()
        time.sleep(20)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


@pytest.mark.parametrize("path", ["good", "moved"])
def test_the_pinned_file_gets_its_name(path: str, address: str, tmp_path: Path) -> None:
    place = fetch(REFERENCE, tmp_path / "a" / "b", f"{address}/{path}")
    assert place == tmp_path / "a" / "b" / REFERENCE.file
    assert place.read_bytes() == DATA
    assert left(tmp_path / "a" / "b") == [REFERENCE.file]
    assert place.stat().st_mode & 0o444 == 0o444 & ~_umask()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("wrong", "not-the-pinned-file", REFERENCE.sha256),
        ("page", "not-the-pinned-file", "37 bytes"),
        ("longer", "not-the-pinned-file", "is not the file that"),
        ("truncated", "fetch-failed", f"ended after 100 of {len(DATA)} bytes"),
        ("broken-chunks", "fetch-failed", "could not be fetched"),
        ("to-file", "address-refused", "redirects to `file://"),
        ("to-ftp", "address-refused", "redirects to `ftp://"),
        ("to-data", "address-refused", "redirects to `data:"),
        ("to-elsewhere", "address-refused", "redirects to `http://example.org/good`"),
        ("circle", "fetch-failed", "in a circle"),
        ("chain", "fetch-failed", "in a circle, or too often"),
        ("gone", "fetch-failed", "the server answered 404 Not Found"),
        ("huge", "not-the-pinned-file", "larger than 67,108,864 bytes"),
        ("nonsense", "fetch-failed", "could not be fetched"),
    ],
)
def test_anything_else_leaves_nothing_behind(path: str, code: str, says: str, address: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path, f"{address}/{path}")
    (problem,) = caught.value.problems
    assert problem.code == code
    assert says in problem.message
    assert left(tmp_path) == []


def test_a_body_of_a_gigabyte_is_given_up_at_the_limit(address: str, tmp_path: Path) -> None:
    Publisher.sent = 0
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path, f"{address}/endless")
    assert "larger than" in caught.value.problems[0].message
    assert left(tmp_path) == []
    time.sleep(0.2)
    assert Publisher.sent * 1024 * 1024 < 2 * MAX_BYTES


def test_what_is_there_already_stays_when_a_fetch_fails(address: str, tmp_path: Path) -> None:
    (tmp_path / REFERENCE.file).write_bytes(b"an older file")
    with pytest.raises(UsageError):
        fetch(REFERENCE, tmp_path, f"{address}/truncated")
    assert (tmp_path / REFERENCE.file).read_bytes() == b"an older file"
    fetch(REFERENCE, tmp_path, f"{address}/good")
    assert (tmp_path / REFERENCE.file).read_bytes() == DATA


def test_without_a_server_nothing_is_written(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    port = server.server_address[1]
    server.server_close()
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path, f"http://127.0.0.1:{port}/good")
    assert caught.value.problems[0].code == "fetch-failed"
    assert left(tmp_path) == []


def test_a_server_that_does_not_go_on_is_given_up(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_PATIENCE", 0.3)
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path, f"{address}/slow")
    assert "no answer within" in caught.value.problems[0].message
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/a.csv", "ftp://example.org/a", "file:///etc/passwd", "https://", "https://user:pw@a.org/x",
        "http://127.0.0.1.example.org/a", "http://[::1", "https://a.org:99999/x", "https://a.org/ x", "https://ä.org/x",
        "",
        "http://2130706433/x", "//example.org/x", "/good", "javascript:x", "https://a.org/\nx",
    ],
)  # fmt: skip
def test_an_address_that_is_not_https_is_refused_before_anything_is_asked(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path, url)
    assert caught.value.problems[0].code in ("address-refused", "no-address")
    assert left(tmp_path) == []


def test_a_declared_address_is_https_even_if_it_is_this_machine(address: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch(replace(REFERENCE, obtain=f"{address}/good"), tmp_path)
    assert caught.value.problems[0].code == "address-refused"


def test_a_reference_without_an_address_is_added_by_hand(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch(REFERENCE, tmp_path)
    assert caught.value.problems[0].code == "no-address"
    assert "fiel reference add" in (caught.value.problems[0].help or "")


# ---- killed in the middle

PACK = "format: 1\npack: p\ntitle: P\nversion: 0.1.0\nlicence: CC0-1.0\n"
RELATIONS = "shown:\n  row: One.\n  key: [word]\n  columns: {word: {type: text}}\n"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    folder = tmp_path / "policies" / "p"
    folder.mkdir(parents=True)
    (folder / "pack.yaml").write_text(PACK)
    (folder / "relations.yaml").write_text(RELATIONS)
    (folder / "references.yaml").write_text(
        f"fixture:\n  title: Invented\n  edition: '1.0'\n  file: {REFERENCE.file}\n  sha256: '{REFERENCE.sha256}'\n"
        "  licence: none\n  cite: nobody\n  columns: {headword: headword, pos: pos}\n  key: [headword, pos]\n"
        "  checked: 2026-11-30\n"
    )
    return folder.parent


def command(policies: Path, target: Path, url: str) -> list[str]:
    where = ["--policies", str(policies), "--references", str(target)]
    return [sys.executable, str(ROOT / "cli.py"), "reference", "fetch", "fixture", "--from", url, *where]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_fetch_that_is_killed_gives_nothing_its_name_and_the_next_one_works(
    number: signal.Signals, address: str, policies: Path, tmp_path: Path
) -> None:
    target = tmp_path / "refs"
    process = subprocess.Popen(command(policies, target, f"{address}/slow"), stderr=subprocess.PIPE)
    end = time.monotonic() + 30
    while not left(target) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(number)
    process.communicate(timeout=30)
    parts = left(target)
    assert REFERENCE.file not in parts
    assert len(parts) == (1 if number == signal.SIGKILL else 0)
    done = subprocess.run(command(policies, target, f"{address}/good"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert left(target) == [REFERENCE.file]
    assert (target / REFERENCE.file).read_bytes() == DATA


def test_a_fetch_at_work_is_not_swept_away_by_another(tmp_path: Path) -> None:
    with arriving(REFERENCE, tmp_path) as slow:
        slow.write(DATA[:100])
        with arriving(REFERENCE, tmp_path) as quick:
            quick.write(DATA)
            quick.settle("quick")
        slow.write(DATA[100:])
        slow.settle("slow")
    assert left(tmp_path) == [REFERENCE.file]


# ---- adding


def test_a_file_is_added_if_it_is_the_pinned_one(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_bytes(DATA)
    place = add_file(REFERENCE, tmp_path / "mine.csv", tmp_path / "refs")
    assert place.read_bytes() == DATA
    (tmp_path / "other.csv").write_bytes(DATA + b"\r\n")
    with pytest.raises(UsageError) as caught:
        add_file(REFERENCE, tmp_path / "other.csv", tmp_path / "more")
    assert caught.value.problems[0].code == "not-the-pinned-file"
    assert left(tmp_path / "more") == []


@pytest.mark.parametrize("what", ["missing", "folder"])
def test_what_is_no_file_cannot_be_added(what: str, tmp_path: Path) -> None:
    source = tmp_path if what == "folder" else tmp_path / "none.csv"
    with pytest.raises(UsageError) as caught:
        add_file(REFERENCE, source, tmp_path / "refs")
    assert caught.value.problems[0].code == "reference-unreadable"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_bytes(DATA)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError) as caught:
        add_file(REFERENCE, tmp_path / "mine.csv", tmp_path / "file")
    assert caught.value.problems[0].code == "cannot-write"
