"""`example`, `example_facts` and `cases` of a policy: cells with their places, not yet typed."""

from __future__ import annotations

from datetime import date

from ..model import Case, CaseRow, Cell, ExpectedRow
from .nodes import Items, Node, Scalar, Table
from .reader import Reader

CASE_KEYS = frozenset({"rows", "facts", "judged_on", "expect", "reason", "expect_rows"})
"""The keys of a case; any other is a column."""


def read_example(reader: Reader, root: Table) -> CaseRow | None:
    table = reader.table(root, "example")
    cells = _cells(reader, table) if table is not None else None
    if table is None or cells is None:
        return None
    return CaseRow(cells, 1, reader.source.place(root.keys["example"]))


def read_example_facts(reader: Reader, root: Table) -> dict[str, tuple[CaseRow, ...]]:
    facts: dict[str, tuple[CaseRow, ...]] = {}
    table = reader.table(root, "example_facts")
    for name, node in (table.values if table is not None else {}).items():
        rows = _rows(reader, node)
        if isinstance(rows, tuple):
            facts[name] = rows
    return facts


def read_cases(reader: Reader, root: Table) -> tuple[Case, ...]:
    """The cases that could be read, numbered from 1 by their place in the file."""
    items = reader.items(root, "cases")
    cases = []
    for number, node in enumerate(items.items if items is not None else (), 1):
        case = _case(reader, number, node) if isinstance(node, Table) and reader.good(node) else None
        if case is not None:
            cases.append(case)
    return tuple(cases)


def _case(reader: Reader, number: int, table: Table) -> Case | None:
    expect = reader.text(table, "expect")
    cells = _cells(reader, table, CASE_KEYS)
    rows = _rows(reader, table.values["rows"]) if "rows" in table.keys else None
    facts_table = reader.table(table, "facts")
    facts = {name: _rows(reader, node) for name, node in (facts_table.values if facts_table else {}).items()}
    judged_on: date | None = reader.day(table, "judged_on")
    reason = reader.text(table, "reason")
    if "rows" in table.keys and cells:
        column = next(iter(cells))
        message = f"the case gives `rows`, and the column `{column}` beside it"
        help = "write the column in the rows: `rows: [{" + column + ": …}]`"
        reader.add_problem("cells-beside-rows", message, table.keys[column], help)
        return None
    whole = expect is not None and cells is not None and not ("rows" in table.keys and rows is None)
    whole = whole and not any(listed is None for listed in facts.values()) and not ("facts" in table.keys and not facts)
    whole = whole and all(key not in table.keys or read for key, read in (("reason", reason), ("judged_on", judged_on)))
    expected = _expected_rows(reader, table)
    if not whole or expected is None or cells is None or expect is None:
        return None
    given = {name: listed for name, listed in facts.items() if listed is not None}
    place = reader.source.place(table.values["expect"])
    return Case(number, cells, rows, given, expect, place, reason, expected, judged_on)


def _cells(reader: Reader, table: Table, but: frozenset[str] = frozenset()) -> dict[str, Cell] | None:
    """The cells of a row; None if one of them is bad."""
    cells: dict[str, Cell] = {}
    for name, node in table.values.items():
        if name in but:
            continue
        if not isinstance(node, Scalar) or not reader.good(node):
            return None
        cells[name] = reader.source.cell(table.keys[name], node)
    return cells


def _rows(reader: Reader, node: Node) -> tuple[CaseRow, ...] | str | None:
    """Rows, the word `absent`, or None if something in them is bad."""
    if not reader.good(node):
        return None
    if isinstance(node, Scalar):
        return node.text
    rows = []
    for item in node.items if isinstance(node, Items) else ():
        cells = _cells(reader, item, frozenset({"repeat"})) if isinstance(item, Table) and reader.good(item) else None
        if cells is None or not isinstance(item, Table):
            return None
        repeat = reader.text(item, "repeat")
        if "repeat" in item.keys and repeat is None:
            return None
        repeat_place = reader.source.place(item.keys["repeat"]) if "repeat" in item.keys else None
        rows.append(CaseRow(cells, int(repeat or "1"), reader.source.place(item), repeat_place))
    return tuple(rows)


def _expected_rows(reader: Reader, table: Table) -> tuple[ExpectedRow, ...] | None:
    items = reader.items(table, "expect_rows")
    if items is None:
        return None if "expect_rows" in table.keys else ()
    rows = []
    for item in items.items:
        outcome = reader.text(item, "outcome") if isinstance(item, Table) else None
        key = _cells(reader, item, frozenset({"outcome"})) if isinstance(item, Table) and reader.good(item) else None
        if key is None or outcome is None:
            return None
        rows.append(ExpectedRow(key, outcome, reader.source.place(item)))
    return tuple(rows)
