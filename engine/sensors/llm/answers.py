"""Which answers are believed: exactly the questions that were put, each once, with a probability; or no answer at all.

A provider may promise to keep a schema. Nothing here relies on it. What is wrong is never mended, and no part of a
batch that is wrong is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from typing import cast

from ...frozen import dataclass
from .asking import Request
from .values import WrongValue, item_values

_HALF = Decimal("0.5")
_MOST_ITEMS = 10_000
"""Spans of one relation in one answer."""


class BadAnswer(Exception):
    """An answer that is not believed: a code of `docs/errors.md`, and words in which the answer's own are shortened."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


@dataclass(frozen=True, slots=True)
class Answer:
    """P(yes) of one question about one record: the shortest decimal that names the float nearest to what was said."""

    record: str
    question: str
    p_yes: Decimal


def answers_of(request: Request, payload: object) -> tuple[Answer, ...]:
    """The answers in the order of `request.asked`. Raises `BadAnswer` unless they are exactly those.

    Two forms: `{"R1": {"question": 0.8}}` (with `repeat`: true or false), as the request's schema says, and
    `{"answers": [{"id": "R1.question", "p_yes": 0.8}]}`, as the protocol `decisions` says. An answer to a repeat is
    yes or no, so that P(yes) of 0.5 and more counts as 1 in the second form, and less as 0.
    """
    entries = _object(payload, "the answer")
    listed = entries.get("answers")
    given = (
        _from_list(entries) if isinstance(listed, list) else _from_object(entries, {one.label for one in request.asked})
    )
    by_id = {one.id: one for one in request.asked}
    extra = [name for name in given if name not in by_id]
    if extra:
        raise BadAnswer("answer-extra", f"{_shown(extra[0])} was not asked")
    missing = [name for name in by_id if name not in given]
    if missing:
        raise BadAnswer("answer-missing", f"{_shown(missing[0])} was asked and is not answered")
    read = _yes_or_no if request.repeat is not None and not isinstance(listed, list) else _probability
    values = {name: read(name, given[name]) for name in by_id}
    if request.repeat is not None:
        values = {name: Decimal(value >= _HALF) for name, value in values.items()}
    return tuple(Answer(one.record, one.name, values[one.id]) for one in request.asked)


def share_of_yes(repeats: Sequence[Sequence[Answer]]) -> tuple[Answer, ...]:
    """From the answers to each repeat of a batch: P(yes) as the share of yes, as the shortest decimal of that float.

    Raises `BadAnswer` if the repeats do not answer the same pairs.
    """
    first = [(one.record, one.question) for one in repeats[0]] if repeats else []
    if any([(one.record, one.question) for one in answers] != first for answers in repeats):
        raise BadAnswer("answer-missing", "the repeats of a batch do not answer the same questions")
    counts = [sum(answers[at].p_yes >= _HALF for answers in repeats) for at in range(len(first))]
    return tuple(
        Answer(record, name, as_float(Decimal(count) / len(repeats)))
        for (record, name), count in zip(first, counts, strict=True)
    )


def annotations_of(request: Request, payload: object) -> Mapping[str, tuple[Mapping[str, object], ...]]:
    """The spans that a model reports, by relation: `sentence`, `quote` and the columns that no code fills.

    Values are as JSON has them, of the types of their columns. Raises `BadAnswer`.
    """
    entries = _object(payload, "the answer")
    names = [one.name for one in request.relations]
    _exactly(entries, names, "the answer")
    found: dict[str, tuple[Mapping[str, object], ...]] = {}
    for relation in request.relations:
        items = entries[relation.name]
        if not isinstance(items, list):
            raise BadAnswer("answer-malformed", f"`{relation.name}` is no list")
        if len(items) > _MOST_ITEMS:
            raise BadAnswer("answer-too-large", f"`{relation.name}` has more than {_MOST_ITEMS:,} items")
        rows = []
        for number, item in enumerate(items, 1):
            where = f"item {number} of `{relation.name}`"
            try:
                rows.append(item_values(relation, _object(item, where), request.chosen.get(relation.name, ())))
            except WrongValue as wrong:
                raise BadAnswer(wrong.code, f"{where}: {wrong.message}") from None
        found[relation.name] = tuple(rows)
    return found


def as_float(value: Decimal) -> Decimal:
    """The shortest decimal that names the float nearest to the value: what a float column will hold."""
    return abs(Decimal(repr(float(value))))


def _from_object(entries: Mapping[str, object], labels: Set[str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for label, inner in entries.items():
        if label not in labels:
            raise BadAnswer("answer-extra", f"{_shown(label)} was not asked about")
        for name, value in _object(inner, _shown(label)).items():
            given[f"{label}.{name}"] = value
    return given


def _from_list(entries: Mapping[str, object]) -> dict[str, object]:
    _exactly(entries, ["answers"], "the answer")
    given: dict[str, object] = {}
    for one in cast("list[object]", entries["answers"]):
        answer = _object(one, "an answer")
        _exactly(answer, ["id", "p_yes"], "an answer")
        name = answer["id"]
        if not isinstance(name, str):
            raise BadAnswer("answer-malformed", "the `id` of an answer is no text")
        if name in given:
            raise BadAnswer("answer-repeated", f"{_shown(name)} is answered twice")
        given[name] = answer["p_yes"]
    return given


def _exactly(entries: Mapping[str, object], names: Sequence[str], what: str) -> None:
    extra = sorted(set(entries) - set(names))
    if extra:
        raise BadAnswer("answer-extra", f"{what} has {_shown(extra[0])}, which was not asked for")
    missing = sorted(set(names) - set(entries))
    if missing:
        raise BadAnswer("answer-missing", f"{what} has no `{missing[0]}`")


def _object(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BadAnswer("answer-malformed", f"{what} is no object")
    return cast("dict[str, object]", value)


def _probability(name: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise BadAnswer("answer-malformed", f"P(yes) of {_shown(name)} is no number")
    exact = Decimal(value)
    if not exact.is_finite() or not 0 <= exact <= 1:
        raise BadAnswer("answer-out-of-range", f"P(yes) of {_shown(name)} is not from 0 to 1")
    return as_float(exact)


def _yes_or_no(name: str, value: object) -> Decimal:
    if not isinstance(value, bool):
        raise BadAnswer("answer-malformed", f"the answer to {_shown(name)} is neither true nor false")
    return Decimal(value)


def _shown(text: str) -> str:
    """A name that somebody else chose, short and on one line."""
    plain = "".join(c if c.isprintable() and c != "`" else "\ufffd" for c in text[:60])
    return f"`{plain}{'…' if len(text) > 60 else ''}`"
