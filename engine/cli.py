"""The door: `fiel COMMAND …`. Parses the command line, prints, and turns what happened into an exit code.

0 passed · 1 failed · 2 could not judge · 3 no evidence · 4 a person must decide · 70 a bug of Fiel's own.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from . import __version__
from .errors import FielError, nearest

USAGE_ERROR = 2
OWN_BUG = 70
INTERRUPTED = 130

Command = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """As argparse's, with our words: the nearest option or command, and where help is."""

    def error(self, message: str) -> NoReturn:
        hint = self._near(message)
        print(f"{self.prog}: usage: {message}{hint}", file=sys.stderr)
        print(f"  help: `{self.prog} --help` lists what there is", file=sys.stderr)
        raise SystemExit(USAGE_ERROR)

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]  # as the base class has it
        """A command refuses what it does not know itself, so that its own options are offered."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _near(self, message: str) -> str:
        words = [w for w in message.replace("'", " ").split() if w.startswith("--")]
        legal = [o for action in self._actions for o in action.option_strings]
        for word in words if "unrecognized" in message else ():
            near = nearest(word.split("=")[0], legal)
            if near:
                return f" (did you mean `{near}`?)"
        if "invalid choice" in message:
            chosen = message.split("invalid choice: ")[1].split("'")[1]
            near = nearest(chosen, message.split("(choose from")[-1].replace("'", "").strip(" )").split(", "))
            return f" (did you mean `{near}`?)" if near else ""
        return ""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    from . import cli_commands

    top = _Parser(
        prog="fiel",
        description="Judge facts by rules written in YAML.",
        epilog="exit codes: 0 passed, 1 failed, 2 could not judge, 3 no evidence, 4 a person must decide",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"fiel {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for add in cli_commands.ALL:
        add(commands)
    return top


def run(argv: Sequence[str]) -> int:
    """The exit code of a command line. Everything a user can mend is printed as problems, without a traceback."""
    args = parser().parse_args(argv)
    args.words = list(argv)
    command: Command = args.run
    try:
        return command(args)
    except FielError as error:
        from .render.problems import render_problems

        sys.stdout.flush()
        print(render_problems(error.problems), end="", file=sys.stderr)
        if args.command == "judge":
            print("nothing was judged", file=sys.stderr)
        return USAGE_ERROR


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The entry point of the script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        code = run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except MemoryError:
        print("fiel: out of memory: the limit `memory_mb`, or the machine's", file=sys.stderr)
        print("  help: raise it with `--limit memory_mb=N`, or judge fewer facts at once", file=sys.stderr)
        code = USAGE_ERROR
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away; nothing more can be said to it, and Python must not try when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = USAGE_ERROR
    except SystemExit:
        raise
    except Exception as error:
        if os.environ.get("FIEL_DEBUG"):
            raise
        print(f"fiel: this is a bug of Fiel's own: {type(error).__name__}: {error}", file=sys.stderr)
        print("  help: run again with FIEL_DEBUG=1 and report what it prints", file=sys.stderr)
        code = OWN_BUG
    raise SystemExit(code)


if __name__ == "__main__":
    main()
