"""`fiel reference list|add|fetch|verify|diff|look`. What it does is imported when a command runs, so help is quick."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import WHERE, day, path_given
from .errors import Problem, UsageError

if TYPE_CHECKING:
    from .model import Reference
    from .reference_desk import Declared

_FOLDERS = "a folder to look in, before those of FIEL_REFERENCES and the user's own; repeatable"
_MARKS = ("html", "markdown", "json", "text")
_TARGET = "the folder to put it into (the user's own)"


def add_reference(commands: Any) -> None:
    one = commands.add_parser("reference", allow_abbrev=False)
    actions = one.add_subparsers(dest="action", metavar="ACTION", required=True)
    for add in (_add_list, _add_add, _add_fetch, _add_verify, _add_diff, _add_look):
        add(actions)


def _parser(actions: Any, name: str, help: str, run: Callable[[argparse.Namespace], int], target: bool = False) -> Any:
    one = actions.add_parser(name, help=help, allow_abbrev=False)
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    if target:
        one.add_argument("--references", type=path_given, metavar="DIR", help=_TARGET)
    else:
        one.add_argument("--references", type=path_given, action="append", default=[], metavar="DIR", help=_FOLDERS)
    one.set_defaults(run=run)
    return one


# -- list ------------------------------------------------------------------------------------------------------


def _add_list(actions: Any) -> None:
    _parser(actions, "list", "list the references of the packs, and where their files are", list_references)


def list_references(args: argparse.Namespace) -> int:
    """Prints them. 0, also where files are missing: `verify` judges that."""
    from .reference_desk import list_lines

    found = _declared(args)
    print("\n".join(list_lines(found, _folders(args))) or "the packs declare no reference")
    return 0


# -- add -------------------------------------------------------------------------------------------------------


def _add_add(actions: Any) -> None:
    one = _parser(actions, "add", "take a file that you have, if it is the pinned one", add, target=True)
    one.add_argument("name", nargs="?", metavar="NAME", help="the reference")
    one.add_argument("--from", dest="source", type=path_given, required=True, metavar="FILE", help="the file")
    pin = one.add_argument_group("to declare a file that no pack knows yet (prints an entry of references.yaml)")
    pin.add_argument("--columns", action="append", metavar="NAME=HEADING,…", help="columns and their headings")
    pin.add_argument("--key", metavar="NAME,…", help="the columns by which a row is looked up")
    pin.add_argument("--levels", action="append", default=[], metavar="NAME=LOW,…,HIGH", help="a column of levels")
    pin.add_argument("--prepare", action="append", default=[], metavar="STEP=NAME", help="a step, done to a column")
    pin.add_argument("--sheet", metavar="SHEET", help="of XLSX: the sheet")
    for key in ("title", "edition", "licence", "cite"):
        pin.add_argument(f"--{key}", metavar="TEXT", help=f"the {key}")
    pin.add_argument("--today", type=day, metavar="DATE", help="the day on which it was checked (today, in UTC)")


def add(args: argparse.Namespace) -> int:
    """Copies the file, or prints the entry that would declare it. 0: done; 2: not, and nothing was written."""
    if args.columns:
        return _pin(args)
    if args.name is None:
        help = "name the reference, or say what the file holds with `--columns` and `--key`, to get its entry"
        raise UsageError(Problem("reference-what", "it is not said which reference the file is", help=help))
    pins = [f"--{one}" for one in ("key", "levels", "prepare", "sheet", "title", "edition", "licence", "cite", "today")]
    given = next((option for option in pins if getattr(args, option.removeprefix("--"))), None)
    if given is not None:
        message = f"`{given}` describes a file that is not declared yet, and there is no `--columns`"
        raise UsageError(Problem("reference-what", message, help="add `--columns`, or leave it out"))
    from .reference_desk import declared_as
    from .references.store import add_file

    reference = declared_as(_declared(args), args.name, args.source)
    place = add_file(reference, args.source, _target(args))
    _print_placed("added", reference, place)
    return 0


def _pin(args: argparse.Namespace) -> int:
    from .references.pin import Wish, pinned

    columns = _pairs("--columns", ",".join(args.columns).split(","))
    levels = {name: text.split(",") for name, text in _pairs("--levels", args.levels).items()}
    prepare = [tuple(one.partition("=")[::2]) for one in args.prepare]
    if not args.key:
        help = "a value is looked up by its key: `--key headword,pos`"
        raise UsageError(Problem("reference-what", "it is not said what the key is", where="--key", help=help))
    said = {key: getattr(args, key) for key in ("title", "edition", "licence", "cite")}
    key = [one.strip() for one in args.key.split(",")]
    wish = Wish(args.source, columns, key, levels, prepare, args.name, args.sheet, said)
    entry, table = pinned(wish, args.today or datetime.now(UTC).date())
    print(entry, end="")
    print(f"read {len(set(table.lines)):,} records; paste this into references.yaml of a pack", file=sys.stderr)
    return 0


def _pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        name, value = name.strip(), value.strip()
        if not sign or not name or not value or name in found:
            message = f"`{name}` is given twice" if name in found else f"`{word}` is not NAME=…"
            raise UsageError(Problem("reference-what", message, where=option, help="as in `headword=Base Word`"))
        found[name] = value
    return found


# -- fetch -----------------------------------------------------------------------------------------------------


def _add_fetch(actions: Any) -> None:
    one = _parser(actions, "fetch", "download references from their publishers", fetch, target=True)
    help_text = "references (all that the packs declare with an address)"
    one.add_argument("names", nargs="*", metavar="NAME", help=help_text)
    one.add_argument("--from", dest="address", metavar="URL", help="another address that has the file, as a mirror")


def fetch(args: argparse.Namespace) -> int:
    """Downloads what is not there yet. 0: all are there; 2: one could not be got, and nothing was written of it."""
    declared = _declared(args)
    references = [declared.one(name) for name in args.names]
    if args.address is not None and len(references) != 1:
        raise UsageError(Problem("options-exclude", "`--from` is the address of one file", help="name one reference"))
    if not args.names:
        references = [one for one in declared.references.values() if one.obtain is not None]
        if not references:
            message = "no reference of these packs says where its publisher offers it"
            raise UsageError(Problem("reference-what", message, help="add `obtain: https://…`, or name a reference"))
    for reference in references:
        _fetch_one(reference, _target(args), args.address)
    return 0


def _fetch_one(reference: Reference, folder: Path, address: str | None) -> None:
    from .cli_progress import progress
    from .references.fetch import fetch as fetched
    from .references.shelf import read_file

    place = folder / reference.file
    if place.is_file() and read_file(place).sha256 == reference.sha256:
        _print_placed("already there:", reference, place)
        return
    with progress() as report:
        place = fetched(reference, folder, address, report)
    _print_placed("fetched", reference, place)


def _print_placed(what: str, reference: Reference, place: Path) -> None:
    from .references.shelf import shown_path
    from .render.problems import visible

    print(visible(f"{what} {reference.name} {reference.edition}: {shown_path(place)}"))
    print(visible(f"  {reference.licence}"))
    print(visible(f"  cite: {reference.cite}"))


# -- verify ----------------------------------------------------------------------------------------------------


def _add_verify(actions: Any) -> None:
    one = _parser(actions, "verify", "hash and read the files of references, and count what they hold", verify)
    one.add_argument("names", nargs="*", metavar="NAME", help="references (all that the packs declare)")


def verify(args: argparse.Namespace) -> int:
    """Prints each. 0: all are what is pinned; 1: one is not; 2: one is missing, or there is none."""
    from .reference_desk import verify_lines
    from .references.compare import tally
    from .references.shelf import open_reference
    from .render.problems import render_problems

    found, folders = _declared(args), _folders(args)
    chosen = [found.one(name) for name in dict.fromkeys(args.names)] or list(found.references.values())
    if not chosen:
        help = "a pack declares them in `references.yaml`"
        raise UsageError(
            Problem("unknown-reference", "the packs declare no reference, so nothing was verified", help=help)
        )
    problems = []
    for reference in chosen:
        state = open_reference(reference, folders)
        if isinstance(state, Problem):
            problems.append(state)
        else:
            print("\n".join(verify_lines(state, tally(state), folders)))
    sys.stdout.flush()
    print(render_problems(problems), end="", file=sys.stderr)
    missing = any(problem.code == "reference-missing" for problem in problems)
    return 2 if missing else 1 if problems else 0


# -- diff ------------------------------------------------------------------------------------------------------


def _add_diff(actions: Any) -> None:
    one = _parser(actions, "diff", "list the shown values that another file of a reference would change", diff)
    one.add_argument("old", metavar="OLD", help="a reference, or a file")
    one.add_argument("new", metavar="NEW", help="a reference, or a file")
    one.add_argument("--as", dest="declaration", metavar="NAME", help="the reference as which both are read")
    one.add_argument(
        "--facts", action="append", default=[], metavar="PATH", help="only what these facts show; repeatable"
    )


def diff(args: argparse.Namespace) -> int:
    """0: no shown value would change; 1: some would; 2: they could not be compared."""
    from .reference_desk import both_tables, diff_lines, shown_keys
    from .references.compare import differences

    found, folders = _declared(args), _folders(args)
    before, after = both_tables(found, folders, (args.old, args.new), args.declaration)
    only = shown_keys(found, before.reference, args.facts) if args.facts else None
    changes = list(differences(before, after, only))
    print("\n".join(diff_lines(changes)))
    return 1 if changes else 0


# -- look ------------------------------------------------------------------------------------------------------


def _add_look(actions: Any) -> None:
    one = _parser(actions, "look", "look a key up in a reference", look)
    one.add_argument("name", metavar="NAME", help="the reference")
    one.add_argument("key", nargs="*", metavar="COLUMN=VALUE", help="the whole key, as in headword=abandon pos=verb")
    one.add_argument("--mark", choices=_MARKS, help="print only the mark of the value, to paste into a page")
    one.add_argument("--column", metavar="NAME", help="with --mark: the column (the only one of levels, or at all)")
    help_text = "with --mark: a CSV file with the columns of the key; a mark for each line"
    one.add_argument("--keys", type=path_given, metavar="FILE", help=help_text)


def look(args: argparse.Namespace) -> int:
    """0: it has a value, which is printed; 1: it has none, or several that differ; 2: nobody could look."""
    for option in ("keys", "column"):
        if getattr(args, option) is not None and args.mark is None:
            help = f"add `--mark {'|'.join(_MARKS)}`, or leave it out"
            raise UsageError(Problem("options-exclude", f"`--{option}` needs `--mark`", help=help))
    if args.keys is not None and args.key:
        message = "`--keys` gives the keys, and one is given beside it"
        raise UsageError(Problem("options-exclude", message, help="put it into the file, or leave `--keys` out"))
    if args.mark is not None:
        return _print_marks(args)
    from .reference_desk import key_of, look_lines, opened

    reference = _declared(args).one(args.name)
    key = key_of(reference, args.key)
    lines, has_value = look_lines(opened(reference, _folders(args)), key)
    print("\n".join(lines))
    return 0 if has_value else 1


def _print_marks(args: argparse.Namespace) -> int:
    """Marks and nothing else on standard output. 0: every key has one; 1: some have none."""
    from .reference_desk import key_of, opened
    from .reference_marks import Wanted, column_of, keys_in, marks_of
    from .references import Lookup
    from .render.problems import visible

    reference = _declared(args).one(args.name)
    column = column_of(reference, args.column)
    wanted = [Wanted(key_of(reference, args.key))] if args.keys is None else keys_in(args.keys, reference)
    done = marks_of(Lookup(opened(reference, _folders(args))), wanted, column, args.mark)
    if done.marks:
        print("\n".join(done.marks), flush=True)
        print(visible(f"{reference.title}. {reference.licence}"), visible(reference.cite), sep="\n", file=sys.stderr)
    for line in done.unmarked:
        print(line, file=sys.stderr)
    return 1 if done.unmarked else 0


# -- shared ----------------------------------------------------------------------------------------------------


def _declared(args: argparse.Namespace) -> Declared:
    from .policies_folder import policies_folder
    from .reference_desk import declared

    return declared(policies_folder(args.policies).path)


def _folders(args: argparse.Namespace) -> tuple[Path, ...]:
    from .references import reference_folders

    return reference_folders(args.references)


def _target(args: argparse.Namespace) -> Path:
    from .home import data_folder

    folder: Path | None = args.references
    return folder if folder is not None else data_folder() / "references"


ALL: Mapping[str, Callable[[Any], None]] = {"reference": add_reference}
