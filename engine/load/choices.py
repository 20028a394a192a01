"""`given` and `among` of a sensor: what a model is shown beside a text, and what it chooses among."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..errors import did_you_mean
from ..model import Reference, Relation
from ..sensor import DOCUMENTS, Sensor
from .nodes import Node, Scalar, Table
from .reader import Reader
from .words import shown


class Choices:
    """The two keys of one sensor. Problems go to the reader."""

    def __init__(
        self,
        reader: Reader,
        relations: Mapping[str, Relation],
        references: Mapping[str, Reference],
        key: Scalar,
        table: Table,
    ) -> None:
        self.reader, self.relations, self.key, self.table = reader, relations, key, table
        self.sources: Mapping[str, Relation | Reference] = {**references, **relations}
        """What can be given: rows about a document, or all rows of a reference."""

    def _problem(self, code: str, message: str, at: Node, help: str | None = None) -> None:
        self.reader.add_problem(code, message, at, help)

    def _known(self, name: str, known: Collection[str], node: Node) -> bool:
        if name not in known:
            message = f"there is no relation or reference {shown(name)} here"
            self._problem("unknown-relation", message, node, did_you_mean(name, known, "relations"))
        return name in known

    def given(self) -> dict[str, tuple[str, ...]]:
        """The columns that are shown of each given relation, which must be about documents, or reference."""
        table = self.reader.table(self.table, "given")
        found: dict[str, tuple[str, ...]] = {}
        for name, key in table.keys.items() if table is not None else ():
            items = self.reader.items(table, name) if table is not None else None
            if items is None or not self._known(name, self.sources, key):
                continue
            columns = self.sources[name].columns
            shown_ = [one for one in items.items if isinstance(one, Scalar)]
            for one in shown_:
                self._column(one.text, name, columns, one)
            if name in self.relations and "document" not in columns:
                message = f"`{name}` has no column `document`, so nobody knows which of its rows belong to a text"
                self._problem("column-not-sensed", message, key, "add it to the relation, or give another relation")
            found[name] = tuple(one.text for one in shown_)
        return found

    def _column(self, name: str, relation: str, columns: Collection[str], node: Node) -> bool:
        if name not in columns:
            help = did_you_mean(name, columns, "columns")
            self._problem("unknown-column", f"`{name}` is no column of `{relation}`", node, help)
        return name in columns

    def among(self) -> dict[str, dict[str, tuple[str, str]]]:
        table = self.reader.table(self.table, "among")
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for name in table.keys if table is not None else ():
            inner = self.reader.table(table, name) if table is not None else None
            pairs = {} if inner is None else {column: self.reader.text(inner, column) or "." for column in inner.keys}
            split = {column: text.partition(".") for column, text in pairs.items()}
            found[name] = {column: (relation, other) for column, (relation, _, other) in split.items()}
        return found

    def check(self, sensor: Sensor) -> None:
        """What is chosen among is given, and is of the type of the column that takes it."""
        if (sensor.given or sensor.among) and (sensor.questions or sensor.reads != DOCUMENTS):
            message = "rows are given with documents whose spans are reported, and this sensor asks questions"
            self._problem("key-does-not-apply", message, self.key, "take `given` and `among` out")
        table = self.reader.table(self.table, "among")
        if table is None:
            return
        for name, columns in sensor.among.items():
            inner = self.reader.table(table, name)
            if not self._known(name, sensor.fills, table.keys[name]) or inner is None:
                continue
            for column, (relation, other) in columns.items():
                at, value = inner.keys[column], inner.values[column]
                given = self.sources.get(relation)
                if not self._column(column, name, self.relations[name].columns, at):
                    continue
                if given is None or relation not in sensor.given:
                    help = did_you_mean(relation, sensor.given, "given relations")
                    self._problem("unknown-relation", f"`{relation}` is not given to this sensor", value, help)
                elif self._column(other, relation, given.columns, value):
                    mine, theirs = self.relations[name].columns[column].type, given.columns[other].type
                    if mine != theirs:
                        message = f"`{column}` is of type {mine}, and `{relation}.{other}` of type {theirs}"
                        self._problem("choice-mismatch", message, value, "declare both in the same words")
