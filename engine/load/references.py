"""`references.yaml`: official files, pinned by their hash, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..errors import did_you_mean
from ..model import Column, PrepareStep, Reference, ValueType
from .nodes import Items, Scalar, Table
from .reader import Reader
from .relations import column_of

PREPARE_STEPS = ("casefold", "nfc", "nfkc", "split_slashes", "straight_quotes", "trim")
"""What `prepare` may do to a column (`engine/references/prepare.py`)."""

FORMATS = ("csv", "tsv", "xlsx", "json")


def read_references(reader: Reader) -> tuple[dict[str, Reference], dict[str, Scalar]]:
    """The references that could be read, and the key of every one that is declared, read or not."""
    references: dict[str, Reference] = {}
    declared: dict[str, Scalar] = {}
    root = reader.root()
    if root is None:
        return references, declared
    for name, key, table in reader.entries(root):
        declared[name] = key
        usable = reader.check_name(key)
        reference = _reference(reader, key, table) if table is not None else None
        if reference is not None and usable:
            references[name] = reference
    return references, declared


def _reference(reader: Reader, name: Scalar, table: Table) -> Reference | None:
    wanted = ("title", "edition", "file", "sha256", "licence", "cite")
    texts = {key: reader.text(table, key) for key in wanted}
    key, checked = reader.texts(table, "key"), reader.day(table, "checked")
    columns_table = reader.table(table, "columns")
    read = dict(_columns(reader, columns_table)) if columns_table is not None else {}
    columns = {one: column for one, (column, _) in read.items()}
    complete = columns_table is not None and len(read) == len(columns_table.keys)
    if complete and columns_table is not None:
        complete = _key_is_good(reader, table, columns)
    prepare = tuple(_steps(reader, table, columns))
    form = _format(reader, table, texts["file"])
    written = {k: text for k, text in texts.items() if text is not None}
    if not complete or key is None or checked is None or len(written) < len(wanted) or form is None:
        return None
    if "prepare" in table.keys and len(prepare) != _length(table.values["prepare"]):
        return None
    return Reference(
        name=name.text,
        **written,
        key=key,
        columns=columns,
        headings={one: heading for one, (_, heading) in read.items()},
        checked=checked,
        prepare=prepare,
        obtain=reader.text(table, "obtain"),
        repealed=reader.texts(table, "repealed") or (),
        format=form,
        sheet=reader.text(table, "sheet"),
        place=reader.source.place(name),
    )


def _length(node: object) -> int:
    return len(node.items) if isinstance(node, Items) else 0


def _columns(reader: Reader, table: Table) -> Iterator[tuple[str, tuple[Column, str]]]:
    """Each column that could be read, with its heading. Every one is nullable: a cell of the file may be empty."""
    for name, key in table.keys.items():
        if not reader.check_name(key):
            continue
        heading = reader.scalar(table, name)
        if heading is not None:
            yield name, (Column(name, ValueType("text"), place=reader.source.place(key)), heading.text)
            continue
        described = reader.table(table, name)
        column = column_of(reader, key, described, in_key=False) if described is not None else None
        source = reader.text(described, "from") if described is not None else None
        if column is not None and source is not None:
            yield name, (replace(column, required=False, may_be_absent=False), source)


def _key_is_good(reader: Reader, table: Table, columns: dict[str, Column]) -> bool:
    good = True
    items = reader.items(table, "key")
    for item in items.items if items is not None else ():
        assert isinstance(item, Scalar)
        column = columns.get(item.text)
        if column is None:
            help = did_you_mean(item.text, columns, "columns")
            reader.add_problem("unknown-column", f"`{item.text}` is no column of this reference", item, help)
            good = False
        elif column.type.kind == "float":
            help = "a float is never compared for equality; use `int`, `decimal` or `text`"
            reader.add_problem("key-column", f"the key column `{item.text}` is a float", item, help)
            good = False
    return good


def _steps(reader: Reader, table: Table, columns: dict[str, Column]) -> Iterator[PrepareStep]:
    items = reader.items(table, "prepare")
    for item in items.items if items is not None else ():
        if not isinstance(item, Table) or not reader.good(item):
            continue
        for name, key in item.keys.items():
            node = reader.scalar(item, name)
            if node is None:
                continue
            column = columns.get(node.text)
            if name not in PREPARE_STEPS:
                message = f"`{name}` is no step that prepares a column"
                reader.add_problem("unknown-step", message, key, did_you_mean(name, PREPARE_STEPS, "steps"))
            elif column is None:
                help = did_you_mean(node.text, columns, "columns")
                reader.add_problem("unknown-column", f"`{node.text}` is no column of this reference", node, help)
            elif column.type.kind != "text":
                message = f"`{name}` changes texts, and `{node.text}` is {column.type}"
                reader.add_problem("unknown-step", message, node, "name a column of type text")
            else:
                yield PrepareStep(name, node.text)


def _format(reader: Reader, table: Table, file: str | None) -> str | None:
    """csv, tsv, xlsx or json, by `format` or the ending of the file's name."""
    if "format" in table.keys:
        return reader.text(table, "format")
    ending = (file or "").rpartition(".")[2].lower()
    if ending in FORMATS:
        return ending
    if file is not None:
        message = f"the ending of `{file}` does not say what kind of file it is"
        reader.add_problem(
            "unknown-format", message, table.values["file"], f"add `format:`, one of {', '.join(FORMATS)}"
        )
    return None
