"""The values of a column that lie at an edge: around each constant of a policy, at the ends of its type, and null.

A value is a cell as a case would write it, so that what is found can be pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation
from itertools import islice

from ..checked import CheckedPolicy
from ..errors import Place
from ..facts.values import from_yaml
from ..frozen import dataclass, field
from ..lang.typed import Constant, Function, Shift, walk
from ..model import Cell, Column, Row

EXACT = Context(prec=200)
"""Arithmetic on the numbers of policies and cases, which may have 38 digits: Python's own context rounds at 28."""
NOWHERE = Place("", 1, 1)
_MOST = 60
"""Values of one column; more constants than that are seldom and their edges are tried first."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*( [A-Za-z0-9_.\-]+)*")
_UNQUOTED = re.compile(r"""[^\s,\[\]{}#&*!|>'"%@`?:-][^,\[\]{}]*|-[0-9][0-9.eE+\-]*""")
"""What an author wrote without quotes, and stands in a line without them too; a number never stands in quotes."""
_NOT_PLAIN = frozenset({"null", "true", "false", "absent"})


@dataclass
class Pool:
    """The constants of a policy and its variants, by kind, and the values that its cases use, by column."""

    numbers: set[Decimal] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    instants: set[datetime] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    spans: set[int] = field(default_factory=set)
    """Numbers of days or months that are added to a day, or lie between two."""
    used: dict[str, list[Cell]] = field(default_factory=dict)
    edges: dict[Column, list[Cell]] = field(default_factory=dict)
    """What `values_of` found, by column: every case is changed with the same values."""


def pool_of(policies: Iterable[CheckedPolicy], rows: Iterable[Row]) -> Pool:
    """What the expressions of the policies name, and what the rows hold."""
    pool = Pool()
    for checked in policies:
        for node in (checked.where, checked.must, checked.review_if):
            for one in walk(node) if node is not None else ():
                if isinstance(one, Constant):
                    _take(pool, one)
        for parameter in checked.parameters.values():
            for value in parameter.values:
                pool.days |= {d for d in (value.start, value.until) if d is not None}
        nodes = [n for n in (checked.where, checked.must, checked.review_if) if n is not None]
        if any(
            isinstance(n, Shift) or (isinstance(n, Function) and n.name == "days_between")
            for r in nodes
            for n in walk(r)
        ):
            pool.spans |= {int(n) for n in pool.numbers if n == n.to_integral_value() and abs(n) < 100_000}
    for row in rows:
        for name, cell in row.items():
            kept = pool.used.setdefault(name, [])
            if cell not in kept:
                kept.append(cell)
    return pool


def _take(pool: Pool, constant: Constant) -> None:
    for option in constant.options:
        value = option.value
        if isinstance(value, bool):
            continue
        if isinstance(value, Decimal):
            pool.numbers.add(value)
        elif isinstance(value, datetime):
            pool.instants.add(value)
        elif isinstance(value, date):
            pool.days.add(value)
        else:
            pool.texts.add(value)


def values_of(column: Column, pool: Pool) -> list[Cell]:
    """The edge values of a column that a row may have, without repetitions; null first, if it may be unknown."""
    if column not in pool.edges:
        pool.edges[column] = _edges(column, pool)
    return pool.edges[column]


def _edges(column: Column, pool: Pool) -> list[Cell]:
    kind = column.type.kind
    made: Iterator[str | None]
    if kind == "bool":
        made = iter(("true", "false"))
    elif kind == "levels":
        made = iter(column.type.levels)
    elif kind in ("int", "decimal", "float"):
        made = _numbers(column, pool)
    elif kind == "date":
        made = _days(column, pool)
    elif kind == "instant":
        made = _instants(column, pool)
    else:
        made = _texts(column, pool)
    cells = [] if column.required else [Cell(None, False, NOWHERE)]
    cells += [cell_of(text, column) for text in made]
    cells += pool.used.get(column.name, [])
    fitting = (cell for cell in dict.fromkeys(cells) if fits(cell, column))
    return list(islice(fitting, _MOST))


def cell_of(text: str | None, column: Column) -> Cell:
    """A cell with the quotes that it needs."""
    if text is None or column.type.kind not in ("text", "levels"):
        return Cell(text, False, NOWHERE)
    plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _NOT_PLAIN
    return Cell(text, not plain, NOWHERE)


def fits(cell: Cell, column: Column) -> bool:
    """True if a row may have this value."""
    try:
        return not (from_yaml(cell.text, cell.quoted, column) is None and column.required)
    except ValueError:
        return False


# -- by kind ---------------------------------------------------------------------------------------------------


def _numbers(column: Column, pool: Pool) -> Iterator[str]:
    places = {"int": 0, "decimal": column.type.places, "float": None}[column.type.kind]
    seeds = sorted(pool.numbers)
    known = [n for cell in pool.used.get(column.name, []) if (n := _number(cell)) is not None]
    derived = [
        n
        for c in seeds
        for name, cells in pool.used.items()
        for cell in cells[:2]
        if name != column.name
        for e in [_number(cell)]
        if e is not None
        for n in _combined(c, e)
    ]
    bounds = [b for b in (column.low, column.high) if b is not None]
    for number in [*seeds, *bounds, Decimal(0), Decimal(1), *known, *derived[:24]]:
        for one in _around(number, places):
            yield f"{one:f}"


def _number(cell: Cell) -> Decimal | None:
    try:
        return Decimal(cell.text) if cell.text is not None else None
    except InvalidOperation:
        return None


def _combined(a: Decimal, b: Decimal) -> Iterator[Decimal]:
    """Where a sum, a difference, a product or a quotient of two columns meets a constant."""
    yield a - b
    yield b - a
    yield a + b
    if b:
        yield a / b
    yield a * b


def _around(number: Decimal, places: int | None) -> Iterator[Decimal]:
    """The number and its neighbours: one of the last place of the type, or of its own digits where that is a float."""
    exponent = number.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    step = Decimal(1).scaleb(-(digits if places is None else places) if places != 0 else 0)
    if places is None and digits == 0:
        step = Decimal("0.1")
    at = number if places is None else (number / step).to_integral_value(ROUND_FLOOR) * step
    if digits <= 12:
        yield at
        yield at - step
        yield at + step


def _days(column: Column, pool: Pool) -> Iterator[str]:
    used = [d for cells in pool.used.values() for cell in cells if (d := _day(cell)) is not None]
    known = list(dict.fromkeys([*sorted(pool.days), *used]))[:12]
    for day in known:
        yield from _near(day, 0)
    for day in dict.fromkeys(used[:6]):
        for span in sorted(pool.spans):
            yield from _near(day, span)
            yield from _near(day, -span)


def _near(day: date, span: int) -> Iterator[str]:
    for moved in (span, span - 1, span + 1):
        with suppress(OverflowError):
            yield (day + timedelta(days=moved)).isoformat()


def _day(cell: Cell) -> date | None:
    try:
        return date.fromisoformat(cell.text) if cell.text is not None and len(cell.text) == 10 else None
    except ValueError:
        return None


def _instants(column: Column, pool: Pool) -> Iterator[str]:
    # `utc_day` of an instant meets a day from its midnight to the next.
    midnights: dict[datetime, None] = {}
    for day in sorted(pool.days)[:9]:
        for moved in (0, 1):
            with suppress(OverflowError):
                midnights[datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=moved)] = None
    for instant in [*sorted(pool.instants), *midnights]:
        for moved in (0, -1, 1):
            with suppress(OverflowError):
                yield _instant(instant + timedelta(microseconds=moved))


def _instant(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _texts(column: Column, pool: Pool) -> Iterator[str]:
    if column.one_of:
        yield from column.one_of
        return
    for text in sorted(pool.texts):
        yield from (text, text + "x", "x" + text)
    yield from ("other", "")


def written(cell: Cell) -> str:
    """A cell as YAML in flow style."""
    if cell.text is None:
        return "null"
    if not cell.quoted and cell.text.isprintable() and _UNQUOTED.fullmatch(cell.text):
        if ": " not in cell.text and " #" not in cell.text and not cell.text.endswith((":", " ")):
            return cell.text
    if cell.text.isprintable():
        return "'" + cell.text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(c) for c in cell.text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return "\\n"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def row_written(row: Row, extra: Mapping[str, str] | None = None) -> str:
    """Cells as a YAML flow mapping, `extra` behind them."""
    parts = [f"{name}: {written(cell)}" for name, cell in row.items()]
    parts += [f"{name}: {text}" for name, text in (extra or {}).items()]
    return "{" + ", ".join(parts) + "}"
