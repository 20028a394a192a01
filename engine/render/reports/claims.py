"""Blocks of a page that would look like a claim and make none: found by the sensor of the gate, and said to be so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...sensors.artifact import ClaimWords, sense

_BLOCK = re.compile(r"<!--b:([a-z]+)(?:-[0-9]+)?-->")
_ROUNDS = 3


def excused(page: str, file: str, claims: ClaimWords, words: Mapping[str, str]) -> str:
    """The page with a remark in each block whose words would be taken for a claim, and without the names of blocks.

    A block is named by a comment `b:KIND-NUMBER` within it. The marks of the page are left as they are: what is said
    to be official is looked up whatever a remark says.
    """
    kept: set[int] = set()
    for _ in range(_ROUNDS):
        starts = [found.start() for found in _BLOCK.finditer(page)]
        lines = [page.count("\n", 0, start) + 1 for start in starts]
        drawn = _with_remarks(page, kept, words)
        more = set()
        for one in sense(file, drawn.encode("utf-8"), claims).shown:
            if one.marked == "unmarked":
                before = [n for n, line in enumerate(lines) if line <= one.line]
                more |= {before[-1]} if before else set()
        if more <= kept:
            break
        kept |= more
    return _BLOCK.sub("", _with_remarks(page, kept, words))


def _with_remarks(page: str, kept: set[int], words: Mapping[str, str]) -> str:
    number = -1

    def remark(found: re.Match[str]) -> str:
        nonlocal number
        number += 1
        if number not in kept:
            return found[0]
        why = words["remark_learner"] if found[1] == "text" else words["remark_page"]
        return f"<!-- fiel: no claim, because {why} -->"

    return _BLOCK.sub(remark, page)


def excused_text(page: str, file: str, claims: ClaimWords, words: Mapping[str, str]) -> str:
    """A page of Markdown with a remark before each line whose words would be taken for a claim."""
    for _ in range(_ROUNDS):
        lines = page.split("\n")
        found = {one.line for one in sense(file, page.encode("utf-8"), claims).shown if one.marked == "unmarked"}
        found = {line for line in found if not lines[line - 2].lstrip().startswith("<!-- fiel:")}
        if not found:
            break
        for line in sorted(found, reverse=True):
            item = lines[line - 1]
            remark = f"<!-- fiel: no claim, because {words['remark_page']} -->"
            lines[line - 1] = f"- {remark} {item[2:]}" if item.startswith("- ") else f"{remark}\n{item}"
        page = "\n".join(lines)
    return page
