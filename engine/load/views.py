"""`views.sql`: SELECTs over relations, references and earlier views, with what the comments above them say.

The comments are part of the view: `-- key: a, b`, `-- column: decimal(5,2) unit`, `-- drops: column, … because …`. A
comment of that form that says anything else is a problem; any other comment is a remark.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from ..errors import Place, PolicyError, Problem, did_you_mean
from ..frozen import dataclass, field, replace
from ..model import Column, Expression, Parameter, Relation, ValueType, View
from ..names import NAME, RESERVED

_PIECE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|;")
_HEAD = re.compile(r"\s*create\s+view\s+(\S+)\s+as\b", re.IGNORECASE)
_SAID = re.compile(r"--\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*$")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_TYPE = re.compile(r"(?:decimal\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)|(int|float))\s+(\S.*)")
_DROPS = re.compile(r"(.+?)\s+because\s+(\S.*)")
_FORM = "a view is `create view name as select …`, and ends with `;`"


@dataclass
class _Said:
    """What the comments above one view say, each with the offset at which it stands."""

    key: tuple[str, ...] = ()
    columns: dict[str, tuple[ValueType, str, int]] = field(default_factory=dict)
    drops: tuple[str, ...] = ()
    because: str | None = None
    at: dict[str, int] = field(default_factory=dict)


class ViewReader:
    """Reads the views of one file. `problems` holds what is wrong, `declared` where each name stands."""

    def __init__(
        self, text: str, file: str, relations: Mapping[str, Relation], parameters: Mapping[str, Parameter]
    ) -> None:
        self.text, self.file = text, file
        self.reach, self.parameters = dict(relations), parameters
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.problems: list[Problem] = []
        self.declared: list[tuple[str, Place]] = []
        self.broken: set[str] = set()
        """Views with a problem: what reads them would have only problems that follow from theirs."""

    def read(self) -> dict[str, View]:
        views: dict[str, View] = {}
        for start, end, comments in self._statements():
            view = self._view(start, end, comments)
            if view is not None and view.name not in views:
                views[view.name] = view
                self.reach[view.name] = view.relation
        return views

    # -- places ------------------------------------------------------------------------------------------------

    def _spot(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def _line(self, line: int) -> str:
        lines = self.text.split("\n")
        return lines[line - 1].removesuffix("\r") if 0 < line <= len(lines) else ""

    def _place(self, offset: int, length: int = 1) -> Place:
        return Place(self.file, *self._spot(offset), max(length, 1))

    def _problem(self, offset: int, length: int, code: str, message: str, help: str | None = None) -> None:
        place = self._place(offset, length)
        self.problems.append(Problem(code, message, place, None, self._line(place.line), help))

    # -- statements --------------------------------------------------------------------------------------------

    def _statements(self) -> Iterator[tuple[int, int, list[tuple[int, str]]]]:
        """Where each statement starts and ends, and the comments above it; those within are blanked out."""
        blank = list(self.text)
        begin, comments = 0, list[tuple[int, str]]()
        for piece in _PIECE.finditer(self.text):
            at, word = piece.start(), piece.group()
            if word == ";":
                self.blanked = "".join(blank)
                yield begin, at, comments
                begin, comments = piece.end(), []
            elif word.startswith("--"):
                above = not "".join(blank[begin:at]).strip()
                blank[at : piece.end()] = " " * len(word)
                said = _SAID.match(word)
                if above:
                    comments.append((at, word))
                elif said is not None and said.group(1).lower() in ("key", "drops"):
                    message = f"`{said.group(1)}` is said within the view, where nobody reads it"
                    self._problem(at, len(word), "bad-view", message, "write it above the view")
        self.blanked = "".join(blank)
        if self.blanked[begin:].strip():
            yield begin, len(self.text), comments
        elif any(_SAID.match(word) for _, word in comments):
            at, word = next((at, word) for at, word in comments if _SAID.match(word))
            self._problem(at, len(word), "bad-view", "no view follows this comment", "write the view below it")

    def _view(self, start: int, end: int, comments: list[tuple[int, str]]) -> View | None:
        body = self.blanked[start:end]
        first = start + len(body) - len(body.lstrip())
        head = _HEAD.match(body)
        if head is None:
            self._problem(min(first, max(end - 1, 0)), 6, "bad-view", "no view begins here", _FORM)
            return None
        name, at = head.group(1), start + head.start(1)
        if not NAME.fullmatch(name):
            help = "small letters, digits and `_`, a letter first, at most 63"
            self._problem(at, len(name), "wrong-name", f"`{name}` is no name", help)
            return None
        if name in RESERVED:
            message = f"`{name}` is a word of the language and cannot be a name"
            self._problem(at, len(name), "reserved-name", message, "rename the view")
            return None
        self.declared.append((name, self._place(at, len(name))))
        if name in self.reach or name in self.parameters:
            return None  # the loader, which knows all names of the pack, says so
        before = len(self.problems)
        said = self._said(comments)
        begin = start + head.end()
        expression = Expression(
            self.blanked[begin:end], self.file, lambda offset: self._spot(begin + offset), self._line
        )
        if not expression.text.strip():
            self._problem(at, len(name), "bad-view", f"the view `{name}` has no SELECT", _FORM)
        made = None
        if len(self.problems) == before and self.broken.isdisjoint(_WORD.findall(expression.text)):
            made = self._checked(name, at, expression, said)
        if made is None:
            self.broken.add(name)
        return made

    # -- comments ----------------------------------------------------------------------------------------------

    def _said(self, comments: list[tuple[int, str]]) -> _Said:
        said = _Said()
        for at, comment in comments:
            found = _SAID.match(comment)
            if found is None:
                continue
            word, value = found.groups()
            if word in said.at:
                self._problem(at, len(comment), "bad-view", f"`{word}` is said twice", "say it once")
                continue
            said.at[word] = at
            if word == "key":
                said.key = self._names(value, at, comment)
            elif word == "drops":
                self._drops(said, value, at, comment)
            else:
                self._column(said, word, value, at, comment)
        return said

    def _names(self, value: str, at: int, comment: str) -> tuple[str, ...]:
        names = tuple(part.strip() for part in value.split(","))
        if not all(NAME.fullmatch(n) for n in names) or len(set(names)) < len(names):
            message = f"`{value}` is no list of columns"
            self._problem(at, len(comment), "bad-view", message, "write names with commas between, each once: `a, b`")
            return ()
        return names

    def _drops(self, said: _Said, value: str, at: int, comment: str) -> None:
        found = _DROPS.fullmatch(value)
        if found is None:
            help = "write `-- drops: column because …`: the reason is shown with every pass"
            self._problem(at, len(comment), "bad-view", "nothing says why this is dropped", help)
            return
        said.drops, said.because = self._names(found.group(1), at, comment), found.group(2)

    def _column(self, said: _Said, word: str, value: str, at: int, comment: str) -> None:
        found = _TYPE.fullmatch(value)
        if found is None:
            message = f"`{word}` is no type of a column, and neither the key nor what is dropped"
            near = did_you_mean(word.lower(), ["key", "drops"], "words of a view")
            help = f"{near}; a column is declared `-- mark: decimal(5,2) point`, a remark has no `word:`"
            self._problem(at, len(comment), "bad-view", message, help)
            return
        digits, places, kind, unit = found.groups()
        if kind is None and not (1 <= int(digits) <= 38 and int(places) <= int(digits)):
            message = f"`decimal({digits},{places})` is no decimal"
            self._problem(at, len(comment), "bad-view", message, "decimal(p,s) has p from 1 to 38 and s up to p")
            return
        made = ValueType(kind) if kind else ValueType("decimal", int(digits), int(places))
        said.columns[word] = (made, unit, at)

    # -- the view ----------------------------------------------------------------------------------------------

    def _checked(self, name: str, at: int, expression: Expression, said: _Said) -> View | None:
        from ..lang.query import parse_query, query_words
        from ..lang.query_sql import tables_read
        from ..lang.query_types import check_query

        try:
            query = parse_query(expression)
            typed, needed = check_query(expression, query, self.reach, self.parameters, frozenset(said.drops))
        except PolicyError as error:
            self.problems.extend(error.problems)
            return None
        before = len(self.problems)
        columns = self._columns(name, at, typed.columns, said)
        for column in said.drops:
            if column not in needed:
                message = f"nothing in `{name}` drops what is unknown of `{column}`"
                self._problem(said.at["drops"], 8, "bad-view", message, "take it out of `drops`")
        if not said.key:
            message = f"nothing says what is the key of `{name}`"
            self._problem(at, len(name), "view-key", message, f"write `-- key: {next(iter(columns))}` above it")
        for column in said.key:
            if column not in columns:
                message = f"`{column}` is no column of `{name}`"
                self._problem(said.at["key"], 6, "view-key", message, did_you_mean(column, columns, "columns"))
            elif columns[column].type.kind == "float":
                self._problem(said.at["key"], 6, "view-key", f"`{column}` is a float, and no key", "leave it out")
        if len(self.problems) > before:
            return None
        columns = {n: replace(c, required=c.required or n in said.key) for n, c in columns.items()}
        place = self._place(at, len(name))
        relation = Relation(name, f"A row of the view {name}.", said.key, columns, place=place)
        read = sorted({n.name for n in typed.nodes() if _is_parameter(n)})  # type: ignore[attr-defined]
        form = f"{name}: {query_words(expression)}"
        return View(name, relation, typed, tuple(tables_read(typed)), tuple(read), said.drops, said.because, form)

    def _columns(self, view: str, at: int, inferred: Mapping[str, Column], said: _Said) -> dict[str, Column]:
        """The columns as they are inferred, or as the comments declare them."""
        from ..lang.query_calls import OF_TWO, fitted

        found = dict(inferred)
        for name, (kind, unit, where) in said.columns.items():
            column = inferred.get(name)
            if column is None:
                help = did_you_mean(name, [*inferred, "key", "drops"], "columns")
                self._problem(where, len(name) + 3, "bad-view", f"`{name}` is no column of `{view}`", help)
            elif not column.type.is_number or not fitted(column.type, kind):
                message = f"`{name}` is {column.type}, and is declared {kind}"
                help = "what is a float stays one; exact numbers fit each other up to 38 digits"
                self._problem(where, len(name) + 3, "type-mismatch", message, help)
            elif column.unit not in (unit, "none", OF_TWO):
                message = f"`{name}` is in {column.unit}, and is declared in {unit}"
                self._problem(where, len(name) + 3, "unit-mismatch", message, "declare the unit that it has")
            else:
                found[name] = replace(column, type=kind, unit=unit, required=column.required and column.type == kind)
        for name, column in found.items():
            if column.unit == OF_TWO:
                message = f"`{name}` of `{view}` is a product or quotient of two units"
                help = f"declare its unit above the view: `-- {name}: {column.type} unit`"
                self._problem(at, len(view), "unit-mismatch", message, help)
        return found


def _is_parameter(node: object) -> bool:
    from ..lang.typed import Constant

    return isinstance(node, Constant) and node.name is not None
