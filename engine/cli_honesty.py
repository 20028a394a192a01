"""The commands that guard what is shown: `honesty`, `init-ci`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import WHERE, add_references, day, path_given
from .errors import Problem, UsageError

if TYPE_CHECKING:
    from .model import Reference


def add_honesty(commands: Any) -> None:
    one = commands.add_parser("honesty", allow_abbrev=False)
    one.add_argument(
        "paths",
        nargs="*",
        type=path_given,
        metavar="PATH",
        help="pages and facts, or folders of them (README.md, docs, facts and reports of this folder)",
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--tests", type=path_given, metavar="DIR", help="the folder of honesty tests (those of Fiel)")
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on` and for waivers")
    one.add_argument("--lies", type=_lies, metavar="N", help="tell N lies in all (20 of each kind); 0 tells none")
    one.add_argument("--seed", type=_lies, default=1, metavar="N", help="which lies are chosen (1)")
    one.add_argument("--format", choices=("text", "json"), default="text", help="what to print")
    one.set_defaults(run=honesty)


def _lies(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 7:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number of 0 or more")
    return int(text)


def honesty(args: argparse.Namespace) -> int:
    """0: no offender, every lie was noticed; 1: an offender, or a lie that was not; 2: it could not be examined."""
    from .canonical import dumps
    from .cli_progress import progress
    from .gating import GateRequest, gate_json, gate_text, run_gate
    from .render.problems import render_problems

    began = time.monotonic()
    with progress() as report_progress:
        request = GateRequest(
            tuple(args.paths),
            args.policies,
            tuple(args.references),
            args.tests,
            args.as_of,
            args.lies,
            args.seed,
            report_progress,
        )
        report = run_gate(request)
    if report.problems:
        print(render_problems(report.problems), file=sys.stderr, end="")
    text = dumps(gate_json(report)) if args.format == "json" else gate_text(report)
    print(text, end="")
    if report.telling is not None:  # a time is no part of the result
        print(f"it took {time.monotonic() - began:.1f} s", file=sys.stderr)
    return report.exit_code


def add_init_ci(commands: Any) -> None:
    one = commands.add_parser("init-ci", allow_abbrev=False)
    one.add_argument("paths", nargs="*", type=path_given, metavar="PATH", help="what `fiel honesty` looks at there")
    one.add_argument("--out", type=path_given, metavar="FILE", help="the file (.github/workflows/fiel.yml)")
    one.add_argument("--install", metavar="WHAT", help="what pip installs (this version of Fiel)")
    one.set_defaults(run=init_ci)


def init_ci(args: argparse.Namespace) -> int:
    """0: it is written, or was there already in these words; 2: another file is in its place."""
    from .ci_workflow import PLACE, workflow_text, write_workflow
    from .load import load_packs
    from .policies_folder import policies_folder

    unsafe = [
        text for text in (*map(str, args.paths), args.install or "") if not text.isprintable() or set(text) & _BAD
    ]
    if unsafe:
        help_text = "name paths without quotes, dollars and backslashes"
        raise UsageError(Problem("options-exclude", f"`{unsafe[0]}` cannot stand in a script", help=help_text))
    for path in args.paths:
        if not path.exists():
            message = f"`{path}` does not exist"
            raise UsageError(Problem("no-such-path", message, help="name what `fiel honesty` shall look at"))
    folder = policies_folder(None)
    packs = load_packs(folder.path).whole()
    references = [one for p in packs.values() for one in p.references.values()]
    place = args.out or PLACE
    fetched = any(one.obtain for one in references)
    text = workflow_text(tuple(map(str, args.paths)), args.install, fetched, not folder.shipped)
    new = write_workflow(place, text)
    print(f"{'written' if new else 'already there'}: {place}")
    for note in _notes(args, folder.shipped, [one for one in references if one.obtain is None]):
        print(f"  note: {note}")
    return 0


def _notes(args: argparse.Namespace, shipped: bool, unaddressed: Sequence[Reference]) -> Iterator[str]:
    """What the workflow does not do by itself."""
    from .gate.estate import USUAL
    from .render.problems import visible

    if shipped:
        yield "there is no pack here: the packs that Fiel ships are used, and they are not checked again"
    for one in unaddressed:
        yield (
            f"`{one.name}` has no address (`obtain`): keep {visible(one.file)} in the repository, if its licence "
            "allows, and add `--references FOLDER` to the last step"
        )
    if not args.paths and not any(Path(name).exists() for name in USUAL):
        yield f"there is none of {', '.join(USUAL)} here, which the last step looks at: name paths"
    if args.install is None:
        yield "pip installs Fiel from where it finds it: `--install WHAT` names another source"


_BAD = frozenset("'\"`$\\{}!")
"""Characters that mean something to a shell or a workflow, inside quotes too."""

ALL: Mapping[str, Callable[[Any], None]] = {"honesty": add_honesty, "init-ci": add_init_ci}
