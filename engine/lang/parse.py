"""The second wall: sqlglot finds the grammar, and an exact-type allow-list turns its tree into ours.

sqlglot knows hundreds of functions and words that Fiel does not. So every name, function and literal is masked by the
number of its token before parsing (`words <= max_words` is parsed as `"n0" <= "n2"`): no word of the author can mean
anything to the parser, and each leaf of its tree leads back to its exact place. A node of a type that is not listed
here, or with an argument that is not listed here, is refused, so what a new release of sqlglot adds is refused too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from ..errors import PolicyError, Problem
from ..model import Expression
from . import tree
from .lex import AGGREGATES, Token, expression_problem, tokens_of
from .mask import mask, matching, unmask

MAX_TREE_DEPTH = 60

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}


@lru_cache(maxsize=4096)
def parse(expression: Expression) -> tree.Node:
    """The tree of an expression. Raises PolicyError with every problem that the reading found.

    What parsed is remembered: a policy is checked several times by some commands, and its mutants start from its tree.
    """
    tokens = tokens_of(expression)
    balanced(expression, tokens)
    masked, starts = mask(tokens)
    try:
        found = _grammar(masked)
    except (ParseError, TokenError) as error:
        raise PolicyError(syntax_problem(expression, tokens, starts, error)) from None
    except RecursionError:
        end = len(expression.text)
        message = "the expression is nested too deeply to be read"
        raise PolicyError(expression_problem(expression, 0, end, "expression-too-deep", message)) from None
    reader = TreeReader(expression, tokens)
    node = reader.read(found)
    if reader.problems:
        raise PolicyError(reader.problems)
    return node


@lru_cache(maxsize=1024)
def _grammar(masked: str) -> exp.Expr:  # masking makes expressions of one form alike; nobody changes the tree
    return sqlglot.parse_one(masked, read="duckdb", into=exp.Condition)


def balanced(expression: Expression, tokens: Sequence[Token]) -> None:
    """Raises PolicyError if a parenthesis opens or closes alone."""
    opened: list[Token] = []
    for token in tokens:
        if token.text == "(":
            opened.append(token)
        elif token.text == ")":
            if not opened:
                raise PolicyError(_one(expression, token, "bad-syntax", "this `)` closes nothing", "remove it"))
            opened.pop()
    if opened:
        raise PolicyError(_one(expression, opened[-1], "bad-syntax", "this `(` is not closed", "add the missing `)`"))


def _one(expression: Expression, token: Token, code: str, message: str, help: str | None = None) -> Problem:
    return expression_problem(expression, token.start, token.end, code, message, help)


def syntax_problem(
    expression: Expression, tokens: Sequence[Token], starts: Sequence[int], error: ParseError | TokenError
) -> Problem:
    """Points at the token where the parser stopped; its own words are about the masked text and are not shown."""
    details = getattr(error, "errors", None) or [{}]
    column = details[0].get("col") or 1
    index = max((i for i, start in enumerate(starts) if start < column), default=0)
    token = tokens[index]
    if index == len(tokens) - 1 and (token.kind in ("sign", "keyword") and token.text != ")"):
        message = f"the expression ends after `{token.text}`, where a value was expected"
        return _one(expression, token, "bad-syntax", message, "complete the condition")
    before = f" after `{tokens[index - 1].text}`" if index else ""
    help_text = "is an operator (`and`, `or`, `=`, …) missing, or a quote around a text?"
    if token.kind == "text" and index and tokens[index - 1].text in ("date", "timestamp"):
        help_text = "a day in a rule is a parameter: `params: {first_day: {value: 2024-01-01, …}}`"
    return _one(expression, token, "bad-syntax", f"`{token.text}` was not expected here{before}", help_text)


class TreeReader:
    """Turns sqlglot's tree into ours; collects problems and goes on."""

    def __init__(self, expression: Expression, tokens: Sequence[Token]) -> None:
        self.expression = expression
        self.tokens = tokens
        self.problems: list[Problem] = []
        self.depth = 0
        self.closes = matching(tokens)
        self.forms: Mapping[type[exp.Expr], Callable[[exp.Expr], tree.Node]] = {
            exp.Paren: lambda e: self.read(e.this),
            exp.Column: self._column,
            exp.Literal: self._literal,
            exp.Neg: self._negative,
            exp.And: self._connector,
            exp.Or: self._connector,
            exp.Not: self._not,
            exp.Is: self._is,
            exp.Between: self._between,
            exp.In: self._in,
            exp.Exists: self._exists,
            exp.Anonymous: self._call,
            exp.Filter: self._filter,
            **dict.fromkeys(_COMPARISONS, self._compare),
            **dict.fromkeys(_ARITHMETIC, self._arithmetic),
        }

    def read(self, e: exp.Expr) -> tree.Node:
        form = self.forms.get(type(e))
        if form is None:
            return self._refuse(e)
        self.depth += 1
        try:
            if self.depth > MAX_TREE_DEPTH:
                raise PolicyError(
                    self._problem(
                        e,
                        "expression-too-deep",
                        f"more than {MAX_TREE_DEPTH} operations depend on one another here",
                        "split the rule into several policies",
                    )
                )
            return form(e)
        finally:
            self.depth -= 1

    # -- places ------------------------------------------------------------------------------------------------

    def _span(self, e: exp.Expr) -> tuple[int, int]:
        """From the first to the last token that the node's leaves name; the whole text if none does."""
        found = [t for t in (self._token(n) for n in e.walk()) if t is not None]
        if not found:
            return 0, len(self.expression.text)
        return min(t.start for t in found), max(t.end for t in found)

    def _index(self, e: exp.Expr) -> int | None:
        """The number of the token that a masked leaf stands for; None for what sqlglot made up itself."""
        if type(e) is exp.Identifier and e.args.get("quoted"):
            return unmask(e.this, "name", self.tokens)
        if type(e) is exp.Anonymous:
            return unmask(e.this, "function", self.tokens)
        if type(e) is exp.Literal:
            return unmask(e.this, "text" if e.is_string else "number", self.tokens)
        return None

    def _token(self, e: exp.Expr) -> Token | None:
        index = self._index(e)
        return self.tokens[index] if index is not None else None

    def _problem(self, e: exp.Expr, code: str, message: str, help: str | None = None) -> Problem:
        start, end = self._span(e)
        return expression_problem(self.expression, start, end, code, message, help)

    def _refuse(self, e: exp.Expr, message: str | None = None, help: str | None = None) -> tree.Node:
        start, end = self._span(e)
        text = " ".join(self.expression.text[start:end].split())
        self.problems.append(
            expression_problem(
                self.expression,
                start,
                end,
                "not-in-language",
                message or f"`{text[:80]}` is not part of the language of expressions",
                help or "see `docs/policies.md` for what an expression may hold",
            )
        )
        return tree.NullLiteral(start, end)

    def _only(self, e: exp.Expr, *names: str) -> bool:
        """True if the node has no other arguments than these."""
        return all(name in names or not value for name, value in e.args.items())

    # -- leaves ------------------------------------------------------------------------------------------------

    def _column(self, e: exp.Expr) -> tree.Node:
        index = self._index(e.this)
        if index is None or not self._only(e, "this", "table"):
            return self._refuse(e)
        token, table = self.tokens[index], e.args.get("table")
        if token.text in ("true", "false") and token.kind == "keyword" and table is None:
            return tree.TruthLiteral(token.start, token.end, token.text == "true")
        if token.text == "null" and token.kind == "keyword" and table is None:
            return tree.NullLiteral(token.start, token.end)
        if table is None:
            return tree.Name(token.start, token.end, token.text)
        if type(table) is exp.Identifier and table.this == "judged" and not table.args.get("quoted"):
            return tree.Name(self.tokens[index - 2].start, token.end, token.text, judged=True)
        return self._refuse(e, help="write the bare name of a column; only `judged.` may stand before one")

    def _literal(self, e: exp.Expr) -> tree.Node:
        token = self._token(e)
        if token is None:
            return self._refuse(e)
        if e.is_string:
            return tree.TextLiteral(token.start, token.end, token.value)
        return tree.NumberLiteral(token.start, token.end, token.text)

    def _negative(self, e: exp.Expr) -> tree.Node:
        token = self._token(e.this) if type(e.this) is exp.Literal and not e.this.is_string else None
        if token is None:
            return self._refuse(e, help="a minus stands before a literal only; write `0 - x`")
        return tree.NumberLiteral(token.start - 1, token.end, "-" + token.text)

    # -- conditions --------------------------------------------------------------------------------------------

    def _connector(self, e: exp.Expr) -> tree.Node:
        kind = type(e)
        items: list[exp.Expr] = []
        pending = [e]
        while pending:  # a chain of hundreds is one node, without recursion
            item = pending.pop()
            if type(item) is kind:
                pending += [item.expression, item.this]
            else:
                items.append(item)
        nodes = tuple(self.read(item) for item in items)
        made = tree.And if kind is exp.And else tree.Or
        return made(nodes[0].start, nodes[-1].end, nodes)

    def _not(self, e: exp.Expr) -> tree.Node:
        inner = self.read(e.this)
        return tree.Not(inner.start, inner.end, inner)

    def _is(self, e: exp.Expr) -> tree.Node:
        right = self.read(e.expression)
        if not isinstance(right, tree.NullLiteral):
            return self._refuse(e, "`is` stands before `null` or `not null` only", "write `x`, `not x` or `x = y`")
        value = self.read(e.this)
        return tree.IsNull(value.start, right.end, value)

    def _compare(self, e: exp.Expr) -> tree.Node:
        left, right = self.read(e.this), self.read(e.expression)
        return tree.Compare(left.start, right.end, _COMPARISONS[type(e)], left, right)

    def _between(self, e: exp.Expr) -> tree.Node:
        if not self._only(e, "this", "low", "high"):
            return self._refuse(e)
        value, low, high = (self.read(e.args[name]) for name in ("this", "low", "high"))
        return tree.Between(value.start, high.end, value, low, high)

    def _in(self, e: exp.Expr) -> tree.Node:
        value = self.read(e.this)
        if not self._only(e, "this", "expressions", "field"):
            return self._refuse(e, help="for another relation, write `exists (from R where …)`")
        listed = e.args.get("field")
        if listed is not None:
            name = self.read(listed)
            if not isinstance(name, tree.Name) or name.judged:
                return self._refuse(e, help="write `x in name`, a list parameter, or `x in ('a', 'b')`")
            return tree.In(value.start, name.end, value, (), name)
        members = tuple(self.read(member) for member in e.args.get("expressions") or ())
        if not members:
            return self._refuse(e, "the list after `in` is empty", "name its members, or remove the condition")
        return tree.In(value.start, members[-1].end, value, members)

    # -- values ------------------------------------------------------------------------------------------------

    def _arithmetic(self, e: exp.Expr) -> tree.Node:
        if type(e.expression) is exp.Interval:
            return self._shift(e)
        if not self._only(e, "this", "expression", "typed", "safe"):
            return self._refuse(e)
        left, right = self.read(e.this), self.read(e.expression)
        return tree.Arithmetic(left.start, right.end, _ARITHMETIC[type(e)], left, right)

    def _shift(self, e: exp.Expr) -> tree.Node:
        interval, unit = e.expression, e.expression.args.get("unit")
        legal = type(e) in (exp.Add, exp.Sub) and type(unit) is exp.Var and self._only(interval, "this", "unit")
        if not legal or unit.name.lower() not in ("day", "month") or type(interval.this) is not exp.Paren:
            return self._refuse(e, help="write `day_column + interval (n) day` or `- interval (n) month`")
        value, amount = self.read(e.this), self.read(interval.this)
        sign = 1 if type(e) is exp.Add else -1
        return tree.Shift(value.start, amount.end, value, sign, amount, unit.name.lower())

    def _call(self, e: exp.Expr) -> tree.Node:
        index = self._index(e)
        if index is None:
            return self._refuse(e)
        token, end = self.tokens[index], self._end_of_call(index)
        args = e.args.get("expressions") or []
        if token.text in AGGREGATES:
            return self._aggregate(e, token, end, args)
        nodes = tuple(self.read(arg) for arg in args)
        return tree.Call(token.start, end, token.text, nodes, token.end)

    def _aggregate(self, e: exp.Expr, token: Token, end: int, args: Sequence[exp.Expr]) -> tree.Node:
        if len(args) != 1:
            help_text = "write `count(*)`" if token.text == "count" else None
            return self._refuse(e, f"`{token.text}` takes one argument", help_text)
        arg, distinct = args[0], False
        if type(arg) is exp.Star:
            if token.text != "count" or not self._only(arg):
                return self._refuse(e, f"`{token.text}` does not take `*`")
            return tree.Aggregate(token.start, end, token.text, None)
        if type(arg) is exp.Distinct:
            members = arg.args.get("expressions") or []
            if token.text != "count" or len(members) != 1 or not self._only(arg, "expressions"):
                return self._refuse(e, help="`distinct` stands in `count(distinct x)` only, with one value")
            arg, distinct = members[0], True
        elif token.text == "count":
            start, last = self._span(arg)
            counted = " ".join(self.expression.text[start:last].split())
            condition = type(arg) in (*_COMPARISONS, exp.And, exp.Or, exp.Not, exp.In, exp.Between, exp.Is)
            wanted = f"`count_if({counted}{'' if condition else ' is not null'})`"
            help_text = f"write {wanted}, `count(*)` or `count(distinct x)`"
            return self._refuse(e, "`count` takes `*` or `distinct x`", help_text)
        return tree.Aggregate(token.start, end, token.text, self.read(arg), distinct)

    def _filter(self, e: exp.Expr) -> tree.Node:
        inner, where = self.read(e.this), e.expression
        if not isinstance(inner, tree.Aggregate) or type(where) is not exp.Where:
            return self._refuse(e, help="`filter (where …)` stands behind an aggregate")
        index = self._index(e.this) or 0
        end = self._end_of_call(self.closes[index + 1] + 1)
        return tree.Aggregate(inner.start, end, inner.name, inner.argument, inner.distinct, self.read(where.this))

    def _exists(self, e: exp.Expr) -> tree.Node:
        query = e.this
        legal = type(query) is exp.Select and self._only(query, "expressions", "from_", "where")
        source = query.args.get("from_") if legal else None
        table = source.this if source is not None else None
        if type(table) is not exp.Table or not self._only(table, "this") or not self._is_star(query):
            return self._refuse(e, help="write `exists (from R where …)`, with one relation and no alias")
        index = self._index(table.this) if type(table.this) is exp.Identifier else None
        if index is None:
            return self._refuse(e)
        token = self.tokens[index]
        where = query.args.get("where")
        condition = self.read(where.this) if where is not None else None
        start, end = self.tokens[index - 3].start, self._end_of_call(index - 3)
        return tree.Exists(start, end, tree.Name(token.start, token.end, token.text), condition)

    def _is_star(self, query: exp.Expr) -> bool:
        chosen = query.args.get("expressions") or []
        return len(chosen) == 1 and type(chosen[0]) is exp.Star and self.tokens[0].text != "*"

    def _end_of_call(self, index: int) -> int:
        """Where the parenthesis closes that opens behind token `index`."""
        return self.tokens[self.closes[index + 1]].end
