"""From valid answers to rows: probabilities become claims, quotes become spans of the unchanged text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from . import canonical
from .exchange import Answered
from .frozen import dataclass, field
from .model import Relation
from .sensor import Diagnostic, Document, Observation, Record, Sensor
from .sensors.llm.answers import share_of_yes
from .text import Anchor, Anchorer, NoAnchor, Span

Row = dict[str, object]
Given = Mapping[str, tuple[str, Mapping[str, object]]]
"""By label: the relation and the row."""


@dataclass(frozen=True, slots=True)
class About:
    """What the answers are about: the records by id, and documents with their sentences where quotes are anchored."""

    run_id: str
    records: Mapping[str, Record]
    documents: Mapping[str, tuple[Document, Sequence[Span]]] = field(default_factory=dict)
    given: Mapping[str, Given] = field(default_factory=dict)
    """The rows that were shown with each document."""


def observation_of(
    sensor: Sensor, relations: Mapping[str, Relation], answered: Sequence[Answered], about: About
) -> tuple[Observation, list[Row]]:
    """The rows of a run, and of each answer in the review zone an entry of `review.jsonl`."""
    if sensor.questions:
        claims = list(_claims(sensor, answered, about))
        pending = [_entry(sensor, row, about) for row in claims if _in_zone(sensor, row)]
        return Observation(dict.fromkeys(relations, claims)), pending
    work = _Anchoring(sensor, about)
    for one in answered:
        work.take(one, relations)
    rows = {name: work.rows.get(name, []) for name in relations}
    return Observation(rows, tuple(work.remarks)), []


def _claims(sensor: Sensor, answered: Sequence[Answered], about: About) -> Iterator[Row]:
    """A row a question and record. Of repeats the share of yes; the time and run are those of the first."""
    for _, batch in groupby(answered, key=lambda one: one.request.asked):
        listed = list(batch)
        first = listed[0]
        answers = first.answers if sensor.repeats is None else share_of_yes([one.answers for one in listed])
        for answer in answers:
            yield {
                "claim_id": answer.record,
                "question": answer.question,
                "answer": answer.p_yes >= sensor.cut,
                "p_yes": answer.p_yes,
                "model": first.model,
                "asked_at": first.asked_at,
                "run_id": about.run_id,
            }


def _in_zone(sensor: Sensor, row: Row) -> bool:
    low, high = sensor.review or (None, None)
    return low is not None and high is not None and bool(low <= row["p_yes"] <= high)  # type: ignore[operator]


def _entry(sensor: Sensor, row: Row, about: About) -> Row:
    record = about.records[str(row["claim_id"])]
    asked = next(one.ask for one in sensor.questions if one.name == row["question"])
    key = {name: row[name] for name in ("claim_id", "question", "run_id")}
    return {"key": key, "ask": asked, "p_yes": row["p_yes"], "text": record.text, "around": record.around or None}


class _Anchoring:
    """Spans of one document after the other. A quote that is not in its text becomes a remark, and no row."""

    def __init__(self, sensor: Sensor, about: About) -> None:
        self.sensor, self.about = sensor, about
        self.rows: dict[str, list[Row]] = {}
        self.remarks: list[Diagnostic] = []

    def take(self, answered: Answered, relations: Mapping[str, Relation]) -> None:
        document, sentences = self.about.documents[answered.request.records[0]]
        anchorer = Anchorer(document.text, sentences)
        seen: dict[str, str] = {}
        for name, spans in (answered.spans or {}).items():
            for span in spans:
                row = self._row(answered, document, name, span, anchorer)
                row = None if row is None else self._chosen(document, name, span, row)
                if row is None:
                    continue
                whole = canonical.dumps([row.get(column) for column in relations[name].columns])
                key = canonical.dumps([name, [row.get(column) for column in relations[name].key]])
                if key in seen:
                    message = "the same span was reported before"
                    if seen[key] != whole:
                        message += ", with other values; the first was kept"
                    self._remark("span-repeated", message, document, name, span)
                    continue
                seen[key] = whole
                self.rows.setdefault(name, []).append(row)

    def _row(
        self, answered: Answered, document: Document, name: str, span: Mapping[str, object], anchorer: Anchorer
    ) -> Row | None:
        """A row with its place in the text; None if it has none."""
        known = {
            "document": document.name,
            "model": answered.model,
            "asked_at": answered.asked_at,
            "run_id": self.about.run_id,
        }
        if "quote" not in span:
            return {**span, **known}
        found = anchorer.find(int(str(span["sentence"])), str(span["quote"]))
        if isinstance(found, NoAnchor) and found.reason == "ambiguous":
            found = self._at_choice(document, name, span) or found
        if isinstance(found, NoAnchor):
            self._dropped(document, name, span, found)
            return None
        self._forgiven(document, span, found)
        quote = document.text[found.start : found.end]
        place = {"sentence": found.sentence, "start_at": found.start, "end_at": found.end, "quote": quote}
        return {**span, **known, **place}

    def _at_choice(self, document: Document, name: str, span: Mapping[str, object]) -> Anchor | None:
        """Where words stand that are there several times: at the place of the one given row that was chosen for them.

        None if no row was chosen, several with different places, or one that is about other words or another sentence.
        """
        given = self.about.given.get(document.name, {})
        chosen = [given.get(str(span[asked])) for asked in self.sensor.chosen(name) if span.get(asked) is not None]
        places = {(one[1].get("start_at"), one[1].get("end_at")) for one in chosen if one is not None}
        start, end = places.pop() if len(places) == 1 and None not in chosen else (None, None)
        if not isinstance(start, int) or not isinstance(end, int):
            return None
        starts = [sentence.start for sentence in self.about.documents[document.name][1]]
        said, at = int(str(span["sentence"])), bisect_right(starts, start)
        is_it = said == at and document.text[start:end] == span["quote"]
        return Anchor(start, end, "exact", at, said) if is_it else None

    def _chosen(self, document: Document, name: str, span: Mapping[str, object], row: Row) -> Row | None:
        """The row with the values of the given rows that were chosen; None if one is none that could be."""
        given = self.about.given.get(document.name, {})
        among = self.sensor.among.get(name, {})
        for asked, filled in self.sensor.chosen(name).items():
            label = row[asked]
            if label is None:
                row = {**row, **dict.fromkeys(filled)}
                continue
            chosen = given.get(str(label))
            if chosen is None or chosen[0] != among[asked][0] or not _is_within(chosen[1], row):
                message = "what was chosen is not among the given rows of these words, so it was left out"
                self._remark("choice-refused", message, document, name, span)
                return None
            row = {**row, **{column: chosen[1][among[column][1]] for column in filled}}
        return row

    def _forgiven(self, document: Document, span: Mapping[str, object], found: Anchor) -> None:
        if found.sentence != found.said_sentence:
            details = {"said": found.said_sentence, "found": found.sentence}
            message = "the quote stands in another sentence than was said"
            self.remarks.append(Diagnostic("quote-elsewhere", message, document.name, {**details, **_quoted(span)}))
        if found.how == "normalised":
            message = "the quote is there in other characters: quotes, dashes, spaces or accents"
            self.remarks.append(Diagnostic("quote-normalised", message, document.name, _quoted(span)))

    def _dropped(self, document: Document, name: str, span: Mapping[str, object], why: NoAnchor) -> None:
        words = {"absent": "is not in the text", "ambiguous": "is there more than once"}
        message = f"the quote {words.get(why.reason, 'has nothing that could be found')}, so it was left out"
        nearest = None if why.nearest is None else {"text": why.nearest.text, "sentence": why.nearest.sentence}
        self._remark(f"quote-{why.reason}", message, document, name, span, nearest)

    def _remark(
        self,
        code: str,
        message: str,
        document: Document,
        relation: str,
        span: Mapping[str, object],
        nearest: object = None,
    ) -> None:
        details = {"relation": relation, **span, **({} if nearest is None else {"nearest": nearest})}
        self.remarks.append(Diagnostic(code, message, document.name, details))


def _quoted(span: Mapping[str, object]) -> Mapping[str, object]:
    return {"quote": span["quote"], "sentence": span["sentence"]}


def _is_within(given: Mapping[str, object], row: Row) -> bool:
    """Whether a given row is about words that the reported stretch has. One that is about none is about all."""
    places = [given.get(name) for name in ("start_at", "end_at")] + [row.get(name) for name in ("start_at", "end_at")]
    start, end, first, last = (one if isinstance(one, int) else None for one in places)
    return None in (start, end, first, last) or bool(first <= start and end <= last)  # type: ignore[operator]
