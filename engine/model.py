"""The nouns: what a pack holds once it is loaded. Frozen, without behaviour that reaches a file or an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal

from .errors import Place
from .frozen import dataclass, field
from .report_plan import ReportPlan
from .sensor import Sensor
from .worked import Case as Case
from .worked import CaseRow as CaseRow
from .worked import Cell as Cell
from .worked import Exclusion as Exclusion
from .worked import ExpectedRow as ExpectedRow
from .worked import Row as Row

NUMBER_KINDS = frozenset({"int", "decimal", "float"})
REFERENCE_FORMATS = ("csv", "tsv", "xlsx", "json")
PREPARE_STEPS = ("casefold", "dash_empty", "nfc", "nfkc", "single_spaces", "split_slashes", "straight_quotes", "trim")
"""The names of the changes that may be made to a reference's texts; `engine/references/prepare.py` makes them."""
UNIT_NONE = "none"
LINE = "_line"
"""The column of a reference that holds the line of its file. No author can name it."""
JUDGED_ON = "judged_on"


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of `docs/semantics.md`, section 1. `kind` is one of text int decimal float bool date instant levels.

    `digits` and `places` belong to decimals (p and s), `levels` to ordered closed values, lowest first.
    """

    kind: str
    digits: int = 0
    places: int = 0
    levels: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBER_KINDS

    @property
    def in_order(self) -> str:
        """The levels as a message lists them."""
        return f"lowest first: {' < '.join(self.levels)}"

    def __str__(self) -> str:
        if self.kind == "decimal":
            return f"decimal({self.digits},{self.places})"
        if self.kind == "levels":
            return f"levels [{', '.join(self.levels)}]"
        return self.kind


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation. `unit` is None for what is no number. `one_of`, `low` and `high` bound its values."""

    name: str
    type: ValueType
    required: bool = False
    may_be_absent: bool = False
    unit: str | None = None
    one_of: tuple[str, ...] | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    note: str | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """A declared table of facts. Key columns are `required` already when a relation is loaded."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: Mapping[str, Column]
    cannot_see: str | None = None
    place: Place | None = field(default=None, compare=False)


ParameterValue = Decimal | bool | date | datetime | str
"""Numbers are Decimals of their own digits (`2%` is 0.02), instants datetimes in UTC."""


@dataclass(frozen=True, slots=True)
class DatedValue:
    """One value of a parameter and the days on which it is in force: `start` inclusive, `until` exclusive.

    `shown` is what a reader sees: a number's own digits, `true`, `2022-07-01`, a text.
    """

    value: ParameterValue
    shown: str
    start: date | None = None
    until: date | None = None
    source: str | None = None
    checked: date | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named number, text, truth value or day, with its origin.

    `kind` is one of number, int, float, text, bool, date, instant (`number`: a decimal of its own digits).
    `values` has one entry without `start` unless the parameter is `dated`; with `is_list` (written `values_of`) it has
    one entry for each member.
    """

    name: str
    kind: str
    unit: str | None
    values: tuple[DatedValue, ...]
    origin: str
    because: str | None = None
    source: str | None = None
    checked: date | None = None
    measured_by: str | None = None
    revisit: date | None = None
    dated: bool = False
    is_list: bool = False
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Expression:
    """The text of an expression as YAML gives it, and the way back to the file.

    `locate(offset)` is the (line, column), both from 1, of the character of `text` at `offset`.
    """

    text: str
    file: str
    locate: Callable[[int], tuple[int, int]] = field(compare=False, repr=False)
    line_text: Callable[[int], str] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Waiver:
    """A dated exception, of at most `at_most` failed rows or groups. `until` is the first day on which it is over.

    `rows` holds values of columns of the key (of `per`), as written; without any it matches every failed row. `number`
    is its place in the pack's file, from 1.
    """

    number: int
    policy: str
    owner: str
    because: str
    until: date
    at_most: int
    rows: Row = field(default_factory=dict)
    place: Place | None = field(default=None, compare=False)
    until_place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule comes from: act, article, edition and a literal quote of at most 25 words."""

    act: str
    article: str | None = None
    edition: str | None = None
    quote: str | None = None

    def __str__(self) -> str:
        parts = [self.act] + ([self.article] if self.article else [])
        return ", ".join(parts) + (f", edition {self.edition}" if self.edition else "")


@dataclass(frozen=True, slots=True)
class PrepareStep:
    """A named change to the values of one column of a reference, made before anything is compared with them."""

    name: str
    column: str


@dataclass(frozen=True, slots=True)
class Reference:
    """An official file, pinned by the SHA-256 of its bytes. It says what is official; nothing else does.

    `columns` are those used here, every one nullable (an empty cell is null); `headings` maps each to its heading in
    the file. The `key` need not be unique in the file, nor complete in every row. `file` is a name without folders.
    """

    name: str
    title: str
    edition: str
    file: str
    sha256: str
    licence: str
    cite: str
    key: tuple[str, ...]
    columns: Mapping[str, Column]
    headings: Mapping[str, str]
    checked: date
    prepare: tuple[PrepareStep, ...] = ()
    obtain: str | None = None
    repealed: tuple[str, ...] = ()
    """Earlier editions that must not be cited any more."""
    format: str = "csv"
    """One of REFERENCE_FORMATS."""
    sheet: str | None = None
    """Of an XLSX file: the sheet that is read. None: the only one."""
    place: Place | None = field(default=None, compare=False)

    @property
    def relation(self) -> Relation:
        """What expressions and cases see of it."""
        line = Column(LINE, ValueType("int"), may_be_absent=True, unit=UNIT_NONE)
        columns = {**self.columns, LINE: line}
        return Relation(self.name, f"A row of {self.title}.", self.key, columns, place=self.place)


@dataclass(frozen=True, slots=True)
class View:
    """A SELECT over relations, references and earlier views: `docs/semantics.md`, section 8.

    `query` is its typed tree (`engine/lang/query_tree.py`), `reads` what it reads itself and `parameters` those that it
    names, sorted. Rows with unknown values of `drops` are left out, `because` of what its author says. `form` is its
    words, without comments and blanks.
    """

    name: str
    relation: Relation
    query: object = field(compare=False)
    reads: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    because: str | None = None
    form: str = ""


@dataclass(frozen=True, slots=True)
class SameAs:
    """A shown value equals a cell of a reference: `docs/semantics.md`, section 6.

    `match` maps key columns of the references to judged columns, `show` judged columns to columns of the references.
    Of several `references` the first that has the key decides. `review_conflicts` is `on_conflict: review`.
    """

    references: tuple[str, ...]
    match: Mapping[str, str]
    show: Mapping[str, str]
    review_conflicts: bool = False
    lenient: frozenset[str] = frozenset()
    """Only of mutants: what they take for a match though it is none (`engine/lang/typed.py`, `LookUp`)."""
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    """Where each name stands: `reference R`, `match K` and `show C` of a key, `match.K` and `show.C` of its value."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One rule, its parameters and its cases. `relation` is the name after `for`.

    `params` holds the policy's own parameters; those of the pack are in `Pack.parameters`. `later` lists the keys whose
    work is not done yet: they were checked for form, and judging is refused.
    """

    id: str
    title: str
    relation: str
    cannot_see: str
    file: str
    must: Expression | None
    where: Expression | None = None
    review_if: Expression | None = None
    if_none: str = "no_evidence"
    per: tuple[str, ...] = ()
    each_of: str | None = None
    allow: str | None = None
    as_of: str | None = None
    params: Mapping[str, Parameter] = field(default_factory=dict)
    source: Source | None = None
    example: CaseRow | None = None
    example_facts: Mapping[str, tuple[CaseRow, ...]] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    because: str | None = None
    later: Mapping[str, Place] = field(default_factory=dict)
    same_as: SameAs | None = None
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    """Where the value of each top-level key stands, by key."""

    @property
    def pack(self) -> str:
        return self.id.split(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Pack:
    """The folder of one domain, loaded."""

    name: str
    title: str
    version: str
    licence: str
    folder: str
    relations: Mapping[str, Relation]
    parameters: Mapping[str, Parameter]
    policies: Mapping[str, Policy]
    cannot_see: str | None = None
    waivers: tuple[Waiver, ...] = ()
    references: Mapping[str, Reference] = field(default_factory=dict)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    views: Mapping[str, View] = field(default_factory=dict)
    report: ReportPlan | None = None

    @property
    def readable(self) -> Mapping[str, Relation]:
        """What expressions may read: the relations, and the references and views as relations."""
        return {**self.given, **self.derived}

    @property
    def given(self) -> Mapping[str, Relation]:
        """What has rows of its own, in facts and in cases: the relations, and the references as relations."""
        return {**self.relations, **{name: one.relation for name, one in self.references.items()}}

    @property
    def judged(self) -> Mapping[str, Relation]:
        """What a policy may be `for`, and `each_of`: the relations and the views."""
        return {**self.relations, **self.derived}

    @property
    def derived(self) -> Mapping[str, Relation]:
        """The views as relations."""
        return {name: view.relation for name, view in self.views.items()}
