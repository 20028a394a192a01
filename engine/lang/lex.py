"""The first wall: an expression's text to tokens, within bounds, before any parser sees it.

Only words and signs of the language get through. Everything else (comments, quoted names, `::`, `[`, exponents, …) is
a problem at its exact place. The bounds exist because the parser behind is recursive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import Place, PolicyError, Problem, nearest
from ..frozen import dataclass
from ..model import Expression
from ..names import RESERVED

MAX_LENGTH = 4096
MAX_TOKENS = 500
MAX_DEPTH = 24

KEYWORDS = frozenset(
    "and or not between in is null true false exists from where interval distinct filter judged".split()
)
Vocabulary = frozenset[str]
FUNCTIONS = frozenset(
    """abs coalesce length lower upper starts_with ends_with contains year month day utc_day days_between""".split()
)
AGGREGATES = frozenset("count count_if sum avg min max any all".split())
UNITS_OF_TIME = frozenset({"day", "month"})

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<number>[0-9][0-9A-Za-z_.]*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<text>'(?:[^']|'')*')
      | (?P<foreign>--|/\*|\*/|<>|<=>|===?|=>|=<|!==|->>?|::|:=|\|\||//|\*\*|!~|\^@|&&)
      | (?P<sign><=|>=|!=|[=<>+\-*/(),.])""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DOUBLE_QUOTED = re.compile(r'"([^"]*)"')
_CLOCKS = frozenset("now today getdate sysdate date current_date current_timestamp localtimestamp utcnow".split())

_FOREIGN_HELP = {
    "<>": "write `!=`",
    "==": "write `=`",
    "::": "there are no casts; declare the column with the type it has",
    "===": "write `=`",
    "!==": "write `!=`",
    "=>": "write `>=`",
    "=<": "write `<=`",
    "&&": "write `and`",
    "||": "between conditions write `or`; texts cannot be joined in a rule",
    "--": "write comments in YAML, with `#` on a line of their own",
    "/*": "write comments in YAML, with `#` on a line of their own",
    "//": "write `/`, which divides as doubles",
    "%": "there is no remainder",
    '"': "names are written bare, texts in single quotes",
    "!": "write `not`, or `!=`",
    "[": "a list is written `in ('a', 'b')`",
    ";": "one expression, without a semicolon",
    "$": "parameters are written by name",
    "@": "parameters are written by name",
    "+": "a plus stands between two values",
    ".": "a point stands within a number, and in `judged.column`",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign. `kind` is name, function, keyword, number, text or sign; offsets are of the expression's text."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def value(self) -> str:
        """What a text literal says."""
        return self.text[1:-1].replace("''", "'")


def place_in(expression: Expression, start: int, end: int) -> tuple[Place, str]:
    """Where the characters from `start` to `end` stand in the file, as far as the first line goes, and that line."""
    last = max(len(expression.text) - 1, 0)
    line, column = expression.locate(min(start, last))
    end_line, end_column = expression.locate(min(max(end - 1, start), last))
    length = end_column - column + 1 if end_line == line else len(expression.text[start:end].split("\n")[0])
    return Place(expression.file, line, column, max(length, 1)), expression.line_text(line)


def expression_problem(
    expression: Expression, start: int, end: int, code: str, message: str, help: str | None = None
) -> Problem:
    """A problem at a stretch of an expression, mapped back to the file."""
    place, excerpt = place_in(expression, start, end)
    return Problem(code, message, place=place, excerpt=excerpt, help=help)


def tokens_of(expression: Expression) -> tuple[Token, ...]:
    """The tokens of an expression. Raises PolicyError for what is no part of the language, or past a bound."""
    text = expression.text
    if not text.strip():
        raise PolicyError(
            expression_problem(expression, 0, 1, "empty-expression", "the expression is empty", "write a condition")
        )
    if len(text) > MAX_LENGTH:
        raise PolicyError(
            expression_problem(
                expression,
                0,
                1,
                "expression-too-long",
                f"the expression has {len(text)} characters, at most {MAX_LENGTH} are read",
                "split the rule into several policies, or use a list parameter (`values_of`)",
            )
        )
    tokens = sort_words(expression, scan(expression))
    _check_forms(expression, tokens)
    check_depth(expression, tokens)
    return tokens


def scan(expression: Expression) -> list[Token]:
    text, tokens, at = expression.text, list[Token](), 0
    while at < len(text):
        day = _DAY.match(text, at)
        if day is not None:
            raise PolicyError(_bare_day(expression, at, day.group()))
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup == "foreign":
            raise PolicyError(_foreign(expression, at, found.group() if found else text[at]))
        kind, at = found.lastgroup or "", found.end()
        if kind == "space":
            continue
        tokens.append(Token(kind, found.group(), found.start(), at))
        if len(tokens) > MAX_TOKENS:
            raise PolicyError(
                expression_problem(
                    expression,
                    found.start(),
                    at,
                    "expression-too-long",
                    f"the expression has more than {MAX_TOKENS} words and signs",
                    "split the rule into several policies, or use a list parameter (`values_of`)",
                )
            )
    return tokens


def _bare_day(expression: Expression, at: int, day: str) -> Problem:
    help_text = f"a day is a parameter: `params: {{first_day: {{value: {day}, origin: …}}}}`"
    return expression_problem(expression, at, at + len(day), "bare-number", f"`{day}` has no origin", help_text)


def _foreign(expression: Expression, at: int, sign: str) -> Problem:
    quoted = _DOUBLE_QUOTED.match(expression.text, at)
    if sign == '"' and quoted:
        words = quoted.group(1).replace("'", "''")
        help_text = f"a text stands in single quotes, `'{words}'`; a name is written bare"
        message = "double quotes are not part of the language of expressions"
        return expression_problem(expression, at, quoted.end(), "not-in-language", message, help_text)
    if sign == "'":
        return expression_problem(
            expression, at, at + 1, "unclosed-text", "a text opens here and is not closed", "close it with `'`"
        )
    return expression_problem(
        expression,
        at,
        at + len(sign),
        "not-in-language",
        f"`{sign}` is not part of the language of expressions",
        _FOREIGN_HELP.get(sign, "see `docs/policies.md` for what an expression may hold"),
    )


def sort_words(expression: Expression, scanned: Sequence[Token], words: Vocabulary = KEYWORDS) -> tuple[Token, ...]:
    """Sorts words into keywords, functions and names, and refuses what is none of them."""
    tokens: list[Token] = []
    closing: list[bool] = []  # open parentheses: does this one belong to `interval (`?
    unit_follows = False
    for i, token in enumerate(scanned):
        following = scanned[i + 1].text if i + 1 < len(scanned) else ""
        kind = token.kind
        if kind == "word":
            kind = _kind_of_word(expression, token, following, unit_follows, words)
            if i + 1 < len(scanned) and scanned[i + 1].kind == "text" and scanned[i + 1].start == token.end:
                raise PolicyError(_prefixed_text(expression, token, scanned[i + 1]))
        elif kind == "number" and not _NUMBER.fullmatch(token.text):
            raise PolicyError(_bad_number(expression, token))
        elif token.text == "+" and not (tokens and _ends_a_value(tokens[-1])):
            raise PolicyError(_foreign(expression, token.start, "+"))
        elif token.text == "." and not _between_names(scanned, i):
            raise PolicyError(_foreign(expression, token.start, "."))
        unit_follows = False
        if token.text == "(":
            closing.append(bool(tokens) and tokens[-1].kind == "keyword" and tokens[-1].text == "interval")
        elif token.text == ")" and closing:
            unit_follows = closing.pop()
        text = token.text.lower() if kind == "keyword" else token.text
        tokens.append(Token(kind, text, token.start, token.end))
    return tuple(tokens)


def _ends_a_value(token: Token) -> bool:
    if token.kind in ("keyword", "sign"):
        return token.text in (")", "end", "true", "false", "null", *UNITS_OF_TIME)
    return True


def _begins_a_value(token: Token) -> bool:
    if token.kind in ("keyword", "sign"):
        return token.text in ("(", "case", "true", "false", "null", "judged", "exists", "interval")
    return True


def _between_names(scanned: Sequence[Token], i: int) -> bool:
    """A point stands in `judged.column` only; between digits that are apart, a parser would make a number of it."""
    return 0 < i < len(scanned) - 1 and scanned[i - 1].kind == scanned[i + 1].kind == "word"


def _kind_of_word(expression: Expression, token: Token, following: str, unit_follows: bool, words: Vocabulary) -> str:
    lower = token.text.lower()
    if unit_follows and lower in UNITS_OF_TIME:
        return "keyword"
    if following == "(" and lower not in words:
        # A vocabulary may have functions of its own, each with its parenthesis.
        if token.text in FUNCTIONS or token.text in AGGREGATES or f"{token.text}(" in words:
            return "function"
        raise PolicyError(_unknown_function(expression, token))
    if lower in words:
        return "keyword"
    if lower in RESERVED and lower not in AGGREGATES:
        raise PolicyError(
            expression_problem(
                expression,
                token.start,
                token.end,
                "not-in-language",
                f"`{token.text}` is not part of the language of expressions",
                _help_for_word(lower),
            )
        )
    return "name"


def _help_for_word(lower: str) -> str:
    if lower in ("case", "when", "then", "else", "end"):
        return "write the cases with `and`, `or` and `not`"
    if lower in ("like", "ilike", "rlike"):
        return "use `starts_with`, `ends_with` or `contains`"
    if lower == "select":
        return "ask another relation with `exists (from R where …)`"
    if lower.startswith("current_"):
        return "a rule has no clock; use `as_of`, or a column that holds the day"
    return "see `docs/policies.md` for what an expression may hold"


def _unknown_function(expression: Expression, token: Token) -> Problem:
    legal = sorted(FUNCTIONS | AGGREGATES)
    near = nearest(token.text.lower(), legal)
    help_text = f"did you mean `{near}`?" if near else "functions: " + ", ".join(f"`{name}`" for name in legal)
    if token.text.lower() in _CLOCKS:
        help_text = "a rule has no clock; let the facts bring the day, as a column"
    return expression_problem(
        expression, token.start, token.end, "unknown-function", f"`{token.text}` is no function of Fiel", help_text
    )


def _prefixed_text(expression: Expression, word: Token, text: Token) -> Problem:
    return expression_problem(
        expression,
        word.start,
        text.end,
        "not-in-language",
        f"`{word.text}{text.text}` is not part of the language of expressions",
        "a text is written in single quotes, without a letter before it",
    )


def _bad_number(expression: Expression, token: Token) -> Problem:
    return expression_problem(
        expression,
        token.start,
        token.end,
        "bad-number",
        f"`{token.text}` is no number here",
        "numbers are written with digits and at most one point, without exponent",
    )


def _check_forms(expression: Expression, tokens: Sequence[Token]) -> None:
    """What may follow a keyword: said here, since a parser would find odd things, or nothing, in the wrong places."""
    closes: list[bool] = []
    names = [token.kind if token.kind in ("name", "text", "number") else token.text for token in tokens]
    for i, token in enumerate(tokens):
        after = names[i + 1 : i + 4]
        help_text = _form_of(token, after) if token.kind == "keyword" else None
        if token.text == "," and after[:1] == [")"]:
            help_text = "remove the comma"
        before = tokens[i - 1] if i else None
        if before is not None and before.kind != "function" and _ends_a_value(before) and _begins_a_value(token):
            help_text = "is an operator (`and`, `or`, `=`, …) missing, or a quote around a text?"
        if token.text == "(":
            closes.append(i > 0 and tokens[i - 1].kind == "keyword" and tokens[i - 1].text == "interval")
        elif token.text == ")" and closes and closes.pop() and after[:1] not in (["day"], ["month"]):
            token, help_text = tokens[min(i + 1, len(tokens) - 1)], "an interval ends with `day` or `month`"
        if help_text is not None:
            message = f"`{token.text}` was not expected in this form"
            raise PolicyError(expression_problem(expression, token.start, token.end, "bad-syntax", message, help_text))


def _form_of(token: Token, after: Sequence[str]) -> str | None:
    """Help if what follows the keyword is none of its forms. `after`: the next three tokens, by kind or by text."""
    first = after[:1]
    if token.text == "interval" and first != ["("]:
        return "write `interval (n) day` or `interval (n) month`"
    if token.text == "exists" and (list(after) != ["(", "from", "name"]):
        return "write `exists (from R where …)`"
    if token.text == "from" and (first != ["name"] or (after[1:2] not in (["where"], [")"]))):
        return "write `exists (from R where …)`, with one relation and no alias"
    if token.text == "filter" and list(after[:2]) != ["(", "where"]:
        return "write `filter (where …)` behind an aggregate"
    if token.text == "judged" and first != ["."]:
        return "write `judged.column`"
    if token.text in ("true", "false", "null") and first and first[0] in ("(", "name", "text", "number", "."):
        return "is an operator (`and`, `or`, `=`, …) missing?"
    return None


def check_depth(expression: Expression, tokens: Sequence[Token]) -> None:
    """Counts what makes the parser recurse: open parentheses, and each `not` or sign that waits for its operand."""
    stack: list[int] = []
    depth = waiting = 0
    for token in tokens:
        if token.text == "(":
            stack.append(waiting + 1)
            depth += waiting + 1
            waiting = 0
        elif token.text == ")":
            depth -= stack.pop() if stack else 0
            waiting = 0
        elif (token.kind == "keyword" and token.text == "not") or token.text in ("-", "+"):
            waiting += 1
        else:
            waiting = 0
        if depth + waiting > MAX_DEPTH:
            raise PolicyError(
                expression_problem(
                    expression,
                    token.start,
                    token.end,
                    "expression-too-deep",
                    f"the expression is nested more than {MAX_DEPTH} levels deep here",
                    "simplify it, or split the rule into several policies",
                )
            )
