"""The commands with which authors test and understand policies: `test`, `explain`, `diff`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .cli_commands import WHERE, add_decisions, add_references, day, facts_given, own_policies, path_given
from .errors import Problem, UsageError


def add_test(commands: Any) -> None:
    one = commands.add_parser("test", allow_abbrev=False)
    one.add_argument(
        "paths", nargs="*", type=path_given, metavar="PATH", help="folders of packs, packs, or policy files"
    )
    one.add_argument("--quick", action="store_true", help="leave the mutants out")
    one.add_argument("--verbose", action="store_true", help="show every case and every exclusion")
    one.add_argument("--watch", action="store_true", help="test again whenever a file is saved, until interrupted")
    one.add_argument("--suggest", action="store_true", help="print only the missing cases, ready to paste")
    one.add_argument("--write", action="store_true", help="with --suggest: add them to the files")
    one.set_defaults(run=test)


def test(args: argparse.Namespace) -> int:
    """Runs every case and every mutant. 0: all as expected and all killed; 1: not; 2: it could not be run."""
    if args.write and not args.suggest:
        raise UsageError(
            Problem("options-exclude", "`--write` adds what `--suggest` finds", help="write `--suggest --write`")
        )
    if args.suggest and args.quick:
        raise UsageError(
            Problem("options-exclude", "`--quick` leaves out what `--suggest` looks at", help="name one of them")
        )
    paths = args.paths or [own_policies()]
    if args.watch:
        from .watch import watch

        return watch(paths, lambda: _once(args, paths))
    return _once(args, paths)


def _once(args: argparse.Namespace, paths: Sequence[Path]) -> int:
    from .casework import run_tests
    from .casework_text import report_text

    done = run_tests(paths, with_mutants=not args.quick)
    if args.suggest:
        from .suggestions import suggestions_text, write_suggestions

        if args.write:
            print(write_suggestions(done), end="")
        else:
            print(suggestions_text(done), end="")
    else:
        print(report_text(done, args.verbose), end="")
        if args.quick:
            print("--quick: a case that is missing was not looked for")
    return 1 if any(not d.ok for d in done) else 0


# -- explain ---------------------------------------------------------------------------------------------------


def add_explain(commands: Any) -> None:
    one = commands.add_parser("explain", allow_abbrev=False)
    one.add_argument("policy", metavar="POLICY")
    one.add_argument(
        "--row",
        action="append",
        default=[],
        metavar="KEY",
        help="explain this row or group: the value of its key, or COLUMN=VALUE for each column of the key; repeatable",
    )
    one.add_argument(
        "--facts",
        action="append",
        default=[],
        type=facts_given,
        metavar="PATH",
        help="the facts of the row, as for judge",
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on` and waivers, YYYY-MM-DD")
    add_references(one)
    add_decisions(one)
    one.set_defaults(run=explain)


def explain(args: argparse.Namespace) -> int:
    """Prints the rule in words; with --row the terms of the row. 0, or 2 if it could not be done."""
    if bool(args.row) is not bool(args.facts):
        missing, given = ("--facts", "--row") if args.row else ("--row", "--facts")
        raise UsageError(Problem("options-exclude", f"`{given}` needs `{missing}`", help=f"add `{missing}`"))
    _refuse_decisions_alone(args)
    from .explaining import explain_policy

    stdin = sys.stdin.buffer if sys.stdin is not None else None
    where = (stdin, args.references, args.decisions)
    print(explain_policy(args.policy, args.policies, args.facts, args.row, args.as_of, *where), end="")
    return 0


def _refuse_decisions_alone(args: argparse.Namespace) -> None:
    if args.decisions is not None and not args.facts:
        raise UsageError(Problem("options-exclude", "`--decisions` needs `--facts`", help="add `--facts`"))


# -- diff ------------------------------------------------------------------------------------------------------


def add_diff(commands: Any) -> None:
    one = commands.add_parser("diff", allow_abbrev=False)
    one.add_argument("revision", metavar="REV", help="a git revision, or a folder with the earlier policies")
    one.add_argument(
        "--facts", action="append", default=[], type=facts_given, metavar="PATH", help="also compare on these facts"
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on`, YYYY-MM-DD")
    one.add_argument(
        "--accept", action="append", default=[], metavar="POLICY", help="this policy may let more through; repeatable"
    )
    add_references(one)
    add_decisions(one)
    one.set_defaults(run=diff)


def diff(args: argparse.Namespace) -> int:
    """Prints what changed. 0: nothing is let through without a reason; 1: something is; 2: it could not be compared."""
    _refuse_decisions_alone(args)
    from .difference import difference, difference_text
    from .policies_folder import policies_folder

    policies = policies_folder(args.policies).path if args.policies is not None else own_policies()
    stdin = sys.stdin.buffer if sys.stdin is not None else None
    given = (args.facts, args.as_of, args.accept, stdin, args.references, args.decisions)
    found = difference(args.revision, policies, *given)
    print(difference_text(found), end="")
    return 1 if found.unexplained else 0


ALL: Mapping[str, Callable[[Any], None]] = {"test": add_test, "explain": add_explain, "diff": add_diff}
