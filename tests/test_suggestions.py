"""Cases that are printed to be pasted: a line is read back as the very case, and nothing else in a file moves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.casework import run_tests
from engine.errors import UsageError
from engine.load import load_packs
from engine.model import Case, CaseRow, Cell, Column, Relation
from engine.mutate.paste import case_line
from engine.mutate.values import NOWHERE, cell_of
from engine.suggestions import write_suggestions

from . import packs
from .conftest import Cli
from .mutant_rules import written

RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    y: {type: text}
    n: {type: int, unit: none}
    f: {type: float, unit: none}
    d: {type: decimal, digits: 38, places: 10, unit: none}
    b: {type: bool}
    day: {type: date}
    at: {type: instant}
    rung: {type: levels, levels: ["null", "~", "A 1", "a:b", "1", "true", "#x", "it's", "a, b", "{x}", "- a", "absent"]}
note:
  row: One note.
  key: [note]
  columns:
    note: {type: text}
    said: {type: text}
"""
HEAD = """policy: t.rule
title: T
for: item
as_of: judged_on
must: b
cannot_see: x
example:
  {id: a, y: a, n: 1, f: 1, d: 1, b: true, day: 2026-01-01, at: "2026-01-01T00:00:00Z", rung: "1"}
cases:
"""


def read(folder: Path, lines: Sequence[str], head: str = HEAD, relations: str = RELATIONS) -> Sequence[Case]:
    loaded = load_packs(packs.write(folder, {"rule": head + "".join(f"  {line}\n" for line in lines)}, relations))
    assert not [p for p in loaded.problems if p.is_error], (lines, loaded.problems)
    return loaded.packs["t"].policies["rule"].cases


# -- the law: what is printed is read as what it was ------------------------------------------------------------

HOSTILE = st.one_of(
    st.text(max_size=6),
    st.text(alphabet=":#{}[],'\"\\\n\r\t -?&*!|>%@`~\0\x85\u2028\ufeff\u200f\u202e\ud7ff\ue000\U0001f600é", max_size=6),
    st.sampled_from("null Null ~ true no 1 1.0 1e5 -1 2026-01-01 0x1 = << absent a: --- ... !x &a *a 1:30".split()),
    st.sampled_from(["- a", "? a", "a: b", "a #b", "a, b", " a", "a ", "a\n\nb"]),
)


def texts_of(column: Column) -> st.SearchStrategy[str]:
    numbers = st.decimals(-(10**27), 10**27, places=10).map(lambda d: f"{d:f}")
    return {
        "text": HOSTILE,
        "int": st.integers(-(2**63), 2**63 - 1).map(str),
        "float": st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{Decimal(repr(x)):f}"),
        "decimal": numbers,
        "bool": st.sampled_from(["true", "false"]),
        "date": st.dates().map(str),
        "instant": st.datetimes().map(lambda d: f"{d.isoformat()}Z"),
        "levels": st.sampled_from(column.type.levels or ("",)),
    }[column.type.kind]


def cells_of(column: Column) -> st.SearchStrategy[Cell]:
    made = texts_of(column).map(lambda text: cell_of(text, column))
    return made if column.required else st.one_of(made, st.just(Cell(None, False, NOWHERE)))


def some_columns(relation: Relation) -> st.SearchStrategy[dict[str, Cell]]:
    return st.fixed_dictionaries({}, optional={n: cells_of(c) for n, c in relation.columns.items()})


def all_columns(relation: Relation) -> st.SearchStrategy[dict[str, Cell]]:
    return st.fixed_dictionaries({n: cells_of(c) for n, c in relation.columns.items()})


def rows_of(cells: st.SearchStrategy[dict[str, Cell]]) -> st.SearchStrategy[tuple[CaseRow, ...] | str]:
    rows = st.lists(st.builds(CaseRow, cells, st.integers(1, 9)), max_size=3).map(tuple)
    return st.one_of(st.just("absent"), rows)


def cases_over(item: Relation, note: Relation) -> st.SearchStrategy[Case]:
    facts: st.SearchStrategy[object] = st.one_of(
        st.just({}), rows_of(all_columns(note)).map(lambda rows: {"note": rows})
    )
    body: st.SearchStrategy[Any] = st.one_of(
        st.tuples(some_columns(item), st.none()), st.tuples(st.just({}), rows_of(some_columns(item)))
    )
    verdicts = st.sampled_from(["pass", "fail", "review", "no_evidence", "not_applicable"])
    return st.builds(
        lambda body, facts, expect, day: Case(1, body[0], body[1], facts, expect, NOWHERE, judged_on=day),
        body,
        facts,
        verdicts,
        st.dates(),
    )


def said(case: Case) -> object:
    """What a case says: texts, and where there are none; how they are quoted is the writer's."""

    def row(cells: object) -> object:
        assert isinstance(cells, dict)
        return {name: cell.text for name, cell in cells.items()}

    def rows(listed: tuple[CaseRow, ...] | str | None) -> object:
        return [(row(r.cells), r.repeat) for r in listed] if isinstance(listed, tuple) else listed

    facts = {name: rows(listed) for name, listed in case.facts.items()}
    return row(case.cells), rows(case.rows), facts, case.expect, case.judged_on


def test_a_printed_case_is_read_back_as_the_very_case(tmp_path: Path) -> None:
    relations = load_packs(packs.write(tmp_path, {}, RELATIONS)).packs["t"].relations

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(cases_over(relations["item"], relations["note"]))
    def law(case: Case) -> None:
        line = case_line(case)
        assert line.isprintable(), line
        (again,) = read(tmp_path, [line])
        assert said(again) == said(case), line
        assert case_line(again) == line

    law()


@pytest.mark.parametrize(
    "written_so",
    [
        "{f: -1e5, expect: pass, judged_on: 2026-01-01}",
        "{f: -1.5E+3, n: -5, d: -0.1, expect: pass, judged_on: 2026-01-01}",
        "{at: 2026-01-01T00:00:00+01:00, expect: pass, judged_on: 2026-01-01}",
        "{y: a\ufeffb, expect: pass, judged_on: 2026-01-01}",
        "y: it's a [x], {y} & more\n    expect: pass\n    judged_on: 2026-01-01",
        "y: |\n      -a: b\n       c\n    expect: pass\n    judged_on: 2026-01-01",
    ],
)
def test_what_an_author_wrote_is_printed_as_a_line_with_the_same_meaning(written_so: str, tmp_path: Path) -> None:
    (case,) = read(tmp_path, [f"- {written_so}"])
    line = case_line(case)
    assert line.isprintable()
    (again,) = read(tmp_path, [line])
    assert said(again) == said(case)
    numbers = [name for name in case.cells if name in ("f", "n", "d")]
    assert [again.cells[n].quoted for n in numbers] == [False for _ in numbers]


# -- columns that are named like a key of a case ----------------------------------------------------------------

ODD_RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    repeat: {type: int, unit: none}
    expect: {type: text, one_of: [pass, fail]}
    rows: {type: int, unit: none}
    reason: {type: text}
    facts: {type: bool}
    expect_rows: {type: date}
"""
ODD = """policy: t.rule
title: T
for: item
must: rows <= top and expect = 'pass' and facts and reason != 'x' and repeat < top and expect_rows = start
params:
  top: {value: 3, unit: none, origin: convention, because: x}
  start: {value: 2026-01-01, origin: convention, because: x}
cannot_see: x
example: {id: a, repeat: 1, expect: pass, rows: 1, reason: a, facts: true, expect_rows: 2026-01-01}
cases:
  - {repeat: 4, expect: fail}
  - {repeat: null, expect: no_evidence}
"""


def test_columns_named_like_a_key_of_a_case_are_written_in_rows(cli: Cli, tmp_path: Path) -> None:
    root = packs.write(tmp_path, {"rule": ODD}, ODD_RELATIONS)
    assert cli("test", root, "--suggest", "--write").returncode == 1
    done = cli("test", root)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "- {rows: [{expect: fail}], expect: fail}" in (root / "t" / "rule.yaml").read_text()


# -- writing into a file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cases",
    [
        "cases: [{words: 9, expect: fail}, {rows: absent, expect: no_evidence}  # a, b\n]\n",
        "cases: [{words: 9, expect: fail}, {rows: absent, expect: no_evidence} ,  # a, b\n]\n",
        "cases:\n- words: 9\n  expect: fail\n- expect: no_evidence\n  rows:\n    # all\n    - words: null\n# [\n\n",
        "cases:\n  - {words: 9, expect: fail}\n  - rows: absent\n    expect: |-\n      no_evidence\n  # end\n...\n",
        "cases:\n  - {words: 9, expect: fail}\n  - {rows: absent, expect: no_evidence}\nbecause: >\n  so\n",
    ],
)
@pytest.mark.parametrize("before", ["", "\ufeff", "# \u00e9 \U0001f600\n"])
def test_nothing_but_the_cases_changes_in_a_file(cases: str, before: str, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    text = before + file.read_text().split("cases:\n")[0] + cases
    file.write_text(text, encoding="utf-8")
    done = run_tests([root])
    assert done[0].cases_ok
    write_suggestions(done)
    now = file.read_text(encoding="utf-8")
    added = [case_line(case) for case in load_packs(root).packs["t"].policies["plain"].cases[2:]]
    assert added
    for line in added:
        assert line in now or line.removeprefix("- ") in now
        now = now.replace(f", {line.removeprefix('- ')}", "") if "cases: [" in text else now
        now = "".join(part for part in now.splitlines(keepends=True) if part.strip(" \n") != line)
    assert now == text
    assert run_tests([root])[0].ok


def test_a_file_that_changed_while_it_was_tested_is_left_alone(tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    done = run_tests([root])
    text = file.read_text().replace("value: 3", "value: 4")
    file.write_text(text)
    with pytest.raises(UsageError, match="was changed while it was tested"):
        write_suggestions(done)
    assert file.read_text() == text


def test_one_file_that_cannot_be_written_leaves_all_as_they_were(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file, other = root / "t" / "plain.yaml", root / "t" / "below.yaml"
    other.write_text((written(tmp_path / "b", "below") / "t" / "below.yaml").read_text())
    texts = file.read_text(), other.read_text()
    file.chmod(0o444)
    done = cli("test", root, "--suggest", "--write")
    assert done.returncode == 2
    assert "cannot-write: cannot write" in done.stderr
    assert "read-only" in done.stderr
    assert (file.read_text(), other.read_text()) == texts


def test_a_link_stays_a_link_and_its_file_is_written(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file, real = root / "t" / "plain.yaml", tmp_path / "real.yaml"
    file.rename(real)
    os.symlink(real, file)
    assert cli("test", root, "--suggest", "--write").returncode == 1
    assert file.is_symlink()
    assert cli("test", root).returncode == 0


def test_a_file_named_twice_gets_each_case_once(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    assert cli("test", file, root, root / "t", file.parent / ".." / "t", "--suggest", "--write").returncode == 1
    cases = load_packs(root).packs["t"].policies["plain"].cases
    said_once = {case_line(replace(c, number=0)) for c in cases}
    assert len(said_once) == len(cases)
    assert cli("test", root).returncode == 0


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("", "- {rows: [], expect: no_evidence}"),
        ("if_none: not_applicable\n", "- {rows: [], expect: not_applicable}"),
    ],
)
def test_where_only_the_case_of_no_rows_is_missing_it_is_suggested_and_written(
    more: str, line: str, cli: Cli, tmp_path: Path
) -> None:
    rule = packs.policy("words <= top", more=more) + "  - {words: 9, expect: fail}\n"
    root = packs.write(tmp_path, {"rule": rule})
    file = root / "t" / "rule.yaml"
    assert cli("test", root, "--suggest").stdout == f"# {file}\n  {line}\n"
    done = cli("test", root, "--suggest", "--write")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("added 1 case to ")
    assert done.stdout.splitlines()[1:] == [f"  {line}", "run `fiel test` again"]
    assert file.read_text() == f"{rule}  {line}\n"
    again = cli("test", root, "--suggest", "--write")
    assert "no case is without evidence" not in again.stdout
    assert cli("test", root).returncode == 0


def test_with_groups_that_are_named_elsewhere_the_case_without_evidence_is_that_of_an_absent_relation(
    cli: Cli, tmp_path: Path
) -> None:
    relations = "essay:\n  row: One essay.\n  key: [essay]\n  columns: {essay: {type: text}}\n"
    relations += "item:\n  row: One item.\n  key: [id]\n  columns:\n    id: {type: text}\n"
    relations += "    essay: {type: text, required: true}\n"
    rule = (
        "policy: t.rule\ntitle: T\nfor: item\nper: [essay]\neach_of: essay\nmust: count(*) >= least\n"
        "params:\n  least: {value: 1, unit: none, origin: convention, because: x}\ncannot_see: x\n"
        "example: {id: a, essay: e}\nexample_facts:\n  essay: [{essay: e}]\n"
        "cases:\n  - {id: a, expect: pass}\n  - {facts: {essay: [{essay: e}, {essay: f}]}, expect: fail}\n"
    )
    root = packs.write(tmp_path, {"rule": rule}, relations)
    done = cli("test", root, "--suggest")
    assert done.stdout.endswith("  - {rows: absent, expect: no_evidence}\n"), done.stdout + done.stderr


def test_the_case_of_no_rows_is_not_written_where_another_is_missing_or_wrong(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("words <= top")
    for more, says in (("", "no case fails"), ("  - {words: 1, expect: fail}\n", "its own cases are not in order")):
        root = packs.write(tmp_path, {"rule": rule + more})
        done = cli("test", root, "--suggest", "--write")
        assert (root / "t" / "rule.yaml").read_text() == rule + more
        assert says in done.stdout
        assert "run `fiel test` again" not in done.stdout
