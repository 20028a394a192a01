"""The words that make a claim: what a value looks like, and what makes it sound official. They come from the packs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ...frozen import dataclass
from ...model import Pack, Reference
from .letters import folded


@dataclass(frozen=True, slots=True)
class Declared:
    """What a mark may name of a reference."""

    name: str
    title: str
    edition: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    cite: str = ""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """`levels` are the values of levels columns of references, `acts` the acts that policies name as their source."""

    references: tuple[Declared, ...] = ()
    levels: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()

    def declared(self, name: str | None) -> Declared | None:
        return next((one for one in self.references if one.name == name), None)


def claim_words(references: Iterable[Reference], packs: Iterable[Pack] = ()) -> ClaimWords:
    """The words of these references, and of the sources of the policies of these packs."""
    found = sorted(references, key=lambda r: r.name)
    declared = tuple(Declared(r.name, r.title, r.edition, r.key, tuple(r.columns), r.cite) for r in found)
    levels = {level for r in found for column in r.columns.values() for level in column.type.levels}
    return ClaimWords(declared, tuple(sorted(levels)), tuple(sorted({act for p in packs for act in _acts(p)})))


_NUMBER_OF_ACT = re.compile(r"(?:\([A-Z]+\)\s+)?\S*[0-9]/[0-9]\S*$")
_ACT = re.compile(r"\s*([^,;]*[0-9][^,;]*)")


def _acts(pack: Pack) -> Iterator[str]:
    """Acts of a pack's policies and parameters. Of a parameter's source it is what stands before the first comma."""
    for policy in pack.policies.values():
        if policy.source is not None:
            yield policy.source.act.strip()
        for parameter in policy.params.values():
            for source in [parameter.source] + [value.source for value in parameter.values]:
                act = _ACT.match(source) if source and parameter.origin == "law" else None
                if act is not None:
                    yield act[1].strip()


# -- as patterns over folded text --------------------------------------------------------------------------------

_NUMBER = (
    r"(?:\d+(?:[.,]\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|forty-five|sixty|ninety|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte"
    r"|treinta|cuarenta|sesenta|noventa)"
)
_UNIT = (
    r"(?:(?:working|business|calendar|clear|full|consecutive|natural|school)[\s-]+)?"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?|minutos?|horas?|dias?|semanas?|mes|meses|anos?)"
)
_DEADLINE = rf"{_NUMBER}[\s-]*(?:\(\d+\)\s*)?{_UNIT}"
_ALONE, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"
# Letters may be spaced out (`O F F I C I A L`), and what follows may be glued to the word (`officialLevel`,
# `officialB2`, `oficialmente`): no end of a word is asked for. French, German and Italian forms are cheap to know.
_OFFICIAL = "|".join(
    r"[\s._*-]?".join(letters)
    for letters in (
        ("[o0]", "f", "f", "[i1l]", "c", "[i1l]", "a", "[l1i]"),
        ("[o0]", "f", "[i1l]", "c", "[i1l]", "a", "[l1i]"),
        ("o", "f", "f", "i", "c", "i", "e", "l"),
        ("o", "f", "f", "i", "z", "i", "e", "l", "l"),
        ("u", "f", "f", "i", "c", "i", "a", "l"),
    )
)
# A level may be glued to a word that introduces it, and may have an ending: `officialB2`, `all B2s`.
_BEFORE = r"(?:(?<![^\W_])|(?<=official)|(?<=oficial)|(?<=level)|(?<=nivel)|(?<=lvl))"
_AFTER = r"(?:(?![^\W_])|(?=(?:s|level|nivel|official|oficial)(?![^\W_])))"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Over folded text. `claim` finds values; `official` finds words of officialdom; `named` what can be cited."""

    claim: re.Pattern[str]
    official: re.Pattern[str]
    named: re.Pattern[str] | None
    names: dict[str, str]
    """What a folded name stands for, without what separates its parts."""

    def stands_for(self, name: str) -> str:
        """What a name that was found in folded text is the name of."""
        return self.names.get(_joined(name), name)


@lru_cache(maxsize=8)
def patterns(words: ClaimWords) -> Patterns:
    names = {folded(text)[0]: name for name, text in _names(words)}
    levels = [folded(level)[0] for level in words.levels]
    claims = [_SPLIT.sub(r"\1(?:\\s{1,3}|[_/(-])?\2", level) for level in _either(levels)]
    claims = [*(f"{_BEFORE}(?:{'|'.join(claims)}){_AFTER}" for _ in claims[:1]), f"{_ALONE}{_DEADLINE}{_ENDS}"]
    named = _either_name(names)
    return Patterns(
        re.compile("|".join(claims)),
        re.compile(
            "|".join([f"{_ALONE}(?:{_OFFICIAL})", *(f"{_ALONE}(?:{'|'.join(named)}){_ENDS}" for _ in named[:1])])
        ),
        re.compile(f"{_ALONE}(?:{'|'.join(named)}){_ENDS}") if named else None,
        {_joined(name): what for name, what in names.items()},
    )


# `B 1`, `B-1`, `B_1`, `B/1` and `B(1)` are read as `B1`.
_SPLIT = re.compile(r"([a-z])([0-9])")


def _names(words: ClaimWords) -> Iterator[tuple[str, str]]:
    for one in words.references:
        yield one.name, one.name
        yield one.name, one.title
        yield from ((one.name, called) for called in _called(one.cite))
    for act in words.acts:
        yield act, act
        short = _NUMBER_OF_ACT.search(act)
        if short is not None:
            yield act, short[0]


_CALLED = re.compile(
    r"(?:The\s+|El\s+|La\s+)?(\w[^.,(;:]{5,79}?)\s*(?:\s(?:[Vv]ersion|[Vv]er|[Ee]dition|v?\d)|[.,(;:])"
)


def _called(cite: str) -> Iterator[str]:
    """The name with which a citation begins: that of `The Made-up Wordlist Version 1.0. By …` is Made-up Wordlist."""
    found = _CALLED.match(cite)
    if found is not None and re.search(r"[\s-]", found[1]):
        yield found[1]


_PARTS = re.compile(r"[\s_-]+")


def _joined(name: str) -> str:
    return _PARTS.sub("", name)


def _either_name(names: Iterable[str]) -> list[str]:
    """Names as patterns, the longest first; what separates their parts may be white space, `_`, `-` or nothing."""
    ordered = sorted({name for name in names if name.strip()}, key=lambda t: (-len(t), t))
    return [r"[\s_-]*".join(re.escape(part) for part in _PARTS.split(name.strip()) if part) for name in ordered]


def _either(texts: Iterable[str]) -> list[str]:
    """The texts as patterns, the longest first; a space in them is any white space."""
    ordered = sorted({text for text in texts if text.strip()}, key=lambda t: (-len(t), t))
    return [r"\s+".join(re.escape(part) for part in text.split()) for text in ordered]
