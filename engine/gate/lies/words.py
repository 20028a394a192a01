"""False words for true ones: neighbouring levels, look-alike letters, other cases, other keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model import Reference
from ...references import Lookup

_ALIKE = str.maketrans("aceiopxyABCEHIKMOPTXaceiop", "асеіорхуАВСЕНІКМОРТХасеіор")
_FEW = 40
_WIDE = {str(digit): chr(0xFF10 + digit) for digit in range(10)}


def neighbours(value: str, reference: Reference, column: str) -> Iterator[str]:
    """The levels one above and one below; of a text the value with its last letter turned."""
    levels = reference.columns[column].type.levels
    if value in levels:
        at = levels.index(value)
        yield from levels[max(at - 1, 0) : at] + levels[at + 1 : at + 2]
    elif value:
        yield turned(value)


def turned(text: str) -> str:
    """The text with its last letter another."""
    last = text[-1]
    return text[:-1] + ("x" if last != "x" else "y")


def look_alikes(text: str) -> Iterator[str]:
    """The text with one letter that looks the same and is another."""
    for at, letter in enumerate(text):
        other = _WIDE.get(letter) or letter.translate(_ALIKE)
        if other != letter:
            yield text[:at] + other + text[at + 1 :]


def cases(text: str) -> Iterator[str]:
    """The text in other cases."""
    for other in dict.fromkeys((text.upper(), text.capitalize(), text.lower())):
        if other != text:
            yield other


def slashed(text: str) -> Iterator[str]:
    """The text as variants joined by a slash."""
    yield f"{text}/{text}s"
    yield f"{text.capitalize()}/{text}"


def others(lookup: Lookup, name: str, value: str) -> Iterator[str]:
    """Other values that the reference has in a column of its key, sorted."""
    yield from (one for one in lookup.values(name) if one != value)


def few_others(value: str, lookup: Lookup, name: str) -> Iterator[str]:
    """As `others`, where they are so few that a person might take one for another."""
    found = list(others(lookup, name, value))
    yield from found if len(found) <= _FEW else ()


def false_of(lookup: Lookup, key: Mapping[str, str | None], column: str, shown: str | None) -> bool:
    """Whether the shown value would be false for this key."""
    return lookup.look(key, column).value != shown
