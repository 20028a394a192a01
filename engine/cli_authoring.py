"""The commands of authors: `fmt`, `new`, `completion`. Stages are imported when a command runs, so help is quick."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .cli_commands import _number, _own_policies

# -- fmt -------------------------------------------------------------------------------------------------------


def add_fmt(commands: Any) -> None:
    one = commands.add_parser("fmt", help="bring the files of packs into one form", allow_abbrev=False)
    one.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="folders of packs, packs, or files of packs")
    one.add_argument("--check", action="store_true", help="write nothing; list the files that are in another form")
    one.set_defaults(run=fmt)


def fmt(args: argparse.Namespace) -> int:
    """Writes the files anew. 0: all are in the one form; 1: with `--check`, some are not; 2: some could not be read."""
    from .format import format_paths
    from .load import shown_path
    from .publish import write_whole
    from .render.problems import render_problems

    done = format_paths(args.paths or [_own_policies()])
    if not args.check:
        write_whole(done.changed)
    for path, _ in done.changed:
        print(f"{'would change' if args.check else 'changed'}: {shown_path(path)}")
    files = _number(len(done.changed) + len(done.same), "file")
    print(f"{files}: {len(done.changed)} {'in another form' if args.check else 'changed'}, {len(done.same)} as it is")
    if done.problems:
        sys.stdout.flush()
        print(render_problems(done.problems), end="", file=sys.stderr)
        return 2
    return 1 if args.check and done.changed else 0


ALL: Sequence[Callable[[Any], None]] = (add_fmt,)
