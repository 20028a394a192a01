"""A lexicon: the entries of references, and every one of them that a tagged text may hold.

Words are compared as `engine/text/normal.py` makes them, case aside, a token by its form and by its lemma. Nothing here
knows a language: which tags stand for which part of speech, and which words stand for others, is said by the pack.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ..frozen import dataclass, field
from ..sensor import Sensor
from ..text import normalised
from .tagging import Token

Split = Callable[[str], tuple[str, ...]]
"""The tokens that the tagger makes of a few words."""
_PUNCTUATION = "PUNCT"
"""The coarse tag of punctuation (Universal Dependencies, UPOS). No entry reaches across it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a reference: `id` names it, `number` is its place among all. `part` is None if nothing says it."""

    number: int
    reference: str
    id: object
    headword: str
    part: str | None
    row: Mapping[str, object] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that the tokens may be, which are in the order of the text and may have others between them."""

    entry: Entry
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """An entry of several words: each a form, or the forms and tags that it stands for. `own` are its forms, and
    `first` the place of the first of them."""

    entry: Entry
    words: tuple[str | frozenset[str], ...]
    own: frozenset[str]
    first: int


class Lexicon:
    """The entries, indexed once. `left_out` counts those that can never be found, by why."""

    def __init__(self, entries: Iterable[Entry], sensor: Sensor, split: Split) -> None:
        self._sensor = sensor
        self._parts = {part: frozenset(tags) for part, tags in sensor.parts_of_speech.items()}
        self._as_written = {part: frozenset(tags) for part, tags in sensor.as_written.items()}
        self._stand_ins = {folded(word): frozenset((*map(folded, of), *of)) for word, of in sensor.placeholders.items()}
        self._words: defaultdict[str, list[Entry]] = defaultdict(list)
        self._phrases: defaultdict[str, list[_Phrase]] = defaultdict(list)
        self.left_out: Counter[tuple[str, str]] = Counter()
        for entry in entries:
            self._add(entry, split)
        self._known: dict[tuple[str, str, str, str], tuple[Entry, ...]] = {}

    def candidates(self, sentence: Sequence[Token]) -> list[Candidate]:
        """Every candidate in the tokens of one sentence, in the order of the text; of one place, the longest first,
        then the form as it is written before its lemma, then the order of the references."""
        found = [*self._of_phrases(sentence)]
        for token in sentence:
            found += (Candidate(entry, (token,)) for entry in self._of_word(token))
        return sorted(found, key=lambda one: (one.tokens[0].start, -one.tokens[-1].end))  # stable

    def _add(self, entry: Entry, split: Split) -> None:
        if self._sensor.part_of_speech is not None and (entry.part is None or entry.part not in self._parts):
            why = "has no part of speech" if entry.part is None else f"is a `{entry.part}`, for which no tag stands"
            self.left_out[entry.reference, why] += 1
            return
        pieces = entry.headword.split()
        if not pieces:
            self.left_out[entry.reference, "has no headword"] += 1
            return
        if len(pieces) == 1:
            self._words[folded(pieces[0])].append(entry)
            pieces = [] if folded(pieces[0]) in self._stand_ins else pieces
        words: list[str | frozenset[str]] = []
        for piece in pieces:
            stands_for = self._stand_ins.get(folded(piece))
            words += (folded(one) for one in split(piece)) if stands_for is None else (stands_for | {folded(piece)},)
        words = [one for one in words if one != "-"]
        first = next((n for n, one in enumerate(words) if isinstance(one, str)), None)
        if first is None and pieces:
            self.left_out[entry.reference, "has no word of its own"] += 1
        if first is not None and len(words) > 1:
            own = frozenset(one for one in words if isinstance(one, str))
            self._phrases[str(words[first])].append(_Phrase(entry, tuple(words), own, first))

    def _of_word(self, token: Token) -> tuple[Entry, ...]:
        key = token.text, token.lemma, token.part_of_speech, token.tag
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(dict.fromkeys(self._fitting(token)))
        return known

    def _fitting(self, token: Token) -> Iterator[Entry]:
        form, lemma = _forms(token)
        for entry in self._words.get(form, ()):
            if self._is(token, entry.part) or self._is_as_written(token, entry.part, form):
                yield entry
        for entry in self._words.get(lemma, ()) if lemma != form else ():
            if self._is(token, entry.part):
                yield entry

    def _is(self, token: Token, part: str | None) -> bool:
        """Whether a tag of the token stands for the part of speech. Without any, every tag does."""
        return part is None or not self._parts[part].isdisjoint(_tags(token))

    def _is_as_written(self, token: Token, part: str | None, word: str) -> bool:
        tags = self._as_written.get(part or "")
        return tags is not None and word == folded(token.text) and not tags.isdisjoint(_tags(token))

    def _of_phrases(self, sentence: Sequence[Token]) -> Iterator[Candidate]:
        tokens = [one for n, one in enumerate(sentence) if not _joins(sentence, n)]
        forms = [_forms(one) for one in tokens]
        present = {form for both in forms for form in both}
        for at, (form, lemma) in enumerate(forms):
            phrases = self._phrases.get(form, ())
            if lemma != form:
                phrases = [*phrases, *self._phrases.get(lemma, ())]
            for phrase in phrases:
                if not phrase.own <= present:
                    continue
                places = _Search(self, phrase, tokens, forms).around(at)
                if places is not None and self._has_its_part(phrase, [tokens[n] for n in places]):
                    yield Candidate(phrase.entry, tuple(tokens[n] for n in places))

    def _has_its_part(self, phrase: _Phrase, tokens: Sequence[Token]) -> bool:
        """Whether one of the words, of those that stand for no others, is of the entry's part of speech."""
        own = ((word, token) for word, token in zip(phrase.words, tokens, strict=True) if isinstance(word, str))
        part = phrase.entry.part
        return any(self._is(token, part) or self._is_as_written(token, part, word) for word, token in own)

    def may_part(self, entry: Entry) -> bool:
        """Whether other words may stand within the entry."""
        return not self._sensor.gaps_in or entry.part in self._sensor.gaps_in

    def bars(self, entry: Entry, token: Token) -> bool:
        """Whether a token may not stand within the entry: punctuation, and another word of its part of speech."""
        return token.part_of_speech == _PUNCTUATION or (entry.part is not None and self._is(token, entry.part))

    @property
    def longest_gap(self) -> int:
        return self._sensor.longest_gap


class _Search:
    """Finds the words of one phrase around one of its words, the nearest first, with as many gaps as are allowed."""

    def __init__(
        self, lexicon: Lexicon, phrase: _Phrase, tokens: Sequence[Token], forms: Sequence[tuple[str, str]]
    ) -> None:
        self._lexicon, self._phrase, self._tokens, self._forms = lexicon, phrase, tokens, forms

    def around(self, at: int) -> tuple[int, ...] | None:
        """The places of all words, of which the first form is at `at`; None if they are not there."""
        gap = self._lexicon.longest_gap if self._lexicon.may_part(self._phrase.entry) else 0
        first = self._phrase.first
        before = self._reach(first - 1, at, -1, gap)
        if before is None:
            return None
        left = gap - (at - before[-1] - len(before) if before else 0)
        after = self._reach(first + 1, at, 1, left)
        return None if after is None else (*reversed(before), at, *after)

    def _reach(self, word: int, at: int, step: int, gap: int) -> tuple[int, ...] | None:
        """The places of the words from `word` on, going by `step` from `at`, in the order in which they are met."""
        if not 0 <= word < len(self._phrase.words):
            return ()
        for skipped in range(gap + 1):
            place = at + step * (skipped + 1)
            if not 0 <= place < len(self._tokens):
                break
            if self._fits(word, place):
                rest = self._reach(word + step, place, step, gap - skipped)
                if rest is not None:
                    return (place, *rest)
            if self._lexicon.bars(self._phrase.entry, self._tokens[place]):
                break
        return None

    def _fits(self, word: int, place: int) -> bool:
        wanted = self._phrase.words[word]
        if isinstance(wanted, str):
            return wanted in self._forms[place]
        return not wanted.isdisjoint((*self._forms[place], *_tags(self._tokens[place])))


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """A text as words are compared."""
    return normalised(text).casefold()


def _forms(token: Token) -> tuple[str, str]:
    return folded(token.text), folded(token.lemma)


def _tags(token: Token) -> tuple[str, str]:
    return token.part_of_speech, token.tag


def _joins(sentence: Sequence[Token], n: int) -> bool:
    """Whether a token is a hyphen between two others: words are compared without it."""
    one = sentence[n]
    if folded(one.text) != "-" or not 0 < n < len(sentence) - 1:
        return False
    return sentence[n - 1].end == one.start and one.end == sentence[n + 1].start
