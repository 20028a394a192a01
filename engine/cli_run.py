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
from .errors import FielError, Problem, UsageError

if TYPE_CHECKING:
    from .inputs import Input
    from .report import Report
    from .report_desk import RunRequest
    from .report_overview import Outcome
    from .report_plan import RunOption
    from .report_setting import Setting

_DOCUMENTS = (".doc", ".docx", ".htm", ".html", ".odt", ".pages", ".pdf", ".rtf")
"""Endings of files in which somebody may have written a text, and which are not read."""


def add_run(commands: Any) -> None:
    one = commands.add_parser("run", allow_abbrev=False, add_help=False)
    one.epilog = "a pack has options of its own: `fiel run PACK --help` lists them too"
    one.own_options = True
    one.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help, and the options of the pack")
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


class _Help(argparse.Action):
    """The help of the command, and of the options of the pack that was named before it."""

    def __call__(self, parser, namespace, values, option_string=None):  # type: ignore[no-untyped-def]  # as its base
        pack, policies = getattr(namespace, "pack", None), getattr(namespace, "policies", None)
        options: Sequence[RunOption] = ()
        if pack is not None:
            from .report_desk import options_of

            try:
                options = options_of(pack, policies)
            except FielError as error:
                _say_problems(error.problems)
                raise SystemExit(2) from None
        print(parser.format_help(), end="")
        if options:
            print(f"\noptions of the pack {pack}:")
            for one in options:
                given = f" (without it: {one.default})" if one.default is not None else ""
                print(f"  --{one.name} VALUE\n                        {one.help}{given}")
        raise SystemExit(0)


def run(args: argparse.Namespace) -> int:
    """The exit code of the verdict; 1 too if a sensor gave no facts; of a folder, the worst."""
    from .cli_progress import progress
    from .report_desk import RunRequest, documents, setting_of, with_recorded

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
        found = documents(request)
        setting = with_recorded(setting, request, found)
        if len(args.inputs) == 1 and not os.path.isdir(args.inputs[0]):
            return _one(request, setting, found, args.out)
        return _many(request, setting, found, args.out)


def _options(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or name in found:
            why = "is given twice" if name in found else "has no value"
            raise UsageError(Problem("usage", f"`--{name}` {why}", help=f"write `--{name} VALUE` once"))
        found[name] = value
    return found


def _one(request: RunRequest, setting: Setting, found: Sequence[Input], out: Sequence[Path]) -> int:
    """One text: its report in each form that was asked for, or on standard output."""
    from .publish import write_whole
    from .render.reports import FORMS, report_text
    from .report_desk import outcomes, work_folder

    _refuse_forms(out, FORMS)
    _refuse_overwriting(out, found)
    with work_folder(request.keep) as folder:
        [outcome] = outcomes(found, setting, folder, lambda _: Path(), request.progress)
    if outcome.reported is None:
        _say_problems(outcome.problems)
        return 2
    _say_problems(outcome.reported.problems)
    report = outcome.reported.report
    write_whole([(path, FORMS[path.suffix.lower()](report)) for path in out])
    print("".join(f"report: {path}\n" for path in out) if out else report_text(report), end="")
    for line in (*outcome.reported.notes, *_warnings(report)):
        print(line, file=sys.stderr)
    return outcome.reported.exit_code


def _say_problems(problems: Sequence[Problem]) -> None:
    from .render.problems import render_problems

    if problems:
        print(render_problems(problems), file=sys.stderr, end="")


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


def _warnings(report: Report) -> list[str]:
    """What a reader of the terminal has to know before any number is believed."""
    score = report.score
    if score is None or not score.guesses:
        return []
    return [
        f"{score.name} rests on {len(score.guesses)} guesses that nobody has calibrated: {', '.join(score.guesses)}"
    ]


def _many(request: RunRequest, setting: Setting, found: Sequence[Input], out: Sequence[Path]) -> int:
    """A folder of texts: a report on each, and a page about all of them. One that fails keeps no other from it."""
    from .inputs import refuse_within
    from .report_desk import outcomes, work_folder
    from .report_pages import RUNS, page_names

    if len(out) != 1 or out[0].suffix.lower() in (".html", ".md", ".txt", ".json"):
        help = "add `--out DIR`, a folder for all reports"
        raise UsageError(Problem("usage", "of several texts there are several reports", help=help))
    refuse_within(out[0], request.inputs)
    pages = page_names([one.name for one in found])
    done: list[Outcome] = []
    with work_folder(request.keep or out[0] / RUNS) as folder:
        # A run lies under the whole name of its text: no other text can come to have that folder, or one within it.
        for outcome in outcomes(found, setting, folder, lambda one: Path(one.name), request.progress):
            done.append(_published(outcome, out[0] / pages[outcome.document]))
        done += _no_texts(request)
        done.sort(key=lambda one: one.document)
        _summary(setting, done, pages, out[0])
    codes = [one.reported.exit_code if one.reported is not None else 2 for one in done]
    return next((code for code in (2, 1, 3, 4) if code in codes), 0)


def _published(outcome: Outcome, place: Path) -> Outcome:
    """The report on one text of a folder in two forms, and on standard error what went wrong with it.

    One that cannot be written is none, and keeps no other from being written.
    """
    from .publish import write_whole
    from .render.problems import visible
    from .render.reports import report_html, report_json
    from .report_desk import problems_of
    from .report_overview import Outcome

    name, reported = visible(outcome.document), outcome.reported
    problems = [*outcome.problems, *(reported.problems if reported is not None else ())]
    if reported is not None:
        pages = [
            (Path(f"{place}.html"), report_html(reported.report)),
            (Path(f"{place}.json"), report_json(reported.report)),
        ]
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(pages)
        except (UsageError, OSError) as error:
            outcome = Outcome(outcome.document, None, problems_of(error))
            problems += outcome.problems
        for note in reported.notes:
            print(f"{name}: {visible(note)}", file=sys.stderr)
    for problem in problems:
        print(f"{name}: {problem.code}: {visible(problem.message)}", file=sys.stderr)
    return outcome


def _no_texts(request: RunRequest) -> list[Outcome]:
    """Documents in the folder that are no plain texts: they have no report, and that is said of each.

    Other files are named in one line, for nobody would have written a text as a picture.
    """
    from .inputs import TEXTS, links_to_folders, passed_over
    from .render.problems import visible
    from .report_overview import Outcome

    found = passed_over(request.inputs, TEXTS)
    others = [visible(one.name) for one in found if one.path.suffix.lower() not in _DOCUMENTS]
    if others:
        print(f"passed over, since they are no texts: {', '.join(others)}", file=sys.stderr)
    links = [visible(one.name) for one in links_to_folders(request.inputs)]
    if links:
        print(f"passed over, since links to folders are not followed: {', '.join(links)}", file=sys.stderr)
    made = []
    for one in found:
        if one.path.suffix.lower() in _DOCUMENTS:
            message, help = "it is no plain text", "save it as plain text (.txt) in UTF-8"
            print(f"{visible(one.name)}: document-unreadable: {message}; {help}", file=sys.stderr)
            problem = Problem("document-unreadable", message, where=str(one.path), help=help)
            made.append(Outcome(one.name, None, (problem,)))
    return made


def _summary(setting: Setting, done: Sequence[Outcome], pages: Mapping[str, str], out: Path) -> None:
    """The page about all of them. Pages of an earlier run that this one did not write are taken away."""
    from .publish import write_whole
    from .render.problems import visible
    from .render.reports import overview_html, overview_json
    from .report_overview import overview_of
    from .report_pages import INDEX, outdated_pages

    overview = overview_of(setting, done, pages)
    for path in outdated_pages(out, [one.page for one in overview.entries if one.page is not None]):
        path.unlink()
        print(f"removed, since its text has no report any more: {visible(str(path))}", file=sys.stderr)
    write_whole([(out / f"{INDEX}.html", overview_html(overview)), (out / f"{INDEX}.json", overview_json(overview))])
    reported = sum(1 for one in done if one.reported is not None)
    print(f"{reported} of {len(done)} reports: {visible(str(out / INDEX))}.html")


ALL: Mapping[str, Callable[[Any], None]] = {"run": add_run}
