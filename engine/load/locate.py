"""The way back from a scalar's value to the file: where each of its characters was written.

Plain, quoted and block scalars fold lines, drop indentation and know escapes. Each style is read once more here, along
with the places. What is read has to equal the value that the parser gave; if it ever did not, every character would be
placed at the scalar's beginning, which is imprecise and never wrong by a line of somebody else's.
"""

from __future__ import annotations

from .nodes import Scalar

Spot = tuple[int, int]
Chars = list[tuple[str, Spot]]

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


def spots_of(lines: list[str], scalar: Scalar) -> list[Spot]:
    """The (line, column), both from 1, of each character of the value, and one more for its end."""
    is_block = scalar.style in ("literal", "folded")
    chars = _block(lines, scalar) if is_block else _flow(lines, scalar)
    if _text(chars) != (scalar.text.rstrip("\n") if is_block else scalar.text):
        return [(scalar.line, scalar.column)] * (len(scalar.text) + 1)
    spots = [spot for _, spot in chars][: len(scalar.text)]
    end = (spots[-1][0], spots[-1][1] + 1) if spots else (scalar.line, scalar.column)
    return spots + [end] * (len(scalar.text) + 1 - len(spots))


def _text(chars: Chars) -> str:
    return "".join(character for character, _ in chars)


def _flow(lines: list[str], scalar: Scalar) -> Chars:
    """Plain and quoted scalars: the lines between start and end, folded."""
    quote = 0 if scalar.style == "plain" else 1
    out: Chars = []
    breaks: list[Spot] = []
    joined = False  # an escaped line break has swallowed the fold
    for number in range(scalar.line, scalar.end_line + 1):
        line = lines[number - 1]
        start = scalar.column - 1 + quote if number == scalar.line else len(line) - len(line.lstrip(" \t"))
        stop = scalar.end_column - 1 - quote if number == scalar.end_line else len(line)
        last = number == scalar.end_line
        if number > scalar.line and (start < stop or last):
            out.extend(_fold(breaks, joined))
            breaks = []
        piece, joined_now = _piece(line, start, stop, number, scalar.style, last)
        if start < stop or number == scalar.line:
            joined = joined_now
        out.extend(piece)
        breaks.append((number, len(line.rstrip(" \t")) + 1))
    return out


def _fold(breaks: list[Spot], joined: bool) -> Chars:
    """One line break is a space, more are all but the first; after an escaped break, the first is nothing at all."""
    if len(breaks) == 1:
        return [] if joined else [(" ", breaks[0])]
    return [("\n", spot) for spot in breaks[1:]]


def _piece(line: str, start: int, stop: int, number: int, style: str, last: bool) -> tuple[Chars, bool]:
    """The characters of one line, and whether the line ends in an escaped break."""
    out: Chars = []
    solid = 0  # up to where the piece keeps its spaces: an escaped blank is no trailing one
    at = start
    while at < stop:
        spot, character, width = (number, at + 1), line[at], 1
        if style == "single" and character == "'":
            width = 2
        elif style == "double" and character == "\\":
            if at + 1 >= len(line):
                return out, True
            letter = line[at + 1]
            digits = _HEX.get(letter, 0)
            width = 2 + digits
            character = chr(int(line[at + 2 : at + width], 16)) if digits else _ESCAPES[letter]
        out.append((character, spot))
        at += width
        if width > 1 or character not in " \t":
            solid = len(out)
    return (out if last and style != "plain" else out[:solid]), False


def _block(lines: list[str], scalar: Scalar) -> Chars:
    """Block scalars. The indentation is that with which the block reads as the value that the parser gave."""
    body = list(enumerate(lines[scalar.line : scalar.end_line], scalar.line + 1))
    want = scalar.text.rstrip("\n")
    widest = max((len(line) - len(line.lstrip(" ")) for _, line in body), default=0)
    for indent in range(widest + 1):
        chars = _unindented(body, indent, scalar.style == "folded")
        while chars and chars[-1][0] == "\n":
            chars.pop()
        if _text(chars) == want:
            return chars
    return []


def _unindented(body: list[tuple[int, str]], indent: int, folded: bool) -> Chars:
    out: Chars = []
    breaks: Chars = []  # the empty lines since the last one with text
    before: tuple[bool, Spot] | None = None  # whether that line may be folded, and where it ends
    for number, line in body:
        if not line[:indent].strip(" ") and len(line) <= indent:
            breaks.append(("\n", (number, 1)))
            continue
        if line[:indent].strip(" "):
            break  # less indented: the block ended above
        foldable = folded and line[indent] not in " \t"
        if before is None:
            out.extend(breaks)
        elif foldable and before[0]:
            out.extend(breaks or [(" ", before[1])])
        else:
            out.extend([("\n", before[1]), *breaks])
        out.extend((character, (number, indent + 1 + at)) for at, character in enumerate(line[indent:]))
        breaks, before = [], (foldable, (number, len(line) + 1))
    return out
