"""Honesty tests: promises about what is shown, each a query whose rows are the offenders (`docs/honesty.md`)."""

from .filling import Desk, desk_of, judged_rows, page_rows, pinned_references
from .inquiry import Inquiry, Offender, offenders
from .promises import promises, read_promises
from .tables import TABLES, HonestyTest, Tables, joined

__all__ = [
    "TABLES",
    "Desk",
    "HonestyTest",
    "Inquiry",
    "Offender",
    "Tables",
    "desk_of",
    "joined",
    "judged_rows",
    "offenders",
    "page_rows",
    "pinned_references",
    "promises",
    "read_promises",
]
