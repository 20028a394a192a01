"""Packs kept in the cache: equal to those that were loaded, believed only as written, and no parser is imported."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.judgeable import check_packs
from engine.load import load_packs
from engine.prepared import Prepared, entry_name, keep, kept

from . import view_pack

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"sqlglot", "jsonschema", "anthropic", "spacy", "pandas", "pyarrow", "polars", "yaml"}
PACK = "format: 1\npack: p\ntitle: T\nversion: 0.1.0\nlicence: none\n"
RELATIONS = "row_of:\n  row: A row.\n  key: [id]\n  columns:\n    id: {type: text}\n    n: {type: int, unit: none}\n"
POLICY = """policy: p.small
title: Numbers are small
for: row_of
must: n <= most
params: {most: {value: 5, unit: none, origin: convention, because: It is so.}}
cannot_see: Nothing else.
example: {id: a, n: 1}
cases:
  - {expect: pass}
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIEL_CACHE", str(tmp_path / "cache"))


def made(folder: Path) -> Path:
    pack = folder / "policies" / "p"
    pack.mkdir(parents=True)
    for name, text in (("pack.yaml", PACK), ("relations.yaml", RELATIONS), ("small.yaml", POLICY)):
        (pack / name).write_text(text)
    (folder / "facts.json").write_text('{"row_of": [{"id": "a", "n": 7}]}')
    return pack


def judge(folder: Path, *more: str) -> tuple[int, str, str]:
    code = (
        "import sys\nfrom engine.cli import main\ntry: main(sys.argv[1:])\n"
        "except SystemExit as end: code = end.code\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)\nraise SystemExit(code)"
    )
    words = ["judge", "--policies", str(folder / "policies"), "--facts", str(folder / "facts.json"), *more]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def entry(folder: Path) -> Path:
    (found,) = (folder / "cache" / "plans").glob("*.json")
    return found


def resealed(path: Path, before: str, after: str) -> None:
    """An entry that a hostile hand changed, with the digest that belongs to what it says now."""
    head, _, body = path.read_bytes().partition(b"\n")
    assert before.encode() in body
    body = body.replace(before.encode(), after.encode())
    said = {**json.loads(head), "digest": hashlib.blake2b(body).hexdigest()}
    path.write_bytes(json.dumps(said).encode() + b"\n" + body)


def test_a_run_on_unchanged_policies_imports_no_parser_and_says_the_same(tmp_path: Path) -> None:
    made(tmp_path)
    first, second, without = judge(tmp_path), judge(tmp_path), judge(tmp_path, "--no-cache")
    assert first[:2] == second[:2] == without[:2]
    assert first[0] == 1
    assert (first[2].strip(), second[2].strip()) == ("['sqlglot', 'yaml']", "[]")
    assert without[2].strip() == "['sqlglot', 'yaml']"


@pytest.mark.parametrize("name", ["small.yaml", "relations.yaml", "pack.yaml", "other.yaml"])
def test_a_change_of_any_file_is_seen(tmp_path: Path, name: str) -> None:
    pack = made(tmp_path)
    judge(tmp_path)
    before = (pack / name).read_text() if name != "other.yaml" else POLICY.replace("p.small", "p.other")
    stamp = (pack / name).stat() if name != "other.yaml" else None
    (pack / name).write_text(before.replace("value: 5", "value: 9").replace("T\n", "U\n").replace("A row", "A rod"))
    if stamp is not None:
        os.utime(pack / name, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    code, printed, imported = judge(tmp_path)
    assert imported.strip() == "['sqlglot', 'yaml']"
    assert code == (0 if name == "small.yaml" else 1)
    assert printed == judge(tmp_path, "--no-cache")[1]


def test_a_broken_neighbour_is_never_kept(tmp_path: Path) -> None:
    pack = made(tmp_path)
    (pack / "broken.yaml").write_text(POLICY.replace("p.small", "p.broken").replace("n <= most", "m <= most"))
    assert [judge(tmp_path)[0] for _ in range(2)] == [2, 2]
    assert not (tmp_path / "cache" / "plans").exists()


def test_what_was_kept_is_equal_to_what_was_loaded() -> None:
    packs = load_packs(ROOT / "policies").packs
    checked = check_packs(packs)
    keep("a" * 64, Prepared(packs, checked))
    found = kept("a" * 64)
    assert found is not None
    assert set(found.packs) == set(packs)
    for name, pack in packs.items():
        assert dict(found.packs[name].policies) == dict(pack.policies)
        assert found.packs[name].relations == pack.relations
        assert found.packs[name].sensors == pack.sensors
        assert found.packs[name].report == pack.report
        assert found.packs[name].references == pack.references
        assert found.packs[name].waivers == pack.waivers
    assert dict(found.checked.policies) == dict(checked.policies)
    assert list(found.checked.policies) == list(checked.policies)
    assert found.checked.waivers == checked.waivers


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "a list", "no digest", "writable by others"])
def test_a_damaged_entry_is_not_believed(tmp_path: Path, damage: str) -> None:
    made(tmp_path)
    good = judge(tmp_path)
    path = entry(tmp_path)
    data = path.read_bytes()
    changes = {
        "cut": data[:-20],
        "flipped": data.replace(b'"5"', b'"9"'),
        "empty": b"",
        "a list": b"[]\n[]",
        "no digest": b'{"format": 1}\n' + data.partition(b"\n")[2],
    }
    path.write_bytes(changes.get(damage, data))
    if damage == "writable by others":
        path.chmod(0o666)
    again = judge(tmp_path)
    assert again[:2] == good[:2]
    assert again[2].strip() == "['sqlglot', 'yaml']"


@pytest.mark.parametrize(("before", "after"), [('"Policy"', '"system"'), ('"CheckedPolicy",', '"CheckedPolicy",1,')])
def test_an_entry_with_what_is_no_object_of_ours_is_refused_in_one_line(
    tmp_path: Path, before: str, after: str
) -> None:
    made(tmp_path)
    judge(tmp_path)
    resealed(entry(tmp_path), before, after)
    code, printed, said = judge(tmp_path)
    assert (code, printed) == (2, "")
    assert "cache-unreadable" in said
    assert "Traceback" not in said


def test_what_waits_in_a_folder_of_policies_is_not_waited_for(tmp_path: Path) -> None:
    pack = made(tmp_path)
    os.mkfifo(pack / "pipe.yaml")
    assert entry_name(tmp_path / "policies", (), ()) is None


def test_entries_do_not_pile_up(tmp_path: Path) -> None:
    packs = load_packs(made(tmp_path).parent).packs
    for number in range(40):
        keep(f"{number:064x}", Prepared(packs, check_packs(packs)))
    assert len(list((tmp_path / "cache" / "plans").iterdir())) == 32


def test_an_object_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    packs = load_packs(made(tmp_path).parent).packs
    keep("b" * 64, Prepared(packs, check_packs(packs)))
    resealed(entry(tmp_path), '"Compare"', '"Nothing"')
    found = kept("b" * 64)
    assert found is not None
    with pytest.raises(UsageError, match="cache"):
        _ = found.checked.policies["p.small"]


def test_packs_with_views_are_kept_too(tmp_path: Path) -> None:
    view_pack.lay(tmp_path)
    facts = {"basket": [{"basket": "a"}], "line": [{"line": "x", "basket": "a", "price": 100.01}]}
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    first, second, without = judge(tmp_path), judge(tmp_path), judge(tmp_path, "--no-cache")
    assert first[:2] == second[:2] == without[:2]
    assert first[0] == 1
    assert second[2].strip() == "[]"
