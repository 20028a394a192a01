"""`fiel completion`: scripts by which a shell completes commands, options, choices, and names of packs and policies.

A script is made from the command line itself. The names are asked for when a key is pressed, so they come from the
names of files alone: no file is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .frozen import dataclass
from .home import SHIPPED_POLICIES
from .names import NAME

SHELLS = ("bash", "zsh", "fish")
NAMES = ("packs", "policies")
_KINDS = {"PATH": "files", "DIR": "files", "FILE": "files", "ID": "policies", "POLICY": "policies", "PACK": "packs"}
"""What an option or argument takes, by its name in the help."""

_NO_POLICIES = frozenset({"pack", "relations", "parameters", "references", "sensors", "waivers"})


@dataclass(frozen=True)
class _Word:
    """What stands in one place of a command line: `words` to choose from, or files, packs, policies (`kind`)."""

    kind: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Option:
    names: tuple[str, ...]
    takes: _Word | None
    help: str


@dataclass(frozen=True)
class _Command:
    name: str
    help: str
    options: tuple[_Option, ...]
    positional: _Word


def names(kind: str) -> list[str]:
    """The packs, or the policies, of the folder where `judge` would look for them."""
    here = Path()
    root = (
        Path("policies") if Path("policies").is_dir() else here if any(here.glob("*/pack.yaml")) else SHIPPED_POLICIES
    )
    packs = sorted(path.parent for path in root.glob("*/pack.yaml") if NAME.fullmatch(path.parent.name))
    if kind == "packs":
        return [pack.name for pack in packs]
    files = (path for pack in packs for path in sorted(pack.glob("*.yaml")))
    return [f"{f.parent.name}.{f.stem}" for f in files if NAME.fullmatch(f.stem) and f.stem not in _NO_POLICIES]


def script(shell: str, subparsers: Any) -> str:
    """The script for one of `SHELLS`. `subparsers` is what argparse gave to add commands to."""
    commands = list(_commands(subparsers))
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


# -- what there is ---------------------------------------------------------------------------------------------


def _commands(subparsers: Any) -> Iterator[_Command]:
    told = {choice.dest: choice.help or "" for choice in subparsers._choices_actions}
    for name, inner in subparsers.choices.items():
        yield _command(name, told.get(name, ""), inner)


def _command(name: str, help_text: str, parser: argparse.ArgumentParser) -> _Command:
    options: list[_Option] = []
    positional = _Word("nothing")
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            options += _inner_options(action, {name for option in options for name in option.names})
        if action.option_strings:
            takes = _word(action) if action.nargs != 0 else None
            options.append(_Option(tuple(action.option_strings), takes, action.help or ""))
        elif positional.kind == "nothing":
            positional = _word(action)
            if getattr(parser, "usual", None) is not None:  # its own commands, or what the usual one takes
                positional = _Word("files", positional.words)
    return _Command(name, help_text, tuple(options), positional)


def _inner_options(actions: Any, known: set[str]) -> Iterator[_Option]:
    """The options of a command's own commands, each name once."""
    for name, inner in actions.choices.items():
        for option in _command(name, "", inner).options:
            if not known & set(option.names):
                known |= set(option.names)
                yield option


def _word(action: argparse.Action) -> _Word:
    if action.choices is not None:
        return _Word("words", tuple(map(str, action.choices)))
    return _Word(_KINDS.get(str(action.metavar), "nothing"))


def _words_of(commands: Sequence[_Command]) -> str:
    return " ".join([*(c.name for c in commands), "--help", "--version"])


def _cases(commands: Sequence[_Command]) -> Iterator[tuple[str, str, str]]:
    """Pattern of `command:word before`, kind and words, for bash and zsh alike; the last of a command is the rest."""
    for command in commands:
        for option in command.options:
            if option.takes is not None:
                pattern = "|".join(f"{command.name}:{name}" for name in option.names)
                yield pattern, option.takes.kind, " ".join(option.takes.words)
        offered = [name for option in command.options for name in option.names if name.startswith("--")]
        yield f"{command.name}:*", command.positional.kind, " ".join([*command.positional.words, *offered])


def _table(commands: Sequence[_Command]) -> str:
    lines = [f"    {p}) kind={k} list={_in_quotes(words)} ;;" for p, k, words in _cases(commands)]
    return "\n".join([*lines, f"    *) kind=words list={_in_quotes(_words_of(commands))} ;;"])


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- shells ----------------------------------------------------------------------------------------------------


def _bash(commands: Sequence[_Command]) -> str:
    return f"""\
# Completion of fiel for bash: put `eval "$(fiel completion bash)"` into ~/.bashrc.
_fiel() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= kind= list= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi  # --option=value
  case $command:$prev in
{_table(commands)}
  esac
  case $kind in
    packs|policies) list="$list $("${{COMP_WORDS[0]}}" completion --names "$kind" 2>/dev/null)" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
  if [ "$kind" = files ] && [ "${{cur#-}}" = "$cur" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _fiel fiel
"""


def _zsh(commands: Sequence[_Command]) -> str:
    return f"""\
#compdef fiel
# Completion of fiel for zsh: put `eval "$(fiel completion zsh)"` into ~/.zshrc, after `compinit`.
_fiel() {{
  local cur=${{words[CURRENT]}} prev=${{words[CURRENT-1]}} command= kind= list= word
  for word in ${{words[2,CURRENT-1]}}; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  if [[ $cur == --*=* ]]; then
    prev=${{cur%%=*}} cur=${{cur#*=}}
    compset -P 1 '*='
  fi
  case $command:$prev in
{_table(commands)}
  esac
  case $kind in
    packs|policies) list="$list $(${{words[1]}} completion --names $kind 2>/dev/null)" ;;
  esac
  if [[ $kind == files && $cur != -* ]]; then
    _files
  else
    compadd -- ${{=list}}
  fi
}}
compdef _fiel fiel
"""


def _fish(commands: Sequence[_Command]) -> str:
    lines = [
        "# Completion of fiel for fish: put `fiel completion fish | source` into config.fish.",
        "complete -c fiel -f",
        "complete -c fiel -n __fish_use_subcommand -l help -s h -d 'say what there is'",
        "complete -c fiel -n __fish_use_subcommand -l version -d 'say which version this is'",
    ]
    for command in commands:
        said = f"-a {command.name} -d {_in_fish(command.help)}"
        lines.append(f"complete -c fiel -n __fish_use_subcommand {said}")
    for command in commands:
        seen = f"complete -c fiel -n '__fish_seen_subcommand_from {command.name}'"
        if command.positional.kind != "nothing":
            lines.append(f"{seen} {_fish_values(command.positional)}")
        for option in command.options:
            flags = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            value = f" -x {_fish_values(option.takes)}" if option.takes is not None else ""
            value = value.replace("-x -F", "-r -F")
            lines.append(f"{seen} {flags}{value} -d {_in_fish(option.help)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _fish_values(word: _Word) -> str:
    if word.kind == "files":
        return "-F"
    if word.kind in NAMES:
        return f"-a '(fiel completion --names {word.kind})'"
    return f"-a {_in_fish(' '.join(word.words))}" if word.words else ""


def _in_fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
