"""JSON Lines taken by the block are what they are when they are read one by one: values, places and problems."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import FielError
from engine.facts import json_echo, load, relations_in
from engine.facts.loading import _Loading
from engine.facts.store import Build
from engine.limits import Limits
from engine.model import Column, Relation, ValueType
from tests.facts_samples import LEVELS

COLUMNS = (
    Column("id", ValueType("text"), required=True),
    Column("category", ValueType("text"), one_of=("open", "specific", 'quo"ted')),
    Column("day", ValueType("date")),
    Column("height", ValueType("float"), unit="m", low=Decimal("-1e300"), high=Decimal("1e300")),
    Column("mass", ValueType("decimal", 7, 3), unit="kg", low=Decimal("-10.0005")),
    Column("share", ValueType("decimal", 2, 2), unit="none"),
    Column("claim", ValueType("levels", levels=LEVELS), required=True),
    Column("night", ValueType("bool")),
    Column("seen_at", ValueType("instant")),
    Column("seats", ValueType("int"), unit="none", low=Decimal(-100)),
    Column("remarks", ValueType("text"), may_be_absent=True),
)
THING = {"thing": Relation("thing", "A thing.", ("id",), {c.name: c for c in COLUMNS})}
PLAIN = {
    "id": '"a"',
    "category": '"open"',
    "day": '"2024-02-29"',
    "height": "0.1",
    "mass": "1.5",
    "share": "0.25",
    "claim": '"A2"',
    "night": "true",
    "seen_at": '"2024-01-01T00:30:00+01:00"',
    "seats": "2",
}
ODD = [
    *("null", "true", "false", "{}", "[]", '{"a": 1}', "[1]", '""', '"true"', "NaN", "Infinity", "-Infinity", "nul"),
    *("0", "-0", "-0.0", "0.10", "1e5", "1E5", "1e-7", "1e-400", "1e400", "5e-324", "007", "+1", ".5", "1.", "1e", "-"),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "1234567890123456", "10000000000000000"),
    *("1.5000", "1.50001", "12345.678", "1e2", "0.123456789012345678", "100000000000000000000000.5", "1_000", "0x10"),
    *('"2023-02-29"', '"2024-2-1"', '"0000-01-01"', '"0001-01-01"', '"9999-12-31"', '"10000-01-01"', '"infinity"'),
    *('"2024-01-01T24:00:00Z"', '"2024-01-01T23:59:60Z"', '"2024-01-01T00:00:00.1234567Z"', '"2024-01-01 00:00:00Z"'),
    *('"0001-01-01T00:00:00+01:00"', '"9999-12-31T23:59:59-01:00"', '"2024-01-01T00:00:00.5-23:59"', '"epoch"'),
    *('"2024-01-01T00:00:00+24:00"', '"2024-01-01T00:00:00z"', '"-infinity"', '"2024-01-01T00:00:00+0100"'),
    *(
        '"A1"',
        '"Z9"',
        '"a1"',
        '"A1 "',
        '"quo\\"ted"',
        '"a\\\\b"',
        '"a\\/b"',
        '"\\u00e9"',
        '"é"',
        '"\\ud800"',
        '"\\u0000"',
    ),
    *(
        '"a\\nb\\tc\\rd"',
        '"a\tb"',
        '"a\x7fb"',
        '"\\x41"',
        '"a\'b"',
        '"$1"',
        '"}, {"',
        '"\U0001f600"',
        '"\\ud83d\\ude00"',
    ),
    *('"a" ', ' "a"', '"a"}', '"a", "id": "b"', '"a", "seats": 3', '"a", "unknown": 3', '"a" "b"', "1, ", "'a'"),
]


def read(path: Path, **options: Any) -> tuple[Any, ...]:
    """Everything that loading tells: rows with their lines in order, or the problems."""
    try:
        with load([str(path)], THING, use_cache=False, trust_keys=True, **options) as base:
            rows = base.select("SELECT *, height::VARCHAR FROM f_thing").fetchall()
            lines = [base.stored["thing"].files[0].lines.of(row) for row in range(1, len(rows) + 1)]
            return repr(rows), lines, base.rows, base.files
    except FielError as error:
        return error.problems


@pytest.fixture
def echoed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each block that was tried; blocks of any size are."""
    counts: list[int] = []
    stored = json_echo.Echo._stored

    def noted(self: json_echo.Echo, first: int, block: bytes) -> int:
        counts.append(stored(self, first, block))
        return counts[-1]

    monkeypatch.setattr(json_echo.Echo, "_stored", noted)
    monkeypatch.setattr(json_echo, "LEAST_BYTES", 1)
    return counts


def both(path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, ...]:
    """What loading tells when lines are taken by the block; the same as one by one, or the test fails."""
    quick = read(path, **options)
    with monkeypatch.context() as now:
        now.setattr(json_echo, "LEAST_BYTES", 1 << 40)
        assert quick == read(path, **options)
    return quick


def line(values: dict[str, str], comma: str = ", ", colon: str = ": ") -> str:
    return "{" + comma.join(f'"{name}"{colon}{text}' for name, text in values.items()) + "}"


@pytest.mark.parametrize("style", [(", ", ": "), (",", ":")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_plain_lines_are_taken_by_the_block(
    style: tuple[str, str], end: str, last: bool, tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {**PLAIN, "id": f'"{n}"', "height": text, "category": "null", "remarks": '"é"'}
        for n, text in enumerate(["10", "10.0", "6.1e-05", "-5e+22", "1e-07", "0.3", "-0.0", "123456789012345"])
    ]
    text = end.join(line(row, *style) for row in rows) + (end if last else "")
    (tmp_path / "thing.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = both(tmp_path / "thing.jsonl", monkeypatch)
    assert found[1] == list(range(1, 9))
    # Without the line feed at the end of a file in which the others have both signs, lines are read one by one.
    assert echoed == [8 if last or end == "\n" else 0]


def test_texts_with_escapes_are_taken_by_the_block(
    tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["a\nb", 'say "yes"', "back\\slash", "tab\t, cr\r", "é \U0001f600 \u2028", "", "\\n", '\\"']
    rows = [{"id": str(n), "claim": "A1", "remarks": one} for n, one in enumerate(texts)]
    every = {**{c.name: None for c in COLUMNS}, "id": "x", "claim": "A2"}
    content = "".join(json.dumps({**every, **row}, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "thing.jsonl").write_bytes(content.encode())
    found = both(tmp_path / "thing.jsonl", monkeypatch)
    assert echoed == [8]
    assert all(repr(one) in found[0] for one in texts)


def test_few_doubtful_lines_keep_their_place(
    tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**PLAIN, "id": f'"{n}"'} for n in range(40)]
    rows[3]["height"] = "0.10"
    rows[7] = dict(reversed(rows[7].items()))
    del rows[39]["seats"]
    rows[0]["remarks"] = '"\\u00e9"'
    (tmp_path / "thing.jsonl").write_text("\n".join(map(line, rows)) + "\n")
    found = both(tmp_path / "thing.jsonl", monkeypatch)
    assert found[1] == list(range(1, 41))
    rows[5]["claim"] = '"Z9"'
    (tmp_path / "thing.jsonl").write_text("\n".join(map(line, rows)) + "\n")
    (problem,) = both(tmp_path / "thing.jsonl", monkeypatch)
    assert problem.where == f"{tmp_path / 'thing.jsonl'}:6, row 6, column claim"
    assert echoed == [0, 0]  # all lines but the first lack a column that it has


def test_a_first_line_like_most_has_few_doubtful_ones(
    tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**PLAIN, "id": f'"{n}"'} for n in range(40)]
    rows[3]["height"] = "0.10"
    rows[7] = dict(reversed(rows[7].items()))
    del rows[39]["seats"]
    rows[9]["remarks"] = '"\\u00e9"'
    (tmp_path / "thing.jsonl").write_text("\n".join(map(line, rows)) + "\n")
    assert both(tmp_path / "thing.jsonl", monkeypatch)[1] == list(range(1, 41))
    assert echoed == [40]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n",
        "{}\n",
        '{"thing": [{"id": "a"}]}\n',
        "[\n",
        '{"id": "a"}\n',
        "\ufeff",
        '{"id": "a", "claim": "A1"}\n\n',
    ],
)
def test_files_that_hold_no_rows_are_told_the_same(
    content: str, tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thing.jsonl").write_text(content, encoding="utf-8")
    both(tmp_path / "thing.jsonl", monkeypatch)


def test_limits_are_met_where_they_are_met_one_by_one(
    tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**PLAIN, "id": f'"{"x" * n}"'} for n in range(1, 30)]
    (tmp_path / "thing.jsonl").write_text("\n".join(map(line, rows)) + "\n")
    for limits in (Limits(text_length=20), Limits(line_bytes=200), Limits(file_bytes=3000), Limits(rows=5)):
        first, *_ = both(tmp_path / "thing.jsonl", monkeypatch, limits=limits)
        assert first.code == "fact-limit"


@st.composite
def hostile(draw: st.DrawFn) -> bytes:
    """Mostly plain lines, with odd values, odd signs between them, and bytes that are no text."""
    comma, colon = draw(st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]))
    names = draw(st.permutations(list(PLAIN))) if draw(st.booleans()) else list(PLAIN)
    lines = []
    for n in range(draw(st.integers(1, 12))):
        values = {name: PLAIN[name] for name in names} | {"id": f'"{n}"'}
        if draw(st.integers(0, 2)) == 0:
            for name in draw(st.lists(st.sampled_from([*names, "remarks"]), max_size=2)):
                values[name] = draw(st.sampled_from(ODD) | st.text(max_size=4).map(json.dumps))
            for name in draw(st.lists(st.sampled_from(names), max_size=1)):
                values.pop(name, None)
        lines.append(line(values, comma, colon))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n"]))
    data = bytearray((end.join(lines) + draw(st.sampled_from(["", end]))).encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(-3, 1))):
        at = draw(st.integers(0, len(data) - 1))
        data[at : at + draw(st.integers(0, 1))] = draw(
            st.sampled_from([b'"', b"\\", b"{", b" ", b"\xff", b"\0", b"\n", b","])
        )
    return bytes(data)


def test_hostile_lines_are_told_the_same(tmp_path: Path, echoed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "thing.jsonl"
    build = Build(THING, Limits(), 1, brief=True)  # one for all, as opening takes longer than reading

    def told(least: int) -> Any:
        monkeypatch.setattr(json_echo, "LEAST_BYTES", least)
        build.connection.execute("DELETE FROM f_thing")
        build.stored.clear()
        loading = _Loading(relations_in([str(path)]), THING, Limits(), ",", None, False)
        loading.fill(build)
        rows = build.connection.execute("SELECT *, height::VARCHAR FROM f_thing").fetchall()
        problems = loading.findings.problems()
        return problems or (repr(rows), build.stored["thing"].files[0].lines.of(len(rows)), loading.files)

    @settings(max_examples=120, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(hostile())
    def agree(content: bytes) -> None:
        path.write_bytes(content)
        assert told(1) == told(1 << 40)

    try:
        agree()
    finally:
        build.drop()
    assert sum(map(bool, echoed)) > 20
