"""Elements, texts and remarks, in the order of the page, become passages and marks. Every form ends here."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import cast

from .attributes import Attributes, of_mark, points_to, said_by
from .elements import (
    APART,
    BLOCKS,
    CLOSED_BY,
    DEEPEST,
    HEADINGS,
    HOLDERS,
    LISTS,
    STRUCTURE,
    VOID,
    WITHIN_MARKS,
    Excuse,
    Open,
    TooDeep,
)
from .letters import folded
from .marks_in import from_html, html_marking, is_half_marked
from .neighbours import introduces, neighbours
from .passage import JOINT, MARK, Passage, Proposal, one_line
from .remarks import said_in
from .shown import ShownValue
from .tables import Table
from .words import ClaimWords, patterns

_TURNED = re.compile("[\u202d\u202e]")
WHITE = " \t\n\r\f\v\xa0" + JOINT


class Gatherer:
    """Give it what a page holds, then read `passages`, `marks` and `excuses`."""

    def __init__(self, file: str, words: ClaimWords) -> None:
        self.file, self.words, self.form = file, words, "html"
        self.passages: list[Passage] = []
        self.marks: list[tuple[ShownValue, Passage]] = []
        self.excuses, self.flaws = list[Excuse](), list[ShownValue]()
        self.in_code = self.sealed = False
        self._blocks = count(1)
        self._headings: list[tuple[str, Passage]] = []
        self._ids: dict[str, Passage] = {}
        self._pointers: list[tuple[Passage, str]] = []
        self._term = self._last = self._lead = self._before = cast("Passage | None", None)
        self._pending, self._block = list[Excuse](), cast("int | None", None)
        self._stack: list[Open] = []
        self._floor = 1  # below this depth no end tag reaches: a part of a page closes nothing around it
        self._stack.append(Open("", self._new()))

    # -- what a page holds -----------------------------------------------------------------------------------

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        self._close_implied(tag)
        if len(self._stack) > DEEPEST:
            raise TooDeep(f"line {line}: elements are nested deeper than {DEEPEST} levels")
        marking = html_marking(tag, attributes)
        if marking is None and is_half_marked(tag, attributes):
            self.flaw(line, "an element has what a mark says, and no class that says which mark it is", tag)
        top = self._stack[-1]
        if tag in BLOCKS:
            passage = self._passage_of(tag, attributes, top, line)
        else:
            passage = top.passage
            self._add(passage, " " if tag in APART else JOINT, line)
        opened = Open(tag, passage, attributes, marking, line, table=Table() if tag == "table" else None)
        if tag in LISTS and self._pending:
            opened.block = self._taken()
        self._point(opened)
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
                passage = self._new(above.block, above.context, above.wider)
                passage.command = above if above.text_so_far.lstrip().startswith("$ ") else above.command
                passage.is_style = above.is_style
                for one in self._stack[depth:]:
                    one.passage = passage
            self._add(self._stack[-1].passage, part, line + number)

    def end(self, tag: str) -> None:
        depth = next((n for n in range(len(self._stack) - 1, self._floor - 1, -1) if self._stack[n].tag == tag), None)
        if depth is not None:
            apart = tag in APART
            self._pop_to(depth)
            if tag not in BLOCKS:
                self._add(self._stack[-1].passage, " " if apart else JOINT, 0)

    def remark(self, text: str, line: int) -> None:
        """A comment. One of ours excuses the block in which it stands, or the next one."""
        ours = None if self.in_code else said_in(text, self.sealed)
        if ours is not None and ours.because is None:
            self.flaw(line, ours.wrong, text)
        elif ours is not None:
            excuse = Excuse(line, ours.because or "", words=ours.words, everywhere=ours.everywhere)
            self.excuses.append(excuse)
            passage = self._stack[-1].passage
            if passage.is_empty and not any(where is passage for _, where in self.marks):
                self._pending += [] if excuse.everywhere else [excuse]
            elif not excuse.everywhere:
                excuse.block = passage.block

    def flaw(self, line: int, why: str, excerpt: str) -> None:
        """Something that claims to speak to us and cannot be understood."""
        short = " ".join(excerpt.split())[:160]
        self.flaws.append(ShownValue(self.file, line, self.form, "official", "", excerpt=short, flaw=why))

    def code(self, lines: list[str], line: int, title: str = "", above: int = 1) -> None:
        """Lines that are read one by one, together one block. `title`: beside the fence, in line `above`."""
        block, command = self._taken(), None
        around = self._of_code(block)
        self._add(around, title, above)
        for number, text in enumerate(lines):
            passage = self._new(block, around.context, [around, *around.wider])
            self._add(passage, text, line + number)
            command = passage if text.lstrip().startswith("$ ") else command
            passage.command = command

    def mark(self, make: Callable[[str], ShownValue | None], texts: list[str], line: int) -> None:
        """A mark that is no element: a link, an object."""
        shown = make(one_line(texts))
        passage = self._stack[-1].passage
        if shown is None:
            self._add(passage, "".join(texts), line)
            return
        self._mark(shown, passage, line)

    def _mark(self, shown: ShownValue, passage: Passage, line: int) -> None:
        self.marks.append((shown, passage))
        self._use(passage)
        if shown.marked in ("proposed", "computed", "human") and shown.flaw is None:
            passage.proposals.append(Proposal(len(passage.pieces), shown.value, shown.marked))
        passage.pieces.append((MARK, line))

    def speak(self, text: str, line: int) -> None:
        """Text that stands apart from its neighbours in the same passage."""
        self._add(self._stack[-1].passage, f" {text} ", line)

    def block_of_code(self, title: str = "", line: int = 1) -> Callable[[], None]:
        """From here on everything belongs to one block, until the answer is called. `title` is a label of it."""
        self._block, self.in_code, depth = self._taken(), True, len(self._stack)
        label = self._new()
        label.pieces.append((title, line))
        self._stack.append(Open("", self._of_code(), label=label))

        def done() -> None:
            self._pop_to(depth)
            self._block, self.in_code = None, False

        return done

    def part(self) -> Callable[[], None]:
        """What is given until the answer is called is a part of the present passage, and leaves nothing open."""
        before, self._floor = self._floor, len(self._stack)
        return lambda: self._end_part(before)

    def _end_part(self, before: int) -> None:
        self._pop_to(self._floor)
        self._floor = before

    def close(self) -> None:
        self._pop_to(1)
        neighbours(self.passages, self._pointers, self._ids, self.form)

    # -- passages --------------------------------------------------------------------------------------------

    def _new(
        self, block: int | None = None, context: list[Passage] | None = None, wider: list[Passage] | None = None
    ) -> Passage:
        if block is None:
            listed = (one.block for one in self._stack if one.block is not None) if self._block is None else ()
            block = next(iter(listed), self._block)
        number = block if block is not None else next(self._blocks)
        passage = Passage(number, [], list(context or ()), list(wider or ()))
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
        text = text.replace(MARK, " ")
        if _TURNED.search(text):
            self.flaw(line, "the direction of the text is turned around, so nobody can say what is read", text)
        if text.strip(WHITE):
            self._use(passage)
            self._last = passage
        passage.pieces.append((text, line or (passage.pieces[-1][1] if passage.pieces else 1)))

    def _passage_of(self, tag: str, attributes: Attributes, top: Open, line: int) -> Passage:
        holder = next((o for o in reversed(self._stack) if o.tag in HOLDERS or o.tag in STRUCTURE), None)
        if holder is not None and holder.tag in HOLDERS and tag not in STRUCTURE and tag not in HOLDERS:
            self._add(top.passage, "\n", line)
            return top.passage
        table = self._table()
        context = self._above(tag)
        if top.tag not in STRUCTURE and top.tag and not top.passage.is_empty:
            context.append(top.passage)
        outer = self._outer()
        context += [one for one in outer[-1:] if one is not top.passage and not one.is_empty]
        if tag == "dd" and self._term is not None:
            context.append(self._term)
        inside = table is not None and tag in ("td", "th", "caption")
        block = table.block if inside and table is not None else None
        if inside and table is not None and block is None:
            block = table.block = self._taken()
        passage = self._new(block, context, self._wider(tag, outer))
        passage.is_plain, passage.is_style = tag not in HOLDERS and tag != "nav", tag == "style"
        passage.is_heading = tag in HEADINGS
        if tag in HEADINGS:
            self._headings = [one for one in self._headings if one[0] < tag] + [(tag, passage)]
        elif tag == "dt":
            self._term = passage
        elif tag in ("summary", "legend", "figcaption"):
            top.label = passage
        elif tag == "caption" and table is not None:
            table.caption = passage
        elif tag in ("td", "th") and table is not None:
            table.cell(passage, tag, attributes)
        elif tag == "tr" and table is not None:
            table.row(next((one.tag for one in reversed(self._stack) if one.tag in ("thead", "tfoot")), ""))
        return passage

    def _above(self, tag: str) -> list[Passage]:
        """What a new block stands under: the nearest heading, labels of what it is in, and what introduces it."""
        if tag in STRUCTURE:
            return []
        if self._last is not None and self._last.is_plain and introduces(self._last.text_so_far):
            self._lead = self._last
        elif tag not in HOLDERS and tag != "pre":
            self._lead = None
        found = [one for _, one in self._headings[-1:]] if tag not in HEADINGS else []
        found += [self._lead] if self._lead is not None and tag not in HEADINGS else []
        return found + [one.label for one in self._stack if one.label is not None]

    def _wider(self, tag: str, outer: list[Passage]) -> list[Passage]:
        """What a reader may take a block together with too: higher headings, the items and cells around it, and the
        paragraph right before a table, a list or a block of code. An empty cell passes on what stands beside it."""
        if tag in LISTS or tag in ("table", "pre"):
            self._before = self._last if self._last is not None and self._last.is_plain else None
        elif (tag not in HOLDERS and tag not in STRUCTURE) or tag in HEADINGS:
            self._before = None
        found = [one for rank, one in self._headings if tag not in HEADINGS or rank < tag]
        return found + outer + ([self._before] if self._before is not None else [])

    def _outer(self) -> list[Passage]:
        """The items, cells and headings that are open."""
        cells = ("td", "th")
        return [o.passage for o in self._stack if o.tag in HOLDERS and (not o.passage.is_empty or o.tag in cells)]

    def _of_code(self, block: int | None = None) -> Passage:
        """What a block of code stands in."""
        return self._new(block, self._above("pre"), self._wider("pre", self._outer()))

    def _table(self) -> Table | None:
        return next((one.table for one in reversed(self._stack) if one.table is not None), None)

    def _close_implied(self, tag: str) -> None:
        closed = CLOSED_BY.get(tag)
        if tag in BLOCKS:
            for depth in range(len(self._stack) - 1, self._floor - 1, -1):
                if self._stack[depth].tag == "p":
                    self._pop_to(depth)
                    break
                if self._stack[depth].tag in BLOCKS:
                    break
        if closed is None:
            return
        for depth in range(len(self._stack) - 1, self._floor - 1, -1):
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

    def _finish_mark(self, one: Open) -> None:
        shown = one_line(one.texts)
        at = ShownValue(self.file, one.line, "html", "", "")
        value = from_html(one.tag, one.marking or "", one.attributes, shown, at, self.words)
        if any(o.marking is not None for o in self._stack):
            self.flaw(one.line, "a mark stands inside another", shown)
        self._mark(value, one.passage, one.line)

    def _point(self, one: Open) -> None:
        """Remember which elements speak of this one."""
        is_note = any(o.tag == "sup" for o in self._stack) or "note" in str(dict(one.attributes).get("role") or "")
        self._pointers += [(one.passage, name) for name in points_to(one.attributes, is_note)]
        if one.tag == "sup":
            for outer in self._stack:
                self._pointers += [(one.passage, name) for name in points_to(outer.attributes, outer.tag == "a")]
        for name, text in one.attributes:
            if name == "id" and text:
                self._ids.setdefault(text, one.passage)

    def _spoken(self, one: Open, line: int) -> None:
        """What an element says beside its text. In a mark nothing may be said but the value."""
        inside = any(o.marking is not None for o in self._stack if o is not one)
        attributes = [(n, t) for n, t in one.attributes if one.marking is None or not (n == "value" or of_mark(n))]
        said = list(said_by(one.tag, attributes, patterns(self.words)))
        if inside and one.marking is None and (said or one.tag not in WITHIN_MARKS):
            self.flaw(line, f"the element `{one.tag}` within a mark shows something beside the value", one.tag)
        if one.tag == "bdo":
            self.flaw(line, "the direction of the text is turned around, so nobody can say what is read", "bdo")
        for name, text in one.attributes:
            if text and text.strip().lower().startswith("fiel:"):
                self.flaw(line, f"a mark in HTML is an element `data`, not an attribute `{name}`", text)
        for name, text in said:
            if one.marking == "official" and self._claims_other(text, one):
                self.flaw(line, f"the attribute `{name}` of a mark says another value", text)
            self._add(one.passage, f" {text} ", line)

    def _claims_other(self, text: str, one: Open) -> bool:
        value = folded(str(dict(one.attributes).get("value") or ""))[0]
        return any(found[0] != value for found in patterns(self.words).claim.finditer(folded(text)[0]))
