"""`fiel reference look`: marks to paste into a page, and what a reference has in the place of a key that it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from .attest import Claim, Official, Pinned, attest
from .errors import Problem, UsageError, did_you_mean
from .frozen import dataclass
from .model import Reference
from .references import Lookup
from .references.records import Unreadable, csv_rows, text_of
from .references.shelf import read_file
from .render import marks
from .render.problems import visible

_FORMS = {"html": marks.html, "markdown": marks.markdown, "json": marks.json, "text": marks.text}
_MOST_LISTED = 12
_MOST_COMPARED = 50_000
"""Among more words than these the nearest is not sought: every one of them is compared letter by letter."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A key whose mark is wanted, a text for each column of the key; None is empty. `where` is its place in a file."""

    key: Mapping[str, str | None]
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """The marks of those keys that have one, in their order, and for each other key a line that says why not."""

    marks: tuple[str, ...]
    unmarked: tuple[str, ...]


def marks_of(lookup: Lookup, wanted: Sequence[Wanted], column: str, form: str) -> Marked:
    """The cells of `column` as marks of a form (html, markdown, json, text), as `attest` confirms them."""
    reference, found, unmarked = lookup.table.reference, list[str](), list[str]()
    for one in wanted:
        answer = lookup.look(one.key, column)
        claim = Claim(answer.value, reference.name, one.key, column)
        official = attest(claim, {reference.name: Pinned(reference, lookup)})
        if isinstance(official, Official):
            found.append(_FORMS[form](official))
            continue
        # An empty cell claims nothing; of every other answer the withheld claim would only say that nothing is shown.
        why = {
            "found": f"its {column} is empty",
            "ambiguous_key": f"several rows have this key, with different values of {column}",
            "incomplete_key": "a part of the key is empty",
            "not_in_reference": "it is not in the list",
        }[answer.kind]
        near = instead(lookup, one.key) if answer.kind == "not_in_reference" else None
        place = f"{one.where}: " if one.where else ""
        named = ", ".join(f"{name}={one.key[name] or ''}" for name in reference.key)
        said = f"{place}no mark for {named}: {why} ({reference.name} {reference.edition})"
        unmarked.append(visible(said + (f"; {near}" if near else "")))
    return Marked(tuple(found), tuple(unmarked))


def column_of(reference: Reference, name: str | None) -> str:
    """The column whose value is marked: the named one, else the only one of levels, else the only one beside the key.

    Raises UsageError if there is no such column, or nobody can say which.
    """
    beside = [column for column in reference.columns if column not in reference.key]
    if name is not None:
        if name not in beside:
            message = f"`{visible(name)}` is no column of `{reference.name}` beside its key"
            raise _usage(message, did_you_mean(name, beside, "columns"))
        return name
    levels = [column for column in beside if reference.columns[column].type.kind == "levels"]
    for some in (levels, beside):
        if len(some) == 1:
            return some[0]
    message = f"it is not said which column of `{reference.name}` is to be marked"
    raise _usage(message, f"add `--column NAME`; {did_you_mean('', beside, 'columns')}")


def keys_in(path: Path, reference: Reference) -> list[Wanted]:
    """The keys in a CSV file whose header has the columns of the key; other columns of it are not read.

    Raises UsageError for a file that cannot be read, that lacks a column or has it twice, or that has no rows.
    """
    read = read_file(path)
    if read.data is None:
        raise _file_problem(read.path, read.reason or "it cannot be read", "name a CSV file")
    try:
        return list(_keys(read.path, read.data, reference))
    except Unreadable as error:
        raise _file_problem(f"{read.path}:{error.line or 1}", error.message, "save it as CSV in UTF-8") from None


def _keys(path: str, data: bytes, reference: Reference) -> Iterator[Wanted]:
    rows = csv_rows(text_of(data), ",")
    _, header = next(rows, (1, []))
    for name in reference.key:
        if header.count(name) != 1:
            message = f"the heading `{name}` stands there twice" if name in header else f"there is no heading `{name}`"
            help = f"the first line names the key of `{reference.name}`: `{','.join(reference.key)}`"
            raise _file_problem(f"{path}:1", message, help)
    row = None
    for line, row in rows:
        if len(row) != len(header):
            message = f"{len(row)} fields, and the header has {len(header)}"
            raise _file_problem(f"{path}:{line}", message, "put a text that holds a comma in quotes")
        yield Wanted({name: row[header.index(name)] or None for name in reference.key}, f"{path}:{line}")
    if row is None:
        raise _file_problem(f"{path}:1", "there is a header and no key", "write a key on each line below it")


def _usage(message: str, help: str) -> UsageError:
    return UsageError(Problem("reference-what", message, help=help))


def _file_problem(where: str, message: str, help: str) -> UsageError:
    return UsageError(Problem("keys-unreadable", message, where=where, help=help))


def instead(lookup: Lookup, key: Mapping[str, str | None]) -> str | None:
    """What a reference has that is near a whole key that it lacks, in words; None if nothing is near.

    The first column of a key is what is looked up (a word, say), the others tell its rows apart.
    """
    columns = lookup.table.reference.key
    first, *rest = (key[name] or "" for name in columns)
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for parts in lookup.rows:
        by_first.setdefault(parts[0], []).append(parts[1:])
    wanted = tuple(rest)
    near = next((one for one in _near(first, wanted, by_first) if one in by_first), None)
    if near is None:
        return None
    if wanted in by_first[near]:
        return "nearest key: " + " ".join(f"{n}={v}" for n, v in zip(columns, (near, *wanted), strict=True))
    names = " and ".join(columns[1:])
    listed = [" and ".join(parts) for parts in by_first[near]]
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    return f"it has {columns[0]}={near} with {names}: {', '.join(listed[:_MOST_LISTED])}{more}"


def _near(first: str, rest: tuple[str, ...], by_first: Mapping[str, Sequence[tuple[str, ...]]]) -> Iterator[str]:
    """Words like `first`, the best first: itself, in other letters, misspelt; each with the rest before without it."""
    yield first
    folded = [one for one in by_first if one.casefold() == first.casefold()]
    with_rest = [one for one, parts in by_first.items() if rest in parts]
    yield from [one for one in folded if rest in by_first[one]] + folded
    if len(by_first) <= _MOST_COMPARED:
        yield from get_close_matches(first, with_rest, n=1, cutoff=0.75)
        yield from get_close_matches(first, by_first, n=1, cutoff=0.75)
