"""The second set of mutants, written from the mistakes that authors of rules make: a number, a day, a word, a null.

Those that misread the whole of a rule are in `misreadings.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

from ..frozen import replace
from ..lang import tree
from ..model import UNIT_NONE, Column, DatedValue, Parameter, Policy
from .change import Change, Operators, Subject
from .lookups import lenient_look_up, wrong_cell
from .misreadings import converse, empty_rule, lost_parentheses, null_as_value, rule_as_scope, scope_for_rule

_DAY = timedelta(days=1)
_THOUSAND, _HUNDRED = Decimal(1000), Decimal(100)


# -- numbers and days ------------------------------------------------------------------------------------------


def off_by_one(subject: Subject) -> Iterator[Change]:
    """Each number of a parameter, one more and one less of its last digit."""
    for parameter in subject.parameters.values():
        for number, one in enumerate(parameter.values):
            if isinstance(one.value, Decimal):
                for moved in (one.value + step_of(one.value), one.value - step_of(one.value)):
                    yield _renumbered(subject, "off-by-one", parameter, number, moved)


def step_of(number: Decimal) -> Decimal:
    """One of the last digit that a number is written with: 0.01 for 0.80, 1 for 120."""
    exponent = number.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) and exponent < 0 else 0)


def wrong_unit(subject: Subject) -> Iterator[Change]:
    """Numbers as they would be in another unit: grams for kilograms, per cent for shares."""
    for parameter in subject.parameters.values():
        if parameter.unit == UNIT_NONE:
            continue
        factor = _HUNDRED if parameter.unit in ("share", "probability") else _THOUSAND
        for number, one in enumerate(parameter.values):
            if isinstance(one.value, Decimal) and one.value:
                yield _renumbered(subject, "wrong-unit", parameter, number, one.value * factor)
                if parameter.kind != "int":
                    yield _renumbered(subject, "wrong-unit", parameter, number, one.value / factor)


def _renumbered(subject: Subject, operator: str, parameter: Parameter, number: int, moved: Decimal) -> Change:
    one = parameter.values[number]
    shown = f"{moved:f}"
    since = f" from {one.start}" if one.start else ""
    text = f"`{parameter.name}` {one.shown}{since} becomes {shown}"
    return _with_value(subject, operator, text, parameter, number, replace(one, value=moved, shown=shown))


def _with_value(
    subject: Subject, operator: str, text: str, parameter: Parameter, number: int, new: DatedValue
) -> Change:
    values = (*parameter.values[:number], new, *parameter.values[number + 1 :])
    return subject.with_parameter(operator, text, replace(parameter, values=values))


def wrong_day(subject: Subject) -> Iterator[Change]:
    """The first and last days of dated values, and values that are days, a day early and a day late."""
    for parameter in subject.parameters.values():
        for number, one in enumerate(parameter.values):
            for field in ("start", "until", "value"):
                day = getattr(one, field)
                if type(day) is date:
                    for moved in _neighbours(day):
                        text = f"`{parameter.name}`: {_key_of(field)} {day} becomes {moved}"
                        if _in_order(parameter, number, field, moved):
                            new = _with_day(one, field, moved)
                            yield _with_value(subject, "wrong-day", text, parameter, number, new)


def _with_day(one: DatedValue, field: str, day: date) -> DatedValue:
    if field == "start":
        return replace(one, start=day)
    return replace(one, until=day) if field == "until" else replace(one, value=day, shown=day.isoformat())


def _key_of(field: str) -> str:
    """The key of the file for a field of a dated value."""
    return "from" if field == "start" else field


def _neighbours(day: date) -> Iterator[date]:
    if day > date.min:
        yield day - _DAY
    if day < date.max:
        yield day + _DAY


def _in_order(parameter: Parameter, number: int, field: str, moved: date) -> bool:
    """False if the values would overlap or change places: such a file does not load."""
    one = parameter.values[number]
    start, until = (moved if field == f else getattr(one, f) for f in ("start", "until"))
    before = parameter.values[number - 1] if number else None
    after = parameter.values[number + 1] if number + 1 < len(parameter.values) else None
    if start is not None and until is not None and start >= until:
        return False
    if start is not None and before is not None and before.start is not None:
        if start <= before.start or (before.until is not None and start < before.until):
            return False
    if after is not None and after.start is not None and start is not None:
        return start < after.start and (until is None or until <= after.start)
    return True


def forgotten_edition(subject: Subject) -> Iterator[Change]:
    """A dated value that nobody entered: the one before it stays in force."""
    for parameter in subject.parameters.values():
        if parameter.dated and len(parameter.values) > 1:
            for number, one in enumerate(parameter.values):
                left = (*parameter.values[:number], *parameter.values[number + 1 :])
                text = f"`{parameter.name}` {one.shown} from {one.start} is dropped"
                yield subject.with_parameter("forgotten-edition", text, replace(parameter, values=left))


def counted_tolerance(subject: Subject) -> Iterator[Change]:
    """A tolerance that was meant as a share and is a number of rows, or the reverse."""
    allow = subject.checked.allow
    if allow is not None and not allow.dated:
        unit, shown = ("none", "1") if allow.unit == "share" else ("share", "0.5")
        value = replace(allow.values[0], value=Decimal(shown), shown=shown)
        text = f"`{allow.name}` becomes {shown}, with the unit {unit}"
        yield subject.with_parameter("counted-tolerance", text, replace(allow, unit=unit, values=(value,)))


def counted_day(subject: Subject) -> Iterator[Change]:
    """Days counted with the first one, or without the last."""
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if isinstance(node, tree.Call) and node.name == "days_between":
                for op in ("+", "-"):
                    new = tree.Arithmetic(node.start, node.end, op, node, tree.NumberLiteral(0, 0, "1"))
                    yield subject.rewrite("counted-day", key, node, new, rebuild(new))


# -- names -----------------------------------------------------------------------------------------------------


def wrong_parameter(subject: Subject) -> Iterator[Change]:
    """A parameter for another of the same kind and unit."""
    known = {**subject.pack.parameters, **subject.policy.params}
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            one = known.get(node.name) if isinstance(node, tree.Name) and not node.judged else None
            for other in sorted(known.values(), key=lambda p: p.name) if one is not None else ():
                same = (one.kind, one.unit, one.is_list) == (other.kind, other.unit, other.is_list) if one else False
                if same and other is not one:
                    new = tree.Name(node.start, node.end, other.name)
                    yield subject.rewrite("wrong-parameter", key, node, new, rebuild(new))
    for low, high in _pairs(subject):
        swapped = {low.name: replace(low, values=high.values), high.name: replace(high, values=low.values)}
        policy: Policy = replace(subject.policy, params={**subject.policy.params, **swapped})
        yield Change("wrong-parameter", f"`{low.name}` and `{high.name}` change places", "params", policy)


def _pairs(subject: Subject) -> Iterator[tuple[Parameter, Parameter]]:
    own = sorted(subject.policy.params.values(), key=lambda p: p.name)
    for number, one in enumerate(own):
        for other in own[number + 1 :]:
            if (one.kind, one.unit, one.is_list, one.dated) == (other.kind, other.unit, other.is_list, other.dated):
                yield one, other


def wrong_column(subject: Subject) -> Iterator[Change]:
    """A column for another of the same relation, type and unit."""
    for key, root in subject.trees.items():
        for node, rebuild, columns in subject.names(root):
            one = columns.get(node.name)
            for other in columns.values() if one is not None else ():
                if one is not None and other is not one and (other.type, other.unit) == (one.type, one.unit):
                    new = replace(node, name=other.name)
                    yield subject.rewrite("wrong-column", key, node, new, rebuild(new))


def wrong_day_column(subject: Subject) -> Iterator[Change]:
    """`as_of` another day of the row."""
    policy = subject.policy
    if policy.as_of in subject.checked.relation.columns and not policy.per:
        for column in subject.checked.relation.columns.values():
            if column.type.kind == "date" and column.name != policy.as_of:
                text = f"`as_of` becomes `{column.name}`"
                yield Change("wrong-day-column", text, "as_of", replace(policy, as_of=column.name))


def wrong_word(subject: Subject) -> Iterator[Change]:
    """A word of a closed set for another."""
    for key, root in subject.trees.items():
        for node, rebuild in tree.every_place(root):
            if not isinstance(node, tree.Compare) or node.op not in ("=", "!="):
                continue
            for side, other in (("left", node.left), ("right", node.right)):
                column = _column_beside(subject, node.right if side == "left" else node.left)
                if isinstance(other, tree.TextLiteral) and column is not None:
                    for word in column.one_of or column.type.levels:
                        if word != other.value:
                            said = replace(other, value=word)
                            new = replace(node, left=said) if side == "left" else replace(node, right=said)
                            yield subject.rewrite("wrong-word", key, node, new, rebuild(new))


def _column_beside(subject: Subject, node: tree.Node) -> Column | None:
    """The column that a name may mean, in whatever relation the policy reads."""
    if not isinstance(node, tree.Name):
        return None
    relations = [subject.checked.relation, *subject.checked.relations.values()]
    found = [r.columns[node.name] for r in relations if node.name in r.columns]
    return found[0] if found else None


MISTAKES: Operators = {
    "off-by-one": off_by_one,
    "wrong-unit": wrong_unit,
    "wrong-day": wrong_day,
    "forgotten-edition": forgotten_edition,
    "counted-tolerance": counted_tolerance,
    "wrong-parameter": wrong_parameter,
    "wrong-column": wrong_column,
    "wrong-day-column": wrong_day_column,
    "wrong-word": wrong_word,
    "null-as-value": null_as_value,
    "converse": converse,
    "lost-parentheses": lost_parentheses,
    "empty-rule": empty_rule,
    "scope-for-rule": scope_for_rule,
    "rule-as-scope": rule_as_scope,
    "counted-day": counted_day,
    "lenient-look-up": lenient_look_up,
    "wrong-cell": wrong_cell,
}
"""By name, in the order in which they are tried, after those of the grammar."""
