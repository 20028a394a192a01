"""The command that does all of it: `run`. Sensors look, policies judge, references confirm, and a report is written."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import WHERE, add_references, day, facts_given, path_given
from .cli_sense import add_call, call_of
from .errors import Problem, UsageError

if TYPE_CHECKING:
    from .inputs import Input
    from .report_desk import Outcome, RunRequest
    from .report_run import Setting

_INDEX = "index"


def add_run(commands: Any) -> None:
    one = commands.add_parser("run", allow_abbrev=False)
    one.epilog = "a pack has options of its own, in its `report.yaml`; --NAME VALUE gives them"
    one.own_options = True
    one.add_argument("pack", metavar="PACK", help="the pack, which says in `report.yaml` what is run")
    one.add_argument("inputs", nargs="+", type=facts_given, metavar="INPUT", help="a text, or a folder of texts")
    out_help = "the report, as .html, .md, .txt or .json (repeatable); of a folder, the folder of all reports"
    one.add_argument("--out", action="append", default=[], type=path_given, metavar="FILE", help=out_help)
    recorded_help = "the run of a sensor on this very text, used in the place of asking; repeatable"
    one.add_argument("--recorded", action="append", default=[], type=path_given, metavar="DIR", help=recorded_help)
    keep_help = "keep the runs of the sensors in this folder; what is complete there is not asked again"
    one.add_argument("--keep", type=path_given, metavar="DIR", help=keep_help)
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on` and waivers")
    one.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=argparse.SUPPRESS)
    add_call(one.add_argument_group("asking a model"))
    one.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """The exit code of the verdict; 1 too if a sensor gave no facts; of a folder, the worst."""
    from .cli_progress import progress
    from .report_desk import RunRequest, setting_of

    args.asks = args.provider is not None or args.model is not None
    with progress() as report_progress:
        request = RunRequest(
            args.pack,
            tuple(args.inputs),
            _options(args.set),
            args.policies,
            tuple(args.references),
            tuple(args.recorded),
            args.keep,
            call_of(args),
            args.as_of,
            report_progress,
        )
        setting = setting_of(request)
        if len(args.inputs) == 1 and not os.path.isdir(args.inputs[0]):
            return _one(request, setting, args.out)
        return _many(request, setting, args.out)


def _options(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or name in found:
            why = "is given twice" if name in found else "has no value"
            raise UsageError(Problem("usage", f"`--{name}` {why}", help=f"write `--{name} VALUE` once"))
        found[name] = value
    return found


def _one(request: RunRequest, setting: Setting, out: Sequence[Path]) -> int:
    """One text: its report in each form that was asked for, or on standard output."""
    from .publish import write_whole
    from .render.problems import render_problems
    from .render.reports import FORMS, report_text
    from .report_desk import documents, outcomes, work_folder

    _refuse_forms(out, FORMS)
    found = documents(request)
    _refuse_overwriting(out, found)
    with work_folder(request.keep) as folder:
        [outcome] = outcomes(found, setting, folder, lambda _: Path(), request.progress)
    if outcome.reported is None:
        print(render_problems(outcome.problems), file=sys.stderr, end="")
        return 2
    if outcome.reported.problems:
        print(render_problems(outcome.reported.problems), file=sys.stderr, end="")
    report = outcome.reported.report
    write_whole([(path, FORMS[path.suffix.lower()](report)) for path in out])
    print("".join(f"report: {path}\n" for path in out) if out else report_text(report), end="")
    for line in _warnings(outcome):
        print(line, file=sys.stderr)
    return outcome.reported.exit_code


def _refuse_forms(out: Sequence[Path], forms: Sequence[str] | dict[str, Any]) -> None:
    for path in out:
        if path.suffix.lower() not in forms:
            help = f"end it in {', '.join(forms)}"
            raise UsageError(Problem("usage", f"`{path}`: nobody knows what form that is", help=help))


def _refuse_overwriting(out: Sequence[Path], found: Sequence[Input]) -> None:
    for path in out:
        if any(os.path.realpath(path) == os.path.realpath(one.path) for one in found):
            help = "name another file"
            raise UsageError(Problem("usage", f"`{path}` is the text itself, which is only read", help=help))


def _warnings(outcome: Outcome) -> list[str]:
    """What a reader of the terminal has to know before any number is believed."""
    assert outcome.reported is not None
    score = outcome.reported.report.score
    if score is None or score.value is None:
        return []
    origins = [*score.origins, *(one for part in score.parts for one in part.origins)]
    guesses = sorted({one.name for one in origins if one.origin == "guess"})
    named = f"{score.name} rests on {len(guesses)} guesses that nobody has calibrated: {', '.join(guesses)}"
    return [named] if guesses else []


def _many(request: RunRequest, setting: Setting, out: Sequence[Path]) -> int:
    """A folder of texts: a report on each, and a page about all of them. One that fails keeps no other from it."""
    from .publish import write_whole
    from .render.problems import visible
    from .render.reports import overview_html, overview_json, report_html, report_json
    from .report_desk import documents, outcomes, overview_of, work_folder

    if len(out) != 1 or out[0].suffix.lower() in (".html", ".md", ".txt", ".json"):
        help = "add `--out DIR`, a folder for all reports"
        raise UsageError(Problem("usage", "of several texts there are several reports", help=help))
    from .inputs import refuse_within

    refuse_within(out[0], request.inputs)
    found = documents(request)
    pages = _pages(found)
    done: list[Outcome] = []
    with work_folder(request.keep or out[0] / "runs") as folder:
        for outcome in outcomes(found, setting, folder, lambda one: Path(pages[one.name]), request.progress):
            if outcome.reported is not None:
                place, report = out[0] / pages[outcome.document], outcome.reported.report
                place.parent.mkdir(parents=True, exist_ok=True)
                forms = [(Path(f"{place}.html"), report_html(report)), (Path(f"{place}.json"), report_json(report))]
                write_whole(forms)
            for problem in outcome.problems:
                print(f"{visible(outcome.document)}: {problem.code}: {visible(problem.message)}", file=sys.stderr)
            done.append(outcome)
    overview = overview_of(setting, done, pages)
    index = [(out[0] / f"{_INDEX}.html", overview_html(overview)), (out[0] / f"{_INDEX}.json", overview_json(overview))]
    write_whole(index)
    failed = sum(1 for one in done if one.reported is None)
    print(f"{len(done) - failed} of {len(done)} reports: {visible(str(index[0][0]))}")
    codes = [one.reported.exit_code if one.reported is not None else 2 for one in done]
    return next((code for code in (2, 1, 3, 4) if code in codes), 0)


def _pages(found: Sequence[Input]) -> dict[str, str]:
    """For each document the name of its report, without an ending. Two that would share one are told apart."""
    names: dict[str, str] = {}
    for one in found:
        plain = os.path.splitext(one.name)[0]
        taken = {name.casefold() for name in names.values()} | {_INDEX, "runs"}
        names[one.name] = plain if plain.casefold() not in taken else f"{one.name}-report"
    return names


ALL: Mapping[str, Callable[[Any], None]] = {"run": add_run}
