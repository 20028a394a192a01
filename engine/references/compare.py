"""What two files of a reference, both read and prepared, say differently: the shown values that would change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..frozen import dataclass
from .lookup import Answer, Lookup
from .table import ReferenceTable

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One key and column of which the two files say different things. `kind` is `changed`, `gone` or `new`."""

    kind: str
    key: Key
    column: str
    before: Answer
    after: Answer


def differences(
    before: ReferenceTable, after: ReferenceTable, only: Collection[Key] | None = None
) -> Iterator[Difference]:
    """What would be shown otherwise, in the order of keys. `only` names the keys that count.

    Only a value that was found can be shown: an empty cell, a key that is not there and one that is ambiguous show
    nothing. A line that moved is no difference: values are shown, and the line only says where they stand.
    """
    first, second = Lookup(before), Lookup(after)
    keys = sorted(set(first.rows) | set(second.rows))
    columns = [name for name in before.reference.columns if name not in before.reference.key]
    for key in keys if only is None else (key for key in keys if key in only):
        named = dict(zip(before.reference.key, key, strict=True))
        for column in columns or before.reference.key[:1]:
            was, now = first.look(named, column), second.look(named, column)
            if was.value != now.value:
                kind = "new" if key not in first.rows else "gone" if key not in second.rows else "changed"
                yield Difference(kind, key, column, was, now)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of a reference. `records` of the file, `rows` once prepared; `ambiguous` keys have different values.

    `unkeyed` rows lack a part of the key, so they are never found. `levels` counts the rows of each level of each
    column of levels, None for an empty cell.
    """

    records: int
    rows: int
    keys: int
    repeated: int
    ambiguous: int
    unkeyed: int
    levels: Mapping[str, Mapping[str | None, int]]


def tally(table: ReferenceTable) -> Tally:
    """Counts a reference."""
    lookup = Lookup(table)
    others = [name for name in table.reference.columns if name not in table.reference.key]
    ambiguous = sum(
        any(len({table.columns[name][row] for row in rows}) > 1 for name in others) for rows in lookup.rows.values()
    )
    levels: dict[str, dict[str | None, int]] = {}
    for name, column in table.reference.columns.items():
        if column.type.kind == "levels":
            found = table.columns[name]
            counts: dict[str | None, int] = {level: found.count(n) for n, level in enumerate(column.type.levels, 1)}
            levels[name] = {level: n for level, n in [*counts.items(), (None, found.count(None))] if n}
    keyed = sum(map(len, lookup.rows.values()))
    return Tally(
        len(set(table.lines)),
        len(table.lines),
        len(lookup.rows),
        sum(len(rows) > 1 for rows in lookup.rows.values()),
        ambiguous,
        len(table.lines) - keyed,
        levels,
    )
