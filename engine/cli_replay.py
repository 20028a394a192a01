"""`fiel replay`: its options, and what it calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .cli_commands import add_decisions, add_references, facts_given, limit, path_given, positive
from .limits import Limits


def add_replay(commands: Any) -> None:
    one = commands.add_parser("replay", allow_abbrev=False)
    one.add_argument("receipt", type=path_given, metavar="RECEIPT", help="a file that `fiel judge --receipt` wrote")
    one.add_argument("--policies", type=path_given, metavar="DIR", help="the folder of packs (that of the receipt)")
    one.add_argument(
        "--facts",
        action="append",
        default=[],
        type=facts_given,
        metavar="PATH",
        help="as for `judge` (those of the receipt); repeatable",
    )
    add_references(one)
    add_decisions(one)
    one.add_argument("--threads", type=positive, metavar="N", help="threads to use (all cores)")
    one.add_argument("--no-cache", action="store_true", help="leave the user's cache alone")
    one.add_argument(
        "--limit", action="append", default=[], type=limit, metavar="NAME=N", help="raise or lower a limit"
    )
    one.set_defaults(run=replay)


def replay(args: argparse.Namespace) -> int:
    """0: the same verdict, the same bytes, from the same inputs; 1: something differs; 2: it could not be replayed."""
    from .cli_progress import progress
    from .replay import Again, replay_text
    from .replay import replay as replay_receipt

    with progress() as report:
        again = Again(
            policies=args.policies,
            facts=tuple(args.facts),
            references=tuple(args.references),
            decisions=args.decisions,
            threads=args.threads,
            use_cache=not args.no_cache,
            limits=Limits(**dict(args.limit)),
            stdin=sys.stdin.buffer if sys.stdin is not None else None,
            progress=report,
        )
        done = replay_receipt(args.receipt, again)
    print(replay_text(done), end="")
    return done.exit_code


ALL: Mapping[str, Callable[[Any], None]] = {"replay": add_replay}
