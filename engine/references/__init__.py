"""References: official files, found by name, held against their pinned hash, read, prepared and looked up.

`reference_folders` says where they are looked for, `open_references` gives a `Shelf`, `Lookup` answers for one table.
"""

from .lookup import Answer, Lookup
from .shelf import open_references, reference_folders
from .table import ReferenceTable, Shelf

__all__ = ["Answer", "Lookup", "ReferenceTable", "Shelf", "open_references", "reference_folders"]
