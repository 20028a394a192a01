"""JSON, with the line of each object. An object with a `provenance` is a mark; any other is a passage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from .attributes import spaced
from .gather import Gatherer
from .html_pages import Html
from .marks_in import ORIGIN, from_json
from .passage import claims_in
from .shown import ShownValue
from .words import ClaimWords

NESTING = 64
_LOOKED_UP = frozenset("value provenance reference edition key column line".split())
"""The members of every mark; the others of its kind are in `ORIGIN`, and any other is text beside it."""
_MARKUP = re.compile(r"<[a-zA-Z!/]")
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null'
)


class NotJson(ValueError):
    """The text is no JSON document; the message says where and why."""


class Node:
    """A value and the line on which it begins. `members` are those of an object, `items` those of a list."""

    def __init__(self, line: int, scalar: Any = None) -> None:
        self.line, self.scalar = line, scalar
        self.members: dict[str, Node] | None = None
        self.items: list[Node] | None = None

    @property
    def plain(self) -> Any:
        """The value as Python has it."""
        if self.members is not None:
            return {name: node.plain for name, node in self.members.items()}
        return [node.plain for node in self.items] if self.items is not None else self.scalar


def parse(text: str, line: int = 1) -> list[Node]:
    """The documents of a text (JSON Lines has several). Raises `NotJson`; a member that stands twice is refused."""
    reader, found = _Reader(text, line), []
    reader.space()
    while reader.at < len(text):
        found.append(reader.value(0))
        reader.space()
    if not found:
        raise NotJson("the file is empty")
    return found


class _Reader:
    def __init__(self, text: str, line: int) -> None:
        self.text, self.at, self.first = text, 0, line
        self._line, self._counted = line, 0

    def line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at

    def value(self, depth: int) -> Node:
        if depth > NESTING:
            raise NotJson(f"line {self.line()}: deeper than {NESTING} levels")
        node, opening = Node(self.line()), self.text[self.at : self.at + 1]
        if opening == "{":
            node.members = {}
            for _ in self._entries("}"):
                name = self._scalar()
                if not isinstance(name, str):
                    raise NotJson(f"line {self.line()}: a name is no text")
                if name in node.members:
                    raise NotJson(f"line {self.line()}: `{name}` stands twice in an object")
                self._expect(":")
                node.members[name] = self.value(depth + 1)
        elif opening == "[":
            node.items = [self.value(depth + 1) for _ in self._entries("]")]
        else:
            node.scalar = self._scalar()
        return node

    def _entries(self, closing: str) -> Any:
        self.at += 1
        self.space()
        if self.text[self.at : self.at + 1] == closing:
            self.at += 1
            return
        while True:
            yield
            self.space()
            sign = self.text[self.at : self.at + 1]
            self.at += 1
            if sign == closing:
                return
            if sign != ",":
                raise NotJson(f"line {self.line()}: `,` or `{closing}` expected")
            self.space()

    def _scalar(self) -> Any:
        found = _SCALAR.match(self.text, self.at)
        if found is None:
            raise NotJson(f"line {self.line()}: a value is expected")
        self.at = found.end()
        return json.loads(found[0])

    def _expect(self, sign: str) -> None:
        self.space()
        if self.text[self.at : self.at + 1] != sign:
            raise NotJson(f"line {self.line()}: `{sign}` expected")
        self.at += 1
        self.space()


def give(gatherer: Gatherer, node: Node, words: ClaimWords, path: str = "") -> None:
    """Give the gatherer a document. What stands above an object counts as its heading."""
    if node.items is not None:
        scalars = [one for one in node.items if one.members is None and one.items is None]
        done = _passage(gatherer, path, [("", one) for one in scalars], node.line)
        for one in node.items:
            if one.members is not None or one.items is not None:
                give(gatherer, one, words, path)
        done()
    elif node.members is None:
        _passage(gatherer, path, [("", node)], node.line)()
    elif "provenance" in node.members:
        at = ShownValue(
            gatherer.file, node.line, "json", "", "", excerpt=json.dumps(node.plain, ensure_ascii=False)[:160]
        )
        kind = node.members["provenance"].scalar
        known = _LOOKED_UP | {*ORIGIN.get(kind if isinstance(kind, str) else "", ()), "explanation"}
        beside = {name: one for name, one in node.members.items() if name not in known}
        done = _passage(gatherer, path, _near(beside), node.line)
        gatherer.mark(lambda _: from_json(node.plain, at, words), [], node.line)
        if kind == "official":
            _other_values(gatherer, beside, node)
        _inner(gatherer, beside, words, path)
        done()
    else:
        _object(gatherer, node.members, words, path, node.line)


def _other_values(gatherer: Gatherer, beside: dict[str, Node], mark: Node) -> None:
    """In an object that is marked official, every level is taken for the official one."""
    shown = mark.members["value"].scalar if mark.members and "value" in mark.members else None
    for name, one in _near(beside):
        text = one.scalar if isinstance(one.scalar, str) else ""
        claims = [text[a:b] for a, b in claims_in(text, gatherer.words)]
        if any(claim != shown for claim in claims):
            gatherer.flaw(one.line, f"the member `{name}` of an official value says another one", text)


def _object(gatherer: Gatherer, members: dict[str, Node], words: ClaimWords, path: str, line: int) -> None:
    said = members.get("fiel")
    if said is not None and isinstance(said.scalar, str):
        members = {name: one for name, one in members.items() if name != "fiel"}
    done = _passage(gatherer, path, _near(members), line)
    if said is not None and isinstance(said.scalar, str):
        gatherer.remark(f"fiel: {said.scalar}", line)
    _inner(gatherer, members, words, path)
    done()


def _near(members: dict[str, Node]) -> list[tuple[str, Node]]:
    """The members that are no objects, and those in lists."""
    near = [(name, one) for name, one in members.items() if one.members is None and one.items is None]
    return near + [
        (name, i) for name, one in members.items() for i in one.items or () if i.members is None and i.items is None
    ]


def _inner(gatherer: Gatherer, members: dict[str, Node], words: ClaimWords, path: str) -> None:
    for name, one in members.items():
        for inner in [one] if one.members is not None else one.items or []:
            if inner.members is not None or inner.items is not None:
                give(gatherer, inner, words, f"{path} {spaced(name)}")


def _passage(gatherer: Gatherer, path: str, values: list[tuple[str, Node]], line: int) -> Callable[[], None]:
    """A passage of these values. What is given before the answer is called stands within it."""
    gatherer.start("div", (), line)
    gatherer.text(f"{path}\n" if path else "", line)
    for name, one in values:
        value = one.scalar if isinstance(one.scalar, str) else json.dumps(one.scalar)
        gatherer.text(f"{spaced(name)}: ", one.line)
        if _MARKUP.search(value):
            _markup(gatherer, value, one.line)
        else:
            gatherer.text(f"{value} ", one.line)
    return lambda: gatherer.end("div")


def _markup(gatherer: Gatherer, value: str, line: int) -> None:
    """A text with HTML in it, which whoever shows the document may put into a page."""
    done = gatherer.part()
    Html(gatherer).read(value.replace("\n", " "), line)
    done()
    gatherer.text(" ", line)
