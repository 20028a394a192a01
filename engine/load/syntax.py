"""Why YAML cannot read a file, in words that help; above all where an expression meets YAML's own signs."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..errors import Place, Problem
from .source import Source

_TOP_KEY = re.compile(r"([^\s#:'\"\[\]{}-][^\s:]*)\s*:(?:\s|$)")

_SIGNS = {
    "'": "a quoted text that ends at the second quote",
    '"': "a quoted text that ends at the second quote",
    "[": "a list that ends at its bracket",
    "{": "a mapping that ends at its brace",
    "*": "an alias",
    "&": "an anchor",
    "!": "a tag",
    "|": "the head of a block text",
    ">": "the head of a block text",
    "-": "an entry of a list",
    "?": "a key",
    "#": "a comment",
}


def expression_problem(source: Source, what: str, place: Place, expression_keys: Collection[str]) -> Problem:
    """YAML takes a part of an expression for `what`. `place` is in the expression or on its first line."""
    key, line = _key_above(source, place.line)
    key = key if key in expression_keys else next(iter(sorted(expression_keys)))
    message = f"YAML takes this for {what}, not for a part of the expression after `{key}`"
    return source.problem("yaml-in-expression", message, place, _folded(source, key, line))


def _folded(source: Source, key: str, line: int) -> str:
    """How the expression is written so that YAML leaves it alone."""
    parts = [source.line_text(line).partition(":")[2]]
    for number in range(line + 1, len(source.lines) + 1):
        following = source.line_text(number)
        if _TOP_KEY.match(following):
            break
        parts.append(following)
    if re.fullmatch(r"\s*[|>][-+0-9]*\s*", parts[0]):
        parts[0] = ""
    after = " ".join(part.strip() for part in parts if part.strip()) or "…"
    shown = after if len(after) <= 80 else after[:79] + "…"
    return f"put the expression after `>-`, on the next line, indented:\n{key}: >-\n  {shown}"


def _key_above(source: Source, line: int) -> tuple[str, int]:
    """The top-level key to which a line belongs, and the line of that key (1 if there is none)."""
    for number in range(line, 0, -1):
        found = _TOP_KEY.match(source.line_text(number))
        if found:
            return found[1], number
    return "", 1


def explain_syntax(source: Source, error: Any, expression_keys: Collection[str]) -> Problem:
    """The problem for an error of the YAML parser."""
    mark, problem, context = (getattr(error, name, None) for name in ("problem_mark", "problem", "context"))
    if mark is None or problem is None:
        message = "an escape in a quoted text names no character"
        return source.problem("yaml-syntax", message, Place(source.file, 1, 1), "escapes go up to \\U0010FFFF")
    place = source.clipped(mark.line + 1, mark.column + 1)
    context_mark = error.context_mark
    start = source.clipped(context_mark.line + 1, context_mark.column + 1) if context_mark is not None else place
    begin = start if context and "scanning" in context else place
    key, line = _key_above(source, begin.line)
    if key in expression_keys and "'\\t'" not in problem:
        return _in_expression(source, problem, begin, place, key, line, expression_keys)
    message, at, help = _reason(source, problem, context or "", start, place)
    return source.problem("yaml-syntax", message, at, help)


def _in_expression(
    source: Source, problem: str, begin: Place, place: Place, key: str, line: int, expression_keys: Collection[str]
) -> Problem:
    head = source.line_text(line).partition(":")[2].strip()
    if begin.line > line and "could not find expected ':'" in problem:
        message = f"this line is neither a key nor indented, so YAML does not take it for a part of `{key}`"
        return source.problem(
            "yaml-in-expression", message, Place(source.file, begin.line, 1), "indent the expression by two spaces"
        )
    if problem.startswith("mapping values"):
        what, at = "the key of a mapping (because of the `:`)", place
    elif "end of stream" in problem or "document separator" in problem:
        what, at = "a quoted text that never ends", begin
    elif head[:1] in _SIGNS:
        column = source.line_text(line).index(":") + 1
        column += source.line_text(line)[column:].index(head[0]) + 1
        what, at = _SIGNS[head[0]], Place(source.file, line, column)
    else:
        what, at = "a sign of its own", place if place.line == line else begin
    return expression_problem(source, what, at, expression_keys)


def _reason(source: Source, problem: str, context: str, start: Place, place: Place) -> tuple[str, Place, str | None]:
    """Message, place and help for the errors that people make; the parser's own words for the rest."""
    quote = "put the text in double quotes, or after `>-` on the next line"
    here = source.line_text(place.line)[place.column - 1 : place.column]
    if "'\\t'" in problem or "tab" in problem:
        return "a tab may not indent a line", place, "indent with spaces"
    if problem.startswith("mapping values"):
        help = f"if the `:` belongs to a text, {quote}; if a key is meant, give it the column of the keys beside it"
        return "YAML reads a second key on this line, or a key inside a text", place, help
    if "could not find expected ':'" in problem:
        help = "write `key: value`, or indent the line if it continues the one above"
        return "this line is not `key: value`", start, help
    if "flow" in context and "expected ','" in problem:
        kind, end = ("list", "]") if "sequence" in context else ("mapping", "}")
        opened = f"line {start.line}, column {start.column}"
        help = f"add the missing `,` or `{end}`, or {quote} if a value holds one of `,[]{{}}:`"
        return f"the {kind} that opens at {opened} goes on here without `,` or `{end}`", place, help
    if "end of stream" in problem or "document separator" in problem:
        return "the quoted text that begins here never ends", start, "add the closing quote"
    if ("escape" in problem and "invalid" in problem) or "hexadecimal" in problem:
        return "this escape names no character", place, "write `\\\\` for a backslash, or use single quotes"
    if "escape" in problem:
        return f"`\\{here}` is no escape that YAML knows", place, "write `\\\\` for a backslash, or use single quotes"
    if "cannot start any token" in problem:
        return f"a text cannot begin with `{here}` unless it is quoted", place, quote
    if "block" in context and "<scalar>" in problem:
        return (
            "more text follows a closing quote or bracket",
            place,
            "put the whole text in quotes, or after `>-` on the next line",
        )
    if ("block" in context and "'<block " in problem) or problem.endswith("found '?'"):
        return (
            "the indentation of this line fits none of the lines above",
            place,
            "give it the column of the keys beside it",
        )
    if "not allowed here" in problem:
        what = "an entry of a list" if "sequence" in problem else "a key"
        return f"{what} may not stand here", place, "put it on a line of its own, indented"
    if here in ("]", "}", ","):
        what = "does not close the bracket that was opened last" if "flow" in context else "belongs to no open bracket"
        return f"this `{here}` {what}", place, "count the brackets of the line"
    if "document start" in problem:
        return "text follows the end of the document (`...`)", place, "one file holds one document: remove the `...`"
    return f"YAML cannot read this: {problem}", place, None
