"""From the parser's events to the tree of `source.py`: what YAML allows and Fiel refuses is noted on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import Place, Problem
from ..frozen import replace
from ..names import NAME
from .lookalikes import cut_number
from .nodes import Items, Node, Scalar, Table
from .schemas import first_column_keys
from .slips import key_in_lines
from .source import Source
from .syntax import explain_syntax, expression_problem, indented_problem, spaced

MAX_NESTING = 16
MAX_PROBLEMS = 200
"""After so many problems of one file the rest is left: looking for the nearest name takes its time."""

_STYLES = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


_SURROGATE = re.compile("[\ud800-\udfff]")
_PORTABLE_CHARACTERS = 128 * 1024
_DEPTH = {"SequenceStartEvent": 1, "MappingStartEvent": 1, "SequenceEndEvent": -1, "MappingEndEvent": -1}
_EMPTY = "write a value after it; in a row, `null` is what is unknown"
_EMPTY_CUT = "if the comma before it belongs to a text, put the whole text in double quotes"
_EMPTY_EXPRESSION = "write the expression after it"


def compose(source: Source, expression_keys: frozenset[str]) -> None:
    """Parse the text of `source`; sets its `root` and adds to its `problems`."""
    _Composer(source, expression_keys).compose()


class _Composer:
    """Builds the tree from the parser's events, noting what is refused and going on."""

    def __init__(self, source: Source, expression_keys: frozenset[str]) -> None:
        self.source = source
        self.expression_keys = expression_keys
        self.events: Iterator[Any] = iter(())

    def compose(self) -> None:
        import yaml

        fast: Any = getattr(yaml, "CLoader", yaml.Loader)
        try:
            self._document(_events(self.source.text, fast))
        except _Stop as stop:
            self.source.root = None
            self.source.problems.append(stop.problem)
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # (The pure parser lets an escape beyond Unicode through to `chr`, hence ValueError.) What was noted so far
            # may come from reading on after the slip, and the rest of the file is unread: report the slip alone.
            self.source.root = None
            found = _portable(self.source.text, error)
            if isinstance(found, int):
                before = self.source.text[:found]
                column = found - (before.rfind("\n") + 1) + 1
                problem = self._deep_problem(Place(self.source.file, before.count("\n") + 1, column))
            else:
                problem = explain_syntax(self.source, found, self.expression_keys)
            self.source.problems[:] = [problem]

    def _note(self, problem: Problem) -> None:
        self.source.problems.append(problem)
        if len(self.source.problems) >= MAX_PROBLEMS:
            message = f"more than {MAX_PROBLEMS} problems: the rest of the file was not read"
            assert problem.place is not None
            raise _Stop(self.source.problem("too-many-problems", message, problem.place))

    def _deep_problem(self, place: Place) -> Problem:
        message = f"lists and mappings are nested more than {MAX_NESTING} deep"
        help = "no file of a pack needs that: look for a bracket that is not closed"
        return self.source.problem("nested-too-deep", message, place, help)

    def _document(self, events: Iterator[Any]) -> None:
        self.events = events
        first = next(events)
        if type(first).__name__ == "StreamEndEvent":
            place = Place(self.source.file, 1, 1)
            self._note(self.source.problem("empty-file", "there is nothing in this file", place))
            return
        if first.version or first.tags:
            place = _mark_place(self.source, first)
            message = "a YAML directive is not allowed"
            self._note(self.source.problem("yaml-directive", message, place, "remove the line"))
        self.source.root = self._node(next(events), None, 0)
        next(events)  # the end of the document
        second = next(events)
        if type(second).__name__ == "DocumentStartEvent":
            place = _mark_place(self.source, second)
            message, help = "a second YAML document begins here", "one file holds one document: remove the `---`"
            self._note(self.source.problem("second-document", message, place, help))
            self.source.root = None  # a file that is cut in two lacks things that it has
            for _ in events:  # a slip further down must still be found
                pass

    def _node(self, event: Any, key: Scalar | None, depth: int) -> Node:
        """The node that begins with `event`. `key` is the key it is the value of, if any."""
        kind = type(event).__name__
        expression = key is not None and depth == 1 and key.text in self.expression_keys
        refused = self._refuse_marks(event, kind, expression)
        if kind == "AliasEvent":
            return _scalar(event, "", refused=True)
        if kind == "ScalarEvent":
            return self._scalar(event, key, refused, expression)
        if depth == MAX_NESTING:
            raise _Stop(self._deep_problem(_mark_place(self.source, event)))
        if expression and not refused:
            self._trap("a mapping" if kind == "MappingStartEvent" else "a list", event)
            refused = True
        known = len(self.source.problems)
        build = self._items if kind == "SequenceStartEvent" else self._table
        node = build(event, depth, refused)
        if expression:
            del self.source.problems[known:]  # what is wrong inside follows from the slip that was reported
        return node

    def _scalar(self, event: Any, key: Scalar | None, refused: bool, expression: bool) -> Scalar:
        scalar = _scalar(event, event.value, refused)
        if refused:
            return scalar
        if scalar.text == "" and (scalar.style == "plain" or expression):
            what = f"`{key.text}` has no value" if key is not None else "this entry is empty"
            help = _EMPTY_EXPRESSION if expression else _EMPTY_CUT if key and not NAME.fullmatch(key.text) else _EMPTY
            self._note(self.source.problem("empty-value", what, key or scalar, help))
            return _scalar(event, "", refused=True)
        if expression:
            return self._cut_short(event, scalar, key)
        if _SURROGATE.search(scalar.text):
            message = "an escape in this text is half of a character (a lone surrogate)"
            help = "write the character itself, or one escape `\\UXXXXXXXX`"
            self._note(self.source.problem("lone-surrogate", message, scalar, help))
            return _scalar(event, "", refused=True)
        return scalar

    def _cut_short(self, event: Any, scalar: Scalar, key: Scalar | None) -> Scalar:
        """What an expression swallowed or lost: a key that is indented like it, and what stands after a `#`.

        A `#` inside a quoted literal of a plain expression begins a comment: the rest would vanish in silence.
        """
        swallowed = key_in_lines(self.source, first_column_keys(), scalar) if key is not None else None
        if swallowed is not None and key is not None:
            self._note(indented_problem(self.source, swallowed, key.text, 1))
            return _scalar(event, "", refused=True)
        rest = self.source.line_text(scalar.end_line)[scalar.end_column - 1 :]
        if scalar.style != "plain" or scalar.text.count("'") % 2 == 0 or "#" not in rest:
            return scalar
        column = scalar.end_column + rest.index("#")
        self._trap_at("a comment", Place(self.source.file, scalar.end_line, column, len(rest) - rest.index("#")))
        return _scalar(event, "", refused=True)

    def _items(self, event: Any, depth: int, refused: bool) -> Node:
        items: list[Node] = []
        while type(following := next(self.events)).__name__ != "SequenceEndEvent":
            items.append(self._node(following, None, depth + 1))
        return Items(tuple(items), *_span(event, following, items[0] if items else None), refused)

    def _table(self, event: Any, depth: int, refused: bool) -> Node:
        keys: dict[str, Scalar] = {}
        values: dict[str, Node] = {}
        while type(following := next(self.events)).__name__ != "MappingEndEvent":
            key = self._key(following, depth)
            value = self._node(next(self.events), key, depth + 1)
            if key is None:
                continue
            if value.refused and isinstance(value, Scalar) and not value.text and not NAME.fullmatch(key.text):
                split = self._no_key(key, values)
                if split is not None:
                    keys[split.text], values[split.text] = split, value
                if split is not None or event.flow_style:
                    continue
            if key.text in keys:
                first = keys[key.text]
                message = f"`{key.text}` is given twice (first on line {first.line})"
                help = "remove one of the two"
                self._note(self.source.problem("repeated-key", message, key, help))
                continue
            keys[key.text], values[key.text] = key, value
        first_key = next(iter(keys.values()), None)
        return Table(keys, values, *_span(event, following, first_key), refused)

    def _no_key(self, key: Scalar, values: dict[str, Node]) -> Scalar | None:
        """What has no value and no name is no key: a text that YAML cut at its comma, or a key without a space.

        The latter is the answer, as the key that was meant. Of a number that was cut, the first part is refused.
        """
        written = spaced(key.text)
        if written is not None and self.source.withdraw("empty-value", key):
            name = written.partition(":")[0]
            message = f"`{name}:` has no space after its colon, so YAML takes `{key.text}` for one word"
            self._note(self.source.problem("empty-value", message, key, f"put a space after the colon: `{written}`"))
            return Scalar(name, key.style, key.line, key.column, key.line, key.column + len(name))
        name, before = next(reversed(values.items()), ("", key))
        cut = cut_number(self.source, name, before, key)
        if cut is not None and self.source.withdraw("empty-value", key):
            self._note(cut)
            values[name] = replace(before, refused=True)
        return None

    def _key(self, event: Any, depth: int) -> Scalar | None:
        kind = type(event).__name__
        if kind != "ScalarEvent":
            node = self._node(event, None, depth + 1)
            if not node.refused:
                message, help = (
                    "a key is a plain word, not a list or mapping",
                    "put quotes around a text that begins with a bracket",
                )
                self._note(self.source.problem("bad-key", message, node, help))
            return None
        refused = self._refuse_marks(event, kind, False)
        key = _scalar(event, event.value, refused)
        if refused:
            return None
        if key.text == "<<" and not key.quoted:
            message, help = "a merge key is not allowed", "write the keys out"
            self._note(self.source.problem("yaml-merge", message, key, help))
            return None
        if key.quoted or not key.text:
            message = "a key has to be a plain word" if key.text else "a key is missing before `:`"
            advice = f"write `{key.text}` without quotes" if key.text else None
            self._note(self.source.problem("bad-key", message, key, advice))
            return None
        return key

    def _refuse_marks(self, event: Any, kind: str, expression: bool) -> bool:
        """Report an alias, anchor or tag. True if what follows it cannot be relied on."""
        anchor, tag = event.anchor, getattr(event, "tag", None)
        if expression and (anchor or tag):
            what = "an alias" if kind == "AliasEvent" else "a tag" if tag else "an anchor"
            self._trap(what, event)
            return True
        if kind == "AliasEvent":
            message, help = f"an alias is not allowed (`*{anchor}`)", "write the value out, or put it in quotes"
            self._note(self.source.problem("yaml-alias", message, self._word(event), help))
            return True
        if anchor:
            message, help = f"an anchor is not allowed (`&{anchor}`)", "remove it, or put the text in quotes"
            self._note(self.source.problem("yaml-anchor", message, self._word(event), help))
        if tag:
            message, help = "a tag is not allowed", "remove it (types come from the schema), or put the text in quotes"
            self._note(self.source.problem("yaml-tag", message, self._word(event), help))
        return bool(tag)

    def _word(self, event: Any) -> Place:
        """The place of the one word that an event begins with (its tag, its anchor, the alias)."""
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        found = re.match(r"\S+", self.source.line_text(line)[column - 1 :])
        return self.source.clipped(line, column, len(found.group()) if found else 1)

    def _trap(self, what: str, event: Any) -> None:
        self._trap_at(what, self._word(event))

    def _trap_at(self, what: str, place: Place) -> None:
        self._note(expression_problem(self.source, what, place, self.expression_keys))


class _Stop(Exception):
    """Reading the file ends here, with one more problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def _events(text: str, loader: Callable[[str], Any]) -> Iterator[Any]:
    parser = loader(text)
    try:
        parser.get_event()  # the start of the stream
        while (event := parser.get_event()) is not None:
            yield event
    finally:
        parser.dispose()


def _portable(text: str, error: Exception) -> Exception | int:
    """The error as the pure parser words it, so that a message does not depend on how PyYAML was built.

    If the text nests too deep before that: the offset at which it does. (Both parsers get slow, and one of them gives
    up, on thousands of brackets.) A large text keeps the error it has, since the pure parser would take seconds.
    """
    import yaml

    if len(text) > _PORTABLE_CHARACTERS:
        return error
    depth = 0
    try:
        for event in _events(text, yaml.Loader):
            depth += _DEPTH.get(type(event).__name__, 0)
            if depth > MAX_NESTING:
                return int(event.start_mark.index)
    except yaml.MarkedYAMLError as portable:
        return portable
    except (yaml.YAMLError, ValueError, OverflowError):
        pass
    return error


def _scalar(event: Any, text: str, refused: bool) -> Scalar:
    start, end = event.start_mark, event.end_mark
    style = _STYLES[getattr(event, "style", None)]
    return Scalar(text, style, start.line + 1, start.column + 1, end.line + 1, end.column + 1, refused)


def _span(event: Any, end: Any, first: Node | None) -> tuple[int, int, int, int]:
    """Start and end of a collection. For the end of a block parsers disagree: its first entry's end serves."""
    start = event.start_mark
    if event.flow_style:
        return start.line + 1, start.column + 1, end.end_mark.line + 1, end.end_mark.column + 1
    if first is not None and first.line == start.line + 1:
        return start.line + 1, start.column + 1, first.end_line, first.end_column
    return start.line + 1, start.column + 1, start.line + 1, start.column + 2


def _mark_place(source: Source, event: Any) -> Place:
    return source.clipped(event.start_mark.line + 1, event.start_mark.column + 1)
