"""The file of decisions and what it does to a verdict: what is refused, which decisions count, where they are told."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.decisions import Draft, append, read_decisions
from engine.errors import UsageError

from . import packs
from .conftest import ROOT, Cli

PARAMS = (
    "top: {value: 3, unit: word, origin: convention, because: x}\n"
    "  doubt: {value: 5, unit: word, origin: convention, because: x}"
)
RULE = packs.policy("words <= top", PARAMS, "review_if: words > top and words <= doubt\n")
GROUPS = packs.policy(
    "max(words) <= top",
    PARAMS,
    "per: [kind]\nwhere: kind is not null\nreview_if: max(words) > top and max(words) <= doubt\n",
    name="groups",
).replace("{words: 1, expect", "{rows: [{}], expect")
ROWS = [{**packs.ROW, "id": one, "words": words} for one, words in (("a", 1), ("b", 4), ("c", 5), ("d", 9))]
SCHEMA = json.loads((ROOT / "engine/schemas/verdict.schema.json").read_text(encoding="utf-8"))
LINE_SCHEMA = json.loads((ROOT / "engine/schemas/decision.schema.json").read_text(encoding="utf-8"))
AT = "2026-12-01T08:00:00Z"


def write(folder: Path, rows: object = None, rule: str = RULE) -> Path:
    packs.write(folder, {"rule": rule})
    packs.facts(folder, {"item": ROWS if rows is None else rows})
    return folder


def decide(cli: Cli, folder: Path, row: str, outcome: str, *more: str, because: str = "I read it.") -> Any:
    words = ("--policy", "t.rule", "--row", row, "--outcome", outcome, "--by", "m.ruiz", "--because", because)
    return cli("review", "decide", "facts.json", "--decisions", "d.jsonl", "--at", AT, *words, *more, cwd=folder)


def decided(cli: Cli, folder: Path, *pairs: str) -> Path:
    """The folder with its decisions: `b=pass` each. What the command wrote once is the same bytes ever after."""
    write(folder)
    if pairs not in _WRITTEN:
        for pair in pairs:
            row, _, outcome = pair.partition("=")
            assert decide(cli, folder, row, outcome).returncode == 0
        _WRITTEN[pairs] = (folder / "d.jsonl").read_bytes()
    (folder / "d.jsonl").write_bytes(_WRITTEN[pairs])
    return folder


_WRITTEN: dict[tuple[str, ...], bytes] = {}


def judged(cli: Cli, folder: Path, *more: str) -> dict[str, Any]:
    done = cli(
        "judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", "json", *more, cwd=folder
    )  # fmt: skip
    assert done.returncode in (0, 1, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def why(verdict: dict[str, Any]) -> list[str | None]:
    return [one["why_not"] for one in verdict["decisions"]]


# -- the file --------------------------------------------------------------------------------------------------


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


# -- what counts -----------------------------------------------------------------------------------------------


def test_decided_rows_count_as_decided_and_make_the_verdict(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, ROWS[:3])
    packs_only = cli("judge", "--facts", "facts.json", cwd=tmp_path)
    assert packs_only.returncode == 4
    decide(cli, tmp_path, "b", "pass")
    first = judged(cli, tmp_path)
    assert first["verdict"] == "review"
    assert first["policies"][0]["counts"] == {
        "pass": 2, "fail": 0, "review": 1, "no_evidence": 0, "waived": 0, "decided": 1,
    }  # fmt: skip
    decide(cli, tmp_path, "c", "pass")
    assert judged(cli, tmp_path)["verdict"] == "pass"
    decide(cli, tmp_path, "c", "fail")
    last = judged(cli, tmp_path)
    assert (last["verdict"], why(last)) == ("fail", [None, "superseded", None])
    (witness,) = last["policies"][0]["witnesses"]
    assert (witness["outcome"], witness["key"], witness["decision"]) == ("fail", {"id": "c"}, 3)
    assert (witness["passes_if"], witness["reason"]) == (None, None)
    assert {one["provenance"] for one in last["decisions"]} == {"human"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("policies: value: 5 → value: 6", "policy_changed"),
        ("policies: words > top → words >= top", "policy_changed"),
        ("policies: title: T → title: U", "policy_changed"),
        ("relations: {type: int, unit: word} → {type: decimal, digits: 9, places: 1, unit: word}", "policy_changed"),
        ("policies: because: x → because: y", None),
        ("policies: words > top and → words  >  top  and", None),
        ("facts: price → another price", "row_changed"),
        ("facts: words 4 → 9", "row_changed"),
        ("facts: gone", "no_such_row"),
        ("facts: in csv", None),
    ],
)
def test_a_decision_counts_while_rule_numbers_and_row_are_what_they_were(
    change: str, reason: str | None, cli: Cli, tmp_path: Path
) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    kind, _, what = change.partition(": ")
    file = folder / "policies/t" / ("rule.yaml" if kind == "policies" else "relations.yaml")
    rows = [dict(row) for row in ROWS]
    if kind in ("policies", "relations"):
        old, new = what.split(" → ")
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
    elif what == "gone":
        del rows[1]
    elif what == "price → another price":
        rows[1]["price"] = 2
    elif what == "words 4 → 9":
        rows[1]["words"] = 9
    packs.facts(folder, {"item": rows})
    if what == "in csv":
        head = ",".join(ROWS[0])
        lines = [
            ",".join(str(value).lower() if value is True else str(value) for value in row.values()) for row in rows
        ]
        (folder / "item.csv").write_text("\n".join([head, *lines]) + "\n")
        done = cli("judge", "--facts", "item.csv", "--decisions", "d.jsonl", "--format", "json", cwd=folder)
        verdict = json.loads(done.stdout)
    else:
        verdict = judged(cli, folder)
    assert why(verdict) == [reason]
    assert verdict["policies"][0]["counts"]["decided"] == (1 if reason is None else 0)


def test_an_older_decision_that_fits_again_counts_again(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    other = [dict(row) for row in ROWS]
    other[1]["price"] = 2
    packs.facts(folder, {"item": other})
    decide(cli, folder, "b", "fail")
    assert why(judged(cli, folder)) == ["row_changed", None]
    packs.facts(folder, {"item": ROWS})
    assert why(judged(cli, folder)) == [None, "row_changed"]


@pytest.mark.parametrize("row", ["a", "d"])
def test_what_the_rule_decides_itself_nobody_else_does(row: str, cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    done = decide(cli, folder, row, "pass")
    assert (done.returncode, "not-in-review" in done.stderr) == (2, True)
    # Nor does a decision that somebody made up for it.
    (one,) = read_decisions(folder / "d.jsonl")
    values = {**ROWS["abcd".index(row)], "score": 1.0, "price": "1.00"}
    text = json.dumps(values, sort_keys=True, separators=(",", ":")) + "\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    append(folder / "d.jsonl", Draft("t.rule", one.policy_sha256, {"id": row}, sha256, "pass", "me", AT, "so"))
    verdict = judged(cli, folder)
    assert why(verdict) == [None, "not_in_review"]
    assert verdict["policies"][0]["counts"] | {"review": 0} == {
        "pass": 2, "fail": 1, "review": 0, "no_evidence": 0, "waived": 0, "decided": 1,
    }  # fmt: skip


def test_decisions_on_policies_that_are_not_judged_are_told(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    packs.write(folder, {"other": packs.policy("words <= top", name="other")})
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--policy", "t.other", cwd=folder)
    assert "1 decision on policies that were not judged: t.rule" in done.stdout
    assert why(judged(cli, folder, "--policy", "t.other")) == ["policy_not_judged"]
    packs.facts(folder, {"note": []})
    verdict = judged(cli, folder)
    assert (verdict["verdict"], why(verdict)) == ("no_evidence", ["not_judged"])


def test_a_key_that_several_rows_have_cannot_be_decided(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    packs.facts(folder, {"item": [*ROWS, ROWS[1]]})
    assert why(judged(cli, folder, "--trust-keys")) == ["several_rows"]
    done = decide(cli, folder, "b", "pass", "--trust-keys")
    assert (done.returncode, "2 rows of item have the key id b" in done.stderr) == (2, True)


def test_a_decided_failure_can_be_tolerated_and_waived(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, ROWS[:2])
    decide(cli, tmp_path, "b", "fail")
    assert judged(cli, tmp_path)["verdict"] == "fail"
    waiver = "- {policy: t.rule, owner: me, because: So., until: 2027-01-01, at_most: 1}\n"
    (tmp_path / "policies/t/waivers.yaml").write_text(waiver)
    verdict = judged(cli, tmp_path, "--as-of", "2026-12-01")
    counts = verdict["policies"][0]["counts"]
    assert (verdict["verdict"], counts["waived"], counts["fail"], counts["decided"]) == ("pass", 1, 0, 1)
    (witness,) = verdict["policies"][0]["witnesses"]
    assert (witness["outcome"], witness["waiver"], witness["decision"]) == ("waived", 1, 1)
    (tmp_path / "policies/t/waivers.yaml").unlink()
    one = "  few: {value: 1, unit: none, origin: convention, because: x}\n"
    rule = RULE.replace("cannot_see", "allow: few\ncannot_see").replace("review_if", f"{one}review_if", 1)
    write(tmp_path, ROWS[:2], rule)
    decide(cli, tmp_path, "b", "fail")
    verdict = judged(cli, tmp_path)
    assert (verdict["verdict"], verdict["policies"][0]["allowed"]) == ("pass", 1)


def test_of_a_group_all_rows_count(cli: Cli, tmp_path: Path) -> None:
    rows = [{**row, "kind": kind} for row, kind in zip(ROWS, "abba", strict=True)]
    packs.write(tmp_path, {"groups": GROUPS})
    packs.facts(tmp_path, {"item": rows})
    words = ("--policy", "t.groups", "--row", "b", "--outcome", "pass", "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert why(judged(cli, tmp_path)) == [None]
    for changed in (
        [*rows, {**rows[1], "id": "e", "words": 1}],
        [rows[0], rows[1], rows[3]],
        [{**row, "price": 7} for row in rows],
    ):
        packs.facts(tmp_path, {"item": changed})
        assert why(judged(cli, tmp_path)) == ["row_changed"]
    packs.facts(tmp_path, {"item": [rows[0]]})
    assert why(judged(cli, tmp_path)) == ["no_such_row"]
    # In another order and in two files they are the same rows.
    packs.facts(tmp_path, {"item": [rows[2], rows[0]]}, "one.json")
    packs.facts(tmp_path, {"item": [rows[3], rows[1]]}, "two.json")
    facts = ("--facts", "one.json", "--facts", "two.json", "--decisions", "d.jsonl", "--format", "json")
    assert why(json.loads(cli("judge", *facts, cwd=tmp_path).stdout)) == [None]


KEYED = """
item:
  row: One part.
  key: [num, cost, day, at, level, ok, name]
  columns:
    num: {type: int, unit: none}
    cost: {type: decimal, digits: 6, places: 2, unit: EUR}
    day: {type: date}
    at: {type: instant}
    level: {type: levels, levels: [A1, A2, B1]}
    ok: {type: bool}
    name: {type: text}
    words: {type: int, unit: word}
"""
PART = (
    '{"num": 9007199254740993, "cost": 1.5, "day": "2026-01-02", "at": "2026-01-02T01:00:00+01:00", "level": "A2", '
    '"ok": true, "name": "3=\'4\\" é\\n", "words": 4}'
)


def test_a_key_of_any_type_is_found_again(cli: Cli, tmp_path: Path) -> None:
    example = "{num: 1, cost: 1, day: 2026-01-01, at: 2026-01-01T00:00:00Z, level: A1, ok: true, name: a, words: 1}"
    packs.write(tmp_path, {"rule": RULE.replace(packs.EXAMPLE, example)}, KEYED)
    packs.facts(tmp_path, f'{{"item": [{PART}]}}')
    key = {"num": "9007199254740993", "cost": "1.50", "day": "2026-01-02", "at": "2026-01-02T00:00:00Z",
           "level": "A2", "ok": "true", "name": "3='4\" é\n"}  # fmt: skip
    rows = [word for name, value in key.items() for word in ("--row", f"{name}={value}")]
    words = ("--policy", "t.rule", *rows, "--outcome", "pass", "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = judged(cli, tmp_path)
    assert (verdict["verdict"], why(verdict)) == ("pass", [None])
    assert verdict["decisions"][0]["row"] == {**key, "ok": True}


def test_a_key_that_is_written_otherwise_is_another_key(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    (one,) = read_decisions(folder / "d.jsonl")
    for row in ({"id": 1}, {"id": True}, {"ids": "b"}, {"id": "b", "words": 4}):
        append(folder / "d.jsonl", Draft("t.rule", one.policy_sha256, row, one.row_sha256, "fail", "me", AT, "so"))
    assert why(judged(cli, folder)) == [None, *["no_such_row"] * 4]


# -- where it is told ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["text", "json", "html", "junit", "sarif", "github"])
def test_every_format_tells_what_was_decided_by_whom_and_what_has_no_effect(
    name: str, cli: Cli, tmp_path: Path
) -> None:
    folder = decided(cli, tmp_path, "b=pass", "b=fail", "c=pass")
    packs.facts(folder, {"item": [*ROWS[:2], {**ROWS[2], "price": 7}, ROWS[3]]})
    done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, cwd=folder)
    assert done.returncode == 1
    assert done.stdout.count("m.ruiz") >= 3
    assert "I read it." in done.stdout
    assert any(words in done.stdout for words in ("the row is not what it was", "row_changed"))
    assert any(words in done.stdout for words in ("a later one took its place", "superseded"))
    if name != "json":
        assert "1 row decided by a person" in done.stdout


def test_a_person_s_words_reach_no_terminal_as_they_are(cli: Cli, tmp_path: Path) -> None:
    folder = write(tmp_path)
    decide(cli, folder, "b", "pass", because="a\x1b[2Jb\nc")
    for name in ("text", "github", "junit", "html"):
        done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, cwd=folder)
        assert "\x1b" not in done.stdout
        assert "a␛[2Jb␊c" in done.stdout


def test_a_receipt_holds_the_decisions_and_replay_reads_them_again(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    words = ("--facts", "facts.json", "--decisions", "d.jsonl", "--receipt", "r.json")
    cli("judge", *words, cwd=folder)
    receipt = json.loads((folder / "r.json").read_text())
    line = hashlib.sha256((folder / "d.jsonl").read_bytes()).hexdigest()
    assert receipt["decisions"] == [{"applied": True, "line": 1, "policy": "t.rule", "sha256": line}]
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "same verdict, same bytes: fail, with 1 row decided by a person\n")
    decide(cli, folder, "c", "fail")
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, "decision in line 2: was not there" in done.stdout) == (1, True)
    (folder / "d.jsonl").rename(folder / "e.jsonl")
    assert "receipt-not-here" in cli("replay", "r.json", cwd=folder).stderr
    assert cli("replay", "r.json", "--decisions", "e.jsonl", cwd=folder).returncode == 1


def test_a_receipt_cannot_have_decisions_read_from_elsewhere(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--receipt", "r.json", cwd=folder)
    text = (folder / "r.json").read_text()
    (folder / "r.json").write_text(text.replace('"d.jsonl"', '"../d.jsonl"'))
    done = cli("replay", "r.json", cwd=folder)
    assert (done.returncode, "receipt-path" in done.stderr) == (2, True)


def test_a_receipt_of_before_there_were_decisions_is_replayed(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    cli("judge", "--facts", "facts.json", "--receipt", "r.json", cwd=tmp_path)
    text = (tmp_path / "r.json").read_text()
    assert '"decisions":null,' in text
    (tmp_path / "r.json").write_text(text.replace('"decisions":null,', ""))
    assert cli("replay", "r.json", cwd=tmp_path).returncode == 0


def test_explain_says_who_decided_a_row_and_what_has_no_effect(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "b=fail", "c=pass")
    words = ("--facts", "facts.json", "--decisions", "d.jsonl")
    told = cli("explain", "t.rule", "--row", "b", *words, cwd=folder).stdout
    assert "id b: fail\n  decision 1 on t.rule, id b: NO EFFECT, a later one took its place" in told
    assert f"  decision 2 on t.rule, id b: decided fail; m.ruiz, {AT}: I read it.\n" in told
    assert "decision 3" not in told
    assert "smallest change" not in told
    assert "id c: pass\n" in cli("explain", "t.rule", "--row", "c", *words, cwd=folder).stdout
    assert "id c: review\n" in cli("explain", "t.rule", "--row", "c", "--facts", "facts.json", cwd=folder).stdout
    done = cli("explain", "t.rule", "--decisions", "d.jsonl", cwd=folder)
    assert (done.returncode, "`--decisions` needs `--facts`" in done.stderr) == (2, True)


def test_diff_says_which_decisions_a_change_undoes(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass", "c=pass")
    (folder / "policies").rename(folder / "before")
    packs.write(folder, {"rule": RULE.replace("value: 5", "value: 4")})
    done = cli("diff", "before", "--facts", "facts.json", "--decisions", "d.jsonl", cwd=folder)
    assert "2 decisions counted under the old version only: those rows have to be decided again" in done.stdout
    assert "id b: pass → review" in done.stdout
    assert "id c: pass → fail" in done.stdout


def test_an_output_never_takes_the_place_of_the_decisions(cli: Cli, tmp_path: Path) -> None:
    folder = decided(cli, tmp_path, "b=pass")
    before = (folder / "d.jsonl").read_bytes()
    done = cli(
        "judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--out", "json=./d.jsonl", cwd=folder
    )  # fmt: skip
    assert (done.returncode, "holds the decisions that are read" in done.stderr) == (2, True)
    assert (folder / "d.jsonl").read_bytes() == before


SHOWN = """
shown:
  row: A level beside a word.
  key: [id]
  columns:
    id: {type: text}
    word: {type: text}
    level: {type: levels, levels: [A1, B1, C1]}
"""
OFFICIAL = """policy: t.official
title: What is shown is what the reference says
for: shown
same_as:
  reference: [first, second]
  match: {word: word}
  show: {level: level}
  on_conflict: review
cannot_see: x
example: {id: a, word: a, level: B1}
example_facts:
  first: [{word: a, level: B1}]
  second: []
cases:
  - {level: C1, expect: fail}
"""
REFERENCE = """%s:
  title: A list
  edition: "1"
  file: %s.csv
  sha256: %s
  licence: none
  cite: Nobody.
  columns: {word: word, level: {from: level, type: levels, levels: [A1, B1, C1]}}
  key: [word]
  checked: 2026-11-30
"""


@pytest.mark.parametrize("outcome", ["pass", "fail"])
def test_where_references_disagree_a_person_decides_and_no_page_calls_the_value_official(
    outcome: str, cli: Cli, tmp_path: Path
) -> None:
    entries = ""
    for name, level in (("first", "B1"), ("second", "C1")):
        text = f"word,level\na,{level}\n"
        (tmp_path / f"{name}.csv").write_text(text)
        entries += REFERENCE % (name, name, hashlib.sha256(text.encode()).hexdigest())
    root = packs.write(tmp_path, {"official": OFFICIAL}, SHOWN)
    (root / "t" / "references.yaml").write_text(entries)
    packs.facts(tmp_path, {"shown": [{"id": "a", "word": "a", "level": "B1"}]})
    where = ("--references", ".")
    assert cli("judge", "--facts", "facts.json", *where, cwd=tmp_path).returncode == 4
    words = ("--policy", "t.official", "--row", "a", "--outcome", outcome, "--by", "me", "--because", "so")
    done = cli("review", "decide", "facts.json", "--decisions", "d.jsonl", *words, *where, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = judged(cli, tmp_path, *where)
    assert (verdict["verdict"], why(verdict)) == (outcome, [None])
    for name in ("text", "html"):
        done = cli("judge", "--facts", "facts.json", "--decisions", "d.jsonl", "--format", name, *where, cwd=tmp_path)
        assert done.returncode == (0 if outcome == "pass" else 1), done.stderr
        assert "differs" not in done.stdout
        # What a reference holds may be shown as official, with its place; what a person decided may not.
        assert done.stdout.count('class="official"') == (2 if (name, outcome) == ("html", "fail") else 0)
    (root / "t" / "references.yaml").write_text(entries.replace('edition: "1"', 'edition: "2"'))
    assert why(judged(cli, tmp_path, *where)) == ["policy_changed"]
