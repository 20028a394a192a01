"""Blocks of a page that would look like a claim and make none: found by the sensor of the gate, and said to be so."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import count

from ...sensors.artifact import ClaimWords, remark, sense

_BLOCK = re.compile(r"<!--b:([a-z]+)(?:-[0-9]+)?-->")
_NAMED = re.compile(r"<!--(b):[a-z]+(?:-[0-9]+)?-->|<!-- fiel: [^>]* -->")
_ROUNDS = 8


def excused(page: str, file: str, claims: ClaimWords, words: Mapping[str, str]) -> str:
    """The page with a remark in each block whose words would be taken for a claim, and without the names of blocks.

    A block is named by a comment `b:KIND-NUMBER` within it. A remark names the words that it excuses, so that it
    covers nothing that is put beside them; marks are looked up whatever a remark says.
    """
    kept: dict[int, list[str]] = {}
    for _ in range(_ROUNDS):
        drawn = _with_remarks(page, kept, words)
        starts = [drawn.count("\n", 0, found.start()) + 1 for found in _NAMED.finditer(drawn)]
        sensed = sense(file, drawn.encode("utf-8"), claims)
        fresh = [(_block_at(starts, one.line), one.value) for one in sensed.shown if one.marked == "unmarked"]
        idle = {_block_at(starts, one.line) for one in sensed.no_claims if not one.excused} - {n for n, _ in fresh}
        if not fresh and not idle:
            break
        for number, value in fresh:
            kept.setdefault(number, []).append(value)
        for number in idle:
            kept.pop(number, None)
    return _NAMED.sub(lambda found: "" if found[1] else found[0], _with_remarks(page, kept, words))


def _block_at(starts: Sequence[int], line: int) -> int:
    """The number of the block in which a line stands; -1 before the first."""
    return bisect_right(starts, line) - 1


def _with_remarks(page: str, kept: Mapping[int, list[str]], words: Mapping[str, str]) -> str:
    numbers = count()

    def put(found: re.Match[str]) -> str:
        excuses = kept.get(next(numbers))
        if excuses is None:
            return found[0]
        why = words["remark_learner"] if found[1] == "text" else words["remark_page"]
        return f"<!-- {remark(excuses, why)} -->"

    return _BLOCK.sub(put, page)


def excused_text(page: str, file: str, claims: ClaimWords, words: Mapping[str, str]) -> str:
    """A page of Markdown or plain text with a remark wherever words would be taken for a claim.

    In Markdown at their line, each item being a block; in plain text before their paragraph.
    """
    lines = page.split("\n")
    is_text = file.endswith(".txt")
    found: dict[int, list[str]] = {}
    for _ in range(_ROUNDS):
        drawn, origins = _with_lines(lines, found, is_text, words["remark_page"])
        fresh = [one for one in sense(file, drawn.encode("utf-8"), claims).shown if one.marked == "unmarked"]
        if not fresh:
            break
        for one in fresh:
            at = origins[one.line - 1]
            while is_text and at > 0 and lines[at - 1].strip():
                at -= 1
            found.setdefault(at, []).append(one.value)
    return drawn


def _with_lines(
    lines: Sequence[str], found: Mapping[int, Sequence[str]], is_text: bool, because: str
) -> tuple[str, list[int]]:
    """The page with its remarks, and for each of its lines that of `lines` from which it is."""
    made: list[str] = []
    origins: list[int] = []
    for number, line in enumerate(lines):
        said = f"<!-- {remark(found[number], because)} -->" if number in found else None
        if said is not None and line.startswith("- ") and not is_text:
            line = f"- {said} {line[2:]}"
        elif said is not None:
            made.append(said)
            origins.append(number)
        made.append(line)
        origins.append(number)
    return "\n".join(made), origins


def names_claim(text: str, claims: ClaimWords) -> bool:
    """Whether a text has a word that would be a claim beside a word of officialdom, or is one."""
    plain = text.replace("<", " ").encode("utf-8", "replace")
    level = claims.levels[0].encode() if claims.levels else b""
    beside = (b"official " + plain, plain + b" " + level)
    return any(one.marked == "unmarked" for each in beside for one in sense("one.txt", each, claims).shown)
