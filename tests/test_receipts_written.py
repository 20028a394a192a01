"""Receipts that somebody wrote, or altered: whatever is in them, replay says what is wrong and never more."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.canonical import dumps
from engine.errors import FielError
from engine.pipeline import Request, judge
from engine.receipts import read_receipt
from engine.replay import Again, replay, replay_text

from .conftest import Cli
from .receipt_samples import SCHEMA, again, made, receipt, save, write

__all__ = ["made"]


# -- receipts that somebody wrote ------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document that holds no other."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield path
    for key, each in inner or ():
        yield from leaves(each, (*path, key))


def spoilt(value: Any) -> Any:
    """Another value that could stand in its place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "0" * 64
    if len(value) == 64:
        return value[::-1]
    if value in ("pass", "fail"):
        return "fail" if value == "pass" else "pass"
    try:
        return (date.fromisoformat(value)).replace(year=2026, month=12, day=2).isoformat()
    except ValueError:
        return value + "x"


HARMLESS = {("arguments", "witnesses")}
"""What is in a receipt only to judge again, and gives the same verdict here when it is otherwise."""


def test_every_value_that_somebody_changes_is_seen(made: Path) -> None:
    whole = receipt(made)
    seen = set()
    with contextlib.chdir(made):
        for path in leaves(whole):
            changed = copy.deepcopy(whole)
            inner = changed
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = spoilt(inner[path[-1]])
            save(made, changed, "changed.json")
            try:
                code = replay(Path("changed.json"), Again(threads=1)).exit_code
            except FielError:
                code = 2
            named_only = path[0] == "engine" or path[-1] == "file"
            assert (code == 0) == (path in HARMLESS or named_only), path
            seen.add(code)
    assert seen == {0, 1, 2}


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "receipt-unreadable", "no JSON"),
        ("{", "receipt-unreadable", "line 1"),
        ("[" * 100_000, "receipt-unreadable", "nests too many levels"),
        ("9" * 10_000, "receipt-unreadable", "no JSON"),
        ('{"a": NaN}', "receipt-unreadable", "NaN"),
        ('{"a": 1, "a": 2}', "receipt-unreadable", "twice"),
        ("[]", "receipt-form", "a list, and not an object"),
        ("null", "receipt-form", "and not an object"),
        ("{}", "receipt-form", "`format` is missing"),
        ('{"format": 2}', "receipt-form", "reads format 1"),
        ('{"format": true}', "receipt-form", "`format` is `true`"),
        ('{"format": "1"}', "receipt-form", "`format`"),
    ],
)
def test_what_is_no_receipt_is_refused(tmp_path: Path, text: str, code: str, words: str) -> None:
    save(tmp_path, text)
    status, said = again(tmp_path)
    assert (status, said.startswith(f"r.json: {code}: "), words in said) == (2, True, True), said


def test_a_file_that_is_missing_no_text_too_large_or_no_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "latin1.json").write_bytes(b'{"a": "\xe9"}')
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    for name in (".", "latin1.json", "huge.json", "/dev/zero", "a\0b", "x" * 5000):
        with pytest.raises(FielError, match="receipt-unreadable: "):
            read_receipt(tmp_path / name)
    done = cli("replay", "missing.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.json: receipt-unreadable: there is no such file\n" in done.stderr
    assert done.stderr.endswith("nothing was replayed\n")


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("arguments", "facts"), ["../facts.json"], "receipt-path"),
        (("arguments", "facts"), ["/etc/passwd"], "receipt-path"),
        (("arguments", "facts"), ["item=/etc/passwd"], "receipt-path"),
        (("arguments", "facts"), ["item=x/../../facts.jsonl"], "receipt-path"),
        (("arguments", "facts"), ["..\\facts.json"], "receipt-path"),
        (("arguments", "facts"), ["item=-"], "receipt-facts"),
        (("arguments", "facts"), [], "receipt-form"),
        (("arguments", "facts"), [1], "receipt-form"),
        (("arguments", "facts"), ["a\0b"], "receipt-form"),
        (("arguments", "facts"), ["a\ud800b"], "receipt-form"),
        (("arguments", "policies_folder"), "../policies", "receipt-path"),
        (("arguments", "policies_folder"), "", "receipt-not-here"),
        (("arguments", "facts"), [""], "receipt-not-here"),
        (("arguments", "facts"), ["item="], "receipt-not-here"),
        (("arguments", "facts"), ["x" * 5000], "receipt-not-here"),
        (("arguments", "policies_folder"), "/", "receipt-path"),
        (("arguments", "policies_folder"), "nowhere", "receipt-not-here"),
        (("arguments", "packs"), [], "receipt-form"),
        (("arguments", "packs"), ["u"], "unknown-pack"),
        (("arguments", "policies"), ["t.nothing"], "unknown-policy"),
        (("arguments", "as_of"), "2026-02-30", "receipt-form"),
        (("arguments", "as_of"), None, "as-of-needed"),
        (("arguments", "witnesses"), -1, "receipt-form"),
        (("arguments", "witnesses"), 1.5, "receipt-form"),
        (("arguments", "witnesses"), True, "receipt-form"),
        (("arguments", "witnesses"), 10**30, "receipt-form"),
        (("arguments", "csv_delimiter"), "ab", "csv-delimiter"),
        (("arguments", "more"), 1, "receipt-form"),
        (("verdict_sha256",), "0", "receipt-form"),
        (("verdict",), "passed", "receipt-form"),
        (("policies",), {"t.rule": 1}, "receipt-form"),
        (("facts",), {}, "receipt-form"),
        (("more",), 1, "receipt-form"),
    ],
)
def test_a_receipt_that_asks_for_what_it_may_not_is_refused(
    made: Path, path: tuple[str, ...], value: Any, code: str
) -> None:
    changed = receipt(made)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    save(made, changed)
    status, said = again(made)
    assert (status, f": {code}: " in said) == (2, True), said


def test_hostile_text_in_a_receipt_stays_visible(cli: Cli, made: Path) -> None:
    changed = receipt(made)
    changed["policies"]["a\u001b[31m\u202e\n::error::x"] = "0" * 64
    changed["engine"]["duckdb"] = "\u001b[2J"
    save(made, changed)
    done = cli("replay", "r.json", cwd=made)
    assert done.returncode == 1
    assert not set("\u001b\u202e") & set(done.stdout)
    assert not [line for line in done.stdout.splitlines() if line.startswith("::")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_document_breaks_the_reader_and_what_it_takes_fits_the_schema(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Our own reader and a validator of JSON Schema agree about a receipt with some part replaced."""
    document = copy.deepcopy(_WHOLE)
    inner: Any = document
    path = data.draw(st.sampled_from([p for p in _paths(document) if p]))
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = data.draw(JSON)
    file = tmp_path_factory.getbasetemp() / "drawn.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
    try:
        assert read_receipt(file) == document
    except FielError:
        # Ours also refuses what no schema can: days of no calendar, U+0000, and whole numbers written as 1.0.
        assert not valid or "\\u0000" in json.dumps(document) or _has_whole_float(document)
    else:
        assert valid


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    return any(map(_has_whole_float, value)) if isinstance(value, list) else isinstance(value, float)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _paths(each, (*path, key))


_HEX = "ab" * 32
_WHOLE: dict[str, Any] = {
    "format": 1,
    "engine": {"fiel": "0.1.0", "duckdb": "2", "sqlglot": "3", "python": "3"},
    "arguments": {
        "as_of": "2026-12-01", "packs": ["t"], "policies": [], "policies_folder": None, "facts": ["f.json"],
        "witnesses": 20, "csv_delimiter": ",", "trust_keys": False, "coverage": False,
    },
    "packs": {"t": _HEX}, "policies": {"t.r": _HEX}, "parameters": {}, "relations": {"item": _HEX},
    "references": {"r": {"edition": "1", "sha256": _HEX}},
    "facts": [{"relation": "item", "file": "f.json", "sha256": _HEX, "rows": 3, "run": None}],
    "waivers": [{"pack": "t", "number": 1, "policy": "t.r", "until": "2027-01-01", "sha256": _HEX, "covered": 1,
                 "expired": False}],
    "decisions": [{"policy": "t.r", "sha256": _HEX}],
    "verdict": "pass", "verdict_sha256": _HEX,
}  # fmt: skip


def test_a_receipt_is_made_without_a_door(tmp_path: Path) -> None:
    """What other outputs show of a run is what `--receipt` writes."""
    write(tmp_path)
    with contextlib.chdir(tmp_path):
        run = judge(Request(facts=("facts.json",), as_of=date(2026, 12, 1), receipt=True))
        assert run.receipt is not None
        Path("r.json").write_text(dumps(run.receipt))
        done = replay(Path("r.json"), Again())
    assert (done.exit_code, replay_text(done)) == (0, "same verdict, same bytes: fail, with 1 failure waived\n")
