"""Cases for `same_as`: what each reference may hold of a key, beside what a row may show of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..checked import CheckedPolicy
from ..model import Cell, Column, Row, SameAs
from .values import Pool, cell_of, values_of

Held = tuple[Row, ...]
"""The rows of one reference."""


def look_up_facts(checked: CheckedPolicy, pool: Pool) -> Iterator[tuple[Row, Mapping[str, Held]]]:
    """What differs in the judged row, and the rows of the references, simple ones first.

    Each reference has no row of the key, that of the example, one with another cell or another key, or two of them.
    """
    same_as, example = checked.policy.same_as, checked.policy.example
    if same_as is None or example is None:
        return
    base = _base(checked, same_as, example.cells)
    if base is None:
        return
    judged = list(_judged(checked, same_as, example.cells, pool))
    for held in product(list(_held(checked, same_as, base, judged, pool)), repeat=len(same_as.references)):
        facts = dict(zip(same_as.references, held, strict=True))
        for cells in judged:
            yield cells, facts


def _base(checked: CheckedPolicy, same_as: SameAs, example: Row) -> Row | None:
    """A row that the example is looked up in: of `example_facts`, or put together from the example."""
    for name in same_as.references:
        for row in checked.policy.example_facts.get(name, ()):
            if all(_text(row.cells.get(key)) == _text(example.get(col)) for key, col in same_as.match.items()):
                return row.cells
    return None


def _text(cell: Cell | None) -> str | None:
    return cell.text if cell is not None else None


def _columns(checked: CheckedPolicy, same_as: SameAs) -> Mapping[str, Column]:
    return checked.references[same_as.references[0]].columns


def _judged(checked: CheckedPolicy, same_as: SameAs, example: Row, pool: Pool) -> Iterator[Row]:
    """The example, a shown value or a part of the key changed, and both."""
    yield {}
    columns = checked.relation.columns
    shown = [{name: cell} for name in same_as.show for cell in _others(columns[name], example.get(name), pool, 2)]
    keys = [
        {name: cell}
        for name in same_as.match.values()
        for cell in [*_turned(columns[name], example.get(name)), *_others(columns[name], example.get(name), pool, 2)]
    ]
    yield from shown
    yield from keys
    yield from ({**one, **other} for one, other in product(keys, shown[:1]))


def _turned(column: Column, cell: Cell | None) -> Iterator[Cell]:
    """A text in the other case: a person takes it for the same."""
    text = _text(cell)
    if text and column.type.kind == "text" and not column.one_of and text.swapcase() != text:
        yield cell_of(text.swapcase(), column)


def _others(column: Column, cell: Cell | None, pool: Pool, most: int) -> list[Cell]:
    """Other values of a column, a new one first where there is one, and null."""
    fresh = [cell_of(f"{column.name}2", column)] if column.type.kind == "text" and not column.one_of else []
    found = [one for one in (*fresh, *values_of(column, pool)) if one.text not in (None, _text(cell))]
    nulls = [one for one in values_of(column, pool) if one.text is None]
    return [*found[:most], *nulls[:1]]


def _held(checked: CheckedPolicy, same_as: SameAs, base: Row, judged: Sequence[Row], pool: Pool) -> Iterator[Held]:
    """What one reference may hold."""
    columns = _columns(checked, same_as)
    yield ()
    yield (base,)
    for name in columns:
        if name not in same_as.match:
            for cell in _others(columns[name], base.get(name), pool, 1):
                other = {**base, name: cell}
                yield (other,)
                yield (base, other)
    for key, column in same_as.match.items():
        for cells in judged:
            if set(cells) == {column} and cells[column].text is not None:
                yield ({**base, key: cell_of(cells[column].text or "", columns[key])},)
