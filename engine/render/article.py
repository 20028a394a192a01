"""One policy of a report, made ready for the page: its sentences, its numbers, its rows, and what it cannot see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime

from ..canonical import shown
from ..checked import CheckedPolicy
from ..frozen import dataclass
from ..lang.typed import judged_columns
from ..model import JUDGED_ON, Column, Parameter, Policy
from ..verdict import PolicyVerdict, Value, Witness, value_in_force
from .lookups import look_up_html, withheld_cells
from .places import spot_words
from .sentences import Piece, listed, rule_pieces, title_pieces, value_words
from .text import LABELS, count_line, reference_words, undecided_words

_NOT_GIVEN = "not given"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table of rows. `bad`: it is why the row is there. `day`: it is a date or an instant."""

    text: str
    bad: bool = False
    number: bool = False
    day: bool = False
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column, with the unit of its numbers."""

    name: str
    unit: str | None = None
    number: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A witness as a row of a table. `key` names it in a sentence.

    `sign` is the outcome, or `tolerated` for a failure that does not count against the policy.
    """

    outcome: str
    sign: str
    label: str
    key: str
    cells: tuple[Cell, ...]
    spot: str | None


@dataclass(frozen=True, slots=True)
class Bar:
    """Why, or what would have to be: a sentence, and the rows of which it speaks."""

    text: str
    rows: str


@dataclass(frozen=True, slots=True)
class NumberLine:
    """One value of a parameter: `said` is the number with its unit, `when` the days on which it holds."""

    said: str
    when: str
    in_force: bool
    source: str | None
    checked: date | None


@dataclass(frozen=True, slots=True)
class Number:
    """A parameter with its origin. `values` has several lines if it is dated or a list."""

    name: str
    origin: str
    values: tuple[NumberLine, ...]
    because: str | None
    measured_by: str | None
    revisit: date | None


@dataclass(frozen=True, slots=True)
class Article:
    """All that a page says of one policy. The first `keys` columns of its table are the key."""

    id: str
    parts: tuple[str, ...]
    verdict: str
    label: str
    title: list[Piece]
    judges: str
    where: list[Piece]
    must: list[Piece]
    review_if: list[Piece]
    tolerates: str
    counts: str
    decided: int
    notes: tuple[str, ...]
    numbers: tuple[Number, ...]
    source: str | None
    quote: str | None
    references: tuple[str, ...]
    keys: int
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    more: int
    wishes: tuple[Bar, ...]
    looked_up: tuple[Bar, ...]
    undecided: tuple[Bar, ...]
    blind: str

    @property
    def origins(self) -> list[str]:
        """The origins of its numbers, each once."""
        return list(dict.fromkeys(number.origin for number in self.numbers))

    @property
    def has_spots(self) -> bool:
        return any(row.spot is not None for row in self.rows)

    def rows_of(self, outcome: str) -> list[Row]:
        return [row for row in self.rows if row.outcome == outcome]


def article(found: PolicyVerdict, as_of: date | None) -> Article:
    """The policy as the page shows it. `as_of` is the day of judging."""
    checked, policy = found.checked, found.checked.policy
    day = as_of if policy.as_of == JUDGED_ON else None
    heads, rows = _table(found)
    keys = [row.key for row in rows]
    return Article(
        id=policy.id,
        parts=tuple(re.findall(r"[^_.]+[_.]?|[_.]", policy.id)),
        verdict=found.verdict,
        label=LABELS[found.verdict].lower(),
        title=title_pieces(policy.title, checked.parameters),
        judges=_judges(policy),
        where=rule_pieces(checked.where, checked.parameters, day) if checked.where else [],
        must=rule_pieces(checked.must, checked.parameters, day),
        review_if=rule_pieces(checked.review_if, checked.parameters, day) if checked.review_if else [],
        tolerates=_tolerates(checked, day),
        counts="" if found.notes and not found.counts.in_scope else count_line(found),
        decided=found.counts.decided,
        notes=found.notes,
        numbers=tuple(_number(p, day) for p in checked.parameters.values()),
        source=str(policy.source) if policy.source else None,
        quote=policy.source.quote if policy.source else None,
        references=tuple(reference_words(one) for one in checked.references.values()),
        keys=len(checked.key),
        heads=tuple(heads),
        rows=tuple(rows),
        more=found.more_witnesses,
        wishes=tuple(_bars(_wishes(found.witnesses, keys))),
        looked_up=tuple(
            _bars((words, k, None) for w, k in _with(found, keys) if (words := look_up_html(found, w)) is not None)
        ),
        undecided=tuple(
            _bars(
                (undecided_words(found, w).removeprefix("unknown: "), k, None)
                for w, k in _with(found, keys)
                if w.outcome == "no_evidence"
            )
        ),
        blind=policy.cannot_see,
    )


def _judges(policy: Policy) -> str:
    if not policy.per:
        return f"each row of {policy.relation}"
    each = f", one for each row of {policy.each_of}" if policy.each_of else ""
    return f"the rows of {policy.relation} in groups by {listed(policy.per)}{each}"


def _tolerates(checked: CheckedPolicy, day: date | None) -> str:
    """How many failures the policy tolerates, in words; nothing if none."""
    allow = checked.allow
    if allow is None:
        return ""
    chosen = value_in_force(allow, day) if allow.dated else None
    values = [chosen] if chosen is not None else allow.values
    shown = " or ".join(dict.fromkeys(value_words(v, allow.unit) for v in values))
    noun = "groups" if checked.policy.per else "rows"
    return f"{shown} of the {noun} in scope" if allow.unit == "share" else f"{shown} failed {noun}"


# -- rows ------------------------------------------------------------------------------------------------------


def _with(found: PolicyVerdict, keys: list[str]) -> Iterator[tuple[Witness, str]]:
    yield from zip(found.witnesses, keys, strict=True)


def _table(found: PolicyVerdict) -> tuple[list[Head], list[Row]]:
    """The witnesses as a table: key, columns, dated numbers, and of groups their rows and aggregates."""
    columns = found.checked.relation.columns
    names = list(dict.fromkeys(n for w in found.witnesses for n in (*w.key, *w.columns)))
    dated = list(dict.fromkeys(n for w in found.witnesses for n in w.parameters))
    aggregates = {a.text: a.unit for w in found.witnesses for a in w.aggregates}
    grouped = any(w.rows_in_scope is not None for w in found.witnesses)
    heads = [Head(n, _unit(columns[n].unit), columns[n].type.is_number) for n in names]
    heads += [Head(n, _unit(found.checked.parameters[n].unit), True) for n in dated]
    heads += [Head("rows in scope", None, True), Head("of unknown scope", None, True)] if grouped else []
    heads += [Head(text, _unit(unit), True) for text, unit in aggregates.items()]
    rows = []
    for witness in found.witnesses:
        bad = _bad_columns(found, witness)
        values: Mapping[str, Value] = {**witness.key, **witness.columns}
        held = withheld_cells(found, witness)
        cells = [Cell(held[n], True, False) if n in held else _cell(values.get(n), columns[n], n in bad) for n in names]
        cells += [_number_cell(witness.parameters.get(n)) for n in dated]
        if grouped:
            cells += [_number_cell(witness.rows_in_scope), _number_cell(witness.rows_of_unknown_scope)]
        cells += _aggregate_cells(witness, aggregates)
        spot = spot_words(witness.spot) if witness.spot is not None else None
        label = LABELS[witness.outcome].lower()
        sign = witness.outcome
        label += ", decided by a person" if witness.decision is not None else ""
        if found.verdict == "pass" and witness.outcome != "waived":
            label = f"{label}, tolerated"
            sign = "tolerated" if sign == "fail" else sign
        rows.append(Row(witness.outcome, sign, label, key_words(witness.key), tuple(cells), spot))
    return heads, rows


def _bad_columns(found: PolicyVerdict, witness: Witness) -> set[str]:
    """The columns that decide: what is null of an undecided row, what the rule names of the others."""
    if witness.outcome == "no_evidence":
        as_of = {found.checked.policy.as_of or ""} if witness.reason == "date_unknown" else set()
        return {*witness.null_columns, *as_of}
    if witness.outcome == "waived":
        return set()
    checked = found.checked
    return set(judged_columns(checked.review_if if witness.outcome == "review" else checked.must))


def _cell(value: Value, column: Column, bad: bool) -> Cell:
    if value is None:
        return Cell(_NOT_GIVEN, bad, column.type.is_number, missing=True)
    return Cell(shown(value), bad, column.type.is_number, isinstance(value, (date, datetime)))


def _number_cell(value: object) -> Cell:
    return Cell("none in force", number=True, missing=True) if value is None else Cell(str(value), number=True)


def _aggregate_cells(witness: Witness, texts: Iterable[str]) -> Iterator[Cell]:
    known = {a.text: a for a in witness.aggregates}
    for text in texts:
        aggregate = known.get(text)
        if aggregate is None or (aggregate.low is None and aggregate.value is None):
            yield Cell("unknown", True, True, missing=True)
        elif aggregate.low is not None:
            yield Cell(f"{aggregate.low} to {aggregate.high}", True, True)
        else:
            yield Cell(shown(aggregate.value), witness.outcome != "waived", True)


def key_words(key: Mapping[str, Value]) -> str:
    """A key in a sentence: its value, or its values with their names."""
    if len(key) == 1:
        return shown(next(iter(key.values())))
    return ", ".join(f"{name} {shown(value)}" for name, value in key.items())


def _wishes(witnesses: Iterable[Witness], keys: list[str]) -> Iterator[tuple[str, str, str | None]]:
    for witness, key in zip(witnesses, keys, strict=True):
        if witness.outcome == "fail" and witness.passes_if:
            yield witness.passes_if, key, witness.distance


def _bars(said: Iterable[tuple[str, str, str | None]]) -> Iterator[Bar]:
    """One bar for each sentence, with the rows of which it holds and how far each is off."""
    rows: dict[str, list[str]] = {}
    for text, key, distance in said:
        rows.setdefault(text, []).append(f"{key} ({distance})" if distance else key)
    for text, keys in rows.items():
        yield Bar(text, listed(keys))


# -- numbers ---------------------------------------------------------------------------------------------------


def _number(parameter: Parameter, day: date | None) -> Number:
    chosen = value_in_force(parameter, day) if parameter.dated and day is not None else None
    lines = tuple(
        NumberLine(
            value_words(value, parameter.unit),
            " ".join([f"from {value.start}"] * bool(value.start) + [f"until {value.until}"] * bool(value.until)),
            value is chosen,
            value.source or parameter.source,
            value.checked or parameter.checked,
        )
        for value in parameter.values
    )
    return Number(parameter.name, parameter.origin, lines, parameter.because, parameter.measured_by, parameter.revisit)


def _unit(unit: str | None) -> str | None:
    return None if unit in (None, "none") else unit
