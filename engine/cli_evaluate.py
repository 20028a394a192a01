"""`fiel evaluate`: its options, and what it calls."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import WHERE, add_references, facts_given, limit, path_given
from .errors import Problem, UsageError, did_you_mean
from .limits import Limits

if TYPE_CHECKING:
    from .evaluation import Evaluation

FORMAT_NAMES = ("text", "json", "html")
MOST_SAMPLES = 100_000
NO_EVIDENCE = 3


def add_evaluate(commands: Any) -> None:
    one = commands.add_parser("evaluate", allow_abbrev=False)
    one.add_argument("pack", metavar="PACK", help="the pack that declares the relations")
    sides = (
        ("--annotated", "facts that somebody annotated, as for `judge --facts`; repeatable"),
        ("--facts", "the facts of the run; repeatable"),
        ("--facts-b", "the facts of a second run, to be compared with the first; repeatable"),
    )
    for name, said in sides:
        one.add_argument(name, action="append", default=[], type=_facts, metavar="PATH", help=said)
    one.add_argument(
        "--relation", action="append", default=[], metavar="R", help="compare this relation only; repeatable"
    )
    match_help = "when two spans are the same: equal, or sharing a character (exact)"
    one.add_argument("--match", choices=("exact", "overlap"), default="exact", help=match_help)
    same_help = "columns that have to agree as well; repeatable"
    one.add_argument("--same", action="append", default=[], type=_columns, metavar="COLUMN,…", help=same_help)
    one.add_argument("--document", default="document", metavar="COLUMN", help="the column that names the document")
    covered_help = "the relation that lists the documents looked at, for facts without the record of a run"
    one.add_argument("--covered-by", metavar="R", help=covered_help)
    score_help = "also compare this number of each document; `=VIEW.COLUMN` if the annotated facts have it elsewhere"
    one.add_argument("--score", action="append", default=[], metavar="VIEW.COLUMN", help=score_help)
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--format", choices=FORMAT_NAMES, default="text", help="what to print")
    one.add_argument(
        "--out", action="append", default=[], type=_out, metavar="FORMAT=FILE", help="also write a file; repeatable"
    )
    one.add_argument("--seed", type=_number(0, 2**32), default=1, metavar="N", help="of what is drawn (1)")
    one.add_argument("--samples", type=_number(100, MOST_SAMPLES), default=2000, metavar="N", help="resamples (2000)")
    one.add_argument("--listed", type=_number(0, 10**9), default=20, metavar="N", help="rows of a kind shown (20)")
    one.add_argument("--csv-delimiter", default=",", metavar="C", help="what separates the fields of CSV files")
    one.add_argument(
        "--limit", action="append", default=[], type=limit, metavar="NAME=N", help="raise or lower a limit"
    )
    one.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> int:
    """0: all that was asked for was compared; 3: some of it could not be, for lack of evidence; 2: nothing was."""
    from .evaluating import EvaluationRequest, evaluate_facts
    from .evaluation import Settings
    from .publish import write_whole

    for option, given in (("--annotated", args.annotated), ("--facts", args.facts)):
        if not given:
            raise UsageError(Problem("usage", f"`{option}` is missing", help=f"add `{option} PATH`"))
    same = tuple(dict.fromkeys(name for names in args.same for name in names))
    settings = Settings(args.match, same, args.document, args.covered_by, args.seed, args.samples)
    evaluation = evaluate_facts(
        EvaluationRequest(
            args.pack,
            tuple(args.annotated),
            tuple(args.facts),
            tuple(args.facts_b),
            tuple(args.relation),
            tuple(args.score),
            settings,
            args.policies,
            tuple(args.references),
            args.csv_delimiter,
            Limits(**dict(args.limit)),
            tuple(path for _, path in args.out),
        )
    )
    write_whole([(path, _rendered(name, evaluation, args.listed)) for name, path in args.out])
    print(_rendered(args.format, evaluation, args.listed), end="")
    return NO_EVIDENCE if evaluation.without_evidence else 0


def _rendered(name: str, evaluation: Evaluation, listed: int) -> str:
    if name == "json":
        from .render.evaluation_json import evaluation_json

        return evaluation_json(evaluation)
    if name == "html":
        from .render.evaluation_html import evaluation_html

        return evaluation_html(evaluation, listed)
    from .render.evaluation_text import evaluation_text

    return evaluation_text(evaluation, listed)


def _facts(text: str) -> str:
    if text == "-" or text.endswith("=-"):
        raise argparse.ArgumentTypeError("standard input is of one side only; name a file or a folder")
    return facts_given(text)


def _columns(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if len(set(names)) != len(names) or not all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names):
        raise argparse.ArgumentTypeError(f"`{text}` is no list of columns; write `--same one,two`, each once")
    return names


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 12 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"`{text}` is no whole number from {least} to {most}")
        return int(text)

    return read


def _out(text: str) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not sign or path in ("", "-"):
        raise argparse.ArgumentTypeError(f"`{text}` is not FORMAT=FILE, as in html=evaluation.html")
    if name not in FORMAT_NAMES:
        raise argparse.ArgumentTypeError(f"`{name}` is no format; {did_you_mean(name, FORMAT_NAMES, 'formats')}")
    return name, Path(path)


ALL: Mapping[str, Callable[[Any], None]] = {"evaluate": add_evaluate}
