"""Read one file that is about to be shown. A pure function of its name, its bytes and the words of the packs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from .gather import Excuse, Gatherer, TooDeep
from .html_pages import Html
from .json_documents import NotJson, give, parse
from .markdown_pages import read_markdown
from .passage import Reading, citations, read_passage, unmarked
from .shown import Citation, NoClaim, Sensed, ShownValue
from .words import ClaimWords

FORMS = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".svg": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".jsonl": "json",
}
"""By the ending of the name; anything else is text."""


def sense(file: str, data: bytes, words: ClaimWords) -> Sensed:
    """What a file shows. Never raises for what is in it: what cannot be read is `unreadable`, which is no silence."""
    form = FORMS.get(PurePath(file).suffix.lower(), "text")
    gatherer = Gatherer(file, words)
    gatherer.form = form
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8").replace("\r\n", "\n")
        if "\0" in text:
            return Sensed(file, unreadable="there is a NUL in it")
        _read(gatherer, form, text, words)
        gatherer.close()
    except UnicodeDecodeError as error:
        return Sensed(file, unreadable=f"byte {error.start} is not UTF-8")
    except (NotJson, TooDeep) as error:
        return Sensed(file, unreadable=str(error))
    except RecursionError:
        return Sensed(file, unreadable="it is nested too deeply")
    return _gathered(gatherer, words)


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
    form = FORMS.get("." + (info.split() or [""])[0].lower(), "text")
    text = "\n".join(lines)
    nodes = None
    if form == "json":
        try:
            nodes = parse(text, line)
        except NotJson:
            form = "text"
    if form == "text":
        gatherer.code(lines, line)
        return
    done = gatherer.block_of_code()
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
    shown, cited = list(gatherer.flaws), set[Citation]()
    for passage in gatherer.passages:
        reading, marks = read_passage(passage, words, file)
        readings[id(passage)] = reading
        for mark in marks:
            around = [passage, *passage.context] + ([passage.command] if passage.command is not None else [])
            shown.append(replace(mark, beside="\n".join(one.text for one in around)))
        cited.update(citations(reading, words, file))
    for value, passage in gatherer.marks:
        shown.append(replace(value, excerpt=value.excerpt or passage.excerpt(0) or value.value[:160]))
    cited.update(
        Citation(file, one.line, one.reference, None, one.edition)
        for one in shown
        if one.marked in ("official", "quote") and one.reference is not None and one.edition is not None
    )
    claims, excuses = _unmarked(gatherer, readings)
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
    blocks = {one.block: one for one in gatherer.excuses if one.block is not None}
    for passage in gatherer.passages:
        beside = [readings[id(one)] for one in passage.context if id(one) in readings]
        for holder, stretch in unmarked(readings[id(passage)], beside):
            where, spot = holder.passage, holder.origin(stretch[0])
            excuse = blocks.get(where.block) or blocks.get(passage.block)
            if excuse is not None:
                excused.setdefault(id(excuse), set()).add((id(where), spot))
                continue
            line, value = where.line_at(spot), holder.original(stretch)
            excerpt = where.excerpt(spot)
            row = ShownValue(gatherer.file, line, gatherer.form, "unmarked", value, excerpt=excerpt)
            found[(id(where), spot)] = row
    return list(found.values()), [(one, len(excused.get(id(one), ()))) for one in gatherer.excuses]


def _order(one: ShownValue) -> tuple[int, str, str, str, str]:
    return one.line, one.marked, one.value, one.form, one.excerpt
