"""The rows of relations and views over facts, as judging sees them: for reports and for comparisons of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import canonical
from .errors import EvaluationError, FielError, Problem
from .evaluate import Queries
from .facts import FactBase, table
from .lang.dialects import duckdb as dialect
from .lang.views import broken_keys, with_views
from .limits import Limits
from .model import Pack, Relation, View
from .plan import Query
from .verdict import Value, value_of

Rows = tuple[Mapping[str, Value], ...]


def rows_of_tables(
    pack: Pack,
    base: FactBase,
    names: Sequence[str],
    limits: Limits,
    unusable: Mapping[str, Problem] | None = None,
) -> dict[str, Rows | None]:
    """For each of these relations and views of a pack its rows in the order of its key; None if it is absent.

    The values are those that judging has. `unusable` are references that cannot be used, by name. Raises FielError if
    a view reads one of them, and EvaluationError for a view with a null or repeated key.
    """
    query = Queries(base, limits)
    tables = {name: table(name) for name in base.present}
    for name in names:
        _refuse_unusable(pack, name, unusable or {})
    for view in _read_by(pack, names):  # each is worked out once, and held for those above it
        source = with_views({view.name: view}, tables).get(view.name)
        if source is not None:
            tables[view.name] = base.hold(f"SELECT * FROM {source}")
            refuse_broken_view(view, tables[view.name], query)
    judged = pack.judged
    return {name: _rows(judged[name], tables[name], query) if name in tables else None for name in names}


def _rows(relation: Relation, source: str, query: Queries) -> Rows:
    order = ", ".join(f"{dialect.quote(name)} ASC NULLS FIRST" for name in relation.key)
    listed = ", ".join(dialect.quote(name) for name in relation.columns)
    types = {name: column.type for name, column in relation.columns.items()}
    rows = query(f"SELECT {listed} FROM {source} ORDER BY {order}")
    return tuple({name: value_of(row[name], kind) for name, kind in types.items()} for row in rows)


def _read_by(pack: Pack, names: Sequence[str]) -> list[View]:
    """The views among these and below them, in order."""
    wanted = set(names)
    for name, view in reversed(list(pack.views.items())):
        if name in wanted:
            wanted |= set(view.reads)
    return [view for name, view in pack.views.items() if name in wanted]


def _refuse_unusable(pack: Pack, name: str, unusable: Mapping[str, Problem]) -> None:
    problems = [unusable[one] for view in _read_by(pack, [name]) for one in view.reads if one in unusable]
    if problems:
        raise FielError(list(dict.fromkeys(problems)))


def refuse_broken_view(view: View, source: str, query: Query) -> None:
    """Raises EvaluationError if the view has a null or repeated key."""
    for row in query(f"{broken_keys(view, source)} LIMIT 1"):
        columns = view.relation.columns
        key = ", ".join(f"{n} {canonical.shown(value_of(row[n], columns[n].type))}" for n in view.relation.key)
        why = "null in it" if any(row[n] is None for n in view.relation.key) else f"{row['_n']} rows"
        message = f"the view {view.name} has the key {key} with {why}"
        raise EvaluationError(Problem("view-key", message, help="mend the view, or what `-- key:` says of it"))
