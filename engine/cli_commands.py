"""The commands: their options, and what each calls. Stages are imported when a command runs, so help is quick."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Problem, UsageError, did_you_mean
from .frozen import fields
from .limits import Limits

if TYPE_CHECKING:
    from .pipeline import Request

FORMAT_NAMES = ("text", "json", "junit", "sarif", "github", "html")
_MOST_THREADS = 1024
WHERE = "the folder of packs (default: ./policies, else the packs in this folder, else those shipped with Fiel)"


def add_references(command: argparse.ArgumentParser) -> None:
    """The option that names folders of reference files."""
    help_text = "a folder to look for reference files in, before FIEL_REFERENCES and the user's own; repeatable"
    command.add_argument("--references", action="append", default=[], type=path_given, metavar="DIR", help=help_text)


def add_decisions(command: argparse.ArgumentParser, required: bool = False) -> None:
    """The option that names the file of decisions."""
    help_text = "what people decided of rows in review, a file of `fiel review decide`"
    command.add_argument("--decisions", type=path_given, required=required, metavar="FILE", help=help_text)


# -- judge -----------------------------------------------------------------------------------------------------


def add_judge(commands: Any) -> None:
    one = commands.add_parser("judge", allow_abbrev=False)
    one.add_argument(
        "--facts",
        action="append",
        default=[],
        type=facts_given,
        metavar="PATH",
        help="a file, folder or glob of facts, `relation=PATH`, or `-` for JSON on standard input; repeatable",
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--pack", action="append", default=[], metavar="PACK", help="judge this pack; repeatable")
    one.add_argument("--policy", action="append", default=[], metavar="ID", help="judge this policy; repeatable")
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on` and waivers, YYYY-MM-DD")
    add_decisions(one)
    one.add_argument("--format", choices=FORMAT_NAMES, default="text", help="what to print")
    one.add_argument(
        "--out", action="append", default=[], type=_out, metavar="FORMAT=FILE", help="also write a file; repeatable"
    )
    one.add_argument("--receipt", type=_file, metavar="FILE", help="also write the hashes of all that made the verdict")
    one.add_argument("--coverage", action="store_true", help="also list what of the facts and packs nobody used")
    one.add_argument("--witnesses", type=_count, default=20, metavar="N", help="rows shown for a policy (20)")
    one.add_argument("--threads", type=positive, metavar="N", help="threads to use (all cores)")
    one.add_argument("--trust-keys", action="store_true", help="leave out the check that keys are unique")
    one.add_argument("--csv-delimiter", default=",", metavar="C", help="what separates the fields of CSV files")
    one.add_argument("--no-cache", action="store_true", help="leave the user's cache alone")
    one.add_argument(
        "--untrusted",
        "--isolate",
        dest="isolate",
        action="store_true",
        help="judge in a child process with bounded memory and time, for packs that nobody has read",
    )
    one.add_argument(
        "--limit",
        action="append",
        default=[],
        type=limit,
        metavar="NAME=N",
        help=f"raise or lower a limit: {', '.join(f.name for f in fields(Limits))}",
    )
    one.set_defaults(run=judge)


def judge(args: argparse.Namespace) -> int:
    """Judges, prints the verdict, writes the other formats, and gives the verdict's exit code."""
    if args.isolate:
        from .cli_isolation import judge_isolated

        words = [word for word in args.words if word not in ("--untrusted", "--isolate")]
        return judge_isolated(words, Limits(**dict(args.limit)), [name for name, _ in args.limit])
    from .canonical import dumps
    from .cli_progress import progress
    from .pipeline import judge as judge_request
    from .publish import write_whole
    from .render.formats import FORMATS

    receipts = [args.receipt] if args.receipt is not None else []
    with progress() as report:
        request = request_of(
            args,
            tuple(args.facts),
            args.decisions,
            witnesses=args.witnesses,
            progress=report,
            outputs=(*(path for _, path in args.out), *receipts),
            coverage=args.coverage,
            receipt=bool(receipts) or "html" in {args.format, *(name for name, _ in args.out)},
        )
        run = judge_request(request)
    texts = [(path, FORMATS[name](run)) for name, path in args.out]
    write_whole([*texts, *((path, dumps(run.receipt)) for path in receipts)])
    print(FORMATS[args.format](run), end="")
    return run.exit_code


def request_of(args: argparse.Namespace, facts: tuple[str, ...], decisions: Path | None, **more: Any) -> Request:
    """What to judge, as the options say by which facts, packs and policies are found and read."""
    from .pipeline import Request

    return Request(
        facts=facts,
        policies=args.policies,
        packs=tuple(args.pack),
        policy_ids=tuple(args.policy),
        as_of=args.as_of,
        threads=args.threads,
        trust_keys=args.trust_keys,
        csv_delimiter=args.csv_delimiter,
        use_cache=not args.no_cache,
        limits=Limits(**dict(args.limit)),
        stdin=sys.stdin.buffer if sys.stdin is not None else None,
        references=tuple(args.references),
        decisions=decisions,
        **more,
    )


# -- check -----------------------------------------------------------------------------------------------------


def add_check(commands: Any) -> None:
    one = commands.add_parser("check", allow_abbrev=False)
    one.add_argument(
        "paths", nargs="*", type=path_given, metavar="PATH", help="folders of packs, packs, or policy files"
    )
    one.add_argument("--today", type=day, metavar="DATE", help="the day for `revisit` and `checked` (today, in UTC)")
    one.set_defaults(run=check)


def check(args: argparse.Namespace) -> int:
    """Prints all problems. 0: none that stops judging; 1: some; 2: there was nothing to check."""
    from .checkup import check_paths
    from .render.problems import render_problems

    today = args.today or datetime.now(UTC).date()
    result = check_paths(args.paths or [own_policies()], today)
    print(render_problems(result.problems), end="\n" if result.problems else "")
    errors = sum(1 for p in result.problems if p.is_error)
    notes = len(result.problems) - errors
    tally = f"{_number(errors, 'problem')}, {_number(notes, 'note')}"
    print(f"{_number(result.policies, 'policy')} in {_number(result.packs, 'pack')}: {tally}")
    return 1 if errors else 0


def own_policies() -> Path:
    """The user's own packs; checking the shipped ones in their place would be a success about something else."""
    from .policies_folder import policies_folder

    folder = policies_folder(None)
    if folder.shipped:
        problem = Problem(
            "no-such-folder",
            f"there is no folder `policies` in `{Path.cwd()}`",
            help="go to the folder that holds `policies`, or name a path",
        )
        raise UsageError(problem)
    if folder.note:
        print(folder.note)
    return folder.path


def _number(n: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{n} {word if n == 1 else plural}"


# -- list, show ------------------------------------------------------------------------------------------------


def add_list(commands: Any) -> None:
    one = commands.add_parser("list", allow_abbrev=False)
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    one.set_defaults(run=list_packs)


def list_packs(args: argparse.Namespace) -> int:
    from .overview import list_text
    from .policies_folder import policies_folder

    folder = policies_folder(args.policies)
    print(f"{folder.note}\n" if folder.note else "", list_text(folder.path), sep="", end="")
    return 0


def add_show(commands: Any) -> None:
    one = commands.add_parser("show", allow_abbrev=False)
    one.add_argument("policy", metavar="POLICY")
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    one.set_defaults(run=show)


def show(args: argparse.Namespace) -> int:
    from .overview import show_text
    from .policies_folder import policies_folder

    print(show_text(policies_folder(args.policies).path, args.policy), end="")
    return 0


# -- cache -----------------------------------------------------------------------------------------------------


def add_cache(commands: Any) -> None:
    one = commands.add_parser("cache", allow_abbrev=False)
    one.add_argument("action", choices=("clear",))
    one.set_defaults(run=clear_cache)


def clear_cache(args: argparse.Namespace) -> int:
    from .cache import clear

    print(f"removed {_number(clear(), 'file')}")
    return 0


# -- values of options -----------------------------------------------------------------------------------------


def day(text: str) -> date:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no day; write YYYY-MM-DD") from None


def path_given(text: str) -> Path:
    """A path of the command line. An empty one would be the current folder: mostly a variable that is not set."""
    return Path(facts_given(text))


def facts_given(text: str) -> str:
    """A path, or `relation=PATH`, that is not empty."""
    if not text or text.endswith("="):
        raise argparse.ArgumentTypeError(f"`{text}` names no file or folder; is a variable of the shell not set?")
    return text


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number of 0 or more")
    return int(text)


def positive(text: str) -> int:
    if not 1 <= (number := _count(text)) <= _MOST_THREADS:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number from 1 to {_MOST_THREADS}")
    return number


def _out(text: str) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not sign or not path:
        end = text.rpartition(".")[2].lower()
        named = {"htm": "html", "txt": "text", "xml": "junit", **{n: n for n in FORMAT_NAMES}}.get(end)
        meant = f"; write `{named}={text}`" if named and not sign and end != text else ", as in json=verdict.json"
        raise argparse.ArgumentTypeError(f"`{text}` is not FORMAT=FILE{meant}")
    if path == "-":
        raise argparse.ArgumentTypeError(f"`{text}` would be a file called `-`; to print, use --format {name}")
    if name not in FORMAT_NAMES:
        raise argparse.ArgumentTypeError(f"`{name}` is no format; {did_you_mean(name, FORMAT_NAMES, 'formats')}")
    return name, Path(path)


def _file(text: str) -> Path:
    if text in ("", "-"):
        raise argparse.ArgumentTypeError(f"`{text}` is no file; name one, as in verdict.receipt.json")
    return Path(text)


def limit(text: str) -> tuple[str, int]:
    names = [f.name for f in fields(Limits)]
    name, _, number = text.partition("=")
    if name not in names:
        raise argparse.ArgumentTypeError(f"`{name}` is no limit; {did_you_mean(name, names, 'limits')}")
    most = 2**40 if name.endswith(("_bytes", "rows")) else 2**30
    if not number.isascii() or not number.isdigit() or len(number) > 18 or int(number) > most:
        raise argparse.ArgumentTypeError(f"`{text}` is not {name}=N, with a whole number up to {most}")
    return name, int(number)


ALL: Mapping[str, Callable[[Any], None]] = {
    "judge": add_judge,
    "check": add_check,
    "list": add_list,
    "show": add_show,
    "cache": add_cache,
}
