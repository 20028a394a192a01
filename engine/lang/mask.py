"""Masking: each word of the author's becomes the number of its token before a parser sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .lex import Token

_MASKS = {"name": '"n{}"', "function": "f{}", "number": "{}", "text": "'t{}'"}
_MASKED_KEYWORDS = {"true": '"b{}"', "false": '"b{}"', "null": '"z{}"'}


def mask(tokens: Sequence[Token]) -> tuple[str, list[int]]:
    """The masked text, and where in it each token starts."""
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for i, token in enumerate(tokens):
        form = _MASKED_KEYWORDS.get(token.text) if token.kind == "keyword" else _MASKS.get(token.kind)
        word = form.format(i) if form else token.text
        starts.append(at)
        parts.append(word)
        at += len(word) + 1
    return " ".join(parts), starts


def unmask(word: object, kind: str, tokens: Sequence[Token]) -> int | None:
    """The number of the token that a masked word stands for; None if it is no mask of a token of that kind.

    A masked keyword (`true`, `null`) counts as a name, which is what a parser takes it for.
    """
    text = word if isinstance(word, str) else ""
    digits = text if kind == "number" else text[1:]
    if not digits.isdecimal() or int(digits) >= len(tokens):
        return None
    token = tokens[int(digits)]
    form = _MASKED_KEYWORDS.get(token.text) if token.kind == "keyword" else _MASKS.get(token.kind)
    same_kind = token.kind == kind or (kind == "name" and token.kind == "keyword")
    return int(digits) if same_kind and form and form.format(digits).strip("\"'") == text else None


def matching(tokens: Sequence[Token]) -> Mapping[int, int]:
    """For each `(` the index of its `)`; the tokens are balanced."""
    opened: list[int] = []
    closes: dict[int, int] = {}
    for i, token in enumerate(tokens):
        if token.text == "(":
            opened.append(i)
        elif token.text == ")":
            closes[opened.pop()] = i
    return closes
