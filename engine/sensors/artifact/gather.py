"""Elements, texts and remarks, in the order of the page, become passages and marks. Every form ends here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from .letters import folded
from .marks_in import Attributes, from_html, html_marking
from .passage import Passage
from .shown import ShownValue
from .tables import Table
from .words import ClaimWords, patterns

HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
HOLDERS = frozenset("li td th dt dd caption figcaption summary legend label option".split()) | HEADINGS
"""Elements that a reader takes together, whatever blocks are in them."""
STRUCTURE = frozenset(
    "html body main section article header footer nav aside table thead tbody tfoot tr ul ol dl form svg g".split()
)
LISTS = frozenset({"ul", "ol", "dl"})
BLOCKS = STRUCTURE | HOLDERS | frozenset(
    "p div blockquote pre title head address details dialog fieldset figure hr hgroup menu search style script "
    "template text textarea button select noscript iframe object video audio canvas".split()
)  # fmt: skip
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_CLOSED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "tr": (frozenset({"tr", "td", "th"}), frozenset({"table"})),
    "tbody": (frozenset({"thead", "tbody", "tr", "td", "th"}), frozenset({"table"})),
    "tfoot": (frozenset({"thead", "tbody", "tr", "td", "th"}), frozenset({"table"})),
}
_SPOKEN = frozenset(
    "title alt aria-label aria-description aria-valuetext placeholder label summary content value srcdoc".split()
)
_REMARK = re.compile(r"^\s*fiel\s*:(.*)$", re.DOTALL | re.IGNORECASE)
_NO_CLAIM = re.compile(r"^\s*no claim\s*(?:,\s*because\s+(.*\S))?\s*$", re.DOTALL | re.IGNORECASE)


DEEPEST = 500
"""Elements in one another. No page that is meant to be read comes near."""


class TooDeep(ValueError):
    """The page cannot be read; the message says where."""


@dataclass
class Excuse:
    """A remark that a block makes no claim."""

    line: int
    because: str
    block: int | None = None


@dataclass
class _Open:
    tag: str
    passage: Passage
    attributes: Attributes = ()
    marking: str | None = None
    line: int = 0
    texts: list[str] = field(default_factory=list)
    table: Table | None = None
    block: int | None = None
    """Of a list that a remark stands before: the number of all of it."""
    label: Passage | None = None
    """The summary, legend or caption of what is in this element."""


class Gatherer:
    """Give it what a page holds, then read `passages`, `marks` and `excuses`."""

    def __init__(self, file: str, words: ClaimWords) -> None:
        self.file, self.words, self.form = file, words, "html"
        self.passages: list[Passage] = []
        self.marks: list[tuple[ShownValue, Passage]] = []
        self.excuses: list[Excuse] = []
        self.flaws: list[ShownValue] = []
        self.in_code = False
        self._blocks = count(1)
        self._heading: Passage | None = None
        self._term: Passage | None = None
        self._last: Passage | None = None
        self._lead: Passage | None = None
        self._pending: list[Excuse] = []
        self._block: int | None = None
        self._stack: list[_Open] = []
        self._stack.append(_Open("", self._new()))

    # -- what a page holds -----------------------------------------------------------------------------------

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        self._close_implied(tag)
        if len(self._stack) > DEEPEST:
            raise TooDeep(f"line {line}: elements are nested deeper than {DEEPEST} levels")
        marking = html_marking(tag, attributes)
        top = self._stack[-1]
        if tag in BLOCKS:
            passage = self._passage_of(tag, attributes, top, line)
        else:
            passage = top.passage
            if tag in ("br", "img", "input"):
                self._add(passage, " ", line)
        opened = _Open(tag, passage, attributes, marking, line, table=Table() if tag == "table" else None)
        if tag in LISTS and self._pending:
            opened.block = self._taken()
        if tag in VOID:
            self._spoken(opened, line)
            if marking is not None:
                self._finish_mark(opened)
            return
        self._stack.append(opened)
        self._spoken(opened, line)

    def text(self, text: str, line: int) -> None:
        marked = next((one for one in reversed(self._stack) if one.marking is not None), None)
        if marked is not None:
            marked.texts.append(text)
            return
        depth = next((n for n, one in enumerate(self._stack) if one.tag in ("pre", "style")), None)
        if depth is None:
            self._add(self._stack[-1].passage, text, line)
            return
        for number, part in enumerate(text.split("\n")):
            if number:
                above = self._stack[depth].passage
                passage = self._new(above.block, above.context)
                passage.command = above if above.text_so_far.lstrip().startswith("$ ") else above.command
                for one in self._stack[depth:]:
                    one.passage = passage
            self._add(self._stack[-1].passage, part, line + number)

    def end(self, tag: str) -> None:
        depth = next((n for n in range(len(self._stack) - 1, 0, -1) if self._stack[n].tag == tag), None)
        if depth is not None:
            self._pop_to(depth)

    def remark(self, text: str, line: int) -> None:
        """A comment. One of ours excuses the block in which it stands, or the next one."""
        ours = _REMARK.match(text)
        if ours is None or self.in_code:
            return
        because = _NO_CLAIM.match(ours[1])
        if because is None:
            self.flaw(line, "a remark to Fiel that is not `fiel: no claim, because …`", text)
        elif not because[1]:
            self.flaw(line, "`fiel: no claim` without `, because …`", text)
        else:
            excuse = Excuse(line, " ".join(because[1].split()))
            self.excuses.append(excuse)
            passage = self._stack[-1].passage
            if passage.is_empty and not any(where is passage for _, where in self.marks):
                self._pending.append(excuse)
            else:
                excuse.block = passage.block

    def flaw(self, line: int, why: str, excerpt: str) -> None:
        """Something that claims to speak to us and cannot be understood."""
        short = " ".join(excerpt.split())[:160]
        self.flaws.append(ShownValue(self.file, line, self.form, "official", "", excerpt=short, flaw=why))

    def code(self, lines: list[str], line: int) -> None:
        """Lines that are read one by one, together one block."""
        block, command = self._taken(), None
        context = self._above("pre")
        for number, text in enumerate(lines):
            passage = self._new(block, context)
            self._add(passage, text, line + number)
            command = passage if text.lstrip().startswith("$ ") else command
            passage.command = command

    def mark(self, make: Callable[[str], ShownValue | None], texts: list[str], line: int) -> None:
        """A mark that is no element: a link, an object."""
        shown = make(_one_line(texts))
        passage = self._stack[-1].passage
        if shown is None:
            self._add(passage, "".join(texts), line)
            return
        self.marks.append((shown, passage))
        self._use(passage)
        self._add(passage, " ", line)

    def speak(self, text: str, line: int) -> None:
        """Text that stands apart from its neighbours in the same passage."""
        self._add(self._stack[-1].passage, f" {text} ", line)

    def block_of_code(self) -> Callable[[], None]:
        """From here on everything belongs to one block, until the answer is called."""
        self._block, self.in_code, depth = self._taken(), True, len(self._stack)
        self._stack.append(_Open("", self._new(context=self._above("pre"))))

        def done() -> None:
            self._pop_to(depth)
            self._block, self.in_code = None, False

        return done

    def close(self) -> None:
        self._pop_to(1)

    # -- passages --------------------------------------------------------------------------------------------

    def _new(self, block: int | None = None, context: list[Passage] | None = None) -> Passage:
        if block is None:
            listed = (one.block for one in self._stack if one.block is not None) if self._block is None else ()
            block = next(iter(listed), self._block)
        number = block if block is not None else next(self._blocks)
        passage = Passage(number, [], list(context or ()))
        self.passages.append(passage)
        return passage

    def _taken(self) -> int:
        """The number of a new block, to which remarks that wait for one belong."""
        number = self._block if self._block is not None else next(self._blocks)
        for excuse in self._pending:
            excuse.block = number
        self._pending.clear()
        return number

    def _use(self, passage: Passage) -> None:
        for excuse in self._pending:
            excuse.block = passage.block
        self._pending.clear()

    def _add(self, passage: Passage, text: str, line: int) -> None:
        if not text:
            return
        if text.strip():
            self._use(passage)
            self._last = passage
        passage.pieces.append((text, line))

    def _passage_of(self, tag: str, attributes: Attributes, top: _Open, line: int) -> Passage:
        holder = next((o for o in reversed(self._stack) if o.tag in HOLDERS or o.tag in STRUCTURE), None)
        if holder is not None and holder.tag in HOLDERS and tag not in STRUCTURE and tag not in HOLDERS:
            self._add(top.passage, "\n", line)
            return top.passage
        table = self._table()
        context = self._above(tag)
        if top.tag not in STRUCTURE and top.tag and not top.passage.is_empty:
            context.append(top.passage)
        outer = next((o.passage for o in reversed(self._stack) if o.tag in HOLDERS and not o.passage.is_empty), None)
        if outer is not None and outer is not top.passage:
            context.append(outer)
        if tag == "dd" and self._term is not None:
            context.append(self._term)
        inside = table is not None and tag in ("td", "th", "caption")
        block = table.block if inside and table is not None else None
        if inside and table is not None and block is None:
            block = table.block = self._taken()
        passage = self._new(block, context)
        passage.is_plain = tag not in HOLDERS
        if tag in HEADINGS:
            self._heading = passage
        elif tag == "dt":
            self._term = passage
        elif tag in ("summary", "legend", "figcaption"):
            top.label = passage
        elif tag == "caption" and table is not None:
            table.caption = passage
        elif tag in ("td", "th") and table is not None:
            table.cell(passage, tag, attributes)
        elif tag == "tr" and table is not None:
            table.row(any(one.tag == "thead" for one in self._stack))
        return passage

    def _above(self, tag: str) -> list[Passage]:
        """What a new block stands under: the nearest heading, labels of what it is in, and what introduces it."""
        if tag in STRUCTURE:
            return []
        if self._last is not None and self._last.is_plain and _introduces(self._last.text_so_far):
            self._lead = self._last
        elif tag not in HOLDERS and tag != "pre":
            self._lead = None
        found = [self._heading] if self._heading is not None and tag not in HEADINGS else []
        found += [self._lead] if self._lead is not None and tag not in HEADINGS else []
        return found + [one.label for one in self._stack if one.label is not None]

    def _table(self) -> Table | None:
        return next((one.table for one in reversed(self._stack) if one.table is not None), None)

    def _close_implied(self, tag: str) -> None:
        closed = _CLOSED_BY.get(tag)
        if tag in BLOCKS:
            for depth in range(len(self._stack) - 1, 0, -1):
                if self._stack[depth].tag == "p":
                    self._pop_to(depth)
                    break
                if self._stack[depth].tag in BLOCKS:
                    break
        if closed is None:
            return
        for depth in range(len(self._stack) - 1, 0, -1):
            if self._stack[depth].tag in closed[1]:
                if depth + 1 < len(self._stack) and self._stack[depth + 1].tag in closed[0]:
                    self._pop_to(depth + 1)
                return

    def _pop_to(self, depth: int) -> None:
        while len(self._stack) > depth:
            one = self._stack.pop()
            if one.marking is not None:
                self._finish_mark(one)
            if one.tag in ("tr", "table"):
                table = one.table if one.table is not None else self._table()
                if table is not None:
                    table.end_row()

    # -- marks and what elements say beside their text -------------------------------------------------------

    def _finish_mark(self, one: _Open) -> None:
        shown = _one_line(one.texts)
        at = ShownValue(self.file, one.line, "html", "", "")
        value = from_html(one.tag, one.marking or "", one.attributes, shown, at, self.words)
        self.marks.append((value, one.passage))
        self._use(one.passage)
        outer = next((o for o in reversed(self._stack) if o.marking is not None), None)
        if outer is not None:
            self.flaw(one.line, "a mark stands inside another", shown)
        self._add(one.passage, " ", one.line)

    def _spoken(self, one: _Open, line: int) -> None:
        """Attributes that are read out, shown on hover, or that scripts and styles show."""
        for name, text in one.attributes:
            if not text or (one.marking is not None and (name == "value" or name.startswith("data-"))):
                continue
            if name in _SPOKEN:
                self._add(one.passage, f" {text} ", line)
            elif name.startswith("data-"):
                self._add(one.passage, f" {name[5:].replace('-', ' ')} {text} ", line)
            elif name in ("class", "id") and one.marking is None:
                said = patterns(self.words).official.findall(folded(re.sub(r"[-_]", " ", text))[0])
                self._add(one.passage, f" {' '.join(said)} " if said else "", line)


def _one_line(texts: list[str]) -> str:
    """What a mark shows: an end of a line in the file is a space, as in the page."""
    return re.sub(r"[ \t]*\n[ \t\n]*", " ", "".join(texts)).strip(" \t")


def _introduces(text: str) -> bool:
    """Whether a block stands over the next one as a heading does: it ends with a colon, or is a few words."""
    words = text.strip()
    return words.endswith(":") or (len(words) <= 40 and words[-1:] not in (".", "!", "?"))
