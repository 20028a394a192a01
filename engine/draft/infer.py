"""From a sample to a declared relation: types, closed values, what is never null, and what names a row.

A type is guessed by reading: the first type that reads every value of the sample, as `judge` will read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from ..errors import FactError, Problem
from ..facts.bad_values import BadValue, shown
from ..facts.values import csv_converter, json_converter
from ..frozen import dataclass, replace
from ..limits import Limits
from ..model import NUMBER_KINDS, UNIT_NONE, Column, Relation, ValueType
from ..names import NAME, RESERVED
from .foreign import meant_by_texts
from .sample import Sample

_CANDIDATES = ("bool", "int", "float", "date", "instant", "text")
_MOST_CLOSED = 10
_ENOUGH_ROWS = 20
"""From so many rows without a null a column is guessed to be required."""
_MOST_KEYS = 3
_PARQUET = {
    "VARCHAR": "text",
    "TINYINT": "int",
    "SMALLINT": "int",
    "INTEGER": "int",
    "BIGINT": "int",
    "DOUBLE": "float",
    "BOOLEAN": "bool",
    "DATE": "date",
    "TIMESTAMP WITH TIME ZONE": "instant",
}
_IN_KEYS = frozenset({"text", "int", "date", "decimal"})

Row = Mapping[str, object]


@dataclass(frozen=True)
class Guess:
    """A relation, what was guessed of its columns, and the rows of the sample with typed values."""

    relation: Relation
    remarks: Mapping[str, str]
    rows: tuple[Row, ...]
    more: bool = False


def guess(sample: Sample) -> Guess:
    """The relation of a sample. Raises FactError with everything that no relation can declare."""
    if not sample.rows:
        message = f"{shown(sample.relation)} has no rows, so nothing can be guessed of it"
        help_text = f"draft it by name: `fiel new relation PACK.{sample.relation}`"
        raise FactError(Problem("draft-no-rows", message, where=sample.file, help=help_text))
    problems = list(_bad_names(sample))
    columns: dict[str, Column] = {}
    values: dict[str, list[object]] = {}
    remarks: dict[str, str] = {}
    for name, raw in sample.columns.items():
        try:
            columns[name], values[name] = _column(sample, name, raw)
        except _Refused as refused:
            problems.append(refused.problem)
            continue
    if problems:
        raise FactError(problems)
    rows = tuple({name: values[name][at] for name in columns} for at in range(sample.rows))
    key = _key(columns, values, sample)
    for name in columns:
        columns[name], remarks[name] = _closer(columns[name], values[name], name in key)
    row = f"One {sample.relation.replace('_', ' ')}."
    return Guess(Relation(sample.relation, row, key, columns), remarks, rows, sample.more)


def typed_rows(sample: Sample, relation: Relation) -> tuple[Row, ...]:
    """The rows of a sample by a declared relation, levels by name. What does not fit is null: `judge` tells of it."""
    values: dict[str, Sequence[object]] = {}
    for name, column in relation.columns.items():
        read = _read(sample, column, sample.columns.get(name, [None] * sample.rows), lenient=True) or []
        levels = column.type.levels
        values[name] = [levels[v - 1] if levels and isinstance(v, int) else v for v in read]
    return tuple({name: values[name][at] for name in relation.columns} for at in range(sample.rows))


class _Refused(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _bad_names(sample: Sample) -> Iterator[Problem]:
    taken = set(sample.columns)
    for name, what in [(sample.relation, "a relation"), *((column, "a column") for column in sample.columns)]:
        if NAME.fullmatch(name) and name not in RESERVED:
            continue
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:60]
        better = better if NAME.fullmatch(better) else f"c_{better}".rstrip("_")
        while better in RESERVED or better in taken:
            better += "_"
        help_text = f"rename it in the facts, for example to `{better}`"
        if name in RESERVED:
            message = f"{shown(name)} is a word of the language and cannot name {what}"
        else:
            message = f"{shown(name)} cannot name {what}: small letters, digits and `_`, a letter first"
        yield Problem("draft-name", message, where=sample.file, help=help_text)


def _column(sample: Sample, name: str, raw: Sequence[object]) -> tuple[Column, list[object]]:
    """The column with the first type that reads all values, and the values. Raises `_Refused`."""
    found = next((value for value in raw if isinstance(value, (dict, list))), None)
    if found is not None:
        message = f"{shown(name)} holds {'an object' if isinstance(found, dict) else 'a list'}, and a fact holds values"
        help_text = "let the sensor write its parts as columns, or as rows of a relation of their own"
        raise _Refused(Problem("draft-nested", message, where=sample.file, help=help_text))
    if sample.kind == "parquet":
        column = _of_parquet(sample, name)
        return column, list(raw)
    for kind in _CANDIDATES if any(value is not None for value in raw) else ("text",):
        column = _declared(name, ValueType(kind))
        values = _read(sample, column, raw)
        if values is not None:
            return column, values
    whole = _declared(name, ValueType("decimal", 38, 0))
    values = _read(sample, whole, raw)
    if values is not None:
        return whole, values
    listed = dict.fromkeys(_spoken(v) for v in raw if v is not None)
    firsts = [next(at for at, v in enumerate(raw, 1) if v is not None and _spoken(v) == word) for word in listed]
    which = ", ".join(f"{word} in row {at}" for word, at in zip(listed, firsts, strict=True))
    message = f"no type holds all values of {shown(name)}: {which}"
    raise _Refused(Problem("draft-mixed", message, where=sample.file, help="let the sensor write one kind of value"))


def _spoken(value: object) -> str:
    if isinstance(value, bool):
        return "a truth value"
    return "a text" if type(value) is str else "a number"


def _declared(name: str, kind: ValueType) -> Column:
    return Column(name, kind, unit=UNIT_NONE if kind.is_number else None)


def _of_parquet(sample: Sample, name: str) -> Column:
    declared = sample.types[name]
    digits = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", declared)
    if digits is not None:
        return _declared(name, ValueType("decimal", int(digits[1]), int(digits[2])))
    if declared not in _PARQUET:
        message = f"{shown(name)} is of the type {declared}, and facts have none like it"
        help_text = "write text, whole numbers, DECIMAL, DOUBLE, BOOLEAN, DATE or timestamps in UTC"
        raise _Refused(Problem("draft-mixed", message, where=sample.file, help=help_text))
    return _declared(name, ValueType(_PARQUET[declared]))


def _read(sample: Sample, column: Column, raw: Sequence[object], lenient: bool = False) -> list[object] | None:
    """The values as a column of this type has them; None if one does not fit (or null in its place)."""
    if sample.kind == "parquet":
        return list(raw)
    make = csv_converter if sample.kind == "csv" else json_converter
    convert = make(replace(column, required=False), Limits())
    values: list[object] = []
    for value in raw:
        try:
            values.append(convert(value))
        except BadValue:
            if not lenient:
                return None
            values.append(None)
    return values


def _closer(column: Column, values: Sequence[object], in_key: bool) -> tuple[Column, str]:
    """The column with what its values show beyond the type, and the remark for the author."""
    present = [value for value in values if value is not None]
    remarks: list[str] = []
    if not present:
        return column, "every value was null: which type?"
    if column.type.kind in NUMBER_KINDS:
        remarks.append("what unit?")
    if column.type.kind == "float":
        remarks.append("or a decimal, if it is exact?")
    foreign = meant_by_texts(present) if column.type.kind == "text" else None
    if foreign is not None:
        remarks.append(foreign)
    if in_key:
        return replace(column, required=True), " ".join(remarks)
    if column.type.kind == "text" and foreign is None:
        counts = Counter(map(str, present))
        if 2 <= len(counts) <= _MOST_CLOSED and 2 * len(counts) <= len(present):
            column = replace(column, one_of=tuple(sorted(counts)))
            remarks.append("no other values?")
    if len(present) == len(values) >= _ENOUGH_ROWS:
        column = replace(column, required=True)
        remarks.append("never null?")
    return column, " ".join(remarks)


def _key(columns: Mapping[str, Column], values: Mapping[str, Sequence[object]], sample: Sample) -> tuple[str, ...]:
    """The first column, or combination of columns, whose values no two rows share. Raises FactError if there is none.

    Numbers alone name a row only where nothing else does: measurements often happen to differ. The same goes, after
    them, for texts that may be meant as a number or a day.
    """
    fit = [n for n, c in columns.items() if c.type.kind in _IN_KEYS and None not in values[n]]
    unread = {n for n in fit if columns[n].type.kind == "text" and meant_by_texts(values[n]) is not None}
    sure = [n for n in fit if n not in unread]
    first = [n for n in sure if columns[n].type.kind == "text" or n in ("id", sample.relation) or n.endswith("_id")]
    rest = [n for n in sure if n not in first]
    others = [n for n, c in columns.items() if c.type.kind in ("bool", "instant") and None not in values[n]]
    tries: list[tuple[str, ...]] = [(n,) for n in first]
    tries += [*combinations(sure, 2), *((n,) for n in rest), *combinations(sure, 3)]
    tries += [key for size in (1, 2) for key in combinations(fit, size) if unread.intersection(key)]
    for key in [*tries, *([(*fit, *others)] if fit or others else [])]:
        if len({tuple(values[n][at] for n in key) for at in range(sample.rows)}) == sample.rows:
            return key
    if not fit and not others:
        message = f"no column of {shown(sample.relation)} has a value in every row, so none can name a row"
        help_text = "add a column that names a row, a number or an id that is never null"
        raise FactError(Problem("draft-no-key", message, where=sample.file, help=help_text))
    seen: dict[tuple[object, ...], int] = {}
    keys = [*fit, *others]
    for at in range(sample.rows):
        twin = seen.setdefault(tuple(values[n][at] for n in keys), at)
        if twin != at:
            message = f"nothing tells rows {twin + 1} and {at + 1} of {shown(sample.relation)} apart"
            help_text = "add a column that names a row, a number or an id that is never null"
            raise FactError(Problem("draft-no-key", message, where=sample.file, help=help_text))
    return tuple(keys)
