"""`honesty_tests/*.yaml`: read, compared with the tables, compiled, and held to the offenders that they plant."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import PolicyError, Problem, did_you_mean, problem_order
from ..load import shown_path
from ..load.nodes import Items, Scalar, Table
from ..load.reader import Reader
from ..load.reading import read_source
from ..load.shape import check_shape
from ..load.words import shown
from .inquiry import Inquiry
from .query import check_query
from .tables import TABLES, HonestyTest, Row, Tables, Value


def promises(folder: Path) -> list[HonestyTest]:
    """The tests of a folder, in the order of their names. Raises `PolicyError` with every problem of every file."""
    tests, problems = read_promises(folder)
    if any(problem.is_error for problem in problems):
        raise PolicyError(problems)
    return tests


def read_promises(folder: Path) -> tuple[list[HonestyTest], list[Problem]]:
    """The tests that are as they should be, and all problems. A folder without a test is one: it promises nothing."""
    shown_folder = shown_path(folder)
    files = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    problems = [
        Problem("no-honesty-tests", f"`{path.name}` is not read here", where=shown_path(path), help="name it `.yaml`")
        for path in sorted(folder.glob("*.yml"))
    ]
    if not files:
        help = "one YAML file a promise, see `docs/honesty.md`"
        problems.append(Problem("no-honesty-tests", f"there is no honesty test in `{shown_folder}`", help=help))
    tests = []
    with Inquiry() as inquiry:
        for path in files:
            test = _read(path, inquiry, problems)
            if test is not None:
                tests.append(test)
    return tests, sorted(problems, key=problem_order)


def _read(path: Path, inquiry: Inquiry, problems: list[Problem]) -> HonestyTest | None:
    source = read_source(path, shown_path(path))
    reader = Reader(source, check_shape(source, "honesty_test"))
    test = _build(reader, path, inquiry)
    found = [*source.problems, *reader.shape.problems, *reader.problems]
    problems += found
    if test is None or any(problem.is_error for problem in found):
        return None
    missed = _missed(test, inquiry)
    if missed is not None:
        problems.append(missed)
        return None
    return test


def _build(reader: Reader, path: Path, inquiry: Inquiry) -> HonestyTest | None:
    root = reader.root()
    if root is None:
        return None
    name, sql, planted = reader.scalar(root, "honesty_test"), reader.scalar(root, "offenders"), None
    table = reader.table(root, "planted")
    if name is not None and name.text != path.stem:
        message = f"the file of this test is `{path.name}`, not `{name.text}.yaml`"
        help = f"write `honesty_test: {path.stem}`, or name the file `{name.text}.yaml`"
        reader.add_problem("honesty-test-name", message, name, help)
    if table is not None:
        known = [(key, node) for key, node in table.values.items() if _known(reader, table, key)]
        planted = {key: _rows(reader, node, key) for key, node in known}
    reads = check_query(reader, sql, inquiry) if sql is not None else None
    title, because = reader.text(root, "title"), reader.text(root, "because")
    if name is None or sql is None or title is None or because is None or planted is None or reads is None:
        return None
    place = reader.source.place(root.keys["planted"])
    advice = reader.text(root, "help")
    return HonestyTest(name.text, title, because, sql.text, reads, Tables(planted), reader.source.file, place, advice)


def _known(reader: Reader, table: Table, name: str) -> bool:
    if name not in TABLES:
        help = did_you_mean(name, TABLES, "tables")
        reader.add_problem("unknown-table", f"there is no table `{name}`", table.keys[name], help)
    return name in TABLES


def _rows(reader: Reader, node: object, name: str) -> tuple[Row, ...]:
    if not isinstance(node, Items) or not reader.good(node):
        return ()
    return tuple(_row(reader, one, name) for one in node.items if isinstance(one, Table) and reader.good(one))


def _row(reader: Reader, row: Table, name: str) -> Row:
    columns = TABLES[name]
    for column, key in row.keys.items():
        if column not in columns:
            help = did_you_mean(column, columns, "columns")
            reader.add_problem("unknown-column", f"`{column}` is not a column of {name}", key, help)
    return tuple(_value(reader, row.values.get(column), kind, column) for column, kind in columns.items())


_INT = re.compile(r"-?[0-9]{1,18}")


def _value(reader: Reader, node: object, kind: str, column: str) -> Value:
    if not isinstance(node, Scalar) or node.is_null or not reader.good(node):
        return None
    if kind == "int" and _INT.fullmatch(node.text) and not node.quoted:
        return int(node.text)
    if kind == "bool" and node.text in ("true", "false"):
        return node.text == "true"
    if kind == "text":
        return node.text
    expected = "a whole number" if kind == "int" else "`true` or `false`"
    reader.add_problem("wrong-value", f"`{column}` is {expected}, not {shown(node.text)}", node)
    return None


def _missed(test: HonestyTest, inquiry: Inquiry) -> Problem | None:
    """The problem with a test that does not catch what it plants: each row, alone or as a part of the whole."""
    planted = test.planted.rows
    unread = sorted(set(planted) - test.reads)
    if unread:
        message, help = f"`{test.name}` plants rows in `{unread[0]}` and does not read it", "plant what the query reads"
        return Problem("offender-not-caught", message, test.place, help=help)
    try:
        caught = inquiry.offenders([test], test.planted)
        for table, rows in sorted(planted.items()):
            for number, row in enumerate(rows):
                without = Tables({**planted, table: rows[:number] + rows[number + 1 :]})
                alone = Tables({table: (row,)})
                if inquiry.offenders([test], without) == caught and not inquiry.offenders([test], alone):
                    message = f"`{test.name}` does not catch row {number + 1} that it plants in `{table}`"
                    help = "mend the query, or plant a row that breaks the promise"
                    return Problem("offender-not-caught", message, test.place, help=help)
    except Exception as error:  # the database has one class for each of many errors, and any of them is the author's
        message = f"the query of `{test.name}` fails over its planted rows: {first_line(error)}"
        return Problem("bad-honesty-query", message, test.place, help="mend the query under `offenders`")
    return None


def first_line(error: BaseException) -> str:
    """The first line of what the database says, in small letters, without its class."""
    text = str(error).strip().split("\n", 1)[0]
    return text.split(": ", 1)[-1].lower()
