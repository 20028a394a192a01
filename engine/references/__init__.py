"""References: official files, found in folders, compared with their pinned hash, read and prepared.

`open_references` gives a `Shelf` of `ReferenceTable`s; `Lookup` finds the cells of a key in one of them.
"""

from .find import open_references, reference_folders
from .lookup import Answer, Lookup
from .table import ReferenceTable, Shelf

__all__ = ["Answer", "Lookup", "ReferenceTable", "Shelf", "open_references", "reference_folders"]
