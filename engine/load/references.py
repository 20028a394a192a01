"""`references.yaml`: official files, pinned by the hash of their bytes, and how their columns are read."""

from __future__ import annotations

import os

from ..errors import did_you_mean
from ..model import PREPARE_STEPS, REFERENCE_FORMATS, Column, PrepareStep, Reference, ValueType
from .nodes import Scalar, Table
from .reader import Reader
from .relations import key_is_good, read_column
from .words import shown


def read_references(reader: Reader) -> tuple[dict[str, Reference], dict[str, Scalar]]:
    """The references that could be read, and the key of every one that is declared, read or not."""
    references: dict[str, Reference] = {}
    declared: dict[str, Scalar] = {}
    root = reader.root()
    if root is None:
        return references, declared
    files: dict[str, tuple[str, str | None]] = {}
    for name, key, table in reader.entries(root):
        declared[name] = key
        usable = reader.check_name(key)
        reference = _reference(reader, name, key, table) if table is not None else None
        if reference is None or not usable:
            continue
        references[name] = reference
        first, pin = files.setdefault(reference.file, (name, reference.sha256))
        if pin != reference.sha256 and table is not None:
            message = f"the file `{reference.file}` has another `sha256` in `{first}`"
            help = "one file has one hash: mend one of the two, or name the files apart"
            reader.add_problem("one-file-two-pins", message, table.values["sha256"], help)
    return references, declared


def _reference(reader: Reader, name: str, key_node: Scalar, table: Table) -> Reference | None:
    texts = {key: reader.text(table, key) for key in ("title", "edition", "file", "sha256", "licence", "cite")}
    key, checked = reader.texts(table, "key"), reader.day(table, "checked")
    columns_table = reader.table(table, "columns")
    columns, headings = _columns(reader, columns_table) if columns_table is not None else (None, {})
    good = columns_table is not None and columns is not None
    if columns_table is not None and key is not None:
        good = key_is_good(reader, table, columns_table, columns or {}, "reference") and good
    steps = _steps(reader, table, columns_table, columns or {})
    repealed = _repealed(reader, table, texts["edition"])
    format = _format(reader, table)
    if "obtain" in table.keys and reader.text(table, "obtain") is None:
        good = False
    if not good or columns is None or key is None or checked is None or steps is None or repealed is None:
        return None
    if format is None or any(text is None for text in texts.values()):
        return None
    given = {key: text for key, text in texts.items() if text is not None}
    return Reference(
        name,
        given["title"],
        given["edition"],
        given["file"],
        given["sha256"],
        given["licence"],
        given["cite"],
        key,
        columns,
        headings,
        checked,
        steps,
        reader.text(table, "obtain"),
        repealed,
        format,
        reader.text(table, "sheet"),
        reader.source.place(key_node),
    )


def _columns(reader: Reader, declared: Table) -> tuple[dict[str, Column] | None, dict[str, str]]:
    """The columns (None if one of them is bad), and the heading of each in the file."""
    columns: dict[str, Column] = {}
    headings: dict[str, str] = {}
    good = True
    for name, key in declared.keys.items():
        usable = reader.check_name(key)
        value = declared.values[name]
        column: Column | None = None
        if isinstance(value, Scalar) and reader.good(value):
            headings[name] = value.text
            column = Column(name, ValueType("text"), place=reader.source.place(key))
        elif isinstance(value, Table) and reader.good(value):
            heading = reader.text(value, "from")
            column = read_column(reader, key, value, in_key=False) if heading is not None else None
            headings[name] = heading or ""
        if column is not None and usable:
            columns[name] = column
        good = good and usable and column is not None
    return columns if good else None, headings


def _steps(
    reader: Reader, table: Table, declared: Table | None, columns: dict[str, Column]
) -> tuple[PrepareStep, ...] | None:
    """The steps of `prepare` in their order; None if one of them is bad."""
    if "prepare" not in table.keys:
        return ()
    items = reader.items(table, "prepare")
    steps: list[PrepareStep] = []
    good = items is not None
    for item in items.items if items is not None else ():
        entry = next(iter(item.keys.items()), None) if isinstance(item, Table) and reader.good(item) else None
        value = item.values[entry[0]] if isinstance(item, Table) and entry is not None else None
        if entry is None or not isinstance(value, Scalar) or not reader.good(value):
            good = False
            continue
        name, key = entry
        column = columns.get(value.text)
        if name not in PREPARE_STEPS:
            help = did_you_mean(name, PREPARE_STEPS, "steps")
            reader.add_problem("unknown-step", f"there is no step {shown(name)}", key, help)
            good = False
        elif declared is not None and value.text not in declared.keys:
            help = did_you_mean(value.text, declared.keys, "columns")
            reader.add_problem("unknown-column", f"`{value.text}` is no column of this reference", value, help)
            good = False
        elif column is not None and column.type.kind != "text":
            message = f"`{name}` changes texts, and `{value.text}` is of type {column.type.kind}"
            reader.add_problem("step-does-not-apply", message, value, "take the step out, or declare the column a text")
            good = False
        steps.append(PrepareStep(name, value.text))
    return tuple(steps) if good else None


def _repealed(reader: Reader, table: Table, edition: str | None) -> tuple[str, ...] | None:
    """The editions that must not be cited any more; None if they could not be read."""
    if "repealed" not in table.keys:
        return ()
    repealed = reader.texts(table, "repealed")
    if repealed is not None and edition in repealed:
        message = f"the edition `{edition}` is the one that is used here, and is repealed"
        help = "pin the new edition, or take this one out of `repealed`"
        reader.add_problem("edition-repealed", message, table.values["repealed"], help)
        return None
    return repealed


def _format(reader: Reader, table: Table) -> str | None:
    """What the file is: as `format` says, else by the end of its name; None if neither says it."""
    said, file = reader.text(table, "format"), reader.scalar(table, "file")
    if "format" in table.keys and said is None:
        return None
    if said is None and file is not None:
        end = os.path.splitext(file.text)[1].lower().removeprefix(".")
        if end not in REFERENCE_FORMATS:
            help = f"add `format:` with one of {', '.join(f'`{one}`' for one in REFERENCE_FORMATS)}"
            reader.add_problem("missing-key", f"the name `{file.text}` does not say what the file is", file, help)
            return None
        said = end
    if "sheet" in table.keys and said != "xlsx":
        message = f"`sheet` does not apply to a file of the format {said}"
        reader.add_problem("key-does-not-apply", message, table.keys["sheet"], "it belongs to: xlsx")
        return None
    return said
