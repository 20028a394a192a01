"""Read one file that is about to be shown. A pure function of its name, its bytes and the words of the packs."""

from __future__ import annotations

import re
from pathlib import PurePath

from ...frozen import replace
from ...seal import NONE, examined
from .elements import Excuse, TooDeep
from .gather import Gatherer
from .html_pages import Html
from .json_documents import NotJson, give, parse
from .markdown_pages import read_markdown
from .passage import Passage, Reading, citations, glued, read_passage, unmarked
from .shown import Citation, NoClaim, Sensed, ShownValue
from .words import ClaimWords

FORMS = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".svg": "html",
    ".xht": "html",
    ".shtml": "html",
    ".xml": "html",
    ".rss": "html",
    ".atom": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".mdx": "markdown",
    ".qmd": "markdown",
    ".rmd": "markdown",
    ".jsonl": "json",
    ".ipynb": "json",
}
"""By the ending of the name; anything else is text."""
XML = frozenset({".xhtml", ".xht", ".svg", ".xml", ".rss", ".atom"})
_ENTITY = re.compile(r"<!ENTITY\b", re.IGNORECASE)


def sense(file: str, data: bytes, words: ClaimWords) -> Sensed:
    """What a file shows. Never raises for what is in it: what cannot be read is `unreadable`, which is no silence."""
    form = FORMS.get(PurePath(file).suffix.lower(), "text")
    gatherer = Gatherer(file, words)
    gatherer.form = form
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8").replace("\r\n", "\n")
        if "\0" in text:
            return Sensed(file, unreadable="there is a NUL in it")
        if PurePath(file).suffix.lower() in XML and _ENTITY.search(text):
            return Sensed(file, unreadable="it declares entities, so what it shows does not stand in it")
        text, sealing = examined(text, form)
        gatherer.sealed = sealing != NONE
        _read(gatherer, form, text, words)
        gatherer.close()
    except UnicodeDecodeError as error:
        return Sensed(file, unreadable=f"byte {error.start} is not UTF-8")
    except (NotJson, TooDeep) as error:
        return Sensed(file, unreadable=str(error))
    except RecursionError:
        return Sensed(file, unreadable="it is nested too deeply")
    return replace(_gathered(gatherer, words), sealing=sealing)


def _read(gatherer: Gatherer, form: str, text: str, words: ClaimWords) -> None:
    if form == "html":
        Html(gatherer).read(text, 1)
    elif form == "markdown":
        read_markdown(gatherer, text, words, _fence)
    elif form == "json":
        for node in parse(text):
            give(gatherer, node, words)
    else:
        _plain(gatherer, text)


def _plain(gatherer: Gatherer, text: str) -> None:
    """Paragraphs, with empty lines between them. A line that is nothing but a remark is one."""
    gatherer.start("p", (), 1)
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped.startswith("<!--") and stripped.endswith("-->"):
            gatherer.remark(stripped[4:-3], number)
        elif stripped:
            gatherer.text(line + "\n", number)
        else:
            gatherer.end("p")
            gatherer.start("p", (), number)
    gatherer.end("p")


def _fence(gatherer: Gatherer, info: str, lines: list[str], line: int) -> None:
    """A fenced block: JSON, HTML and Markdown are read as such, anything else line by line."""
    form = FORMS.get("." + (re.findall(r"\w+", info) or [""])[0].lower(), "text")
    title = info.partition(" ")[2] if form != "text" else info
    text = "\n".join(lines)
    nodes = None
    if form == "json":
        try:
            nodes = parse(text, line)
        except NotJson:
            form = "text"
    if form == "text":
        gatherer.code(lines, line, title, max(line - 1, 1))
        return
    done = gatherer.block_of_code(title, max(line - 1, 1))
    if nodes is not None:
        for node in nodes:
            give(gatherer, node, gatherer.words)
    elif form == "html":
        Html(gatherer).read(text, line)
    else:
        read_markdown(gatherer, text, gatherer.words, _fence, line)
    done()


def _gathered(gatherer: Gatherer, words: ClaimWords) -> Sensed:
    """Marks, unmarked claims, citations and remarks of all passages."""
    file = gatherer.file
    readings: dict[int, Reading] = {}
    shown, cited = list[ShownValue](), set[Citation]()
    for passage in gatherer.passages:
        reading, marks = read_passage(passage, words, file)
        readings[id(passage)] = reading
        for mark in marks:
            around = [passage, *passage.context] + ([passage.command] if passage.command is not None else [])
            shown.append(replace(mark, beside="\n".join(one.text for one in around)))
        cited.update(citations(reading, words, file))
    for passage in gatherer.passages:
        for spot in glued(passage):
            gatherer.flaw(passage.line_at(spot), "letters stand directly against the mark", passage.excerpt(spot))
    for value, passage in gatherer.marks:
        shown.append(replace(value, excerpt=value.excerpt or passage.excerpt(0) or value.value[:160]))
    cited.update(
        Citation(file, one.line, one.reference, None, one.edition)
        for one in shown
        if one.marked in ("official", "quote") and one.reference is not None and one.edition is not None
    )
    claims, excuses = _unmarked(gatherer, readings)
    shown += gatherer.flaws
    return Sensed(
        file,
        tuple(sorted(shown + claims, key=_order)),
        tuple(sorted(cited, key=lambda c: (c.line, c.act_or_reference, c.article or "", c.edition or ""))),
        tuple(NoClaim(file, one.line, one.because, count) for one, count in excuses),
    )


def _unmarked(gatherer: Gatherer, readings: dict[int, Reading]) -> tuple[list[ShownValue], list[tuple[Excuse, int]]]:
    """Unmarked claims that no remark excuses, and what each remark excuses."""
    found: dict[tuple[int, int], ShownValue] = {}
    excused: dict[int, set[tuple[int, int]]] = {}
    rest, style = _styles(gatherer, readings)
    blocks = {one.block: one for one in gatherer.excuses if one.block is not None}
    wide = [one for one in gatherer.excuses if one.everywhere]
    for passage in gatherer.passages:
        beside = [readings[id(one)] for one in _beside(passage) if id(one) in readings]
        beside += rest if passage.is_style else style
        for holder, stretch, value in unmarked(readings[id(passage)], beside):
            where, spot = holder.passage, stretch[0]
            near = blocks.get(where.block) or blocks.get(passage.block)
            excuse = next((one for one in (near, *wide) if one and one.takes((id(where), spot), value)), None)
            if excuse is not None:
                excused.setdefault(id(excuse), set()).add((id(where), spot))
                continue
            row = ShownValue(
                gatherer.file, where.line_at(spot), gatherer.form, "unmarked", value, excerpt=where.excerpt(spot),
                flaw=_PROPOSED if stretch[0] == stretch[1] else None,
            )  # fmt: skip
            found[(id(where), spot)] = row
    return list(found.values()), [(one, len(excused.get(id(one), ()))) for one in gatherer.excuses]


def _styles(gatherer: Gatherer, readings: dict[int, Reading]) -> tuple[list[Reading], list[Reading]]:
    """What stands beside each style sheet, and beside everything else: of each one that sounds official is enough.

    Beside an official value, what a style sheet puts into the page is taken for one.
    """
    official = [readings[id(one)] for one in gatherer.passages if readings[id(one)].is_official]
    rest = [one for one in official if not one.passage.is_style][:1]
    if not rest and any(value.marked == "official" for value, _ in gatherer.marks) and readings:
        rest = [replace(next(iter(readings.values())), is_official=True, claims=(), proposed=())]
    return rest, [one for one in official if one.passage.is_style][:1]


_PROPOSED = "what is proposed, computed or set by a person stands beside a word that calls it official"


def _beside(passage: Passage) -> list[Passage]:
    """What stands beside a passage. One that is empty passes on what stands beside itself."""
    found = list[Passage]()
    for one in passage.context + passage.wider:
        found += [one] if not one.is_empty else one.context + one.wider
    return list({id(one): one for one in found}.values())


def _order(one: ShownValue) -> tuple[int, str, str, str, str]:
    return one.line, one.marked, one.value, one.form, one.excerpt
