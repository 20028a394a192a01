"""What `fiel reference` does: the references that packs declare, what became of their files, and texts about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .attest import Claim, Official, Pinned, attest
from .canonical import shown
from .errors import Problem, UsageError, did_you_mean, nearest
from .facts import load, table
from .facts.sql import name as quoted
from .frozen import dataclass, replace
from .load import load_packs
from .model import Pack, Reference
from .reference_marks import instead
from .references import Answer, Lookup, ReferenceTable
from .references.compare import Difference, Tally
from .references.pin import headings_of
from .references.records import Unreadable
from .references.shelf import open_reference, passed_over, read_file, read_table, unreadable_problem
from .render import marks
from .render.problems import visible
from .verdict import value_of


@dataclass(frozen=True, slots=True)
class Declared:
    """The references of packs by name, and which packs declare each."""

    references: Mapping[str, Reference]
    packs: Mapping[str, tuple[Pack, ...]]

    def one(self, name: str) -> Reference:
        """Raises UsageError if no pack declares it."""
        if name not in self.references:
            help = did_you_mean(name, self.references, "references")
            raise UsageError(Problem("unknown-reference", f"no pack declares a reference `{visible(name)}`", help=help))
        return self.references[name]


def declared(folder: Path) -> Declared:
    """All references of the packs in a folder. Raises PolicyError if a pack cannot be read."""
    packs = load_packs(folder).whole()
    found: dict[str, list[Pack]] = {}
    for pack in packs.values():
        for name in pack.references:
            found.setdefault(name, []).append(pack)
    references = {name: packs[0].references[name] for name, packs in sorted(found.items())}
    return Declared(references, {name: tuple(packs) for name, packs in found.items()})


def declared_as(found: Declared, name: str, source: Path) -> Reference:
    """The reference of which the user has a file. Where no pack declares it, the help is how to declare the file.

    Raises UsageError.
    """
    try:
        return found.one(name)
    except UsageError as error:
        near = f"did you mean `{one}`? " if (one := nearest(name, found.references)) is not None else ""
        how = "to declare a new list, add `--columns NAME=HEADING,… --key NAME,…`"
        listed = ", ".join(f"`{heading}`" for heading in headings_of(source))
        help = f"{near}{how}; {f'its headings: {listed}' if listed else 'its headings cannot be read'}"
        raise UsageError([replace(problem, help=visible(help)) for problem in error.problems]) from None


def opened(reference: Reference, folders: Sequence[Path]) -> ReferenceTable:
    """Its table. Raises UsageError if it cannot be used."""
    found = open_reference(reference, folders)
    if isinstance(found, Problem):
        raise UsageError(found)
    return found


def list_lines(found: Declared, folders: Sequence[Path]) -> Iterator[str]:
    """Each reference with its packs, edition, where its file is or why it cannot be used, and its terms."""
    for name, reference in found.references.items():
        packs = ", ".join(pack.name for pack in found.packs[name])
        state = open_reference(reference, folders)
        where = state.path if isinstance(state, ReferenceTable) else state.code.removeprefix("reference-")
        yield visible(f"{name} {reference.edition}  ({packs})  {where}")
        yield visible(f"  {reference.title}. {reference.licence}")
        yield from (visible(f"  note: {line}") for line in passed_over(reference, folders))
        if isinstance(state, Problem):
            yield visible(f"  help: {_ways_to_get(reference, state)}")


def _ways_to_get(reference: Reference, state: Problem) -> str:
    if state.code == "reference-unreadable":
        return f"`fiel reference verify {reference.name}` says what is wrong with it"
    ways = [f"`fiel reference fetch {reference.name}`"] if reference.obtain else []
    ways.append(f"`fiel reference add {reference.name} --from FILE`")
    return f"{' or '.join(ways)}, or name the folder that has it with `--references DIR`"


def verify_lines(read: ReferenceTable, counted: Tally, folders: Sequence[Path]) -> Iterator[str]:
    """What a file holds that is what it should be."""
    one = read.reference
    yield visible(f"ok  {one.name} {one.edition}  {read.path}")
    yield from (visible(f"    note: {line}") for line in passed_over(one, folders))
    made = f", {counted.rows:,} rows once prepared" if counted.rows != counted.records else ""
    yield f"    {_number(counted.records, 'record')}{made}, {_number(counted.keys, 'key')} ({', '.join(one.key)})"
    yield (
        f"    {_number(counted.repeated, 'key')} on several rows, {counted.ambiguous:,} of them with different values; "
        f"{_number(counted.unkeyed, 'row')} without a whole key"
    )
    for column, levels in counted.levels.items():
        listed = ", ".join(f"{level or 'none'} {number:,}" for level, number in levels.items())
        yield visible(f"    {column}: {listed}")


def look_lines(read: ReferenceTable, key: Mapping[str, str]) -> tuple[list[str], bool]:
    """What a reference has for a key, a line a column, with terms and citation; and whether it has any value."""
    one, lookup = read.reference, Lookup(read)
    named = ", ".join(f"{column}={key[column]}" for column in one.key)
    lines, has_value = [], False
    for column in [name for name in one.columns if name not in one.key] or list(one.key[:1]):
        answer = lookup.look(key, column)
        if answer.kind == "not_in_reference":
            near = instead(lookup, key)
            said = [f"not in {one.name} {one.edition}: {named}", *([f"  {near}"] if near else [])]
            return [visible(line) for line in said], False
        official = attest(Claim(answer.value, one.name, key, column), {one.name: Pinned(one, lookup)})
        if isinstance(official, Official):
            has_value = True
            lines.append(visible(f"{column}: {marks.text(official)}"))
        else:
            value = "empty" if answer.kind == "found" else f"no value: {_values(answer)}"
            lines.append(visible(f"{column}: {value} ({one.name} {one.edition}, {_lines(answer)})"))
    return [*lines, visible(f"{one.title}. {one.licence}"), visible(one.cite)], has_value


def said(answer: Answer) -> str:
    """An answer in a few words, with its lines."""
    if answer.kind == "not_in_reference":
        return "not in it"
    return f"{_values(answer)} ({_lines(answer)})"


def _values(answer: Answer) -> str:
    return " or ".join(dict.fromkeys("empty" if value is None else value for _, value in answer.cells))


def _lines(answer: Answer) -> str:
    """Where a value stands: the line of its first row; of values that differ, every line."""
    if answer.line is not None:
        return f"line {answer.line}"
    return f"lines {', '.join(dict.fromkeys(str(line) for line, _ in answer.cells))}"


def key_of(reference: Reference, words: Sequence[str]) -> dict[str, str]:
    """The key in words such as `headword=abandon`. Raises UsageError unless it is the whole key, each column once."""
    key: dict[str, str] = {}
    for word in words:
        column, sign, value = word.partition("=")
        if not sign or column not in reference.key or column in key or not value:
            again = (
                f"`{visible(column)}` is given twice" if column in key else f"`{visible(word)}` is no part of the key"
            )
            help = "write `" + " ".join(f"{one}=…" for one in reference.key) + "`"
            raise UsageError(Problem("reference-what", f"{again} of `{reference.name}`", help=help))
        key[column] = value
    missing = [column for column in reference.key if column not in key]
    if missing:
        message = (
            f"the key of `{reference.name}` is not whole: {' and '.join(f'`{one}`' for one in missing)} is missing"
        )
        help = "a value without its whole key is of nothing; write " + " ".join(f"`{one}=…`" for one in missing)
        raise UsageError(Problem("reference-what", message, help=help))
    return key


def diff_lines(found: Sequence[Difference]) -> Iterator[str]:
    """Each shown value that would change, and their numbers."""
    for one in found:
        key = ", ".join(one.key)
        yield visible(f"{one.kind:8} {key}  {one.column}: {said(one.before)} -> {said(one.after)}")
    counts = {kind: sum(one.kind == kind for one in found) for kind in ("changed", "gone", "new")}
    listed = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    yield f"{_number(len(found), 'shown value')} would change: {listed}" if found else "no shown value would change"


def both_tables(
    found: Declared, folders: Sequence[Path], words: Sequence[str], declaration: str | None
) -> tuple[ReferenceTable, ReferenceTable]:
    """The two files of `diff`, read as one declaration says. A word is a reference's name or the path of a file.

    Raises UsageError.
    """
    names = [word for word in words if word in found.references]
    if declaration is None and not names:
        bare = {Path(word).name for word in words}
        names = [name for name, one in found.references.items() if one.file in bare]
        if len(names) != 1:
            message = "it is not said as which reference the two files are to be read"
            help = f"name it with `--as NAME`; {did_you_mean('', found.references, 'references')}"
            raise UsageError(Problem("reference-what", message, help=help))
    reference = found.one(declaration or names[0])
    first, second = (_either(found, folders, word, reference) for word in words)
    return first, second


def _either(found: Declared, folders: Sequence[Path], word: str, reference: Reference) -> ReferenceTable:
    if word in found.references and not Path(word).is_file():
        pinned = found.references[word]
        if pinned.columns != reference.columns or pinned.key != reference.key:
            message = f"`{word}` and `{reference.name}` have different columns, so their cells cannot be compared"
            raise UsageError(Problem("reference-what", message, help="compare two editions of one reference"))
        return opened(pinned, folders)
    if not Path(word).exists():
        help = did_you_mean(word, found.references, "references") + "; or name a file"
        message = f"`{visible(word)}` is neither a reference nor a file"
        raise UsageError(Problem("unknown-reference", message, help=help))
    read = read_file(Path(word))
    if read.data is None:
        raise UsageError(Problem("reference-unreadable", read.reason or "it cannot be read", where=read.path))
    try:
        return read_table(reference, read.path, read.data)
    except Unreadable as error:
        raise UsageError(unreadable_problem(read.path, error, reference.format)) from None


def shown_keys(found: Declared, reference: Reference, facts: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """The keys under which the facts show values of a reference, as the policies say that compare them with it.

    Raises UsageError if no policy does, FactError for bad facts.
    """
    packs = found.packs[reference.name]
    readers = [
        (policy.relation, policy.same_as)
        for pack in packs
        for policy in pack.policies.values()
        if policy.same_as is not None and reference.name in policy.same_as.references
    ]
    if not readers:
        message = f"no policy compares what is shown with `{reference.name}`, so nobody knows what the facts show of it"
        raise UsageError(Problem("reference-what", message, where="--facts", help="leave `--facts` out"))
    relations = {name: relation for pack in packs for name, relation in pack.relations.items()}
    keys: set[tuple[str, ...]] = set()
    with load(facts, relations) as base:
        for name, same in readers:
            columns = [relations[name].columns[same.match[part]] for part in reference.key]
            chosen = ", ".join(quoted(column.name) for column in columns)
            for row in base.select(f"SELECT DISTINCT {chosen} FROM {table(name)}").fetchall():
                values = [value_of(raw, column.type) for raw, column in zip(row, columns, strict=True)]
                if None not in values:
                    keys.add(tuple(shown(value) for value in values))
    return frozenset(keys)


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
