"""The command that observes: `sense`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .cli_commands import WHERE, add_references, facts_given, path_given
from .errors import Problem, UsageError

if TYPE_CHECKING:
    from .sense_task import Call

PROVIDERS = ("anthropic", "decisions")
_OF_CALLS = ("provider", "model", "key_env", "url", "timeout", "retries", "max_cost")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def add_sense(commands: Any) -> None:
    one = commands.add_parser("sense", allow_abbrev=False)
    one.add_argument("pack", metavar="PACK", help="the pack that declares the sensor, in its `sensors.yaml`")
    one.add_argument("inputs", nargs="*", type=facts_given, metavar="INPUT", help="what is looked at")
    one.add_argument("--sensor", metavar="NAME", help="which sensor, if the pack has several")
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    one.add_argument("--out", type=path_given, metavar="DIR", help="the folder of the run, which must be new")
    resume_help = "go on with this run; what was answered is not asked again"
    one.add_argument("--resume", type=path_given, metavar="DIR", help=resume_help)
    add_references(one)
    one.add_argument("--database-env", type=_variable, metavar="VAR", help="the variable with a database's address")
    models = one.add_argument_group("sensors that ask a model")
    prepare_help = "write the requests and what they would cost; ask nobody"
    models.add_argument("--prepare", action="store_true", help=prepare_help)
    models.add_argument("--run", dest="asks", action="store_true", help="ask the model, which costs money")
    given_help = "facts that are shown beside the documents; repeatable"
    models.add_argument("--given", action="append", default=[], type=facts_given, metavar="PATH", help=given_help)
    add_call(models)
    one.set_defaults(run=sense)


def add_call(models: Any) -> None:
    """The options that say how a model is asked."""
    models.add_argument("--provider", choices=PROVIDERS, help="how the model is reached")
    models.add_argument("--model", metavar="NAME", help="the model, in the provider's words")
    models.add_argument("--key-env", type=_variable, metavar="VAR", help="the environment variable with the key")
    url_help = "the address, if not the provider's usual one (https, or this machine)"
    models.add_argument("--url", metavar="URL", help=url_help)
    cost_help = "ask nothing that could make the run cost more than this"
    models.add_argument("--max-cost", type=_amount, metavar="N", help=cost_help)
    models.add_argument("--retries", type=_few, metavar="N", help="ask again so often after a failure (0)")
    models.add_argument("--timeout", type=_seconds, metavar="S", help="seconds to wait for an answer (120)")


def sense(args: argparse.Namespace) -> int:
    """0: facts; 4: facts, and a person should look at some; 1: no facts; 2: nothing was looked at."""
    from .cli_progress import progress
    from .render.problems import render_problems, visible
    from .sense_task import SenseRequest
    from .sensing import sense

    if args.out is not None and args.resume is not None:
        raise UsageError(Problem("usage", "`--out` begins a run and `--resume` goes on with one", help="leave one out"))
    if args.prepare and args.asks:
        raise UsageError(Problem("usage", "`--prepare` asks nobody and `--run` asks", help="leave one out"))
    call = call_of(args)
    with progress() as report_progress:
        report = sense(
            SenseRequest(
                args.pack,
                tuple(args.inputs),
                args.sensor,
                args.policies,
                args.out,
                args.resume,
                args.prepare,
                call,
                tuple(args.references),
                args.database_env,
                report_progress,
                tuple(args.given),
            )
        )
    if report.problems:
        print(render_problems(report.problems), file=sys.stderr, end="")
    print("\n".join(map(visible, report.lines)))
    return report.exit_code


def call_of(args: argparse.Namespace) -> Call | None:
    """How the model is asked, if it is."""
    from .sense_task import SECONDS, Call

    if not args.asks:
        given = [name for name in _OF_CALLS if getattr(args, name) is not None]
        if given and not getattr(args, "prepare", False):
            option = "--" + given[0].replace("_", "-")
            what = "`--run` only" if hasattr(args, "prepare") else "`--provider` and `--model` only"
            raise UsageError(
                Problem("usage", f"`{option}` is of use with {what}", help=f"add {what.split(' only')[0]}")
            )
        return None
    missing = next((name for name in ("provider", "model") if getattr(args, name) is None), None)
    if missing is not None:
        legal = f", one of {', '.join(PROVIDERS)}" if missing == "provider" else ""
        asking = "`--run`" if hasattr(args, "prepare") else "asking a model"
        raise UsageError(Problem("usage", f"{asking} needs `--{missing}`{legal}", help=f"add `--{missing} …`"))
    return Call(
        args.provider,
        args.model,
        args.key_env,
        args.url,
        args.timeout or SECONDS,
        args.retries or 0,
        args.max_cost,
    )


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text):
        raise argparse.ArgumentTypeError("this is no name of an environment variable (never give the secret itself)")
    return text


def _amount(text: str) -> str:
    if not _AMOUNT.fullmatch(text):
        raise argparse.ArgumentTypeError(f"`{text}` is no amount; write it as 0.50, in the currency of the prices")
    return text


def _few(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 2 or int(text) > 10:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number from 0 to 10")
    return int(text)


def _seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= 3600 or len(text) > 4:
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number from 1 to 3600")
    return int(text)


ALL: Mapping[str, Callable[[Any], None]] = {"sense": add_sense}
