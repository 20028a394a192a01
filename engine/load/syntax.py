"""Why YAML cannot read a file, in words that help; above all where an expression meets YAML's own signs."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..errors import Place, Problem
from .nodes import Scalar
from .schemas import first_column_keys, keys_of_files
from .source import Source

_TOP_KEY = re.compile(r"([^\s#:'\"\[\]{}-][^\s:]*)\s*:(?:\s|$)")
_KEY_LINE = re.compile(r"((?: |- )*)([a-z][a-z0-9_]*)\s*:(|\s.*)$")
"""What stands before a key, the key, and what follows its colon."""

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


def indented_problem(source: Source, key: Scalar, owner: str, column: int) -> Problem:
    """A key that stands further to the right than in `column`, where it belongs, and so falls into `owner`."""
    message = f"this line is indented, so YAML reads it as part of `{owner}`"
    help = f"move `{key.text}:` to {'the first column' if column == 1 else f'column {column}, that of `{owner}:`'}"
    return source.problem("wrong-indentation", message, key, help)


def _owner(source: Source, line: int, indent: int) -> tuple[str, int, str] | None:
    """The nearest key above a line that is less indented: its name, its column (from 1), what follows its colon."""
    for number in range(line - 1, 0, -1):
        found = _KEY_LINE.match(source.line_text(number))
        if found and len(found[1]) < indent:
            return found[2], len(found[1]) + 1, re.sub(r"(^|\s)#.*", "", found[3]).strip()
    return None


def _indented(source: Source, problem: str, context: str, line: int) -> Problem | None:
    """The problem, if the parser stopped at a key that is indented too far."""
    if "document start" in problem:
        first = next((n for n, text in enumerate(source.lines, 1) if text.strip() and text.strip()[0] not in "#-%"), 0)
        found = _KEY_LINE.match(source.line_text(first))
        if found is None or not found[1]:
            return None
        message = "this line is indented, and the keys below it are not"
        place = Place(source.file, first, len(found[1]) + 1, len(found[2]))
        return source.problem("wrong-indentation", message, place, f"move `{found[2]}:` to the first column")
    found = re.match(r"( +)([a-z][a-z0-9_]*)\s*:(?:\s|$)", source.line_text(line))
    owner = _owner(source, line, len(found[1])) if found else None
    if found is None or owner is None:
        return None
    name, column, rest = owner
    key = Scalar(found[2], "plain", line, found.start(2) + 1, line, found.end(2) + 1)
    continues = problem.startswith("mapping values") and key.text in keys_of_files()
    beside = "block" in context and (bool(rest) or (column == 1 and key.text in first_column_keys()))
    return indented_problem(source, key, name, column) if continues or beside else None


def spaced(text: str) -> str | None:
    """How a key with its value is written that lack the space between: `value:65` is `value: 65`. Else None."""
    found = re.fullmatch(r"([a-z][a-z0-9_]*):(\S.*)", text)
    return f"{found[1]}: {found[2]}" if found else None


def _unspaced(source: Source, problem: str, start: Place, place: Place) -> Problem | None:
    """The problem, if the colon of a key has no space after it near where the parser stopped."""
    if "unexpected ':'" in problem:
        message = "there is no space after this colon, so YAML does not take it for the end of a key"
        return source.problem("yaml-syntax", message, place, "put a space after the colon")
    if not problem.startswith("mapping values") and "could not find expected ':'" not in problem:
        return None
    above = next((n for n in range(place.line - 1, 0, -1) if source.line_text(n).strip()), place.line)
    for line in dict.fromkeys((start.line, place.line, above)):
        found = re.match(r"((?: |- )*)(([a-z][a-z0-9_]*):[^\s:].*)", source.line_text(line))
        if found and found[3] in keys_of_files():
            at = Place(source.file, line, len(found[1]) + 1, len(found[3]) + 1)
            message = f"`{found[3]}:` has no space after its colon, so YAML takes it for a part of a text"
            return source.problem("yaml-syntax", message, at, f"put a space after the colon: `{spaced(found[2])}`")
    return None


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
    slip = _unspaced(source, problem, start, place) or _indented(source, problem, context or "", place.line)
    if slip is not None:
        return slip
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
    if "block" in context and problem.endswith("found '-'"):
        help = "a list holds nothing but entries: begin each with `- `, all in one column"
        return "an entry of a list stands among keys", place, help
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
