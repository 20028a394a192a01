"""The command that measures: `evaluate`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .cli_commands import WHERE, add_references, facts_given, path_given
from .errors import Problem, UsageError

_FORMATS = ("text", "json", "html")


def add_evaluate(commands: Any) -> None:
    help_text = "hold a run against annotated facts: precision, recall, F1, and how sure they are"
    one = commands.add_parser("evaluate", help=help_text, allow_abbrev=False)
    one.add_argument("pack", metavar="PACK", help="the pack that declares the relations")
    facts_help = "facts as people annotated them; repeatable"
    one.add_argument("--annotated", action="append", required=True, type=facts_given, metavar="PATH", help=facts_help)
    run_help = "facts of the run that is measured; repeatable"
    one.add_argument("--facts", action="append", required=True, type=facts_given, metavar="PATH", help=run_help)
    other_help = "facts of a second run, to be told from the first; repeatable"
    one.add_argument("--facts-b", action="append", default=[], type=facts_given, metavar="PATH", help=other_help)
    relation_help = "compare this relation (all that were annotated and have spans); repeatable"
    one.add_argument("--relation", action="append", default=[], metavar="NAME", help=relation_help)
    match_help = "spans are the same if they are equal, or share a character (exact)"
    one.add_argument("--match", choices=("exact", "overlap"), default="exact", help=match_help)
    same_help = "a column that has to agree too; repeatable"
    one.add_argument("--same", action="append", default=[], metavar="COLUMN", help=same_help)
    one.add_argument("--score", metavar="VIEW.COLUMN", help="a number of each document, compared as well")
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--format", choices=_FORMATS, default="text", help="what to print")
    out_help = "write a form to a file; repeatable"
    one.add_argument("--out", action="append", default=[], metavar="FORMAT=FILE", help=out_help)
    one.add_argument("--seed", type=_whole, default=1, metavar="N", help="which documents are drawn (1)")
    one.add_argument("--samples", type=_whole, default=1000, metavar="N", help="how often they are drawn (1000)")
    one.set_defaults(run=evaluate)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number of at most six digits")
    return int(text)


def evaluate(args: argparse.Namespace) -> int:
    """0: it was measured; 2: there was nothing to measure, or it could not be read."""
    from .evaluating import EvaluateRequest, evaluate
    from .publish import write_whole
    from .render.evaluations import FORMATS

    files: list[tuple[str, Path]] = []
    for given in args.out:
        form, equals, name = given.partition("=")
        if form not in FORMATS or not equals or not name:
            help = f"write `--out FORMAT=FILE`, with one of {', '.join(FORMATS)}"
            raise UsageError(Problem("usage", f"`--out {given}` names no form and file", help=help))
        files.append((form, Path(name)))
    found = evaluate(
        EvaluateRequest(
            args.pack,
            tuple(args.annotated),
            tuple(args.facts),
            tuple(args.facts_b),
            tuple(args.relation),
            args.match == "overlap",
            tuple(args.same),
            args.score,
            args.policies,
            tuple(args.references),
            args.seed,
            args.samples,
        )
    )
    write_whole([(path, FORMATS[form](found)) for form, path in files])
    print(FORMATS[args.format](found), end="")
    return 0


ALL: Sequence[Callable[[Any], None]] = (add_evaluate,)
