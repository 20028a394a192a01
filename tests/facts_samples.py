"""A relation with a column of every type, and short ways to load text and to see what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from engine.errors import FielError, Problem
from engine.facts import FactBase, load
from engine.limits import Limits
from engine.model import Column, Relation, ValueType

LEVELS = ("A1", "A2", "B1")

COLUMNS = (
    Column("flight", ValueType("text"), required=True),
    Column("category", ValueType("text"), one_of=("open", "specific", "certified")),
    Column("flight_date", ValueType("date")),
    Column("height", ValueType("float"), unit="m", low=Decimal(0), high=Decimal("1000.5")),
    Column("mass", ValueType("decimal", 7, 3), unit="kg", low=Decimal("-10.0005")),
    Column("claim", ValueType("levels", levels=LEVELS)),
    Column("night", ValueType("bool")),
    Column("seen_at", ValueType("instant")),
    Column("seats", ValueType("int"), unit="none"),
    Column("remarks", ValueType("text"), may_be_absent=True),
)
FLIGHT = Relation("flight", "One flight.", ("flight",), {c.name: c for c in COLUMNS})
RELATIONS = {"flight": FLIGHT}

ROW: Mapping[str, Any] = {
    "flight": "f1",
    "category": "open",
    "flight_date": "2024-02-29",
    "height": 10,
    "mass": 1.5,
    "claim": "A2",
    "night": True,
    "seen_at": "2024-01-01T00:30:00+01:00",
    "seats": 2,
}


def small(*columns: Column, key: tuple[str, ...] = ("id",), name: str = "thing") -> dict[str, Relation]:
    """A relation `thing` with a text key `id` and the given columns."""
    own = (Column("id", ValueType("text"), required=True), *columns)
    return {name: Relation(name, "A thing.", key, {c.name: c for c in own})}


def write(path: Path, content: str | bytes | object) -> str:
    """Writes text, bytes or a JSON value; the path as text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_bytes((content if isinstance(content, str) else json.dumps(content)).encode())
    return str(path)


def rows_of(base: FactBase, relation: str = "flight", order: str = "1") -> list[tuple[Any, ...]]:
    return base.select(f'SELECT * FROM "f_{relation}" ORDER BY {order}').fetchall()


def refused(*sources: str, relations: Mapping[str, Relation] = RELATIONS, **options: Any) -> list[Problem]:
    """The problems of a load that must fail."""
    try:
        base = load(sources, relations, use_cache=False, **options)
    except FielError as error:
        return list(error.problems)
    base.close()
    raise AssertionError("the facts were accepted")


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def only(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


SMALL_LIMITS = Limits(json_bytes=2000, file_bytes=3000, line_bytes=300, rows=5, nesting=5, text_length=50, problems=20)
