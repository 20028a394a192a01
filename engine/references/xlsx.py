"""XLSX as a reference: the first row of one sheet names the columns, each further row is a record.

An XLSX is a ZIP of XML from anywhere, so its size when unpacked is bounded before it is opened, and a document type
(the way to entities that grow) is refused. A formula is no official value: what it shows depends on who opened it last.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean
from ..facts.bad_values import shown
from ..facts.values import FloatText, IntText
from ..model import Column, Reference
from .records import Record, Unreadable, columns_at

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

UNPACKED_BYTES = 256 * 1024 * 1024
"""What all parts of an XLSX may have together."""
_MOST_PARTS = 10_000
_LAST_ROW = 1_048_576
_CHUNK = 1024 * 1024


def xlsx_records(data: bytes, reference: Reference) -> Iterator[Record]:
    """The records of the sheet, each with its row. Rows without any cell are no records. Raises `Unreadable`."""
    header, rows = _opened_sheet(data, reference.sheet)
    at = columns_at(header, reference)
    for number, row in rows:
        cells = {}
        for name, place in at.items():
            cell = row[place] if place < len(row) else None
            cells[name] = _raw(cell, reference.columns[name], number) if cell is not None else None
        yield number, cells


def xlsx_headings(data: bytes) -> list[str]:
    """The first row of the only sheet. Raises `Unreadable`."""
    return _opened_sheet(data, None)[0]


def _opened_sheet(data: bytes, sheet: str | None) -> tuple[list[str], Iterator[tuple[int, tuple[Any, ...]]]]:
    """The headings of a sheet, and its rows below them."""
    _check_parts(data)
    book = _opened(data)
    rows = _rows(book[_sheet_name(book, sheet)])
    number, first = next(rows, (1, ()))
    header = [cell.value if isinstance(cell.value, str) else str(cell.value or "") for cell in first]
    if number != 1 or not any(header):
        raise Unreadable("the first row is empty, and headings were expected", 1)
    return header, rows


def _check_parts(data: bytes) -> None:
    """Raises `Unreadable` unless the ZIP is small when unpacked and its XML has no document type."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as parts:
            infos = parts.infolist()
            total = sum(info.file_size for info in infos)
            if total > UNPACKED_BYTES or len(infos) > _MOST_PARTS:
                message = f"unpacked it has {total:,} bytes in {len(infos):,} parts, more than the limit of "
                raise Unreadable(f"{message}{UNPACKED_BYTES:,} in {_MOST_PARTS:,}", help="save the sheet as CSV")
            for info in infos:
                if info.filename.endswith((".xml", ".rels")):
                    with parts.open(info) as part:
                        _check_document_type(part, info.filename)
    except Unreadable:
        raise
    except Exception as error:  # a library that reads what anybody wrote may raise anything
        raise Unreadable(
            f"no XLSX: {_reason(error)}", help="save the sheet as XLSX or CSV, and pin that file"
        ) from None


def _check_document_type(part: Any, name: str) -> None:
    last = b""
    while chunk := part.read(_CHUNK):
        # Without the NULs, so that it is also found in UTF-16.
        plain = last + chunk.replace(b"\0", b"")
        if b"<!DOCTYPE" in plain:
            raise Unreadable(f"its part {shown(name)} has a document type", help="save the sheet anew, or as CSV")
        last = plain[-16:]


def _opened(data: bytes) -> Workbook:
    from openpyxl import load_workbook

    try:
        return load_workbook(BytesIO(data), read_only=True, data_only=False, keep_links=False)
    except Exception as error:
        raise Unreadable(
            f"no XLSX: {_reason(error)}", help="save the sheet as XLSX or CSV, and pin that file"
        ) from None


def _sheet_name(book: Workbook, wanted: str | None) -> str:
    names = [sheet.title for sheet in book.worksheets]
    if wanted is not None:
        if wanted not in names:
            message = f"there is no sheet {shown(wanted)}"
            raise Unreadable(message, help=did_you_mean(wanted, names, "sheets"))
        return wanted
    if len(names) != 1:
        listed = ", ".join(shown(name) for name in names[:6])
        raise Unreadable(f"the file has {len(names)} sheets: {listed}", help="say which is meant with `sheet:`")
    return names[0]


def _rows(sheet: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The rows that have a cell, with their numbers."""
    sheet.reset_dimensions()  # else rows beyond what the file says of itself would be left out in silence
    try:
        for number, row in enumerate(sheet.iter_rows(), 1):
            if number > _LAST_ROW:
                raise Unreadable("the sheet has more rows than an XLSX holds", number)
            if any(cell.value is not None for cell in row):
                yield number, row
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(
            f"no XLSX: {_reason(error)}", help="save the sheet as XLSX or CSV, and pin that file"
        ) from None


def _raw(cell: Any, column: Column, row: int) -> object:
    """The raw value of a cell, as JSON would have it; a day as its text if the column is a date."""
    value = cell.value
    if value is None or value == "":
        return None
    what = {"f": "a formula", "e": "an error"}.get(cell.data_type)
    if what is None and isinstance(value, datetime) and column.type.kind == "date":
        if value.time() == datetime.min.time():
            return value.date().isoformat()
        what = "a day with a time"
    if what is None and isinstance(value, (bool, str)):
        return value
    if what is None and isinstance(value, (int, float)):
        return IntText(value) if isinstance(value, int) else FloatText(repr(value))
    if what is None and isinstance(value, date) and column.type.kind == "date":
        return value.isoformat()
    what = what or "a day or a time"
    message = f"{what} where the column `{column.name}` was expected to have a value of type {column.type.kind}"
    raise Unreadable(message, row, "give the cell a plain value, and pin that file")


def _reason(error: Exception) -> str:
    said = str(error).splitlines()[0][:120] if str(error) else ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
