"""The nouns of sensing: what a pack declares of a sensor, what a sensor is given, and what it gives.

A sensor observes and never judges. It gives rows of relations, whose values are as JSON has them (texts, whole numbers,
`Decimal` and `float` for other numbers, booleans, None), and remarks on what it could not use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from .errors import Place
from .frozen import dataclass, field

SENSOR_KINDS = ("llm", "spacy", "lexicon", "table", "policies", "artifact")
PARTS = ("scope", "reason")
"""The parts of a policy that are texts for a reader: what it cannot see, and why a parameter is what it is."""
DOCUMENTS, POLICIES = "documents", "policies"
"""What `reads` may say beside the name of a relation."""

BATCH = 12
CUT = Decimal("0.5")
LONGEST_GAP = 3
MOST_OUTPUT = 4096


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question put to a model about each record, or only about records of the part `of`."""

    name: str
    ask: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs for a million tokens, in a currency of ISO 4217, as somebody read it on a day."""

    input_per_million: Decimal
    output_per_million: Decimal
    currency: str
    checked: date


@dataclass(frozen=True, slots=True)
class Sensor:
    """One entry of `sensors.yaml`. Which keys belong to which kind: `engine/load/sensors.py`.

    `reads` is `documents`, `policies` or a relation; `fills` are relations of the pack.
    """

    name: str
    kind: str
    reads: str
    fills: tuple[str, ...]
    prompt: str | None = None
    """Of `llm`: the text of the file that `prompt` names."""
    questions: tuple[Question, ...] = ()
    batch: int = BATCH
    """Records in one request."""
    repeats: int | None = None
    """How many times a question is put, the share of yes being P(yes). None: the model states P(yes)."""
    cut: Decimal = CUT
    """From which P(yes) on the answer is yes."""
    review: tuple[Decimal, Decimal] | None = None
    """Both ends of the zone of P(yes) in which a person should look."""
    prices: Prices | None = None
    most_output: int = MOST_OUTPUT
    """Tokens that an answer may have."""
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Relations whose rows about a document are shown with it, or references, and the columns of each that are."""
    among: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    """For columns that are filled by a choice: what is given, and its column whose value is taken. Columns of one
    relation that take from the same source are filled by one choice."""
    tagger: str | None = None
    """Of `spacy` and `lexicon`: the package of the tagger's model. None: the one that comes with the extra."""
    references: tuple[str, ...] = ()
    """Of `lexicon`: where entries are looked up, in this order."""
    headword: str | None = None
    """Of `lexicon`: the column of the references that has the word or words of an entry."""
    part_of_speech: str | None = None
    """Of `lexicon`: the column that has the part of speech."""
    parts_of_speech: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of `lexicon`: for each part of speech of the references, the tags (coarse or fine) that stand for it."""
    as_written: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of `lexicon`: tags that stand for a part of speech where a word is written as the entry, not by its lemma."""
    placeholders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of `lexicon`: words of headwords that stand for others (`your`), and the lemmas or tags they stand for."""
    entry: str | None = None
    """Of `lexicon`: the column that names an entry. None: reference and line do."""
    longest_gap: int = LONGEST_GAP
    """Of `lexicon`: tokens that may stand within an entry of several words."""
    gaps_in: tuple[str, ...] = ()
    """Of `lexicon`: the parts of speech whose entries they may stand in. Empty: all."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Of `table`: the heading of each column of the relation. Those not named have their own name as heading."""
    query: str | None = None
    """Of `table`: the SELECT that is put to a database."""
    place: Place | None = field(default=None, compare=False)

    def chosen(self, relation: str) -> Mapping[str, tuple[str, ...]]:
        """Of a relation that is filled: each column that a model chooses for, with all that its choice fills."""
        by_source: dict[str, list[str]] = {}
        for column, (source, _) in self.among.get(relation, {}).items():
            by_source.setdefault(source, []).append(column)
        return {columns[0]: tuple(columns) for columns in by_source.values()}


@dataclass(frozen=True, slots=True)
class Document:
    """A text to look at. `name` is unique in a run; `sha256` is of the bytes it was read from."""

    name: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Record:
    """A text that questions are put about: `id` is unique in a run, `part` one of PARTS or None.

    `around` is what the reader needs beside it (the rule whose scope it is), already as text.
    """

    id: str
    text: str
    part: str | None = None
    around: str = ""
    given: tuple[str, ...] = ()
    """Rows that are shown beside the text, a line each."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something that a sensor saw and did not use: a line of `diagnostics.jsonl`."""

    code: str
    message: str
    document: str | None = None
    details: Mapping[str, object] = field(default_factory=dict)


Rows = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a sensor saw: rows by relation (each relation that it fills, also when there are none), and diagnostics."""

    rows: Mapping[str, Rows]
    diagnostics: tuple[Diagnostic, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """What else shaped the rows, for `settings` of the record: versions, digests."""


CLAIM = ("claim_id", "question", "answer", "p_yes", "model", "asked_at", "run_id")
"""What a sensor with questions knows of each answer."""
ANCHORED = ("document", "sentence", "start_at", "end_at", "quote", "model", "asked_at", "run_id")
"""What a sensor that annotates knows of each span; the other columns of the relation are the model's to fill."""
SENTENCE = ("document", "sentence", "start_at", "end_at", "text")
TOKEN = ("document", "sentence", "token", "start_at", "end_at", "text", "lemma", "part_of_speech", "tag")
"""What a tagger knows: rows are tokens where the relation has the column `token`, else sentences."""
CANDIDATE = (
    "document",
    "sentence",
    "start_at",
    "end_at",
    "quote",
    "lemma",
    "tag",
    "reference",
    "entry",
    "tokens",
    "token",
)
"""What a lexicon knows of each candidate, beside the columns of the reference's row. A relation with the column `token`
has a row for each of its words, whose place, lemma and tag it has."""
PASSAGE = ("claim_id", "policy", "pack", "part", "parameter", "text", "value", "unit", "origin")
"""What policies say of themselves: a row a part (PARTS), with the parameter where the part is a reason."""
SHOWN = ("document", "at", "line", "form", "marked", "value", "reference", "edition", "key", "column", "by")
"""What a page shows, and how it is marked."""


def offered(sensor: Sensor, has_token: bool = False) -> tuple[str, ...] | None:
    """The columns that the sensor can fill; None: any. `has_token`: whether the relation has the column `token`."""
    if sensor.kind == "llm":
        return CLAIM if sensor.questions else None
    if sensor.kind == "spacy":
        return TOKEN if has_token else SENTENCE
    return {"policies": PASSAGE, "artifact": SHOWN}.get(sensor.kind)
