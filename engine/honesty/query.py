"""The query of an honesty test: one SELECT over the engine's tables that says the same on every day."""

from __future__ import annotations

import re
from difflib import get_close_matches

from ..errors import Place, did_you_mean
from ..load.nodes import Scalar
from ..load.reader import Reader
from .inquiry import Inquiry
from .tables import TABLES

MAX_QUERY = 8192
_UNSTEADY = frozenset(
    """random uuid gen_random_uuid uuidv4 uuidv7 now today current_date current_time current_timestamp localtime
    localtimestamp get_current_time get_current_timestamp transaction_timestamp nextval currval setseed txid_current
    getenv current_setting current_user session_user user version currentdate currenttimestamp rand currenttime
    currentuser sessionuser tablesample approx_count_distinct approx_quantile
    reservoir_quantile any_value sample""".split()
)
_AT = re.compile(r"^LINE (\d+): ", re.MULTILINE)
_COLUMN = re.compile(r'[Cc]olumn "?(?:named )?"?([^"\s]+)"?')


def check_query(reader: Reader, node: Scalar, inquiry: Inquiry) -> frozenset[str] | None:
    """The tables that a query reads, or None and a problem."""
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError

    text = node.text
    if len(text) > MAX_QUERY:
        reader.add_problem("bad-honesty-query", f"the query is longer than {MAX_QUERY:,} characters", node)
        return None
    try:
        statements = [one for one in parse(text, read="duckdb") if one is not None]
    except RecursionError:
        reader.add_problem("bad-honesty-query", "the query is nested too deeply", node)
        return None
    except SqlglotError as error:
        found = (getattr(error, "errors", None) or [{}])[0]
        offset = _offset(text, found.get("line"), found.get("col"))
        message = str(found.get("description") or "this is no SQL").lower().rstrip(".")
        reader.add_problem("bad-honesty-query", message, _place(reader, node, offset), "one `select` over the tables")
        return None
    if len(statements) != 1 or not isinstance(statements[0], (exp.Select, exp.SetOperation, exp.Subquery)):
        help = "write one `select` and no other statement"
        reader.add_problem("bad-honesty-query", "the query is not one select", node, help)
        return None
    reads = _tables(reader, node, statements[0])
    if reads is None or not _steady(reader, node, statements[0]) or not _compiles(reader, node, inquiry):
        return None
    return reads


def _tables(reader: Reader, node: Scalar, statement: object) -> frozenset[str] | None:
    from sqlglot import exp

    assert isinstance(statement, exp.Expression)
    named = {one.alias.lower() for one in statement.find_all(exp.CTE)}
    reads, good = set(), True
    for table in statement.find_all(exp.Table):
        name = table.name.lower()
        plain = isinstance(table.this, exp.Identifier) and not table.db and not table.catalog
        if plain and name in named:
            continue
        if not plain or name not in TABLES:
            wanted = table.name or table.sql(dialect="duckdb")
            at = _place(reader, node, _find(node.text, wanted), len(wanted))
            reader.add_problem(
                "unknown-table", f"there is no table `{wanted}`", at, did_you_mean(name, TABLES, "tables")
            )
            good = False
        reads.add(name)
    if good and not reads:
        reader.add_problem("bad-honesty-query", "the query reads none of the tables", node, "select from one of them")
        good = False
    return frozenset(reads) if good else None


def _steady(reader: Reader, node: Scalar, statement: object) -> bool:
    """Whether nothing in a query depends on the clock, on chance or on the machine."""
    from sqlglot import exp

    assert isinstance(statement, exp.Expression)
    for one in statement.find_all(exp.Func, exp.TableSample):
        names = {one.name.lower()} if isinstance(one, exp.Anonymous) else {one.key.lower()}
        if isinstance(one, exp.Func) and not isinstance(one, exp.Anonymous):
            names |= {name.lower() for name in one.sql_names()}
        if names & _UNSTEADY:
            written = [name for name in sorted(names | _UNSTEADY) if _find(node.text, name) >= 0] or sorted(names)
            message = f"`{written[0]}` is not the same on every day and machine"
            at = _place(reader, node, _find(node.text, written[0]), len(written[0]))
            reader.add_problem("bad-honesty-query", message, at, "ask the tables only")
            return False
    return True


def _compiles(reader: Reader, node: Scalar, inquiry: Inquiry) -> bool:
    """Whether the database takes the query; what it says is told in our words, at the place that it points at."""
    try:
        inquiry.explain(node.text)
    except Exception as error:  # one class for each of many errors; any of them is the author's to mend
        said = str(error)
        column = _COLUMN.search(said)
        if column is not None and ("not found" in said or "does not have" in said):
            name = column[1].split(".")[-1].strip('"')
            columns = sorted({column for table in TABLES.values() for column in table})
            at = _place(reader, node, _find(node.text, name), len(name))
            near = get_close_matches(name, columns, n=1) or columns
            reader.add_problem(
                "unknown-column", f"there is no column `{name}` here", at, did_you_mean(name, near, "columns")
            )
            return False
        first = said.strip().split("\n", 1)[0].split(": ", 1)[-1]
        at = _place(reader, node, _pointed(said, node.text))
        message = first[:1].lower() + first[1:]
        reader.add_problem("bad-honesty-query", message.rstrip("."), at, "the tables and columns: docs/honesty.md")
        return False
    return True


def _pointed(said: str, text: str) -> int:
    """The offset that a message of the database points at with its caret."""
    lines = said.split("\n")
    for number, line in enumerate(lines[:-1]):
        found = _AT.match(line)
        if found is not None and "^" in lines[number + 1]:
            shown, caret = line[found.end() :], lines[number + 1].index("^") - found.end()
            start = text.find(shown.strip(". ")[:40])
            return max(start, 0) + max(caret - (len(shown) - len(shown.lstrip(". "))), 0) if start >= 0 else 0
    return 0


def _offset(text: str, line: int | None, column: int | None) -> int:
    if not line:
        return 0
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    start = starts[min(line, len(starts)) - 1]
    return start + max((column or 1) - 1, 0)


def _find(text: str, name: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found is not None else -1


def _place(reader: Reader, node: Scalar, offset: int, length: int = 1) -> Place:
    line, column = reader.source.expression(node).locate(offset)
    return reader.source.clipped(line, column, length)
