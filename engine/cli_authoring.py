"""The commands of authors: `fmt`, `new`, `completion`. Stages are imported when a command runs, so help is quick."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import day, facts_given, own_policies, path_given
from .errors import Problem, UsageError

if TYPE_CHECKING:
    from .draft_proof import Draft

# -- fmt -------------------------------------------------------------------------------------------------------


def add_fmt(commands: Any) -> None:
    one = commands.add_parser("fmt", allow_abbrev=False)
    one.add_argument(
        "paths", nargs="*", type=path_given, metavar="PATH", help="folders of packs, packs, or files of packs"
    )
    one.add_argument("--check", action="store_true", help="write nothing; list the files that are in another form")
    one.set_defaults(run=fmt)


def fmt(args: argparse.Namespace) -> int:
    """Writes the files anew. 0: all are in the one form; 1: with `--check`, some are not; 2: some could not be read."""
    from .format import format_paths
    from .load import shown_path
    from .publish import write_whole
    from .render.problems import render_problems

    done = format_paths(args.paths or [own_policies()])
    if not args.check:
        write_whole(done.changed)
    for path, _ in done.changed:
        print(f"{'would change' if args.check else 'changed'}: {shown_path(path)}")
    total, changed = len(done.changed) + len(done.same), len(done.changed)
    what = "in another form" if args.check else "changed"
    print(f"{total} {'file' if total == 1 else 'files'}: {changed} {what}, {len(done.same)} in the one form")
    if done.problems:
        sys.stdout.flush()
        print(render_problems(done.problems), end="", file=sys.stderr)
        return 2
    return 1 if args.check and done.changed else 0


# -- new -------------------------------------------------------------------------------------------------------


def add_new(commands: Any) -> None:
    one = commands.add_parser("new", allow_abbrev=False)
    one.add_argument("what", nargs="?", choices=("pack", "relation", "policy"), help="what to draft")
    one.add_argument("name", nargs="?", metavar="NAME", help="PACK for a pack, else PACK.NAME")
    one.add_argument(
        "--from-facts", type=facts_given, metavar="FILE", help="draft what a file of facts needs, and a policy over it"
    )
    one.add_argument(
        "--pack", metavar="PACK", help="with --from-facts: the pack (that of `facts/PACK/…`, else the file's name)"
    )
    one.add_argument("--for", dest="relation", metavar="RELATION", help="with `policy`: the relation it judges")
    one.add_argument(
        "--csv-delimiter", default=",", metavar="C", help="with --from-facts: what separates fields of CSV"
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help="the folder of packs (default: ./policies)")
    one.add_argument(
        "--today", type=day, metavar="DATE", help="the day from which a guess has half a year (today, in UTC)"
    )
    one.set_defaults(run=new)


def new(args: argparse.Namespace) -> int:
    """Writes drafts and says what is next. 0: written; 2: something hinders it, and nothing was written."""
    from .drafting import publish
    from .load import shown_path
    from .render.problems import visible

    draft = _draft(args)
    publish(draft)
    for path in draft.files:
        print(f"wrote {shown_path(path)}")
    for line in draft.said:
        print(f"  {line}")
    place = shown_path(draft.folder)
    print()
    print(visible(f"next: {_order(args)}mend what is marked `# guessed` in {place}, then"))
    print(visible(f"  fiel check {shlex.quote(place)}"))
    print(visible(f"  fiel test {shlex.quote(place)}"))
    if args.from_facts is not None:
        where = "" if draft.root == Path("policies") else f" --policies {shlex.quote(shown_path(draft.root))}"
        fields = "" if args.csv_delimiter == "," else f" --csv-delimiter {shlex.quote(args.csv_delimiter)}"
        print(visible(f"  fiel judge --facts {shlex.quote(args.from_facts)} --pack {draft.pack}{fields}{where}"))
    return 0


def _order(args: argparse.Namespace) -> str:
    """What comes before all else with a draft that was made from no facts."""
    if args.what == "pack":
        return "put your relation in the place of the made-up one, then its columns, then the policy; "
    if args.what == "relation":
        pack, _, name = args.name.partition(".")
        return f"write its columns, then `fiel new policy {pack}.NAME --for {name}`; "
    return ""


def _draft(args: argparse.Namespace) -> Draft:
    from .drafting import from_facts, new_pack, new_policy, new_relation

    root, today = args.policies or _drafts_folder(), args.today or datetime.now(UTC).date()
    if args.from_facts is not None:
        _only(args, "--from-facts", args.what is None and args.relation is None)
        return from_facts(root, args.from_facts, args.pack, args.csv_delimiter, today)
    if args.what is None or args.name is None:
        help_text = "`fiel new pack NAME`, `fiel new relation|policy PACK.NAME`, or `fiel new --from-facts FILE`"
        raise UsageError(Problem("draft-what", "it is not said what to draft", help=help_text))
    _only(args, f"new {args.what}", args.pack is None and (args.relation is None or args.what == "policy"))
    if args.what == "pack":
        return new_pack(root, args.name, today)
    pack, point, name = args.name.partition(".")
    if not point:
        message = f"`{args.name}` does not say of which pack"
        raise UsageError(Problem("draft-what", message, help=f"write `fiel new {args.what} PACK.{args.name}`"))
    if args.what == "relation":
        return new_relation(root, pack, name, today)
    return new_policy(root, pack, name, args.relation, today)


def _only(args: argparse.Namespace, what: str, holds: bool) -> None:
    if not holds:
        message = f"`{what}` does not go with the other words of this command"
        raise UsageError(Problem("draft-what", message, help="`fiel new --help` lists what goes with what"))


def _drafts_folder() -> Path:
    """Where packs are, if the user has some; else `./policies`, which is made."""
    here = Path()
    if not Path("policies").exists() and (here / "pack.yaml").exists():
        return Path("..")
    return here if not Path("policies").exists() and any(here.glob("*/pack.yaml")) else Path("policies")


# -- completion ------------------------------------------------------------------------------------------------


def add_completion(commands: Any) -> None:
    one = commands.add_parser("completion", allow_abbrev=False)
    one.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="the shell")
    one.add_argument("--names", choices=("packs", "policies"), help=argparse.SUPPRESS)
    one.set_defaults(run=completion, commands=commands)


def completion(args: argparse.Namespace) -> int:
    """Prints the script of a shell, or (for that script) names, a line each."""
    from .completion import names, script

    if args.names is not None:
        print("\n".join(names(args.names)))
        return 0
    if args.shell is None:
        raise UsageError(Problem("no-shell", "it is not said for which shell", help="name bash, zsh or fish"))
    print(script(args.shell, args.commands), end="")
    return 0


ALL: Mapping[str, Callable[[Any], None]] = {"new": add_new, "fmt": add_fmt, "completion": add_completion}
