"""Lies told one by one, each in a copy, and whether the gate noticed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..canonical import shown
from ..checked import CheckedPolicy
from ..errors import FactError, Problem
from ..evaluate import Queries
from ..facts import from_rows, table
from ..facts.whereabouts import spots_of
from ..frozen import dataclass, replace
from ..judging import judge_policy, outcomes, tables_of
from ..lang.dialects import duckdb as dialect
from ..lang.typed import look_ups_in
from ..leavings import folder_for_now
from ..model import Column, Pack
from ..references import Lookup, Shelf, open_references
from ..references.shelf import read_file
from ..verdict import value_of
from .examine import Examiner, View
from .facts import Unit, offenders_of
from .lies import KINDS, FactChange, Ground, Lie, ReferenceChange, ShownFact
from .offender import Offender

DEFAULT_EACH = 20
"""Lies of each kind, if no number is given."""
MOST_FACTS = 2000
"""Rows of one relation that are lied about."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of references that the lies of one kind write and read."""
_FEW_ROWS = 20_000
"""Rows of facts that are all judged again for a lie about one of them; of more the row alone is."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Telling:
    """What came of the lies. `told` and `caught` are numbers by kind; a kind that is not in `told` found nothing to lie
    about. `possible` is the number of lies that there were to choose from."""

    seed: int
    told: Mapping[str, int]
    caught: Mapping[str, int]
    missed: tuple[Lie, ...]
    possible: int
    idle: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return sum(self.told.values())


def ground_of(examiner: Examiner, view: View, pages: Mapping[str, bytes]) -> Ground:
    """What may be lied about. Raises FactError if a reference is no longer the file that was read."""
    lookups = {name: Lookup(one) for name, one in view.shelf.tables.items()}
    files = {}
    for name, one in view.shelf.tables.items():
        found = read_file(Path(one.path))
        if found.data is None or found.sha256 != one.reference.sha256:
            raise FactError(Problem("reference-changed", "the file changed while it was used", where=one.path))
        files[name] = (one.path, found.data)
    facts = [fact for unit in examiner.units for checked in unit.policies for fact in _shown_facts(unit, checked)]
    return Ground(pages, view.pages, tuple(facts), view.packs, lookups, files)


def _shown_facts(unit: Unit, checked: CheckedPolicy) -> Iterator[ShownFact]:
    """The rows that a policy with `same_as` looks up, with what they show, in the order of their keys."""
    if checked.policy.same_as is None or checked.references.keys() & unit.settings.unusable.keys():
        return
    relation, query = checked.relation, Queries(unit.base, unit.settings.limits)
    order = ", ".join(dialect.quote(n) for n in relation.key)
    judged = outcomes(checked, unit.base, unit.settings)
    official = {tuple(key[n] for n in relation.key): outcome == "pass" for key, outcome in judged}
    rows = query(f"SELECT * FROM {table(relation.name)} ORDER BY {order} LIMIT {MOST_FACTS}")
    keys = [{n: value_of(row[n], relation.columns[n].type) for n in relation.key} for row in rows]
    spots = spots_of(unit.base, relation, keys, lambda sql, values: query(sql, values))
    for row, key, spot in zip(rows, keys, spots, strict=True):
        state = official.get(tuple(key[n] for n in relation.key))
        if state is False:
            continue
        texts = {n: _text(row[n], column) for n, column in relation.columns.items()}
        place = f"{spot.file}:{spot.line or spot.row}" if spot is not None else ", ".join(unit.sources)
        yield ShownFact(unit, checked, {n: row[n] for n in relation.key}, texts, bool(state), place)


def _text(value: object, column: Column) -> str | None:
    return None if value is None else shown(value_of(value, column.type))


# -- telling ---------------------------------------------------------------------------------------------------


def choose(ground: Ground, number: int | None, seed: int) -> tuple[list[Lie], int, tuple[str, ...]]:
    """The lies to tell, how many there were, and the kinds that found nothing to lie about.

    The same ground and seed give the same lies. Of `number` lies each kind gets its turn until none has one left.
    """
    every: dict[str, list[Lie]] = {}
    for kind, one in KINDS.items():
        lies = list({lie.identity: lie for lie in one.tell(ground)}.values())
        random.Random(f"{seed}:{kind}").shuffle(lies)
        every[kind] = list(_affordable(lies))
    possible = sum(len(lies) for lies in every.values())
    idle = tuple(kind for kind, lies in every.items() if not lies)
    if number is None:
        return [lie for lies in every.values() for lie in lies[:DEFAULT_EACH]], possible, idle
    chosen: dict[str, int] = dict.fromkeys(every, 0)
    left = number
    while left > 0 and any(chosen[kind] < len(lies) for kind, lies in every.items()):
        for kind, lies in every.items():
            if left > 0 and chosen[kind] < len(lies):
                chosen[kind] += 1
                left -= 1
    return [lie for kind, lies in every.items() for lie in lies[: chosen[kind]]], possible, idle


def _affordable(lies: Iterable[Lie]) -> Iterator[Lie]:
    """Each lie in a reference writes and reads the whole file, so of large ones fewer are told; of each kind one is."""
    read = 0
    for number, lie in enumerate(lies):
        read += len(lie.reference.data) if lie.reference is not None else 0
        if number == 0 or read <= MOST_BYTES:
            yield lie


def tell(
    examiner: Examiner, view: View, ground: Ground, number: int | None, seed: int, progress: Progress | None = None
) -> Telling:
    """Tells the lies. One is caught if the gate finds an offender where it was told, or a problem of a reference."""
    lies, possible, idle = choose(ground, number, seed)
    told: dict[str, int] = {}
    caught: dict[str, int] = {}
    missed = []
    with folder_for_now() as folder:
        for at, lie in enumerate(lies):
            if progress is not None and at % 10 == 0:
                progress("telling lies", at, len(lies))
            told[lie.kind] = told.get(lie.kind, 0) + 1
            if _noticed(examiner, view, lie, Path(folder)):
                caught[lie.kind] = caught.get(lie.kind, 0) + 1
            else:
                missed.append(lie)
    return Telling(seed, told, caught, tuple(missed), possible, idle)


def _noticed(examiner: Examiner, view: View, lie: Lie, folder: Path) -> bool:
    if lie.page is not None:
        name = lie.page.name
        changed = examiner.with_page(view, name, lie.page.data)
        return any(one.file == name for one in examiner.examine(changed))
    if lie.fact is not None:
        facts = judged_with(lie.fact)
        return any(one.place == lie.place for one in facts)
    if lie.reference is not None:
        changed = _with_reference(examiner, view, lie.reference, folder)
        return bool(changed.problems) or bool(examiner.examine(changed))
    assert lie.pack is not None
    return bool(examiner.examine(examiner.with_pack(view, lie.pack)))


def judged_with(change: FactChange) -> list[Offender]:
    """The offenders among the facts with one row changed, in a copy that is a SELECT."""
    fact, unit, relation = change.fact, change.fact.unit, change.fact.checked.relation
    columns = relation.columns
    same = " AND ".join(f"{dialect.quote(n)} = {_literal(v, columns[n])}" for n, v in fact.key.items())
    cells = ", ".join(
        f"CASE WHEN {same} THEN {_literal(value, columns[n])} ELSE {dialect.quote(n)} END AS {dialect.quote(n)}"
        for n, value in change.columns.items()
    )
    few = unit.base.rows[relation.name] <= _FEW_ROWS
    copy = f"(SELECT * REPLACE ({cells}) FROM {table(relation.name)}{'' if few else f' WHERE {same}'})"
    found: list[Offender] = []
    for checked in [fact.checked] if not few else [p for p in unit.policies if p.policy.relation == relation.name]:
        verdict = judge_policy(checked, unit.base, unit.settings, instead={relation.name: copy})
        told = {n: change.columns.get(n, v) for n, v in fact.key.items()}
        wanted = {n: value_of(v, columns[n].type) for n, v in told.items()}
        if verdict.verdict == "error":  # the key of another row: the facts are refused as a whole
            found += [replace(o, file=fact.place, line=0) for o in offenders_of(verdict)]
        for one in verdict.witnesses:
            if dict(one.key) == wanted:
                found += [replace(o, file=fact.place, line=0) for o in offenders_of(replace(verdict, witnesses=(one,)))]
    return found


def _literal(value: object, column: Column) -> str:
    if value is None:
        return "NULL"
    text = repr(value) if isinstance(value, float) else str(value)
    return f"CAST({dialect.text_literal(text)} AS {dialect.type_name(column.type)})"


def _with_reference(examiner: Examiner, view: View, change: ReferenceChange, folder: Path) -> View:
    """The file is written, found, hashed and read as any other."""
    packs: dict[str, Pack] = dict(view.packs)
    for name, pack in view.packs.items():
        if change.name in pack.references and change.pinned:
            new = replace(pack.references[change.name], sha256=hashlib.sha256(change.data).hexdigest())
            packs[name] = replace(pack, references={**pack.references, change.name: new})
    reference = next(pack.references[change.name] for pack in packs.values() if change.name in pack.references)
    (folder / reference.file).write_bytes(change.data)
    found = open_references([reference], [folder])
    left = {n: one for n, one in view.shelf.tables.items() if n != change.name}
    shelf = Shelf({**left, **found.tables}, {**view.shelf.problems, **found.problems})
    facts = [] if found.problems else _judged_with_shelf(examiner.units, shelf, change.name)
    return examiner.with_shelf(view, packs, shelf, facts)


def _judged_with_shelf(units: Sequence[Unit], shelf: Shelf, name: str) -> list[Offender]:
    """The offenders among the shown facts with another table of a reference."""
    found: list[Offender] = []
    for unit in units:
        asking = [
            one for one in unit.policies if any(c.reference == name for n in look_ups_in(one.must) for c in n.cells)
        ]
        for checked in asking:
            relation = checked.relation
            query = Queries(unit.base, unit.settings.limits)
            order = ", ".join(dialect.quote(n) for n in relation.key)
            rows = query(f"SELECT * FROM {table(relation.name)} ORDER BY {order} LIMIT {MOST_FACTS}")
            given = [{n: _stored(row[n], column) for n, column in relation.columns.items()} for row in rows]
            with from_rows(
                {relation.name: given}, {relation.name: relation}, tables=tables_of(shelf), threads=1
            ) as base:
                found += offenders_of(judge_policy(checked, base, unit.settings))
    return found


def _stored(value: object, column: Column) -> object:
    """A value of the database as facts are stored."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return _text(value, column)
