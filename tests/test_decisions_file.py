"""The file of decisions: what is refused, and that no writer breaks it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from engine.decisions import Draft, append, read_decisions
from engine.errors import UsageError

from .conftest import ROOT, Cli
from .decided import AT, LINE_SCHEMA, decide, decided, judged, write


def test_each_line_holds_the_hash_of_the_line_before(cli: Cli, tmp_path: Path) -> None:
    lines = (decided(cli, tmp_path, "b=pass", "c=fail") / "d.jsonl").read_bytes().splitlines(keepends=True)
    first, second = map(json.loads, lines)
    jsonschema.validate(first, LINE_SCHEMA)
    assert first["previous"] == "0" * 64
    assert second["previous"] == hashlib.sha256(lines[0]).hexdigest()
    assert (second["at"], second["by"], second["row"]) == (AT, "m.ruiz", {"id": "c"})


def draft(number: int) -> Draft:
    return Draft("t.rule", "a" * 64, {"id": str(number)}, "b" * 64, "pass", "me", AT, "I read it.")


def spoilt(kind: str, lines: list[bytes]) -> bytes:
    """The file of three lines, with one thing done to it."""
    entry = json.loads(lines[1])
    changed = {
        "outcome": {**entry, "outcome": "review"},
        "unknown key": {**entry, "otcome": "pass"},
        "missing key": {key: value for key, value in entry.items() if key != "because"},
        "blank reason": {**entry, "because": " "},
        "no row": {**entry, "row": {}},
        "null row": {**entry, "row": {"id": None}},
        "no such day": {**entry, "at": "2026-02-30T00:00:00Z"},
        "format": {**entry, "format": 2},
        "long": {**entry, "because": "x" * 4001},
        "changed": {**entry, "because": "Another reason."},
    }
    if kind in changed:
        text = json.dumps(changed[kind], sort_keys=True, separators=(",", ":"))
        return lines[0] + text.encode() + b"\n" + lines[2]
    twice = lines[1].replace(b'"outcome":', b'"outcome":"fail","outcome":', 1)
    return {
        "removed": lines[0] + lines[2],
        "first removed": lines[1] + lines[2],
        "swapped": lines[1] + lines[0] + lines[2],
        "cut": b"".join(lines)[:-9],
        "cut line feed": b"".join(lines)[:-1],
        "not UTF-8": lines[0] + b"\xff\n",
        "no JSON": lines[0] + b"{\n",
        "blank line": lines[0] + b"\n" + lines[1],
        "a list": lines[0] + b"[]\n",
        "twice": lines[0] + twice,
        "nan": lines[0] + b'{"format":NaN}\n',
        "deep": lines[0] + b"[" * 60_000 + b"\n",
        "long line": lines[0] + b" " * 70_000 + b"\n",
        "spaces": lines[0] + lines[1].replace(b",", b", "),
        "surrogate": lines[0] + lines[1].replace(b"I read it.", b"\\ud800"),
        "crlf": lines[0].replace(b"\n", b"\r\n"),
        "mark": b"\xef\xbb\xbf" + lines[0],
    }[kind]


@pytest.mark.parametrize(
    ("kind", "code", "line", "words"),
    [
        ("outcome", "decisions-form", 2, '`outcome` is `"review"`, none of `pass`, `fail`'),
        ("unknown key", "decisions-form", 2, "did you mean `outcome`?"),
        ("missing key", "decisions-form", 2, "`because` is missing"),
        ("blank reason", "decisions-form", 2, "`because` is"),
        ("no row", "decisions-form", 2, "`row` is empty"),
        ("null row", "decisions-form", 2, "`row.id` is `null`"),
        ("no such day", "decisions-form", 2, "no day of the calendar"),
        ("format", "decisions-form", 2, "reads format 1"),
        ("long", "decisions-form", 2, "longer than 4000 characters"),
        ("changed", "decisions-chain", 3, "a line was changed, removed or put in"),
        ("removed", "decisions-chain", 2, "a line was changed, removed or put in"),
        ("first removed", "decisions-chain", 1, "lines before it are gone"),
        ("swapped", "decisions-chain", 1, "lines before it are gone"),
        ("cut", "decisions-cut", 3, "the last line has no end"),
        ("cut line feed", "decisions-cut", 3, "the last line has no end"),
        ("not UTF-8", "decisions-form", 2, "byte 1 of the line is not UTF-8"),
        ("no JSON", "decisions-form", 2, "no JSON"),
        ("blank line", "decisions-form", 2, "no JSON"),
        ("a list", "decisions-form", 2, "not an object"),
        ("twice", "decisions-form", 2, "stands twice"),
        ("nan", "decisions-form", 2, "no number of JSON"),
        ("deep", "decisions-form", 2, "no JSON"),
        ("long line", "decisions-form", 2, "longer than 65,536 bytes"),
        ("spaces", "decisions-form", 2, "not as Fiel writes it"),
        ("surrogate", "decisions-form", 2, "a character that no decision has"),
        ("crlf", "decisions-form", 1, "not as Fiel writes it"),
        ("mark", "decisions-form", 1, "no JSON"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_and_not_lengthened(
    kind: str, code: str, line: int, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "d.jsonl"
    for number in range(3):
        append(file, draft(number))
    before = spoilt(kind, file.read_bytes().splitlines(keepends=True))
    file.write_bytes(before)
    with pytest.raises(UsageError) as refused:
        read_decisions(file)
    first = refused.value.problems[0]
    assert (first.code, first.where) == (code, f"{file}:{line}")
    assert words in f"{first.message}; {first.help}"
    with pytest.raises(UsageError):
        append(file, draft(1))
    assert file.read_bytes() == before


@pytest.mark.parametrize("kind", ["changed", "cut", "outcome"])
def test_with_a_file_that_is_not_whole_nothing_is_judged_or_decided(kind: str, cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "c=fail", "b=fail")
    file = folder / "d.jsonl"
    file.write_bytes(spoilt(kind, file.read_bytes().splitlines(keepends=True)))
    before = file.read_bytes()
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("d.jsonl:")
    assert "nothing was judged" in done.stderr
    assert cli("review", "verify", "--decisions", "d.jsonl", cwd=folder).returncode == 2
    assert decide(cli, folder, "c", "pass").returncode == 2
    assert file.read_bytes() == before


def test_a_change_is_told_once(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "c=fail", "b=fail", "c=pass")
    file = folder / "d.jsonl"
    file.write_text(file.read_text().replace("I read it.", "Paid.", 1))
    done = cli("review", "verify", "--decisions", "d.jsonl", cwd=folder)
    assert done.stderr.count("decisions-chain") == 1


@pytest.mark.parametrize("name", ["no.jsonl", ".", "policies"])
def test_a_file_that_is_not_there_is_no_file_without_decisions(name: str, cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    done = cli("judge", "--facts", "facts.json", "--decisions", name, cwd=tmp_path)
    assert (done.returncode, "decisions-unreadable" in done.stderr) == (2, True)


def test_an_empty_file_decides_nothing(cli: Cli, tmp_path: Path) -> None:
    (write(tmp_path) / "d.jsonl").write_text("")
    verdict = judged(cli, tmp_path)
    assert (verdict["policies"][0]["counts"]["review"], verdict["decisions"]) == (2, [])


WRITER = """
import sys
from pathlib import Path
from engine.decisions import Draft, append
file, who, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for each in range(number):
    append(file, Draft("t.rule", "a" * 64, {"id": f"{who}{each}"}, "b" * 64, "pass", who, "2026-12-01T08:00:00Z", "so"))
"""


def writer(file: Path, who: str, number: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(file), who, str(number)], cwd=ROOT)


def test_writers_at_once_lose_no_line_and_break_no_chain(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    children = [writer(file, who, 15) for who in "xyz"]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    found = read_decisions(file)
    assert sorted(str(one.row["id"]) for one in found) == sorted(f"{who}{n}" for who in "xyz" for n in range(15))
    assert [one.number for one in found] == list(range(1, 46))
    for who in "xyz":
        assert [one.row["id"] for one in found if one.by == who] == [f"{who}{n}" for n in range(15)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.jsonl"]


def test_a_writer_that_is_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    append(file, draft(0))
    for moment in range(4):
        before = len(read_decisions(file))
        child = writer(file, f"k{moment}", 10**6)
        while len(read_decisions(file)) < before + 2 + moment:
            assert child.poll() is None
        child.kill()
        child.wait()
        assert len(read_decisions(file)) >= before + 2 + moment


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    append(file, draft(1))
    before = file.read_bytes()
    for because in (" ", "x" * 5000, "\ud800"):
        with pytest.raises(UsageError) as refused:
            append(file, Draft("t.rule", "a" * 64, {"id": "1"}, "b" * 64, "pass", "me", AT, because))
        assert {one.code for one in refused.value.problems} == {"decisions-form"}
        assert file.read_bytes() == before


def test_the_mode_of_the_file_stays_and_a_file_that_is_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    append(file, draft(1))
    file.chmod(0o640)
    append(file, draft(2))
    assert file.stat().st_mode & 0o777 == 0o640
    file.chmod(0o440)
    with pytest.raises(UsageError):
        append(file, draft(3))
    assert len(read_decisions(file)) == 2
