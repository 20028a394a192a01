"""Lies told on pages: marks are found with patterns of their own, not with the sensor that has to notice the lie."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from urllib.parse import parse_qsl, quote, unquote

from ...frozen import dataclass
from ...markup import PIN_COLUMNS
from ...references import Lookup
from .lie import Ground, Lie, PageChange
from .words import cases, false_of, few_others, look_alikes, neighbours, slashed

_LINK = re.compile(
    r"\[(?P<value>[^\]\n]*)\]\(fiel:(?P<reference>[a-z0-9_]+)(?:@(?P<edition>[^?#\s)]*))?\?(?P<query>[^#\s)]*)"
    r'#(?P<column>[a-z0-9_]+|%40[a-z0-9]+)(?::(?P<line>[0-9]+))?\s+"(?P<mark>official|quote)"\)'
)
_PROPOSED = re.compile(r'\[(?P<value>[^\]\n]*)\]\(fiel:\?[^\s)]*\s+"proposed"\)')
_ELEMENT = re.compile(r'<data class="official"(?P<attributes>[^>]*)>(?P<value>[^<]*)</data>')
_PROPOSED_ELEMENT = re.compile(r'<data class="proposed"(?P<attributes>[^>]*)>(?P<value>[^<]*)</data>')
_ATTRIBUTE = re.compile(r'(?P<name>[a-z-]+)=(?P<q>["\'])(?P<value>.*?)(?P=q)')
_OBJECT = re.compile(r'\{[^{}]*(?:\{[^{}]*\}[^{}]*)?"provenance"\s*:\s*"official"[^{}]*(?:\{[^{}]*\}[^{}]*)?\}')
_LINE = re.compile(
    r"(?P<value>[^\s()|`]+) \((?P<reference>[a-z][a-z0-9_]*) (?P<edition>[^\s(),]+), line (?P<line>[0-9]+)"
    r'(?P<key>(?:,\s(?:"[^"\n]*"|[^\s(),"]+))*)\)'
)


@dataclass(frozen=True)
class Mark:
    """A true official mark of a page: where it stands, what it says, and how it would be written otherwise.

    `write(value, key, edition, line)` gives the mark with these in it; `key` is None for the text form.
    """

    page: str
    start: int
    end: int
    form: str
    value: str
    reference: str
    key: Mapping[str, str] | None
    column: str | None
    edition: str | None
    line: int | None
    write: Callable[[str, Mapping[str, str] | None, str | None, int | None], str]
    is_quote: bool = False


def marks_of(ground: Ground) -> list[Mark]:
    """Every official mark of every page, in order."""
    return [mark for page in ground.pages for mark in marks_in(page, ground.text(page))]


def marks_in(page: str, text: str) -> Iterator[Mark]:
    """The marks of one page, by the form that its name says it has."""
    ending = page.rpartition(".")[2].lower()
    if ending in ("md", "markdown"):
        yield from _links(page, text)
        yield from _lines(page, text)
    elif ending in ("html", "htm", "xhtml"):
        yield from _elements(page, text)
    elif ending == "json":
        yield from _objects(page, text)
    else:
        yield from _lines(page, text)


def _links(page: str, text: str) -> Iterator[Mark]:
    for found in _LINK.finditer(text):
        key = dict(parse_qsl(found["query"], keep_blank_values=True))
        reference, column, mark = found["reference"], found["column"], found["mark"]

        def write(
            value: str, key: Mapping[str, str] | None, edition: str | None, line: int | None,
            reference: str = reference, column: str = column, mark: str = mark,
        ) -> str:  # fmt: skip
            query = "&".join(f"{quote(name)}={quote(one, safe='')}" for name, one in (key or {}).items())
            at = f"@{quote(edition)}" if edition is not None else ""
            where = f":{line}" if line is not None else ""
            return f'[{value}](fiel:{reference}{at}?{query}#{column}{where} "{mark}")'

        line = int(found["line"]) if found["line"] else None
        value = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found["value"])
        yield Mark(
            page, found.start(), found.end(), "markdown", value, reference, key, column, found["edition"], line, write,
            mark == "quote",
        )  # fmt: skip


def _elements(page: str, text: str) -> Iterator[Mark]:
    for found in _ELEMENT.finditer(text):
        said = {one["name"]: unescape(one["value"]) for one in _ATTRIBUTE.finditer(found["attributes"])}
        try:
            key = dict(json.loads(said["data-key"]))
            reference, column = said["data-reference"], said["data-column"]
        except (KeyError, ValueError):
            continue

        def write(
            value: str, key: Mapping[str, str] | None, edition: str | None, line: int | None,
            reference: str = reference, column: str = column,
        ) -> str:  # fmt: skip
            attributes = {"data-reference": reference, "data-key": json.dumps(key, ensure_ascii=False)}
            attributes |= {"data-column": column}
            attributes |= {"data-edition": edition} if edition is not None else {}
            attributes |= {"data-line": str(line)} if line is not None else {}
            written = "".join(f' {name}="{escape(one)}"' for name, one in {**attributes, "value": value}.items())
            return f'<data class="official"{written}>{escape(value)}</data>'

        line = int(said["data-line"]) if said.get("data-line", "").isdigit() else None
        value = unescape(found["value"])
        yield Mark(
            page,
            found.start(),
            found.end(),
            "html",
            value,
            reference,
            key,
            column,
            said.get("data-edition"),
            line,
            write,
        )


def _objects(page: str, text: str) -> Iterator[Mark]:
    for found in _OBJECT.finditer(text):
        try:
            said = json.loads(found[0])
            key, reference, column = said["key"], said["reference"], said["column"]
        except (KeyError, ValueError, TypeError):
            continue

        def write(
            value: str, key: Mapping[str, str] | None, edition: str | None, line: int | None,
            said: Mapping[str, object] = said,
        ) -> str:  # fmt: skip
            changed = {**said, "value": value, "key": key}
            changed |= {"edition": edition} if "edition" in said else {}
            changed |= {"line": line} if "line" in said else {}
            return json.dumps(changed, ensure_ascii=False)

        yield Mark(
            page, found.start(), found.end(), "json", str(said["value"]), reference, key, column, said.get("edition"),
            said.get("line"), write,
        )  # fmt: skip


def _lines(page: str, text: str) -> Iterator[Mark]:
    for found in _LINE.finditer(text):
        reference, rest = found["reference"], found["key"]

        def write(
            value: str, key: Mapping[str, str] | None, edition: str | None, line: int | None,
            reference: str = reference, rest: str = rest,
        ) -> str:  # fmt: skip
            return f"{value} ({reference} {edition}, line {line}{rest})"

        yield Mark(
            page, found.start(), found.end(), "text", found["value"], reference, None, None, found["edition"],
            int(found["line"]), write,
        )  # fmt: skip


# -- lies ------------------------------------------------------------------------------------------------------


def _told(ground: Ground, kind: str, mark: Mark, new: str, was: str, now: str) -> Lie:
    text = ground.text(mark.page)
    line = text.count("\n", 0, mark.start) + 1
    return Lie(kind, f"{mark.page}:{line}", was, now, page=PageChange(mark.page, text, mark.start, mark.end, new))


def _official(ground: Ground) -> Iterator[tuple[Mark, Lookup]]:
    for mark in marks_of(ground):
        lookup = ground.lookups.get(mark.reference)
        if lookup is not None and not mark.is_quote and not _is_pin(mark):
            yield mark, lookup


def _is_pin(mark: Mark) -> bool:
    """Whether it says something of the reference itself, and of no row of it."""
    return mark.column is not None and unquote(mark.column) in PIN_COLUMNS.values()


def pin_altered(ground: Ground) -> Iterator[Lie]:
    """A citation, an edition, a licence or a hash with another letter or digit."""
    for mark in marks_of(ground):
        for at in {0, len(mark.value) // 2, len(mark.value) - 1} if _is_pin(mark) and mark.value else ():
            other = mark.value[:at] + ("x" if mark.value[at] != "x" else "y") + mark.value[at + 1 :]
            new = mark.write(other, mark.key, mark.edition, mark.line)
            yield _told(ground, "page-pin-altered", mark, new, mark.value, other)


def level_flipped(ground: Ground) -> Iterator[Lie]:
    for mark, lookup in _official(ground):
        column = mark.column or _only_column(lookup)
        for other in neighbours(mark.value, lookup.table.reference, column) if column else ():
            new = mark.write(other, mark.key, mark.edition, mark.line)
            yield _told(ground, "page-level-flipped", mark, new, mark.value, other)


def _only_column(lookup: Lookup) -> str | None:
    """The one column of levels, which the text form does not name."""
    found = [c.name for c in lookup.table.reference.columns.values() if c.type.levels]
    return found[0] if len(found) == 1 else None


def value_look_alike(ground: Ground) -> Iterator[Lie]:
    for mark, _ in _official(ground):
        for other in look_alikes(mark.value):
            new = mark.write(other, mark.key, mark.edition, mark.line)
            yield _told(ground, "page-value-look-alike", mark, new, mark.value, other)


def _of_key(ground: Ground, kind: str, change: Callable[[str, Lookup, str], Iterator[str]]) -> Iterator[Lie]:
    """Marks with one part of their key changed, where the reference does not hold the shown value for it."""
    for mark, lookup in _official(ground):
        for name, value in (mark.key or {}).items():
            for other in change(value, lookup, name):
                key = {**(mark.key or {}), name: other}
                if mark.column and false_of(lookup, dict(key), mark.column, mark.value):
                    new = mark.write(mark.value, key, mark.edition, mark.line)
                    yield _told(ground, kind, mark, new, f"{name} {value}", f"{name} {other}")


def key_look_alike(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "page-key-look-alike", lambda value, _, __: look_alikes(value))


def key_case(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "page-key-case", lambda value, _, __: cases(value))


def key_slashed(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "page-key-slashed", lambda value, _, __: slashed(value))


def key_swapped(ground: Ground) -> Iterator[Lie]:
    yield from _of_key(ground, "page-key-swapped", few_others)


def key_emptied(ground: Ground) -> Iterator[Lie]:
    for mark, _ in _official(ground):
        for name, value in (mark.key or {}).items():
            left = {one: text for one, text in (mark.key or {}).items() if one != name}
            for key in (left, {**(mark.key or {}), name: ""}):
                new = mark.write(mark.value, key, mark.edition, mark.line)
                yield _told(ground, "page-key-emptied", mark, new, f"{name} {value}", "nothing")


def stale_edition(ground: Ground) -> Iterator[Lie]:
    for mark, lookup in _official(ground):
        reference = lookup.table.reference
        for edition in (*reference.repealed, f"{reference.edition}.1", "0.1"):
            if mark.edition is not None and edition != reference.edition:
                new = mark.write(mark.value, mark.key, edition, mark.line)
                yield _told(ground, "page-stale-edition", mark, new, f"edition {mark.edition}", f"edition {edition}")


def wrong_line(ground: Ground) -> Iterator[Lie]:
    for mark, lookup in _official(ground):
        for line in (mark.line - 1, mark.line + 1, mark.line + 1000) if mark.line is not None else ():
            if line > 0 and not _same_row(lookup, mark.line or 0, line):
                new = mark.write(mark.value, mark.key, mark.edition, line)
                yield _told(ground, "page-wrong-line", mark, new, f"line {mark.line}", f"line {line}")


def _same_row(lookup: Lookup, one: int, other: int) -> bool:
    """Whether a list says the same twice: then each of the two lines is right."""
    names = list(lookup.table.reference.columns)

    def rows(line: int) -> set[tuple[str | None, ...]]:
        return {tuple(lookup.shown(name, row) for name in names) for row in lookup.at_line(line)}

    return bool(rows(one) & rows(other))


def mark_removed(ground: Ground) -> Iterator[Lie]:
    for mark, _ in _official(ground):
        if mark.form in ("markdown", "html"):
            new = f"{mark.value} (official)"
            yield _told(ground, "page-mark-removed", mark, new, "a mark", "the word alone")


def proposal_relabelled(ground: Ground) -> Iterator[Lie]:
    """A proposal that is marked as official: by an element, a link, or the word."""
    for page in ground.pages:
        text = ground.text(page)
        ending = page.rpartition(".")[2].lower()
        pattern = _PROPOSED if ending in ("md", "markdown") else _PROPOSED_ELEMENT
        for found in pattern.finditer(text):
            for new in _as_official(found["value"], ground.lookups, ending in ("md", "markdown")):
                line = text.count("\n", 0, found.start()) + 1
                changed = PageChange(page, text, found.start(), found.end(), new)
                yield Lie("page-proposal-relabelled", f"{page}:{line}", "proposed", new, page=changed)


def _as_official(value: str, lookups: Mapping[str, Lookup], markdown: bool) -> Iterator[str]:
    yield f"{value} (official)"
    for name, lookup in sorted(lookups.items()):
        reference = lookup.table.reference
        key = dict.fromkeys(reference.key, "made-up")
        column = next((one for one in reference.columns if one not in reference.key), reference.key[0])
        if markdown:
            query = "&".join(f"{one}=made-up" for one in key)
            yield f'[{value}](fiel:{name}?{query}#{column} "official")'
        else:
            said = f'data-reference="{name}" data-key="{escape(json.dumps(key))}" data-column="{column}"'
            yield f'<data class="official" {said} value="{value}">{value}</data>'


def quote_altered(ground: Ground) -> Iterator[Lie]:
    for mark in marks_of(ground):
        for at, letter in enumerate(mark.value) if mark.is_quote else ():
            if letter.isalpha():
                other = mark.value[:at] + ("x" if letter != "x" else "y") + mark.value[at + 1 :]
                new = mark.write(other, mark.key, mark.edition, mark.line)
                yield _told(ground, "page-quote-altered", mark, new, mark.value, other)
