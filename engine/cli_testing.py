"""The commands with which authors test and understand policies: `test`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .cli_commands import own_policies
from .errors import Problem, UsageError


def add_test(commands: Any) -> None:
    one = commands.add_parser("test", help="run the cases of policies, then attack them", allow_abbrev=False)
    one.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="folders of packs, packs, or policy files")
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


ALL: Sequence[Callable[[Any], None]] = (add_test,)
