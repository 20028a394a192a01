"""The SELECT of a view: from text to tree, behind the same walls as an expression.

Words are masked before sqlglot sees them, and of its tree only the forms that are listed here get through.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from ..errors import PolicyError
from ..model import Expression
from . import tree
from .lex import KEYWORDS, Token, check_depth, expression_problem, scan, sort_words
from .mask import mask
from .parse import TreeReader, balanced, syntax_problem
from .query_tree import Block, Case, Query, SelectExists, SelectIn, Source

WORDS = (KEYWORDS - {"judged"}) | frozenset(
    "select as on join inner left cross group by having union case when then else end with substr( quotient(".split()
)
_SUBQUERY = "a sub-query is written `exists (select 1 from R where …)` or `x in (select y from R where …)`"


def parse_query(expression: Expression) -> Query:
    """The tree of a SELECT. Raises PolicyError with every problem that the reading found."""
    tokens = _tokens(expression)
    balanced(expression, tokens)
    masked, starts = mask(tokens)
    try:
        found = sqlglot.parse_one(masked, read="duckdb")
    except (ParseError, TokenError) as error:
        raise PolicyError(syntax_problem(expression, tokens, starts, error)) from None
    except RecursionError:
        message = "the view is nested too deeply to be read"
        end = len(expression.text)
        raise PolicyError(expression_problem(expression, 0, end, "expression-too-deep", message)) from None
    reader = _QueryReader(expression, tokens)
    query = reader.query(found, True)
    if reader.problems or query is None:
        raise PolicyError(reader.problems)
    return query


def query_words(expression: Expression) -> str:
    """The words of a SELECT with one blank between, whatever the author put there."""
    return " ".join(token.text for token in _tokens(expression))


def _tokens(expression: Expression) -> tuple[Token, ...]:
    found = list(sort_words(expression, scan(expression), WORDS))
    for i, token in enumerate(found):
        before = found[i - 1] if i else None
        if token.text == "all" and before is not None and before.text == "union":
            found[i] = Token("keyword", "all", token.start, token.end)
        ends = before is not None and (before.kind in ("name", "number", "text") or before.text in (")", "end"))
        if ends and token.kind == "name" and before is not None:
            message = f"`{token.text}` was not expected here after `{before.text}`"
            help_text = "a new name stands behind `as`; is a comma or an operator missing?"
            raise PolicyError(expression_problem(expression, token.start, token.end, "bad-syntax", message, help_text))
    check_depth(expression, found)
    return tuple(found)


class _QueryReader(TreeReader):
    """Turns sqlglot's tree of a SELECT into ours."""

    def __init__(self, expression: Expression, tokens: Sequence[Token]) -> None:
        super().__init__(expression, tokens)
        self.inner = 0
        self.forms = {**self.forms, exp.Case: self._case}

    def refuse_select(self, e: exp.Expr, message: str | None = None, help: str | None = None) -> None:
        help = help or "see `docs/views.md` for what a view may hold"
        start, end = self._span(e)
        text = " ".join(self.expression.text[start:end].split())[:80]
        message = message or f"`{text}` is not part of the language of views"
        self.problems.append(expression_problem(self.expression, start, end, "not-in-language", message, help))

    # -- queries -----------------------------------------------------------------------------------------------

    def query(self, e: exp.Expr, outermost: bool) -> Query | None:
        named: list[tuple[tree.Name, Query]] = []
        whole = e.args.get("with_")
        if whole is not None:
            if not outermost or type(whole) is not exp.With or not self._only(whole, "expressions"):
                self.refuse_select(whole, "`with` stands once, at the beginning of a view")
                return None
            for one in whole.args["expressions"]:
                name = self._alias_name(one.args.get("alias"))
                inner = self.query(one.this, False) if type(one) is exp.CTE and name is not None else None
                if name is None or inner is None:
                    self.refuse_select(one, help="write `with a as (select …), b as (select …) select …`")
                    return None
                named.append((name, inner))
        blocks: list[Block] = []
        pending = [e]
        while pending:
            one = pending.pop()
            if type(one) is exp.Union:
                if one.args.get("distinct") or not self._only(one, "this", "expression", "with_", "distinct"):
                    self.refuse_select(one, "`union` without `all` drops rows", "write `union all`")
                    return None
                pending += [one.expression, one.this]
            else:
                block = self._block(one)
                if block is None:
                    return None
                blocks.append(block)
        return Query(tuple(named), tuple(blocks))

    def _block(self, e: exp.Expr) -> Block | None:
        legal = ("expressions", "from_", "joins", "where", "group", "having", "distinct", "with_")
        if type(e) is not exp.Select or not self._only(e, *legal) or e.args.get("from_") is None:
            self.refuse_select(e, help="a view is `select … from … [join …] [where …] [group by …] [having …]`")
            return None
        distinct = e.args.get("distinct")
        group, where, having = (e.args.get(key) for key in ("group", "where", "having"))
        if (distinct is not None and not self._only(distinct)) or (group and not self._only(group, "expressions")):
            self.refuse_select(e)
            return None
        items = [self._item(item) for item in e.args["expressions"]]
        sources = [self._source(e.args["from_"].this, "from", None), *map(self._join, e.args.get("joins") or [])]
        if any(i is None for i in items) or any(s is None for s in sources):
            return None
        start, end = self._span(e)
        return Block(
            start,
            end,
            tuple(i for i in items if i is not None),
            tuple(s for s in sources if s is not None),
            distinct is not None,
            self.read(where.this) if where is not None else None,
            tuple(self.read(g) for g in group.args["expressions"]) if group is not None else (),
            self.read(having.this) if having is not None else None,
        )

    def _item(self, e: exp.Expr) -> tuple[tree.Name, tree.Node] | None:
        if type(e) is exp.Alias and self._only(e, "this", "alias"):
            name, value = self._name_of(e.args.get("alias")), self.read(e.this)
            return (name, value) if name is not None else None
        value = self.read(e)
        if isinstance(value, tree.NumberLiteral) and self.inner:
            return tree.Name(value.start, value.end, "one"), value  # `exists (select 1 …)`: nobody reads it
        if isinstance(value, tree.Name):
            return tree.Name(value.end - len(value.name), value.end, value.name), value
        if not self.problems:
            self.refuse_select(e, help="every column of a view is named: write `… as name`; there is no `*`")
        return None

    def _source(self, e: exp.Expr, join: str, on: exp.Expr | None) -> Source | None:
        name = self._name_of(e.this) if type(e) is exp.Table and self._only(e, "this", "alias") else None
        alias = self._alias_name(e.args.get("alias")) if name is not None and e.args.get("alias") else name
        if name is None or alias is None:
            self.refuse_select(e, help="rows come from a relation, a reference or an earlier view, by name")
            return None
        return Source(name, alias, join, self.read(on) if on is not None else None)

    def _join(self, e: exp.Expr) -> Source | None:
        side, kind, on = e.args.get("side"), e.args.get("kind"), e.args.get("on")
        form = (side or "", kind or "")
        known = {("", ""): "inner", ("", "INNER"): "inner", ("LEFT", ""): "left", ("", "CROSS"): "cross"}
        join = known.get(form)
        if join is None or not self._only(e, "this", "side", "kind", "on") or (on is None) != (join == "cross"):
            help = "write `join r on …`, `left join r on …` or `cross join r`"
            self.refuse_select(e, "this join is not part of the language of views", help)
            return None
        return self._source(e.this, join, on)

    def _alias_name(self, e: exp.Expr | None) -> tree.Name | None:
        return self._name_of(e.this) if type(e) is exp.TableAlias and self._only(e, "this") else None

    def _name_of(self, e: exp.Expr | None) -> tree.Name | None:
        index = self._index(e) if type(e) is exp.Identifier else None
        if index is None or self.tokens[index].kind != "name":
            return None
        token = self.tokens[index]
        return tree.Name(token.start, token.end, token.text)

    # -- conditions and values ---------------------------------------------------------------------------------

    def _column(self, e: exp.Expr) -> tree.Node:
        table = e.args.get("table")
        if table is None:
            return super()._column(e)
        of, name = self._name_of(table), self._name_of(e.this)
        if of is None or name is None or not self._only(e, "this", "table"):
            return self._refuse(e, help="write `r.column`")
        return tree.Name(of.start, name.end, name.name, of=of.name)

    def _case(self, e: exp.Expr) -> tree.Node:
        if not self._only(e, "ifs", "default"):
            return self._refuse(e, help="write `case when condition then value … else value end`")
        branches = tuple((self.read(one.this), self.read(one.args["true"])) for one in e.args["ifs"])
        default = e.args.get("default")
        start, end = self._span(e)
        return Case(start, end, branches, self.read(default) if default is not None else None)

    def _exists(self, e: exp.Expr) -> tree.Node:
        block = self._inner(e.this)
        return SelectExists(*self._span(e), block) if block is not None else tree.NullLiteral(*self._span(e))

    def _in(self, e: exp.Expr) -> tree.Node:
        inner = e.args.get("query")
        if inner is None:
            return super()._in(e)
        block = self._inner(inner.this if type(inner) is exp.Subquery and self._only(inner, "this") else inner)
        value = self.read(e.this)
        if block is None or not self._only(e, "this", "query"):
            return tree.NullLiteral(*self._span(e))
        if len(block.items) != 1:
            return self._refuse(e, "the SELECT behind `in` gives one column", _SUBQUERY)
        return SelectIn(*self._span(e), value, block)

    def _inner(self, e: exp.Expr) -> Block | None:
        if type(e) is not exp.Select or not self._only(e, "expressions", "from_", "joins", "where"):
            self.refuse_select(e, help=_SUBQUERY)
            return None
        self.inner += 1
        try:
            return self._block(e)
        finally:
            self.inner -= 1
