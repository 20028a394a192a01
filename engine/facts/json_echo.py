"""JSON Lines by the block: the database reads the lines, and each has to come out again as it stands in the file.

The values of a block of lines are taken by the database's own reader of JSON, which is quick and lenient, and written
again as a line: the columns of the first line in their order, text in quotes, numbers with their own digits. A line
that is equal to that, letter by letter, holds exactly these values and no others, whatever the database's reader
thinks of JSON: no entry twice, none unknown, no value of another kind. All other lines, and those with a value that
the declaration may refuse, are read one by one as ever; a block in which that finds a problem is read so as a whole,
so that every problem has its words and its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..limits import Limits
from ..model import Column, Relation
from .bad_values import BadValue
from .findings import Findings, Spot
from .intake import Intake
from .json_rows import row_of_line
from .parquet_values import checks
from .sql import literal, name, sql_type, unnested
from .values import json_converter

if TYPE_CHECKING:
    from .store import Build

LEAST_BYTES = 1 << 16
"""Of a block: a smaller one is as quickly read one by one."""
_MOST_DOUBTFUL = 0.2
"""Of the lines of a block: if more have to be read one by one, all are."""
_MOST_DECLINED = 3
"""After so many blocks that had to be read one by one, no other is tried."""
_NOT_IN_LINES = bytes(one for one in range(32) if one != 10)
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_INSTANT = rf"{_DAY}T([01][0-9]|2[0-3])(:[0-5][0-9]){{2}}(\.[0-9]{{1,6}})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_NOWHERE = Spot("")
"""Of what is tried. (On line 1 the reader looks for documents.)"""
_LINE, _ROW, _TEXT = name("fiel line"), name("fiel row"), name("fiel text")


class Echo:
    """The blocks of one file of JSON Lines of one relation."""

    def __init__(self, build: Build, relation: Relation, limits: Limits, intake: Intake) -> None:
        self._build, self._relation, self._limits, self._intake = build, relation, limits, intake
        self._declined = 0
        self._made: dict[tuple[tuple[str, ...], str, str, bool], str] = {}

    def take(self, first: int, block: bytes) -> int:
        """Stores the rows of a block of lines that begins with line `first`, and gives their number.

        0: it has to be read one by one, and nothing was stored. A block holds whole lines.
        """
        if self._declined >= _MOST_DECLINED or "rowid" in self._relation.columns:
            return 0
        if not LEAST_BYTES <= len(block) <= self._limits.line_bytes:
            return 0
        count = self._stored(first, block)
        self._declined += not count
        return count

    def _stored(self, first: int, block: bytes) -> int:
        lines = block.count(b"\n")
        if block.endswith(b"\r\n") and block.count(b"\r") == block.count(b"\r\n") == lines:
            block = block.replace(b"\r\n", b"\n")
        if len(block.translate(None, _NOT_IN_LINES)) != len(block):
            return 0
        try:
            text = block.removesuffix(b"\n").decode("utf-8")
        except UnicodeDecodeError:
            return 0
        plan = self._plan(text)
        if plan is None:
            return 0
        names, sql = plan
        connection = self._build.connection
        connection.execute(sql, [text])
        count = text.count("\n") + 1
        doubtful = connection.execute(f"SELECT rowid, {_LINE} FROM echo WHERE {_LINE} IS NOT NULL").fetchall()
        if len(doubtful) > count * _MOST_DOUBTFUL or not self._settled(doubtful, names):
            return 0
        self._build.insert_select(self._relation.name, "SELECT * EXCLUDE (" + _LINE + ") FROM echo", count)
        self._intake.took(names, first, count)
        return count

    # -- lines that are doubtful ----------------------------------------------------------------------------------

    def _settled(self, doubtful: Sequence[tuple[int, str]], names: set[str]) -> bool:
        """Reads lines one by one and puts their values where they belong. False if there is a problem in one."""
        if not doubtful:
            return True
        columns = self._relation.columns
        convert = {one.name: json_converter(one, self._limits) for one in columns.values()}
        typed: dict[str, list[object]] = {one: [] for one in columns}
        for _, line in doubtful:
            trial = Findings(1)
            row = row_of_line(line, _NOWHERE, self._limits, trial)
            if row is None or trial.count or not row.keys() <= columns.keys():
                return False
            names |= row.keys()
            try:
                for one in columns:
                    typed[one].append(convert[one](row.get(one)))
            except BadValue:
                return False
        pieces = [f"{unnested(n, one.type)} AS {name(one.name)}" for n, one in enumerate(columns.values(), start=2)]
        changes = ", ".join(f"{name(one)} = settled.{name(one)}" for one in columns)
        self._build.connection.execute(
            f"UPDATE echo SET {changes} FROM (SELECT unnest($1::BIGINT[]) AS {name('fiel at')}, {', '.join(pieces)}) "
            f"AS settled WHERE echo.rowid = settled.{name('fiel at')}",
            [[at for at, _ in doubtful], *(typed[one] for one in columns)],
        )
        return True

    # -- the query ------------------------------------------------------------------------------------------------

    def _plan(self, text: str) -> tuple[set[str], str] | None:
        """The columns of the lines and the SQL that takes a block; None if the first line is out of the ordinary."""
        line = text.partition("\n")[0]
        row = row_of_line(line, _NOWHERE, self._limits, Findings(1))
        if not row or not self._intake.takes_plainly(row):
            return None
        names = tuple(row)
        key = f'{{"{names[0]}":'
        if not line.startswith(key):
            return None
        colon = ": " if line.startswith(key + " ") else ":"
        comma = ", " if colon == ": " else ","
        escaped = "\\" in text
        made = (names, colon, comma, escaped)
        if made not in self._made:
            self._made[made] = self._sql(*made)
        return set(names), self._made[made]

    def _sql(self, names: Sequence[str], colon: str, comma: str, escaped: bool) -> str:
        """Fills the table `echo` with the typed values of lines, and with the line itself where it is doubtful."""
        columns = [self._relation.columns[one] for one in names]
        structure = ",".join(f'"{one.name}":"{_READ_AS.get(one.type.kind, "VARCHAR")}"' for one in columns)
        raw = ", ".join(f"{_ROW}.{name(one.name)} AS {_raw(one)}" for one in columns)
        typed = ", ".join(f"{_typed(one)} AS {name(one.name)}" for one in columns)
        pieces = []
        for at, one in enumerate(columns):
            before = "{" if at == 0 else comma
            pieces += [literal(f'{before}"{one.name}"{colon}'), _echoed(one, escaped)]
        doubts = [one for column in columns for one in _doubts(column, self._limits, escaped)]
        doubt = f"coalesce({' OR '.join(f'({one})' for one in doubts)}, false)" if doubts else "false"
        declared = ", ".join(
            f"{name(one.name) if one.name in names else f'NULL::{sql_type(one.type)}'} AS {name(one.name)}"
            for one in self._relation.columns.values()
        )
        return (
            f"CREATE OR REPLACE TEMP TABLE echo AS SELECT {declared}, "
            f"CASE WHEN {_TEXT} = concat({', '.join(pieces)}, '}}') AND NOT {doubt} "
            f"THEN NULL ELSE {_TEXT} END AS {_LINE} "
            f"FROM (SELECT *, {typed} FROM (SELECT {_TEXT}, {raw} FROM "
            f"(SELECT {_TEXT}, TRY(from_json({_TEXT}, {literal('{' + structure + '}')})) AS {_ROW} FROM "
            f"(SELECT unnest(string_split($1, chr(10))) AS {_TEXT}))))"
        )


_READ_AS: Mapping[str, str] = {"int": "BIGINT", "bool": "BOOLEAN"}
"""What the database takes a value for; for text where it is not here, so that numbers keep their digits."""


def _raw(column: Column) -> str:
    return name(f"fiel {column.name}")


def _typed(column: Column) -> str:
    """A value as declared; null where that cannot be, which is doubtful."""
    kind, raw = column.type, _raw(column)
    if kind.kind == "levels":
        ranks = " ".join(f"WHEN {literal(level)} THEN {rank}" for rank, level in enumerate(kind.levels, start=1))
        return f"(CASE {raw} {ranks} END)::{sql_type(kind)}"
    if kind.kind == "float":
        return f"(CASE WHEN TRY_CAST({raw} AS DOUBLE) = 0 THEN 0.0::DOUBLE ELSE TRY_CAST({raw} AS DOUBLE) END)"
    if kind.kind == "instant":
        return f"TRY(make_timestamp(epoch_us(TRY_CAST({raw} AS TIMESTAMPTZ))))"
    return raw if kind.kind in ("text", "int", "bool") else f"TRY_CAST({raw} AS {sql_type(kind)})"


def _echoed(column: Column, escaped: bool) -> str:
    """A value as it would stand in the line. Each piece is JSON that can be read in one way only."""
    raw = _raw(column)
    if column.type.kind in ("int", "bool"):
        text = f"{raw}::VARCHAR"
    elif column.type.kind in ("float", "decimal"):
        text = raw  # a number, or it is doubtful
    else:
        inner = raw
        for sign, written in _ESCAPES if escaped else ():
            inner = f"replace({inner}, {sign}, {literal(written)})"
        text = f"'\"' || {inner} || '\"'"
    return f"coalesce({text}, 'null')"


_ESCAPES = (("'\\'", "\\\\"), ("'\"'", '\\"'), ("chr(10)", "\\n"), ("chr(13)", "\\r"), ("chr(9)", "\\t"))
"""The signs that JSON has to escape and texts have, the backslash first. A line holds no other control character."""


def _doubts(column: Column, limits: Limits, escaped: bool) -> list[str]:
    """Conditions under which a value has to be looked at by itself. Null counts as false."""
    kind, raw, typed = column.type, _raw(column), name(column.name)
    found = [f"{raw} IS NOT NULL AND {typed} IS NULL"] if _typed(column) != raw else []
    if kind.kind in ("text", "levels", "date", "instant") and not escaped:
        found.append(f"contains({raw}, '\"')")
    if kind.kind == "levels":
        return found + ([f"{raw} IS NULL"] if column.required else [])
    if kind.kind == "instant":
        # Near both ends of the calendar an offset may lead out of it.
        found.append(f"NOT (regexp_full_match({raw}, '{_INSTANT}') AND {raw} >= '0002' AND {raw} < '9999')")
        return found + ([f"{raw} IS NULL"] if column.required else [])
    if kind.kind == "date":
        found.append(f"NOT regexp_full_match({raw}, '{_DAY}')")
    if kind.kind == "float":
        found.append(f"NOT regexp_full_match({raw}, '{_NUMBER}')")
        found.append(f"length({raw}) > 15 AND regexp_full_match({raw}, '-?[0-9]+')")
    if kind.kind == "decimal":
        digits = kind.digits - kind.places
        whole = f"(0|[1-9][0-9]{{0,{digits - 1}}})" if digits else "0"
        fraction = rf"(\.[0-9]{{1,{kind.places}}})?" if kind.places else ""
        found.append(f"NOT regexp_full_match({raw}, '-?{whole}{fraction}')")
    return found + [check.condition for check in checks(column, limits)]
