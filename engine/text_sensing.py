"""The kinds that read texts without a model of language: `spacy` and `lexicon`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from .errors import FielError, Problem, UsageError, did_you_mean
from .frozen import replace
from .references import ReferenceTable, open_references, reference_folders
from .sense_task import Task
from .sensor import Diagnostic, Document, Observation, Sensor
from .sensors.lexicon import Candidate, Entry, Lexicon
from .sensors.tagging import Tagged, Tagger
from .verdict import value_of

Row = Mapping[str, object]


def observe_texts(task: Task, documents: Sequence[Document]) -> Observation:
    """The sentences, tokens or candidates of every document, by the relations that the sensor fills.

    Raises UsageError for a tagger or a document that is of no use, and what is wrong with references.
    """
    sensor = task.sensor
    tables = _tables(task) if sensor.kind == "lexicon" else ()
    tagger = _tagger(sensor)
    remarks: list[Diagnostic] = []
    lexicon = None
    if sensor.kind == "lexicon":
        lexicon = _lexicon(tables, sensor, tagger)
        remarks += _left_out(lexicon)
    rows: dict[str, list[Row]] = {name: [] for name in sensor.fills}
    for number, document in enumerate(documents, 1):
        tagged = tagger.tag(document)
        if not tagged.tokens:
            remarks.append(Diagnostic("nothing-to-read", "there is no word in it", document.name))
        for name in sensor.fills:
            if lexicon is not None:
                rows[name] += _candidates(document, tagged, lexicon, "token" in task.relations[name].columns)
            elif "token" in task.relations[name].columns:
                rows[name] += _tokens(document, tagged)
            else:
                rows[name] += _sentences(document, tagged)
        if task.request.progress is not None:
            task.request.progress("reading", number, len(documents))
    return Observation(rows, tuple(remarks), {**tagger.settings, **_settings(tables)})


_last: list[tuple[object, Sequence[ReferenceTable], Lexicon]] = []
"""The lexicon that was made last, with what it was made of: of a hundred texts it is made once."""


def _lexicon(tables: Sequence[ReferenceTable], sensor: Sensor, tagger: Tagger) -> Lexicon:
    about = repr(sensor), tuple(sorted(tagger.settings.items()))
    for known, of, lexicon in _last:
        if known == about and len(of) == len(tables) and all(a is b for a, b in zip(of, tables, strict=True)):
            return lexicon
    made = Lexicon(_entries(tables, sensor), sensor, tagger.words)
    _last[:] = [(about, tuple(tables), made)]
    return made


def _tagger(sensor: Sensor) -> Tagger:
    """The tagger. If it is of no use, and the sensor names it, the sensor is the place to mend."""
    try:
        return Tagger(sensor.tagger)
    except UsageError as error:
        place = sensor.place if sensor.tagger is not None else None
        raise UsageError([replace(one, place=place) for one in error.problems]) from None


def _tables(task: Task) -> Sequence[ReferenceTable]:
    """The references of a lexicon in its order. Each is there and whole, or nothing is looked at."""
    wanted = [task.pack.references[name] for name in task.sensor.references]
    shelf = open_references(wanted, reference_folders(task.request.references))
    if shelf.problems:
        raise FielError([shelf.problems[one.name] for one in wanted if one.name in shelf.problems])
    tables = [shelf.tables[one.name] for one in wanted]
    _refuse_unknown_parts(task.sensor, tables)
    return tables


def _refuse_unknown_parts(sensor: Sensor, tables: Sequence[ReferenceTable]) -> None:
    """A part of speech that no entry has is a slip: the entries that were meant would never be found."""
    column = sensor.part_of_speech
    if column is None:
        return
    held = {str(value) for table in tables for value in table.columns[column] if value is not None}
    problems = [
        Problem(
            "unknown-part-of-speech",
            f"no entry has `{part}` as its `{column}`",
            place=sensor.place,
            help=did_you_mean(part, held, "parts of speech"),
        )
        for part in sensor.parts_of_speech
        if part not in held
    ]
    if problems:
        raise UsageError(problems)


def _entries(tables: Sequence[ReferenceTable], sensor: Sensor) -> Iterator[Entry]:
    """Every entry that has a headword; it is named by its column, or by its reference and line."""
    number = 0
    assert sensor.headword is not None
    for table in tables:
        types = {column: table.reference.columns[column].type for column in table.columns}
        for line, *cells in zip(table.lines, *table.columns.values(), strict=True):
            row = {column: value_of(cell, types[column]) for column, cell in zip(types, cells, strict=True)}
            name = table.reference.name
            part = row[sensor.part_of_speech] if sensor.part_of_speech is not None else None
            id = row[sensor.entry] if sensor.entry is not None else f"{name}:{line}"
            number += 1
            headword = row[sensor.headword]
            yield Entry(
                number,
                name,
                id,
                "" if headword is None else str(headword),
                None if part is None else str(part),
                row,
            )


def _left_out(lexicon: Lexicon) -> Iterator[Diagnostic]:
    for (reference, why), count in sorted(lexicon.left_out.items()):
        entries = "1 entry" if count == 1 else f"{count:,} entries"
        message = f"{entries} of `{reference}` cannot be found: each {why}"
        yield Diagnostic("entries-left-out", message, details={"reference": reference, "entries": count})


def _settings(tables: Sequence[ReferenceTable]) -> dict[str, object]:
    if not tables:
        return {}
    return {"references": {table.reference.name: table.reference.sha256 for table in tables}}


def _sentences(document: Document, tagged: Tagged) -> Iterator[Row]:
    for number, span in enumerate(tagged.sentences, 1):
        yield {
            "document": document.name,
            "sentence": number,
            "start_at": span.start,
            "end_at": span.end,
            "text": document.text[span.start : span.end],
        }


def _tokens(document: Document, tagged: Tagged) -> Iterator[Row]:
    for token in tagged.tokens:
        yield {
            "document": document.name,
            "sentence": token.sentence,
            "token": token.number,
            "start_at": token.start,
            "end_at": token.end,
            "text": token.text,
            "lemma": token.lemma,
            "part_of_speech": token.part_of_speech,
            "tag": token.tag,
        }


def _candidates(document: Document, tagged: Tagged, lexicon: Lexicon, by_token: bool) -> Iterator[Row]:
    for _, sentence in groupby(tagged.tokens, key=lambda token: token.sentence):
        for found in lexicon.candidates(list(sentence)):
            row = _candidate(document, found)
            if not by_token:
                yield row
            for token in found.tokens if by_token else ():
                place = {"start_at": token.start, "end_at": token.end, "quote": token.text}
                yield {**row, **place, "token": token.number, "lemma": token.lemma, "tag": token.tag}


def _candidate(document: Document, found: Candidate) -> Row:
    first, last = found.tokens[0], found.tokens[-1]
    return {
        **found.entry.row,
        "document": document.name,
        "sentence": first.sentence,
        "start_at": first.start,
        "end_at": last.end,
        "quote": document.text[first.start : last.end],
        "lemma": " ".join(token.lemma for token in found.tokens),
        "tag": " ".join(token.tag for token in found.tokens),
        "reference": found.entry.reference,
        "entry": found.entry.id,
        "tokens": " ".join(str(token.number) for token in found.tokens),
    }
