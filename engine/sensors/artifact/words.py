"""The words that make a claim: what a value looks like, and what makes it sound official. They come from the packs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

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
    declared = tuple(Declared(r.name, r.title, r.edition, r.key, tuple(r.columns)) for r in found)
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
_OFFICIAL = r"[o0]ff[i1l]c[i1l]a[l1i](?:s|ly)?|[o0]f[i1l]c[i1l]a[l1i](?:es|mente)?"
_ALONE, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Over folded text. `claim` finds values; `official` finds words of officialdom; `named` what can be cited."""

    claim: re.Pattern[str]
    official: re.Pattern[str]
    named: re.Pattern[str] | None
    names: dict[str, str]
    """What a folded name stands for."""


@lru_cache(maxsize=8)
def patterns(words: ClaimWords) -> Patterns:
    names = {folded(text)[0]: name for name, text in _names(words)}
    levels = [folded(level)[0] for level in words.levels]
    claims = [*(_SPLIT.sub(r"\1[\\s-]?\2", level) for level in _either(levels)), _DEADLINE]
    named = _either(names)
    return Patterns(
        re.compile(f"{_ALONE}(?:{'|'.join(claims)}){_ENDS}"),
        re.compile(f"{_ALONE}(?:{'|'.join([_OFFICIAL, *named])}){_ENDS}"),
        re.compile(f"{_ALONE}(?:{'|'.join(named)}){_ENDS}") if named else None,
        names,
    )


# `B 1` and `B-1` are read as `B1`.
_SPLIT = re.compile(r"([a-z])([0-9])")


def _names(words: ClaimWords) -> Iterator[tuple[str, str]]:
    for one in words.references:
        yield one.name, one.name
        yield one.name, one.name.replace("_", " ")
        yield one.name, one.title
    for act in words.acts:
        yield act, act
        short = _NUMBER_OF_ACT.search(act)
        if short is not None:
            yield act, short[0]


def _either(texts: Iterable[str]) -> list[str]:
    """The texts as patterns, the longest first; a space in them is any white space."""
    ordered = sorted({text for text in texts if text.strip()}, key=lambda t: (-len(t), t))
    return [r"\s+".join(re.escape(part) for part in text.split()) for text in ordered]
