"""`report.yaml`: what `fiel run` does with a document, compared with the relations, views and numbers of the pack."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..errors import did_you_mean
from ..frozen import dataclass, field
from ..model import Parameter, Reference, Relation
from ..report_plan import (
    CellLookUp,
    Corrections,
    Finds,
    HeldPlan,
    MissingReason,
    PartPlan,
    Proposals,
    ReportPlan,
    RunOption,
    ScorePlan,
    Sentence,
    Wording,
)
from ..sensor import Sensor
from .nodes import Node, Scalar, Table
from .reader import Reader
from .report_values import (
    check_bounds,
    check_condition,
    check_decided,
    check_filled,
    check_holes,
    check_languages,
    check_looked_up,
    check_never_null,
    check_number,
    check_option,
    check_order,
    check_scale,
    check_tag_words,
)
from .words import shown

_SPAN = ("document", "start_at", "end_at", "quote")
_COUNT = "count"


@dataclass(frozen=True)
class Known:
    """What a report can name: relations and views, references, parameters and sensors of the pack."""

    tables: Mapping[str, Relation]
    relations: Mapping[str, Relation]
    references: Mapping[str, Reference]
    parameters: Mapping[str, Parameter]
    sensors: Mapping[str, Sensor]
    policies: Mapping[str, str] = field(default_factory=dict)
    """For each policy the relation or view whose rows it judges."""


def read_report(reader: Reader, known: Known) -> ReportPlan | None:
    """The plan; None, or one that is not whole, if there is a problem."""
    root = reader.root()
    return _ReportReader(reader, known, root).read() if root is not None else None


class _ReportReader:
    def __init__(self, reader: Reader, known: Known, root: Table) -> None:
        self.reader, self.known, self.root = reader, known, root
        self.languages = tuple(words.keys) if (words := reader.table(root, "headings")) is not None else ()

    def read(self) -> ReportPlan | None:
        reader, root = self.reader, self.root
        document, sensors = reader.text(root, "document"), reader.texts(root, "sensors")
        scale, headings = reader.texts(root, "scale"), reader.table(root, "headings")
        if document is None or sensors is None or scale is None or headings is None:
            return None
        self._names(root, "sensors", self.known.sensors, "sensor", "sensors")
        check_order(reader, reader.items(root, "sensors"), self.known.sensors)
        options = tuple(self._options(document))
        language = reader.text(root, "language")
        if language is not None:
            node = root.values["language"]
            self._known(node, [one.name for one in options], "option", "options")
            filled = [one.column for one in options if one.name == language]
            check_languages(reader, node, self.known.relations.get(document), filled, self.languages)
        proposals, corrections, score = (reader.table(root, key) for key in ("proposals", "corrections", "score"))
        plan = ReportPlan(
            sensors,
            document,
            options,
            language,
            reader.text(root, "text_language") or "und",
            scale,
            {one: {key: reader.text(words, key) or "" for key in words.keys} for one, words in self._tables(headings)},
            tuple(self._sentences(root, "about")),
            tuple(self._sentences(root, "lede")),
            tuple(self._finds(one) for one in self._items(root, "finds")),
            self._proposals(proposals) if proposals is not None else None,
            self._corrections(corrections) if corrections is not None else None,
            self._score(score) if score is not None else None,
            tuple(self._held(one) for one in self._items(root, "withheld")),
            self._names(root, "policies", self.known.policies, "policy", "policies of the pack"),
            self._checks(root),
            reader.source.place(root),
        )
        return plan if not reader.problems else None

    # -- names -------------------------------------------------------------------------------------------------

    def _known(self, node: Node, names: Collection[str], what: str, many: str, code: str = "unknown-name") -> bool:
        if not isinstance(node, Scalar) or node.text in names:
            return isinstance(node, Scalar)
        message = f"there is no {what} {shown(node.text)} here"
        self.reader.add_problem(code, message, node, did_you_mean(node.text, names, many))
        return False

    def _names(self, table: Table, key: str, names: Collection[str], what: str, many: str) -> tuple[str, ...]:
        found = self.reader.items(table, key)
        for item in found.items if found is not None else ():
            self._known(item, names, what, many)
        return self.reader.texts(table, key) or ()

    def _items(self, table: Table, key: str) -> Iterator[Table]:
        found = self.reader.items(table, key)
        for item in found.items if found is not None else ():
            if isinstance(item, Table) and self.reader.good(item):
                yield item

    def _tables(self, table: Table) -> Iterator[tuple[str, Table]]:
        for name, _, inner in self.reader.entries(table):
            if inner is not None:
                yield name, inner

    def _rows(self, table: Table, *needed: str) -> Relation | None:
        """The relation or view after `rows`, which has the columns that this part of a report needs."""
        node = self.reader.scalar(table, "rows")
        if node is None or not self._known(node, self.known.tables, "relation or view", "names", "unknown-relation"):
            return None
        relation = self.known.tables[node.text]
        for name in ("document", *needed):
            if name not in relation.columns:
                message = f"`{node.text}` has no column `{name}`, which this part of a report needs"
                self.reader.add_problem("unknown-column", message, node, f"its columns: {', '.join(relation.columns)}")
            elif name != "document":
                check_never_null(self.reader, relation, name, node)
        return relation

    def _column(self, table: Table, key: str, relation: Relation | None) -> str | None:
        node = self.reader.scalar(table, key)
        if node is not None and relation is not None:
            self._known(node, relation.columns, f"column of `{relation.name}`", "columns", "unknown-column")
        return None if node is None else node.text

    def _wording(self, at: Table, key: str, rows: Relation | None, more: Collection[str] | None = ()) -> Wording:
        """A text in each language; its holes are columns of the rows, and `more`. With None it is about no row."""
        inner = self.reader.table(at, key)
        if inner is None:
            return {}
        for name, node in inner.keys.items():
            self._known(node, self.languages, "language", "languages of `headings`")
            text = self.reader.scalar(inner, name)
            if text is not None and (more is None or rows is not None):
                columns = None if more is None or rows is None else [*rows.columns, *more]
                check_holes(self.reader, text, columns, rows.name if rows is not None else "")
        for language in self.languages:
            if language not in inner.keys:
                message = f"this text is not there in `{language}`"
                self.reader.add_problem("missing-key", message, at.keys[key], f"add `{language}: …`")
        return {name: self.reader.text(inner, name) or "" for name in inner.keys}

    # -- parts -------------------------------------------------------------------------------------------------

    def _options(self, document: str) -> Iterator[RunOption]:
        node = self.root.values["document"]
        relation = self.known.relations.get(document)
        self._known(node, self.known.relations, "relation", "relations", "unknown-relation")
        if relation is not None and tuple(relation.key) != ("document",):
            message = f"the key of `{document}` is not `document`"
            self.reader.add_problem("unknown-column", message, node, "name the relation with one row for each document")
        table = self.reader.table(self.root, "options")
        filled: set[str] = set()
        for name, inner in self._tables(table) if table is not None else ():
            assert table is not None
            column, default = self._column(inner, "fills", relation), self.reader.scalar(inner, "default")
            if relation is not None and column is not None and column in relation.columns:
                check_option(self.reader, table.keys[name], default, relation.columns[column])
            if column is not None:
                filled.add(column)
                text = default.text if default is not None else None
                yield RunOption(name, column, self.reader.text(inner, "help") or "", text)
        if relation is not None:
            check_filled(self.reader, node, relation, filled)

    def _sentences(self, table: Table, key: str) -> Iterator[Sentence]:
        for one in self._items(table, key):
            relation = self._rows(one)
            words = self._wording(one, "words", relation, (_COUNT,))
            missing = self._wording(one, "missing", relation, (_COUNT,)) or None
            yield Sentence(self.reader.text(one, "rows") or "", words, self.reader.flag(one, "once"), missing)

    def _look_up(self, table: Table, relation: Relation | None) -> CellLookUp:
        reader = self.reader
        node = reader.scalar(table, "reference")
        column = self._column(table, "reference_in", relation)
        found: Reference | None = None
        if (node is None) == (column is None):
            help = "`reference: NAME`, or `reference_in: COLUMN` where rows name theirs"
            at = node or next(iter(table.keys.values()))
            reader.add_problem("missing-key", "one of `reference` and `reference_in` is needed", at, help)
        elif node is not None and self._known(node, self.known.references, "reference", "references"):
            found = self.known.references[node.text]
        keys = reader.table(table, "key")
        pairs = {name: self._column(keys, name, relation) or "" for name in keys.keys} if keys is not None else {}
        for key in keys.keys.values() if keys is not None and found is not None else ():
            self._known(key, found.key if found is not None else (), "key column", "key columns", "unknown-column")
        if found is not None and relation is not None:
            check_looked_up(reader, node or next(iter(table.keys.values())), found, relation, pairs)
        shown_at = reader.scalar(table, "show")
        if shown_at is not None and (found is not None or node is None):
            among = [found] if found is not None else list(self.known.references.values())
            columns = dict.fromkeys(name for one in among for name in one.columns)
            if self._known(shown_at, columns, "column of the reference", "columns", "unknown-column"):
                check_scale(reader, shown_at, among, reader.texts(self.root, "scale") or ())
        claims = self._column(table, "claims", relation)
        return CellLookUp(
            reader.text(table, "show") or "", found.name if found is not None else None, column, pairs, claims
        )

    def _finds(self, table: Table) -> Finds:
        relation = self._rows(table, *_SPAN[1:])
        value = self.reader.table(table, "value")
        return Finds(
            self.reader.text(table, "rows") or "",
            self._column(table, "name", relation) or "",
            self._look_up(value, relation) if value is not None else CellLookUp(""),
            self._column(table, "kind", relation),
            self._column(table, "note", relation),
        )

    def _proposals(self, table: Table) -> Proposals:
        relation = self._rows(table, *_SPAN[1:], "run_id")
        official, counts = self.reader.table(table, "official"), self.reader.table(table, "counts")
        if official is not None and counts is not None:
            check_decided(self.reader, official, counts)
        return Proposals(
            self.reader.text(table, "rows") or "",
            self._column(table, "name", relation) or "",
            self._column(table, "value", relation) or "",
            self._column(table, "decided_by", relation) or "",
            {name: self._look_up(one, relation) for name, one in self._tables(official)} if official else {},
            {name: self._wording(counts, name, relation) for name in counts.keys} if counts is not None else {},
            self._column(table, "title", relation),
        )

    def _corrections(self, table: Table) -> Corrections:
        relation = self._rows(table, *_SPAN[1:], "run_id")
        better, why, language, weight = (
            self._column(table, key, relation) or "" for key in ("better", "why", "language", "weight")
        )
        at = self.reader.scalar(table, "weight")
        if relation is not None and at is not None and weight in relation.columns:
            check_never_null(self.reader, relation, weight, at)
            if not 1 <= len(relation.columns[weight].type.levels or ()) <= 3:
                message = f"`{weight}` has no one to three levels, by which corrections are drawn"
                self.reader.add_problem("wrong-kind", message, at, "name a column `type: levels`, lightest first")
        tags = self._names(table, "tags", relation.columns if relation is not None else (), "column", "columns")
        words = self.reader.table(table, "words")
        if words is not None and relation is not None:
            check_tag_words(self.reader, words, tags, relation)
        named = {
            column: {value: self._wording(inner, value, None, None) for value in inner.keys}
            for column, inner in (self._tables(words) if words is not None else ())
        }
        return Corrections(self.reader.text(table, "rows") or "", better, why, language, weight, tags, named)

    def _score(self, table: Table) -> ScorePlan:
        relation = self._rows(table)
        for key in ("low", "high"):
            node = self.reader.scalar(table, key)
            if node is not None and node.text not in ("0", "1"):
                self._known(node, self.known.parameters, "parameter", "parameters")
        check_number(self.reader, self.reader.scalar(table, "value"), relation)
        low, high = (self.reader.scalar(table, key) for key in ("low", "high"))
        check_bounds(self.reader, low, high, self.known.parameters)
        return ScorePlan(
            self.reader.text(table, "rows") or "",
            self._column(table, "value", relation) or "",
            self._wording(table, "name", None, None),
            self._wording(table, "formula", None, None),
            self.reader.text(table, "low") or "0",
            self.reader.text(table, "high") or "1",
            tuple(self._part(one, relation) for one in self._items(table, "parts")),
            self._names(table, "numbers", self.known.parameters, "parameter", "parameters"),
        )

    def _part(self, table: Table, relation: Relation | None) -> PartPlan:
        weight = self.reader.scalar(table, "weight")
        if weight is not None:
            self._known(weight, self.known.parameters, "parameter", "parameters")
        for key in ("value", "gives"):
            check_number(self.reader, self.reader.scalar(table, key), relation)
        return PartPlan(
            self._wording(table, "name", None, None),
            self._wording(table, "words", relation),
            self._column(table, "value", relation) or "",
            weight.text if weight is not None else None,
            self._column(table, "gives", relation),
            self._names(table, "numbers", self.known.parameters, "parameter", "parameters"),
            tuple(self._reasons(table, relation)),
        )

    def _reasons(self, table: Table, relation: Relation | None) -> Iterator[MissingReason]:
        """Why a part is unknown. Each but the last has a condition, without which those after it are never said."""
        items = list(self._items(table, "missing"))
        for number, one in enumerate(items, 1):
            absent, none = (self.reader.scalar(one, key) for key in ("if_absent", "if_none"))
            if absent is not None:
                self._known(absent, self.known.relations, "relation", "relations", "unknown-relation")
            if none is not None:
                self._known(none, self.known.tables, "relation or view", "names", "unknown-relation")
            unknown = self._column(one, "if_unknown", relation)
            check_condition(self.reader, one, number == len(items))
            looked_for, listed = (node.text if node is not None else None for node in (absent, none))
            yield MissingReason(self._wording(one, "words", None, None), looked_for, listed, unknown)

    def _checks(self, root: Table) -> Mapping[str, tuple[str, ...]]:
        """Columns to show by policy. A policy is on the document or on a sensor, and stands once."""
        table = self.reader.table(root, "checks")
        found: dict[str, tuple[str, ...]] = {}
        if table is None:
            return found
        listed = self.reader.texts(root, "policies") or ()
        for name, inner in self._tables(table):
            if self._known(table.keys[name], self.known.policies, "policy", "policies of the pack"):
                self._judged_columns(inner, name)
            if name in listed:
                message = f"the policy `{name}` stands in `policies` too"
                self.reader.add_problem("repeated-key", message, table.keys[name], "name it in one of the two")
            found[name] = self.reader.texts(inner, "shows") or ()
        return found

    def _judged_columns(self, table: Table, policy: str) -> None:
        relation = self.known.policies.get(policy)
        if relation is not None and relation in self.known.tables:
            self._names(table, "shows", self.known.tables[relation].columns, f"column of `{relation}`", "columns")

    def _held(self, table: Table) -> HeldPlan:
        relation = self._rows(table)
        what = self._column(table, "what", relation) or ""
        absent = self.reader.scalar(table, "if_absent")
        if absent is not None:
            self._known(absent, self.known.relations, "relation", "relations", "unknown-relation")
        return HeldPlan(
            self.reader.text(table, "rows") or "",
            what,
            self._wording(table, "words", relation),
            tuple(self._look_up(one, relation) for one in self._items(table, "values")),
            absent.text if absent is not None else None,
        )
