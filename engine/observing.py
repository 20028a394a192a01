"""From valid answers to rows: probabilities become claims, quotes become spans of the unchanged text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from . import canonical
from .exchange import Answered
from .model import Relation
from .sensor import Diagnostic, Document, Observation, Record, Sensor
from .sensors.llm.answers import share_of_yes
from .text import Anchor, Anchorer, NoAnchor, Span

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class About:
    """What the answers are about: the records by id, and documents with their sentences where quotes are anchored."""

    run_id: str
    records: Mapping[str, Record]
    documents: Mapping[str, tuple[Document, Sequence[Span]]] = field(default_factory=dict)


def observation_of(
    sensor: Sensor, relations: Mapping[str, Relation], answered: Sequence[Answered], about: About
) -> tuple[Observation, list[Row]]:
    """The rows of a run, and of each answer in the review zone an entry of `review.jsonl`."""
    if sensor.questions:
        claims = list(_claims(sensor, answered, about))
        pending = [_entry(sensor, row, about) for row in claims if _in_zone(sensor, row)]
        return Observation(dict.fromkeys(relations, claims)), pending
    work = _Anchoring(about)
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

    def __init__(self, about: About) -> None:
        self.about = about
        self.rows: dict[str, list[Row]] = {}
        self.remarks: list[Diagnostic] = []

    def take(self, answered: Answered, relations: Mapping[str, Relation]) -> None:
        document, sentences = self.about.documents[answered.request.records[0]]
        anchorer = Anchorer(document.text, sentences)
        seen: set[str] = set()
        for name, spans in (answered.spans or {}).items():
            for span in spans:
                found = anchorer.find(int(str(span["sentence"])), str(span["quote"]))
                if isinstance(found, NoAnchor):
                    self._dropped(document, name, span, found)
                    continue
                row = self._row(answered, document, span, found)
                text = canonical.dumps([name, {column: row.get(column) for column in relations[name].columns}])
                if text in seen:
                    self._remark("span-repeated", "the same span was reported before", document, name, span)
                    continue
                seen.add(text)
                self.rows.setdefault(name, []).append(row)

    def _row(self, answered: Answered, document: Document, span: Mapping[str, object], found: Anchor) -> Row:
        if found.sentence != found.said_sentence:
            details = {"said": found.said_sentence, "found": found.sentence}
            message = "the quote stands in another sentence than was said"
            self.remarks.append(Diagnostic("quote-elsewhere", message, document.name, {**details, **_quoted(span)}))
        if found.how == "normalised":
            message = "the quote is there in other characters: quotes, dashes, spaces or accents"
            self.remarks.append(Diagnostic("quote-normalised", message, document.name, _quoted(span)))
        return {
            **span,
            "document": document.name,
            "sentence": found.sentence,
            "start_at": found.start,
            "end_at": found.end,
            "quote": document.text[found.start : found.end],
            "model": answered.model,
            "asked_at": answered.asked_at,
            "run_id": self.about.run_id,
        }

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
