"""`sensors.yaml`: what turns documents into facts, and which keys belong to which kind."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from pathlib import Path, PurePath

from ..errors import Place, Problem, did_you_mean
from ..home import MAX_FILE_BYTES
from ..model import Reference, Relation
from ..sensor import (
    BATCH,
    CANDIDATE,
    CUT,
    DOCUMENTS,
    LONGEST_GAP,
    MOST_OUTPUT,
    POLICIES,
    Prices,
    Question,
    Sensor,
    offered,
)
from .choices import Choices
from .nodes import Items, Node, Scalar, Table
from .reader import Reader
from .words import shown

_OF_MODELS = ("llm",)
_OF_TAGGERS = ("spacy", "lexicon")
_APPLIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("prompt", "questions", "batch", "estimate", "cut", "review", "prices", "most_output", "given", "among"),
        _OF_MODELS,
    ),
    "tagger": _OF_TAGGERS,
    **dict.fromkeys(
        (
            "references",
            "headword",
            "part_of_speech",
            "parts_of_speech",
            "as_written",
            "placeholders",
            "entry",
            "longest_gap",
            "gaps_in",
        ),
        ("lexicon",),
    ),
    "columns": ("table",),
    "query": ("table",),
}
"""The kinds of sensor that a key applies to; the other keys apply to all."""
_NEEDS = {"llm": ("prompt",), "lexicon": ("references", "headword")}
_OF_QUESTIONS = ("batch", "estimate", "cut", "review")


def read_sensors(
    reader: Reader, folder: Path, relations: Mapping[str, Relation], references: Mapping[str, Reference]
) -> tuple[dict[str, Sensor], dict[str, Scalar]]:
    """The sensors that could be read, and the key of every one that is declared, read or not."""
    sensors: dict[str, Sensor] = {}
    declared: dict[str, Scalar] = {}
    root = reader.root()
    if root is None:
        return sensors, declared
    for name, key, table in reader.entries(root):
        declared[name] = key
        usable = reader.check_name(key)
        if table is None:
            continue
        before = len(reader.problems)
        sensor = _Work(reader, folder, relations, references, key, table).read()
        if sensor is not None and usable and len(reader.problems) == before:
            sensors[name] = sensor
    return sensors, declared


class _Work:
    def __init__(
        self,
        reader: Reader,
        folder: Path,
        relations: Mapping[str, Relation],
        references: Mapping[str, Reference],
        key: Scalar,
        table: Table,
    ) -> None:
        self.reader, self.folder, self.key, self.table = reader, folder, key, table
        self.relations, self.references = relations, references
        self.choices = Choices(reader, relations, references, key, table)

    def read(self) -> Sensor | None:
        """The sensor; None, or one that is not whole, if there is a problem."""
        reader, table = self.reader, self.table
        kind, reads, fills = reader.text(table, "kind"), reader.text(table, "reads"), reader.texts(table, "fills")
        if kind is None or reads is None or fills is None:
            return None
        self._keys(kind)
        sensor = Sensor(
            self.key.text,
            kind,
            reads,
            fills,
            self._prompt(),
            tuple(self._questions()),
            int(reader.text(table, "batch") or BATCH),
            self._repeats(),
            self._share("cut", table) or CUT,
            self._review(),
            self._prices(),
            int(reader.text(table, "most_output") or MOST_OUTPUT),
            self.choices.given(),
            self.choices.among(),
            reader.text(table, "tagger"),
            reader.texts(table, "references") or (),
            reader.text(table, "headword"),
            reader.text(table, "part_of_speech"),
            self._lists("parts_of_speech"),
            self._lists("as_written"),
            self._lists("placeholders"),
            reader.text(table, "entry"),
            int(reader.text(table, "longest_gap") or LONGEST_GAP),
            reader.texts(table, "gaps_in") or (),
            self._columns(),
            reader.text(table, "query"),
            reader.source.place(self.key),
        )
        self._read_from(sensor)
        for item in self._nodes("fills"):
            self._fills(sensor, item)
        self.choices.check(sensor)
        self._lexicon(sensor)
        return sensor

    def _problem(self, code: str, message: str, at: Node, help: str | None = None) -> None:
        self.reader.add_problem(code, message, at, help)

    def _keys(self, kind: str) -> None:
        for name, key in self.table.keys.items():
            kinds = _APPLIES.get(name)
            if kinds is not None and kind not in kinds:
                message = f"`{name}` does not apply to `{self.key.text}`, which is of the kind {kind}"
                self._problem("key-does-not-apply", message, key, f"it belongs to: {', '.join(kinds)}")
            elif name in _OF_QUESTIONS and "questions" not in self.table.keys and kind in _OF_MODELS:
                message = f"`{name}` is about questions, and `{self.key.text}` has none"
                self._problem("key-does-not-apply", message, key, "add `questions`, or take it out")
        for name in _NEEDS.get(kind, ()):
            if name not in self.table.keys:
                message = f"the sensor `{self.key.text}` is of the kind {kind} and has no `{name}`"
                self._problem("missing-key", message, self.key, f"add `{name}: …`")

    def _prompt(self) -> str | None:
        node = self.reader.scalar(self.table, "prompt")
        if node is None:
            return None
        path = self.folder / node.text
        try:
            if not stat.S_ISREG(os.stat(path).st_mode) or path.is_symlink():
                raise FileNotFoundError
            data = path.read_bytes()[: MAX_FILE_BYTES + 1]
            text = data.decode("utf-8")
        except FileNotFoundError:
            there = sorted(f"prompts/{one.name}" for one in (self.folder / "prompts").glob("*.md"))
            help = did_you_mean(node.text, there, "prompts") if there else "write the prompt there"
            self._problem("unknown-prompt", f"there is no file `{node.text}` in this pack", node, help)
            return None
        except (OSError, UnicodeDecodeError):
            self._problem("unknown-prompt", f"`{node.text}` cannot be read as UTF-8", node, "save it as UTF-8")
            return None
        if len(data) > MAX_FILE_BYTES or not text.strip():
            what = "empty" if not text.strip() else "too long"
            self._problem("unknown-prompt", f"`{node.text}` is {what}", node, "write what the model is asked to do")
            return None
        self._holes(node, text)
        return text

    def _holes(self, node: Scalar, prompt: str) -> None:
        """The holes of a prompt are those that are filled; what is wrong is shown in its own file."""
        from ..sensors.llm.prompt import slips_of

        file = str(PurePath(self.reader.source.file).parent / node.text)
        for slip in slips_of(prompt, "questions" in self.table.keys):
            if slip.hole is None:
                self._problem(slip.code, slip.message.replace("this prompt", f"`{node.text}`"), node, slip.help)
                continue
            start = prompt.rfind("\n", 0, slip.hole.start) + 1
            line = prompt[start:].partition("\n")[0].removesuffix("\r")
            place = Place(
                file,
                prompt.count("\n", 0, start) + 1,
                slip.hole.start - start + 1,
                slip.hole.end - slip.hole.start,
            )
            self.reader.problems.append(Problem(slip.code, slip.message, place, None, line, slip.help))

    def _questions(self) -> Iterator[Question]:
        table = self.reader.table(self.table, "questions")
        for name, value in table.values.items() if table is not None else ():
            if isinstance(value, Scalar) and self.reader.good(value):
                yield Question(name, value.text)
            elif isinstance(value, Table) and self.reader.good(value):
                ask = self.reader.text(value, "ask")
                if ask is not None:
                    yield Question(name, ask, self.reader.text(value, "of"))
                if self.reader.text(self.table, "reads") != POLICIES and "of" in value.keys:
                    message = "`of` names a part of a policy, and this sensor does not read policies"
                    self._problem("key-does-not-apply", message, value.keys["of"], "write the question as a text")

    def _repeats(self) -> int | None:
        table = self.reader.table(self.table, "estimate")
        text = self.reader.text(table, "repeats") if table is not None else None
        if text is None:
            return None
        if int(text) < 2 and table is not None:
            message = "an estimate from one answer is 0 or 1"
            self._problem("wrong-number", message, table.values["repeats"], "ask at least twice, or use `stated`")
        return int(text)

    def _share(self, key: str, table: Table) -> Decimal | None:
        value = self.reader.number(table, key)
        if value is not None and not 0 <= value <= 1:
            message = f"`{key}` is a probability, from 0 to 1, not {value}"
            self._problem("wrong-number", message, table.values[key], "write it as 0.5, not as 50")
        return value

    def _review(self) -> tuple[Decimal, Decimal] | None:
        table = self.reader.table(self.table, "review")
        if table is None:
            return None
        low, high = self._share("from", table), self._share("to", table)
        if low is None or high is None:
            return None
        if low > high:
            self._problem("empty-range", f"`from` {low} is above `to` {high}: nothing fits", table.values["to"])
        return low, high

    def _prices(self) -> Prices | None:
        table = self.reader.table(self.table, "prices")
        if table is None:
            return None
        amounts = [self.reader.number(table, key) for key in ("input_per_million", "output_per_million")]
        currency, checked = self.reader.text(table, "currency"), self.reader.day(table, "checked")
        if any(a is None for a in amounts) or currency is None or checked is None:
            return None
        for key, amount in zip(("input_per_million", "output_per_million"), amounts, strict=True):
            if amount is not None and amount < 0:
                self._problem("wrong-number", f"a price is not below 0: {amount}", table.values[key])
        return Prices(amounts[0] or Decimal(0), amounts[1] or Decimal(0), currency, checked)

    def _lists(self, key: str) -> dict[str, tuple[str, ...]]:
        table = self.reader.table(self.table, key)
        return {} if table is None else {name: self.reader.texts(table, name) or () for name in table.keys}

    def _columns(self) -> dict[str, str]:
        table = self.reader.table(self.table, "columns")
        return {} if table is None else {name: self.reader.text(table, name) or "" for name in table.keys}

    def _nodes(self, key: str) -> list[Scalar]:
        items = self.reader.items(self.table, key)
        return [item for item in (items.items if isinstance(items, Items) else ()) if isinstance(item, Scalar)]

    def _known(self, name: str, known: Collection[str], node: Node, code: str, what: str) -> bool:
        if name not in known:
            help = did_you_mean(name, known, f"{what}s")
            self._problem(code, f"there is no {what} {shown(name)} in this pack", node, help)
        return name in known

    def _read_from(self, sensor: Sensor) -> None:
        node = self.table.values["reads"]
        if sensor.kind in ("spacy", "lexicon", "artifact", "table"):
            if sensor.reads != DOCUMENTS:
                message = f"a sensor of the kind {sensor.kind} reads documents, not {shown(sensor.reads)}"
                self._problem("key-does-not-apply", message, node, "write `reads: documents`")
        elif sensor.kind == "policies":
            if sensor.reads != POLICIES:
                self._problem("key-does-not-apply", "a sensor of the kind policies reads policies", node)
        elif sensor.reads not in (DOCUMENTS, POLICIES):
            known = {*self.relations, DOCUMENTS, POLICIES}
            if self._known(sensor.reads, known, node, "unknown-relation", "relation") and not sensor.questions:
                message = "rows of a relation are asked questions, and this sensor has none"
                self._problem("missing-key", message, self.key, "add `questions`, or read `documents`")

    def _fills(self, sensor: Sensor, node: Scalar) -> None:
        """A relation that is filled can be filled: the sensor offers each column that may not be absent."""
        if not self._known(node.text, self.relations, node, "unknown-relation", "relation"):
            return
        relation = self.relations[node.text]
        names = offered(sensor, "token" in relation.columns)
        if sensor.kind == "lexicon":
            known = [self.references[one] for one in sensor.references if one in self.references]
            names = tuple(dict.fromkeys([*CANDIDATE, *(name for one in known for name in one.columns)]))
        for column in relation.columns.values():
            if names is not None and column.name not in names and not column.may_be_absent:
                message = f"a sensor of the kind {sensor.kind} cannot fill `{column.name}` of `{node.text}`"
                help = f"it offers {', '.join(names)}; a column that nobody fills says `may_be_absent: true`"
                self._problem("column-not-sensed", message, node, help)
        table = self.reader.table(self.table, "columns")
        for name, key in table.keys.items() if table is not None else ():
            if name not in relation.columns:
                help = did_you_mean(name, relation.columns, "columns")
                self._problem("unknown-column", f"`{name}` is no column of `{node.text}`", key, help)
        question = relation.columns.get("question")
        for one in sensor.questions:
            if question is None or (question.one_of is not None and one.name not in question.one_of):
                message = f"`{one.name}` is no value of the column `question` of `{node.text}`"
                self._problem("question-not-declared", message, node, f"add `{one.name}` to its `one_of`")

    def _lexicon(self, sensor: Sensor) -> None:
        for node in self._nodes("references"):
            if not self._known(node.text, self.references, node, "unknown-reference", "reference"):
                continue
            columns = self.references[node.text].columns
            for key in ("headword", "part_of_speech", "entry"):
                at = self.reader.scalar(self.table, key)
                if at is not None and at.text not in columns:
                    help = did_you_mean(at.text, columns, "columns")
                    message = f"`{at.text}` is no column of the reference `{node.text}`"
                    self._problem("unknown-column", message, at, help)
        if sensor.kind == "lexicon" and (sensor.part_of_speech is None) != (not sensor.parts_of_speech):
            message = "`part_of_speech` and `parts_of_speech` belong together"
            self._problem("missing-key", message, self.key, "say the column, and which tags its values stand for")
        written = self.reader.table(self.table, "as_written")
        for node in [*(written.keys.values() if written is not None else ()), *self._nodes("gaps_in")]:
            if node.text not in sensor.parts_of_speech:
                message = f"`parts_of_speech` has no {shown(node.text)}"
                help = did_you_mean(node.text, sensor.parts_of_speech, "parts of speech")
                self._problem("unknown-part-of-speech", message, node, help)
