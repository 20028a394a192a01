"""The entry of `references.yaml` for a file that nobody declared yet, to paste: what can be known is filled in.

What only a person knows (title, edition, licence, citation) is left empty unless it was said, and an empty value is
refused by `fiel check`: nobody's terms are made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from ..errors import Problem, UsageError, did_you_mean
from ..facts.bad_values import shown
from ..frozen import dataclass
from ..model import PREPARE_STEPS, REFERENCE_FORMATS, Column, PrepareStep, Reference, ValueType
from ..names import NAME, RESERVED
from .records import Unreadable, headings
from .shelf import read_file, read_table, unreadable_problem
from .table import ReferenceTable

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.]*(?: [A-Za-z0-9_.]+)*")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_WORDS = frozenset("true false null yes no on off".split())
_ASKED = {
    "title": "what the file is called",
    "edition": "which edition it is",
    "licence": "on what terms it may be used",
    "cite": "how it is cited",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user says of a file. `columns` maps names to headings, `levels` names to their levels, lowest first."""

    file: Path
    columns: Mapping[str, str]
    key: Sequence[str]
    levels: Mapping[str, Sequence[str]]
    prepare: Sequence[tuple[str, str]] = ()
    name: str | None = None
    sheet: str | None = None
    said: Mapping[str, str | None] | None = None


def pinned(wish: Wish, today: date) -> tuple[str, ReferenceTable]:
    """The entry, and the table that was read with it: an entry that does not fit its file is not given.

    Raises UsageError.
    """
    found = read_file(wish.file)
    if found.data is None or found.sha256 is None:
        raise UsageError(Problem("reference-unreadable", found.reason or "", where=found.path))
    reference = _reference(wish, found.sha256, today)
    try:
        table = read_table(reference, found.path, found.data)
    except Unreadable as error:
        raise UsageError(unreadable_problem(found.path, error, reference.format)) from None
    return _text(reference, wish.said or {}), table


def headings_of(path: Path) -> list[str]:
    """The headings of a file that nobody declared yet; none if it cannot be read."""
    found, end = read_file(path), path.suffix.lower().removeprefix(".")
    if found.data is None or end not in REFERENCE_FORMATS:
        return []
    try:
        return [heading for heading in headings(found.data, end) if heading]
    except Unreadable:
        return []


def _reference(wish: Wish, sha256: str, today: date) -> Reference:
    end = wish.file.suffix.lower().removeprefix(".")
    if end not in REFERENCE_FORMATS or not _FILE.fullmatch(wish.file.name):
        message = f"{shown(wish.file.name)} is no name for the file of a reference"
        help = f"letters, digits, `_`, `-` and points, and at the end one of .{', .'.join(REFERENCE_FORMATS)}"
        raise UsageError(Problem("reference-what", message, where="--from", help=help))
    name = wish.name or re.sub(r"[^a-z0-9]+", "_", wish.file.stem.lower()).strip("_")[:63]
    for one in (name, *wish.columns):
        if not NAME.fullmatch(one) or one in RESERVED:
            help = "small letters, digits and `_`, a letter first, and no word of the language"
            raise UsageError(Problem("reference-what", f"{shown(one)} is no name", help=help))
    for option, given in (("--key", wish.key), ("--levels", wish.levels), ("--prepare", [c for _, c in wish.prepare])):
        for one in given:
            if one not in wish.columns:
                help = did_you_mean(one, wish.columns, "columns")
                message = f"{shown(one)} is none of the columns of `--columns`"
                raise UsageError(Problem("reference-what", message, where=option, help=help))
    for step, column in wish.prepare:
        if step not in PREPARE_STEPS or column in wish.levels:
            help = did_you_mean(step, PREPARE_STEPS, "steps") if column not in wish.levels else "it is done to texts"
            raise UsageError(Problem("reference-what", f"{shown(step)} is no step", where="--prepare", help=help))
    types = {one: ValueType("levels", levels=tuple(wish.levels[one])) for one in wish.levels}
    return Reference(
        name=name,
        title="",
        edition="",
        file=wish.file.name,
        sha256=sha256,
        licence="",
        cite="",
        key=tuple(wish.key),
        columns={one: Column(one, types.get(one, ValueType("text"))) for one in wish.columns},
        headings=wish.columns,
        checked=today,
        prepare=tuple(PrepareStep(step, column) for step, column in wish.prepare),
        format=end,
        sheet=wish.sheet,
    )


def _text(one: Reference, said: Mapping[str, str | None]) -> str:
    def asked(key: str) -> str:
        text = said.get(key)
        return f"  {key}: {_scalar(text)}" if text else f"  {key}:  # {_ASKED[key]}"

    lines = [f"{one.name}:", asked("title"), asked("edition"), f"  file: {one.file}"]
    lines += [f"  sheet: {_scalar(one.sheet)}"] if one.sheet else []
    lines += [f'  sha256: "{one.sha256}"', asked("licence"), asked("cite"), "  columns:"]
    for name, heading in one.headings.items():
        levels = one.columns[name].type.levels
        listed = ", ".join(map(_scalar, levels))
        typed = f"{{from: {_scalar(heading)}, type: levels, levels: [{listed}]}}" if levels else _scalar(heading)
        lines.append(f"    {name}: {typed}")
    if one.prepare:
        lines += ["  prepare:", *(f"    - {step.name}: {step.column}" for step in one.prepare)]
    lines += [f"  key: [{', '.join(one.key)}]", f"  checked: {one.checked.isoformat()}"]
    return "\n".join(lines) + "\n"


def _scalar(text: str) -> str:
    """A text that YAML reads as this text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
