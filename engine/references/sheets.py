"""A reference in XLSX: the rows of one sheet as texts."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from io import BytesIO

from ..model import Reference
from .read import Unreadable

MOST_UNPACKED = 512 * 1024 * 1024
"""Bytes that a workbook may have when it is unpacked."""


def rows_of_sheet(reference: Reference, path: str, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """The number of each row and its cells as texts, empty ones as `""`. Raises Unreadable."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_UNPACKED:
            raise Unreadable(f"the workbook unpacks to more than {MOST_UNPACKED // 1024 // 1024} MB", path)
        book = load_workbook(BytesIO(data), read_only=True, data_only=True)
        names = book.sheetnames
        if reference.sheet is not None and reference.sheet not in names:
            listed = ", ".join(f"`{name}`" for name in names)
            raise Unreadable(f"the workbook has no sheet `{reference.sheet}`", path, f"sheets: {listed}")
        sheet = book[reference.sheet or names[0]]
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            yield number, [_cell_text(value, path, number) for value in row]
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, OSError, EOFError) as error:
        raise Unreadable(f"this is no XLSX workbook: {error}", path, "save it again as .xlsx, or as CSV") from None


def _cell_text(value: object, path: str, row: int) -> str:
    """A cell as the text that a reader sees; whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and value.startswith("#") and value in ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!"):
        raise Unreadable(f"a cell holds the error `{value}`", f"{path}, row {row}")
    return str(value)
