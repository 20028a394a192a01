"""The door: `fiel COMMAND …`. Parses the command line, prints, and turns what happened into an exit code.

0 passed · 1 failed · 2 could not judge · 3 no evidence · 4 a person must decide · 70 a bug of Fiel's own.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from . import __version__
from .cli_table import COMMANDS
from .errors import FielError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is a tenth of the time that `fiel --help` takes
    from typing import NoReturn

USAGE_ERROR = 2
OWN_BUG = 70
INTERRUPTED = 130

Command = Callable[[argparse.Namespace], int]


_ABOUT = ("--version", "--help", "-h")
"""As the first word, these end the run before any command is looked at."""
_OF_ALL = ("completion",)
"""The commands that have something to say of the others."""
_OWN_OPTION = re.compile(r"--[a-z][a-z0-9_]*")


class _Once(argparse._StoreAction):
    """An option with one value. Given twice it is refused: of two answers the last would win in silence."""

    def __call__(self, parser, namespace, values, option_string=None):  # type: ignore[no-untyped-def]  # as its base
        if option_string is not None and self.dest in parser.given:
            raise argparse.ArgumentError(self, "given twice, and it takes one value; leave one of them out")
        parser.given.add(self.dest)
        super().__call__(parser, namespace, values, option_string)


class _Parser(argparse.ArgumentParser):
    """As argparse's, with our words: the nearest option or command, and where help is."""

    def __init__(self, *args, **kwargs) -> None:  # type: ignore[no-untyped-def]  # as the base class has it
        super().__init__(*args, **kwargs)
        self.given: set[str] = set()
        self.usual: str | None = None
        """Of a command with commands of its own: the one that is meant where none is named."""
        self.own_options = False
        """Whether a pack may have options of its own, which are then given as `--set NAME=VALUE`."""
        for name in (None, "store"):
            self.register("action", name, _Once)

    def error(self, message: str) -> NoReturn:
        if self.own_options and message.endswith("required: INPUT"):
            message += f" (the pack comes first, then a text: `{self.prog} PACK TEXT`)"
        from .render.problems import visible

        print(f"{self.prog}: usage: {visible(message)}{visible(self._near(message))}", file=sys.stderr)
        print(f"  help: `{self.prog} --help` lists what there is", file=sys.stderr)
        raise SystemExit(USAGE_ERROR)

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]  # as the base class has it
        """A command refuses what it does not know itself, so that its own options are offered."""
        self.given.clear()
        args = self._with_usual(args)
        found, unknown = super().parse_known_args(self._with_own(args) if self.own_options else args, namespace)
        given = next((one for one in unknown if one.partition("=")[0] == "--policies"), None)
        if given is not None and self.prog.endswith((" check", " test", " fmt")):
            after = [*unknown[unknown.index(given) + 1 :], *map(str, found.paths), "DIR"]
            named = given.partition("=")[2] or after[0]
            self.error(f"unrecognized arguments: --policies (packs are named as `{self.prog} {named}`)")
        if unknown:
            hint = f" (facts are given with `--facts {unknown[0]}`)" if self.prog.endswith(" judge") else ""
            plain = not unknown[0].startswith("-")
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint if plain else ''}")
        return found, unknown

    def _with_usual(self, args: Sequence[str] | None) -> Sequence[str] | None:
        if self.usual is None or args is None:
            return args
        named = {name for action in self._actions if action.choices is not None for name in action.choices}
        return args if args and args[0] in {*named, "-h", "--help"} else [self.usual, *args]

    def _with_own(self, args: Sequence[str] | None) -> list[str]:
        """Options that only a pack knows, `--level B1` or `--level=B1`, as `--set level=B1`."""
        known = {name for action in self._actions for name in action.option_strings}
        left, made = list(args or ()), list[str]()
        while left:
            word = left.pop(0)
            name, equals, value = word.partition("=")
            if not _OWN_OPTION.fullmatch(name) or name in known:
                made.append(word)
            elif equals or (left and not left[0].startswith("--")):
                made += ["--set", f"{name[2:]}={value if equals else left.pop(0)}"]
            else:
                made += ["--set", name[2:]]
        return made

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


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # its parser is given where it is made
    """Each command has the line of the table."""

    def add_parser(self, name, **kwargs):  # type: ignore[no-untyped-def]  # as the base class has it
        return super().add_parser(name, help=COMMANDS[name][1], **kwargs)


def parser(argv: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The whole command line, or as much of it as these words need.

    All commands have to be known only where the first word is none of them.
    """
    top = _Parser(
        prog="fiel",
        description="Judge facts by rules written in YAML.",
        epilog="exit codes: 0 passed, 1 failed, 2 could not judge, 3 no evidence, 4 a person must decide",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"fiel {__version__}")
    commands = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Parser, action=_Commands, prog="fiel"
    )
    first = argv[0] if argv else ""
    for name in [first] if first in COMMANDS and first not in _OF_ALL else COMMANDS:
        if first in _ABOUT:
            commands.add_parser(name, add_help=False)  # nobody asks it
        else:
            import_module(f".{COMMANDS[name][0]}", __package__).ALL[name](commands)
    return top


def run(argv: Sequence[str]) -> int:
    """The exit code of a command line. Everything a user can mend is printed as problems, without a traceback."""
    args = parser(argv).parse_args(argv)
    args.words = list(argv)
    command: Command = args.run
    try:
        return command(args)
    except FielError as error:
        from .render.problems import render_problems

        sys.stdout.flush()
        print(render_problems(error.problems), end="", file=sys.stderr)
        if args.command == "judge":
            unwritten = all(p.code == "cannot-write" for p in error.problems)
            print(f"nothing was {'written' if unwritten else 'judged'}", file=sys.stderr)
        if args.command == "replay":
            print("nothing was replayed", file=sys.stderr)
        return USAGE_ERROR


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The entry point of the script."""
    # Trees of thousands of files are no garbage: looking through them at every turn took a fifth of the time.
    gc.set_threshold(100_000, 200, 100)
    raise SystemExit(_settled(_guarded(sys.argv[1:] if argv is None else argv)))


def _guarded(argv: Sequence[str]) -> int:
    """The exit code, whatever happens: what a user can mend is 2, what only we can is 70."""
    try:
        _prepare_streams()
        os.getcwd()
        if argv and argv[0] in _ABOUT:
            return run(argv)
        from .leavings import watch_signals

        with watch_signals():
            return run(argv)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE_ERROR
    except MemoryError:
        _complain("out of memory: the limit `memory_mb`, or the machine's", "judge fewer facts at once, or raise it")
        return USAGE_ERROR
    except KeyboardInterrupt:
        _complain("interrupted", None)
        return INTERRUPTED
    except BrokenPipeError:
        return USAGE_ERROR  # the reader went away, and nothing more can be said to it
    except OSError as error:
        what = f" `{error.filename}`" if error.filename else ""
        _complain(f"the system refused{what}: {(error.strerror or str(error)).lower()}", None)
        return USAGE_ERROR
    except Exception as error:
        if os.environ.get("FIEL_DEBUG"):
            raise
        _complain(f"this is a bug of Fiel's own: {type(error).__name__}: {error}", "report what FIEL_DEBUG=1 prints")
        return OWN_BUG


def _prepare_streams() -> None:
    """UTF-8 and line feeds everywhere. A verdict that nobody could read is refused before it is made."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _complain(message: str, help: str | None) -> None:
    with suppress(OSError):
        print(f"fiel: {message}", file=sys.stderr)
        if help is not None:
            print(f"  help: {help}", file=sys.stderr)


def _settled(code: int) -> int:
    """The exit code once all output has left; what could not be written turns a verdict into 2."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                _complain(f"the output could not be written: {(error.strerror or str(error)).lower()}", None)
            # Python would try once more when it ends, and end with a code of its own.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = USAGE_ERROR
    return code


if __name__ == "__main__":
    main()
