"""Parameters: every number, text or day of a rule, with its unit, its origin, and the days on which it is in force."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal

from ..errors import Place, Problem
from ..frozen import dataclass
from ..model import NUMBER_KINDS, DatedValue, Pack, Parameter, ParameterValue
from .lookalikes import DIGITS, meant_by, number_of
from .nodes import Items, Node, Scalar, Table
from .reader import Reader
from .words import shown

MAX_DIGITS = 38

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?%?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_NEEDS = {
    "law": ("source",),
    "measured": ("measured_by",),
    "contract": ("because",),
    "convention": ("because",),
    "guess": ("because", "revisit"),
}
"""What an origin has to be accompanied by."""


def read_parameters(reader: Reader, table: Table) -> tuple[dict[str, Parameter], dict[str, Scalar]]:
    """The parameters of a mapping of names that could be read, and the key of every one, read or not."""
    parameters: dict[str, Parameter] = {}
    for name, key, inner in reader.entries(table):
        usable = reader.check_name(key)
        parameter = _parameter(reader, key, inner) if inner is not None else None
        if parameter is not None and usable:
            parameters[name] = parameter
    return parameters, dict(table.keys)


@dataclass(frozen=True)
class _Typing:
    """What the values of one parameter have to be."""

    kind: str
    unit: str | None
    written: bool
    """Whether the file says `type:`."""


def _parameter(reader: Reader, key: Scalar, table: Table) -> Parameter | None:
    scalars = _value_nodes(reader, table)
    if not scalars:
        return None
    typing = _typing(reader, key, table, scalars)
    origin = reader.text(table, "origin")
    if origin is not None:
        _check_origin(reader, key, table, origin)
    if typing is None:
        return None
    dated = "values" in table.keys
    values = _dated_values(reader, table, typing) if dated else _plain_values(reader, scalars, typing)
    if origin is None or values is None:
        return None
    return Parameter(
        name=key.text,
        kind=typing.kind,
        unit=typing.unit,
        values=values,
        origin=origin,
        because=reader.text(table, "because"),
        source=reader.text(table, "source"),
        checked=reader.day(table, "checked"),
        measured_by=reader.text(table, "measured_by"),
        revisit=reader.day(table, "revisit"),
        dated=dated,
        is_list="values_of" in table.keys,
        place=reader.source.place(key),
    )


def _value_nodes(reader: Reader, table: Table) -> list[Scalar]:
    """The scalars of `value`, `values` or `values_of`; empty if one of them is bad."""
    node: Node | None
    nodes: list[Node | None] = []
    if "value" in table.keys:
        nodes = [table.values["value"]]
    elif "values_of" in table.keys:
        listed = table.values["values_of"]
        nodes = list(listed.items) if isinstance(listed, Items) else [None]
    elif "values" in table.keys:
        listed = table.values["values"]
        for node in listed.items if isinstance(listed, Items) else ():
            nodes.append(node.values.get("value") if isinstance(node, Table) else None)
    scalars = [node for node in nodes if isinstance(node, Scalar) and reader.good(node)]
    return scalars if len(scalars) == len(nodes) else []


def _inferred(node: Scalar, unit: str | None) -> str:
    if unit is not None:
        return "number"
    if not node.quoted and node.text in ("true", "false"):
        return "bool"
    return "date" if _DATE.fullmatch(node.text) else "text"


def _is_percent(node: Scalar) -> bool:
    """`2%` says its unit itself: a share."""
    return not node.quoted and node.text.endswith("%") and _NUMBER.fullmatch(node.text) is not None


def _lookalikes(reader: Reader, table: Table, scalars: list[Scalar]) -> bool:
    """Reports plain texts that look like a number or a day. Whether there are any."""
    found = False
    for node in scalars:
        meant = meant_by(node.text, "value" if "value" in table.keys else None) if not node.quoted else None
        if meant is not None:
            help = f"{meant[1]}; put it in quotes if the text is meant"
            reader.add_problem("wrong-form", meant[0], node, help)
            found = True
    return found


def _typing(reader: Reader, key: Scalar, table: Table, scalars: list[Scalar]) -> _Typing | None:
    """The type of a parameter: as written, or as it follows from the unit and the values."""
    unit, written = reader.text(table, "unit"), reader.text(table, "type")
    if ("unit" in table.keys and unit is None) or ("type" in table.keys and written is None):
        return None
    if unit is None and written is None and scalars and all(_is_percent(node) for node in scalars):
        unit = "share"
    if unit is None and written is None and _lookalikes(reader, table, scalars):
        return None
    kinds = [written or _inferred(node, unit) for node in scalars]
    odd = next((node for node, kind in zip(scalars, kinds, strict=True) if kind != kinds[0]), None)
    if odd is not None:
        message = f"{shown(odd.text)} is no {kinds[0]}, as the first value of `{key.text}` is"
        reader.add_problem("mixed-values", message, odd, "all values of a parameter are of one type")
        return None
    is_number = kinds[0] in NUMBER_KINDS or kinds[0] == "number"
    looks_like_number = next((node for node in scalars if not node.quoted and _NUMBER.fullmatch(node.text)), None)
    if unit is None and (is_number or (written is None and looks_like_number is not None)):
        help = "add `unit: …` (or `unit: none`); put it in quotes if it is a text"
        reader.add_problem("missing-unit", f"the parameter `{key.text}` is a number without a unit", key, help)
        return None
    if unit is not None and not is_number:
        message = f"`unit` does not apply to `{key.text}`, which is of type {kinds[0]}"
        reader.add_problem("key-does-not-apply", message, table.keys["unit"], "only a number has a unit")
        return None
    return _Typing(kinds[0], unit, written is not None)


def _plain_values(reader: Reader, scalars: list[Scalar], typing: _Typing) -> tuple[DatedValue, ...] | None:
    values: list[DatedValue] = []
    seen: dict[ParameterValue, str] = {}
    for node in scalars:
        value = _value(reader, node, typing)
        if value is None:
            return None
        if seen.setdefault(value, node.text) != node.text:
            message = f"{shown(node.text)} equals an earlier value of the list"
            reader.add_problem("repeated-item", message, node, "remove one of the two")
        values.append(DatedValue(value, node.text, place=reader.source.place(node)))
    return tuple(values)


def _dated_values(reader: Reader, table: Table, typing: _Typing) -> tuple[DatedValue, ...] | None:
    entries = reader.items(table, "values")
    values: list[DatedValue] = []
    complete = entries is not None
    for entry in entries.items if entries is not None else ():
        if not isinstance(entry, Table) or not reader.good(entry):
            return None
        node = reader.scalar(entry, "value")
        start, until, checked = (reader.day(entry, name) for name in ("from", "until", "checked"))
        value = _value(reader, node, typing) if node is not None else None
        if value is None or node is None or start is None or ("until" in entry.keys and until is None):
            complete = False
            continue
        complete = _days_fit(reader, entry, values[-1] if values else None, start, until) and complete
        source = reader.text(entry, "source")
        values.append(DatedValue(value, node.text, start, until, source, checked, reader.source.place(node)))
    return tuple(values) if complete else None


def _days_fit(reader: Reader, entry: Table, before: DatedValue | None, start: date, until: date | None) -> bool:
    """Whether the days of a dated value begin after those before it and do not overlap them. A gap is noted."""
    if until is not None and until <= start:
        message = f"the value ends ({until}) before it begins ({start})"
        reader.add_problem("values-overlap", message, entry.values["until"], "`until` is the first day without it")
        return False
    if before is None or before.start is None:
        return True
    node = entry.values["from"]
    if start <= before.start:
        message = f"{start} does not come after {before.start}, the `from` of the value above"
        help = "remove one of the two" if start == before.start else "write the earliest value first"
        reader.add_problem("values-overlap", message, node, help)
        return False
    if before.until is not None and before.until > start:
        message = f"the value above is in force until {before.until}, this one from {start}"
        reader.add_problem(
            "values-overlap", message, node, f"end the value above with `until: {start}`, or leave it out"
        )
        return False
    if before.until is not None and before.until < start:
        message = f"no value is in force from {before.until} until {start}"
        reader.add_problem("gap-in-values", message, node, "rows of those days have no evidence", note=True)
    return True


def _value(reader: Reader, node: Scalar, typing: _Typing) -> ParameterValue | None:
    """The typed value of a scalar; None after a problem."""
    text, kind = node.text, typing.kind
    if kind in NUMBER_KINDS or kind == "number":
        return _number(reader, node, typing)
    if kind == "bool":
        if text in ("true", "false") and not node.quoted:
            return text == "true"
        help = "take the quotes away" if text in ("true", "false") else None
        reader.add_problem("wrong-form", f"expected `true` or `false`, not the text {shown(text)}", node, help)
        return None
    if kind == "date":
        return reader.day_of(node)
    if kind == "instant":
        return _instant(reader, node)
    if not node.quoted and not typing.written and text in ("True", "TRUE", "False", "FALSE"):
        help = f'write `{text.lower()}`, or `"{text}"` if the text is meant'
        reader.add_problem("wrong-form", f"{shown(text)} looks like a truth value and is none", node, help)
        return None
    return text


def _no_value_problem(reader: Reader, node: Scalar, expected: str) -> None:
    reader.add_problem("wrong-form", f"expected {expected}, not {shown(node.text)}", node)


def _number(reader: Reader, node: Scalar, typing: _Typing) -> Decimal | None:
    text, percent = node.text.removesuffix("%"), node.text.endswith("%")
    if node.quoted:
        message = f"expected a number, not the text {shown(node.text)}"
        reader.add_problem("wrong-number", message, node, "take the quotes away" if _NUMBER.fullmatch(text) else None)
        return None
    if not _NUMBER.fullmatch(node.text):
        help = _number_help(node.text)
        reader.add_problem("wrong-number", f"expected a number, not {shown(node.text)}", node, help)
        return None
    if percent and typing.unit != "share":
        message = f"{shown(node.text)} is a share, and the unit is `{typing.unit}`"
        reader.add_problem("wrong-number", message, node, "write `unit: share`, or the number without `%`")
        return None
    # The number is put together from its digits: arithmetic on a Decimal would round to the digits of a context.
    whole, _, fraction = text.removeprefix("-").partition(".")
    places = len(fraction) + (2 if percent else 0)
    digits = (whole + fraction).lstrip("0")
    if max(len(digits), places) > MAX_DIGITS:
        message = f"a number has at most {MAX_DIGITS} digits; this has {max(len(digits), places)}"
        reader.add_problem("wrong-number", message, node, "round it")
        return None
    value = Decimal(f"{'-' if text.startswith('-') and digits else ''}{digits or '0'}E-{places}")
    if typing.kind == "int" and (places or not -(2**63) <= value < 2**63):
        message = f"expected a whole number of 64 bits, not {shown(node.text)}"
        reader.add_problem("wrong-number", message, node, "leave out `type: int` for a number with a point")
        return None
    return value


def _number_help(text: str) -> str:
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?\s+%", text):
        return f"write `{number_of(text)}%`"
    if number_of(text):
        return f"write `{number_of(text)}`: the unit stands after `unit`"
    meant = meant_by(text)
    return meant[1] if meant is not None and "," in text else DIGITS


def _instant(reader: Reader, node: Scalar) -> datetime | None:
    try:
        if not _INSTANT.fullmatch(node.text):
            raise ValueError
        return datetime.fromisoformat(node.text).astimezone(UTC)
    except (ValueError, OverflowError):
        _no_value_problem(reader, node, "an instant, `YYYY-MM-DDTHH:MM:SSZ`")
        return None


def _check_origin(reader: Reader, key: Scalar, table: Table, origin: str) -> None:
    """What an origin has to be accompanied by: a source, a reason, a day to look at it again."""
    for needed in _NEEDS[origin]:
        if needed in table.keys:
            continue
        entries = table.values.get("values")
        if needed == "source" and isinstance(entries, Items):
            bare = [entry for entry in entries.items if isinstance(entry, Table) and "source" not in entry.keys]
            for entry in bare:
                message = f"a value of `{key.text}` is law and names no `source`"
                reader.add_problem("origin-incomplete", message, entry, "add `source: …` to it, or to the parameter")
            continue
        message = f"the parameter `{key.text}` is of origin `{origin}` and has no `{needed}`"
        help = {"revisit": "add `revisit: YYYY-MM-DD`, the day by which it is looked at again"}.get(needed)
        reader.add_problem("origin-incomplete", message, key, help or f"add `{needed}: …`")


def stale_guesses(packs: Iterable[Pack], today: date) -> list[Problem]:
    """Guesses whose day of `revisit` is over, and days of `checked` that are yet to come. Never part of a verdict."""
    problems: list[Problem] = []
    for pack in packs:
        sets = [pack.parameters, *(policy.params for policy in pack.policies.values())]
        for parameter in (parameter for parameters in sets for parameter in parameters.values()):
            if parameter.revisit is not None and parameter.revisit < today:
                message = f"`{parameter.name}` was to be looked at again by {parameter.revisit}"
                help = "confirm or change the value, then move `revisit`, or name a better origin"
                problems.append(Problem("past-revisit", message, parameter.place, help=help))
            days: list[tuple[date | None, Place | None]] = [(parameter.checked, parameter.place)]
            days += [(value.checked, value.place) for value in parameter.values]
            for checked, place in days:
                if checked is not None and checked > today:
                    problems.append(_yet_to_come(parameter.name, checked, place))
        for reference in pack.references.values():
            if reference.checked > today:
                problems.append(_yet_to_come(reference.name, reference.checked, reference.place))
    return problems


def _yet_to_come(name: str, checked: date, place: Place | None) -> Problem:
    message = f"`{name}` is said to be checked on {checked}, which is yet to come"
    help = "write the day on which it was compared with its source"
    return Problem("checked-in-future", message, place, help=help)
