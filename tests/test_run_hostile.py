"""`fiel run` against names, folders and disks that are against it: one text fails alone, nobody's file is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UsageError
from engine.inputs import TEXTS, files_of
from engine.publish import write_whole
from engine.report_pages import outdated_pages, page_names
from engine.run_folder import RunFolder

from .conftest import SHARED, need
from .essay_samples import Done, inside

TEXT = "I like my house."


@pytest.fixture(scope="module")
def references() -> str:
    pytest.importorskip("spacy")
    return str(need(SHARED / "reference" / "cefr"))


def _run(references: str, *words: str) -> Done:
    return inside("run", "cefr", *words, "--level", "A1", "--references", references)


def _index(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "index.json").read_text("utf-8"))
    return found


def test_a_text_that_cannot_be_read_or_reported_on_fails_alone(tmp_path: Path, references: str) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    (folder / "a").mkdir(parents=True)
    for name in ("a.txt", "a/words.txt"):
        (folder / name).write_text(TEXT, encoding="utf-8")
    if sys.platform == "linux":
        (folder / os.fsdecode(b"bad\xff.txt")).write_text(TEXT, encoding="utf-8")
    else:
        (folder / "bad\\xff.txt").write_bytes(b"\xff")
    (folder / "gone.txt").symlink_to("nowhere")
    (folder / "loop").symlink_to(folder)
    (out / "a.html").mkdir(parents=True)
    done = _run(references, str(folder), "--out", str(out))
    assert (done.returncode, "1 of 4 reports" in done.stdout) == (2, True), done.stderr
    assert "passed over, since links to folders are not followed: loop" in done.stderr
    entries = {one["document"]: (one["page"], one["problem"]) for one in _index(out)["entries"]}
    assert entries["a.txt"][0] is None
    assert "cannot write" in entries["a.txt"][1]
    assert not (out / "a.json").exists()
    assert entries["a/words.txt"] == ("a/words.html", None)
    assert "UTF-8" in entries["bad\\xff.txt"][1]
    assert "does not exist" in entries["gone.txt"][1]
    runs = [path.parent for path in (out / "runs").rglob("run.json")]
    assert len(runs) == 4
    assert not any(one.is_relative_to(other) for one in runs for other in runs if one != other)


def test_names_of_pages_are_told_apart() -> None:
    names = page_names(sorted(["a.md", "a.txt", "A.txt", "a.txt-report.md", "index.txt", "runs.md", "x/index.txt"]))
    assert len({one.casefold() for one in names.values()}) == len(names)
    assert not {"index", "runs"} & {one.casefold() for one in names.values()}
    assert (names["a.md"], names["x/index.txt"]) != ("a", "a")
    long = page_names([f"{'é' * 120}{end}.txt" for end in "ab"])
    assert len(set(long.values())) == 2
    assert all(len(f"{one}.html".encode()) <= 255 for one in long.values())


@pytest.mark.parametrize(
    "page", ["a\0.html", "x" * 5000 + ".html", "../mine.html", "/etc/mine.html", "./new.html", "\ud800.html"]
)
def test_what_an_index_says_costs_nobody_a_file(tmp_path: Path, page: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for path in (tmp_path / "mine.html", out / "new.html", out / "old.html"):
        path.write_text("", encoding="utf-8")
    entries = [{"page": page}, {"page": "old.html"}]
    (out / "index.json").write_text(json.dumps({"entries": entries}), encoding="utf-8")
    assert outdated_pages(out, ["new.html"]) == [out / "old.html"]


def test_a_folder_in_the_place_of_a_file_leaves_the_other_files_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").write_text("before", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        write_whole([(tmp_path / "b", "after"), (tmp_path / "a", "after")])
    assert caught.value.problems[0].code == "cannot-write"
    assert (tmp_path / "b").read_text("utf-8") == "before"


def test_a_name_as_long_as_a_file_system_takes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole([(path, "it")])
    assert path.read_text("utf-8") == "it"
    with pytest.raises(UsageError) as caught:
        write_whole([(tmp_path / ("x" * 256), "it")])
    assert caught.value.problems[0].help == "name it shorter"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
def test_a_full_disk_is_called_so() -> None:
    with pytest.raises(UsageError) as caught:
        write_whole([(Path("/dev/full"), "it")])
    assert caught.value.problems[0].help == "make room on the disk, and run it again"


def test_a_folder_that_cannot_be_listed_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):  # deeper than a path may be long
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(UsageError) as caught:
        files_of([str(tmp_path)], TEXTS)
    assert caught.value.problems[0].code == "document-unreadable"


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
@pytest.mark.parametrize("folder", ["runs", "kept"])
def test_two_processes_do_not_write_to_one_folder(tmp_path: Path, references: str, folder: str) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.txt").write_text(TEXT, encoding="utf-8")
    place = tmp_path / "out" / folder
    place.mkdir(parents=True)
    hold = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], 0), fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        keep = ["--keep", str(place)] if folder == "kept" else []
        done = _run(references, str(tmp_path / "class"), "--out", str(tmp_path / "out"), *keep)
        other.communicate(b"\n")
    assert (done.returncode, "another process is writing to" in done.stderr) == (2, True), done.stderr
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("mine", ["mine", "[1]", '{"a": 1}', '{"document": "a"}\n{"document": "b"}'])
def test_a_file_of_somebody_elses_is_not_taken_for_the_row_of_a_document(
    tmp_path: Path, references: str, mine: str
) -> None:
    text, kept = tmp_path / "e.txt", tmp_path / "kept"
    kept.mkdir()
    text.write_text(TEXT, encoding="utf-8")
    (kept / "essay.jsonl").write_text(mine, encoding="utf-8")
    done = _run(references, str(text), "--keep", str(kept), "--out", str(tmp_path / "r.json"))
    assert (done.returncode, "run-folder" in done.stderr) == (2, True), done.stderr
    assert (kept / "essay.jsonl").read_text("utf-8") == mine
    assert RunFolder(kept).read("essay.jsonl") != {"document": "e.txt"}


def test_a_book_is_refused_before_anybody_looks_at_it(tmp_path: Path, references: str) -> None:
    text = tmp_path / "e.txt"
    text.write_text("I like my house.\n\n" * 20_000, encoding="utf-8")
    done = _run(references, str(text))
    assert (done.returncode, "document-too-long: it has 360,000 characters" in done.stderr) == (2, True), done.stderr
