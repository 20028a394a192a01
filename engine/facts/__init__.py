"""Facts: from files of JSON, JSON Lines, CSV and Parquet to a locked database.

`relations_in` finds the files and which relations they bring, `load` reads them, `from_rows` takes typed Python values
(the cases of policies). `values` reads single literals. `undeclared_relations` says which relations nobody declares,
`located` where the witnesses of verdicts were read.
"""

from .factbase import FactBase, FactFile
from .loading import from_rows, load
from .sources import Survey, relations_in
from .sql import sql_type, table
from .store import Table
from .undeclared import undeclared_relations
from .whereabouts import located

__all__ = [
    "FactBase",
    "FactFile",
    "Survey",
    "Table",
    "from_rows",
    "load",
    "located",
    "relations_in",
    "sql_type",
    "table",
    "undeclared_relations",
]
