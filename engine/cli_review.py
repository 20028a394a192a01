"""`fiel review list|decide|export|verify`; without a word, `list`. What it does is imported when a command runs."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_commands import (
    WHERE,
    add_decisions,
    add_references,
    day,
    facts_given,
    limit,
    path_given,
    positive,
    request_of,
)
from .errors import Problem, UsageError, nearest
from .frozen import fields
from .limits import Limits

if TYPE_CHECKING:
    from .pipeline import Request, Session
    from .reviewing import Pending, Queue, Said

_ACTIONS = ("list", "decide", "export", "verify")
_NOTHING, _WAITS, _COULD_NOT = 0, 4, 2


def add_review(commands: Any) -> None:
    one = commands.add_parser("review", allow_abbrev=False)
    one.usual = "list"
    actions = one.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = _parser(actions, "list", "list the rows in review (also without the word)", list_pending)
    add_decisions(listing)
    deciding = _parser(actions, "decide", "decide one row, or on a terminal one after the other", decide)
    add_decisions(deciding, required=True)
    row_help = "the value of its key, or COLUMN=VALUE for each column of the key; repeatable"
    deciding.add_argument("--row", action="append", default=[], metavar="KEY", help=row_help)
    deciding.add_argument("--outcome", choices=("pass", "fail"), help="what is decided")
    deciding.add_argument("--by", metavar="NAME", help="who decides")
    deciding.add_argument("--because", metavar="REASON", help="why")
    deciding.add_argument("--at", type=_instant, metavar="TIME", help="when (now), YYYY-MM-DDTHH:MM:SSZ")
    exporting = _parser(actions, "export", "print what was decided as cases of the policies", export)
    add_decisions(exporting, required=True)
    exporting.add_argument("--write", action="store_true", help="add them to the files of the policies")
    verifying = actions.add_parser("verify", help="check the chain of a file of decisions", allow_abbrev=False)
    add_decisions(verifying, required=True)
    verifying.set_defaults(run=verify)


def _parser(actions: Any, name: str, help: str, run: Callable[[argparse.Namespace], int]) -> Any:
    """A command over facts, with the options by which `judge` finds and reads them."""
    one = actions.add_parser(name, help=help, allow_abbrev=False)
    facts_help = "facts, as for `judge --facts`"
    one.add_argument("facts", nargs="*", type=facts_given, metavar="PATH", help=facts_help)
    one.add_argument(
        "--facts", dest="more", action="append", default=[], type=facts_given, metavar="PATH", help=facts_help
    )
    one.add_argument("--policies", type=path_given, metavar="DIR", help=WHERE)
    add_references(one)
    one.add_argument("--pack", action="append", default=[], metavar="PACK", help="of this pack; repeatable")
    one.add_argument("--policy", action="append", default=[], metavar="ID", help="of this policy; repeatable")
    one.add_argument("--as-of", type=day, metavar="DATE", help="the day for `as_of: judged_on` and waivers, YYYY-MM-DD")
    one.add_argument("--threads", type=positive, metavar="N", help="threads to use (all cores)")
    one.add_argument("--trust-keys", action="store_true", help="leave out the check that keys are unique")
    one.add_argument("--csv-delimiter", default=",", metavar="C", help="what separates the fields of CSV files")
    one.add_argument("--no-cache", action="store_true", help="leave the user's cache alone")
    limits = f"raise or lower a limit: {', '.join(f.name for f in fields(Limits))}"
    one.add_argument("--limit", action="append", default=[], type=limit, metavar="NAME=N", help=limits)
    one.set_defaults(run=run)
    return one


def _instant(text: str) -> str:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", text):
            raise ValueError
        datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no time in UTC; write YYYY-MM-DDTHH:MM:SSZ") from None
    return text


def _request(args: argparse.Namespace, decisions: Path | None) -> Request:
    facts = (*args.facts, *args.more)
    near = nearest(facts[0], _ACTIONS) if facts else None
    if near is not None and args.action == "list" and not os.path.exists(facts[0]):
        problem = Problem("no-facts", f"there is no file `{facts[0]}`", help=f"did you mean `fiel review {near}`?")
        raise UsageError(problem)
    if not facts:
        help = f"name files or folders of facts: `fiel review {args.action} FILE`"
        raise UsageError(Problem("no-facts", "no facts are given", help=help))
    return request_of(args, facts, decisions)


# -- list ------------------------------------------------------------------------------------------------------


def list_pending(args: argparse.Namespace) -> int:
    """Prints all that waits. 0: nothing does; 4: something does; 2: a policy could not be judged."""
    from .pipeline import opened
    from .review_text import queues_text
    from .reviewing import queues

    with opened(_request(args, args.decisions)) as session:
        found = queues(session)
        print(queues_text(session, found), end="")
    return _code(found)


def _code(found: Sequence[Queue]) -> int:
    if any(queue.verdict.verdict == "error" for queue in found):
        return _COULD_NOT
    return _WAITS if any(queue.pending for queue in found) else _NOTHING


# -- decide ----------------------------------------------------------------------------------------------------


def decide(args: argparse.Namespace) -> int:
    """Writes one decision: 0; or walks through what waits: 0 if nothing is left, 4 if something is. 2: it could not."""
    from .pipeline import opened

    # A file that is not there yet is begun; one that is there has to be whole before anything is asked.
    request = _request(args, args.decisions if os.path.lexists(args.decisions) else None)
    if not args.row:
        return _walk(args, request)
    needed = [
        ("--policy", len(args.policy) == 1),
        *((f"--{n}", getattr(args, n)) for n in ("outcome", "by", "because")),
    ]
    if missing := [option for option, given in needed if not given]:
        message = f"`--row` names a row to decide, and {', '.join(f'`{one}`' for one in missing)} is missing"
        raise UsageError(Problem("options-exclude", message, help="say of which one policy, what, who and why"))
    from .review_text import decided_text
    from .reviewing import decide_named

    with opened(request) as session:
        done, before = decide_named(session, args.row, _said(args, args.outcome, args.because), args.decisions)
    print(decided_text(done, before, args.decisions), end="")
    return _NOTHING


def _said(args: argparse.Namespace, outcome: str, because: str) -> Said:
    from .reviewing import Said

    return Said(outcome, args.by, args.at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), because)


def _walk(args: argparse.Namespace, request: Request) -> int:
    """Shows what waits, row by row, and asks."""
    from .pipeline import opened
    from .review_text import rule_of, summary
    from .reviewing import queues, waiting

    given = next((option for option in ("outcome", "because") if getattr(args, option)), None)
    if given is not None:
        message = f"`--{given}` is said of a row, and there is no `--row`"
        raise UsageError(Problem("options-exclude", message, help="name it with `--row`, or decide row by row"))
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()) or "-" in request.facts:
        message = "without `--row` the rows are asked for one by one, on a terminal, and this is none"
        raise UsageError(
            Problem("no-terminal", message, help="name the row: `fiel review` prints the command for each")
        )
    with opened(request) as session:
        found = queues(session)
        total, shown = sum(len(queue.pending) for queue in found), None
        try:
            for number, (queue, one) in enumerate(waiting(found), start=1):
                if shown is not queue:
                    print("\n".join(["", *rule_of(session.packs[queue.checked.policy.pack], queue)]))
                    shown = queue
                print(f"\n{number} of {total}, {queue.checked.policy.id}")
                _ask(args, session, queue, one)
        except EOFError:
            print()
    with opened(_request(args, args.decisions if os.path.lexists(args.decisions) else None)) as session:
        left = queues(session)
    print(summary(left))
    return _code(left)


def _ask(args: argparse.Namespace, session: Session, queue: Queue, one: Pending) -> None:
    """Shows one row and asks until there is an answer. Raises EOFError to stop."""
    from .asides import asides_of
    from .review_text import decided_text, pending_lines
    from .reviewing import decide_row

    print("\n".join(pending_lines(queue, one, asides_of(session.request.facts))))
    words = {"p": "pass", "f": "fail", "s": "skip", "q": "quit"}
    answer = ""
    while answer not in words.values():
        answer = input("pass, fail, skip or quit? ").strip().lower()
        answer = words.get(answer, answer)
    if answer == "quit":
        raise EOFError
    if answer == "skip":
        return
    while not (because := input("because: ").strip()):
        pass
    while not args.by:
        args.by = input("your name: ").strip()
    done, before = decide_row(session, queue.checked, one.stored, _said(args, answer, because), args.decisions)
    print(decided_text(done, before, args.decisions), end="")


# -- export, verify --------------------------------------------------------------------------------------------


def export(args: argparse.Namespace) -> int:
    """Prints or adds the cases. 0, also where there are none; 2: not judged, or nothing written."""
    from .pipeline import opened
    from .review_cases import exported, exported_text, write_exported
    from .reviewing import queues

    with opened(_request(args, args.decisions)) as session:
        found = queues(session)
        done = exported(session, found)
    broken = [queue.checked.policy.id for queue in found if queue.verdict.verdict == "error"]
    if broken:
        problem = Problem("not-in-review", f"not judged: {', '.join(broken)}", help="`fiel judge` says why")
        raise UsageError(problem)
    print(write_exported(done) if args.write else exported_text(done), end="")
    return _NOTHING


def verify(args: argparse.Namespace) -> int:
    """Checks the chain alone. 0: it is whole; 2: it is not, or cannot be read."""
    from .decisions import read_decisions

    found = read_decisions(args.decisions)
    number = f"{len(found)} decision{'' if len(found) == 1 else 's'}"
    print(f"{number}, the chain is whole; {f'the last line has sha256 {found[-1].sha256}' if found else 'it is empty'}")
    return _NOTHING


ALL: Mapping[str, Callable[[Any], None]] = {"review": add_review}
