"""`relations.yaml`: the tables of facts, their columns and types."""

from __future__ import annotations

import re

from ..errors import did_you_mean
from ..model import NUMBER_KINDS, Column, Relation, ValueType
from .nodes import Node, Scalar, Table
from .reader import Reader
from .words import shown

_INT = re.compile(r"-?(0|[1-9][0-9]{0,18})")

_APPLIES = {
    "digits": frozenset({"decimal"}),
    "places": frozenset({"decimal"}),
    "levels": frozenset({"levels"}),
    "unit": NUMBER_KINDS,
    "min": NUMBER_KINDS,
    "max": NUMBER_KINDS,
    "one_of": frozenset({"text", "int"}),
}
"""The kinds of type to which a key of a column applies."""


def read_relations(reader: Reader) -> tuple[dict[str, Relation], dict[str, Scalar]]:
    """The relations that could be read, and the key of every one that is declared, read or not."""
    relations: dict[str, Relation] = {}
    declared: dict[str, Scalar] = {}
    root = reader.root()
    if root is None:
        return relations, declared
    for name, key, table in reader.entries(root):
        declared[name] = key
        usable = reader.check_name(key)
        relation = _relation(reader, name, key, table) if table is not None else None
        if relation is not None and usable:
            relations[name] = relation
    return relations, declared


def _relation(reader: Reader, name: str, key_node: Scalar, table: Table) -> Relation | None:
    row, key = reader.text(table, "row"), reader.texts(table, "key")
    columns_table = reader.table(table, "columns")
    columns: dict[str, Column] = {}
    complete = True
    for column_name, column_key, column_table in reader.entries(columns_table) if columns_table else ():
        usable = reader.check_name(column_key)
        column = read_column(reader, column_key, column_table, column_name in (key or ())) if column_table else None
        complete = complete and usable and column is not None
        if column is not None:
            columns[column_name] = column
    if columns_table is not None and key is not None:
        complete = key_is_good(reader, table, columns_table, columns) and complete
    if row is None or key is None or not columns or not complete:
        return None
    return Relation(name, row, key, columns, reader.text(table, "cannot_see"), reader.source.place(key_node))


def key_is_good(
    reader: Reader, table: Table, declared: Table, columns: dict[str, Column], owner: str = "relation"
) -> bool:
    """Whether each key column is declared and of a kind that can name a row."""
    good = True
    items = reader.items(table, "key")
    for item in items.items if items else ():
        assert isinstance(item, Scalar)
        column = columns.get(item.text)
        if item.text not in declared.keys:
            help = did_you_mean(item.text, declared.keys, "columns")
            reader.add_problem("unknown-column", f"`{item.text}` is no column of this {owner}", item, help)
            good = False
        elif column is not None and column.type.kind == "float":
            help = "a float is never compared for equality; use `int`, `decimal` or `text`"
            reader.add_problem("key-column", f"the key column `{item.text}` is a float", item, help)
            good = False
        elif column is not None and column.may_be_absent:
            help = "leave out `may_be_absent`, or take the column out of `key`"
            reader.add_problem("key-column", f"the key column `{item.text}` may be absent", item, help)
            good = False
    return good


def read_column(reader: Reader, key: Scalar, table: Table, in_key: bool) -> Column | None:
    """The column that an entry of `columns` declares, None if something is wrong with it."""
    kind_node = reader.scalar(table, "type")
    if kind_node is None:
        return None
    kind = kind_node.text
    good = _keys_apply(reader, table, key.text, kind)
    value_type = _type(reader, key, table, kind)
    low, high = reader.number(table, "min"), reader.number(table, "max")
    if low is not None and high is not None and low > high:
        reader.add_problem("empty-range", f"`min` {low} is above `max` {high}: no value fits", table.values["max"])
        good = False
    if kind in NUMBER_KINDS and "unit" not in table.keys:
        help = "add `unit: …` (a word such as `m`, `word`, `share`), or `unit: none`"
        reader.add_problem("missing-unit", f"the column `{key.text}` is a number without a unit", key, help)
        good = False
    required, absent = reader.flag(table, "required"), reader.flag(table, "may_be_absent")
    if required and absent:
        message = f"`{key.text}` is required and may be absent"
        reader.add_problem("keys-exclude", message, table.keys["may_be_absent"], "remove one of the two")
    if in_key and "required" in table.keys and not required:
        help = "leave `required` out: every row has a key"
        reader.add_problem("key-column", f"the key column `{key.text}` is not required", table.keys["required"], help)
    one_of = _one_of(reader, table, kind)
    if value_type is None or not good or ("one_of" in table.keys and one_of is None):
        return None
    unit, note = reader.text(table, "unit"), reader.text(table, "note")
    place = reader.source.place(key)
    return Column(key.text, value_type, required or in_key, absent, unit, one_of, low, high, note, place)


def _keys_apply(reader: Reader, table: Table, name: str, kind: str) -> bool:
    good = True
    for key, kinds in _APPLIES.items():
        if key in table.keys and kind not in kinds:
            listed = ", ".join(sorted(kinds))
            message = f"`{key}` does not apply to `{name}`, which is of type {kind}"
            reader.add_problem("key-does-not-apply", message, table.keys[key], f"it belongs to: {listed}")
            good = False
    return good


def _type(reader: Reader, key: Scalar, table: Table, kind: str) -> ValueType | None:
    if kind == "levels":
        levels = reader.texts(table, "levels")
        if "levels" not in table.keys:
            help = f"`{key.text}: {{type: levels, levels: [low, middle, high]}}`, the lowest first"
            reader.add_problem(
                "missing-key", f"the column `{key.text}` is of type levels and has no `levels`", key, help
            )
        return ValueType(kind, levels=levels) if levels is not None else None
    if kind != "decimal":
        return ValueType(kind)
    missing = [name for name in ("digits", "places") if name not in table.keys]
    if missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        help = f"`{key.text}: {{type: decimal, digits: 5, places: 2, unit: …}}` holds 999.99"
        reader.add_problem("missing-key", f"the column `{key.text}` is a decimal and has no {listed}", key, help)
    digits, places = reader.scalar(table, "digits"), reader.scalar(table, "places")
    if digits is None or places is None:
        return None
    if int(places.text) > int(digits.text):
        message = f"a decimal of {digits.text} digits cannot have {places.text} places"
        reader.add_problem("wrong-number", message, places, "`digits` counts all of them, also those after the point")
        return None
    return ValueType(kind, int(digits.text), int(places.text))


def _one_of(reader: Reader, table: Table, kind: str) -> tuple[str, ...] | None:
    values = reader.texts(table, "one_of")
    if values is None or kind != "int":
        return values
    node: Node
    for node in table.values["one_of"].items:  # type: ignore[union-attr]
        assert isinstance(node, Scalar)
        if not _INT.fullmatch(node.text):
            message = f"expected a whole number, not {shown(node.text)}"
            reader.add_problem("wrong-number", message, node, "the column is of type int")
            return None
    return values
