"""The first line of a CSV file: the names of its columns, or what it holds instead."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import Problem, UsageError, nearest
from .bad_values import loosely, shown
from .bytes_in import Stop
from .findings import Findings, Spot

_SIGNS = (",", ";", "\t", "|")
_TAB = {"tab": "\t", "\\t": "\t"}
_SEARCHED = 200
"""Names of a header that are looked through for better help."""


def read_delimiter(given: str) -> str:
    """The character that `--csv-delimiter` means; `tab` and `\\t` are a tab. Raises `UsageError` if there is none."""
    delimiter = _TAB.get(given.lower(), given)
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise UsageError(
            Problem(
                "csv-delimiter",
                f"{shown(given)} separates no fields",
                where="--csv-delimiter",
                help="give one character that is no quote and no end of line, such as `;`, or the word `tab`",
            )
        )
    return delimiter


def check_header(
    names: Sequence[str], spot: Spot, columns: Collection[str], delimiter: str, findings: Findings
) -> None:
    """Raises `Stop` after one problem if the first line is no header, or names a column twice.

    `columns` are the declared ones; with none of them it is only looked at as such.
    """
    other = _other_delimiter(names, columns, delimiter)
    if other is not None:
        sign = "tab" if other == "\t" else f"'{other}'"
        _stop(
            findings,
            "fact-csv",
            spot,
            f"the header is not separated by {shown(delimiter)}: {shown(delimiter.join(names[:_SEARCHED]))}",
            f"another character seems to separate: give `--csv-delimiter {sign}`",
        )
    padded = [name for name in names if name != name.strip()]
    if padded:
        listed = ", ".join(shown(name) for name in padded[:6]) + (", …" if len(padded) > 6 else "")
        help = "blanks after the separator; take them away, in the rows too"
        _stop(findings, "fact-csv", spot, f"names of the header have blanks around them: {listed}", help)
    if columns and not _is_header(names, columns):
        listed = ", ".join(shown(name, 20) if name else "nothing" for name in names[:6]) + (
            ", …" if len(names) > 6 else ""
        )
        wanted = ", ".join(f"`{name}`" for name in list(columns)[:6]) + (", …" if len(columns) > 6 else "")
        help = f"the first line must name the columns: {wanted}"
        _stop(findings, "fact-csv", spot, f"the first line names no declared column: {listed}", help)
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        if name == "":
            help = "the first line must name the columns"
            _stop(findings, "fact-csv", spot, f"column {number} of the header has no name", help)
        if name in seen:
            message = f"the header names {shown(name)} twice"
            _stop(findings, "fact-repeated-entry", spot, message, "keep one of the two")
        seen.add(name)


def _stop(findings: Findings, code: str, spot: Spot, message: str, help: str) -> None:
    findings.fact_problem(code, spot, message, help)
    raise Stop


def _other_delimiter(names: Sequence[str], columns: Collection[str], delimiter: str) -> str | None:
    """The sign that separates the header if the given one does not: the line is one field, or no column is known."""
    if len(names) > 1 and any(name in columns for name in names):
        return None
    line = delimiter.join(names[:_SEARCHED])
    others = [sign for sign in _SIGNS if sign != delimiter and sign in line]
    found = max(others, key=line.count, default=None)
    if found is None or (len(names) > 1 and not {one.strip('" ') for one in line.split(found)} & set(columns)):
        return None
    return found


def _is_header(names: Sequence[str], columns: Collection[str]) -> bool:
    """Whether a declared column, or a name near to one, is among the names."""
    if any(name in columns for name in names):
        return True
    return any(name and nearest(loosely(name[:100]), columns) for name in names[:_SEARCHED])
