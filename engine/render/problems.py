"""Problems as text for a terminal: place, code and message; the line of the file; a caret under it; help.

policies/text/length.yaml:5:7: unknown-column: `wrods` is not a column of sentence
    must: wrods <= max_words
          ^^^^^
  help: did you mean `words` (int, words)?
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from ..errors import Place, Problem, problem_order
from ..frozen import replace
from ..home import MAX_FILE_BYTES

WIDTH = 100
"""The widest excerpt, in columns of a terminal."""
_INDENT = "    "
_MAX_CARETS = 60


def render_problems(problems: Iterable[Problem]) -> str:
    """All problems, sorted by place, an empty line between them; empty text if there are none."""
    ordered = sorted(add_excerpts(problems), key=problem_order)
    return "\n".join(render_problem(problem) for problem in ordered)


def render_problem(problem: Problem) -> str:
    """One problem, with a line feed at the end."""
    where = str(problem.place) if problem.place is not None else problem.where
    head = f"{visible(where)}: " if where else ""
    note = "note: " if not problem.is_error else ""
    lines = [f"{head}{note}{problem.code}: {visible(problem.message)}"]
    if problem.place is not None and problem.excerpt is not None and problem.excerpt.strip():
        lines += [_INDENT + line for line in excerpt_lines(problem.excerpt, problem.place)]
    if problem.help:
        first, *more = problem.help.split("\n")
        lines.append(f"  help: {visible(first)}")
        lines += [f"        {visible(line)}" for line in more]
    return "\n".join(lines) + "\n"


def add_excerpts(problems: Iterable[Problem]) -> list[Problem]:
    """The problems, those with a place and no excerpt given the line of the file. A file that is gone gives none."""
    files: dict[str, list[str]] = {}
    done = []
    for problem in problems:
        if problem.place is None or problem.excerpt is not None:
            done.append(problem)
            continue
        file = problem.place.file
        if file not in files:
            files[file] = _lines_of(file)
        lines = files[file]
        line = problem.place.line
        done.append(replace(problem, excerpt=lines[line - 1]) if 0 < line <= len(lines) else problem)
    return done


def _lines_of(file: str) -> list[str]:
    try:
        path = Path(file)
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return []
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]


def visible(text: str) -> str:
    """A text in which nothing acts on a terminal: control characters and marks of direction are written out."""
    return text if text.isprintable() else "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of a control character: one column wide, as the tab's is
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) == "Zs":
        return " "  # the many widths of blank
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def width(text: str) -> int:
    """How many columns of a terminal a visible text takes: wide East Asian characters two, combining ones none."""
    columns = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
    return columns


def excerpt_lines(excerpt: str, place: Place, limit: int = WIDTH) -> tuple[str, str]:
    """The line of the file and the line of carets. A long line is cut on both sides of the place."""
    pieces = [" " if character == "\t" else _shown(character) for character in excerpt]
    start = min(max(place.column - 1, 0), len(pieces))
    end = min(start + max(place.length, 1), max(len(pieces), start + 1))
    first = len(excerpt) - len(excerpt.lstrip())
    first = min(first, start)
    left, right = _window(pieces, first, start, end, limit)
    before = ("…" if left > first else "") + "".join(pieces[left:start])
    marked = "".join(pieces[start : min(end, right)])
    after = "".join(pieces[min(end, right) : right]) + ("…" if right < len(pieces) else "")
    carets = min(max(width(marked), 1), _MAX_CARETS)
    return (before + marked + after).rstrip(), " " * width(before) + "^" * carets


def _window(pieces: list[str], first: int, start: int, end: int, limit: int) -> tuple[int, int]:
    """The stretch of pieces that fits into `limit` columns and holds the place, more of it before than after."""
    room = limit - 2
    widths = [width(piece) for piece in pieces]
    if sum(widths[first:]) <= room:
        return first, len(pieces)
    right = start
    used = 0
    while right < min(end, len(pieces)) and used + widths[right] <= room:
        used += widths[right]
        right += 1
    left = start
    while left > first and used + widths[left - 1] <= room * 2 // 3:
        left -= 1
        used += widths[left]
    while right < len(pieces) and used + widths[right] <= room:
        used += widths[right]
        right += 1
    while left > first and used + widths[left - 1] <= room:
        left -= 1
        used += widths[left]
    return left, right
