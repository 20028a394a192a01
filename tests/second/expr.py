"""The expression language of docs/semantics.md section 2: a tokenizer and a recursive-descent parser.

`parse(text)` gives a tree of the frozen dataclasses below, or raises `ExpressionError`. It checks the form only; types
are the business of `meaning`. `write` goes the other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

AGGREGATES = ("count", "count_if", "sum", "avg", "min", "max", "any", "all")


class ExpressionError(Exception):
    """The text is no expression of the language."""


@dataclass(frozen=True)
class Literal:
    """A constant written in the expression; `kind` is number, text or bool, `text` what it says (without quotes)."""

    kind: str
    text: str


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Judged:
    """`judged.column`, inside an exists."""

    name: str


@dataclass(frozen=True)
class Not:
    part: Node


@dataclass(frozen=True)
class Logical:
    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Compare:
    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Between:
    value: Node
    low: Node
    high: Node


@dataclass(frozen=True)
class In:
    value: Node
    members: tuple[Node, ...]


@dataclass(frozen=True)
class InList:
    """`value in name`, where the name is a parameter with `values_of`."""

    value: Node
    name: str


@dataclass(frozen=True)
class IsNull:
    value: Node


@dataclass(frozen=True)
class Arithmetic:
    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Step:
    """`date ± interval (count) day|month`."""

    op: str
    date: Node
    count: Node
    unit: str


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Exists:
    relation: str
    condition: Node | None


@dataclass(frozen=True)
class Aggregate:
    """`name(argument) filter (where condition)`; `count(*)` has no argument; `text` is the aggregate as written."""

    name: str
    argument: Node | None
    distinct: bool
    condition: Node | None
    text: str = field(default="", compare=False)


Node = (
    Literal
    | Name
    | Judged
    | Not
    | Logical
    | Compare
    | Between
    | In
    | InList
    | IsNull
    | Arithmetic
    | Step
    | Call
    | Exists
    | Aggregate
)
TRUTHS = (Not, Logical, Compare, Between, In, InList, IsNull, Exists)

TOKEN = re.compile(
    r"(?P<space>[ \n]+)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<text>'(?:[^']|'')*')|(?P<sign><=|>=|!=|[-=<>+*/(),.])"
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"cannot read {text[at : at + 10]!r}")
        kind = str(match.lastgroup)
        if kind != "space":
            word = match.group().lower() if kind == "name" else match.group()
            found.append(Token(kind, word, at, match.end()))
        at = match.end()
    return [*found, Token("end", "", at, at)]


def parse(text: str) -> Node:
    parser = _Parser(text)
    node = parser.disjunction()
    if parser.here.kind != "end":
        raise ExpressionError(f"left over: {text[parser.here.start :]!r}")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, tokens(text), 0

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self, *words: str) -> str | None:
        """The next word or sign if it is one of these, else None and nothing is read."""
        if self.here.kind in ("name", "sign") and self.here.text in words:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def need(self, *words: str) -> str:
        found = self.take(*words)
        if found is None:
            raise ExpressionError(f"expected {' or '.join(words)} at {self.text[self.here.start :]!r}")
        return found

    def word(self) -> str:
        if self.here.kind != "name":
            raise ExpressionError(f"expected a name at {self.text[self.here.start :]!r}")
        self.at += 1
        return self.tokens[self.at - 1].text

    def disjunction(self) -> Node:
        node = self.conjunction()
        while self.take("or"):
            node = Logical("or", node, self.conjunction())
        return node

    def conjunction(self) -> Node:
        node = self.negation()
        while self.take("and"):
            node = Logical("and", node, self.negation())
        return node

    def negation(self) -> Node:
        return Not(self.negation()) if self.take("not") else self.predicate()

    def predicate(self) -> Node:
        left = self.sum()
        op = self.take("=", "!=", "<", "<=", ">", ">=")
        if op:
            return Compare(op, _value(left), _value(self.sum()))
        if self.take("is"):
            negated = self.take("not")
            self.need("null")
            return Not(IsNull(_value(left))) if negated else IsNull(_value(left))
        negated = self.take("not")
        word = self.need("between", "in") if negated else self.take("between", "in")
        if word is None:
            return left
        node = self.range(_value(left)) if word == "between" else self.membership(_value(left))
        return Not(node) if negated else node

    def range(self, value: Node) -> Node:
        low = _value(self.sum())
        self.need("and")
        return Between(value, low, _value(self.sum()))

    def membership(self, value: Node) -> Node:
        if not self.take("("):
            return InList(value, self.word())
        members = [_value(self.sum())]
        while self.take(","):
            members.append(_value(self.sum()))
        self.need(")")
        return In(value, tuple(members))

    def sum(self) -> Node:
        node = self.product()
        while op := self.take("+", "-"):
            if self.take("interval"):
                self.need("(")
                count = self.sum()
                self.need(")")
                node = Step(op, node, count, self.need("day", "month"))
            else:
                node = Arithmetic(op, node, self.product())
        return node

    def product(self) -> Node:
        node = self.primary()
        while op := self.take("*", "/"):
            node = Arithmetic(op, node, self.primary())
        return node

    def primary(self) -> Node:
        token = self.here
        if self.take("("):
            node = self.disjunction()
            self.need(")")
            return node
        if self.take("-"):
            if self.here.kind != "number":
                raise ExpressionError("a minus stands only before a literal")
            self.at += 1
            return Literal("number", "-" + self.tokens[self.at - 1].text)
        if token.kind in ("number", "text"):
            self.at += 1
            return Literal(token.kind, token.text[1:-1].replace("''", "'") if token.kind == "text" else token.text)
        word = self.word()
        if word in ("true", "false"):
            return Literal("bool", word)
        if word == "exists":
            return self.exists()
        if word == "judged" and self.take("."):
            return Judged(self.word())
        if not self.take("("):
            return Name(word)
        return self.aggregate(word, token.start) if word in AGGREGATES else self.call(word)

    def exists(self) -> Node:
        self.need("(")
        self.need("from")
        relation = self.word()
        condition = self.disjunction() if self.take("where") else None
        self.need(")")
        return Exists(relation, condition)

    def call(self, name: str) -> Node:
        arguments = [self.disjunction()]
        while self.take(","):
            arguments.append(self.disjunction())
        self.need(")")
        return Call(name, tuple(arguments))

    def aggregate(self, name: str, start: int) -> Node:
        distinct = bool(name == "count" and self.take("distinct"))
        argument = None if name == "count" and self.take("*") else self.disjunction()
        self.need(")")
        condition = None
        if self.take("filter"):
            self.need("(")
            self.need("where")
            condition = self.disjunction()
            self.need(")")
        return Aggregate(name, argument, distinct, condition, self.text[start : self.tokens[self.at - 1].end])


def _value(node: Node) -> Node:
    if isinstance(node, TRUTHS):
        raise ExpressionError("a side of a comparison is itself a comparison or a logical form")
    return node


def children(node: Node) -> Iterator[Node]:
    """The parts of a node in the order in which they are written."""
    match node:
        case Not(part):
            yield part
        case Logical(_, left, right) | Compare(_, left, right) | Arithmetic(_, left, right):
            yield from (left, right)
        case Between(value, low, high):
            yield from (value, low, high)
        case In(value, members):
            yield from (value, *members)
        case InList(value, _) | IsNull(value):
            yield value
        case Step(_, date, count, _):
            yield from (date, count)
        case Call(_, arguments):
            yield from arguments
        case Exists(_, condition):
            yield from () if condition is None else (condition,)
        case Aggregate(_, argument, _, condition):
            yield from (part for part in (argument, condition) if part is not None)
