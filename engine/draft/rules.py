"""A first rule over a relation: a bound on one of its columns that its rows keep, and a value that breaks it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

from ..errors import FactError, Problem
from ..frozen import dataclass
from ..model import NUMBER_KINDS, Column, Relation
from ..names import NAME, RESERVED
from .foreign import meant_by_texts

_PREFERRED = ("int", "decimal", "float", "date", "text", "bool", "levels", "instant")
_MOST_DIGITS = 30
_A_DAY = date(2026, 1, 1).isoformat()
_MOST_LENGTH = 200

Row = Mapping[str, object]


@dataclass(frozen=True)
class Rule:
    """`must` speaks of `column`; `passes` and `fails` are values of it on either side of the bound.

    `also` is a value of another row, away from the bound, that passes too (None if there is none). `parameter` is None
    where the rule has no number; else `value` is how it is written and `because` where it is from.
    """

    column: str
    title: str
    must: str
    passes: object
    fails: object
    parameter: str | None = None
    value: str = ""
    unit: str | None = None
    because: str = ""
    also: object = None


def rule_for(relation: Relation, rows: Sequence[Row], taken: Collection[str], origin: str) -> Rule:
    """The rule that is easiest to look at: of a number, a day, a length or a truth value; of no key if possible.

    `taken` are names that no parameter may bear; `origin` says in a sentence where the values are from.
    """
    in_key = set(relation.key)
    present = {name: [row[name] for row in rows if row.get(name) is not None] for name in relation.columns}
    unread = {
        n for n, c in relation.columns.items() if c.type.kind == "text" and meant_by_texts(present[n]) is not None
    }
    ranked = sorted(
        relation.columns.values(),
        key=lambda c: (c.name in unread, c.name in in_key, c.one_of is not None, _PREFERRED.index(c.type.kind)),
    )
    for column in ranked:
        values = present[column.name]
        for rule in _rules(column, values, {*taken, *relation.columns}, origin):
            return rule
    message = f"no column of `{relation.name}` lends itself to a first rule: each value is at the end of what is legal"
    raise FactError(Problem("draft-no-rule", message, help="write the policy by hand; docs/policies.md lists its keys"))


def example_for(relation: Relation, rows: Sequence[Row], rule: Rule) -> Row:
    """The first row with the value that passes and the fewest nulls, in that order."""
    near = [row for row in rows if row.get(rule.column) == rule.passes] or list(rows)
    best = min(near, key=lambda row: sum(row.get(name) is None for name in relation.columns), default={})
    return {**best, rule.column: rule.passes}


def made_up_rows(relation: Relation) -> list[Row]:
    """One row of a relation of which there are no facts: a small legal value in each column."""
    return [{name: _made_up(column) for name, column in relation.columns.items()}]


def _made_up(column: Column) -> object:
    kind = column.type.kind
    if column.one_of:
        return int(column.one_of[0]) if kind == "int" else column.one_of[0]
    if kind in NUMBER_KINDS:
        number = Decimal(1) if kind != "decimal" or column.type.digits > column.type.places else Decimal(0)
        number = max(number, column.low) if column.low is not None else number
        number = min(number, column.high) if column.high is not None else number
        if kind == "int":
            return int(number.to_integral_value("ROUND_CEILING"))
        return float(number) if kind == "float" else number
    made: dict[str, object] = {"bool": True, "date": _A_DAY, "instant": f"{_A_DAY} 00:00:00.000000"}
    made |= {"text": f"{column.name} 1", "levels": column.type.levels[-1] if column.type.levels else ""}
    return made[kind]


def _rules(column: Column, values: Sequence[object], taken: Collection[str], origin: str) -> Iterator[Rule]:
    if not values:
        return
    name, kind = column.name, column.type.kind
    spoken = name.replace("_", " ").capitalize()
    if column.one_of is not None or kind == "levels":
        yield from _one_of(column, values, spoken)
    elif kind in NUMBER_KINDS:
        yield from _numbers(column, values, taken, origin, spoken)
    elif kind == "date":
        first = min(map(str, values))
        if first > date.min.isoformat():
            before = date.fromordinal(date.fromisoformat(first).toordinal() - 1).isoformat()
            parameter = _free(f"first_{name}", taken)
            title = f"{spoken}: not too early"
            because = f"The earliest {origin}."
            last = max(map(str, values))
            also = last if last != first else None
            yield Rule(name, title, f"{name} >= {parameter}", first, before, parameter, first, None, because, also)
    elif kind == "text":
        yield from _lengths(name, [str(v) for v in values], taken, origin, spoken)
    elif kind == "bool":
        yes = sum(1 for v in values if v) * 2 >= len(values)
        yield Rule(name, f"{spoken}: {str(yes).lower()}", name if yes else f"not {name}", yes, not yes)
    elif kind == "instant":
        value = min(map(str, values))
        day = value[:10]
        if day > date.min.isoformat():
            before = date.fromordinal(date.fromisoformat(day).toordinal() - 1).isoformat()
            parameter = _free(f"first_{name}", taken)
            must = f"utc_day({name}) >= {parameter}"
            fails = f"{before} 23:59:59.000000"
            because = f"The earliest {origin}."
            yield Rule(name, f"{spoken}: not too early", must, value, fails, parameter, day, None, because)


def _one_of(column: Column, values: Sequence[object], spoken: str) -> Iterator[Rule]:
    """One of the closed values is right; without another there is nothing that could fail."""
    legal = column.one_of or column.type.levels
    found = str(values[0])
    others = [value for value in legal if value != found]
    if column.type.kind in ("text", "levels") and others:
        written = "'" + found.replace("'", "''") + "'"
        yield Rule(column.name, f"{spoken}: as it should be", f"{column.name} = {written}", found, others[0])


def _numbers(
    column: Column, values: Sequence[object], taken: Collection[str], origin: str, spoken: str
) -> Iterator[Rule]:
    """A greatest value; where the type lets nothing be greater, a least one."""
    numbers = [Decimal(repr(v)) if isinstance(v, float) else Decimal(str(v)) for v in values]
    step = Decimal(1)
    if column.type.kind == "decimal":
        step = Decimal(1).scaleb(-column.type.places)
    elif column.type.kind == "float":
        fine = min(Decimal(1).scaleb(int(n.as_tuple().exponent)) for n in numbers)
        step = min(Decimal(1), max(fine, Decimal("0.01")))
    for op, bound, word, end in ((">=", min(numbers), "least", "smallest"), ("<=", max(numbers), "most", "largest"))[
        ::-1
    ]:
        beyond = bound + step if op == "<=" else bound - step
        if not _legal(beyond, column) or max(len(f"{bound:f}"), len(f"{beyond:f}")) > _MOST_DIGITS:
            continue
        if column.type.kind == "float" and float(beyond) == float(bound):
            continue
        parameter = _free(f"{word}_{column.name}", taken)
        title = f"{spoken}: not too {'large' if op == '<=' else 'small'}"
        must, because = f"{column.name} {op} {parameter}", f"The {end} {origin}."
        passes, fails = _typed(bound, column), _typed(beyond, column)
        away = min(numbers) if op == "<=" else max(numbers)
        also = _typed(away, column) if away != bound else None
        yield Rule(column.name, title, must, passes, fails, parameter, f"{bound:f}", column.unit, because, also)


def _legal(number: Decimal, column: Column) -> bool:
    if (column.low is not None and number < column.low) or (column.high is not None and number > column.high):
        return False
    if column.type.kind == "int":
        return -(2**63) <= number < 2**63
    return column.type.kind == "float" or abs(number) < Decimal(10) ** (column.type.digits - column.type.places)


def _typed(number: Decimal, column: Column) -> object:
    """The number as it stands in a case; equal to the value of a row that has it."""
    return {"int": int, "float": float, "decimal": Decimal}[column.type.kind](number)


def _lengths(name: str, texts: Sequence[str], taken: Collection[str], origin: str, spoken: str) -> Iterator[Rule]:
    title = f"{spoken}: not too long"
    longest = max(texts, key=len)
    if not longest:  # nothing is shorter, so no case could tell `<=` from `=`
        return
    # The length of what is no text but a day or a number says nothing.
    if len(longest) <= _MOST_LENGTH // 4 and meant_by_texts(texts) is None:
        parameter = _free(f"longest_{name}", taken)
        must = f"length({name}) <= {parameter}"
        fails = longest + "x"
        because = f"The length of the longest {origin}."
        shortest = min(texts, key=len)
        also = shortest if len(shortest) < len(longest) else None
        yield Rule(name, title, must, longest, fails, parameter, str(len(longest)), "none", because, also)
        return
    found = next((text for text in texts if text), None)
    if found is not None:
        yield Rule(name, f"{spoken}: not empty", f"length({name}) > 0", found, "")


def _free(name: str, taken: Collection[str]) -> str:
    """The name, cut and with a number behind it if it is taken."""
    name = name[:58]
    tries = [name, *(f"{name}_{n}" for n in range(2, 100))]
    return next(t for t in tries if t not in taken and t not in RESERVED and NAME.fullmatch(t))
