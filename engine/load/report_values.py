"""What values in `report.yaml` have to be, where each for itself could be read: a typo there would be silent later."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ..errors import did_you_mean
from ..model import Column, Parameter, Reference, Relation
from ..report_plan import OWN_OPTIONS
from ..sensor import Sensor
from .nodes import Items, Node, Scalar, Table
from .reader import Reader
from .words import shown

_HOLE = re.compile(r"\{([^{}]*)\}")


def check_option(reader: Reader, name: Scalar, default: Scalar | None, column: Column) -> None:
    """An option that `fiel run` has itself could never be given; a default is a value of the column."""
    if name.text in OWN_OPTIONS:
        message = f"`--{name.text}` is an option of `fiel run` itself"
        reader.add_problem("name-clash", message, name, "give the option of the pack another name")
    legal = column.type.levels or column.one_of
    if default is not None and legal is not None and default.text not in legal:
        message = f"{shown(default.text)} is no value of `{column.name}`"
        reader.add_problem("wrong-value", message, default, did_you_mean(default.text, legal, "values"))


def check_languages(
    reader: Reader, node: Node, document: Relation | None, filled: Sequence[str], languages: Collection[str]
) -> None:
    """Each language that may be asked for has headings."""
    for column in [document.columns[one] for one in filled if one in document.columns] if document else []:
        missing = [one for one in column.type.levels or column.one_of or () if one not in languages]
        if missing:
            words = ", ".join(f"`{one}`" for one in missing)
            message = f"`{column.name}` may be {words}, and no report is in that language"
            help = "name the option that says the language, or add it to `headings`"
            reader.add_problem("wrong-value", message, node, help)


def check_holes(reader: Reader, text: Scalar, columns: Collection[str] | None, of: str) -> None:
    """Holes are closed and name columns; where there is no row to fill them (`columns` is None), there are none."""
    if re.search(r"[{}]", _HOLE.sub("", text.text)):
        message = "a brace stands alone in this text"
        reader.add_problem("unknown-hole", message, text, "a hole is written `{column}`, and there are no other braces")
    for hole in _HOLE.findall(text.text):
        if columns is None:
            message = f"`{{{hole}}}` stands in a text about no row, so nothing would fill it"
            reader.add_problem("unknown-hole", message, text, "say it without a value")
        elif hole not in columns:
            help = did_you_mean(hole, columns, "columns")
            reader.add_problem("unknown-column", f"`{{{hole}}}` is no column of `{of}`", text, help)


def check_tag_words(reader: Reader, words: Table, tags: Sequence[str], relation: Relation) -> None:
    """Words are for values of tags; and of a tag with words each value has some."""
    for name, node in words.keys.items():
        if name not in tags:
            message = f"`{name}` is not in `tags`, so its words are never said"
            reader.add_problem("unknown-column", message, node, did_you_mean(name, tags, "tags"))
            continue
        inner, column = words.values[name], relation.columns.get(name)
        legal = (column.type.levels or column.one_of or ()) if column is not None else ()
        for value in inner.keys if isinstance(inner, Table) and legal else ():
            if value not in legal:
                message = f"{shown(value)} is no value of `{name}`"
                reader.add_problem("wrong-value", message, inner.keys[value], did_you_mean(value, legal, "values"))  # type: ignore[union-attr]
        missing = [value for value in legal if isinstance(inner, Table) and value not in inner.keys]
        if missing:
            message = f"`{name}` may be {', '.join(f'`{one}`' for one in missing)}, for which there are no words"
            reader.add_problem("missing-key", message, node, f"add `{missing[0]}: …`")


def check_decided(reader: Reader, official: Table, counts: Table) -> None:
    """Whatever an official value decides, the reader is told so."""
    for name, node in official.keys.items():
        if name not in counts.keys:
            message = f"`counts` does not say what a reader is told where `{name}` decides"
            reader.add_problem("missing-key", message, node, did_you_mean(name, counts.keys, "keys of `counts`"))


def check_number(reader: Reader, node: Scalar | None, relation: Relation | None) -> None:
    column = relation.columns.get(node.text) if relation is not None and node is not None else None
    if column is not None and node is not None and not column.type.is_number:
        message = f"`{column.name}` is no number, but {column.type.kind}"
        reader.add_problem("wrong-kind", message, node, "name a column of numbers")


def check_bounds(reader: Reader, low: Scalar | None, high: Scalar | None, parameters: Mapping[str, Parameter]) -> None:
    """The lowest is below the highest: a result is drawn between them."""
    if low is None or high is None:
        return
    found = []
    for node in (low, high):
        parameter = parameters.get(node.text)
        if parameter is None and node.text not in ("0", "1"):
            return
        value = parameter.values[0].value if parameter is not None else int(node.text)
        if isinstance(value, (str, bool)) or not hasattr(value, "__lt__"):
            reader.add_problem("wrong-kind", f"`{node.text}` is no number", node, "name a parameter that is a number")
            return
        found.append(value)
    if not found[0] < found[1]:  # type: ignore[operator]  # numbers both
        message = f"the lowest, `{low.text}`, is not below the highest, `{high.text}`"
        reader.add_problem("wrong-value", message, high, "exchange them, or name another parameter")


def check_order(reader: Reader, items: Items | None, sensors: Mapping[str, Sensor]) -> None:
    """A sensor is given what those before it saw."""
    nodes = [one for one in items.items if isinstance(one, Scalar)] if items is not None else []
    names = [one.text for one in nodes]
    for number, node in enumerate(nodes):
        sensor = sensors.get(node.text)
        for later in names[number + 1 :] if sensor is not None else ():
            wanted = [one for one in sensor.given if later in sensors and one in sensors[later].fills]  # type: ignore[union-attr]
            if wanted:
                message = f"`{names[number]}` is given `{wanted[0]}`, which `{later}` sees after it"
                reader.add_problem("wrong-value", message, node, f"put `{later}` before `{names[number]}`")


def check_scale(reader: Reader, node: Scalar, among: Sequence[Reference], scale: Sequence[str]) -> None:
    """Each level that may be shown has its place on the scale, by which it is drawn and counted."""
    shown_here = [one.columns[node.text] for one in among if node.text in one.columns]
    levels = dict.fromkeys(level for column in shown_here for level in column.type.levels)
    off = [one for one in levels if not any(one.startswith(place) for place in scale)]
    for column in shown_here if not off else ():
        places = [max((place for place in scale if one.startswith(place)), key=len) for one in column.type.levels]
        if [scale.index(one) for one in places] != sorted(scale.index(one) for one in places):
            message = f"`{node.text}` goes {' < '.join(column.type.levels)}, and `scale` has another order"
            reader.add_problem("wrong-value", message, node, f"the values of `scale` are {', '.join(scale)}")
            return
    if off:
        message = f"`{node.text}` may be {', '.join(f'`{one}`' for one in off)}, for which `scale` has no place"
        reader.add_problem("wrong-value", message, node, f"the values of `scale` are {', '.join(scale)}")


def check_looked_up(
    reader: Reader, node: Node, reference: Reference, relation: Relation, named: Collection[str]
) -> None:
    """The rows have what the reference is looked up by, under the names of its key or under those that are said."""
    for name in reference.key:
        if name not in named and name not in relation.columns:
            message = f"`{relation.name}` has no column `{name}`, by which `{reference.name}` is looked up"
            reader.add_problem("unknown-column", message, node, f"add `key: {{{name}: COLUMN}}`")


def check_filled(reader: Reader, node: Node, document: Relation, filled: Collection[str]) -> None:
    """Each column of the row of a document has an option that fills it, or may be absent."""
    for one in document.columns.values():
        if one.name != "document" and one.name not in filled and (one.required or not one.may_be_absent):
            message = f"no option fills the column `{one.name}` of `{document.name}`"
            help = "add an option that fills it, or say `may_be_absent: true` of the column"
            reader.add_problem("column-not-sensed", message, node, help)


def check_never_null(reader: Reader, relation: Relation, name: str, node: Node) -> None:
    """A row without a place or a name could not be shown, and would be left out in silence."""
    if not relation.columns[name].required:
        message = f"`{name}` of `{relation.name}` may be null, and this part of a report needs it"
        help = "say `required: true` of the column, or name a view of the rows that have it"
        reader.add_problem("column-may-be-null", message, node, help)


def check_condition(reader: Reader, reason: Table, is_last: bool) -> None:
    """Each reason but the last has a condition, without which those after it are never said."""
    given = [key for key in ("if_absent", "if_none", "if_unknown") if key in reason.keys]
    if len(given) != (0 if is_last else 1):
        at = reason.keys[given[0]] if given else reason.keys["words"]
        what = "the last reason has no condition" if is_last else "a reason has one condition"
        help = "give each reason but the last one of `if_absent`, `if_none` and `if_unknown`"
        reader.add_problem("missing-key", what, at, help)
